"""What a person measures: edges of a cycle, the time between two, and that in all. Free of Qt."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.campaign.store.read_back import recorded_cycle
from resume_rig.campaign.store.store import Store
from resume_rig.gui.state.lanes import Evidence, stamp_bounds_of
from resume_rig.gui.state.table import Column, Table, number_column
from resume_rig.model.channel import Channel, line_name
from resume_rig.model.result.judgement import RecordedCycle
from resume_rig.model.units import NS_PER_MS

_NAMED_MOST: Final = 4
_PLACE: Final = 2
"""Of the column of times measured by hand: behind number and verdict."""


@dataclass(frozen=True, slots=True)
class Pick:
    """An edge as every cycle may have it.

    Attributes:
        channel: that moves. level: after the edge.
        place: among the like ones: 0 is the first at the wake trigger or after it, 1 the second;
            -1 the last one before it.
    """

    channel: Channel
    level: int
    place: int

    @property
    def name(self) -> str:
        """What it is called; the first after the trigger has no number."""
        words = f"{line_name(self.channel)} {'rising' if self.level else 'falling'}"
        if self.place == 0:
            return words
        if self.place < 0:
            return f"{words} before" if self.place == -1 else f"{words} {-self.place} before"
        return f"{words} {self.place + 1}"


@dataclass(frozen=True, slots=True)
class Snapped:
    """An edge that a marker stands on.

    Attributes:
        at_ms: after the wake trigger.
        bound_ns: half-width of its stamp.
    """

    pick: Pick
    at_ms: float
    bound_ns: int


def edges_of(evidence: Evidence) -> list[Snapped]:
    """Return the edges of a cycle, by channel and in the order of time."""
    found = []
    for channel, lane in evidence.wires.lanes.items():
        bound_ns = evidence.stamp_bound_ns.get(channel, 0)
        observed = lane.t_ns > lane.since_ns
        for level in (0, 1):
            times_ns = lane.t_ns[observed & (lane.levels == level)]
            before = int(np.searchsorted(times_ns, evidence.zero_ns))
            found += [
                Snapped(
                    Pick(channel, level, place - before),
                    (int(t_ns) - evidence.zero_ns) / NS_PER_MS,
                    bound_ns,
                )
                for place, t_ns in enumerate(times_ns)
            ]
    return sorted(found, key=lambda each: each.at_ms)


def difference_bound_ms(a: Snapped, b: Snapped, clock_tolerance_ppb: int) -> float:
    """Return the worst-case bound of the time between two edges: both stamps, and the timebase."""
    return _bound_ms(a.bound_ns + b.bound_ns, b.at_ms - a.at_ms, clock_tolerance_ppb)


def _bound_ms(stamps_ns: int, difference_ms: float, clock_tolerance_ppb: int) -> float:
    return stamps_ns / NS_PER_MS + abs(difference_ms) * clock_tolerance_ppb / 1e9


def region_words(evidence: Evidence, from_ms: float, to_ms: float) -> str:
    """Return what lies between two moments of the axis: how long, which edges, which light."""
    inside = [each for each in edges_of(evidence) if from_ms <= each.at_ms <= to_ms]
    names = [f"{each.pick.name} {each.at_ms:.3f}" for each in inside[:_NAMED_MOST]]
    more = f" and {len(inside) - len(names)} more" if len(inside) > len(names) else ""
    words = f"{to_ms - from_ms:.3f} ms, region {from_ms:.3f} to {to_ms:.3f} ms; "
    words += f"edges: {', '.join(names)}{more}" if names else "no edge"
    wires = evidence.wires
    t_ms = (wires.light_t_ns - evidence.zero_ns) / NS_PER_MS
    counts = wires.light_counts[(t_ms >= from_ms) & (t_ms <= to_ms)]
    if len(counts):
        words += f"; light {counts.min()} to {counts.max()} counts, mean {counts.mean():.0f}"
    return words


@dataclass(frozen=True, slots=True)
class Measured:
    """The time between two edges, in all cycles.

    Attributes:
        first, second: which edges.
        numbers: of the cycles, int64 [n], ascending.
        times_ms: from the first to the second edge, float64 [n]; NaN where one is missing.
        bound_ms: the largest worst-case bound of them.
    """

    first: Pick
    second: Pick
    numbers: NDArray[np.int64]
    times_ms: NDArray[np.float64]
    bound_ms: float

    @property
    def title(self) -> str:
        """Of its column."""
        return f"{self.first.name} → {self.second.name}, ms"

    @property
    def words(self) -> str:
        """What all cycles show, in a sentence."""
        measured = self.times_ms[~np.isnan(self.times_ms)]
        if not len(measured):
            return f"{self.title}: no cycle with a wake trigger has both edges."
        median, late = np.percentile(measured, (50, 95))
        return (
            f"{self.title}: median {median:.3f}, p95 {late:.3f}, {measured.min():.3f} to"
            f" {measured.max():.3f}, ±{self.bound_ms:.3f} (bound); {len(measured)} of"
            f" {len(self.times_ms)} cycles have it."
        )

    def added_to(self, table: Table) -> Table:
        """Return a table of cycles with the column of these times; cycles not measured lack it."""
        numbers = table.columns[0].values.astype(np.int64)
        at = np.clip(np.searchsorted(self.numbers, numbers), 0, max(len(self.numbers) - 1, 0))
        times = np.full(len(numbers), np.nan)
        if len(self.numbers):
            measured = self.numbers[at] == numbers
            times[measured] = self.times_ms[at[measured]]
        explained = f"Measured by hand; ±{self.bound_ms:.3f} ms (bound)"
        made: Column = number_column(
            self.title, (None if np.isnan(each) else each for each in times.tolist()), explained, 3
        )
        others = [column for column in table.columns if column.title != self.title]
        return Table((*others[:_PLACE], made, *others[_PLACE:]))


def measure_all(
    progress: Callable[[int, int], None], path: Path, first: Pick, second: Pick
) -> Measured:
    """Measure the time from one edge to another in each cycle of a store.

    Args:
        progress: gets how many cycles are read, of how many; what it raises ends the work.
        path: of the store.
        first: the edge that the time begins with.
        second: the edge that it ends with.

    Raises:
        RecordError: the store cannot be read.
    """
    with Store.open(path) as store:
        of, rig = len(store.outline()), store.identity.rig

        def cycles() -> Iterator[RecordedCycle]:
            raws = store.cycles(with_light=False, with_records=False)
            for done, raw in enumerate(raws):
                progress(done, of)
                yield recorded_cycle(raw, store)

        bounds = stamp_bounds_of(rig)
        stamps_ns = bounds.get(first.channel, 0) + bounds.get(second.channel, 0)
        return measured(cycles(), first, second, stamps_ns, rig.clock_tolerance_ppb)


def measured(
    cycles: Iterable[RecordedCycle],
    first: Pick,
    second: Pick,
    stamps_ns: int,
    clock_tolerance_ppb: int,
) -> Measured:
    """Measure the time between two edges in each of some cycles, ascending.

    Args:
        cycles: with their edges.
        first: the edge that the time begins with.
        second: the edge that it ends with.
        stamps_ns: sum of the half-widths of both stamps.
        clock_tolerance_ppb: of the clock that stamps them.
    """
    numbers, times_ms = [], []
    for cycle in cycles:
        begin_ns, end_ns = _moment_ns(cycle, first), _moment_ns(cycle, second)
        numbers.append(cycle.number)
        if begin_ns is None or end_ns is None:
            times_ms.append(np.nan)
        else:
            times_ms.append((end_ns - begin_ns) / NS_PER_MS)
    times = np.array(times_ms, np.float64)
    longest_ms = float(np.nanmax(np.abs(times), initial=0.0))
    bound_ms = _bound_ms(stamps_ns, longest_ms, clock_tolerance_ppb)
    return Measured(first, second, np.array(numbers, np.int64), times, bound_ms)


def _moment_ns(cycle: RecordedCycle, pick: Pick) -> int | None:
    """Return when an edge came; None where the cycle has none, or no trigger to count from."""
    if not cycle.has_trigger:
        return None
    like = [
        each.t_ns
        for each in cycle.edges
        if each.channel is pick.channel and each.level == pick.level
    ]
    before = sum(t_ns < cycle.zero_ns for t_ns in like)
    place = before + pick.place
    return like[place] if 0 <= place < len(like) else None
