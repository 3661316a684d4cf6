"""Where outside and inside of one cycle disagree: findings, each with its evidence.

docs/reference/findings.md tells what each of them means. A finding is made only where no
explanation within the bounds is left.
"""

from collections.abc import Iterator

from resume_rig.analysis.reconcile import (
    Norms,
    awake_to_os,
    firmware_extra_ms,
    unexplained,
)
from resume_rig.analysis.reported_times import MS_NS
from resume_rig.model.channel import Channel
from resume_rig.model.cycle import IntervalName, OutsideCycle, OutsideState
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.requirement import Requirement
from resume_rig.model.verdict import Finding, FindingKind

# Two values in whole milliseconds, each off by less than 1.
_FIRMWARE_ORDER_MS = 2
_FIRMWARE_DRIFT_MS = 20
_UNEXPLAINED_NS = 50 * MS_NS
# Drivers and light vary by themselves, and nothing makes the one wait for the other. Five standard
# deviations of this campaign's own residuals are no such variation.
_UNUSUAL_SIGMAS = 5
# The OS's clock is off by up to 0.5 s before the sleep and 0.5 s after it (RTC, half seconds).
_HIDDEN_NS = 2_000 * MS_NS

_STATES = {
    # The power stays on in S1 as it does in S0ix.
    SleepKind.S1: frozenset({OutsideState.S0IX}),
    SleepKind.S3: frozenset({OutsideState.S3}),
    # Resumed from RAM after S3, or from the image after the power was lost.
    SleepKind.HYBRID: frozenset({OutsideState.S3, OutsideState.S4, OutsideState.S5}),
    # SLP_S5# goes low in S4 on some boards.
    SleepKind.S4: frozenset({OutsideState.S4, OutsideState.S5}),
    SleepKind.FAST_STARTUP: frozenset({OutsideState.S4, OutsideState.S5}),
    SleepKind.DOZE: frozenset({OutsideState.S3, OutsideState.S4, OutsideState.S5}),
    SleepKind.MODERN_STANDBY: frozenset({OutsideState.S0IX}),
    SleepKind.S2IDLE: frozenset({OutsideState.S0IX}),
}
_SOFT_OFF = frozenset({OutsideState.S4, OutsideState.S5})


def record_missing(outside: OutsideCycle) -> Finding:
    """Return the finding of a cycle that slept and woke and that no OS record tells of."""
    return Finding(
        FindingKind.RECORD_MISSING,
        "The wires show a sleep and a wake, and no OS record of it was found.",
        {"asleep_from_ns": outside.asleep_from_ns, "awake_from_ns": outside.awake_from_ns},
    )


def state_mismatch(outside: OutsideCycle, record: OsRecord) -> Finding | None:
    """Return a finding where the OS tells of another kind of sleep than the wires show."""
    expected = _STATES.get(record.kind)
    state = outside.state
    if expected is None or state is OutsideState.NONE or state in expected:
        return None
    could_show_s4 = Channel.SLP_S4 in outside.channels or Channel.SLP_S5 in outside.channels
    if state is OutsideState.S3 and expected <= _SOFT_OFF and not could_show_s4:
        return None
    return Finding(
        FindingKind.STATE_MISMATCH,
        f"The OS tells of {record.kind}, and the wires show {state}.",
        {"kind_inside": str(record.kind), "state_outside": str(state)},
    )


def disagreements(
    outside: OutsideCycle,
    record: OsRecord,
    norms: Norms,
    requirement: Requirement,
    reset_to_tsc: BoundedNs,
) -> tuple[Finding, ...]:
    """Return every finding of one cycle and its record."""
    found = [
        _not_measured(record),
        state_mismatch(outside, record),
        *_firmware_disagrees(record, norms),
        _under_reported(outside, record, reset_to_tsc),
        _bios_over_advised(record, requirement),
        _unexplained(outside, record, norms),
    ]
    return tuple(finding for finding in found if finding is not None)


def _not_measured(record: OsRecord) -> Finding | None:
    if record.resume_ms is not None:
        return None
    return Finding(
        FindingKind.NOT_MEASURED,
        f"The OS wrote a record of this cycle ({record.kind}) without a resume time in it.",
        {
            "record_id": record.record_id,
            "bios_init_ms": record.bios_init_ms,
            "driver_init_ms": record.driver_init_ms,
        },
    )


