"""What every reader of a log shares: request and answer, and values as Windows writes them.

Times and numbers become integers, never through floating point. States and wake sources become
names; the numbers of wake sources mean different things on different builds of Windows.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import (
    NO_WAKE_SOURCE,
    Figure,
    Integrity,
    LogSource,
    OsRecord,
    SleepKind,
    WakeSource,
)
from resume_rig.model.units import NS_PER_MS, NS_PER_S

UINT32_MAX: Final = (1 << 32) - 1
UINT64_MAX: Final = (1 << 64) - 1
INT64_MAX: Final = (1 << 63) - 1

DOZE_TYPE: Final = 3
"""S4 Doze to Hibernate: the DUT woke by itself to go from S3 on to S4."""

TEXT_LIMIT_CHARS: Final = 1000

# WakeSourceType: 0 to 3 mean the same on every build. The others are by the manifests of builds
# 7600, 10240, 17134 and 18990; of the builds between 10240 and 17134 no manifest was at hand.
_LAST_OLD_BUILD: Final = 10240
_FIRST_NEW_BUILD: Final = 17134
_TIMER_DEVICE: Final = "acpi wake alarm"
_ON_ALL_BUILDS: Final[Mapping[int, str]] = {
    0: NO_WAKE_SOURCE.name,
    1: "power button",
    2: "sleep button",
    DOZE_TYPE: "S4 doze to hibernate",
}
_ON_OLD_BUILDS: Final[Mapping[int, str]] = {
    4: "device",
    5: "timer",
    6: "timer of a legacy driver",
}
_ON_BUILD_10240: Final[Mapping[int, str]] = {**_ON_OLD_BUILDS, 7: "possibly a timer"}
_ON_NEW_BUILDS: Final[Mapping[int, str]] = {
    4: "predicted presence",
    5: "device",
    6: "timer",
    7: "timer of a legacy driver",
    8: "possibly a timer",
}


def decode_wake_source(
    source_type: int | None, text: str, os_build: int | None, timer_owner: str = ""
) -> WakeSource:
    """Return the wake source by its name; "unknown" where the build leaves its meaning open."""
    text, timer_owner = text[:TEXT_LIMIT_CHARS], timer_owner[:TEXT_LIMIT_CHARS]
    name = NO_WAKE_SOURCE.name
    if source_type is not None:
        name = _ON_ALL_BUILDS.get(source_type) or _names_of(os_build).get(source_type, name)
        if source_type not in _ON_ALL_BUILDS and _TIMER_DEVICE in text.lower():
            name = "timer"  # the ACPI alarm device is a timer, whatever its number
    return WakeSource(type=source_type, name=name, text=text, timer_owner=timer_owner)


def _names_of(os_build: int | None) -> Mapping[int, str]:
    if os_build is None or _LAST_OLD_BUILD < os_build < _FIRST_NEW_BUILD:
        return {}
    if os_build >= _FIRST_NEW_BUILD:
        return _ON_NEW_BUILDS
    return _ON_BUILD_10240 if os_build == _LAST_OLD_BUILD else _ON_OLD_BUILDS


# What a reader reports nothing of is None here; the model has no defaults, as a store leaves out
# what equals one.
BARE_RECORD: Final = OsRecord(
    *(0, None, SleepKind.UNKNOWN),
    sleep_time_utc_ns=None,
    wake_time_utc_ns=None,
    written_utc_ns=None,
    sleep_ms=None,
    wake_ms=None,
    driver_init_ms=None,
    bios_init_ms=None,
    firmware_resume_ms=None,
    firmware_resume_count=None,
    hiber_read_ms=None,
    hiber_write_ms=None,
    hiber_pages=None,
    wake_source=NO_WAKE_SOURCE,
)
"""A record of which nothing is reported; readers replace what they have."""


def figures_of(**values: float | None) -> tuple[Figure, ...]:
    """Return the figures that have a value."""
    return tuple(Figure(name, value) for name, value in values.items() if value is not None)


def drips_delta(software: float | None, hardware: float | None) -> float | None:
    """Return by how much of a session the deepest state was allowed and not reached, in percent.

    HLK's Modern Standby Basic Requirement Test limits it (ModernStandbyHDripsSDripsDelta).
    """
    return None if software is None or hardware is None else software - hardware


@dataclass(frozen=True, slots=True)
class SourceReading:
    """What one source holds, its records, and the computers that they are of, if it names any."""

    source: LogSource
    records: tuple[OsRecord, ...]
    computers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """What to read: the file, its index among the sources, whether original texts are kept."""

    path: Path
    source: int = 0
    keep_text: bool = False

    def answer(
        self,
        records: Sequence[OsRecord],
        kind: str,
        integrity: Integrity,
        *,
        count: int,
        os_build: int | None = None,
        identity: tuple[tuple[str, str], ...] = (),
        from_description: bool = False,
        computers: tuple[str, ...] = (),
    ) -> SourceReading:
        """Return what the file holds; `count` is of its records, the rest as in `LogSource`."""
        source = LogSource(
            str(self.path), kind, os_build, count, integrity, identity, from_description
        )
        return SourceReading(source, tuple(records), computers)


_UNIX_DAY: Final = date(1970, 1, 1).toordinal()
_FILETIME_OF_1970: Final = 116_444_736_000_000_000  # 100 ns ticks since 1601-01-01 UTC
_NO_TIME_DAYS: Final = frozenset({"1601-01-01", "1600-12-31"})  # FILETIME 0, in any zone
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
    if time_ns is not None and abs(time_ns) > INT64_MAX:
        raise _unreadable("time", text, "1678 to 2262")
    return time_ns


def _from_filetime(text: str) -> int | None:
    ticks = parse_whole(text, maximum=INT64_MAX)
    return (ticks - _FILETIME_OF_1970) * 100 if ticks else None


def ns_of_filetime(ticks: int) -> int | None:
    """Return a FILETIME in ns since 1970 UTC; None for 0, and for one that int64 cannot hold."""
    time_ns = (ticks - _FILETIME_OF_1970) * 100
    return time_ns if ticks > 0 and abs(time_ns) <= INT64_MAX else None


def utc_text(time_ns: int) -> str:
    """Return a time to the millisecond, as ISO 8601 writes it."""
    whole = datetime.fromtimestamp(time_ns // NS_PER_S, UTC).replace(tzinfo=None).isoformat()
    return f"{whole}.{time_ns % NS_PER_S // NS_PER_MS:03d}Z"


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
