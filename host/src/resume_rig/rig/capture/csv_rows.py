"""Rows of a CSV capture, a block at a time: times and levels as columns.

Most captures have nothing but digits, a point and commas in their rows, and numpy takes a block of
these at once. Whatever has a quote, an exponent, a comment or an odd cell goes through the csv
module, a row at a time, with the same result.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.errors import RecordError
from resume_rig.rig.capture.gathering import LEVEL_OF_CHARACTER, NO_LEVEL, TIME_MAX_NS

COMMENTS: Final = (";", "#")
_NEW_LINE, _RETURN, _SPACE, _POINT, _MINUS = b"\n\r .-"
_NINE: Final = 9
_ROWS_AT_ONCE: Final = 65_536
# Of a time, its point and sign left out: as many as 64 bits hold.
_DIGITS_MAX: Final = 18


@dataclass(frozen=True, slots=True)
class Form:
    """How a row is read.

    Attributes:
        width: cells of a row.
        delimiter: between them.
        time: index of the time.
        exponent: power of ten of nanoseconds in its unit.
        levels: indices of the cells that must be levels.
        taken: of these, those that are asked for, in their order.
    """

    width: int
    delimiter: str
    time: int
    exponent: int
    levels: tuple[int, ...]
    taken: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows.

    Attributes:
        t_ns: int64 [n].
        levels: int8 [n, columns], of `Form.taken`: 0, 1 or NO_LEVEL.
        digits: most digits behind the point that a time has.
    """

    t_ns: NDArray[np.int64]
    levels: NDArray[np.int8]
    digits: int


def plain_rows(block: bytes, form: Form) -> Rows | None:
    """Return whole lines of digits as rows; None where a line has anything else."""
    buffer = np.frombuffer(block, np.uint8)
    line_ends = np.flatnonzero(buffer == _NEW_LINE)
    count = line_ends.size
    if not count:
        return None
    starts = np.concatenate((np.zeros(1, np.int64), line_ends[:-1] + 1))
    ends = line_ends - (buffer[line_ends - 1] == _RETURN)
    between = np.flatnonzero(buffer == ord(form.delimiter))
    if between.size != count * (form.width - 1):
        return None
    bounds = between.reshape(count, form.width - 1)
    if form.width > 1 and ((bounds[:, 0] < starts).any() or (bounds[:, -1] >= ends).any()):
        return None
    found = np.empty((count, len(form.taken)), np.int8)
    for column in form.levels:
        begin = starts if column == 0 else bounds[:, column - 1] + 1
        end = ends if column == form.width - 1 else bounds[:, column]
        begin = begin + ((buffer[begin] == _SPACE) & (begin < end))
        wide = end - begin
        level = np.where(wide > 0, LEVEL_OF_CHARACTER[buffer[begin]], NO_LEVEL)
        if (wide > 1).any() or (level < NO_LEVEL).any():
            return None
        if column in form.taken:
            found[:, form.taken.index(column)] = level
    times = _plain_times(
        buffer,
        starts if form.time == 0 else bounds[:, form.time - 1] + 1,
        ends if form.time == form.width - 1 else bounds[:, form.time],
        form.exponent,
    )
    return None if times is None else Rows(times[0], found, times[1])


