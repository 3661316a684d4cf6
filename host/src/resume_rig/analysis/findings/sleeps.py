"""Findings about which sleep it was, what came before it, and who ended it."""

from resume_rig.analysis.findings.seen import Found, Seen
from resume_rig.analysis.findings.thresholds import HIDDEN_BEFORE_NS
from resume_rig.analysis.way_to_sleep import before_sleep, is_hidden
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.cycle import Outcome, OutsideCycle, OutsideState
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.verdict import Finding, FindingKind

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
# Names that the readers decode from numbers; the text beside them is in any language. A lid is a
# device to Windows, or unknown; a button that an EC passes on may be unknown too.
_OTHER_SOURCES = {
    Actuator.BUTTON: frozenset({"device", "timer", "timer of a legacy driver"}),
    Actuator.LID: frozenset({"power button", "sleep button", "timer", "timer of a legacy driver"}),
}


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


def sleep_findings(seen: Seen) -> Found:
    """Give `state-mismatch`, `hidden-before-sleep` and `wake-source-mismatch`."""
    mismatch = state_mismatch(seen.outside, seen.record)
    if mismatch is not None:
        yield mismatch
    yield from _hidden_before(seen)
    yield from _wake_source(seen)


def _hidden_before(seen: Seen) -> Found:
    rest = before_sleep(seen.outside, seen.record)
    if rest is None or not is_hidden(rest):
        return
    text = (
        f"The DUT was {rest.value_ns / 1e6:.0f} ms longer on its way to sleep than the OS reports "
        f"({seen.record.sleep_ms} ms)"
    )
    evidence = {
        "hidden_ns": rest.value_ns,
        "bound_ns": rest.bound_ns,
        "threshold_ns": HIDDEN_BEFORE_NS,
        "sleep_ms": seen.record.sleep_ms,
    }
    after = seen.around.after_stop.get(seen.outside.number)
    if after is not None:
        least_ns, most_ns = (after.value_ns + sign * after.bound_ns for sign in (-1, 1))
        text += (
            f"; if BiosInitDuration is true, SLP_S3# fell {max(least_ns, 0) / 1e6:.0f} to "
            f"{most_ns / 1e6:.0f} ms after the OS's clock had stopped"
        )
        evidence |= {"after_stop_ns": after.value_ns, "after_stop_bound_ns": after.bound_ns}
    yield Finding(FindingKind.HIDDEN_BEFORE_SLEEP, f"{text}.", evidence)


def _wake_source(seen: Seen) -> Found:
    outside, source = seen.outside, seen.record.wake_source
    if outside.wake_by is None or outside.outcome is not Outcome.SLEPT_AND_WOKE:
        return
    if source.name in _OTHER_SOURCES[outside.wake_by]:
        yield Finding(
            FindingKind.WAKE_SOURCE_MISMATCH,
            f"The OS says that a {source.name} woke the DUT; the rig moved the {outside.wake_by}.",
            {
                "source_inside": source.name,
                "type_inside": source.type,
                "wake_by": str(outside.wake_by),
            },
        )
