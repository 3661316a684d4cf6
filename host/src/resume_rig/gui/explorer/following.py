"""Follows a store that is being written: looks at it, reads and derives it again, at a pace."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from PySide6.QtCore import QElapsedTimer, QObject, QTimer
from PySide6.QtWidgets import QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.explorer.state import Due, Pace, Quick, StoreLook, look_at, read_quick
from resume_rig.gui.worker.jobs import JobSlot

T = TypeVar("T")

_LOOK_EVERY_MS: Final = 500


class Following(QObject):
    """Looks at a store twice a second, in the background, until nobody writes to it any more.

    Args:
        desk: of the application.
        view: that it is for; nothing is read while nobody sees it.
        newer: gets what was read anew, in the window's thread.
        derive: is asked to derive all of the store anew; it calls `derived` when that is over.
        changed: is called when `writing` is another.
        failed: gets one sentence; nothing is followed any more.

    Attributes:
        writing: somebody writes to the store.
    """

    def __init__(
        self,
        desk: Desk,
        view: QWidget,
        *,
        newer: Callable[[Quick], None],
        derive: Callable[[], None],
        changed: Callable[[], None],
        failed: Callable[[str], None],
    ) -> None:
        super().__init__(view)
        self._desk = desk
        self._newer, self._derive, self._changed, self._failed = newer, derive, changed, failed
        self._view = view
        self._path: Path | None = None
        self._job = JobSlot()
        self._pace = Pace()
        self.writing = False
        self._clock = QElapsedTimer()
        self._clock.start()
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look)

    @property
    def active(self) -> bool:
        """Whether a store is followed."""
        return self._timer.isActive()

    def start(self, path: Path, look: StoreLook) -> None:
        """Follow a store that was just read, and of which all is being derived."""
        self.stop()
        if not look.writing:
            return
        now_ms = self._clock.elapsed()
        self._path, self._pace, self.writing = path, Pace(), True
        self._pace.reading.begin(look.stamp, now_ms)
        self._pace.reading.end(now_ms)
        self._pace.deriving.begin(look.stamp, now_ms)
        self._timer.start()

    def stop(self) -> None:
        """Look no longer."""
        self._timer.stop()
        self.writing = False
        self._job.cancel()

    def derived(self, *, well: bool) -> None:
        """Take note that deriving is over; what failed, or was cancelled, is not begun again."""
        self._pace.deriving.end(self._clock.elapsed())
        if not well:
            self._pace.give_up_deriving()

    def _look(self) -> None:
        path = self._path
        if not self._job.busy and path is not None and self._view.isVisible():
            self._start(f"Looking at {path.name}", lambda: look_at(path), self._take_look)

    def _take_look(self, look: StoreLook) -> None:
        before, self.writing = self.writing, look.writing
        match self._pace.due(look, self._clock.elapsed()):
            case Due.READ:
                self._read(look)
            case Due.DERIVE:
                self._pace.deriving.begin(self._pace.reading.stamp, self._clock.elapsed())
                self._derive()
            case Due.END:
                self.stop()
            case Due.NOTHING:
                pass
        if before != self.writing:
            self._changed()

    def _read(self, look: StoreLook) -> None:
        path = self._path
        if path is None:
            return
        self._pace.reading.begin(look.stamp, self._clock.elapsed())
        self._start(f"Reading {path.name}", lambda: read_quick(path), self._take)

    def _start(self, what: str, work: Callable[[], T], take: Callable[[T], None]) -> None:
        self._desk.jobs.start(what, lambda _: work(), take, self._lose, quiet=True, slot=self._job)

    def _take(self, quick: Quick) -> None:
        self._pace.reading.end(self._clock.elapsed())
        self._newer(quick)

    def _lose(self, sentence: str) -> None:
        self.stop()
        self._failed(sentence)
