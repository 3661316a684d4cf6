"""What the wires say of a recorded cycle; the runner and every report ask here."""

import dataclasses

from resume_rig.analysis.cycle_building import build_cycle
from resume_rig.analysis.light_blocks import table_of
from resume_rig.analysis.light_shape import light_reading
from resume_rig.analysis.wake_light import LightReading
from resume_rig.campaign.identity import Identity
from resume_rig.campaign.instrument import bounds_of
from resume_rig.campaign.plan import Plan
from resume_rig.campaign.plan_states import STATES, is_deeper, is_shallower
from resume_rig.campaign.raw import CommandName, CycleRaw
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.cycle import Outcome, OutsideCycle, OutsideState
from resume_rig.model.edge import Edge
from resume_rig.model.os_record import state_word
from resume_rig.model.units import seconds_text
from resume_rig.model.verdict import Finding, FindingKind
from resume_rig.rig.interface import RigInfo
from resume_rig.timing.edge_uncertainty import IntervalBounds, without_delays
from resume_rig.timing.rate_calibration import RateCalibration

# Said by the runner, who knows more than the wires: an operator stopped it, the rig failed.
RUNNER_SAYS = (Outcome.INTERRUPTED, Outcome.RIG_FAULT, Outcome.INVALID)
# What a cycle that was cut short looks like, through no fault of the DUT.
BLAMES_THE_DUT = (
    FindingKind.NEVER_SLEPT,
    FindingKind.NEVER_WOKE,
    FindingKind.DARK,
    FindingKind.REBOOTED,
    FindingKind.WAKE_NOT_OURS,
)
# The wires tell of a trigger; whose it was, only the commands tell.
WOKEN = (
    Outcome.SLEPT_AND_WOKE,
    Outcome.WOKE_LATE,
    Outcome.SLEPT_SHALLOW,
    Outcome.DARK,
    Outcome.REBOOTED,
)
_SIGNS = (Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST, Channel.BACKLIGHT)
# A finger or a servo lid moves late: tenths of a second, a lid two seconds.
MOVES_BEFORE_NS = 50_000_000
MOVES_WITHIN_NS = 3_000_000_000
WAKING_COMMANDS = (CommandName.PRESS, CommandName.OPEN_LID)


def outside_cycle(
    raw: CycleRaw,
    plan: Plan,
    identity: Identity,
    *,
    light: LightReading | None = None,
    ignored: bool = False,
    calibration: RateCalibration | None = None,
    bounds: IntervalBounds | None = None,
    measured: bool = True,
) -> OutsideCycle:
    """Return the cycle as its raw record tells it; nothing derived is taken from the record.

    Args:
        raw: the record.
        plan: of the cycle (`Plan.of_cycle`).
        identity: of its campaign.
        light: what the record's onset and blocks of light show, for a record whose blocks were
            not read; None: it is worked out from the record.
        ignored: the plan leaves the cycle out.
        calibration: of the board's clock; the intervals are corrected by it, moments stay
            those of the board's clock.
        bounds: what is known of the instrument, where that is not what the board states.
        measured: its intervals are wanted, and not only what became of it.
    """
    wired = identity.wired
    known = bounds_of(identity.rig, identity.dut) if bounds is None else bounds
    if calibration is not None:
        known = known.with_rate(calibration.bound_ppb, calibration.source)
    edges = pin_edges(raw, identity, known)
    built = build_cycle(
        raw.number,
        edges,
        {channel: level for channel, level in raw.initial_levels.items() if channel in wired},
        plan.wake_by if isinstance(plan.wake_by, Actuator) else None,
        known,
        light=_light_of(raw, identity.rig) if light is None else light,
        lost=raw.lost_edges + raw.lost_light > 0,
        ignored=ignored,
        due_ns=_due_ns(raw),
        measured=measured,
    )
    if calibration is not None:
        true = {name: calibration.corrected(each) for name, each in built.intervals.items()}
        built = dataclasses.replace(built, intervals=true)
    if raw.outcome in RUNNER_SAYS:
        told = tuple(f for f in built.findings if f.kind not in BLAMES_THE_DUT)
        findings = (*told, *raw.findings)
        return dataclasses.replace(built, outcome=raw.outcome, findings=findings, asked=plan.state)
    built = _in_state(_in_time(_as_planned(built, plan), raw, edges), plan, identity)
    findings = (*built.findings, *raw.findings)
    if built.outcome in WOKEN and built.trigger_ns is not None and not _asked_for(raw, built):
        finding = Finding(
            FindingKind.WAKE_NOT_OURS,
            f"Something else woke the DUT: the {built.wake_by} moved, and the rig had not been "
            "asked to move it.",
            {"trigger_ns": built.trigger_ns},
        )
        findings = (*findings, finding)
        built = dataclasses.replace(built, outcome=Outcome.WOKE_ALONE)
    return dataclasses.replace(built, findings=findings, asked=plan.state)


