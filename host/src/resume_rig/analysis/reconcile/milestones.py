"""Where the milestones of one wake stand, measured and OS-reported, on one axis from its trigger.

Neither side observes the OS's own zero (the TSC's, shortly after PLTRST# rises): it is placed at
resume complete minus what the OS reports. Where clock and wires contradict the BIOS time, what they
add stands before it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.reconcile.hidden_time import hidden_bios, is_of_another_light
from resume_rig.analysis.reconcile.thresholds import inside
from resume_rig.model.channel import TRIGGER_WORDS, Actuator, WakeBy
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle, ReconciledCycle
from resume_rig.model.units import NS_PER_MS


@dataclass(frozen=True, slots=True)
class OutsideMilestones:
    """When each line moved, counted from the wake trigger; None where it was not observed."""

    slp_s3: BoundedNs | None
    pwr_ok: BoundedNs | None
    pltrst: BoundedNs | None
    light: BoundedNs | None


@dataclass(frozen=True, slots=True)
class InsideMilestones:
    """The OS's phases, placed on the same axis.

    Attributes:
        bios_from_ns, drivers_from_ns: where the phases begin.
        complete: all devices have completed their S0 set-power IRP.
        limit_ns: where resume complete would stand if it had used the whole limit; None without a
            limit on the total resume time.
        image_from_ns: where reading a hibernation file begins; it ends where drivers begin. Equal
            to that where there is none.
        hidden: what clock and wires add to the reported BIOS time, negative where they leave less;
            None where they do not contradict it. It is in `complete`, and stands before the BIOS.
    """

    bios_from_ns: int
    drivers_from_ns: int
    complete: BoundedNs
    limit_ns: int | None
    image_from_ns: int
    hidden: BoundedNs | None = None


def outside_milestones(outside: OutsideCycle) -> OutsideMilestones:
    """Return the wake's milestones, by the most direct intervals that were formed."""
    get = outside.intervals.get
    slp_s3 = get(IntervalName.PRESS_TO_SLP_S3)
    pwr_ok = _either(get(IntervalName.PRESS_TO_PWR_OK), slp_s3, get(IntervalName.SLP_S3_TO_PWR_OK))
    pltrst = _either(get(IntervalName.PRESS_TO_PLTRST), pwr_ok, get(IntervalName.PWR_OK_TO_PLTRST))
    light = _either(get(IntervalName.PRESS_TO_LIGHT), pltrst, get(IntervalName.PLTRST_TO_LIGHT))
    return OutsideMilestones(slp_s3, pwr_ok, pltrst, light)


def inside_milestones(
    cycle: ReconciledCycle, limit_ms: int | None, reset_to_tsc: BoundedNs | None = None
) -> InsideMilestones | None:
    """Return where the OS's phases stand; None where that is not known: it is never guessed.

    Args:
        cycle: one that is reconciled.
        limit_ms: on the total resume time.
        reset_to_tsc: PLTRST# rising to the TSC's zero; with it a cycle is placed whose BIOS time
            clock and wires contradict.
    """
    record, hidden = cycle.record, hidden_bios(cycle)
    complete = cycle.press_to_resume_complete
    within = None if cycle.bios_impossible else inside(record)
    if complete is None and hidden is not None and reset_to_tsc is not None:
        power = outside_milestones(cycle.outside).pltrst
        if power is not None and within is not None:
            # The error of PLTRST# to the TSC's zero is in the hidden time already.
            zero = BoundedNs(reset_to_tsc.value_ns, 0)
            complete = power + zero + hidden + within
    if record is None or complete is None or within is None:
        return None
    bios_ns = (record.bios_init_ms or 0) * NS_PER_MS + min(0, hidden.value_ns if hidden else 0)
    drivers_from_ns = complete.value_ns - (record.driver_init_ms or 0) * NS_PER_MS
    image_from_ns = drivers_from_ns - (record.hiber_read_ms or 0) * NS_PER_MS
    bios_from_ns = image_from_ns - max(bios_ns, 0)
    limit_ns = None
    if limit_ms is not None:
        before_ns = max(0, hidden.value_ns) if hidden else 0
        limit_ns = bios_from_ns - before_ns + limit_ms * NS_PER_MS
    return InsideMilestones(
        bios_from_ns, drivers_from_ns, complete, limit_ns, image_from_ns, hidden
    )


def complete_of(cycle: ReconciledCycle, placed: InsideMilestones | None) -> BoundedNs | None:
    """Return resume complete from the trigger, as every face has it; None where it is not known."""
    if cycle.press_to_resume_complete is not None or placed is None:
        return cycle.press_to_resume_complete
    return placed.complete


def light_after(cycle: ReconciledCycle, placed: InsideMilestones | None) -> BoundedNs | None:
    """Return display on minus resume complete, as it is placed; None where either is not known."""
    light = outside_milestones(cycle.outside).light
    if cycle.light_after_complete is not None or placed is None or light is None:
        return cycle.light_after_complete
    if is_of_another_light(cycle.findings):
        return None
    return light - placed.complete


PRESS: Final = TRIGGER_WORDS[Actuator.BUTTON]
"""What times of the wires count from, unless cycles say otherwise."""


def trigger_word(by: Collection[WakeBy | None]) -> str:
    """Return what the axis begins with: "press", "lid opening", or all where several occur.

    Where no cycle shows what woke it, as a timer's wakes, it is the trigger.

    Args:
        by: what woke the DUT, of each cycle or each that occurs.
    """
    seen = " or ".join(word for each, word in TRIGGER_WORDS.items() if each in by)
    return seen or ("trigger" if by else PRESS)


def _either(
    direct: BoundedNs | None, before: BoundedNs | None, step: BoundedNs | None
) -> BoundedNs | None:
    if direct is not None:
        return direct
    return None if before is None or step is None else before.joined(step)
