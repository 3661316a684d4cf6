"""Tables of many rows, free of Qt: columns are arrays, what is shown is an array of row numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Rows: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        title: with the unit, e.g. "press to light, ms".
        values: one a row: numbers (missing ones are NaN), or anything that numpy can sort.
        text: what a cell shows; the value is as it stands in `values`.
        explained: what the title means, for its tool tip.
    """

    title: str
    values: "NDArray[np.generic]"
    text: Callable[[object], str] = str
    explained: str = ""

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers, which stand on the right."""
        return self.values.dtype.kind in "iuf"


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of the same length.

    Attributes:
        columns: in the order that they are shown in.
    """

    columns: tuple[Column, ...]

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.columns[0].values) if self.columns else 0

    def cell(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        one = self.columns[column]
        return one.text(one.values[row])

    def all_rows(self) -> Rows:
        """Return the numbers of all rows, in order."""
        return np.arange(len(self), dtype=np.int64)

    def sorted(self, rows: Rows, column: int, *, descending: bool) -> Rows:
        """Return `rows` in the order of a column; equal ones keep theirs, missing ones go last."""
        values = self.columns[column].values[rows]
        if values.dtype.kind == "O":
            values = values.astype(str)
        order = np.argsort(values, kind="stable")
        if descending:
            # Equal values keep their order in both directions.
            order = (len(values) - 1 - np.argsort(values[::-1], kind="stable"))[::-1]
        if values.dtype.kind == "f":
            missing = np.isnan(values[order])
            order = np.concatenate((order[~missing], order[missing]))
        return rows[order]

    def holding(self, words: str) -> NDArray[np.bool_]:
        """Return which rows hold each of some words in one of their cells, whatever their case."""
        keep = np.ones(len(self), dtype=np.bool_)
        for word in words.lower().split():
            found = np.zeros(len(self), dtype=np.bool_)
            for column in self.columns:
                found |= _holds(column, word)
            keep &= found
        return keep


def _holds(column: Column, word: str) -> NDArray[np.bool_]:
    """Ask each different value once: columns of words have few of them."""
    values = column.values.astype(str) if column.values.dtype.kind == "O" else column.values
    different, of_row = np.unique(values, return_inverse=True)
    if column.values.dtype.kind == "O":
        texts = _texts_by_name(column, different)
    else:
        texts = [column.text(value) for value in different]
    holds = np.array([word in text.lower() for text in texts], dtype=np.bool_)
    return holds[of_row] if len(holds) else np.zeros(len(values), dtype=np.bool_)


def _texts_by_name(column: Column, names: NDArray[np.str_]) -> list[str]:
    by_name = {str(value): column.text(value) for value in column.values}
    return [by_name[str(name)] for name in names]


def csv_lines(table: Table, rows: Rows, separator: str = ",") -> Sequence[str]:
    """Return the head and the rows; cells that hold a separator or a quote are quoted.

    A cell that a spreadsheet would take for a formula is shown as text, by a quote before it.
    """
    head = separator.join(_quoted(column.title, separator) for column in table.columns)
    lines = [
        separator.join(
            _quoted(table.cell(int(row), column), separator) for column in range(len(table.columns))
        )
        for row in rows
    ]
    return [head, *lines]


def _quoted(text: str, separator: str) -> str:
    if text[:1] in ("=", "+", "@", "\t") or (text[:1] == "-" and not _is_number(text)):
        text = f"'{text}"
    if any(sign in text for sign in (separator, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
