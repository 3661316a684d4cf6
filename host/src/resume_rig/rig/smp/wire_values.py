"""Values that a request carries, checked before they are sent."""

from typing import Final

from resume_rig.model.errors import UsageError
from resume_rig.rig.smp.fields import INT64_MAX

_U32: Final = 0xFFFF_FFFF
_MOST_PPB: Final = 1_000_000


def time(what: str, value_ns: int) -> int:
    """Return a time that the wire can carry."""
    if not 0 <= value_ns <= INT64_MAX:
        raise UsageError(f"{what} {value_ns} ns is not possible; allowed is 0 to {INT64_MAX} ns")
    return value_ns


def changes(count: int) -> int:
    """Return a number of changes that the wire can carry; the board says which it takes."""
    if not 0 <= count <= _U32:
        raise UsageError(f"a loop-back of {count} changes is not possible; allowed is 2 to 10000")
    return count


def rate(clock_ppb: int) -> int:
    """Return a rate error that the wire can carry."""
    if abs(clock_ppb) > _MOST_PPB:
        raise UsageError(
            f"a clock that is off by {clock_ppb} ppb cannot be calibrated; allowed is "
            f"-{_MOST_PPB} to {_MOST_PPB} ppb"
        )
    return clock_ppb
