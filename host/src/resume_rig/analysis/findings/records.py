"""Findings about the OS record itself: missing, without a measurement, doubled, with odd times."""

from resume_rig.analysis.findings.context import Found, RecordedCycle
from resume_rig.analysis.reconcile.terms import figure_of
from resume_rig.analysis.reconcile.thresholds import CLOCK_STEP_NS
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import OutsideCycle
from resume_rig.model.result.verdict import Finding, FindingKind

_NS_PER_US = 1_000
# Kinds of sleep after which the firmware hands over with a BIOS time.
_THROUGH_FIRMWARE = (SleepKind.S3, SleepKind.HYBRID, SleepKind.S4)


def record_missing(outside: OutsideCycle) -> Finding:
    """Return the finding of a cycle that slept and woke and that no OS record tells of."""
    return Finding(
        FindingKind.RECORD_MISSING,
        "The wires show a sleep and a wake, and no OS record of it was found.",
        {"asleep_from_ns": outside.asleep_from_ns, "awake_from_ns": outside.awake_from_ns},
    )


def record_findings(seen: RecordedCycle) -> Found:
    """Give what the record lacks, `record-doubled` and `clock-step`."""
    if seen.record.resume_ms is None:
        yield _unmeasured(seen.record)
    double = seen.around.history.double_of(seen.record)
    if double is not None:
        yield Finding(
            FindingKind.RECORD_DOUBLED,
            f"The OS wrote two records of one wake: {seen.record.record_id} and "
            f"{double.record_id}.",
            {"record_id": seen.record.record_id, "other_record_id": double.record_id},
        )
    steps = list(_clock_step(seen.record))
    yield from steps or _silent_step(seen)


def _unmeasured(record: OsRecord) -> Finding:
    evidence = {
        "record_id": record.record_id,
        "bios_init_ms": record.bios_init_ms,
        "driver_init_ms": record.driver_init_ms,
    }
    if record.kind is SleepKind.ABORTED:
        return Finding(
            FindingKind.RECORD_ABORTED,
            "The OS wrote a record with nothing but zeros of this cycle, as of a sleep that was "
            "given up; the wires show a sleep and a wake.",
            evidence,
        )
    if record.kind in _THROUGH_FIRMWARE and record.driver_init_ms is not None:
        return Finding(
            FindingKind.BIOS_NOT_REPORTED,
            f"The OS reports no BIOS time for this resume from {record.kind}: 0 means that it does "
            "not know, so nothing can be judged without a resume time.",
            evidence,
        )
    return Finding(
        FindingKind.NOT_MEASURED,
        f"The OS wrote a record of this cycle ({record.kind}) without a resume time in it.",
        evidence,
    )


def _clock_step(record: OsRecord) -> Found:
    sleep_ns, wake_ns = record.sleep_time_utc_ns, record.wake_time_utc_ns
    stepped_ns = round(figure_of(record, "clock_stepped_us") or 0) * _NS_PER_US
    backwards = sleep_ns is not None and wake_ns is not None and wake_ns < sleep_ns
    if abs(stepped_ns) <= CLOCK_STEP_NS and not backwards:
        return
    what = (
        "its record wakes before it sleeps"
        if backwards
        else f"somebody set it by {stepped_ns / 1e9:+.1f} s"
    )
    yield Finding(
        FindingKind.CLOCK_STEP,
        f"The OS clock stepped about this cycle: {what}.",
        {
            "stepped_ns": stepped_ns,
            "asleep_by_its_times_ns": None
            if sleep_ns is None or wake_ns is None
            else wake_ns - sleep_ns,
            "threshold_ns": CLOCK_STEP_NS,
        },
    )


def _silent_step(seen: RecordedCycle) -> Found:
    number = seen.outside.number
    step, apart = (
        of.get(number) for of in (seen.around.silent_steps, seen.around.clock_differences)
    )
    if step is not None:
        text = f"The OS clock was set by about {step.value_ns / 1e9:+.1f} s without an event, "
        text += "after this cycle's wake and before the clock stopped for the next sleep"
    elif apart is not None:
        text = f"The RTC went about {apart.value_ns / 1e9:+.1f} s from the OS clock around this "
        text += "sleep: one of the two was set without an event"
    else:
        return
    moved = step or apart or BoundedNs(0, 0)
    yield Finding(
        FindingKind.CLOCK_STEP,
        f"{text}; the light came as ever, so it was not the BIOS that took another time.",
        {
            "stepped_ns": moved.value_ns,
            "bound_ns": moved.bound_ns,
            "threshold_ns": CLOCK_STEP_NS,
        },
    )
