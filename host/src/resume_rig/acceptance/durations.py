"""Durations as test code writes them: text with a unit."""

from resume_rig.model.errors import UsageError
from resume_rig.model.units import DURATION_UNITS_NS, duration_of


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
