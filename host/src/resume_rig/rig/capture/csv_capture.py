"""Reads captures in CSV: a time column first, then a column of 0 and 1 for each signal.

Saleae Logic exports look so, as do the exports of many other instruments. One row a change or one
row a sample, both will do. sigrok calls the column Time and leaves its unit to the sample rate.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import TextIO

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError
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


def read_csv(file: TextIO, channel_map: Mapping[Channel, tuple[str, bool]], what: str) -> Capture:
    """Return the edges of a CSV stream.

    Args:
        file: text from its first line; lines that begin with ; or # are skipped.
        channel_map: as in `read_capture`.
        what: the beginning of a sentence, for errors.

    Raises:
        RecordError: it is not such a CSV file.
        UsageError: the channel map does not fit.
    """
    try:
        header, comments = _header_line(file, what)
        delimiter = max(_DELIMITERS, key=header.count)
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter))]
        exponent = _time_exponent(names[0] if names else "", comments, what)
        columns = [Signal(name, str(index)) for index, name in enumerate(names) if index > 0]
        gathering = Gathering(choose_taps(columns, channel_map, what))
        lines = (line for line in file if not line.startswith(_COMMENTS))
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        finest = _rows(rows, gathering, len(names), exponent, what)
    except (csv.Error, UnicodeDecodeError) as error:
        raise RecordError(f"{what}: it is not CSV text ({str(error)[:120]}).") from error
    return gathering.finish(finest)


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
        "column is the time with its unit, such as time_s, t_ns or Time [ms]."
    )


def _sigrok_exponent(rate_hz: int, what: str) -> int:
    thousands = next((n for n in range(1, 5) if 1000**n >= rate_hz), 0)
    if rate_hz < 2 or not thousands or 1000**thousands % rate_hz:
        # Its output module counts whole units a sample, and so every time would be short.
        raise RecordError(
            f"{what}: sigrok cannot write times at {rate_hz} Hz exactly as CSV; export VCD instead."
        )
    return 9 - 3 * thousands


def _rows(
    rows: Iterator[list[str]], gathering: Gathering, width: int, exponent: int, what: str
) -> int:
    """Take every row; return the weight of the last digit that a time has, in ns."""
    last_ns: int | None = None
    digits = 0
    for number, row in enumerate(rows, start=1):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != width:
            raise RecordError(f"{what}: row {number} has {len(row)} cells, the header has {width}.")
        time = _decimal(row[0], exponent, number, what)
        t_ns = int(time.scaleb(exponent).to_integral_value())
        if last_ns is not None and t_ns < last_ns:
            raise RecordError(
                f"{what}: time goes back from {last_ns} ns to {t_ns} ns in row {number}; it may "
                "only grow."
            )
        last_ns = t_ns
        digits = max(digits, -int(time.as_tuple().exponent))
        gathering.moment(t_ns)
        for column in range(1, width):
            if not gathering.value(str(column), t_ns, row[column].strip()):
                raise RecordError(
                    f"{what}: row {number} has {row[column][:20]!r} in column {column + 1}; "
                    "allowed are 0 and 1, and x, z or nothing where there is no level."
                )
    return int(10 ** max(0, exponent - digits))


def _decimal(text: str, exponent: int, number: int, what: str) -> Decimal:
    """Return a time exactly as written; a decimal comma is accepted."""
    try:
        time = Decimal(text.strip().replace(",", "."))
    except InvalidOperation:
        time = Decimal("NaN")
    if not time.is_finite() or abs(time) > Decimal(TIME_MAX_NS).scaleb(-exponent):
        raise RecordError(
            f"{what}: row {number} begins with {text[:40]!r}, which is not a time in the header's "
            "unit, or is beyond 30 years."
        )
    return time
