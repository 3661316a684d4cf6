"""A recorded cycle as measured: by an instrument whose errors are bounded, and by its plan.

Board, front end and DUT profile bound the errors; docs/explanation/uncertainty.md has which delay
is subtracted, and why never two. The plan, the commands and the recoveries after a cycle decide
what the wires alone leave open: whose the wake was, and whether the DUT hung.
"""

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final

from resume_rig.analysis.cycles.building import Metered, build_cycle
from resume_rig.analysis.cycles.health import health_findings, health_of
from resume_rig.analysis.cycles.light import LightReading
from resume_rig.analysis.cycles.light_shape import light_reading, table_of
from resume_rig.analysis.cycles.moments import Commanded
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.states import RUNNING, STATES, dead_lines, is_deeper, is_shallower
from resume_rig.campaign.store.identity import Identity
from resume_rig.campaign.store.raw import CommandName, CycleRaw, Recovery
from resume_rig.model.channel import SLEEPERS, Actuator, Channel, WakeBy, WakeMeans
from resume_rig.model.dut import DutProfile, RecoveryStep
from resume_rig.model.edge import Edge
from resume_rig.model.front_end import FrontEnd
from resume_rig.model.os_record import SleepKind, state_word
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.verdict import NOT_UP, Finding, FindingKind
from resume_rig.model.units import seconds_text
from resume_rig.rig.front_end_file import shipped_front_end
from resume_rig.rig.interface import ChannelInfo, RigInfo
from resume_rig.timing.budget import FINGER_DEFINITION_NS, PRESS_DEFINITION_NS, StampFacts
from resume_rig.timing.edge_uncertainty import IntervalBounds, Ramp, without_delays
from resume_rig.timing.hull import board_limits
from resume_rig.timing.relation import RateCalibration, relate

# Boards that are programs: their wires end at the stamp, there is no front end between.
_WITHOUT_FRONT_END: Final = frozenset({"sim", "native_sim", "qemu_cortex_m3", "mps2"})
_ATX_RAMP: Final = Ramp(0, 10_000_000, "ATX T4, 10 ms at most")


def bounds_of(rig: RigInfo, dut: DutProfile | None = None) -> IntervalBounds:
    """Return what any interval of a campaign is uncertain by.

    Args:
        rig: what the board states of itself.
        dut: how PWR_OK rises and what presses the button, where it has that.

    Raises:
        UsageError: the delays of the front end cannot be read.
    """
    if dut is None:
        return _instrument(rig, _ATX_RAMP, PRESS_DEFINITION_NS)
    ramp = _ATX_RAMP
    if dut.pwr_ok_rise_max_ns is not None:
        ramp = Ramp(0, dut.pwr_ok_rise_max_ns, "the DUT profile")
    by_finger = dut.pressed_by == "finger"
    return _instrument(rig, ramp, FINGER_DEFINITION_NS if by_finger else PRESS_DEFINITION_NS)


@lru_cache(maxsize=8)
def _instrument(rig: RigInfo, pwr_ok_ramp: Ramp, press_definition_ns: int) -> IntervalBounds:
    """Made once a campaign: the instrument remembers what its kinds of intervals have in common.

    A measured rate error is not applied to stamps: it lies within the stated tolerance.
    """
    return IntervalBounds(
        rate_ppb=rig.clock_tolerance_ppb,
        stamps={info.channel: _stamp_facts(info, rig) for info in rig.channels},
        front_end=_front_end_of(rig),
        pwr_ok_ramp=pwr_ok_ramp,
        press_definition_ns=press_definition_ns,
    )


def _front_end_of(rig: RigInfo) -> FrontEnd | None:
    return None if rig.board.partition("/")[0] in _WITHOUT_FRONT_END else shipped_front_end()


def _stamp_facts(info: ChannelInfo, rig: RigInfo) -> StampFacts:
    """A loop-back leaves the front end out; what a delay has but its mean is the front end's."""
    latency = info.latency
    latency_ns = 0 if latency is None else max(latency.mean_ns, 0)
    return StampFacts(
        resolution_ns=info.resolution_ns,
        uncertainty_ns=info.uncertainty_ns,
        edge_source=rig.edge_source or "",
        measured_sd_ns=None if latency is None else latency.sd_ns,
        deviation_ns=0 if latency is None else latency.deviation_ns,
        delay_ns=info.delay_ns,
        states_front_end=info.delay_ns > latency_ns,
    )


