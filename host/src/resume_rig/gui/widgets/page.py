"""What a page is made of: itself, the strip above it, actions with keys, and parts that move.

`View` is what the window asks of each page. The other pieces are those that pages share; where a
person put docks and splitters is kept by Qt's own `saveState`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QScrollArea,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.widgets.export import Exportable
from resume_rig.gui.widgets.labels import show_sentences, text_label
from resume_rig.gui.widgets.store_menu import ShownStore


class View(QWidget):
    """One page: a strip for errors where they arise, and the content below it.

    A page holds no measurement state. It reads what it shows from `desk.state` or from the result
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

    def lift(self, part: str) -> None:
        """Bring a part of the page to the front."""
        del part

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


class Strip(QFrame):
    """A sentence over a page, with buttons; hidden while there is nothing to say."""

    def __init__(self, label: QLabel, *buttons: QPushButton) -> None:
        super().__init__()
        self.setProperty("role", "alarm")
        self.label = label
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.addWidget(label, 1)
        for button in buttons:
            row.addWidget(button)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence; empty while it is hidden."""
        return "" if self.isHidden() else self.label.text()


class NoticeStrip(Strip):
    """Stays until somebody dismisses it, and traps nobody."""

    def __init__(self) -> None:
        action, close = QPushButton(), QPushButton("Dismiss")
        super().__init__(text_label(), action, close)
        self._action = action
        close.setObjectName("dismiss")
        self._do: Callable[[], object] = self.clear
        self._action.clicked.connect(lambda *_: self._do())
        close.clicked.connect(self.clear)

    def fail(self, sentence: str) -> None:
        """Show what went wrong."""
        self._show(sentence, "alarm")

    def note(self, sentence: str) -> None:
        """Show what is to be known."""
        self._show(sentence, "note")

    def offer(self, text: str, do: Callable[[], object]) -> None:
        """Put a button next to the sentence that is shown."""
        self._action.setText(text)
        self._do = do
        self._action.show()

    def clear(self) -> None:
        """Show nothing any more."""
        self.hide()

    def _show(self, sentence: str, role: str) -> None:
        show_sentences(self.label, sentence)
        self._action.hide()
        self.setProperty("role", role)
        for widget in (self, *self.findChildren(QWidget)):
            widget.style().unpolish(widget)
            widget.style().polish(widget)
        self.show()


def keyed_action(
    parent: QWidget, text: str, key: str, do: Callable[[], object], *more_keys: str
) -> QAction:
    """Return an action of a menu, with a key or several; the menu shows the first."""
    action = QAction(text, parent)
    action.setShortcuts([QKeySequence(each) for each in (key, *more_keys)])
    action.triggered.connect(lambda *_: do())
    return action


def keyed_button(
    parent: QWidget, text: str, key: str, do: Callable[[], object], title: str = ""
) -> tuple[QPushButton, QAction]:
    """Return a button, and its action in a menu, which is called `title` where that differs.

    The key does what the button does, and nothing while the button is grey.
    """
    button = QPushButton(text)
    button.setToolTip(key)
    button.clicked.connect(lambda *_: do())
    return button, keyed_action(parent, title or text, key, button.click)


_BAR_PX: Final = 20
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

    def lift(self, name: str) -> None:
        """Show a dock before those that it is behind, with the keyboard in it."""
        dock = self.docks[name]
        dock.show()
        dock.raise_()
        dock.widget().setFocus()

    def reset(self) -> None:
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
        lifted = []
        for place, (name, dock) in enumerate(self.docks.items(), start=1):
            title = dock.windowTitle()
            action = dock.toggleViewAction()
            action.setText(f"Show: {title}")
            action.setShortcut(QKeySequence(f"Alt+{place}"))
            shown.append(action)
            lift = partial(self.lift, name)
            lifted.append(keyed_action(self, f"Raise: {title}", f"Alt+Shift+{place}", lift))
        return [*shown, *lifted, keyed_action(self, "Put the parts back", "Alt+0", self.reset)]

    def _changed(self, *_: object) -> None:
        if self.isVisible():
            self.keep()


class Halves(QWidget):
    """Two rows: side by side where there is room, otherwise one below the other."""

    def __init__(self) -> None:
        super().__init__()
        self.halves = QHBoxLayout(), QHBoxLayout()
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        for place, half in enumerate(self.halves):
            self._box.addLayout(half, place)

    def minimumSizeHint(self) -> QSize:
        """Ask for the width of the longer half."""
        width = max(half.minimumSize().width() for half in self.halves)
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the second half where it fits."""
        super().resizeEvent(event)
        across = self._box.spacing() + sum(half.minimumSize().width() for half in self.halves)
        fits = self.width() >= across
        way = QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom
        if way != self._box.direction():
            self._box.setDirection(way)


def with_side(widgets: Sequence[QWidget], right: QWidget) -> QSplitter:
    """Return a page of two columns: left some widgets, which scroll, and right the rest."""
    left = QWidget()
    column = QVBoxLayout(left)
    column.setContentsMargins(0, 0, 8, 0)
    for widget in widgets:
        column.addWidget(widget)
    column.addStretch(1)
    scroll = scrolled(left)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    scroll.setMinimumWidth(left.sizeHint().width() + _BAR_PX)
    split = QSplitter()
    split.addWidget(scroll)
    split.addWidget(right)
    split.setStretchFactor(1, 1)
    split.setChildrenCollapsible(False)
    return split


def lift_tab(tabs: QTabWidget, title: str) -> None:
    """Bring the tab to the front that has a title, which a count may follow."""
    for place in range(tabs.count()):
        if tabs.tabText(place).partition(" (")[0] == title:
            tabs.setCurrentIndex(place)


def scrolled(widget: QWidget) -> QScrollArea:
    """Return a widget that keeps its size in a small window, and scrolls there."""
    area = QScrollArea()
    area.setWidget(widget)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    return area
