"""Durations as a field holds them: read, and written so that reading gives the same. Free of Qt."""

from typing import Final

from resume_rig.model.errors import UsageError
from resume_rig.model.units import duration_of

_UNITS: Final = (
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
)


def parse_duration_ns(text: str) -> int:
    """Read `150ms`, `5 s`, `2.5s` or a bare number of seconds, as nanoseconds.

    Raises:
        UsageError: the text is none of these.
    """
    found = duration_of("".join(text.split()), bare="s")
    if found is None:
        raise UsageError(
            f"{text.strip()!r} is not a duration; allowed are a number and ns, us, ms, s, min or "
            "h, for example 150 ms or 5 s"
        )
    return found


def duration_text(duration_ns: int) -> str:
    """Return a duration of 0 or more in its greatest whole unit; half seconds with a point."""
    for unit, unit_ns in _UNITS:
        tenths, rest = divmod(duration_ns * 10, unit_ns)
        if rest == 0 and tenths >= 10:
            whole, tenth = divmod(tenths, 10)
            if tenth == 0:
                return f"{whole} {unit}"
            if unit == "s":
                return f"{whole}.{tenth} {unit}"
    return f"{duration_ns} ns" if duration_ns else "0 s"
