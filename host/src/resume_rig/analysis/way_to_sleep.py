"""From the trigger of a sleep to SLP_S3# falling: what of it no clock of the OS shows.

    trigger -> SleepTime            accepted by embedded controller, chipset and user mode
    SleepTime -> the clock stops    the OS's own clock shows it
    the clock stops -> SLP_S3#      the firmware's part; FPDT tells it, or it is short

The wires time the whole, so the first and the third together are known. How they share it is not:
all that the OS did between two sleeps could have been earlier or later by as much, and every time
that it reports would be the same. So what is over is an interval in either place: none to all.
"""

from resume_rig.analysis.closure_terms import figure_of
from resume_rig.analysis.findings.thresholds import (
    ACCEPTED_NS,
    HIDDEN_BEFORE_NS,
    SUSPEND_TRAP_NS,
)
from resume_rig.analysis.reported_times import reported
from resume_rig.model.cycle import IntervalName, OutsideCycle
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs

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
