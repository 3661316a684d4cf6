"""The part of the File menu that writes a whole store, and the dialog that asks what to open."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from resume_rig.gui.desk import Desk, Remembered
from resume_rig.gui.worker.process import Order
from resume_rig.model.result.verdict import Requirement


@dataclass(frozen=True, slots=True)
class ShownStore:
    """The store that a page shows.

    Attributes:
        requirement: what the page judges it against; None for the one that it was run for.
        cycle: the cycle that is shown; None for none.
    """

    path: Path
    requirement: Requirement | None = None
    cycle: int | None = None


def fill(menu: QMenu, desk: Desk, shown: ShownStore | None) -> None:
    """Offer everything that can be written of a store."""
    from resume_rig.gui.state.store_writing import exports_of

    menu.clear()
    menu.setEnabled(shown is not None)
    if shown is None:
        return
    for what in exports_of(shown.cycle):
        action = QAction(f"{what.title} …", menu)
        action.triggered.connect(partial(_ask, desk, shown, what.title, what.suffixes, what))
        menu.addAction(action)


def _ask(
    desk: Desk, shown: ShownStore, title: str, suffixes: str, what: object, *_checked: bool
) -> None:
    from resume_rig.gui.state.store_writing import write_export

    def write(path: Path) -> None:
        desk.jobs.start_process(
            f"Writing {path.name}",
            Order(write_export, (shown.path, shown.requirement, what, path)),
            lambda _: desk.say(f"{title} of {shown.path.name} is in {path}."),
            desk.say,
        )

    desk.ask_path(f"Save {title}", suffixes, write)


_PLACE = "files/folder"


def ask_to_open(
    parent: QWidget,
    remembered: Remembered,
    title: str,
    then: Callable[[Sequence[str]], None],
    *,
    folder: bool = False,
) -> None:
    """Open the system's dialog over `parent`, and go on with what is chosen there.

    Args:
        parent: of the dialog.
        remembered: has the folder that the last files were in.
        title: of the dialog.
        then: gets the names; not called where nothing was chosen.
        folder: one folder is asked for, not files.
    """
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    mode = QFileDialog.FileMode
    dialog.setFileMode(mode.Directory if folder else mode.ExistingFiles)
    dialog.setDirectory(remembered.text(_PLACE, str(Path.cwd())))

    def chosen(names: list[str]) -> None:
        if names:
            remembered.keep(_PLACE, str(Path(names[0]).parent))
            then(names)

    dialog.filesSelected.connect(chosen)
    dialog.open()
