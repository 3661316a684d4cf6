"""What the wires say of a recorded cycle; the runner and every report ask here."""

import dataclasses

from resume_rig.analysis.cycle_building import build_cycle
from resume_rig.analysis.light_blocks import onset_of_blocks, table_of
from resume_rig.analysis.wake_light import LightReading
from resume_rig.campaign.identity import Identity
from resume_rig.campaign.instrument import bounds_of
from resume_rig.campaign.plan import Plan
from resume_rig.campaign.raw import CommandName, CycleRaw
from resume_rig.model.cycle import Outcome, OutsideCycle, OutsideState
from resume_rig.model.edge import Edge
from resume_rig.model.light import LightOnset
from resume_rig.model.os_record import SleepKind
from resume_rig.model.verdict import Finding, FindingKind
from resume_rig.rig.interface import RigInfo
from resume_rig.timing.edge_uncertainty import IntervalBounds, without_delays
from resume_rig.timing.rate_calibration import RateCalibration

# Said by the runner, who knows more than the wires: an operator stopped it, the rig failed.
RUNNER_SAYS = (Outcome.INTERRUPTED, Outcome.INVALID)
# What a cycle that was cut short looks like, through no fault of the DUT.
BLAMES_THE_DUT = (
    FindingKind.NEVER_SLEPT,
    FindingKind.NEVER_WOKE,
    FindingKind.DARK,
    FindingKind.REBOOTED,
    FindingKind.WAKE_NOT_OURS,
)
# The wires tell of a trigger; whose it was, only the commands tell.
WOKEN = (Outcome.SLEPT_AND_WOKE, Outcome.DARK, Outcome.REBOOTED)
# A finger or a servo lid moves late: tenths of a second, a lid two seconds.
MOVES_BEFORE_NS = 50_000_000
MOVES_WITHIN_NS = 3_000_000_000
WAKING_COMMANDS = (CommandName.PRESS, CommandName.OPEN_LID)


def outside_cycle(
    raw: CycleRaw,
    plan: Plan,
    identity: Identity,
    *,
    of_blocks: LightOnset | None = None,
    ignored: bool = False,
    calibration: RateCalibration | None = None,
    bounds: IntervalBounds | None = None,
) -> OutsideCycle:
    """Return the cycle as its raw record tells it; nothing derived is taken from the record.

    Args:
        raw: the record.
        plan: of the cycle (`Plan.of_cycle`).
        identity: of its campaign.
        of_blocks: the onset that the record's blocks of light tell, for a record of which they
            were not read; used where the board told none.
        ignored: the plan leaves the cycle out.
        calibration: of the board's clock; the intervals are corrected by it, moments stay
            those of the board's clock.
        bounds: what is known of the instrument, where that is not what the board states.
    """
    wired = identity.wired
    known = bounds_of(identity.rig, identity.dut) if bounds is None else bounds
    if calibration is not None:
        known = known.with_rate(calibration.bound_ppb, calibration.source)
    built = build_cycle(
        raw.number,
        pin_edges(raw, identity),
        {channel: level for channel, level in raw.initial_levels.items() if channel in wired},
        plan.wake_by,
        known,
        light=_light_of(raw, identity.rig, of_blocks),
        lost=raw.lost_edges + raw.lost_light > 0,
        ignored=ignored,
    )
    if calibration is not None:
        true = {name: calibration.corrected(each) for name, each in built.intervals.items()}
        built = dataclasses.replace(built, intervals=true)
    if raw.outcome in RUNNER_SAYS:
        told = tuple(f for f in built.findings if f.kind not in BLAMES_THE_DUT)
        findings = (*told, *raw.findings)
        return dataclasses.replace(built, outcome=raw.outcome, findings=findings)
    built = _as_planned(built, plan)
    findings = (*built.findings, *raw.findings)
    if built.outcome in WOKEN and built.trigger_ns is not None and not _asked_for(raw, built):
        finding = Finding(
            FindingKind.WAKE_NOT_OURS,
            f"Something else woke the DUT: the {built.wake_by} moved, and the rig had not been "
            "asked to move it.",
            {"trigger_ns": built.trigger_ns},
        )
        return dataclasses.replace(built, outcome=Outcome.WOKE_ALONE, findings=(*findings, finding))
    return dataclasses.replace(built, findings=findings)


def _light_of(raw: CycleRaw, rig: RigInfo, of_blocks: LightOnset | None) -> LightReading | None:
    if raw.onset is not None:
        return LightReading(raw.onset)
    if of_blocks is None and raw.light:
        of_blocks = onset_of_blocks(table_of(raw.light), rig.light_full_scale)
    return None if of_blocks is None else LightReading(of_blocks, from_blocks=True)


def _as_planned(built: OutsideCycle, plan: Plan) -> OutsideCycle:
    """Return the cycle with what only the plan tells: a boot from S5, a wake before its time."""
    asleep_ns = None
    if built.asleep_from_ns is not None and built.awake_from_ns is not None:
        asleep_ns = built.awake_from_ns - built.asleep_from_ns
    findings = list(built.findings)
    outcome = built.outcome
    if plan.state is SleepKind.S3 and built.state is OutsideState.S5 and outcome in WOKEN:
        outcome = Outcome.REBOOTED
        text = (
            "The DUT booted instead of resuming: SLP_S5# was low, so it was off and not in the S3 "
            "that was asked for."
        )
        findings.append(Finding(FindingKind.REBOOTED, text, {"state": built.state.value}))
    for index, finding in enumerate(findings):
        if finding.kind is FindingKind.WAKE_NOT_OURS and asleep_ns is not None:
            early_ns = max(plan.dwell_ns - asleep_ns, 0)
            evidence = {**finding.evidence, "asleep_ns": asleep_ns, "early_ns": early_ns}
            findings[index] = dataclasses.replace(finding, evidence=evidence)
    return dataclasses.replace(built, outcome=outcome, findings=tuple(findings))


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


def pin_edges(raw: CycleRaw, identity: Identity) -> tuple[Edge, ...]:
    """Return the edges of the wired channels as they were on the DUT's pins, in order."""
    wired = [edge for edge in raw.edges if edge.channel in identity.wired]
    return without_delays(wired, bounds_of(identity.rig, identity.dut).delays_ns())
