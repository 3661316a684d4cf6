"""Builds cycles from edges: what became of each, its intervals, and what the wires alone show.

docs/reference/intervals.md defines every interval. Nothing is guessed: an interval needs a
measured edge at both of its ends.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from resume_rig.analysis.intervals import find_wake, measure
from resume_rig.analysis.levels import changes_by_channel, in_order
from resume_rig.analysis.sleep_moments import Wires, find_sleeps, sleep_trigger, state_of
from resume_rig.analysis.wire_findings import judge_wires, never_slept, overrun
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.cycle import Outcome, OutsideCycle, OutsideState
from resume_rig.model.edge import Edge
from resume_rig.model.verdict import Finding
from resume_rig.timing.edge_uncertainty import IntervalBounds


class CycleEdges(NamedTuple):
    """The edges of one cycle of a capture, and the levels just before the first of them."""

    edges: tuple[Edge, ...]
    initial_levels: dict[Channel, int]


def build_cycle(
    number: int,
    edges: Sequence[Edge],
    initial_levels: Mapping[Channel, int],
    wake_by: Actuator | None,
    bounds: IntervalBounds,
    *,
    lost: bool = False,
    ignored: bool = False,
) -> OutsideCycle:
    """Return what the wires say of one cycle.

    `edges` reach from before the trigger of the sleep to after the light, in any order;
    `initial_levels` are those of every wired channel before them. `wake_by` is the actuator that
    was to wake the DUT, None where nobody was asked (captures). A cycle with `lost` edges is
    INVALID and has no interval.
    """
    wires = Wires(changes_by_channel(edges, initial_levels), initial_levels)
    if lost:
        return _without_sleep(number, wires, ignored, Outcome.INVALID, overrun())
    sleeps = find_sleeps(wires)
    if not sleeps:
        return _without_sleep(number, wires, ignored, Outcome.NEVER_SLEPT, never_slept(wires))
    sleep = sleeps[0]
    wake = find_wake(wires, sleep, wake_by, sleeps[1].from_ns if len(sleeps) > 1 else math.inf)
    outcome, findings = judge_wires(wires, sleep, wake, wake_by)
    return OutsideCycle(
        number=number,
        outcome=outcome,
        state=state_of(wires, sleep),
        wake_by=None if wake.trigger is None else Actuator(wake.trigger.channel),
        trigger_ns=None if wake.trigger is None else wake.trigger.start_ns,
        asleep_from_ns=_whole(sleep.from_ns) if sleep.by_power else None,
        awake_from_ns=_whole(sleep.until_ns) if sleep.by_power else None,
        intervals=measure(wires, sleep, wake, bounds),
        findings=findings,
        ignored=ignored,
        channels=_observed(wires),
    )


def split_cycles(edges: Sequence[Edge], initial_levels: Mapping[Channel, int]) -> list[CycleEdges]:
    """Cut a whole capture into one group of edges for each sleep that it shows.

    A group begins with the press or the closing of the lid that started the sleep, else with the
    sleep itself, and lasts until the next one begins. A capture may begin or end anywhere: what
    stands before its first sleep belongs to no cycle.
    """
    wires = Wires(changes_by_channel(edges, initial_levels), initial_levels)
    ordered = in_order(edges)
    times = [edge.t_ns for edge in ordered]
    starts: list[int] = []
    awake_ns = -math.inf
    for sleep in find_sleeps(wires):
        trigger = sleep_trigger(wires, sleep, awake_ns)
        starts.append(bisect_left(times, sleep.from_ns if trigger is None else trigger.start_ns))
        awake_ns = sleep.until_ns
    if not starts:
        return []
    levels = dict(initial_levels) | {edge.channel: edge.level for edge in ordered[: starts[0]]}
    groups: list[CycleEdges] = []
    for start, end in zip(starts, [*starts[1:], len(ordered)], strict=True):
        groups.append(CycleEdges(tuple(ordered[start:end]), dict(levels)))
        levels |= {edge.channel: edge.level for edge in ordered[start:end]}
    return groups


def _without_sleep(
    number: int, wires: Wires, ignored: bool, outcome: Outcome, finding: Finding
) -> OutsideCycle:
    return OutsideCycle(
        number=number,
        outcome=outcome,
        state=OutsideState.NONE,
        wake_by=None,
        trigger_ns=None,
        asleep_from_ns=None,
        awake_from_ns=None,
        intervals={},
        findings=(finding,),
        ignored=ignored,
        channels=_observed(wires),
    )


def _observed(wires: Wires) -> tuple[Channel, ...]:
    return tuple(channel for channel in Channel if wires.wired(channel))


def _whole(moment_ns: float) -> int | None:
    return None if math.isinf(moment_ns) else int(moment_ns)