# Decided by the runner, which has more than the wires: an operator stopped it, the rig failed.
RUNNER_OUTCOMES = (Outcome.INTERRUPTED, Outcome.RIG_FAULT, Outcome.INVALID)
# What a cycle that was cut short looks like, through no fault of the DUT.
BLAMES_THE_DUT = (
    FindingKind.NEVER_SLEPT,
    FindingKind.NEVER_WOKE,
    FindingKind.DARK,
    FindingKind.REBOOTED,
    FindingKind.WAKE_NOT_OURS,
)
# The wires show a trigger; whose it was, only the commands do.
WOKEN = (
    Outcome.SLEPT_AND_WOKE,
    Outcome.WOKE_LATE,
    Outcome.SLEPT_SHALLOW,
    Outcome.DARK,
    Outcome.REBOOTED,
)
_DARK = (Channel.BACKLIGHT, Channel.LED)
_SIGNS = (Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST, Channel.BACKLIGHT)
# A finger or a servo lid moves late: tenths of a second, a lid two seconds.
MOVES_BEFORE_NS = 50_000_000
MOVES_WITHIN_NS = 3_000_000_000
WAKING_COMMANDS = (CommandName.PRESS, CommandName.OPEN_LID)
# Those that no wire shows, and what they are asked of.
_COMMANDS_OF: Final[Mapping[WakeBy, CommandName]] = {
    Actuator.KEYBOARD: CommandName.PRESS_KEY,
    Actuator.CONTACT: CommandName.CLOSE_CONTACT,
    WakeMeans.LAN: CommandName.SEND_PACKET,
}


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
    """Return the cycle as its raw record shows it; nothing derived is taken from the record.

    Args:
        raw: the record.
        plan: of the cycle (`Plan.of_cycle`).
        identity: of its campaign.
        light: what the record's onset and blocks of light show, for a record whose blocks were
            not read; None: it is worked out from the record.
        ignored: the plan leaves the cycle out.
        calibration: of the board's clock; the intervals are corrected by it, moments stay
            those of the board's clock.
        bounds: of the instrument, where they are not what the board states.
        measured: its intervals are wanted, and not only what became of it.
    """
    wired = identity.wired
    timing = bounds_of(identity.rig, identity.dut) if bounds is None else bounds
    if calibration is not None:
        timing = timing.with_rate(calibration.bound_ppb, calibration.source)
    edges = pin_edges(raw, identity, timing)
    built = build_cycle(
        raw.number,
        edges,
        {channel: level for channel, level in raw.initial_levels.items() if channel in wired},
        _sensed(plan.wake_by),
        timing,
        light=_light_of(raw, identity.rig) if light is None else light,
        lost=raw.lost_edges + raw.lost_light > 0,
        ignored=ignored,
        due_ns=_due_ns(raw),
        measured=measured,
        commanded=_commanded(raw, plan.wake_by, identity.rig),
        metered=_metered(raw, identity.rig),
    )
    if calibration is not None:
        true = {name: calibration.corrected(each) for name, each in built.intervals.items()}
        built = dataclasses.replace(built, intervals=true)
    if raw.outcome in RUNNER_OUTCOMES:
        kept = tuple(f for f in built.findings if f.kind not in BLAMES_THE_DUT)
        findings = (*kept, *raw.findings)
        return dataclasses.replace(built, outcome=raw.outcome, findings=findings, asked=plan.state)
    built = _in_state(_in_time(_as_planned(built, plan), raw, edges), plan, identity, edges)
    if measured and raw.health:
        built = _with_health(built, raw, identity.rig)
    findings = (*built.findings, *raw.findings)
    if built.outcome in WOKEN and built.wake_by in SLEEPERS and not _asked_for(raw, built):
        finding = Finding(
            FindingKind.WAKE_NOT_OURS,
            f"Something else woke the DUT: the {built.wake_by} moved, and the rig had not been "
            "asked to move it.",
            {"trigger_ns": built.trigger_ns},
        )
        findings = (*findings, finding)
        built = dataclasses.replace(built, outcome=Outcome.WOKE_ALONE)
    return dataclasses.replace(built, findings=findings, asked=plan.state)


