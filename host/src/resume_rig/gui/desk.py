"""What every page is given: the rig's worker, jobs, colours, kept settings, the way around."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings

from resume_rig.gui.request import NO_WISH, BenchWish, CaptureOptions, Target
from resume_rig.gui.theme import Look

if TYPE_CHECKING:
    from resume_rig.gui.worker.bench_state import DeskState
    from resume_rig.gui.worker.jobs import Jobs
    from resume_rig.gui.worker.rig_worker import RigWorker


NAME = "resume-rig"
RECENT = "files/recent"
"""Of the files that were opened, the newest first."""


class Remembered:
    """Typed access to one file of settings.

    Args:
        path: of the file; None for the user's own.
    """

    def __init__(self, path: Path | None = None) -> None:
        ini = QSettings.Format.IniFormat
        if path is None:
            self._settings = QSettings(ini, QSettings.Scope.UserScope, NAME, NAME)
        else:
            self._settings = QSettings(str(path), ini)

    def text(self, key: str, default: str = "") -> str:
        """Return a text; the default where none was kept, or something else."""
        value = self._settings.value(key, default)
        return value if isinstance(value, str) else default

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(filter(None, self.text(key).split("\n")))

    def bytes(self, key: str) -> QByteArray:
        """Return bytes that Qt made (`saveState`); empty where none were kept."""
        value = self._settings.value(key, QByteArray())
        return value if isinstance(value, QByteArray) else QByteArray()

    def keep(self, key: str, value: "str | QByteArray") -> None:
        """Keep a value from now on."""
        self._settings.setValue(key, value)

    def keep_newest(self, key: str, text: str, most: int = 8) -> None:
        """Put a text at the head of a list of texts, once."""
        others = [each for each in self.texts(key) if each != text]
        self.keep(key, "\n".join([text, *others][:most]))

    def close(self) -> None:
        """Write what is not on the disk yet."""
        self._settings.sync()


AskPath = Callable[[str, str, Callable[[Path], None]], None]
"""Asks for the name of a file to write: title, suffixes such as "PNG (*.png)", what then."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The application's parts, as a view sees them.

    Attributes:
        look: colours in force.
        remembered: state that outlives the window.
        jobs: runs work in the background, with progress, and can be cancelled.
        worker: owns the rig.
        state: what the rig and the campaign have reported; views read, and never write.
        go: shows a view by name, and lets it open a target.
        show_status: puts a sentence on the status line.
        open: asks for files, and opens them. open_files: opens files in the page that takes them.
        ask_path: asks where to write a file; tests put their own in its place.
        wish: what the command line asked to be done with a rig at once.
        captures: what was entered of captures, by their paths; every page reads them with it.
    """

    look: Look
    remembered: Remembered
    jobs: "Jobs"
    worker: "RigWorker"
    state: "DeskState"
    go: Callable[[str, Target], None]
    show_status: Callable[[str], None]
    open: Callable[[], None]
    open_files: Callable[[Iterable[str]], None]
    ask_path: AskPath
    wish: BenchWish = NO_WISH
    captures: dict[Path, CaptureOptions] = field(default_factory=dict)
