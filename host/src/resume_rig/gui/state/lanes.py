"""Wires and light as they are drawn, bounded, and one cycle of a store as that. Free of Qt."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.cycles.light import LightReading
from resume_rig.campaign.store.measured_cycle import outside_cycle, with_hang
from resume_rig.campaign.store.read_back import light_of, recorded_cycle
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge, LightBlock
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import kind_words
from resume_rig.model.result.cycle import OutsideCycle
from resume_rig.model.units import seconds_text
from resume_rig.report.text.wording import outcome_words
from resume_rig.rig.interface import RigInfo

Ints: TypeAlias = NDArray[np.int64]

MOST_EDGES: Final = 20_000
"""Edges of one channel that are kept for drawing; older ones go first, and are in no store."""
MOST_BLOCKS: Final = 120_000
"""Blocks of light that are kept for drawing: two minutes."""
MOST_DRAWN: Final = 4_000
"""Edges of one channel in sight that are drawn one by one; of more, those that are visible."""

_NONE: Final = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Lane:
    """One channel.

    Attributes:
        before: level before the first edge.
        since_ns: board clock from which on its level is certain.
        t_ns: board clock of its edges, int64 [n], ascending.
        levels: after each edge, int64 [n].
    """

    before: int
    since_ns: int = 0
    t_ns: Ints = field(default_factory=lambda: _NONE)
    levels: Ints = field(default_factory=lambda: _NONE)

    @property
    def level(self) -> int:
        """The newest level."""
        return int(self.levels[-1]) if len(self.levels) else self.before

    def plus(self, t_ns: Sequence[int], levels: Sequence[int]) -> "Lane":
        """Return the lane with newer edges."""
        times = np.concatenate((self.t_ns, np.array(t_ns, dtype=np.int64)))
        after = np.concatenate((self.levels, np.array(levels, dtype=np.int64)))
        cut = max(0, len(times) - MOST_EDGES)
        before = int(after[cut - 1]) if cut else self.before
        since_ns = int(times[cut - 1]) if cut else self.since_ns
        return Lane(before, since_ns, times[cut:], after[cut:])

    def steps(self, from_ns: int, to_ns: int) -> tuple[Ints, Ints]:
        """Return the corners of the line from `from_ns` to `to_ns`: board clock, level.

        It begins where the level is certain, and is empty where it nowhere is.
        """
        from_ns = max(from_ns, self.since_ns)
        if from_ns > to_ns:
            return _NONE, _NONE
        first, last = np.searchsorted(self.t_ns, (from_ns, to_ns), side="right")
        level = int(self.levels[first - 1]) if first else self.before
        times, levels = self.t_ns[first:last], self.levels[first:last]
        if len(times) > MOST_DRAWN:
            times, levels = _thinned(times, levels, from_ns, to_ns)
        corners_ns = np.concatenate(([from_ns], np.repeat(times, 2), [to_ns]))
        heights = np.concatenate(([level, level], np.repeat(levels, 2)))
        return corners_ns, heights


def _thinned(times: Ints, levels: Ints, from_ns: int, to_ns: int) -> tuple[Ints, Ints]:
    """Keep the first and the last edge of each of MOST_DRAWN / 2 equal parts."""
    parts = (times - from_ns) * (MOST_DRAWN // 2) // max(to_ns - from_ns, 1)
    edge_of_part = np.flatnonzero(np.diff(parts))
    kept = np.union1d(
        np.concatenate(([0], edge_of_part + 1)), np.append(edge_of_part, len(times) - 1)
    )
    return times[kept], levels[kept]


@dataclass(frozen=True, slots=True)
class Wires:
    """All lanes of one rig and its light.

    Attributes:
        lanes: in the order of the board's channels.
        light_t_ns: board clock of the blocks of light, int64 [m].
        light_counts: their means, int64 [m], converter counts.
        now_ns: board clock at the newest reading.
        lost: edges that were overwritten before they could be read.
        press: end and width of the newest whole press at the header; None before any.
    """

    lanes: Mapping[Channel, Lane]
    light_t_ns: Ints = field(default_factory=lambda: _NONE)
    light_counts: Ints = field(default_factory=lambda: _NONE)
    now_ns: int = 0
    lost: int = 0
    press: tuple[int, int] | None = None

    def plus_edges(self, edges: Iterable[Edge]) -> "Wires":
        """Return the wires with newer edges; of channels that are not among the lanes, none."""
        found: dict[Channel, tuple[list[int], list[int]]] = {}
        for edge in edges:
            if edge.channel in self.lanes:
                times, levels = found.setdefault(edge.channel, ([], []))
                times.append(edge.t_ns)
                levels.append(edge.level)
        if not found:
            return self
        changed = {channel: self.lanes[channel].plus(*found[channel]) for channel in found}
        lanes = {**self.lanes, **changed}
        press = self.press
        if Channel.BUTTON in changed:
            press = _last_press(lanes[Channel.BUTTON], press)
        return replace(self, lanes=lanes, press=press)

    def plus_light(self, blocks: Sequence[LightBlock]) -> "Wires":
        """Return the wires with newer blocks of light."""
        if not blocks:
            return self
        times = np.array([block.t_ns for block in blocks], dtype=np.int64)
        counts = np.array([block.mean for block in blocks], dtype=np.int64)
        return replace(
            self,
            light_t_ns=np.concatenate((self.light_t_ns, times))[-MOST_BLOCKS:],
            light_counts=np.concatenate((self.light_counts, counts))[-MOST_BLOCKS:],
        )

    def light_between(self, from_ns: int, to_ns: int) -> tuple[Ints, Ints]:
        """Return board clock and counts of the light in sight, thinned to what is visible."""
        first, last = np.searchsorted(self.light_t_ns, (from_ns, to_ns))
        step = max(1, (last - first) // MOST_DRAWN)
        return self.light_t_ns[first:last:step], self.light_counts[first:last:step]


def wires_of(levels: Mapping[Channel, int], now_ns: int) -> Wires:
    """Return wires that have not moved since `now_ns`."""
    lanes = {channel: Lane(level, now_ns) for channel, level in levels.items()}
    return Wires(lanes, now_ns=now_ns)


def _last_press(button: Lane, before: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the newest pulse that is over: BUTTON is 0 while pressed."""
    if len(button.levels) < 2 or button.levels[-1] != 1 or button.levels[-2] != 0:
        return before
    return int(button.t_ns[-1]), int(button.t_ns[-1] - button.t_ns[-2])


