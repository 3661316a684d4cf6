"""How text goes to a terminal: hostile parts spelled out, colour and Unicode only if allowed."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.model.result.verdict import Verdict
from resume_rig.report.text.hostile_text import (
    SENTENCE_LIMIT,
    ascii_only,
    display_width,
    one_line,
)
from resume_rig.report.text.terminal_text import Colour, Painted, joined, painted

_NARROWEST: Final = 40
_GAP: Final = 2
"""Cells between two columns."""

VERDICT_CELLS: Final = max(len(verdict.value) for verdict in Verdict)
_COLOURS: Final = {
    Verdict.PASS: Colour.GREEN,
    Verdict.FAIL: Colour.RED,
    Verdict.MARGINAL: Colour.YELLOW,
    Verdict.NO_EVIDENCE: Colour.MAGENTA,
}


@dataclass(frozen=True, slots=True)
class TerminalStyle:
    """What the terminal takes.

    Attributes:
        colour: ANSI colours are understood and wanted (verdicts only; the word is always there).
        unicode: the encoding has more than ASCII.
        width: in cells; sentences are wrapped to it, tables drop columns to fit.
    """

    colour: bool = False
    unicode: bool = True
    width: int = 120

    def shown(self, text: str, limit: int = SENTENCE_LIMIT) -> str:
        """Return `text` fit for this terminal, on one line of at most `limit` characters."""
        plain = one_line(text, limit)
        return plain if self.unicode else ascii_only(plain)

    def cell(self, text: str, cells: int) -> str:
        """Return `text` cut so that it takes at most `cells` terminal cells."""
        plain = self.shown(text)
        if display_width(plain) <= cells:
            return plain
        end = "…" if self.unicode else "..."
        kept = ""
        for character in plain:
            if display_width(kept + character) + len(end) > cells:
                break
            kept += character
        return kept + end

    def cell_lines(self, text: str, cells: int) -> list[str]:
        """Return `text` in lines of at most `cells` terminal cells; a wider word is cut."""
        lines = [""]
        for word in self.shown(text).split():
            longer = f"{lines[-1]} {word}".lstrip()
            if display_width(longer) <= cells:
                lines[-1] = longer
            else:
                lines.append(self.cell(word, cells))
        return lines if lines[0] else lines[1:] or [""]

    def verdict(self, verdict: Verdict, cells: int = 0) -> Painted:
        """Return the verdict's word, coloured where allowed, padded to `cells`."""
        padding = " " * (cells - len(verdict.value))
        return joined(self._word(verdict.value, _COLOURS[verdict]), padding)

    def _word(self, word: str, colour: Colour) -> str:
        return painted(word, colour) if self.colour else word

    def rule(self, cells: int) -> str:
        """Return a horizontal line."""
        return ("─" if self.unicode else "-") * min(cells, max(self.width, _NARROWEST)) + "\n"

    def paragraph(self, text: str, indent: int = 0) -> Painted:
        """Return a sentence wrapped to the width, later lines indented a little further."""
        return joined(*(f"{line}\n" for line in self._wrapped(text, indent)))

    def _wrapped(self, text: str, indent: int = 0) -> list[str]:
        return textwrap.wrap(
            self.shown(text),
            max(self.width, _NARROWEST),
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + 2),
            break_on_hyphens=False,
        ) or [""]

    def verdict_line(self, verdict: Verdict, why: str) -> Painted:
        """Return the verdict and what it rests on, wrapped like a paragraph."""
        return self.headline(verdict.value, _COLOURS[verdict], why)

    def headline(self, word: str, colour: Colour, why: str) -> Painted:
        """Return an answer's word, coloured where allowed, and why, wrapped like a paragraph."""
        first, *more = self._wrapped(f"{word}: {why}")
        rest = (f"{line}\n" for line in (first.removeprefix(word), *more))
        return joined(self._word(word, colour), *rest)

    def table(self, columns: Sequence["Column"], *, rule: int | None = None) -> Iterator[str]:
        """Yield a table of the columns that there is room for, each line with its end.

        Args:
            columns: of the table.
            rule: cells that the line below the titles is longer than they are; None: no line.
        """
        titles, *rows = table_lines(fitting_columns(columns, self.width))
        yield f"{titles}\n"
        if rule is not None:
            yield self.rule(len(titles) + rule)
        yield from (f"{row}\n" for row in rows)

    def verdict_table(
        self, columns: Sequence["Column"], verdicts: Sequence[Verdict]
    ) -> Iterator[str]:
        """Yield a table as `table` does, its rows ending with their verdicts, coloured."""
        kept = fitting_columns(columns, self.width - VERDICT_CELLS - _GAP)
        wide = sum(column.width + _GAP for column in kept)
        titles, *rows = (padded(line, wide, right=False) for line in table_lines(kept))
        yield f"{titles}verdict\n"
        yield self.rule(wide + VERDICT_CELLS)
        yield from (
            joined(row, self.verdict(verdict), "\n")
            for row, verdict in zip(rows, verdicts, strict=True)
        )


def padded(text: str, cells: int, *, right: bool) -> str:
    """Return `text` padded to `cells` terminal cells; text that is wider stays whole."""
    space = " " * (cells - display_width(text))
    return space + text if right else text + space


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table that is laid out as a whole.

    Attributes:
        title: its heading.
        cells: one text a row, without escapes.
        right: numbers stand to the right.
        drop: columns with a higher one are dropped first where the width is short; 0 stays.
    """

    title: str
    cells: Sequence[str]
    right: bool = True
    drop: float = 0

    @property
    def width(self) -> int:
        """Terminal cells that it takes."""
        return max(display_width(text) for text in (self.title, *self.cells))


def fitting_columns(columns: Sequence[Column], width: int) -> tuple[Column, ...]:
    """Return the columns that stay where a table may be `width` cells wide."""
    kept = list(columns)
    while sum(c.width + _GAP for c in kept) - _GAP > width:
        droppable = max(kept, key=lambda column: column.drop)
        if droppable.drop == 0:
            break
        kept.remove(droppable)
    return tuple(kept)


def table_lines(columns: Sequence[Column]) -> Iterator[str]:
    """Yield the heading and then one line a row, without line ends."""
    widths = [column.width for column in columns]
    between = " " * _GAP
    titles = (
        padded(c.title, width, right=c.right) for c, width in zip(columns, widths, strict=True)
    )
    yield between.join(titles).rstrip()
    for cells in zip(*(column.cells for column in columns), strict=True):
        yield between.join(
            padded(text, width, right=column.right)
            for text, width, column in zip(cells, widths, columns, strict=True)
        ).rstrip()