def _with_health(built: OutsideCycle, raw: CycleRaw, rig: RigInfo) -> OutsideCycle:
    """Return the cycle with what its health reports show, and the findings of that."""
    relation = relate(raw.exchanges, board_limits(rig.clock_tolerance_ppb, rig.clock_hz))

    def since_trigger(host_ns: int) -> BoundedNs | None:
        at = relation.to_board_ns(host_ns)
        if at is None or built.trigger_ns is None:
            return None
        return BoundedNs(at.value_ns - built.trigger_ns, at.bound_ns)

    built = dataclasses.replace(built, health=health_of(raw.health, since_trigger))
    return dataclasses.replace(built, findings=(*built.findings, *health_findings(built)))


def _metered(raw: CycleRaw, rig: RigInfo) -> Metered | None:
    if raw.power is None or rig.power is None:
        return None
    return Metered(raw.power, rig.power, raw.lost_power)


def _sensed(by: WakeBy) -> Actuator | None:
    """Return the actuator that is to wake the DUT, where a wire shows that it moved."""
    return by if isinstance(by, Actuator) and by in SLEEPERS else None


def _commanded(raw: CycleRaw, by: WakeBy, rig: RigInfo) -> Commanded | None:
    """Return the command that was to wake the DUT where no wire shows it; None where one does.

    A board's action is in its own time already. A packet left between two readings of the host's
    clock, which the exchanges of the cycle bring onto the board's.
    """
    name = _COMMANDS_OF.get(by)
    given = [command for command in raw.commands if command.name is name]
    if name is None or not given:
        return None
    command = given[-1]
    if by is not WakeMeans.LAN:
        return Commanded(by, command.start_ns)
    relation = relate(raw.exchanges, board_limits(rig.clock_tolerance_ppb, rig.clock_hz))
    before = relation.to_board_ns(command.host_ns)
    after = relation.to_board_ns(command.host_ns + (command.duration_ns or 0))
    if before is None or after is None:
        return Commanded(by, None)
    half_ns = -(-(after.value_ns - before.value_ns) // 2) + max(before.bound_ns, after.bound_ns)
    return Commanded(by, (before.value_ns + after.value_ns) // 2, half_ns)


def _light_of(raw: CycleRaw, rig: RigInfo) -> LightReading | None:
    return light_reading(raw.onset, table_of(raw.light), rig.light_full_scale)


def _as_planned(built: OutsideCycle, plan: Plan) -> OutsideCycle:
    """Return the cycle with what only the plan shows: a boot from S5, a wake before its time."""
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


def _in_state(
    built: OutsideCycle, plan: Plan, identity: Identity, edges: tuple[Edge, ...]
) -> OutsideCycle:
    """Return the cycle with a finding where the wires show another state than was asked for."""
    shallow = is_shallower(plan.state, built.state, identity.wired)
    deeper = is_deeper(plan.state, built.state) and built.hibernated_from_ns is None
    if built.outcome not in WOKEN or built.outcome is Outcome.REBOOTED or not (shallow or deeper):
        return built
    if plan.state is SleepKind.MODERN_STANDBY and built.state is OutsideState.S4:
        return _dozed(built, edges)
    asked = state_word(plan.state)
    text = f"The plan asked for {asked}, and the wires show {built.state}."
    finding = Finding(
        FindingKind.WRONG_STATE, text, {"asked": asked, "state_outside": built.state.value}
    )
    outcome = built.outcome
    if shallow and outcome in (Outcome.SLEPT_AND_WOKE, Outcome.WOKE_LATE):
        outcome = Outcome.SLEPT_SHALLOW
    return dataclasses.replace(built, outcome=outcome, findings=(*built.findings, finding))


def _dozed(built: OutsideCycle, edges: tuple[Edge, ...]) -> OutsideCycle:
    """Return a Modern Standby that went on to S4 by itself as the doze that it is.

    No other plan shows it: a display that is dark before SLP_S4# falls may be one whose OS writes
    its image.
    """
    hibernated_ns = built.asleep_from_ns
    if hibernated_ns is None:
        return built
    darks = [e.t_ns for e in edges if e.channel in _DARK and not e.level and e.t_ns < hibernated_ns]
    asleep_ns = min(darks, default=hibernated_ns)
    after_ns = hibernated_ns - asleep_ns
    text = (
        f"The sleep began as Modern Standby and became S4 after {seconds_text(after_ns)} (doze to "
        "hibernate)."
    )
    finding = Finding(FindingKind.DOZED, text, {"s4_after_ns": after_ns})
    return dataclasses.replace(
        built,
        asleep_from_ns=asleep_ns,
        hibernated_from_ns=hibernated_ns,
        findings=(*built.findings, finding),
    )


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

    `bounds` are `bounds_of` the identity, for who has them already.
    """
    timing = bounds_of(identity.rig, identity.dut) if bounds is None else bounds
    wired = [edge for edge in raw.edges if edge.channel in identity.wired]
    return without_delays(wired, timing.delays_ns())


_MAY_HANG = (Outcome.NEVER_WOKE, Outcome.DARK)
# After these it was off, and what a press shows is of what came then.
_NO_PROOF_AFTER = frozenset((RecoveryStep.FORCE_OFF, RecoveryStep.POWER_CYCLE, RecoveryStep.ASK))
_WHERE = {Outcome.HUNG_IN_SLEEP: "in its sleep", Outcome.HUNG_IN_RESUME: "in its resume"}


def with_hang(
    cycle: OutsideCycle, steps: Iterable[Recovery], wired: Collection[Channel]
) -> OutsideCycle:
    """Return a cycle, as one that hung where the steps after it prove that.

    A press that the button's own line shows, on a DUT that does not come on after it, is the
    evidence: without it the first trigger may have been lost on its way. `steps` are in order.
    """
    alone = cycle.outcome is Outcome.WOKE_ALONE
    if alone and NOT_UP.isdisjoint(finding.kind for finding in cycle.findings):
        return cycle
    if not alone and cycle.outcome not in _MAY_HANG:
        return cycle
    for step in steps:
        if step.step in _NO_PROOF_AFTER:
            break
        outcome = _proven(step, wired) if step.step is RecoveryStep.PRESS else None
        # What woke by itself and sleeps again hung in neither.
        if outcome is not None and not (alone and outcome is Outcome.HUNG_IN_SLEEP):
            text = (
                f"The DUT hung {_WHERE[outcome]}: one more press reached it, and changed nothing."
            )
            found = (*cycle.findings, Finding(FindingKind.HUNG, text))
            return dataclasses.replace(cycle, outcome=outcome, findings=found)
    return cycle


def hung_after(
    newest: OutsideCycle | None, steps: Iterable[Recovery], wired: Collection[Channel]
) -> OutsideCycle | None:
    """Return the newest cycle as one that hung, once the steps after it have proven that.

    None where they prove nothing new of that cycle; `steps` are in order.
    """
    if newest is None:
        return None
    hung = with_hang(newest, (s for s in steps if s.after_cycle == newest.number), wired)
    return None if hung is newest else hung


def _proven(step: Recovery, wired: Collection[Channel]) -> Outcome | None:
    """Return where a DUT hangs that a press did not bring on; None where that proves nothing."""
    levels = step.levels
    pressed = any(e.level == 0 for e in step.edges if e.channel is Channel.BUTTON)
    changed = any(e.channel in RUNNING for e in step.edges)
    if step.ok or levels is None or not pressed or changed:
        return None
    dead = dead_lines(levels, wired)
    power = [line for line in (Channel.SLP_S3, Channel.PWR_OK) if line in wired]
    if power and all(line in dead for line in power):
        return Outcome.HUNG_IN_SLEEP
    if set(dead) <= {Channel.PLTRST}:
        return Outcome.HUNG_IN_RESUME
    return None
