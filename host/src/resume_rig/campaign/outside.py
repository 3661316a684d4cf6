"""What the wires say of a recorded cycle; the runner and every report ask here."""

import dataclasses

from resume_rig.analysis.cycle_building import build_cycle
from resume_rig.campaign.identity import Identity
from resume_rig.campaign.plan import Plan
from resume_rig.campaign.raw import CommandName, CycleRaw
from resume_rig.model.cycle import Outcome, OutsideCycle
from resume_rig.model.edge import Edge
from resume_rig.model.verdict import Finding, FindingKind
from resume_rig.rig.interface import RigInfo
from resume_rig.timing.edge_uncertainty import (
    IntervalBounds,
    edge_half_width_ns,
    without_delays,
)

# Said by the runner, who knows more than the wires: an operator stopped it, the rig failed.
RUNNER_SAYS = (Outcome.INTERRUPTED, Outcome.INVALID)
# What a cycle that was cut short looks like, through no fault of the DUT.
BLAMES_THE_DUT = (
    FindingKind.NEVER_SLEPT,
    FindingKind.NEVER_WOKE,
    FindingKind.DARK,
    FindingKind.WAKE_NOT_OURS,
)
# The wires tell of a trigger; whose it was, only the commands tell.
WOKEN = (Outcome.SLEPT_AND_WOKE, Outcome.DARK)
# A finger or a servo lid moves late: tenths of a second, a lid two seconds.
MOVES_BEFORE_NS = 50_000_000
MOVES_WITHIN_NS = 3_000_000_000
WAKING_COMMANDS = (CommandName.PRESS, CommandName.OPEN_LID)


def outside_cycle(
    raw: CycleRaw, plan: Plan, identity: Identity, *, ignored: bool = False
) -> OutsideCycle:
    """Return the cycle as its raw record tells it; nothing derived is taken from the record.

    `plan` is that of the cycle (`Plan.of_cycle`).
    """
    wired = identity.wired
    built = build_cycle(
        raw.number,
        pin_edges(raw, identity),
        {channel: level for channel, level in raw.initial_levels.items() if channel in wired},
        plan.wake_by,
        bounds_of(identity.rig),
        lost=raw.lost_edges + raw.lost_light > 0,
        ignored=ignored,
    )
    if raw.outcome in RUNNER_SAYS:
        told = tuple(f for f in built.findings if f.kind not in BLAMES_THE_DUT)
        findings = (*told, *raw.findings)
        return dataclasses.replace(built, outcome=raw.outcome, findings=findings)
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
    delays = {info.channel: info.delay_ns for info in identity.rig.channels}
    wired = [edge for edge in raw.edges if edge.channel in identity.wired]
    return without_delays(wired, delays)


def bounds_of(rig: RigInfo) -> IntervalBounds:
    """Return what the board states of its stamps.

    A measured rate error is not applied to stamps: it lies within the stated tolerance.
    """
    return IntervalBounds(
        rate_ppb=rig.clock_tolerance_ppb,
        edge_ns={
            info.channel: edge_half_width_ns(
                info.uncertainty_ns, info.resolution_ns, calibrated=info.latency is not None
            )
            for info in rig.channels
        },
    )