def _firmware_disagrees(record: OsRecord, norms: Norms) -> Iterator[Finding]:
    extra_ms = firmware_extra_ms(record)
    if extra_ms is None:
        return
    evidence = {
        "bios_init_ms": record.bios_init_ms,
        "firmware_resume_ms": record.firmware_resume_ms,
        "usual_difference_ms": norms.firmware_extra_ms,
    }
    if extra_ms <= -_FIRMWARE_ORDER_MS:
        yield Finding(
            FindingKind.FIRMWARE_DISAGREES,
            f"The OS reports {record.bios_init_ms} ms for the BIOS, less than the "
            f"{record.firmware_resume_ms} ms that the firmware itself claims (FPDT FullResume).",
            evidence,
        )
    elif (
        norms.firmware_extra_ms is not None
        and abs(extra_ms - norms.firmware_extra_ms) > _FIRMWARE_DRIFT_MS
    ):
        yield Finding(
            FindingKind.FIRMWARE_DISAGREES,
            f"BiosInit and the firmware's FullResume are {extra_ms} ms apart; "
            f"{norms.firmware_extra_ms:g} ms is usual in this campaign.",
            evidence,
        )


def _under_reported(
    outside: OutsideCycle, record: OsRecord, reset_to_tsc: BoundedNs
) -> Finding | None:
    """Compare the OS's own count of the time it was away with what wires and BiosInit explain."""
    away_ns = _os_away_ns(record)
    asleep = outside.intervals.get(IntervalName.ASLEEP)
    to_os = awake_to_os(outside, record, reset_to_tsc)
    if record.kind is not SleepKind.S3 or away_ns is None or asleep is None or to_os is None:
        return None
    explained = asleep + to_os
    hidden_ns = away_ns - explained.value_ns
    if abs(hidden_ns) <= _HIDDEN_NS + explained.bound_ns:
        return None
    more = "more" if hidden_ns > 0 else "less"
    return Finding(
        FindingKind.UNDER_REPORTED,
        f"By its own clock the OS was away for {away_ns / 1e9:.1f} s, {abs(hidden_ns) / 1e9:.1f} s "
        f"{more} than the sleep on the wires and the BIOS time that it reports add up to.",
        {
            "os_away_ns": away_ns,
            "explained_ns": explained.value_ns,
            "explained_bound_ns": explained.bound_ns,
        },
    )


def _os_away_ns(record: OsRecord) -> int | None:
    if (
        record.resume_ms is None
        or record.wake_time_utc_ns is None
        or record.sleep_time_utc_ns is None
        or record.wake_ms is None
        or record.sleep_ms is None
    ):
        return None
    whole_ns = record.wake_time_utc_ns - record.sleep_time_utc_ns
    return whole_ns - (record.wake_ms + record.sleep_ms) * MS_NS


def _bios_over_advised(record: OsRecord, requirement: Requirement) -> Finding | None:
    advised_ms, bios_ms = requirement.bios_advised_ms, record.bios_init_ms
    if advised_ms is None or bios_ms is None or bios_ms <= advised_ms:
        return None
    return Finding(
        FindingKind.BIOS_OVER_ADVISED,
        f"The BIOS took {bios_ms} ms; {requirement.id} advises at most {advised_ms} ms.",
        {"bios_init_ms": bios_ms, "bios_advised_ms": advised_ms},
    )


def _unexplained(outside: OutsideCycle, record: OsRecord, norms: Norms) -> Finding | None:
    rest = unexplained(outside, record, norms)
    if rest is None or norms.residual_spread_ns is None:
        return None
    unusual_ns = _UNUSUAL_SIGMAS * norms.residual_spread_ns
    if abs(rest.value_ns) <= max(2 * rest.bound_ns, _UNEXPLAINED_NS, unusual_ns):
        return None
    more = "later" if rest.value_ns > 0 else "earlier"
    return Finding(
        FindingKind.UNEXPLAINED,
        f"The light came {abs(rest.value_ns) / 1e6:.0f} ms {more} than BiosInit, DriverInit and "
        "the usual rest of this campaign explain.",
        {
            "unexplained_ns": rest.value_ns,
            "bound_ns": rest.bound_ns,
            "usual_spread_ns": norms.residual_spread_ns,
        },
    )
