"""Files of the user's: the dialog that asks which to open, and what is written of a store."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from resume_rig.gui.desk import Desk, Remembered
from resume_rig.gui.worker.process import Order
from resume_rig.model.result.verdict import Requirement

if TYPE_CHECKING:
    from resume_rig.gui.state.store_writing import StoreExport


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
        menu.addAction(f"{what.title} …", partial(_ask, desk, shown, what))


def _ask(desk: Desk, shown: ShownStore, what: "StoreExport") -> None:
    from resume_rig.gui.state.store_writing import write_export

    def write(path: Path) -> None:
        desk.jobs.start_process(
            f"Writing {path.name}",
            Order(write_export, (shown.path, shown.requirement, what, path)),
            lambda _: desk.show_status(f"{what.title} of {shown.path.name} is in {path}."),
            desk.show_status,
        )

    desk.ask_path(f"Save {what.title}", what.suffixes, write)


_PLACE = "files/folder"


def ask_to_open(
    parent: QWidget,
    remembered: Remembered,
    title: str,
    then: Callable[[Sequence[str]], None],
    *,
    suffixes: str = "",
    mode: QFileDialog.FileMode = QFileDialog.FileMode.ExistingFiles,
) -> None:
    """Open the system's dialog over `parent`, and go on with what is chosen there.

    Args:
        parent: of the dialog.
        remembered: has the folder that the last files were in.
        title: of the dialog.
        then: gets the names; not called where nothing was chosen.
        suffixes: that are offered, such as "Plans (*.toml)"; empty for all files.
        mode: one file, several, or a folder.
    """
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(mode)
    dialog.setNameFilter(suffixes)
    dialog.setDirectory(remembered.text(_PLACE, str(Path.cwd())))

    def chosen(names: list[str]) -> None:
        if names:
            remembered.keep(_PLACE, str(Path(names[0]).parent))
            then(names)

    dialog.filesSelected.connect(chosen)
    dialog.open()
