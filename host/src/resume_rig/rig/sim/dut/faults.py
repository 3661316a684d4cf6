"""Ways in which a simulated DUT can be told to misbehave."""

from collections.abc import Iterable
from enum import StrEnum, unique

from resume_rig.model.errors import UsageError


@unique
class SimFault(StrEnum):
    """One misbehaviour; it holds for every cycle while it is set."""

    NEVER_SLEEPS = "never-sleeps"
    NEVER_WAKES = "never-wakes"
    DARK = "dark"
    WAKES_ALONE = "wakes-alone"
    NO_RECORD = "no-record"
    ZERO_RECORD = "zero-record"
    NOISY_LINE = "noisy-line"


def parse_faults(names: Iterable[str]) -> frozenset[SimFault]:
    """Return the faults of these names.

    Raises:
        UsageError: a name is not one of SimFault's.
    """
    known = {str(fault.value): fault for fault in SimFault}
    faults: set[SimFault] = set()
    for name in names:
        if name not in known:
            raise UsageError(
                f'Cannot simulate fault "{name}": it is not known; allowed are {", ".join(known)}.'
            )
        faults.add(known[name])
    return frozenset(faults)
