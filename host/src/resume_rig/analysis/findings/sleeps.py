"""Findings about a sleep and its OS record: its kind, its way, its end; what the record lacks."""

from typing import Final

from resume_rig.analysis.cycles.health import drains_finding
from resume_rig.analysis.findings.context import Found, RecordedCycle
from resume_rig.analysis.reconcile.os_account import before_sleep
from resume_rig.analysis.reconcile.thresholds import (
    CLOCK_STEP_NS,
    HIDDEN_BEFORE_NS,
    S0_POWER_SHARE,
    figure_of,
)
from resume_rig.model.channel import COMMANDED, TRIGGER_WORDS, Actuator, Channel, WakeBy
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import SOFT_OFF, Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.model.units import NS_PER_US

_STATES = {
    # The power stays on in S1 as it does in S0ix.
    SleepKind.S1: frozenset({OutsideState.S0IX}),
    SleepKind.S3: frozenset({OutsideState.S3}),
    # Resumed from RAM after S3, or from the image after the power was lost.
    SleepKind.HYBRID: frozenset({OutsideState.S3, OutsideState.S4, OutsideState.S5}),
    SleepKind.S4: SOFT_OFF,
    SleepKind.FAST_STARTUP: SOFT_OFF,
    SleepKind.DOZE: frozenset({OutsideState.S3, OutsideState.S4, OutsideState.S5}),
    SleepKind.MODERN_STANDBY: frozenset({OutsideState.S0IX}),
    SleepKind.S2IDLE: frozenset({OutsideState.S0IX}),
}
_S3 = frozenset({SleepKind.S3, SleepKind.HYBRID})
# Names that the readers decode from numbers; the texts of the OS are in any language. A lid is a
# device to Windows, or unknown; a button that an EC passes on may be unknown too.
_OTHER_SOURCES = {
    Actuator.BUTTON: frozenset({"device", "timer", "timer of a legacy driver"}),
    Actuator.LID: frozenset({"power button", "sleep button", "timer", "timer of a legacy driver"}),
    **dict.fromkeys(
        COMMANDED,
        frozenset({"power button", "sleep button", "timer", "timer of a legacy driver"}),
    ),
}


def state_mismatch(outside: OutsideCycle, record: OsRecord) -> Finding | None:
    """Return a finding where the OS reports another kind of sleep than the wires show."""
    expected = _STATES.get(record.kind)
    state = outside.state
    if expected is None or state is OutsideState.NONE or state in expected:
        return None
    could_show_s4 = Channel.SLP_S4 in outside.channels or Channel.SLP_S5 in outside.channels
    if state is OutsideState.S3 and expected <= SOFT_OFF and not could_show_s4:
        return None
    return Finding(
        FindingKind.STATE_MISMATCH,
        f"The OS reports {record.kind}, and the wires show {state}.",
        {"kind_inside": str(record.kind), "state_outside": str(state)},
    )


def sleep_findings(pair: RecordedCycle) -> Found:
    """Give `state-mismatch`, `s0-power-asleep`, `hidden-before-sleep`, `wake-source-mismatch`."""
    mismatch = state_mismatch(pair.outside, pair.record)
    if mismatch is not None:
        yield mismatch
    yield from _s0_power(pair)
    yield from _drains(pair)
    yield from _hidden_before(pair)
    yield from _wake_source(pair)


def _s0_power(pair: RecordedCycle) -> Found:
    """Give a finding where the OS reports S3, and the supply shows more beyond its uncertainty."""
    power, around = pair.outside.power, pair.around
    asleep = None if power is None else power.asleep_w
    if asleep is None or pair.record.kind not in _S3:
        return
    limit_w = around.platform.s3_power_max_w
    source = "as the DUT profile has it"
    if limit_w is None:
        if around.awake_w is None:
            return
        limit_w = S0_POWER_SHARE * around.awake_w
        source = f"half of the {around.awake_w:.3g} W that it draws awake"
    if asleep.value - asleep.expanded <= limit_w:
        return
    yield Finding(
        FindingKind.S0_POWER_ASLEEP,
        f"The OS says {pair.record.kind}, and the DUT drew {asleep.text('W')} "
        f"asleep; in S3 that is at most {limit_w:.3g} W, {source}.",
        {
            "asleep_w": asleep.value,
            "expanded_w": asleep.expanded,
            "limit_w": limit_w,
            "awake_w": around.awake_w,
        },
    )


_STANDBY: Final = frozenset({SleepKind.MODERN_STANDBY, SleepKind.S2IDLE})
_RESIDENCIES: Final = ("hardware_drips_percent", "drips_percent")
"""Of Kernel-Power 507 and SleepStudy, that of the hardware first."""


