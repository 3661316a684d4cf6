"""Tells a DUT that hung from one that only did not wake, by what one more press came to. Pure.

A press that the button's own line shows, on a DUT that does not come on after it, is the evidence:
without it nobody knows whether the first trigger was lost on its way.
"""

import dataclasses
from collections.abc import Collection, Iterable

from resume_rig.campaign.events import Recovered
from resume_rig.campaign.raw import Recovery
from resume_rig.campaign.states import RUNNING, dead_lines
from resume_rig.model.channel import Channel
from resume_rig.model.cycle import Outcome, OutsideCycle
from resume_rig.model.recovery import RecoveryStep
from resume_rig.model.verdict import Finding, FindingKind

_MAY_HANG = (Outcome.NEVER_WOKE, Outcome.DARK)
_NOT_UP = frozenset({FindingKind.NEVER_WOKE, FindingKind.DARK})
# After these it was off, and what a press shows is of what came then.
_NO_PROOF_AFTER = frozenset((RecoveryStep.FORCE_OFF, RecoveryStep.POWER_CYCLE, RecoveryStep.ASK))
_WHERE = {Outcome.HUNG_IN_SLEEP: "in its sleep", Outcome.HUNG_IN_RESUME: "in its resume"}


def with_hang(
    cycle: OutsideCycle, steps: Iterable[Recovery | Recovered], wired: Collection[Channel]
) -> OutsideCycle:
    """Return a cycle, as one that hung where the steps after it prove that.

    Args:
        cycle: as its own wires tell.
        steps: what was done to bring the DUT back, in order; as stored, or as the runner told.
        wired: the channels that count.
    """
    alone = cycle.outcome is Outcome.WOKE_ALONE
    if alone and _NOT_UP.isdisjoint(finding.kind for finding in cycle.findings):
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
    newest: OutsideCycle | None, steps: Iterable[Recovered], wired: Collection[Channel]
) -> OutsideCycle | None:
    """Return the newest cycle as one that hung, once the steps after it have proven that.

    Args:
        newest: the last cycle that was told of as done, as far as it is known.
        steps: since then, as the runner told of them, in order.
        wired: the channels that count.

    Returns:
        None where the steps say nothing new of that cycle.
    """
    if newest is None:
        return None
    known = with_hang(newest, (s for s in steps if s.after_cycle == newest.number), wired)
    return None if known is newest else known


def _proven(step: Recovery | Recovered, wired: Collection[Channel]) -> Outcome | None:
    """Return where a DUT hangs that a press did not bring on; None where that proves nothing."""
    levels = step.levels
    seen = any(e.level == 0 for e in step.edges if e.channel is Channel.BUTTON)
    changed = any(e.channel in RUNNING for e in step.edges)
    if step.ok or levels is None or not seen or changed:
        return None
    dead = dead_lines(levels, wired)
    power = [line for line in (Channel.SLP_S3, Channel.PWR_OK) if line in wired]
    if power and all(line in dead for line in power):
        return Outcome.HUNG_IN_SLEEP
    if set(dead) <= {Channel.PLTRST}:
        return Outcome.HUNG_IN_RESUME
    return None
