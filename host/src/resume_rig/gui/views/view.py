"""What the window asks of each of its pages."""

from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.store_menu import ShownStore
from resume_rig.gui.widgets.exportable import Exportable
from resume_rig.gui.widgets.notice import NoticeStrip


class View(QWidget):
    """One page: a strip for errors where they arise, and the content below it.

    A page holds no measurement state. It reads what it shows from `desk.seen` or from the result
    of a job, in `refresh`, which the window calls while the page is visible.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.notice = NoticeStrip()
        self.content = QVBoxLayout()
        self.content.setContentsMargins(8, 8, 8, 8)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.notice)
        outer.addLayout(self.content, 1)

    def open(self, target: Target) -> None:
        """Show a store, a log or a cycle; called each time that somebody asks for it."""
        del target

    def refresh(self) -> None:
        """Show what is new; called up to 60 times a second, so it returns at once of nothing."""

    def view_actions(self) -> Sequence[QAction]:
        """Return what the menu of this view offers; made once."""
        return ()

    def exportables(self) -> Sequence[Exportable]:
        """Return the plots and tables that can be written to files, in reading order."""
        return ()

    def shown_store(self) -> ShownStore | None:
        """Return the store that is shown, for who writes all of it; None without one."""
        return None

    def settled(self) -> bool:
        """Return whether what was asked for is shown; a screenshot waits for it."""
        return True

    def takes(self, paths: Sequence[str]) -> bool:
        """Return whether files that are dropped on the window may be for this view."""
        del paths
        return False
