"""Columns of a table from numbers that may be missing, and from words. Free of Qt."""

from collections.abc import Iterable
from dataclasses import dataclass
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


def number_column(
    title: str, values: Iterable[Number], explained: str = "", decimals: int = 0
) -> Column:
    """Return a column of numbers; None is missing."""
    array = np.array([np.nan if value is None else float(value) for value in values], np.float64)
    return Column(title, array, _Decimals(decimals), explained)


def word_column(title: str, values: Iterable[str], explained: str = "") -> Column:
    """Return a column of texts."""
    texts = list(values)
    words = tuple(sorted(set(texts)))
    places = {word: place for place, word in enumerate(words)}
    codes = np.fromiter(map(places.__getitem__, texts), np.int32, len(texts))
    return Column(title, codes, explained=explained, words=words)
