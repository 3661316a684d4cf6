"""Parts of a page that can be moved, put behind each other, taken out and hidden; kept by Qt."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from resume_rig.gui.desk import Desk

_VERSION: Final = 1
"""Of the kept layout; another number makes Qt refuse one of other docks."""


class Docks(QMainWindow):
    """An area of docks within a page.

    Args:
        desk: of the application.
        key: of the settings, where the layout is kept.

    Attributes:
        docks: by name.
    """

    def __init__(self, desk: Desk, key: str) -> None:
        super().__init__()
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockNestingEnabled(True)
        self._remembered, self._key = desk.remembered, key
        self._arrange: Callable[[], None] = lambda: None
        self.docks: dict[str, QDockWidget] = {}

    def add(self, name: str, title: str, widget: QWidget) -> None:
        """Put a widget into a dock of its own."""
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setWidget(widget)
        self.docks[name] = dock

    def place(self, name: str, area: Qt.DockWidgetArea) -> None:
        """Show a dock, below the others of its area."""
        dock = self.docks[name]
        dock.setFloating(False)
        self.addDockWidget(area, dock)
        dock.show()

    def begin(self, arrange: Callable[[], None]) -> None:
        """Take the layout that was kept, or that of `arrange`, and keep each change from now on."""
        self._arrange = arrange
        arrange()
        state = self._remembered.bytes(self._key)
        if not state.isEmpty():
            self.restoreState(state, _VERSION)
        for dock in self.docks.values():
            for signal in (dock.dockLocationChanged, dock.topLevelChanged, dock.visibilityChanged):
                signal.connect(self._changed)

    def lift(self, name: str, *_checked: bool) -> None:
        """Show a dock before those that it is behind, with the keyboard in it."""
        dock = self.docks[name]
        dock.show()
        dock.raise_()
        dock.widget().setFocus()

    def reset(self, *_checked: bool) -> None:
        """Put everything back where it was at first."""
        for dock in self.docks.values():
            self.removeDockWidget(dock)
        self._arrange()
        self.keep()

    def keep(self) -> None:
        """Write the layout to the settings."""
        self._remembered.keep(self._key, self.saveState(_VERSION))

    def menu_actions(self) -> Sequence[QAction]:
        """Return what shows and hides each dock, and what puts all of them back."""
        shown = []
        for place, dock in enumerate(self.docks.values(), start=1):
            action = dock.toggleViewAction()
            action.setText(f"Show: {dock.windowTitle()}")
            action.setShortcut(QKeySequence(f"Alt+{place}"))
            shown.append(action)
        for place, (name, dock) in enumerate(self.docks.items(), start=1):
            above = QAction(f"Raise: {dock.windowTitle()}", self)
            above.setShortcut(QKeySequence(f"Alt+Shift+{place}"))
            above.triggered.connect(partial(self.lift, name))
            shown.append(above)
        back = QAction("Put the parts back", self)
        back.setShortcut(QKeySequence("Alt+0"))
        back.triggered.connect(self.reset)
        return [*shown, back]

    def _changed(self, *_: object) -> None:
        if self.isVisible():
            self.keep()
