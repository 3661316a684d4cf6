"""The wires as they are drawn: levels of each channel over time, and light; bounded. Free of Qt."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge, LightBlock

Ints: TypeAlias = NDArray[np.int64]

MOST_EDGES: Final = 20_000
"""Edges of one channel that are kept for drawing; older ones go first, and are in no store."""
MOST_BLOCKS: Final = 120_000
"""Blocks of light that are kept for drawing: two minutes."""
MOST_DRAWN: Final = 4_000
"""Edges of one channel in sight that are drawn one by one; of more, those that can be seen."""

_NONE: Final = np.zeros(0, dtype=np.int64)
ACTIVE_LOW: Final = frozenset(
    {Channel.SLP_S0, Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5, Channel.PLTRST}
)


def lane_name(channel: Channel) -> str:
    """Return a channel's name as a mainboard's schematic writes it."""
    return f"{channel}#" if channel in ACTIVE_LOW else str(channel)


@dataclass(frozen=True, slots=True)
class Lane:
    """One channel.

    Attributes:
        before: level before the first edge.
        since_ns: board clock from which on it is known.
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

        It begins later where less is known, and is empty where nothing is.
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
        press: end and width of the newest whole press that the header saw; None before any.
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
        """Return board clock and counts of the light in sight, thinned to what can be seen."""
        first, last = np.searchsorted(self.light_t_ns, (from_ns, to_ns))
        step = max(1, (last - first) // MOST_DRAWN)
        return self.light_t_ns[first:last:step], self.light_counts[first:last:step]


def wires_of(levels: Mapping[Channel, int], now_ns: int) -> Wires:
    """Return wires that have not moved since `now_ns`."""
    lanes = {channel: Lane(level, now_ns) for channel, level in levels.items()}
    return Wires(lanes, now_ns=now_ns)


def _last_press(button: Lane, known: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the newest pulse that is over: BUTTON is 0 while pressed."""
    if len(button.levels) < 2 or button.levels[-1] != 1 or button.levels[-2] != 0:
        return known
    return int(button.t_ns[-1]), int(button.t_ns[-1] - button.t_ns[-2])
