"""Text on its way to a terminal: painted by the program, or somebody's, and then cleaned.

As in a template that escapes by itself, a plain `str` is one line of somebody's text: it is
bounded, and what does not print in it is spelled out, line ends too. `Painted` is what the program
made: colours, moves of the cursor, several lines. Formatting a `Painted` into an f-string, or
cutting it, gives a plain `str` again, so what is forgotten shows as text, never as a control byte.

Only this module makes a `Painted` (host/tests/cli/test_one_writer.py).
"""

from enum import StrEnum, unique
from typing import Final

from resume_rig.report.text.hostile_text import bounded, spelled_out

LINE_LIMIT: Final = 10_000
"""Characters of a line that are shown: more than any table is wide."""


class Painted(str):
    """Text that may go to a terminal as it is; what is added to it is cleaned."""

    __slots__ = ()

    def __add__(self, other: str) -> "Painted":
        """Return both, the other cleaned unless it is painted."""
        return joined(self, other)

    def __radd__(self, other: str) -> "Painted":
        """Return both, the other cleaned unless it is painted."""
        return joined(other, self)


@unique
class Colour(StrEnum):
    """Colours of a word, as ANSI's parameters."""

    GREEN = "1;32"
    RED = "1;31"
    YELLOW = "1;33"
    MAGENTA = "1;35"


BELL: Final = Painted("\a")
LINE_START: Final = Painted("\r")
"""What follows is written over the line."""


def terminal_text(piece: str) -> Painted:
    """Return `piece` fit for a terminal: as it is where it is painted, else as one line.

    A plain text keeps one line end where it closes with one.
    """
    if isinstance(piece, Painted):
        return piece
    end = "\n" if piece.endswith("\n") else ""
    body = bounded(piece.removesuffix("\n"), LINE_LIMIT)
    return Painted(spelled_out(body) + end)


def joined(*parts: str, between: str = "") -> Painted:
    """Return `parts` as one text, each cleaned unless it is painted."""
    return Painted(terminal_text(between).join(map(terminal_text, parts)))


def painted(text: str, colour: Colour) -> Painted:
    """Return a word in a colour."""
    return Painted(f"\x1b[{colour.value}m{terminal_text(text)}\x1b[0m")


def lines_away(count: int) -> Painted:
    """Return what takes the last `count` lines away, the cursor's own among them."""
    up = f"\x1b[{count - 1}A" if count > 1 else ""
    return Painted(f"\r{up}\x1b[J")
