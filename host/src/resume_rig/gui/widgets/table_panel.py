"""A table of any length that sorts, filters, and can be written to a file or the clipboard."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from resume_rig.acceptance.whole_file import write_whole
from resume_rig.gui.desk import Desk
from resume_rig.gui.state.table import NO_TABLE, Column, Rows, Table, csv_lines
from resume_rig.gui.theme import Look
from resume_rig.gui.widgets.export import ExportFormat, Progress, Writing, export_to_file
from resume_rig.gui.widgets.labels import plain_label, show_text, tip_of
from resume_rig.gui.worker.jobs import JobSlot
from resume_rig.report.text.hostile_text import one_line

_LONGEST: Final = 6
_MOST_SIGNS: Final = 48
"""What is longer is read in its tool tip, or by making the column broader."""
_PADDING_PX: Final = 10
_LAST_SIGNS: Final = 12
"""Of a last column of words, which takes the room that is left, too."""


def fit_columns(view: QTableView, table: Table) -> None:
    """Make each column of a table as broad as its title and its broadest cells ask for."""
    cells = view.fontMetrics()
    bold = QFont(view.horizontalHeader().font())
    bold.setBold(True)
    titles = QFontMetrics(bold)
    most_px = _MOST_SIGNS * cells.averageCharWidth()
    for place, column in enumerate(table.columns):
        broad_px = max(map(cells.horizontalAdvance, _texts(column)), default=0)
        title_px = max(map(titles.horizontalAdvance, _head_of(column).split("\n")))
        view.setColumnWidth(place, max(min(broad_px, most_px), title_px) + _PADDING_PX)


def _head_of(column: Column) -> str:
    """Return a title in two lines, so that a narrow column is broad enough: the unit, or an end."""
    begin, arrow, end = column.title.partition(" → ")
    if arrow:
        return f"{begin} →\n{end}"
    name, comma, unit = column.title.rpartition(", ")
    return f"{name}\n{unit}" if comma else column.title


def _texts(column: Column) -> Iterator[str]:
    """Yield what may be the broadest texts of a column."""
    if column.words is not None:
        for word in sorted(column.words, key=len)[-_LONGEST:]:
            yield one_line(word, 2 * _MOST_SIGNS)
        return
    values = column.values.astype(np.float64)
    measured = values[~np.isnan(values)]
    for value in (measured.min(), measured.max()) if len(measured) else ():
        yield column.text(value)


_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_CELL_MOST = 400
_MARKS: Final = {"PASS": "✓ ", "FAIL": "✗ ", "MARGINAL": "≈ ", "NO-EVIDENCE": "? "}
"""Before a verdict's word, which are found without reading it, and without its colour."""
_REPORT_EVERY = 500
_SELECT_ROW = (
    QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_OF_TEXT: Final = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ForegroundRole,
    Qt.ItemDataRole.ToolTipRole,
)


