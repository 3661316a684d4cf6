"""Tables of many rows: typed columns; which rows are shown is an array of numbers. Free of Qt."""

import csv
import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resume_rig.report.text.wording import MISSING

Rows: TypeAlias = NDArray[np.int64]

_END: Final = "\r\n"
"""Of a line while it is made: text that holds either sign is quoted."""
_FORMULA: Final = ("=", "+", "-", "@", "\t")
_NEGATIVE: Final = re.compile(r"-\d+(\.\d+)?")
_OF_NUMBERS: Final = frozenset("0123456789.+-<")
"""Signs that cells of numbers have; words with others are not looked for in them."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        title: with the unit, e.g. "press to light, ms".
        values: one a row: numbers (missing ones are NaN), or places in `words`.
        text: what the cell of a number shows.
        explained: what the title means, for its tool tip.
        words: the different texts of a column of words, ascending; None of numbers. So a hundred
            thousand cells are whole numbers, however long their texts are.
    """

    title: str
    values: "NDArray[np.generic]"
    text: Callable[[object], str] = str
    explained: str = ""
    words: tuple[str, ...] | None = None

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers, which stand on the right."""
        return self.words is None

    @property
    def constant(self) -> bool:
        """Whether every row has the same, or none has anything."""
        values = self.values
        if values.dtype.kind == "f":
            measured = values[~np.isnan(values)]
            if len(measured) not in (0, len(values)):
                return False
            values = measured
        # Compared, not sorted: this is asked of every column of very many rows.
        return not len(values) or bool((values == values[0]).all())

    def cell(self, row: int) -> str:
        """Return the text of a cell."""
        value = self.values[row]
        return self.text(value) if self.words is None else self.words[int(value)]

    def rows_of(self, keep: Callable[[str], bool]) -> NDArray[np.bool_]:
        """Return which rows have a text that is to be kept; asks once for each different one."""
        if self.words is not None:
            texts, of_row = self.words, self.values
        else:
            different, of_row = np.unique(self.values, return_inverse=True)
            texts = tuple(map(self.text, different))
        found = np.array([keep(text) for text in texts], dtype=np.bool_)
        return found[of_row] if len(found) else np.zeros(len(self.values), np.bool_)


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
        return self.columns[column].cell(row)

    def all_rows(self) -> Rows:
        """Return the numbers of all rows, in order."""
        return np.arange(len(self), dtype=np.int64)

    def sorted(self, rows: Rows, column: int, *, descending: bool) -> Rows:
        """Return `rows` in the order of a column; equal ones keep theirs, missing ones go last."""
        values = self.columns[column].values[rows].astype(np.float64)
        order = np.argsort(-values if descending else values, kind="stable")  # NaN goes last
        return rows[order]

    def holding(self, words: str) -> NDArray[np.bool_]:
        """Return which rows hold each of some words in one of their cells, whatever their case."""
        keep = np.ones(len(self), dtype=np.bool_)
        for word in words.lower().split():
            found = np.zeros(len(self), dtype=np.bool_)
            for column in self.columns:
                if not column.numeric or _OF_NUMBERS.issuperset(word):
                    found |= column.rows_of(_holder(word))
            keep &= found
        return keep


NO_TABLE: Final = Table(())
"""Before there is any."""


def _holder(word: str) -> Callable[[str], bool]:
    return lambda text: word in text.lower()


class _Line:
    """A file that hands each row back to who writes it."""

    def write(self, line: str) -> str:
        return line.removesuffix(_END)


def csv_lines(table: Table, rows: Iterable[int], separator: str = ",") -> Iterator[str]:
    """Yield the head and the rows, without ends of lines."""
    writer = csv.writer(_Line(), delimiter=separator, lineterminator=_END)
    yield writer.writerow([column.title for column in table.columns])
    for row in rows:
        yield writer.writerow([_harmless(column.cell(row)) for column in table.columns])


def _harmless(text: str) -> str:
    """Return a cell that a spreadsheet would take for a formula with a quote before it."""
    formula = text.startswith(_FORMULA) and _NEGATIVE.fullmatch(text) is None
    return f"'{text}" if formula else text


Number: TypeAlias = int | float | None


@dataclass(frozen=True, slots=True)
class _Decimals:
    """How a number is shown; another process can make one."""

    decimals: int

    def __call__(self, value: object) -> str:
        number = float(value) if isinstance(value, float) else np.nan
        return MISSING if np.isnan(number) else f"{number:.{self.decimals}f}"


class NumberCells:
    """A column of numbers that grows cell by cell; arguments as `number_column`."""

    def __init__(self, title: str, explained: str = "", decimals: int = 0) -> None:
        self._make = partial(Column, title, text=_Decimals(decimals), explained=explained)
        self._values = array("d")

    def add(self, value: Number) -> None:
        """Append a cell; None is missing."""
        self._values.append(np.nan if value is None else float(value))

    def column(self) -> Column:
        """Return what there is."""
        return self._make(np.array(self._values, np.float64))


class WordCells:
    """A column of texts that grows cell by cell; arguments as `word_column`."""

    def __init__(self, title: str, explained: str = "") -> None:
        self._title, self._explained = title, explained
        self._place_of: dict[str, int] = {}
        self._places = array("i")

    def add(self, word: str) -> None:
        """Append a cell."""
        self._places.append(self._place_of.setdefault(word, len(self._place_of)))

    def column(self) -> Column:
        """Return what there is."""
        words = tuple(sorted(self._place_of))
        code_of = np.zeros(len(words), np.int32)
        for code, word in enumerate(words):
            code_of[self._place_of[word]] = code
        codes = code_of[np.array(self._places, np.int32)]
        return Column(self._title, codes, explained=self._explained, words=words)


def number_column(
    title: str, values: Iterable[Number], explained: str = "", decimals: int = 0
) -> Column:
    """Return a column of numbers; None is missing."""
    cells = NumberCells(title, explained, decimals)
    for value in values:
        cells.add(value)
    return cells.column()


def word_column(title: str, values: Iterable[str], explained: str = "") -> Column:
    """Return a column of texts."""
    cells = WordCells(title, explained)
    for value in values:
        cells.add(value)
    return cells.column()
