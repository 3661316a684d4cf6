"""Durations as a field holds them: read, and written so that reading gives the same. Free of Qt."""

from typing import Final

from resume_rig.model.errors import UsageError
from resume_rig.model.units import duration_of

_WHOLE_UNITS: Final = (("h", 3_600_000_000_000), ("min", 60_000_000_000))
_POINTED_UNITS: Final = (
    ("s", 1_000_000_000, 9),
    ("ms", 1_000_000, 6),
    ("us", 1_000, 3),
    ("ns", 1, 0),
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
    """Return a duration of 0 or more, exactly, in a unit that fits."""
    if duration_ns == 0:
        return "0 s"
    for unit, unit_ns in _WHOLE_UNITS:
        if duration_ns % unit_ns == 0:
            return f"{duration_ns // unit_ns} {unit}"
    unit, unit_ns, digits = next(each for each in _POINTED_UNITS if duration_ns >= each[1])
    whole, rest = divmod(duration_ns, unit_ns)
    part = f"{rest:0{digits}d}".rstrip("0") if rest else ""
    return f"{whole}.{part} {unit}" if part else f"{whole} {unit}"