def _drains(pair: RecordedCycle) -> Found:
    """Give a finding where a Modern Standby was not a deep one, by power or by the OS's account."""
    cycle, record = pair.outside, pair.record
    if record.kind not in _STANDBY or cycle.standby_ns is None:
        return
    if any(finding.kind is FindingKind.DRAINS_ASLEEP for finding in cycle.findings):
        return
    limit_w = None if pair.around.awake_w is None else S0_POWER_SHARE * pair.around.awake_w
    asleep = None if cycle.power is None else cycle.power.asleep_w
    if asleep is not None and limit_w is not None and asleep.value - asleep.expanded > limit_w:
        yield Finding(
            FindingKind.DRAINS_ASLEEP,
            f"The DUT drew {asleep.text('W')} in Modern Standby; more than {limit_w:.3g} W, half "
            "of what it draws awake, is no deep state.",
            {"asleep_w": asleep.value, "expanded_w": asleep.expanded, "limit_w": limit_w},
        )
        return
    figures = {figure.name: figure.value for figure in record.figures}
    name = next((each for each in _RESIDENCIES if each in figures), None)
    if name is not None:
        deep_s = figures[name] / 100 * cycle.standby_ns / 1e9
        words = "the OS's account, by hardware" if name.startswith("hard") else "the OS's account"
        found = drains_finding(deep_s, cycle.standby_ns, words)
        if found is not None:
            yield found


def _hidden_before(pair: RecordedCycle) -> Found:
    rest = before_sleep(pair.outside, pair.record, pair.around.history.before(pair.record))
    if rest is None or rest.value_ns - rest.bound_ns <= HIDDEN_BEFORE_NS:
        return
    text = (
        f"The DUT was {rest.value_ns / 1e6:.0f} ms longer on its way to sleep than the OS reports "
        f"({pair.record.sleep_ms} ms)"
    )
    evidence = {
        "hidden_ns": rest.value_ns,
        "bound_ns": rest.bound_ns,
        "threshold_ns": HIDDEN_BEFORE_NS,
        "sleep_ms": pair.record.sleep_ms,
    }
    stop = pair.claims.stop
    if stop is not None:
        text += (
            f"; if BiosInitDuration is true, SLP_S3# fell {max(stop.low_ns, 0) / 1e6:.0f} to "
            f"{stop.high_ns / 1e6:.0f} ms after the OS's clock had stopped"
        )
        after = stop.bounded()
        evidence |= {"after_stop_ns": after.value_ns, "after_stop_bound_ns": after.bound_ns}
    yield Finding(FindingKind.HIDDEN_BEFORE_SLEEP, f"{text}.", evidence)


def _done(by: WakeBy) -> str:
    """Return what the rig did, in words."""
    return f"the rig's {TRIGGER_WORDS[by]} did" if by in COMMANDED else f"the rig moved the {by}"


def _wake_source(pair: RecordedCycle) -> Found:
    outside, source = pair.outside, pair.record.wake_source
    if outside.wake_by is None or outside.outcome is not Outcome.SLEPT_AND_WOKE:
        return
    if source.name in _OTHER_SOURCES[outside.wake_by]:
        yield Finding(
            FindingKind.WAKE_SOURCE_MISMATCH,
            f"The OS reports that a {source.name} woke the DUT; {_done(outside.wake_by)}.",
            {
                "source_inside": source.name,
                "type_inside": source.type,
                "wake_by": str(outside.wake_by),
            },
        )


# Kinds of sleep after which the firmware hands over with a BIOS time.
_THROUGH_FIRMWARE = (SleepKind.S3, SleepKind.HYBRID, SleepKind.S4)


def record_missing(outside: OutsideCycle, *, seen: bool = False) -> Finding:
    """Return the finding of a cycle that slept and woke and has no OS record.

    Args:
        outside: the cycle.
        seen: whether the log shows the wake, and has no account of it.
    """
    lacks = "the log shows the wake without its times" if seen else "no OS record of it was found"
    return Finding(
        FindingKind.RECORD_MISSING,
        f"The wires show a sleep and a wake, and {lacks}.",
        {"asleep_from_ns": outside.asleep_from_ns, "awake_from_ns": outside.awake_from_ns},
    )


def record_findings(pair: RecordedCycle) -> Found:
    """Give what the record lacks, `record-doubled` and `clock-step`."""
    if pair.record.resume_ms is None and pair.record.ended is None:
        yield _unmeasured(pair.record)
    double = pair.around.history.double_of(pair.record)
    if double is not None:
        yield Finding(
            FindingKind.RECORD_DOUBLED,
            f"The OS wrote two records of one wake: {pair.record.record_id} and "
            f"{double.record_id}.",
            {"record_id": pair.record.record_id, "other_record_id": double.record_id},
        )
    steps = list(_clock_step(pair.record))
    yield from steps or _silent_step(pair)


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
    stepped_ns = round(figure_of(record, "clock_stepped_us") or 0) * NS_PER_US
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


def _silent_step(pair: RecordedCycle) -> Found:
    number = pair.outside.number
    step, difference = (
        of.get(number) for of in (pair.around.silent_steps, pair.around.clock_differences)
    )
    if step is not None:
        text = f"The OS clock was set by about {step.value_ns / 1e9:+.1f} s without an event, "
        text += "after this cycle's wake and before the clock stopped for the next sleep"
    elif difference is not None:
        text = (
            f"The RTC went about {difference.value_ns / 1e9:+.1f} s from the OS clock around this "
        )
        text += "sleep: one of the two was set without an event"
    else:
        return
    moved = step or difference or BoundedNs(0, 0)
    yield Finding(
        FindingKind.CLOCK_STEP,
        f"{text}; the light came as ever, so it was not the BIOS that took another time.",
        {
            "stepped_ns": moved.value_ns,
            "bound_ns": moved.bound_ns,
            "threshold_ns": CLOCK_STEP_NS,
        },
    )
