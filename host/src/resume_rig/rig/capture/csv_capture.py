"""Reads captures in CSV: a time column and a column of 0 and 1 for each signal.

The time is the first column, unless the user names another one; its title tells its unit, unless
the user does.
Saleae Logic exports look so, as do the exports of many other instruments. One row a change or one
row a sample, both will do. sigrok calls the column Time and leaves its unit to the sample rate.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TextIO

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.rig.capture.gathering import TIME_MAX_NS, Capture, Gathering
from resume_rig.rig.capture.signals import Signal, choose_taps

# "time_s", "t_ns", "Time [s]", "Time(ms)", "Timestamp (us)".
_TIME = re.compile(r"\s*(?:t|time|timestamp)[\s_]*[\[(]?\s*(s|ms|us|µs|μs|ns|ps)\s*[\])]?\s*", re.I)
_EXPONENT = {"s": 9, "ms": 6, "us": 3, "µs": 3, "μs": 3, "ns": 0, "ps": -3}
_DELIMITERS = (",", ";", "\t")
_HEADER_MAX = 1_048_576
_COMMENTS = (";", "#")
# sigrok: the unit is the first of s, ms, us ... of which a sample takes one or more.
_SAMPLE_RATE = re.compile(r"[;#]\s*Samplerate:\s*(\d{1,9})\s*([kMG]?)Hz\s*", re.I)
_RATE_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


TIME_UNITS = ("s", "ms", "us", "ns", "ps")


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """Which column is the time, by its title, and its unit; each is empty where the file tells."""

    title: str = ""
    unit: str = ""


def read_csv(
    file: TextIO,
    channel_map: Mapping[Channel, tuple[str, bool]],
    what: str,
    time_column: TimeColumn | None = None,
) -> Capture:
    """Return the edges of a CSV stream.

    Args:
        file: text from its first line; lines that begin with ; or # are skipped.
        channel_map: as in `read_capture`.
        what: the beginning of a sentence, for errors.
        time_column: what the user says of the time; with a title, cells of other columns that hold
            no level are passed over where no channel is mapped to them.

    Raises:
        RecordError: it is not such a CSV file.
        UsageError: the channel map does not fit, or no column has the title of the time.
    """
    try:
        header, comments = _header_line(file, what)
        delimiter = max(_DELIMITERS, key=header.count)
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter))]
        time_column = time_column or TimeColumn()
        time = _time_index(names, time_column.title, what)
        if time_column.unit:
            exponent = _EXPONENT[time_column.unit]
        else:
            exponent = _time_exponent(names[time] if names else "", comments, what)
        columns = [Signal(name, str(index)) for index, name in enumerate(names) if index != time]
        taps = choose_taps(columns, channel_map, what)
        gathering = Gathering(taps)
        levels = {int(tap.key) for tap in taps} if time_column.title else set(range(len(names)))
        form = _Form(len(names), time, exponent, tuple(sorted(levels - {time})))
        lines = (line for line in file if not line.startswith(_COMMENTS))
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        finest = _rows(rows, gathering, form, what)
    except (csv.Error, UnicodeDecodeError) as error:
        raise RecordError(f"{what}: it is not CSV text ({str(error)[:120]}).") from error
    return gathering.finish(finest)


@dataclass(frozen=True, slots=True)
class _Form:
    """How a row is read.

    Attributes:
        width: cells of a row.
        time: index of the time.
        exponent: power of ten of nanoseconds in its unit.
        levels: indices of the cells that must be levels.
    """

    width: int
    time: int
    exponent: int
    levels: tuple[int, ...]


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


def _header_line(file: TextIO, what: str) -> tuple[str, list[str]]:
    """Return the first line that is no comment, and the comments before it."""
    comments: list[str] = []
    while line := file.readline(_HEADER_MAX):
        if len(line) == _HEADER_MAX:
            raise RecordError(f"{what}: its first line is longer than {_HEADER_MAX} characters.")
        if line.startswith(_COMMENTS):
            comments.append(line)
        elif line.strip():
            return line.rstrip("\r\n"), comments
    raise RecordError(f"{what}: it is empty; a header and rows of times and levels are needed.")


def _time_exponent(name: str, comments: Sequence[str], what: str) -> int:
    """Return the power of ten of nanoseconds in the time column's unit."""
    found = _TIME.fullmatch(name)
    if found is not None:
        return _EXPONENT[found[1].lower()]
    rates = [rate for line in comments if (rate := _SAMPLE_RATE.fullmatch(line)) is not None]
    if name.strip().lower() == "time" and rates:
        return _sigrok_exponent(int(rates[0][1]) * _RATE_UNITS[rates[0][2].lower()], what)
    raise RecordError(
        f"{what}: the first column is {name[:60]!r}; a capture is VCD, or CSV whose first "
        "column is the time with its unit, such as time_s, t_ns or Time [ms], or whose time is "
        "named by --time-column and --time-unit."
    )


def _sigrok_exponent(rate_hz: int, what: str) -> int:
    thousands = next((n for n in range(1, 5) if 1000**n >= rate_hz), 0)
    if rate_hz < 2 or not thousands or 1000**thousands % rate_hz:
        # Its output module counts whole units a sample, and so every time would be short.
        raise RecordError(
            f"{what}: sigrok cannot write times at {rate_hz} Hz exactly as CSV; export VCD instead."
        )
    return 9 - 3 * thousands


def _rows(rows: Iterator[list[str]], gathering: Gathering, form: _Form, what: str) -> int:
    """Take every row; return the weight of the last digit that a time has, in ns."""
    last_ns: int | None = None
    digits = 0
    for number, row in enumerate(rows, start=1):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != form.width:
            raise RecordError(
                f"{what}: row {number} has {len(row)} cells, the header has {form.width}."
            )
        time = _decimal(row[form.time], form.exponent, number, what)
        t_ns = int(time.scaleb(form.exponent).to_integral_value())
        if last_ns is not None and t_ns < last_ns:
            raise RecordError(
                f"{what}: time goes back from {last_ns} ns to {t_ns} ns in row {number}; it may "
                "only grow."
            )
        last_ns = t_ns
        digits = max(digits, -int(time.as_tuple().exponent))
        gathering.moment(t_ns)
        for column in form.levels:
            if not gathering.value(str(column), t_ns, row[column].strip()):
                raise RecordError(
                    f"{what}: row {number} has {row[column][:20]!r} in column {column + 1}; "
                    "allowed are 0 and 1, and x, z or nothing where there is no level."
                )
    return int(10 ** max(0, form.exponent - digits))


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
