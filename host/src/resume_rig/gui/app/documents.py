"""The tree of open stores, logs and captures: a click shows one again, two can be compared."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path
from typing import Final

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QMenu,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.widgets.labels import plain_label, tip_of
from resume_rig.report.text.hostile_text import one_line
from resume_rig.rig.capture.reading import is_capture

_KEPT: Final = "window/documents"
_MOST: Final = 16
_ROLE: Final = Qt.ItemDataRole.UserRole
_TWO: Final = 2
_INDENT_PX: Final = 12


@unique
class Kind(StrEnum):
    """What a document is, and so in which pages it is shown."""

    STORE = "store"
    CAPTURE = "capture"
    LOG = "log"
    COMPARISON = "comparison"


_JUDGED: Final = (
    ("Overview", "explorer", "overview"),
    ("Cycles", "explorer", "wave"),
    ("Limits", "limits", "Limits"),
    ("Evidence", "explorer", "text"),
)
_PARTS: Final = {
    Kind.STORE: _JUDGED,
    Kind.CAPTURE: _JUDGED,
    Kind.LOG: tuple((title, "log", title) for title in ("Transitions", "Slowest parts", "Sources")),
    Kind.COMPARISON: (),
}
"""Of each kind: title, page, and the part of the page that is brought to the front."""
_PAGES: Final = {
    Kind.STORE: "explorer",
    Kind.CAPTURE: "explorer",
    Kind.LOG: "log",
    Kind.COMPARISON: "compare",
}


@dataclass(frozen=True, slots=True)
class Document:
    """Files that were opened together."""

    kind: Kind
    paths: tuple[Path, ...]

    @property
    def name(self) -> str:
        """Return its files' names."""
        between = " ↔ " if self.kind is Kind.COMPARISON else " + "
        return one_line(between.join(path.name for path in self.paths))


def kind_of(view: str, paths: Sequence[Path]) -> Kind | None:
    """Return what files are that a page opened; None where the page keeps no document."""
    if view in ("explorer", "limits"):
        return Kind.CAPTURE if any(map(is_capture, paths)) else Kind.STORE
    return {"log": Kind.LOG, "compare": Kind.COMPARISON}.get(view)


class Documents(QWidget):
    """Hidden while nothing is open.

    Args:
        desk: of the application.
        lift: shows a document in a page, with a part of the page in front.
    """

    def __init__(self, desk: Desk, lift: Callable[[str, Target, str], None]) -> None:
        super().__init__()
        self._desk = desk
        self._lift = lift
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setIndentation(_INDENT_PX)
        self.tree.setAccessibleName("Open documents")
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._show_menu)
        self.tree.itemClicked.connect(self._click)
        self.tree.itemActivated.connect(self._open)
        self.tree.itemSelectionChanged.connect(self._offer)
        self.compare = QPushButton("Compare")
        self.compare.setToolTip("The first that was selected is the base")
        self.compare.clicked.connect(self._compare)
        self.menu = QMenu(self)
        for text, key, do in (
            ("Compare the selected", "", self._compare),
            ("Copy the path", "Ctrl+C", self._copy),
            ("Take off this list", "Delete", self._drop),
        ):
            action = self.tree.addAction(text, key, do)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            self.menu.addAction(action)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 0, 4)
        column.addWidget(plain_label("Open", role="soft"))
        column.addWidget(self.tree, 1)
        column.addWidget(self.compare)
        self._picked: list[QTreeWidgetItem] = []
        self._restore()
        self._offer()

    def add(self, view: str, paths: Sequence[Path]) -> None:
        """Put what a page opened on the list, once, and mark it."""
        kind = kind_of(view, paths)
        if kind is None:
            return
        document = Document(kind, tuple(path.absolute() for path in paths))
        item = next((each for each in self._items() if _of(each) == document), None)
        if item is None:
            item = self._insert(document)
            for old in self._items()[:-_MOST]:
                self._take(old)
        self.tree.setCurrentItem(item)
        self._offer()

    def keep(self) -> None:
        """Write the list to the settings."""
        lines = ("\t".join((doc.kind, *map(str, doc.paths))) for doc in map(_of, self._items()))
        self._desk.remembered.keep(_KEPT, "\n".join(lines))

    def _restore(self) -> None:
        for line in self._desk.remembered.texts(_KEPT):
            kind, *names = line.split("\t")
            paths = tuple(map(Path, names))
            if kind in list(Kind) and paths and all(path.exists() for path in paths):
                self._insert(Document(Kind(kind), paths))

    def _insert(self, document: Document) -> QTreeWidgetItem:
        item = QTreeWidgetItem([document.name])
        item.setToolTip(0, tip_of(" · ".join(map(str, document.paths))))
        item.setData(0, _ROLE, (document, _PAGES[document.kind], ""))
        for title, page, part in _PARTS[document.kind]:
            child = QTreeWidgetItem(item, [title])
            child.setData(0, _ROLE, (document, page, part))
        self.tree.addTopLevelItem(item)
        item.setExpanded(True)
        return item

    def _items(self) -> list[QTreeWidgetItem]:
        found = (self.tree.topLevelItem(row) for row in range(self.tree.topLevelItemCount()))
        return [item for item in found if item is not None]

    def _click(self, item: QTreeWidgetItem) -> None:
        """Open what is clicked; with a key held, it is only selected."""
        if QApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier:
            self._open(item)

    def _open(self, item: QTreeWidgetItem, *_: object) -> None:
        document, page, part = item.data(0, _ROLE)
        self._lift(page, Target(document.paths), part)
        self.tree.setCurrentItem(item)  # the part that is shown, not the document alone

    def _chosen(self) -> list[Document]:
        """Return the documents that are selected, in the order of their selection."""
        return list(dict.fromkeys(map(_of, self._picked)))

    def _offer(self) -> None:
        now = self.tree.selectedItems()
        kept = [item for item in self._picked if item in now]
        self._picked = [*kept, *(item for item in now if item not in kept)]
        self.setVisible(bool(self._items()))
        self.compare.setEnabled(len(self._chosen()) >= _TWO)
        self.compare.setVisible(len(self._items()) >= _TWO)

    def _compare(self) -> None:
        chosen = self._chosen()
        if len(chosen) < _TWO:
            self._desk.show_status(
                "Select two documents or more, with Ctrl and a click, to compare them."
            )
            return
        paths = dict.fromkeys(path for document in chosen for path in document.paths)
        self._lift("compare", Target(tuple(paths)), "")

    def _copy(self) -> None:
        paths = [str(path) for document in self._chosen() for path in document.paths]
        QGuiApplication.clipboard().setText("\n".join(paths))

    def _drop(self) -> None:
        for item in [each for each in self._items() if _of(each) in self._chosen()]:
            self._take(item)
        self._offer()

    def _take(self, item: QTreeWidgetItem) -> None:
        self._picked = [each for each in self._picked if _of(each) != _of(item)]
        self.tree.takeTopLevelItem(self.tree.indexOfTopLevelItem(item))

    def _show_menu(self, place: QPoint) -> None:
        self.menu.popup(self.tree.viewport().mapToGlobal(place))


def _of(item: QTreeWidgetItem) -> Document:
    document: Document = item.data(0, _ROLE)[0]
    return document
