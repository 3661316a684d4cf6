"""How broad the columns of a table are: by the broadest texts of all rows, in sight or not."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QTableView

from resume_rig.gui.state.table import Column, Table
from resume_rig.report.hostile_text import one_line

_LONGEST: Final = 6
_MOST_SIGNS: Final = 48
"""What is longer is read in its tool tip, or by making the column broader."""
_BESIDE_PX: Final = 14


def fit_columns(view: QTableView, table: Table) -> None:
    """Make each column of a table as broad as its title and its broadest cells ask for."""
    cells = view.fontMetrics()
    bold = QFont(view.horizontalHeader().font())
    bold.setBold(True)
    titles = QFontMetrics(bold)
    most_px = _MOST_SIGNS * cells.averageCharWidth()
    for place, column in enumerate(table.columns):
        broad_px = max(map(cells.horizontalAdvance, _texts(column)), default=0)
        title_px = titles.horizontalAdvance(column.title)
        view.setColumnWidth(place, max(min(broad_px, most_px), title_px) + _BESIDE_PX)


def _texts(column: Column) -> Iterator[str]:
    """Yield what may be the broadest texts of a column."""
    if column.words is not None:
        for word in sorted(column.words, key=len)[-_LONGEST:]:
            yield one_line(word, 2 * _MOST_SIGNS)
        return
    values = column.values.astype(np.float64)
    known = values[~np.isnan(values)]
    for value in (known.min(), known.max()) if len(known) else ():
        yield column.text(value)
