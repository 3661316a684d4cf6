"""The part of the File menu that writes a whole store: report, exports, evidence."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from resume_rig.gui.desk import Desk
from resume_rig.gui.worker.process import Order
from resume_rig.model.result.requirement import Requirement


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
        desk.jobs.start_apart(
            f"Writing {path.name}",
            Order(write_export, (shown.path, shown.requirement, what, path)),
            lambda _: desk.say(f"{title} of {shown.path.name} is in {path}."),
            desk.say,
        )

    desk.ask_path(f"Save {title}", suffixes, write)
