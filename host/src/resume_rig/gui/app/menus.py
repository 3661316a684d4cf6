"""Pages and menus: everything that a mouse can do, with its key, and the list of keys.

A page is imported when it is first shown: the window is there sooner.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pkgutil import resolve_name
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from resume_rig.gui.desk import Desk
from resume_rig.gui.request import VIEW_NAMES, Target, ThemeName
from resume_rig.gui.widgets import store_menu
from resume_rig.gui.widgets.export import add_exports
from resume_rig.gui.widgets.labels import plain_label
from resume_rig.gui.widgets.page import View


def new_view(name: str, desk: Desk) -> View:
    """Import and make a page: `explorer` is the class ExplorerView of `gui.explorer.view`."""
    made: View = resolve_name(f"resume_rig.gui.{name}.view:{name.capitalize()}View")(desk)
    made.setObjectName(name)
    return made


class ShortcutsWindow(QDialog):
    """Keys and what they do, in two columns; Escape closes it."""

    def __init__(self, parent: QWidget, actions: Sequence[QAction]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Shortcuts")
        shown = QWidget()
        columns = QHBoxLayout(shown)
        half = (len(actions) + 1) // 2
        for part in (actions[:half], actions[half:]):
            form = QFormLayout()
            form.setVerticalSpacing(2)
            for action in part:
                key = plain_label(action.shortcut().toString(), role="title")
                form.addRow(key, plain_label(action.text().replace("&", "")))
            columns.addLayout(form)
            columns.addSpacing(shown.fontMetrics().height())
        scroll = QScrollArea()
        scroll.setWidget(shown)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        column = QVBoxLayout(self)
        column.addWidget(scroll)
        around = scroll.verticalScrollBar().sizeHint().width() + 2 * self.fontMetrics().height()
        wanted = shown.sizeHint() + QSize(around, around)
        self.resize(wanted.boundedTo(parent.screen().availableSize() * _OF_SCREEN))


_OF_SCREEN: Final = 0.9
_THEMES = {ThemeName.SYSTEM: "As the system", ThemeName.LIGHT: "Light", ThemeName.DARK: "Dark"}


class Menus:
    """The menu bar of the window; the fourth menu is that of the page that is shown.

    Args:
        window: that has it.
        desk: of the application.
        own: what the window can do whichever page is shown: text, key and function of each.
    """

    def __init__(
        self,
        window: QMainWindow,
        desk: Desk,
        own: Iterable[tuple[str, str, Callable[[], object]]],
    ) -> None:
        self._window = window
        self._desk = desk
        self._view: View | None = None
        bar = window.menuBar()
        file = bar.addMenu("&File")
        file.addAction("&Open …", QKeySequence.StandardKey.Open, desk.open)
        self.export = file.addMenu("&Export from this view")
        self.store = file.addMenu("&Write the store as")
        file.addSeparator()
        file.addAction("&Quit", "Ctrl+Q", window.close)
        file.aboutToShow.connect(self.refresh_store)
        self._fill_views(bar.addMenu("&View"))
        actions = bar.addMenu("&Actions")
        for text, key, do in own:
            actions.addAction(text, key, do)
        self.own = bar.addMenu("&Page")
        bar.addMenu("&Help").addAction("&Shortcuts", "F1", self._show_shortcuts)
        self._shortcuts: ShortcutsWindow | None = None

    def show_view(self, view: View) -> None:
        """Offer what a page can do."""
        self._view = view
        self.own.clear()
        self.own.setTitle(f"&{view.objectName().capitalize()}")
        self.own.addActions(list(view.view_actions()))
        self.own.menuAction().setVisible(bool(view.view_actions()))
        for name, action in self._views.items():
            action.setChecked(name == view.objectName())
        self._fill_export(view)
        self.refresh_store()

    def all_actions(self) -> Sequence[QAction]:
        """Return every action that has a key."""
        found = [action for menu in self._menus() for action in menu.actions()]
        return [action for action in found if not action.shortcut().isEmpty()]

    def refresh_store(self) -> None:
        """Offer what can be written of the store that is shown now."""
        view = self._view
        store_menu.fill(self.store, self._desk, None if view is None else view.shown_store())

    def _menus(self) -> list[QMenu]:
        return self._window.menuBar().findChildren(QMenu)

    def _fill_views(self, menu: QMenu) -> None:
        group = QActionGroup(self._window)
        self._views: dict[str, QAction] = {}
        for place, name in enumerate(VIEW_NAMES, start=1):
            go = partial(self._desk.go, name, Target())
            action = menu.addAction(name.capitalize(), f"Ctrl+{place}", go)
            action.setCheckable(True)
            group.addAction(action)
            self._views[name] = action
        menu.addSeparator()
        themes = QActionGroup(self._window)
        for theme, title in _THEMES.items():
            action = menu.addAction(title, partial(self._desk.look.choose, theme))
            action.setCheckable(True)
            action.setChecked(theme is self._desk.look.name)
            themes.addAction(action)
        menu.addSeparator()
        menu.addAction("&Full screen", "F11", self._switch_full_screen)

    def _fill_export(self, view: View) -> None:
        self.export.clear()
        for what in view.exportables():
            add_exports(self.export, self._desk, what, what.export_title())
        self.export.setEnabled(bool(self.export.actions()))

    def _switch_full_screen(self) -> None:
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _show_shortcuts(self) -> None:
        self._shortcuts = ShortcutsWindow(self._window, self.all_actions())
        self._shortcuts.show()
