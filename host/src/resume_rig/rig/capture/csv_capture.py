"""Reads captures in CSV: a time column and a column of 0 and 1 for each signal.

Saleae Logic exports look so, as do those of many other instruments; a row may be a change or a
sample. The time is the first column and its title names its unit, unless the user names either;
sigrok calls the column Time and leaves its unit to the sample rate.
Most rows have nothing but digits, a point and commas, and numpy takes a block of these at once.
Whatever has a quote, an exponent, a comment or another cell goes through the csv module, a row at a
time, with the same result.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from io import BufferedIOBase, BufferedReader, BytesIO, RawIOBase, TextIOWrapper
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.rig.capture.gathering import (
    LEVEL_OF_CHARACTER,
    NO_LEVEL,
    TIME_MAX_NS,
    Capture,
    Gathering,
)
from resume_rig.rig.capture.sampling import StatedRate, stated_in
from resume_rig.rig.capture.signals import Signal, choose_taps

COMMENTS: Final = (";", "#")
_NEW_LINE, _RETURN, _SPACE, _POINT, _MINUS = b"\n\r .-"
_NINE: Final = 9
_ROWS_AT_ONCE: Final = 65_536
# Of a time, its point and sign left out: as many as 64 bits hold.
_DIGITS_MAX: Final = 18
# "time_s", "t_ns", "Time [s]", "Time(ms)", "Timestamp (us)".
_TIME = re.compile(r"\s*(?:t|time|timestamp)[\s_]*[\[(]?\s*(s|ms|us|µs|μs|ns|ps)\s*[\])]?\s*", re.I)
_EXPONENT = {"s": 9, "ms": 6, "us": 3, "µs": 3, "μs": 3, "ns": 0, "ps": -3}
_DELIMITERS = (",", ";", "\t")
_HEADER_MAX: Final = 1_048_576
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """The title of the time's column, and its unit; each is empty where the file decides."""

    title: str = ""
    unit: str = ""


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


def read_csv(
    file: BufferedIOBase,
    channel_map: Mapping[Channel, tuple[str, bool]],
    what: str,
    time_column: TimeColumn | None = None,
) -> Capture:
    """Return the edges of a CSV stream.

    Args:
        file: UTF-8 from its first byte; lines that begin with ; or # are skipped.
        channel_map: as in `read_capture`.
        what: the beginning of a sentence, for errors.
        time_column: as the user names the time; with a title, cells of other columns that hold
            no level are passed over where no channel is mapped to them.

    Raises:
        RecordError: it is not such a CSV file.
        UsageError: the channel map does not fit, or no column has the title of the time.
    """
    try:
        header, comments = _header_line(file, what)
        stated = stated_in(comments)
        delimiter = max(_DELIMITERS, key=header.count)
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter))]
        time_column = time_column or TimeColumn()
        time = _time_index(names, time_column.title, what)
        if time_column.unit:
            exponent = _EXPONENT[time_column.unit]
        else:
            exponent = _time_exponent(names[time] if names else "", stated, what)
        columns = [Signal(name, str(index)) for index, name in enumerate(names) if index != time]
        gathering = Gathering(choose_taps(columns, channel_map, what), what)
        taken = tuple(int(key) for key in gathering.keys)
        levels = set(taken) if time_column.title else set(range(len(names)))
        form = Form(len(names), delimiter, time, exponent, tuple(sorted(levels - {time})), taken)
        digits = _gather(_rows(file, form, what), gathering, what)
    except (csv.Error, UnicodeDecodeError) as error:
        raise RecordError(f"{what}: it is not CSV text ({str(error)[:120]}).") from error
    return gathering.finish(int(10 ** max(0, exponent - digits)), stated)


def _gather(blocks: Iterator[Rows], gathering: Gathering, what: str) -> int:
    """Take every row; return the most digits behind the point that a time has."""
    last_ns: int | None = None
    digits, count = 0, 0
    lines = np.arange(len(gathering.keys), dtype=np.uint8)
    for rows in blocks:
        t_ns = rows.t_ns
        if not t_ns.size:
            continue
        steps = np.diff(t_ns, prepend=t_ns[0] if last_ns is None else last_ns)
        if (steps < 0).any():
            at = int((steps < 0).argmax())
            now_ns = int(t_ns[at])
            raise RecordError(
                f"{what}: time goes back from {now_ns - int(steps[at])} ns to {now_ns} ns, after"
                f" {count + at} rows of times; it may only grow."
            )
        last_ns = int(t_ns[-1])
        gathering.cover(int(t_ns[0]), last_ns)
        digits, count = max(digits, rows.digits), count + t_ns.size
        # A row a sample has few changes; the first row of a block counts as one.
        changed = np.ones(t_ns.size, np.bool_)
        changed[1:] = (rows.levels[1:] != rows.levels[:-1]).any(axis=1)
        levels = rows.levels[changed]
        gathering.take(
            np.repeat(t_ns[changed], lines.size), np.tile(lines, len(levels)), levels.ravel()
        )
    return digits


