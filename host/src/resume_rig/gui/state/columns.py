"""Columns of a table from numbers that may be missing, and from words. Free of Qt."""

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from resume_rig.gui.state.table import Column
from resume_rig.report.wording import MISSING

Number: TypeAlias = int | float | None


def number_column(
    title: str, values: Iterable[Number], explained: str = "", decimals: int = 0
) -> Column:
    """Return a column of numbers; None is missing."""
    array = np.array([np.nan if value is None else float(value) for value in values], np.float64)

    def text(value: object) -> str:
        number = float(value) if isinstance(value, float) else np.nan
        return MISSING if np.isnan(number) else f"{number:.{decimals}f}"

    return Column(title, array, text, explained)


def word_column(title: str, values: Iterable[str], explained: str = "") -> Column:
    """Return a column of texts."""
    return Column(title, np.array(list(values), dtype=object), str, explained)
