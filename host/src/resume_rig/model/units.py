"""Quantities as text for people; never parsed back."""

import math


def seconds_text(duration_ns: int) -> str:
    """Return a duration with three to four significant digits and a fitting unit."""
    size = abs(duration_ns)
    for unit, unit_ns in (("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)):
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
