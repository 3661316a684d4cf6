"""Chooses which rows of a long table are shown."""

from dataclasses import dataclass
from typing import Final

TERMINAL_ROWS: Final = 200
"""Rows of a table on a terminal unless all are asked for."""

PAGE_ROWS: Final = 2_000
"""Rows of a table in an HTML report: what a browser lays out without delay."""


@dataclass(frozen=True, slots=True)
class RowChoice:
    """Which rows of a long table are shown: `head` from its beginning, `tail` from its end."""

    head: int
    left_out: int
    tail: int


def row_choice(rows: int, most: int | None) -> RowChoice:
    """Return the choice for a table of `rows` rows; half of `most` come from each end.

    `most` None shows every row.
    """
    if most is None or rows <= most:
        return RowChoice(rows, 0, 0)
    head = most - most // 2
    return RowChoice(head, rows - most, most - head)
