"""Times and numbers as event logs write them, to integers; never through floating point."""

import re
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Final

from resume_rig.model.errors import RecordError

NS_PER_S: Final = 1_000_000_000
_UNIX_DAY: Final = date(1970, 1, 1).toordinal()
_FILETIME_OF_1970: Final = 116_444_736_000_000_000  # 100 ns ticks since 1601-01-01 UTC
_NO_TIME_DAYS: Final = frozenset({"1601-01-01", "1600-12-31"})  # FILETIME 0, in any zone
_INT64_MAX: Final = (1 << 63) - 1
_QUOTED_CHARS: Final = 40
_PLAIN_DIGITS: Final = 20

_ISO: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{0,32}))?"
    r"(?:Z(?: UTC)?|([+-])([0-9]{2}):?([0-9]{2}))?",
)
_NUMBER: Final = re.compile(r"(-?[0-9]{1,20})|0[xX]([0-9a-fA-F]{1,16})")


def parse_utc_ns(text: str) -> int | None:
    """Return a SystemTime, or a FILETIME written as a number, in ns since 1970 UTC (floor).

    0 to 9 fractional digits count, further ones are cut off. No zone means UTC.

    Returns:
        None where the text is empty or the time is FILETIME 0 (1601-01-01): "not reported".

    Raises:
        RecordError: the text is no time, or one that int64 nanoseconds cannot hold.
    """
    text = text.strip()
    if not text:
        return None
    match = _ISO.fullmatch(text)
    time_ns = _from_filetime(text) if match is None else _from_iso(match)
    if time_ns is not None and abs(time_ns) > _INT64_MAX:
        raise _unreadable("time", text, "1678 to 2262")
    return time_ns


def _from_filetime(text: str) -> int | None:
    ticks = parse_whole(text, maximum=_INT64_MAX)
    return (ticks - _FILETIME_OF_1970) * 100 if ticks else None


def ns_of_filetime(ticks: int) -> int | None:
    """Return a FILETIME in ns since 1970 UTC; None for 0, and for one that int64 cannot hold."""
    time_ns = (ticks - _FILETIME_OF_1970) * 100
    return time_ns if ticks > 0 and abs(time_ns) <= _INT64_MAX else None


def utc_text(time_ns: int) -> str:
    """Return a time to the millisecond, as ISO 8601 writes it."""
    whole = datetime.fromtimestamp(time_ns // NS_PER_S, UTC).replace(tzinfo=None).isoformat()
    return f"{whole}.{time_ns % NS_PER_S // 1_000_000:03d}Z"


def _from_iso(match: re.Match[str]) -> int | None:
    if match[0][:10] in _NO_TIME_DAYS:
        return None
    try:
        days = _day(match[0][:10])
    except ValueError as error:
        raise _unreadable("time", match[0], "a date of the calendar") from error
    hour, minute, second = int(match[1]), int(match[2]), int(match[3])
    offset_minutes = int(match[6]) * 60 + int(match[7]) if match[5] else 0
    if hour > 23 or minute > 59 or second > 60 or offset_minutes > 24 * 60:
        raise _unreadable("time", match[0], "00:00:00 to 23:59:60")
    if match[5] == "-":
        offset_minutes = -offset_minutes
    seconds = ((days * 24 + hour) * 60 + minute - offset_minutes) * 60 + second
    return seconds * NS_PER_S + int((match[4] or "")[:9].ljust(9, "0"))


@lru_cache(maxsize=64)  # the events of a log share few days
def _day(iso_date: str) -> int:
    """Return the days since 1970; raises ValueError for none of the calendar."""
    return date.fromisoformat(iso_date).toordinal() - _UNIX_DAY


def parse_whole(text: str, maximum: int) -> int | None:
    """Return a decimal or 0x number from 0 to `maximum`; None where the text is empty.

    Raises:
        RecordError: the text is no such number.
    """
    if not text:
        return None
    if len(text) < _PLAIN_DIGITS and text.isdecimal() and text.isascii():
        plain = int(text)  # nearly always
        if plain <= maximum:
            return plain
    text = text.strip()
    if not text:
        return None
    match = _NUMBER.fullmatch(text)
    number = -1 if match is None else int(match[1]) if match[1] else int(match[2], 16)
    if not 0 <= number <= maximum:
        raise _unreadable("number", text, f"0 to {maximum}")
    return number


def _unreadable(what: str, text: str, allowed: str) -> RecordError:
    return RecordError(
        f"could not read a {what}: found {text[:_QUOTED_CHARS]!r}, allowed is {allowed}"
    )
