"""Quantities as text for people, and durations as people and tests write them."""

import math
import re
from collections.abc import Iterable
from typing import Final

from resume_rig.model.errors import UsageError

NS_PER_US: Final = 1_000
NS_PER_MS: Final = 1_000_000
NS_PER_S: Final = 1_000_000_000
PPB: Final = 1_000_000_000
"""Parts per billion in a whole."""
TIME_UNITS_NS: Final = {"ns": 1, "us": NS_PER_US, "ms": NS_PER_MS, "s": NS_PER_S}
UNIT_BASES: Final = TIME_UNITS_NS | {
    "%": 1_000_000,
    "%/h": 1_000_000,
    "W": 1_000_000_000,
    "mW": NS_PER_MS,
    "Wh": 1_000_000_000,
    "mWh": NS_PER_MS,
    "J": 1_000_000_000,
    "count": 1_000_000,
}
"""How many of the whole numbers that are compared make one of each unit of a limit."""
DURATION_UNITS_NS: Final = TIME_UNITS_NS | {"min": 60 * NS_PER_S, "h": 3600 * NS_PER_S}
_DURATION: Final = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))? ?([a-z]+)?")


def duration_of(text: str, bare: str | None = None) -> int | None:
    """Return a duration like `150ms` or `2.5 s` in nanoseconds; None where it is not one.

    Args:
        text: a number and one of DURATION_UNITS_NS.
        bare: the unit of a number without one; None: it is no duration.
    """
    found = _DURATION.fullmatch(text)
    if found is None:
        return None
    whole, fraction = found[1], found[2] or ""
    unit_ns = DURATION_UNITS_NS.get(found[3] or bare or "")
    if unit_ns is None:
        return None
    tenths: int = 10 ** len(fraction)
    return int(whole + fraction) * unit_ns // tenths


def seconds_text(duration_ns: int) -> str:
    """Return a duration with three to four significant digits and a fitting unit."""
    size = abs(duration_ns)
    for unit, unit_ns in (("s", NS_PER_S), ("ms", NS_PER_MS), ("us", NS_PER_US)):
        if size >= unit_ns:
            value = duration_ns / unit_ns
            digits = 1 if abs(value) >= 100 else 2 if abs(value) >= 10 else 3
            return f"{value:.{digits}f} {unit}"
    return f"{duration_ns} ns"


def count_of(count: int, noun: str) -> str:
    """Return a count with its noun in the right number, for nouns that take an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def percent_up(share: float) -> str:
    """Return a share of 0..1 in percent with two significant digits, rounded up.

    An upper bound that was rounded down would no longer be one.
    """
    percent = share * 100
    if percent <= 0:
        return "0 %"
    digits = max(0, 1 - math.floor(math.log10(percent)))
    scale = 10**digits
    # 1e-9: a share that is exactly 5 % must not become 5.1 % by its binary form.
    return f"{math.ceil(percent * scale - 1e-9) / scale:.{digits}f} %"


def named_duration_ns(name: str, text: str) -> int:
    """Return `2 s` or `250 ms` in nanoseconds.

    Raises:
        UsageError: it has no unit, or is no duration; the sentence names `name`.
    """
    found = duration_of(text) if isinstance(text, str) else None
    if found is None:
        raise UsageError(
            f"{name} is {text!r}; a time is a number and its unit: {', '.join(DURATION_UNITS_NS)}, "
            "for example '2 s' or '250 ms'"
        )
    return found


def capitalised(text: str) -> str:
    """Return text that begins as a sentence does."""
    return text[:1].upper() + text[1:]


def listed(words: Iterable[str], last: str = "and") -> str:
    """Return words as a sentence lists them: "S1, S3 and S4"."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end