_LEAD_NS = 300_000_000
_NEAR = 20
"""Cycles before one that stayed dark, of which some were bright: enough to scale its light by."""


def stamp_bounds_of(rig: RigInfo) -> dict[Channel, int]:
    """Return the half-width [ns] of an edge's stamp, by channel, as the board states it."""
    return {info.channel: info.uncertainty_ns + info.resolution_ns for info in rig.channels}


def asleep_ns_of(outside: OutsideCycle) -> int | None:
    """Return how long a DUT slept; None where it did not, or did not wake."""
    begin_ns, end_ns = outside.asleep_from_ns, outside.awake_from_ns
    return None if begin_ns is None or end_ns is None else end_ns - begin_ns


@dataclass(frozen=True, slots=True)
class Evidence:
    """One cycle.

    Attributes:
        zero_ns: board clock of the wake trigger, or of the first edge.
        wires: from shortly before the first edge on.
        until_ns: board clock at which the picture ends.
        stamp_bound_ns: half-width of an edge's stamp, by channel, as the board states it.
        clock_tolerance_ppb: of the board's clock.
        light_threshold: counts at which the display is on (t_50); None where it was not timed.
        most_light: counts of the brightest moment of this cycle and of those before it, where the
            board timed any; 0 where not.
        sentences: what became of the cycle, its findings, its OS records; in order.
    """

    path: Path
    outside: OutsideCycle
    zero_ns: int
    has_trigger: bool
    wires: Wires
    until_ns: int
    stamp_bound_ns: Mapping[Channel, int]
    clock_tolerance_ppb: int
    sentences: tuple[str, ...]
    light_threshold: float | None = None
    most_light: int = 0


def read_evidence(path: Path, number: int) -> Evidence:
    """Read one cycle of a store, which a campaign may be writing to.

    Raises:
        RecordError: the store cannot be read, or has no such cycle.
    """
    with Store.open(path) as store:
        near = range(max(number - _NEAR, 1), number + 1)
        onsets = [
            raw.onset
            for raw in store.cycles([n for n in near if store.has_cycle(n)], with_light=False)
        ]
        peaks = [each.peak_counts or 0 for each in onsets if each is not None]
        return replace(evidence_of(store, number), most_light=max(peaks, default=0))


def evidence_of(store: Store, number: int) -> Evidence:
    """Read one cycle of an open store.

    Raises:
        RecordError: the store cannot be read, or has no such cycle.
    """
    raw = next(iter(store.cycles([number])), None)
    if raw is None:
        last = store.last_number()
        raise RecordError(f"there is no cycle {number} in {store.path}; it has cycles 1 to {last}")
    plan = store.plan.of_cycle(store.index_of(number))
    after = [
        each
        for each in store.recoveries()
        if (each.session, each.after_cycle) == (raw.session, number)
    ]
    outside = with_hang(outside_cycle(raw, plan, store.identity), after, store.identity.wired)
    recorded = recorded_cycle(raw, store)
    moments = [edge.t_ns for edge in recorded.edges] + [block.t_ns for block in recorded.light]
    first_ns, last_ns = min(moments, default=0), max(moments, default=0)
    wires = wires_of(recorded.initial_levels, first_ns - _LEAD_NS)
    records = [
        f"OS record {record.record_id if record.record_id is not None else ''}: "
        + f"{kind_words(record.kind)}, "
        + ("no resume time" if record.resume_ms is None else f"resume {record.resume_ms} ms")
        for record in raw.records
    ]
    asleep_ns = asleep_ns_of(outside)
    slept = "" if asleep_ns is None else f", asleep for {seconds_text(asleep_ns)}"
    return Evidence(
        path=store.path,
        outside=outside,
        zero_ns=recorded.zero_ns,
        has_trigger=recorded.has_trigger,
        wires=wires.plus_edges(recorded.edges).plus_light(recorded.light),
        until_ns=last_ns + _LEAD_NS,
        stamp_bound_ns=stamp_bounds_of(store.identity.rig),
        clock_tolerance_ppb=store.identity.rig.clock_tolerance_ppb,
        sentences=(
            f"Cycle {number}, by its wires: {outcome_words(outside.outcome)}{slept}.",
            *(finding.text for finding in outside.findings),
            *(records or ("No OS record came during this cycle.",)),
        ),
        light_threshold=_threshold(light_of(raw, store)),
    )


def _threshold(reading: LightReading | None) -> float | None:
    """Return half of the settled level above the dark."""
    onset = None if reading is None else reading.onset
    if onset is None or onset.half_ns is None or reading is None or reading.step is not None:
        return None
    if onset.base_counts is None or onset.level_counts is None:
        return None
    return (onset.base_counts + onset.level_counts) / 2
