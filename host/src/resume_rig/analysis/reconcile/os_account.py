"""What the OS's own clock shows of a sleep: the way to it, and how long it stood.

    trigger -> SleepTime            accepted by embedded controller, chipset and user mode
    SleepTime -> the clock stops    the OS's own clock shows it
    the clock stops -> SLP_S3#      the firmware's part; FPDT tells it, or it is short

The wires time the whole, so the first and the third together are known. How they share it is not:
all that the OS did between two sleeps could have been earlier or later by as much, and every time
that it reports would be the same. So what is over is an interval in either place: none to all.

It stops when the OS is frozen, and runs from the waking vector on, set from the RTC. The OS reads
the RTC in whole seconds, so each wake sets the clock to half a second.
"""

from resume_rig.analysis.reconcile.terms import MS_NS, figure_of, reported
from resume_rig.analysis.reconcile.thresholds import (
    ACCEPTED_NS,
    CLOCKS_PPB,
    HIDDEN_BEFORE_NS,
    OS_CLOCK_NS,
    SLEW_PPB,
    SUSPEND_TRAP_NS,
    WAKE_TIME_NS,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle

_NS_PER_US = 1_000
_ACCEPTED = BoundedNs(ACCEPTED_NS // 2, ACCEPTED_NS // 2)


def before_sleep(outside: OutsideCycle, record: OsRecord) -> BoundedNs | None:
    """Return what the OS does not report between the trigger of the sleep and SLP_S3# falling.

    Its clock may show some of it, where it ran on after SleepDuration. The trigger being accepted
    and the firmware's part on the way down are taken off; negative or within its bound where
    nothing is hidden. None of a doze, of which the OS tells the way to S4.
    """
    whole = outside.intervals.get(IntervalName.TRIGGER_TO_SLP_S3)
    if outside.hibernated_from_ns is not None:
        return None
    if whole is None or record.sleep_ms is None or record.resume_ms is None:
        return None
    return whole - reported(record.sleep_ms) - _ACCEPTED - firmware_suspend(record)


def is_hidden(rest: BoundedNs) -> bool:
    """Return whether so much before the sleep is a finding."""
    return rest.value_ns - rest.bound_ns > HIDDEN_BEFORE_NS


def stop_to_power_down(outside: OutsideCycle, record: OsRecord) -> BoundedNs | None:
    """Return the OS's clock stopping to SLP_S3# falling, as far as anybody knows.

    The firmware's part is the least, all that the OS's clock does not show the most. None where
    nobody saw the trigger of the sleep: nothing bounds it then.
    """
    whole = outside.intervals.get(IntervalName.TRIGGER_TO_SLP_S3)
    running = sleep_to_stop(record)
    if before_sleep(outside, record) is None or whole is None or running is None:
        return None
    firmware, rest = firmware_suspend(record), whole - running
    least_ns = firmware.value_ns - firmware.bound_ns
    most_ns = max(rest.value_ns + rest.bound_ns, least_ns)
    half_ns = -(-(most_ns - least_ns) // 2)
    return BoundedNs(least_ns + half_ns, half_ns)


def sleep_to_stop(record: OsRecord) -> BoundedNs | None:
    """Return SleepTime to the OS's clock stopping; SleepDuration where no event tells."""
    ran_us = figure_of(record, "sleep_to_clock_stop_us")
    if ran_us is not None and not figure_of(record, "clock_steps"):
        return BoundedNs(round(ran_us) * _NS_PER_US, _NS_PER_US)
    return None if record.sleep_ms is None else reported(record.sleep_ms)


def firmware_suspend(record: OsRecord) -> BoundedNs:
    """Return the firmware's part on the way down."""
    told_ms = figure_of(record, "firmware_suspend_ms")
    if told_ms is None:
        return BoundedNs(SUSPEND_TRAP_NS // 2, SUSPEND_TRAP_NS // 2)
    return reported(round(told_ms))


_PPB = 1_000_000_000


def os_away(record: OsRecord, before: OsRecord | None) -> BoundedNs | None:
    """Return RTC at the wake minus the OS clock at the sleep.

    The bound is without the half seconds of the RTC, and with what the clock strayed from it
    while the OS was awake before. Where no event tells when the clock stopped, it may have run on
    after SleepDuration, and the true value may be less by that. None where a part is not known,
    and where somebody set the clock since the wake before: Windows sets the RTC along with it,
    others do not, and no record says which.
    """
    if record.resume_ms is None or stepped_ns(record, before) != 0:
        return None
    jump_us = figure_of(record, "clock_jump_us")
    if jump_us is not None:
        away_ns, bound_ns = round(jump_us) * _NS_PER_US, MS_NS
    else:
        sleep_ns, began = record.sleep_time_utc_ns, _by_wake_time(record)
        if sleep_ns is None or began is None or record.sleep_ms is None:
            return None
        away_ns = began.value_ns - sleep_ns - record.sleep_ms * MS_NS
        bound_ns = began.bound_ns + MS_NS
    rate_ns = abs(away_ns) * CLOCKS_PPB // _PPB
    return BoundedNs(away_ns, bound_ns + rate_ns + _strayed_ns(record, before))


def _strayed_ns(record: OsRecord, before: OsRecord | None) -> int:
    """Return how far the clock may have gone from the RTC since the wake before set it.

    By their rates, and by what a time service slewed: the half second of the RTC's reading at most.
    The time between is that of the OS's clock; before the first record, nobody knows it.
    """
    woke_ns = None if before is None else before.wake_time_utc_ns
    if woke_ns is None or record.sleep_time_utc_ns is None:
        return 0
    return _off_by_rates_ns(record.sleep_time_utc_ns - woke_ns)


def _off_by_rates_ns(awake_ns: int) -> int:
    """Return how far clocks may part while the OS is awake; a time service slews 0.5 s at most."""
    awake_ns = abs(awake_ns)
    return awake_ns * CLOCKS_PPB // _PPB + min(awake_ns * SLEW_PPB // _PPB, OS_CLOCK_NS)


def os_ran(record: OsRecord, after: OsRecord) -> BoundedNs | None:
    """Return how long the clock ran from one record's wake to its stop in the next one's sleep.

    Steps in between are taken off, and what a time service may have slewed is in the bound. None
    where a part is not known.
    """
    began, running = _clock_started(record), sleep_to_stop(after)
    step_ns = stepped_ns(after, record)
    if began is None or running is None or step_ns is None or after.sleep_time_utc_ns is None:
        return None
    ran_ns = after.sleep_time_utc_ns + running.value_ns - began.value_ns - step_ns
    bound_ns = began.bound_ns + running.bound_ns + MS_NS
    return BoundedNs(ran_ns, bound_ns + _off_by_rates_ns(ran_ns))


def _clock_started(record: OsRecord) -> BoundedNs | None:
    """Return what the clock was set to at the wake, UTC."""
    jump_us, ran_us = (
        figure_of(record, name) for name in ("clock_jump_us", "sleep_to_clock_stop_us")
    )
    if jump_us is not None and ran_us is not None and record.sleep_time_utc_ns is not None:
        since_ns = (round(jump_us) + round(ran_us)) * _NS_PER_US
        return BoundedNs(record.sleep_time_utc_ns + since_ns, 3 * _NS_PER_US)
    return _by_wake_time(record)


def _by_wake_time(record: OsRecord) -> BoundedNs | None:
    """Return WakeTime less WakeDuration; a step after the wake may be in WakeTime or not."""
    if record.wake_time_utc_ns is None or record.wake_ms is None:
        return None
    step_ns = round(figure_of(record, "clock_stepped_after_wake_us") or 0) * _NS_PER_US
    began_ns = record.wake_time_utc_ns - record.wake_ms * MS_NS
    half_ns = -(-abs(step_ns) // 2)
    return BoundedNs(began_ns - step_ns // 2, WAKE_TIME_NS + MS_NS + half_ns)


def stepped_ns(record: OsRecord, before: OsRecord | None) -> int | None:
    """Return by how much the clock was set between the wake before and this sleep.

    A record's figures tell of the steps since the record before it.
    """
    whole_us = figure_of(record, "clock_stepped_us") or 0
    if before is None:
        return None if figure_of(record, "clock_steps") else 0
    after_us = figure_of(record, "clock_stepped_after_wake_us") or 0
    earlier_us = figure_of(before, "clock_stepped_after_wake_us") or 0
    return round(earlier_us + whole_us - after_us) * _NS_PER_US
