"""Times as text for people; never parsed back."""


def seconds_text(duration_ns: int) -> str:
    """Return a duration with three to four significant digits and a fitting unit."""
    size = abs(duration_ns)
    for unit, unit_ns in (("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)):
        if size >= unit_ns:
            value = duration_ns / unit_ns
            digits = 1 if abs(value) >= 100 else 2 if abs(value) >= 10 else 3
            return f"{value:.{digits}f} {unit}"
    return f"{duration_ns} ns"
