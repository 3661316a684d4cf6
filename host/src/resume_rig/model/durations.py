"""Durations as people write them, read as nanoseconds."""

import re
from typing import Final

from resume_rig.model.errors import UsageError

_DURATION: Final = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?\s?(ns|us|ms|s|min|h)?")
_UNIT_NS: Final = {
    "ns": 1,
    "us": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "min": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_WRITTEN_WITH: Final = ("h", "min", "s", "ms", "us", "ns")


def parse_duration_ns(text: str) -> int:
    """Read `150ms`, `5 s`, `2.5s` or a bare number of seconds, as nanoseconds.

    Raises:
        UsageError: the text is none of these.
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise UsageError(
            f"{text!r} is not a duration; allowed are a number and ns, us, ms, s, min or h, "
            "for example 150ms or 5s"
        )
    whole, fraction, unit = found[1], found[2] or "", found[3] or "s"
    tenths: int = 10 ** len(fraction)
    return int(whole + fraction) * _UNIT_NS[unit] // tenths


def duration_text(duration_ns: int) -> str:
    """Return a duration of 0 or more as `parse_duration_ns` reads it, in its greatest whole unit.

    Half seconds and the like are written with one digit after the point.
    """
    for unit in _WRITTEN_WITH:
        tenths, rest = divmod(duration_ns * 10, _UNIT_NS[unit])
        if rest == 0 and tenths >= 10:
            whole, tenth = divmod(tenths, 10)
            if tenth == 0 or unit == "s":
                return f"{whole}.{tenth} {unit}" if tenth else f"{whole} {unit}"
    return f"{duration_ns} ns" if duration_ns else "0 s"
