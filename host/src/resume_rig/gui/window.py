"""The window: a rail of pages, the page that is shown, menus, and a line of status."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from resume_rig.gui.alarm import FailureAlarm
from resume_rig.gui.campaign_ending import CampaignEnding
from resume_rig.gui.desk import AskPath, Desk
from resume_rig.gui.menus import Menus
from resume_rig.gui.person_strip import PersonStrip
from resume_rig.gui.remembered import Remembered
from resume_rig.gui.request import NO_WISH, BenchWish, Target
from resume_rig.gui.state.events import Event
from resume_rig.gui.state.seen import Seen
from resume_rig.gui.sweeping import Sweeper
from resume_rig.gui.theme import Look
from resume_rig.gui.views.registry import VIEWS, ViewEntry
from resume_rig.gui.views.view import View
from resume_rig.gui.widgets.export_to_file import ask_path_with
from resume_rig.gui.widgets.labels import plain_label, show_text
from resume_rig.gui.worker.jobs import Jobs
from resume_rig.gui.worker.rig_worker import RigWorker

FRAME_MS: Final = 16
USUAL_SIZE: Final = (1280, 820)
_CLOSING = (
    "A campaign is running. Close the window again to stop it; what was measured is kept, and "
    "can be gone on with."
)


class Window(QMainWindow):
    """The application's window.

    Args:
        look: colours.
        remembered: state that outlives it.
        ask_path: asks where to write files; None opens the system's dialog.
        wish: what is to be done with a rig at once.
    """

    def __init__(
        self,
        look: Look,
        remembered: Remembered,
        ask_path: AskPath | None = None,
        *,
        wish: BenchWish = NO_WISH,
    ) -> None:
        super().__init__()
        self.setWindowTitle("resume-rig")
        self.setAcceptDrops(True)
        self._sweeper = Sweeper()
        self.jobs, self.worker = Jobs(), RigWorker()
        self.desk = Desk(
            look=look,
            remembered=remembered,
            jobs=self.jobs,
            worker=self.worker,
            seen=Seen(),
            go=self.go,
            say=self.say,
            ask_path=ask_path or ask_path_with(self),
            wish=wish,
        )
        self._views: dict[str, View] = {}
        self._wants_to_close = False
        self._build()
        self.menus = Menus(self, self.desk)
        self._ending = CampaignEnding(self.desk, self._take)
        self.worker.told.connect(self._take)
        self.jobs.changed.connect(self._show_job)
        self._frames = QTimer(self)
        self._frames.setInterval(FRAME_MS)
        self._frames.timeout.connect(self._refresh)
        self._frames.start()
        self._restore()

    @property
    def view(self) -> View | None:
        """The page that is shown."""
        shown = self._stack.currentWidget()
        return shown if isinstance(shown, View) else None

    @property
    def view_name(self) -> str:
        """Its name; empty before any is shown."""
        return next((name for name, view in self._views.items() if view is self.view), "")

    @property
    def said(self) -> str:
        """What the status line says."""
        return self._said.text()

    def go(self, name: str, target: Target | None = None) -> None:
        """Show a page, and let it open something."""
        entry = next((each for each in VIEWS if each.name == name), None)
        if entry is None:
            self.say(f"There is no view {name}; there are {', '.join(e.name for e in VIEWS)}.")
            return
        view = self._made(entry)
        self._stack.setCurrentWidget(view)
        self._rail.setCurrentRow(VIEWS.index(entry))
        if target is not None:
            view.open(target)
        view.refresh()
        self.menus.show_view(view, entry.title)

    def say(self, text: str) -> None:
        """Put a sentence on the status line until the next one."""
        show_text(self._said, text)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop what runs, remember what is worth it; a running campaign asks for a second try."""
        if self.desk.seen.campaign.phase.active and not self._wants_to_close:
            self._wants_to_close = True
            if self.view is not None:
                self.view.notice.fail(_CLOSING)
            event.ignore()
            return
        self._frames.stop()
        self._remember()
        self.jobs.close()
        self.worker.close()
        self._sweeper.stop()
        event.accept()

    def close_at_once(self) -> None:
        """Stop what runs and close, as a signal to the process asks for it."""
        self._wants_to_close = True
        self.close()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files that a page may be able to read."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open dropped files in the page that takes them; the one that is shown is asked first."""
        self.open_files(url.toLocalFile() for url in event.mimeData().urls())

    def open_files(self, names: Iterable[str]) -> None:
        """Open files in the page that takes them; the one that is shown is asked first."""
        paths = tuple(filter(None, names))
        shown = [entry for entry in VIEWS if entry.name == self.view_name]
        for entry in (*shown, *VIEWS):
            if paths and self._made(entry).takes(paths):
                self.go(entry.name, Target(tuple(map(Path, paths))))
                return
        self.say(f"No view opens {', '.join(paths) or 'that'}.")

    def _made(self, entry: ViewEntry) -> View:
        if entry.name not in self._views:
            view = entry.make(self.desk)
            view.setObjectName(entry.name)
            self._views[entry.name] = view
            self._stack.addWidget(view)
        return self._views[entry.name]

    def _build(self) -> None:
        self._rail = QListWidget()
        self._rail.setObjectName("rail")
        self._rail.setAccessibleName("Views")
        height = self.fontMetrics().height() + 18
        for entry in VIEWS:
            item = QListWidgetItem(entry.title)
            item.setSizeHint(QSize(0, height))
            self._rail.addItem(item)
        self._rail.setFixedWidth(self.fontMetrics().horizontalAdvance("Requirement") + 36)
        self._rail.currentRowChanged.connect(self._rail_chosen)
        self._stack = QStackedWidget()
        self.alarm = FailureAlarm(self.desk)
        self.person = PersonStrip(self.desk)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(self.person)
        column.addWidget(self.alarm)
        column.addWidget(self._stack, 1)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._rail)
        row.addLayout(column, 1)
        middle = QWidget()
        middle.setLayout(row)
        self.setCentralWidget(middle)
        self._said = plain_label()
        self._link = plain_label(role="soft")
        self._job = QProgressBar()
        self._job.setFixedWidth(180)
        self._job.setAccessibleName("Progress of the job")
        self._cancel = QPushButton("Cancel")
        self._cancel.setToolTip("Esc")
        self._cancel.clicked.connect(self.cancel_job)
        bar = self.statusBar()
        bar.addWidget(self._said, 1)
        for widget in (self._job, self._cancel, self._link):
            bar.addPermanentWidget(widget)
        self._job.hide()
        self._cancel.hide()

    def _rail_chosen(self, row: int) -> None:
        if 0 <= row < len(VIEWS) and VIEWS[row].name != self.view_name:
            self.go(VIEWS[row].name)

    def _take(self, events: tuple[Event, ...]) -> None:
        self.desk.seen.take(events)

    def _refresh(self) -> None:
        if self.view is not None:
            self.view.refresh()
        self.alarm.refresh()
        self.person.refresh()
        self._ending.refresh()
        seen = self.desk.seen
        campaign = seen.campaign.phase
        state = f"campaign: {campaign}" if campaign.active else f"rig: {seen.bench.link}"
        show_text(self._link, state)

    def _show_job(self) -> None:
        task = self.jobs.running
        self._job.setVisible(task is not None)
        self._cancel.setVisible(task is not None)
        if task is None:
            return
        self.say(task.name)
        self._job.setRange(0, task.of)
        self._job.setValue(task.done)

    def cancel_job(self, *_checked: bool) -> None:
        """Cancel the work that the status line shows."""
        task = self.jobs.running
        if task is not None:
            task.give_up()
            self.say(f"Cancelled: {task.name}")

    def dismiss(self, *_checked: bool) -> None:
        """Take the notice of the page away."""
        if self.view is not None:
            self.view.notice.clear()

    def _restore(self) -> None:
        if not self.restoreGeometry(self.desk.remembered.bytes("window/geometry")):
            self.resize(*USUAL_SIZE)

    def _remember(self) -> None:
        remembered = self.desk.remembered
        remembered.keep("window/geometry", self.saveGeometry())
        remembered.keep("window/view", self.view_name)
        remembered.keep("window/theme", self.desk.look.name.value)
        remembered.close()