def _rows(file: BufferedIOBase, form: Form, what: str) -> Iterator[Rows]:
    """Yield all rows, those of plain digits a block at a time."""
    number = 1
    rest = b""
    while block := file.read(_BLOCK):
        cut = block.rfind(b"\n") + 1
        lines, rest = (rest + block[:cut], block[cut:]) if cut else (b"", rest + block)
        if len(rest) > _HEADER_MAX + _BLOCK:
            raise RecordError(f"{what}: a row of it is longer than {_HEADER_MAX} characters.")
        if not lines:
            continue
        rows = plain_rows(lines, form)
        if rows is None and b'"' in lines:
            # A quoted cell may go on in the next block.
            yield from _parsed(BufferedReader(_Joined(lines + rest, file)), form, number, what)
            return
        if rows is None:
            yield from _parsed(BytesIO(lines), form, number, what)
            number += lines.count(b"\n")
            continue
        number += rows.t_ns.size
        yield rows
    yield from _parsed(BytesIO(rest), form, number, what)


def _parsed(file: BufferedReader | BytesIO, form: Form, number: int, what: str) -> Iterator[Rows]:
    with TextIOWrapper(file, encoding="utf-8", newline="") as text:
        lines = (line for line in text if not line.startswith(COMMENTS))
        yield from parsed_rows(lines, form, number, what)


def _time_index(names: Sequence[str], title: str, what: str) -> int:
    if not title:
        return 0
    found = [index for index, name in enumerate(names) if name == title]
    if len(found) != 1:
        raise UsageError(
            f"{what}: the time is to be the column {title[:60]!r}, which {len(found)} columns are"
            f" called; the columns are {', '.join(repr(name[:60]) for name in names[:24])}."
        )
    return found[0]


def _header_line(file: BufferedIOBase, what: str) -> tuple[str, list[str]]:
    """Return the first line that is no comment, and the comments before it."""
    comments: list[str] = []
    encoding = "utf-8-sig"
    while line := file.readline(_HEADER_MAX):
        if len(line) == _HEADER_MAX:
            raise RecordError(f"{what}: its first line is longer than {_HEADER_MAX} characters.")
        text, encoding = line.decode(encoding), "utf-8"
        if text.startswith(COMMENTS):
            comments.append(text)
        elif text.strip():
            return text.rstrip("\r\n"), comments
    raise RecordError(f"{what}: it is empty; a header and rows of times and levels are needed.")


def _time_exponent(name: str, stated: StatedRate | None, what: str) -> int:
    """Return the power of ten of nanoseconds in the time column's unit."""
    found = _TIME.fullmatch(name)
    if found is not None:
        return _EXPONENT[found[1].lower()]
    if name.strip().lower() == "time" and stated is not None:
        return _sigrok_exponent(stated.rate_hz, what)
    raise RecordError(
        f"{what}: the first column is {name[:60]!r}; a capture is VCD, or CSV whose first "
        "column is the time with its unit, such as time_s, t_ns or Time [ms], or whose time is "
        "named by --time-column and --time-unit."
    )


def _sigrok_exponent(rate_hz: Fraction, what: str) -> int:
    """Return the exponent of sigrok's unit: the first of s, ms, us ... that a sample takes."""
    thousands = next((n for n in range(1, 5) if 1000**n >= rate_hz), 0)
    if rate_hz < 2 or not thousands or 1000**thousands % rate_hz:
        # Its output module counts whole units a sample, and so every time would be short.
        raise RecordError(
            f"{what}: sigrok cannot write times at {rate_hz} Hz exactly as CSV; export VCD instead."
        )
    return 9 - 3 * thousands


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


class _Joined(RawIOBase):
    """A stream that begins with bytes which were read of it already."""

    def __init__(self, begun: bytes, file: BufferedIOBase) -> None:
        super().__init__()
        self._begun, self._file = memoryview(begun), file

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill `buffer` (writable bytes); return how many bytes it got, 0 at the end."""
        if not self._begun:
            return self._file.readinto(buffer)
        piece, self._begun = self._begun[: len(buffer)], self._begun[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)
