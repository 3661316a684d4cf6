"""Builds cycles from edges: what became of each, its intervals, its power, what the wires show.

Nothing is guessed: an interval needs a measured edge at both of its ends.
docs/reference/intervals.md defines every interval, docs/explanation/uncertainty.md has the terms of
power and energy.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.cycles.intervals import Wake, find_wake, measure
from resume_rig.analysis.cycles.levels import in_order, lines_of_columns
from resume_rig.analysis.cycles.light import LightReading
from resume_rig.analysis.cycles.moments import (
    Commanded,
    Sleep,
    Wires,
    deeper_ns,
    failed_attempts,
    find_sleeps,
    sleep_triggers,
    standby_ns,
    state_of,
)
from resume_rig.analysis.cycles.wire_faults import (
    Awaited,
    glitches,
    judge_wires,
    never_slept,
    overrun,
)
from resume_rig.model.channel import Actuator, Channel, line_name
from resume_rig.model.edge import CHANNELS, Edge, EdgeColumns
from resume_rig.model.power import CyclePower, PowerFigure, PowerMonitor, PowerSamples
from resume_rig.model.quantity import SQRT_3
from resume_rig.model.result.cycle import Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.model.units import seconds_text
from resume_rig.timing.edge_uncertainty import IntervalBounds

# INA226 datasheet (SBOS547A), section 6.5, maxima over temperature; half-widths.
SHUNT_OFFSET_UV: Final = 10.0
SHUNT_GAIN: Final = 0.001
BUS_OFFSET_UV: Final = 7_500.0
BUS_GAIN: Final = 0.001
# Assumed: rails and their capacitors are down within it, so that it decides how short a sleep may
# be to have a power; and a DUT that is lit has done most of its resume.
SETTLE_NS: Final = 1_000_000_000
# Assumed: fewer samples show no scatter.
FEWEST: Final = 5
# k of some 95 % of a sum of many terms (GUM, 6.3.3).
COVERAGE: Final = 2.0


@dataclass(frozen=True, slots=True)
class CycleMoments:
    """Where the parts of a cycle begin and end, board clock; None where that is not known."""

    asleep_ns: float | None
    awake_ns: float | None
    resume_from_ns: float | None
    resume_to_ns: float | None


def cycle_power(
    samples: PowerSamples, monitor: PowerMonitor, at: CycleMoments, lost: int = 0
) -> CyclePower | None:
    """Return what a DUT drew in a cycle; None where nothing was sampled.

    Args:
        samples: of the cycle.
        monitor: that took them.
        at: where its parts are.
        lost: samples that are missing.
    """
    if not samples.t_ns:
        return None
    part = _Parts(samples, monitor)
    asleep = None
    if at.asleep_ns is not None and at.awake_ns is not None and math.isfinite(at.awake_ns):
        asleep = part.of(at.asleep_ns + SETTLE_NS, at.awake_ns)
    resume = None
    if at.resume_from_ns is not None and at.resume_to_ns is not None:
        resume = part.of(at.resume_from_ns, at.resume_to_ns)
    awake = None
    if at.resume_to_ns is not None:
        awake = part.of(at.resume_to_ns + SETTLE_NS, float(samples.t_ns[-1]))
    return CyclePower(
        asleep_w=None if asleep is None else asleep.mean_w,
        asleep_j=None if asleep is None else asleep.energy_j,
        resume_j=None if resume is None else resume.energy_j,
        resume_ns=None if resume is None else resume.lasted_ns,
        awake_w=None if awake is None else awake.mean_w,
        lost=lost,
    )


@dataclass(frozen=True, slots=True)
class _Part:
    mean_w: PowerFigure
    energy_j: PowerFigure
    lasted_ns: int


class _Parts:
    """Samples of one cycle, to be cut into its parts."""

    def __init__(self, samples: PowerSamples, monitor: PowerMonitor) -> None:
        self._monitor = monitor
        self._t_ns = np.array(samples.t_ns, dtype=np.int64)
        self._volt = np.array(samples.bus_uv, dtype=np.float64) / 1e6
        self._ampere = np.array(samples.current_ua, dtype=np.float64) / 1e6

    def of(self, from_ns: float, until_ns: float) -> _Part | None:
        """Return the part between two times; None where too few samples are all within it.

        A part that was sampled to less than nine tenths is none: nothing is filled in.
        """
        monitor = self._monitor
        # The window of a sample ended up to a window before its stamp.
        inside = (self._t_ns - 2 * monitor.window_ns >= from_ns) & (self._t_ns <= until_ns)
        count = int(inside.sum())
        lasted_ns = until_ns - from_ns
        if count < FEWEST or count * monitor.period_ns < 0.9 * lasted_ns - 3 * monitor.period_ns:
            return None
        volt, ampere = self._volt[inside], self._ampere[inside]
        power = volt * ampere
        mean = float(power.mean())
        instrument = self._instrument(float(volt.mean()), float(ampere.mean()), mean)
        scatter = self._between_windows(power)
        standard = math.hypot(instrument, scatter)
        lasted_s = lasted_ns / 1e9
        # At both ends a part of a period is not sampled; what was drawn there is between its
        # neighbours.
        swing = float(power.max() - power.min())
        edges_j = math.sqrt(2) * swing * monitor.period_ns / 1e9 / 2 / SQRT_3
        energy = mean * lasted_s
        return _Part(
            PowerFigure(mean, COVERAGE * standard),
            PowerFigure(energy, COVERAGE * math.hypot(standard * lasted_s, edges_j)),
            round(lasted_ns),
        )

    def _instrument(self, volt: float, ampere: float, watt: float) -> float:
        """Return the standard uncertainty [W] by what is the same in all samples."""
        monitor = self._monitor
        offset_ampere = SHUNT_OFFSET_UV / monitor.shunt_uohm
        half_widths = (
            watt * monitor.shunt_tolerance_ppm / 1e6,
            watt * SHUNT_GAIN,
            watt * BUS_GAIN,
            volt * offset_ampere,
            ampere * BUS_OFFSET_UV / 1e6,
        )
        return math.sqrt(sum((half / SQRT_3) ** 2 for half in half_widths))

    def _between_windows(self, power: NDArray[np.float64]) -> float:
        """Return the standard uncertainty [W] of the mean by what lies between the windows."""
        monitor = self._monitor
        unsampled = 1 - monitor.window_ns / monitor.period_ns
        scatter = float(power.std(ddof=1)) / math.sqrt(len(power))
        return scatter * math.sqrt(max(unsampled, 0.0))


class Metered(NamedTuple):
    """Samples of a power monitor in one cycle, and how many of them were lost."""

    samples: PowerSamples
    monitor: PowerMonitor
    lost: int = 0


class CycleEdges(NamedTuple):
    """The edges of one cycle of a capture, and the levels just before the first of them.

    Attributes:
        is_attempt: whether it is a press that led to no sleep.
    """

    edges: Sequence[Edge]
    initial_levels: dict[Channel, int]
    is_attempt: bool = False


def build_cycle(
    number: int,
    edges: Sequence[Edge],
    initial_levels: Mapping[Channel, int],
    wake_by: Actuator | None,
    bounds: IntervalBounds,
    *,
    light: LightReading | None = None,
    lost: bool = False,
    ignored: bool = False,
    due_ns: int | None = None,
    measured: bool = True,
    commanded: Commanded | None = None,
    metered: Metered | None = None,
) -> OutsideCycle:
    """Return what the wires say of one cycle.

    `edges` reach from before the trigger of the sleep to after the light, in any order;
    `initial_levels` are those of every wired channel before them. `wake_by` is the actuator that
    was to wake the DUT, None where none was asked (captures). `light` is what the photodiode
    shows, None where there is none. A cycle with `lost` edges is INVALID and has no interval. From
    `due_ns` on, board clock, the DUT is expected to wake by itself; None where it never is. Who
    asks for what became of the cycle alone needs no intervals `measured`.
    `commanded` was to wake the DUT where no wire shows that; `wake_by` is None then. `metered` is
    what a power monitor sampled, None without one.
    """
    wires = Wires(lines_of_columns(edges, initial_levels))
    if lost:
        return _without_sleep(number, wires, ignored, Outcome.INVALID, (overrun(),))
    sleeps = find_sleeps(wires)
    if not sleeps:
        findings = (never_slept(wires), *glitches(wires))
        return _without_sleep(number, wires, ignored, Outcome.NEVER_SLEPT, findings)
    sleep = sleeps[0]
    following = sleeps[1] if len(sleeps) > 1 else None
    wake = find_wake(wires, sleep, following, wake_by, light, commanded=commanded)
    state = state_of(wires, sleep)
    outcome, findings = judge_wires(wires, sleep, state, wake, Awaited(wake_by, due_ns, commanded))
    from_ns = sleep.from_ns if sleep.by_power and sleep.begin_observed else math.inf
    until_ns = sleep.until_ns if sleep.by_power and sleep.end_observed else math.inf
    return OutsideCycle(
        number=number,
        outcome=outcome,
        state=state,
        wake_by=wake.trigger.by,
        trigger_ns=wake.trigger.t_ns,
        asleep_from_ns=_whole(from_ns),
        awake_from_ns=_whole(until_ns),
        intervals=measure(wires, sleep, wake, bounds) if measured else {},
        findings=findings,
        ignored=ignored,
        channels=_observed(wires),
        light_basis=wake.light.basis,
        hibernated_from_ns=_whole(deeper_ns(wires, sleep)),
        bounces=_bounces(wires),
        power=None if metered is None else _power(metered, sleep, wake),
        standby_ns=standby_ns(wires, sleep),
    )


def with_wrong_polarity(cycle: OutsideCycle, why: str) -> OutsideCycle:
    """Return a cycle of wires that contradict each other: nothing of it is read off them."""
    return replace(
        cycle,
        outcome=Outcome.INVALID,
        state=OutsideState.NONE,
        wake_by=None,
        trigger_ns=None,
        asleep_from_ns=None,
        awake_from_ns=None,
        intervals={},
        findings=(Finding(FindingKind.WRONG_POLARITY, why),),
        hibernated_from_ns=None,
        standby_ns=None,
    )


def _power(metered: Metered, sleep: Sleep, wake: Wake) -> CyclePower | None:
    """Return what the DUT drew, in a sleep by whatever line shows it."""
    light = wake.light.main
    until_ns = None if light is None else light.t_ns
    if until_ns is None and wake.pltrst is not None:
        until_ns = wake.pltrst.t_ns
    since_ns = wake.trigger.t_ns
    if since_ns is None and sleep.end_observed and not math.isinf(sleep.until_ns):
        since_ns = int(sleep.until_ns)
    ended_ns = sleep.until_ns if sleep.end_observed else None
    if ended_ns is not None and wake.trigger.t_ns is not None:
        ended_ns = min(ended_ns, wake.trigger.t_ns)
    at = CycleMoments(
        asleep_ns=sleep.from_ns if sleep.begin_observed else None,
        awake_ns=ended_ns,
        resume_from_ns=since_ns,
        resume_to_ns=until_ns,
    )
    return cycle_power(metered.samples, metered.monitor, at, metered.lost)


def split_cycles(edges: Sequence[Edge], initial_levels: Mapping[Channel, int]) -> list[CycleEdges]:
    """Cut a whole capture into one group of edges for each sleep that it shows.

    A group begins with the press or the closing of the lid that started the sleep, the first one
    where there are several, else with the sleep itself, and lasts until the next one begins. A
    press that led to no sleep begins one of its own. A
    capture may begin or end anywhere: what stands before its first sleep belongs to no cycle.
    """
    wires = Wires(lines_of_columns(edges, initial_levels))
    ordered = in_order(edges)
    columns = ordered if isinstance(ordered, EdgeColumns) else None
    times = [edge.t_ns for edge in ordered] if columns is None else columns.t_ns
    starts: list[tuple[int, bool]] = []
    awake_ns = -math.inf
    sleeps = find_sleeps(wires)
    for sleep in sleeps:
        if sleep.by_power:
            for press in failed_attempts(wires, awake_ns, sleep.from_ns):
                starts.append((bisect_left(times, press.start_ns), True))
                awake_ns = press.start_ns + 1
        first_ns = min((t.start_ns for t in sleep_triggers(wires, sleep, awake_ns)), default=None)
        begin_ns = sleep.from_ns if first_ns is None else first_ns
        starts.append((bisect_left(times, begin_ns), False))
        awake_ns = sleep.over_ns
    if not starts:
        return []
    if sleeps[-1].by_power:
        later = failed_attempts(wires, awake_ns, math.inf)
        starts += [(bisect_left(times, press.start_ns), True) for press in later]
    levels = _levels_after(ordered[: starts[0][0]], initial_levels)
    groups: list[CycleEdges] = []
    ends = [*(start for start, _ in starts[1:]), len(ordered)]
    for (start, is_attempt), end in zip(starts, ends, strict=True):
        own = ordered[start:end]
        groups.append(CycleEdges(own if columns is not None else tuple(own), levels, is_attempt))
        levels = _levels_after(own, levels)
    return groups


def build_attempt(number: int, cut: CycleEdges) -> OutsideCycle:
    """Return the cycle of a press that led to no sleep; a dark display alone is none there."""
    wires = Wires(lines_of_columns(cut.edges, cut.initial_levels))
    falls = wires.of(Channel.BACKLIGHT).times_to(0, -math.inf, math.inf)
    rises = wires.of(Channel.BACKLIGHT).times_to(1, falls[0].t_ns, math.inf) if falls else []
    text = "The DUT never slept: the button was pressed"
    line = line_name(wires.power_line() or Channel.SLP_S3)
    if rises:
        dark_ns = rises[0].t_ns - falls[0].t_ns
        text += f", the display went dark for {seconds_text(dark_ns)}, and {line} stayed high."
    else:
        text += f", and {line} stayed high."
    finding = Finding(FindingKind.NEVER_SLEPT, text, {"lines": line})
    return _without_sleep(number, wires, False, Outcome.NEVER_SLEPT, (finding,))


def _levels_after(edges: Sequence[Edge], before: Mapping[Channel, int]) -> dict[Channel, int]:
    if isinstance(edges, EdgeColumns):
        return edges.levels_after(before)
    return {**before, **{edge.channel: edge.level for edge in edges}}


def _without_sleep(
    number: int, wires: Wires, ignored: bool, outcome: Outcome, findings: tuple[Finding, ...]
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
        findings=findings,
        ignored=ignored,
        channels=_observed(wires),
        bounces=_bounces(wires),
    )


def _observed(wires: Wires) -> tuple[Channel, ...]:
    return tuple([channel for channel in CHANNELS if channel in wires.lines])


def _bounces(wires: Wires) -> dict[Channel, int]:
    return {channel: line.bounces for channel, line in wires.lines.items() if line.bounces}


def _whole(moment_ns: float | None) -> int | None:
    return None if moment_ns is None or math.isinf(moment_ns) else int(moment_ns)
