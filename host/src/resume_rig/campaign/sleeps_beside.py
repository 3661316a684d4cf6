"""Sleeps that ended outside of a campaign's cycles: of a DUT that was brought back, or tried.

The OS writes a record of each. Who does not know of them takes such a record for that of a cycle.
"""

from collections.abc import Collection, Iterable, Iterator
from math import isfinite

from resume_rig.analysis.levels import lines_of
from resume_rig.analysis.sleep_moments import Wires, find_sleeps, state_of
from resume_rig.analysis.timed_cycle import SleepBeside
from resume_rig.campaign.raw import CycleRaw, Recovery
from resume_rig.campaign.stored_clock import CampaignClock
from resume_rig.model.channel import Channel
from resume_rig.model.cycle import OutsideState

_SLEEPS = (OutsideState.S3, OutsideState.S4)


def sleeps_beside(
    raw: CycleRaw, steps: Iterable[Recovery], wired: Collection[Channel], clock: CampaignClock
) -> tuple[SleepBeside, ...]:
    """Return the sleeps whose end steps before or after a cycle show, in order.

    A DUT that was off has slept in none of them, where its wires tell that from S4.

    Args:
        raw: the cycle.
        steps: what was done before it, or after it, in the same session; in order.
        wired: the channels that count.
        clock: of the campaign.
    """
    found = []
    for step in steps:
        for asleep_ns, awake_ns in _sleeps(raw, step, wired):
            asleep = None if asleep_ns is None else clock.utc_ns(raw, asleep_ns)
            awake = clock.utc_ns(raw, awake_ns)
            if awake is not None:
                from_ns = None if asleep is None else asleep.value_ns
                found.append(SleepBeside(from_ns, awake.value_ns))
    return tuple(found)


def _sleeps(
    raw: CycleRaw, step: Recovery, wired: Collection[Channel]
) -> Iterator[tuple[int | None, int]]:
    """Yield when each sleep of a step began and ended, board clock; None: before the step."""
    edges = [edge for edge in step.edges if edge.channel in wired]
    # A board that began anew counts from nothing: nobody knows when its edges were.
    if (
        raw.edges
        and edges
        and (edges[0].t_ns < raw.edges[-1].t_ns) == (step.after_cycle == raw.number)
    ):
        return
    levels = {channel: level for channel, level in (step.levels or {}).items() if channel in wired}
    for edge in reversed(edges):
        levels[edge.channel] = 1 - edge.level
    wires = Wires(lines_of(edges, levels))
    for sleep in find_sleeps(wires):
        seen = sleep.by_power and sleep.from_known and sleep.until_known
        if seen and isfinite(sleep.until_ns) and state_of(wires, sleep) in _SLEEPS:
            from_ns = int(sleep.from_ns) if isfinite(sleep.from_ns) else None
            yield from_ns, int(sleep.until_ns)