class RowsModel(QAbstractTableModel):
    """Shows some rows of a table in some order; makes the text of visible cells alone.

    Not a QSortFilterProxyModel: an array of row numbers sorts and filters 100,000 rows at once.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.table = NO_TABLE
        self.rows: Rows = np.zeros(0, dtype=np.int64)
        self._keep: NDArray[np.bool_] | None = None
        self._order: tuple[int, bool] | None = None

    def show(self, table: Table) -> None:
        """Show another table, in the order of the column that was chosen before."""
        same = len(table.columns) == len(self.table.columns)
        self._arrange(table, None, self._order if same else None)

    def grow(self, table: Table) -> int:
        """Show the same rows with more columns, or more rows below them; hidden ones stay hidden.

        New rows are hidden while some are, until `keep` names those that are shown. The order
        goes by the title of its column; return where that is now, -1 for no order.
        """
        keep, order = self._keep, self._order
        if keep is not None:
            more = np.zeros(max(0, len(table) - len(keep)), np.bool_)
            keep = np.concatenate((keep, more))[: len(table)]
        if order is not None:
            title = self.table.columns[order[0]].title
            places = [n for n, column in enumerate(table.columns) if column.title == title]
            order = (places[0], order[1]) if places else None
        self._arrange(table, keep, order)
        return -1 if order is None else order[0]

    def keep(self, rows: NDArray[np.bool_] | None) -> None:
        """Show only rows that are true; None shows all."""
        self._arrange(self.table, rows, self._order)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Arrange the rows by a column; -1 as the table has them."""
        there = 0 <= column < len(self.table.columns)  # Qt asks for column 0 of an empty table, too
        by = (column, order is Qt.SortOrder.DescendingOrder) if there else None
        self._arrange(self.table, self._keep, by)

    def rowCount(self, parent: _Index = _ROOT) -> int:
        """Return how many rows are shown."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index = _ROOT) -> int:
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(self.table.columns)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell, where it stands, its colour, or its tool tip."""
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if self.table.columns[index.column()].numeric else _LEFT
        if role not in _OF_TEXT:
            return None
        text = one_line(self.table.cell(int(self.rows[index.row()]), index.column()), _CELL_MOST)
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(self._look.colours.limit) if text == "FAIL" else None
        shown = _MARKS.get(text, "") + text
        return shown if role == Qt.ItemDataRole.DisplayRole else tip_of(text)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return a column's title with its unit; rows have no numbers of their own."""
        if orientation is Qt.Orientation.Vertical or not 0 <= section < len(self.table.columns):
            return None
        column = self.table.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return _head_of(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip_of(column.explained or column.title)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.numeric else _LEFT
        return None

    def _arrange(
        self, table: Table, keep: NDArray[np.bool_] | None, order: tuple[int, bool] | None
    ) -> None:
        self.beginResetModel()
        self.table, self._keep, self._order = table, keep, order
        rows = table.all_rows() if keep is None else np.flatnonzero(keep)
        self.rows = rows if order is None else table.sorted(rows, order[0], descending=order[1])
        self.endResetModel()


class TablePanel(QWidget):
    """A table with a line to filter it.

    Args:
        desk: of the application.
        title: what the table shows; the name of files that it is written to.
        filtered: offer the line that keeps rows which hold some words. A view that understands
            more than words hides it, and uses `model.keep`.
        hides_constants: columns in which every row has the same are hidden, until asked for;
            so are those that are not usual, where `show_usual` names the usual ones.

    Signals:
        chosen: number of the row in the table (not on the screen) that was selected.
    """

    chosen = Signal(int)

    def __init__(
        self, desk: Desk, title: str, *, filtered: bool = True, hides_constants: bool = False
    ) -> None:
        super().__init__()
        self._desk = desk
        self._title = title
        self._hides_constants = hides_constants
        self._usual: frozenset[str] | None = None
        self._last = -1
        self._filtering = JobSlot()
        self.model = RowsModel(desk.look)
        self.view = _view_of(self.model, title)
        self.words = QLineEdit()
        self.words.setPlaceholderText("Filter: words that a row holds")
        self.words.setAccessibleName(f"Filter {title}")
        self.words.setClearButtonEnabled(True)
        self.words.textChanged.connect(self._filter)
        self._count = plain_label(role="soft")
        head = QHBoxLayout()
        self.heading = plain_label(title, role="title")
        head.addWidget(self.heading)
        head.addSpacing(6)
        head.addWidget(self._count, 1)
        self.all_columns = QToolButton()
        self.all_columns.setText("All columns")
        self.all_columns.setToolTip("Also those that have the same in all rows (Ctrl+L)")
        self.all_columns.setCheckable(True)
        self.all_columns.toggled.connect(self.show_constants)
        head.addWidget(self.words, 1)
        head.addWidget(self.all_columns)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self.view, 1)
        # Shown before they had a parent, they would be windows for a moment, and take the keys.
        self.words.setVisible(filtered)
        self.all_columns.setVisible(hides_constants)
        self._add_actions()
        self.view.selectionModel().currentRowChanged.connect(self._choose)
        self.model.modelReset.connect(self._show_count)

    def show_table(self, table: Table) -> None:
        """Show another table; the filter stays in force."""
        before = [column.title for column in self.model.table.columns]
        self.model.show(table)
        if self.words.text():
            self._filter(self.words.text())
        if len(table) or before != [column.title for column in table.columns]:
            fit_columns(self.view, table)
        self._hide_constants()

    def grow_table(self, table: Table) -> None:
        """Show a later state of the same rows; order, filter, place and selected row stay."""
        before = [column.title for column in self.model.table.columns]
        header = self.view.horizontalHeader()
        with self._held():
            place = self.model.grow(table)
            header.blockSignals(True)
            header.setSortIndicator(place, header.sortIndicatorOrder())
            header.blockSignals(False)
        if before != [column.title for column in table.columns]:
            fit_columns(self.view, table)
        self._hide_constants()

    def keep(self, rows: NDArray[np.bool_] | None) -> None:
        """Show only rows that are true, None all; place and selected row stay where they can."""
        with self._held():
            self.model.keep(rows)

    def show_constants(self, shown: bool) -> None:
        """Show all columns, or hide those that are not usual or have the same in every row."""
        self._hides_constants = not shown
        fit_columns(self.view, self.model.table)
        self._hide_constants()

    def show_usual(self, titles: Collection[str] | None) -> None:
        """Name the columns that are shown until all are asked for; None: any may be."""
        usual = None if titles is None else frozenset(titles)
        if usual != self._usual:
            self._usual = usual
            self._hide_constants()

    def _hide_constants(self) -> None:
        table = self.model.table
        last = -1
        for place, column in enumerate(table.columns):
            unusual = self._usual is not None and column.title not in self._usual
            narrows = self._hides_constants and place > 0 and len(table) > 1
            hide = narrows and (unusual or column.constant)
            self.view.setColumnHidden(place, hide)
            last = last if hide else place
        if last != self._last:
            self._last = last
            # Words are readable in the room that is left; numbers would stand far from the others.
            words = last >= 0 and not table.columns[last].numeric
            self.view.horizontalHeader().setStretchLastSection(words)
            if words:
                most_px = _LAST_SIGNS * self.fontMetrics().averageCharWidth()
                self.view.setColumnWidth(last, min(most_px, self.view.columnWidth(last)))

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Let the selected row and the scroll bar be as they were when this is over."""
        bar, here = self.view.verticalScrollBar(), self.view.currentIndex()
        top = bar.value()
        row = int(self.model.rows[here.row()]) if here.isValid() else None
        yield
        places = np.flatnonzero(self.model.rows == row)
        if row is not None and len(places):
            index = self.model.index(int(places[0]), max(here.column(), 0))
            self.view.selectionModel().setCurrentIndex(index, _SELECT_ROW)
        bar.setValue(top)

    def choose(self, row: int) -> None:
        """Select a row by its number in the table, where it is shown, and bring it into sight."""
        places = np.flatnonzero(self.model.rows == row)
        if len(places):
            index = self.model.index(int(places[0]), 0)
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def copy(self) -> None:
        """Put the selected rows, or all, on the clipboard, separated by tabs."""
        selected = [index.row() for index in self.view.selectionModel().selectedRows()]
        rows = self.model.rows[sorted(selected)] if selected else self.model.rows
        table = self.model.table

        def done(text: str) -> None:
            QGuiApplication.clipboard().setText(text)
            self._desk.show_status(f"{len(rows)} rows of {self._title} are on the clipboard.")

        self._desk.jobs.start(
            f"Copying {self._title}",
            lambda task: "\n".join(csv_lines(table, _counted(rows, task.progress), "\t")),
            done,
            self._desk.show_status,
        )

    def export_title(self) -> str:
        """Return the title."""
        return self._title

    def export_formats(self) -> tuple[ExportFormat, ...]:
        """Return CSV."""
        return (ExportFormat("CSV", self._csv),)

    def _csv(self) -> Writing:
        """Return how to write the rows that are shown, in their order."""
        table, rows = self.model.table, self.model.rows

        def write(path: Path, progress: Progress) -> None:
            lines = csv_lines(table, _counted(rows, progress))
            write_whole(path, (f"{line}\n" for line in lines))

        return write

    def _add_actions(self) -> None:
        copy = self.view.addAction("Copy rows", QKeySequence.StandardKey.Copy, self.copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        as_csv = partial(export_to_file, self._desk, self, self.export_formats()[0])
        self.view.addAction("Save as CSV …", as_csv)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def settled(self) -> bool:
        """Return whether the filter that is typed is in force."""
        return not self._filtering.busy

    def _filter(self, words: str) -> None:
        self._filtering.cancel()
        if not words.strip():
            self.model.keep(None)
            return
        table = self.model.table
        self._desk.jobs.start(
            f"Filtering {self._title}",
            lambda _: table.holding(words),
            self.model.keep,
            self._desk.show_status,
            slot=self._filtering,
        )

    def _show_count(self) -> None:
        shown, all_of_it = len(self.model.rows), len(self.model.table)
        text = f"{all_of_it:,} rows" if shown == all_of_it else f"{shown:,} of {all_of_it:,} rows"
        show_text(self._count, text)

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(int(self.model.rows[index.row()]))


def _counted(rows: Rows, progress: Progress) -> Iterator[int]:
    """Yield the numbers of rows, and how far they are."""
    for done, row in enumerate(rows.tolist()):
        if not done % _REPORT_EVERY:
            progress(done, len(rows))
        yield row


def _view_of(model: RowsModel, title: str) -> QTableView:
    view = QTableView()
    view.setModel(model)
    view.setAccessibleName(title)
    view.setSortingEnabled(True)
    view.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    view.horizontalHeader().setSortIndicatorClearable(True)
    view.horizontalHeader().setHighlightSections(False)
    view.verticalHeader().hide()
    view.verticalHeader().setDefaultSectionSize(view.fontMetrics().height() + 8)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setAlternatingRowColors(True)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    return view
