"""Columns of a table from numbers that may be missing, and from words. Free of Qt."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from resume_rig.gui.state.table import Column
from resume_rig.report.wording import MISSING

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
