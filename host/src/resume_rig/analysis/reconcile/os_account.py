"""What the OS's own clock shows of a sleep, and how that clock stood to the host's.

It stops when the OS is frozen, and runs from the waking vector on, set from the RTC. The OS reads
the RTC in whole seconds, so each wake sets the clock to half a second.
"""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.reconcile.thresholds import (
    ACCEPTED_NS,
    CLOCKS_PPB,
    NO_SLEW,
    OS_CLOCK_NS,
    SUSPEND_TRAP_NS,
    WAKE_TIME_NS,
    Slew,
    figure_of,
    reported,
)
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OsClock, OsClockSegment, OutsideCycle
from resume_rig.model.units import NS_PER_MS, NS_PER_US, PPB

_ACCEPTED = BoundedNs(ACCEPTED_NS // 2, ACCEPTED_NS // 2)


def before_sleep(
    outside: OutsideCycle, record: OsRecord, before: OsRecord | None
) -> BoundedNs | None:
    """Return what the OS does not report between the trigger of the sleep and SLP_S3# falling.

    Its clock may show some of it, where it ran on after SleepDuration. The trigger being accepted
    and the firmware's part on the way down are taken off; negative or within its bound where
    nothing is hidden. None of a doze, of S3 or of Modern Standby, of which the OS reports the way
    to S4.

    Args:
        outside: the cycle.
        record: its record.
        before: the record before it in the log.
    """
    whole = outside.intervals.get(IntervalName.TRIGGER_TO_SLP_S3)
    if outside.hibernated_from_ns is not None:
        return None
    if whole is None or record.sleep_ms is None or record.resume_ms is None:
        return None
    if _is_doze(record, before):
        return None
    return whole - reported(record.sleep_ms) - _ACCEPTED - firmware_suspend(record)


def _is_doze(record: OsRecord, before: OsRecord | None) -> bool:
    """Return whether a sleep began as a Modern Standby ended."""
    if before is None or before.kind is not SleepKind.MODERN_STANDBY:
        return False
    ended_ns, began_ns = before.wake_time_utc_ns, record.sleep_time_utc_ns
    if ended_ns is None or began_ns is None:
        return False
    return abs(began_ns - ended_ns) <= OS_CLOCK_NS


def way_to_sleep(outside: OutsideCycle, record: OsRecord) -> BoundedNs | None:
    """Return the trigger of a sleep to SLP_S3# falling; None where it does not bound the sleep.

    It is being accepted (embedded controller, chipset, user mode), SleepTime to the clock's stop,
    and the firmware's part after that. How the first and the third share what the OS's clock does
    not show is not known: all that the OS did could have been earlier or later by as much, and
    every time that it reports would be the same.
    """
    whole = outside.intervals.get(IntervalName.TRIGGER_TO_SLP_S3)
    return None if before_sleep(outside, record, None) is None else whole


def sleep_to_stop(record: OsRecord, slew: Slew) -> BoundedNs | None:
    """Return SleepTime to the OS's clock stopping; SleepDuration where no event shows it."""
    ran_us = figure_of(record, "sleep_to_clock_stop_us")
    if ran_us is not None and not figure_of(record, "clock_steps"):
        ran_ns = round(ran_us) * NS_PER_US
        return BoundedNs(ran_ns, NS_PER_US + slew.most_of(ran_ns))
    return None if record.sleep_ms is None else reported(record.sleep_ms)


def firmware_suspend(record: OsRecord) -> BoundedNs:
    """Return the firmware's part on the way down."""
    suspend_ms = figure_of(record, "firmware_suspend_ms")
    if suspend_ms is None:
        return BoundedNs(SUSPEND_TRAP_NS // 2, SUSPEND_TRAP_NS // 2)
    return reported(round(suspend_ms))


def os_away(record: OsRecord, before: OsRecord | None, slew: Slew) -> BoundedNs | None:
    """Return RTC at the wake minus the OS clock at the sleep.

    The bound is without the half seconds of the RTC, and with what the clock strayed from it
    while the OS was awake before. Where no event shows when the clock stopped, it may have run on
    after SleepDuration, and the true value may be less by that. None where a part is not known,
    and where somebody set the clock since the wake before: Windows sets the RTC along with it,
    others do not, and no record says which.
    """
    if record.resume_ms is None or stepped_ns(record, before) != 0:
        return None
    jump_us = figure_of(record, "clock_jump_us")
    if jump_us is not None:
        away_ns, bound_ns = round(jump_us) * NS_PER_US, NS_PER_MS
    else:
        sleep_ns, began = record.sleep_time_utc_ns, _by_wake_time(record)
        if sleep_ns is None or began is None or record.sleep_ms is None:
            return None
        away_ns = began.value_ns - sleep_ns - record.sleep_ms * NS_PER_MS
        bound_ns = began.bound_ns + NS_PER_MS
    rate_ns = abs(away_ns) * CLOCKS_PPB // PPB
    return BoundedNs(away_ns, bound_ns + rate_ns + _strayed_ns(record, before, slew))


def _strayed_ns(record: OsRecord, before: OsRecord | None, slew: Slew) -> int:
    """Return how far the clock may have gone from the RTC since the wake before set it.

    By their rates, and by what a time service slewed. The time between is that of the OS's clock;
    before the first record it is not known, and a time service may have done its most.
    """
    woke_ns = None if before is None else before.wake_time_utc_ns
    if woke_ns is None or record.sleep_time_utc_ns is None:
        return slew.most_ns if slew.ppb else 0
    return slew.most_of(record.sleep_time_utc_ns - woke_ns)


def os_ran(record: OsRecord, after: OsRecord, slew: Slew) -> BoundedNs | None:
    """Return how long the clock ran from one record's wake to its stop in the next one's sleep.

    Steps in between are taken off, and what a time service may have slewed is in the bound. None
    where a part is not known.
    """
    began, running = _clock_started(record), sleep_to_stop(after, NO_SLEW)
    step_ns = stepped_ns(after, record)
    if began is None or running is None or step_ns is None or after.sleep_time_utc_ns is None:
        return None
    ran_ns = after.sleep_time_utc_ns + running.value_ns - began.value_ns - step_ns
    bound_ns = began.bound_ns + running.bound_ns + NS_PER_MS
    return BoundedNs(ran_ns, bound_ns + slew.most_of(ran_ns))


def _clock_started(record: OsRecord) -> BoundedNs | None:
    """Return what the clock was set to at the wake, UTC."""
    jump_us, ran_us = (
        figure_of(record, name) for name in ("clock_jump_us", "sleep_to_clock_stop_us")
    )
    if jump_us is not None and ran_us is not None and record.sleep_time_utc_ns is not None:
        since_ns = (round(jump_us) + round(ran_us)) * NS_PER_US
        return BoundedNs(record.sleep_time_utc_ns + since_ns, 3 * NS_PER_US)
    return _by_wake_time(record)


def _by_wake_time(record: OsRecord) -> BoundedNs | None:
    """Return WakeTime less WakeDuration; a step after the wake may be in WakeTime or not."""
    if record.wake_time_utc_ns is None or record.wake_ms is None:
        return None
    step_ns = round(figure_of(record, "clock_stepped_after_wake_us") or 0) * NS_PER_US
    began_ns = record.wake_time_utc_ns - record.wake_ms * NS_PER_MS
    half_ns = -(-abs(step_ns) // 2)
    return BoundedNs(began_ns - step_ns // 2, WAKE_TIME_NS + NS_PER_MS + half_ns)


def stepped_ns(record: OsRecord, before: OsRecord | None) -> int | None:
    """Return by how much the clock was set between the wake before and this sleep.

    A record's figures have the steps since the record before it.
    """
    whole_us = figure_of(record, "clock_stepped_us") or 0
    if before is None:
        return None if figure_of(record, "clock_steps") else 0
    after_us = figure_of(record, "clock_stepped_after_wake_us") or 0
    earlier_us = figure_of(before, "clock_stepped_after_wake_us") or 0
    return round(earlier_us + whole_us - after_us) * NS_PER_US


# After a wake the OS clock is the RTC's reading, whose fraction is .500 s: off by half a second
# either way. WakeTime is that reading and WakeDuration to some 15 ms.
_QUANTISATION_NS = 500_000_000 + 15_000_000
# Assumed: decides from how many readings on a rate is stated.
_DRIFT_OF_AT_LEAST = 10
# No crystal of a working PC is worse (assumed, as CLOCKS_PPB); so readings count the less, the
# farther from the middle.
_DRIFT_BOUND_PPM = 100.0


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The OS clock of one wake, and the host's.

    Attributes:
        host: host UTC at which the OS came back.
        os_ns: what the OS says that it was.
        cycle: number of the cycle.
    """

    host: BoundedNs
    os_ns: int
    cycle: int = 0


def os_clock(readings: Sequence[ClockReading]) -> OsClock | None:
    """Return OS minus host in the middle of the readings; None without one.

    The offset that all readings allow, if there is one; else (steps) their median, with a bound
    that holds them all. The drift is None below 10 readings, and where the half-second
    quantisation leaves it more uncertain than 100 ppm.
    """
    if not readings:
        return None
    base_ns = readings[0].os_ns - readings[0].host.value_ns
    difference = np.array([r.os_ns - r.host.value_ns - base_ns for r in readings], dtype=np.float64)
    at = np.array([r.host.value_ns - readings[0].host.value_ns for r in readings], dtype=np.float64)
    away = np.abs(at - (at.min() + at.max()) / 2)
    bound = np.array([r.host.bound_ns + _QUANTISATION_NS for r in readings], dtype=np.float64)
    bound += away * _DRIFT_BOUND_PPM / 1e6
    low, high = float((difference - bound).max()), float((difference + bound).min())
    if low <= high:
        middle, half = (low + high) / 2, (high - low) / 2
    else:
        middle = float(np.median(difference))
        half = float((np.abs(difference - middle) + bound).max())
    return OsClock(
        os_minus_host_s=(base_ns + middle) / 1e9,
        bound_s=half / 1e9,
        drift_ppm=_drift_ppm(at, difference),
    )


def with_segments(readings: Sequence[ClockReading], set_before: Collection[int]) -> OsClock | None:
    """Return the OS clock with a segment for each time between two settings; it holds them all.

    Args:
        readings: in order of their cycles.
        set_before: numbers of the cycles before which the clock was set.
    """
    whole = os_clock(readings)
    if whole is None or not set_before:
        return whole
    cuts = sorted(set_before)
    segments: list[OsClockSegment] = []
    for _, group in groupby(readings, key=lambda each: bisect_right(cuts, each.cycle)):
        part = list(group)
        own = os_clock(part)
        if own is not None:
            first, last = part[0].cycle, part[-1].cycle
            value_s, bound_s = own.os_minus_host_s, own.bound_s
            segments.append(OsClockSegment(first, last, value_s, bound_s, own.drift_ppm))
    # A setting by less than the RTC's second can leave an offset that all readings allow, and that
    # was true on no side of it.
    reach_s = max(abs(s.os_minus_host_s - whole.os_minus_host_s) + s.bound_s for s in segments)
    return replace(whole, bound_s=max(whole.bound_s, reach_s), segments=tuple(segments))


def _drift_ppm(
    at_ns: NDArray[np.float64],
    difference_ns: NDArray[np.float64],
) -> float | None:
    """Return the least-squares slope in ppm; both arrays float64 [n]."""
    centred = at_ns - at_ns.mean()
    weight = float((centred**2).sum())
    if len(at_ns) < _DRIFT_OF_AT_LEAST or weight == 0.0:
        return None
    # Two standard deviations of the slope, one reading being uniform over its quantisation.
    uncertain_ppm = 2 * _QUANTISATION_NS / np.sqrt(3) / np.sqrt(weight) * 1e6
    if uncertain_ppm > _DRIFT_BOUND_PPM:
        return None
    return float((centred * difference_ns).sum() / weight * 1e6)
