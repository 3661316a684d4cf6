"""Puts outside and inside of one cycle on one axis whose zero is the wake trigger.

The inside's own zero (the TSC's, shortly after PLTRST# rises) is seen by neither side. It is
placed by the reconciliation: resume complete minus BIOS minus drivers.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from resume_rig.model.channel import Actuator
from resume_rig.model.cycle import IntervalName, OutsideCycle, ReconciledCycle
from resume_rig.model.light import LightBasis
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.units import count_of

NS_PER_MS = 1_000_000
_LIGHT = {
    LightBasis.HALF: "t_50, the moment of half of the panel's settled level",
    LightBasis.BLOCKS: "t_50 as blocks of 1 ms tell it",
    LightBasis.LARGEST_STEP: "t_50 of the largest step, where light came in several steps",
    LightBasis.COMPARATOR: "the edge of the photodiode's comparator",
}


@dataclass(frozen=True, slots=True)
class OutsideMilestones:
    """When each line moved, counted from the wake trigger; None where it was not seen."""

    slp_s3: BoundedNs | None
    pwr_ok: BoundedNs | None
    pltrst: BoundedNs | None
    light: BoundedNs | None


@dataclass(frozen=True, slots=True)
class InsideMilestones:
    """The OS's phases, placed on the same axis.

    Attributes:
        bios_from_ns, drivers_from_ns: where the phases begin.
        complete: all devices have their S0 IRP.
        limit_ns: where resume complete would stand if it had used the whole limit; None where
            BIOS + drivers have none.
    """

    bios_from_ns: int
    drivers_from_ns: int
    complete: BoundedNs
    limit_ns: int | None


def outside_milestones(outside: OutsideCycle) -> OutsideMilestones:
    """Return the wake's milestones, by the most direct intervals that were formed."""
    get = outside.intervals.get
    slp_s3 = get(IntervalName.PRESS_TO_SLP_S3)
    pwr_ok = _either(get(IntervalName.PRESS_TO_PWR_OK), slp_s3, get(IntervalName.SLP_S3_TO_PWR_OK))
    pltrst = _either(get(IntervalName.PRESS_TO_PLTRST), pwr_ok, get(IntervalName.PWR_OK_TO_PLTRST))
    light = _either(get(IntervalName.PRESS_TO_LIGHT), pltrst, get(IntervalName.PLTRST_TO_LIGHT))
    return OutsideMilestones(slp_s3, pwr_ok, pltrst, light)


def inside_milestones(cycle: ReconciledCycle, limit_ms: int | None) -> InsideMilestones | None:
    """Return the inside's phases; None where it cannot be placed: it is never guessed."""
    record, complete = cycle.record, cycle.press_to_resume_complete
    if record is None or complete is None:
        return None
    if record.bios_init_ms is None or record.driver_init_ms is None:
        return None
    drivers_from_ns = complete.value_ns - record.driver_init_ms * NS_PER_MS
    bios_from_ns = drivers_from_ns - record.bios_init_ms * NS_PER_MS
    limit_ns = None if limit_ms is None else bios_from_ns + limit_ms * NS_PER_MS
    return InsideMilestones(bios_from_ns, drivers_from_ns, complete, limit_ns)


def trigger_word(cycles: Iterable[ReconciledCycle]) -> str:
    """Return what the axis begins with: "press", "lid opening", or both where both occur."""
    by = {cycle.outside.wake_by for cycle in cycles} - {None}
    if by == {Actuator.LID}:
        return "lid opening"
    return "press or lid opening" if Actuator.LID in by else "press"


def light_words(cycles: Iterable[ReconciledCycle]) -> str:
    """Return what light means in these cycles, in a sentence; empty where none was timed."""
    counted = Counter(cycle.outside.light_basis for cycle in cycles)
    found = [(basis, counted[basis]) for basis in LightBasis if counted[basis]]
    if not found:
        return ""
    if len(found) == 1:
        return f"Light is {_LIGHT[found[0][0]]}."
    told = ", ".join(f"in {count_of(count, 'cycle')} {_LIGHT[basis]}" for basis, count in found)
    return f"Light is {told}."


def _either(
    direct: BoundedNs | None, before: BoundedNs | None, step: BoundedNs | None
) -> BoundedNs | None:
    if direct is not None:
        return direct
    return None if before is None or step is None else before.joined(step)
