"""Measured and OS-reported times of one cycle as one statement: differences, never absolute times.

The parts are:

    press -> PLTRST# rising      measured
    PLTRST# rising -> TSC = 0    neither side observes it; the DUT profile bounds it
    TSC = 0 -> waking vector     BiosInit, OS-reported
    waking vector -> complete    DriverInit, OS-reported
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

from resume_rig.analysis.reconcile.norms import Norm, Norms
from resume_rig.analysis.reconcile.thresholds import (
    CLOCKS_PPB,
    ONE_CAUSE,
    UNEXPLAINED_NS,
    figure_of,
    inside,
    reported,
    residual,
)
from resume_rig.model.channel import Channel
from resume_rig.model.os_record import MAIN_PATH, ComponentKind, OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle
from resume_rig.model.units import NS_PER_MS, PPB


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


# Where no DUT profile says better. Assumed: about 1 ms on old parts, 100s of ms on new ones (CSME,
# straps, microcode, Boot Guard); no document gives it.
UNKNOWN_RESET_TO_TSC = BoundedNs(150 * NS_PER_MS, 150 * NS_PER_MS)
# The power sequence up to PLTRST#. Assumed, by adding up the parts' limits: 0.1 s on laptops, 1.1 s
# with a legacy power supply (ATX: T1 to 0.5 s, T3 to 0.5 s).
_UNKNOWN_POWER = BoundedNs(550 * NS_PER_MS, 550 * NS_PER_MS)


def press_to_resume_complete(
    outside: OutsideCycle, record: OsRecord | None, reset_to_tsc: BoundedNs
) -> BoundedNs | None:
    """Return press (or lid) to resume complete; None where a part is missing."""
    power = outside.intervals.get(IntervalName.PRESS_TO_PLTRST)
    within = inside(record)
    return None if power is None or within is None else power + reset_to_tsc + within


_DAY_MS = 24 * 60 * 60 * 1000
"""Assumed: what is longer is no part of a boot."""


def press_to_desktop(
    outside: OutsideCycle, record: OsRecord | None, reset_to_tsc: BoundedNs
) -> BoundedNs | None:
    """Return press to the desktop of a boot: wires, firmware, main path; None where one lacks.

    MainPathBootTime ends where the desktop is there. Whether it begins where the firmware hands
    over to the OS loader or where the loader starts the kernel, no source of the event says; both
    moments are in Kernel-Boot 30, and the bound holds both.
    """
    power = outside.intervals.get(IntervalName.PRESS_TO_PLTRST)
    if record is None or record.kind is not SleepKind.BOOT or power is None:
        return None
    loader_ms, kernel_ms = (
        figure_of(record, name) for name in ("start_os_image_ms", "exit_boot_services_exit_ms")
    )
    main_ms = next(
        (
            part.duration_ms
            for part in record.components
            if part.kind is ComponentKind.PHASE and part.name == MAIN_PATH
        ),
        None,
    )
    if loader_ms is None or main_ms is None or max(loader_ms, kernel_ms or 0, main_ms) > _DAY_MS:
        return None
    loader_ns = round(loader_ms * NS_PER_MS)
    late_ns = max(0, round((kernel_ms or loader_ms) * NS_PER_MS) - loader_ns)
    begins = BoundedNs(loader_ns + late_ns // 2, late_ns // 2 + NS_PER_MS)
    return power + reset_to_tsc + begins + BoundedNs(round(main_ms * NS_PER_MS), NS_PER_MS)


def light_after_complete(
    outside: OutsideCycle, record: OsRecord | None, reset_to_tsc: BoundedNs
) -> BoundedNs | None:
    """Return light minus resume complete; negative where the light came first.

    Press to light and press to complete share the press and the power sequence; both cancel, and
    so do their bounds.
    """
    light = outside.intervals.get(IntervalName.PLTRST_TO_LIGHT)
    within = inside(record)
    return None if light is None or within is None else light - reset_to_tsc - within


def unexplained(outside: OutsideCycle, record: OsRecord | None, norms: Norms) -> BoundedNs | None:
    """Return how far a cycle's residual is from the platform's constant.

    What is constant cancels (PLTRST# to TSC among it). The bound doubles: a median lies within the
    same bound as the values that it is of. The scatter of a given constant is no part of it.
    """
    rest = residual(outside, record)
    norm = None if record is None else norms.residual_of(outside, record)
    if rest is None or norm is None:
        return None
    return rest.from_median(norm.median_ns)


def is_unusual(rest: BoundedNs, norm: Norm | None) -> bool:
    """Return whether an unexplained rest is beyond bounds and this platform's own scatter."""
    if norm is None or norm.unusual_ns is None:
        return False
    return abs(rest.value_ns) > max(rest.bound_ns, UNEXPLAINED_NS, norm.unusual_ns)


def hidden_by_light(outside: OutsideCycle, record: OsRecord, norms: Norms) -> BoundedNs | None:
    """Return what a BIOS time as never lacks, where the light came as ever; None otherwise."""
    return of_one_cause(
        record,
        norms.bios_of(outside, record),
        unexplained(outside, record, norms),
        norms.residual_of(outside, record),
    )


def of_one_cause(
    record: OsRecord, bios: Norm | None, rest: BoundedNs | None, norm: Norm | None
) -> BoundedNs | None:
    """Return a rest that BiosInit alone explains; None where it does not.

    A BIOS time that is off its own median by what the rest is off the other way has one cause;
    what the display, a driver or the way to sleep did is none of its.

    Args:
        record: of the cycle.
        bios: what BiosInit is usually.
        rest: of the cycle, less what is usual; it holds a part that is minus BiosInit.
        norm: what is usual of the rest.
    """
    if rest is None or bios is None or bios.unusual_ns is None or record.bios_init_ms is None:
        return None
    off_ns = record.bios_init_ms * NS_PER_MS - bios.median_ns
    if abs(off_ns) <= max(bios.unusual_ns, UNEXPLAINED_NS) or not is_unusual(rest, norm):
        return None
    return rest if abs(off_ns + rest.value_ns) * ONE_CAUSE <= abs(rest.value_ns) else None


def awake_to_os(
    outside: OutsideCycle, record: OsRecord, reset_to_tsc: BoundedNs
) -> BoundedNs | None:
    """Return `awake_from_ns` to the waking vector, from S4 to the end of reading the image.

    None where BiosInit is missing, or from S4 HiberRead.
    """
    if record.bios_init_ms is None or outside.awake_from_ns is None:
        return None
    to_bios = power_up(outside) + reset_to_tsc + reported(record.bios_init_ms)
    if record.hiber_read_ms is not None:
        return to_bios + reported(record.hiber_read_ms)
    return None if record.kind is SleepKind.S4 else to_bios


def power_up(outside: OutsideCycle) -> BoundedNs:
    """Return `awake_from_ns` to PLTRST# rising, as far as the wires show it."""
    intervals = outside.intervals
    to_pltrst = intervals.get(IntervalName.PWR_OK_TO_PLTRST)
    if Channel.SLP_S3 not in outside.channels and to_pltrst is not None:
        return to_pltrst
    to_pwr_ok = intervals.get(IntervalName.SLP_S3_TO_PWR_OK)
    if to_pwr_ok is not None and to_pltrst is not None:
        return to_pwr_ok.joined(to_pltrst)
    from_press = intervals.get(IntervalName.PRESS_TO_PLTRST)
    to_slp_s3 = intervals.get(IntervalName.PRESS_TO_SLP_S3)
    if from_press is not None and to_slp_s3 is not None:
        return from_press - to_slp_s3
    return _UNKNOWN_POWER


def awake_times(cycles: Iterable[TimedCycle]) -> Iterator[BoundedNs | None]:
    """Yield for each cycle SLP_S3# rising to its falling in the next one, by the board's clock.

    None where the cycles' edges may be of two clocks: the board's began anew, or the host's, which
    alone would show that, was set.
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
    difference_ns = abs(second.value_ns - first.value_ns - elapsed_ns)
    return difference_ns <= first.bound_ns + second.bound_ns + elapsed_ns * CLOCKS_PPB // PPB