def _plain_times(
    buffer: NDArray[np.uint8], begin: NDArray[np.int64], end: NDArray[np.int64], exponent: int
) -> tuple[NDArray[np.int64], int] | None:
    """Return times in ns and the most digits behind a point; None where one is no plain number."""
    minus = buffer[begin] == _MINUS
    begin = begin + minus
    points = np.flatnonzero(buffer == _POINT)
    if not points.size:
        points = end
    elif points.size != begin.size or (points < begin).any() or (points >= end).any():
        return None
    before, behind = points - begin, np.maximum(end - points - 1, 0)
    kinds = np.unique(before * 64 + behind)
    if (begin >= end).any() or (end - begin > _DIGITS_MAX).any():
        return None
    found = np.zeros(begin.size, np.int64)
    for kind in kinds.tolist():
        whole, fraction = divmod(kind, 64)
        same = slice(None) if kinds.size == 1 else np.flatnonzero(before * 64 + behind == kind)
        at = begin[same]
        value = np.zeros(at.size, np.int64)
        for place in (*range(whole), *range(whole + 1, whole + 1 + fraction)):
            digit = buffer[at + place] - np.uint8(ord("0"))
            if (digit > _NINE).any():
                return None
            value *= 10
            value += digit
        scaled = _scaled(value, exponent - fraction)
        if scaled is None:
            return None
        found[same] = scaled
    np.negative(found, out=found, where=minus)
    return found, int(behind.max())


def _scaled(value: NDArray[np.int64], power: int) -> NDArray[np.int64] | None:
    """Return value times ten to a power, halves rounded to even; None beyond 30 years."""
    if power >= 0:
        scale = 10**power
        return value * scale if int(value.max()) <= TIME_MAX_NS // scale else None
    if -power > _DIGITS_MAX:
        return None
    divisor = 10**-power
    quotient, rest = np.divmod(value, divisor)
    up = (2 * rest > divisor) | ((2 * rest == divisor) & (quotient % 2 == 1))
    rounded: NDArray[np.int64] = quotient + up
    return rounded


def parsed_rows(lines: Iterable[str], form: Form, first: int, what: str) -> Iterator[Rows]:
    """Yield any lines as rows.

    Args:
        lines: without those that are comments.
        form: how they are read.
        first: number of the first row.
        what: the beginning of a sentence, for errors.

    Raises:
        RecordError: a row is not of the form.
        csv.Error: it is no CSV.
    """
    rows = enumerate(csv.reader(lines, delimiter=form.delimiter, strict=True), start=first)
    while part := list(islice(rows, _ROWS_AT_ONCE)):
        times: list[int] = []
        levels: list[list[int]] = []
        digits = 0
        for number, row in part:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != form.width:
                raise RecordError(
                    f"{what}: row {number} has {len(row)} cells, the header has {form.width}."
                )
            time = _decimal(row[form.time], form.exponent, number, what)
            digits = max(digits, -int(time.as_tuple().exponent))
            times.append(int(time.scaleb(form.exponent).to_integral_value()))
            levels.append(_levels(row, form, number, what))
        shape = (len(times), len(form.taken))
        yield Rows(np.array(times, np.int64), np.array(levels, np.int8).reshape(shape), digits)


def _levels(row: list[str], form: Form, number: int, what: str) -> list[int]:
    found: dict[int, int] = {}
    for column in form.levels:
        level = _level(row[column])
        if level is None:
            raise RecordError(
                f"{what}: row {number} has {row[column][:20]!r} in column {column + 1}; "
                "allowed are 0 and 1, and x, z or nothing where there is no level."
            )
        found[column] = level
    return [found[column] for column in form.taken]


def _level(cell: str) -> int | None:
    text = cell.strip()
    if not text:
        return NO_LEVEL
    code = ord(text) if len(text) == 1 else 0
    level = int(LEVEL_OF_CHARACTER[code]) if code < LEVEL_OF_CHARACTER.size else NO_LEVEL - 1
    return None if level < NO_LEVEL else level


def _decimal(text: str, exponent: int, number: int, what: str) -> Decimal:
    """Return a time exactly as written; a decimal comma is accepted."""
    try:
        time = Decimal(text.strip().replace(",", "."))
    except InvalidOperation:
        time = Decimal("NaN")
    if not time.is_finite() or abs(time) > Decimal(TIME_MAX_NS).scaleb(-exponent):
        raise RecordError(
            f"{what}: row {number} has {text[:40]!r}, which is not a time in the column's "
            "unit, or is beyond 30 years."
        )
    return time
