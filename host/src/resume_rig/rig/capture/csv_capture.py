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
from fractions import Fraction
from io import BufferedIOBase, BufferedReader, BytesIO, RawIOBase, TextIOWrapper
from typing import Any, Final

import numpy as np

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.rig.capture.csv_rows import COMMENTS, Form, Rows, parsed_rows, plain_rows
from resume_rig.rig.capture.gathering import Capture, Gathering
from resume_rig.rig.capture.sampling import StatedRate, stated_in
from resume_rig.rig.capture.signals import Signal, choose_taps

# "time_s", "t_ns", "Time [s]", "Time(ms)", "Timestamp (us)".
_TIME = re.compile(r"\s*(?:t|time|timestamp)[\s_]*[\[(]?\s*(s|ms|us|µs|μs|ns|ps)\s*[\])]?\s*", re.I)
_EXPONENT = {"s": 9, "ms": 6, "us": 3, "µs": 3, "μs": 3, "ns": 0, "ps": -3}
_DELIMITERS = (",", ";", "\t")
_HEADER_MAX: Final = 1_048_576
_BLOCK: Final = 1 << 20


TIME_UNITS = ("s", "ms", "us", "ns", "ps")


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """Which column is the time, by its title, and its unit; each is empty where the file tells."""

    title: str = ""
    unit: str = ""


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
        time_column: what the user says of the time; with a title, cells of other columns that hold
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
        gathering.moments(int(t_ns[0]), last_ns)
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


class _Joined(RawIOBase):
    """A stream that begins with bytes which were read of it already."""

    def __init__(self, begun: bytes, file: BufferedIOBase) -> None:
        super().__init__()
        self._begun, self._file = memoryview(begun), file

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill `buffer` (writable bytes); return how many bytes it got, 0 at the end."""
        if not self._begun:
            return self._file.readinto(buffer)
        piece, self._begun = self._begun[: len(buffer)], self._begun[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)
