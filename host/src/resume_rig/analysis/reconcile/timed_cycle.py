"""A cycle on the host's clock, with what the rig saw of the DUT beside it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

from resume_rig.analysis.reconcile.thresholds import CLOCKS_PPB
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle

_PPB = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ExtraSleep:
    """A sleep that ended outside of the cycles: of a DUT that was brought back, or tried again.

    Attributes:
        asleep_ns, awake_ns: host UTC of the power line falling and rising; None where it began in
            a cycle before, which never woke.
    """

    asleep_ns: int | None
    awake_ns: int


@dataclass(frozen=True, slots=True)
class TimedCycle:
    """A cycle and when it was on the host's clock.

    Attributes:
        wake_utc: host UTC at `outside.awake_from_ns`, of the trigger where that is None. None
            where the clock of the edges has no relation to the host's (captures).
        records: OS records that were in the log at its end and not before; none where the log
            was not read while the cycles ran.
    """

    outside: OutsideCycle
    wake_utc: BoundedNs | None = None
    records: tuple[OsRecord, ...] = ()


def awake_times(cycles: Iterable[TimedCycle]) -> Iterator[BoundedNs | None]:
    """Yield for each cycle SLP_S3# rising to its falling in the next one, by the board's clock.

    None where the cycles' edges may be of two clocks: the board's began anew, or the host's, which
    is the only one to tell, was set.
    """
    for cycle, after in pairwise(chain(cycles, [None])):
        yield None if cycle is None or after is None else _awake(cycle, after)


def _awake(cycle: TimedCycle, after: TimedCycle) -> BoundedNs | None:
    woke_ns, asleep_ns = cycle.outside.awake_from_ns, after.outside.asleep_from_ns
    slept = after.outside.intervals.get(IntervalName.ASLEEP)
    if woke_ns is None or asleep_ns is None or slept is None or asleep_ns <= woke_ns:
        return None
    if not _on_one_clock(cycle, after):
        return None
    # Both ends are edges of the line that bounds the sleep; the rate of clocks comes with the OS's.
    return BoundedNs(asleep_ns - woke_ns, slept.bound_ns)


def _on_one_clock(cycle: TimedCycle, after: TimedCycle) -> bool:
    """Return whether the board's clock went on from a wake to the next one, as the host's did."""
    first, second = cycle.wake_utc, after.wake_utc
    woke_ns, next_ns = cycle.outside.awake_from_ns, after.outside.awake_from_ns
    if first is None or second is None:
        # A capture is of one clock.
        return first is second
    if woke_ns is None or next_ns is None:
        return False
    elapsed_ns = next_ns - woke_ns
    apart_ns = abs(second.value_ns - first.value_ns - elapsed_ns)
    return apart_ns <= first.bound_ns + second.bound_ns + elapsed_ns * CLOCKS_PPB // _PPB