def _light_of(raw: CycleRaw, rig: RigInfo) -> LightReading | None:
    return light_reading(raw.onset, table_of(raw.light), rig.light_full_scale)


def _as_planned(built: OutsideCycle, plan: Plan) -> OutsideCycle:
    """Return the cycle with what only the plan tells: a boot from S5, a wake before its time."""
    asleep_ns = None
    if built.asleep_from_ns is not None and built.awake_from_ns is not None:
        asleep_ns = built.awake_from_ns - built.asleep_from_ns
    findings = list(built.findings)
    outcome = built.outcome
    off = built.state is OutsideState.S5 and OutsideState.S5 not in STATES[plan.state].shown
    if off and outcome in WOKEN:
        outcome = Outcome.REBOOTED
        text = (
            "The DUT booted instead of resuming: SLP_S5# was low, so it was off and not in the "
            f"{state_word(plan.state)} that was asked for."
        )
        findings.append(Finding(FindingKind.REBOOTED, text, {"state": built.state.value}))
    for index, finding in enumerate(findings):
        if finding.kind is FindingKind.WAKE_NOT_OURS and asleep_ns is not None:
            early_ns = max(plan.dwell_ns - asleep_ns, 0)
            evidence = {**finding.evidence, "asleep_ns": asleep_ns, "early_ns": early_ns}
            findings[index] = dataclasses.replace(finding, evidence=evidence)
    return dataclasses.replace(built, outcome=outcome, findings=tuple(findings))


def _in_time(built: OutsideCycle, raw: CycleRaw, edges: tuple[Edge, ...]) -> OutsideCycle:
    """Return the cycle as one that woke late, where its last sign came after the time-out."""
    limit_ns, since_ns = raw.wake_timeout_ns, built.trigger_ns
    if since_ns is None and (due_ns := _due_ns(raw)) is not None:
        since_ns = due_ns
    if limit_ns is None or since_ns is None or built.outcome is not Outcome.SLEPT_AND_WOKE:
        return built
    first: dict[Channel, int] = {}
    for edge in edges:
        if edge.channel in _SIGNS and edge.level and edge.t_ns >= since_ns:
            first.setdefault(edge.channel, edge.t_ns)
    late_ns = max(first.values(), default=since_ns) - since_ns
    if late_ns <= limit_ns:
        return built
    text = (
        f"The last sign of the wake came {seconds_text(late_ns)} after its trigger; as the cycles "
        f"before it went, {seconds_text(limit_ns)} are enough."
    )
    evidence = {"woke_after_ns": late_ns, "timeout_ns": limit_ns}
    findings = (*built.findings, Finding(FindingKind.WOKE_LATE, text, evidence))
    return dataclasses.replace(built, outcome=Outcome.WOKE_LATE, findings=findings)


def _in_state(built: OutsideCycle, plan: Plan, identity: Identity) -> OutsideCycle:
    """Return the cycle with a finding where the wires show another state than was asked for."""
    shallow = is_shallower(plan.state, built.state, identity.wired)
    deeper = is_deeper(plan.state, built.state) and built.hibernated_from_ns is None
    if built.outcome not in WOKEN or built.outcome is Outcome.REBOOTED or not (shallow or deeper):
        return built
    asked = state_word(plan.state)
    text = f"The plan asked for {asked}, and the wires show {built.state}."
    finding = Finding(
        FindingKind.WRONG_STATE, text, {"asked": asked, "state_outside": built.state.value}
    )
    outcome = built.outcome
    if shallow and outcome in (Outcome.SLEPT_AND_WOKE, Outcome.WOKE_LATE):
        outcome = Outcome.SLEPT_SHALLOW
    return dataclasses.replace(built, outcome=outcome, findings=(*built.findings, finding))


def _due_ns(raw: CycleRaw) -> int | None:
    """Return from when on the DUT's own timer may wake it; None where none was armed."""
    armed = [c.end_ns for c in raw.commands if c.name is CommandName.ARM_TIMER]
    return armed[-1] if armed else None


def _asked_for(raw: CycleRaw, built: OutsideCycle) -> bool:
    """Return whether a command can be what moved the wake's trigger.

    One whose answer never came may have been obeyed at any time.
    """
    waking = [command for command in raw.commands if command.name in WAKING_COMMANDS]
    trigger_ns = built.trigger_ns or 0
    return any(
        command.start_ns is None
        or -MOVES_BEFORE_NS <= trigger_ns - command.start_ns <= MOVES_WITHIN_NS
        for command in waking
    )


def pin_edges(
    raw: CycleRaw, identity: Identity, bounds: IntervalBounds | None = None
) -> tuple[Edge, ...]:
    """Return the edges of the wired channels as they were on the DUT's pins, in order.

    Args:
        raw: the record.
        identity: of its campaign.
        bounds: `bounds_of` the identity, for who has them already.
    """
    known = bounds_of(identity.rig, identity.dut) if bounds is None else bounds
    wired = [edge for edge in raw.edges if edge.channel in identity.wired]
    return without_delays(wired, known.delays_ns())
