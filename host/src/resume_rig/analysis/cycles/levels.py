"""Edges of a line to its changes, bounces and glitches, and to gaps where an edge is missing.

Edges that follow one another sooner than the line can mean it are one burst. A burst that ends
where it began is a glitch; any other one is a change, at its first edge to the new level. Two
changes to one level show that the edge between them is missing. The second half has the same rules
on columns, for the millions of edges of a capture.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import inf
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.channel import CONTACTS, Channel
from resume_rig.model.edge import CHANNELS, Edge, EdgeColumns

# A press or release shorter than the PCH's PWRBTN# debounce (16 ms, Intel 800-series datasheet,
# "Event Input Signals") is none for the DUT either.
DEBOUNCE_NS = 16_000_000
# The least width of SLP_S3# that a chipset can be set to (coreboot,
# pch_slp_s3_min_assertion_width); no power line is quicker.
LOGIC_MIN_NS = 60_000
# A PWM-dimmed backlight and a blinking LED may lose edges; light is off for less in each period.
# Assumed: no panel is dimmed below 10 Hz.
DARK_MIN_NS = 100_000_000

# A line of one cycle has no more changes than that, and is looked through; a capture's is searched
# (assumed).
_FEW = 8
_LOGIC = (
    *(Channel.SLP_S0, Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5),
    *(Channel.PWR_OK, Channel.PLTRST),
)
QUIET_NS = {
    **dict.fromkeys(CONTACTS, DEBOUNCE_NS),
    **dict.fromkeys(_LOGIC, LOGIC_MIN_NS),
}


class Change(NamedTuple):
    """A line that came to a level and stayed.

    Attributes:
        t_ns: board clock of the first edge to the level.
        settled_ns: of the last one; later where the line bounced.
    """

    channel: Channel
    t_ns: int
    level: int
    settled_ns: int


_TIME = attrgetter("t_ns")
_AFTER = attrgetter("after_ns")
_BEFORE = attrgetter("before_ns")
_PLACE = attrgetter("t_ns", "number")


class Gap(NamedTuple):
    """An edge to `level` that came between two times, and was not recorded."""

    level: int
    after_ns: float
    before_ns: float


class Glitch(NamedTuple):
    """A burst that left the line as it was: its first and last edge, and how many it had."""

    channel: Channel
    t_ns: int
    until_ns: int
    edges: int


class Line(NamedTuple):
    """One wired channel.

    Attributes:
        initial: level before the first edge; None where it is not reported.
        bounces: edges that were one too many in a change.
    """

    initial: int | None
    changes: tuple[Change, ...] = ()
    gaps: tuple[Gap, ...] = ()
    glitches: tuple[Glitch, ...] = ()
    bounces: int = 0

    def level(self, t_ns: float) -> int | None:
        """Return the level just before `t_ns`, which may be infinite; None where not known."""
        if self.gaps:
            gap = self.gaps[min(bisect_left(self.gaps, t_ns, key=_BEFORE), len(self.gaps) - 1)]
            if gap.after_ns < t_ns <= gap.before_ns:
                return gap.level if t_ns == gap.before_ns else None
        at = bisect_left(self.changes, t_ns, key=_TIME)
        if at:
            return self.changes[at - 1].level
        if self.initial is None and self.changes:
            return 1 - self.changes[0].level
        return self.initial

    def was(self, level: int, from_ns: float, until_ns: float) -> bool:
        """Return whether the line was, or may have been, at `level` in [from_ns, until_ns)."""
        if self.gaps and self._gaps_in(from_ns, until_ns):
            return True
        if not self.changes:
            return self.initial == level
        return (
            self.level(from_ns) == level
            or self.level(until_ns) == level
            or bool(self.times_to(level, from_ns, until_ns))
        )

    def times_to(self, level: int, from_ns: float, until_ns: float) -> list[Change]:
        """Return the changes to `level` that were recorded in [from_ns, until_ns)."""
        changes = self.changes
        if len(changes) > _FEW:
            first = bisect_left(changes, from_ns, key=_TIME)
            changes = changes[first : bisect_left(changes, until_ns, key=_TIME)]
        return [
            change
            for change in changes
            if change.level == level and from_ns <= change.t_ns < until_ns
        ]

    def missed(self, level: int, from_ns: float, until_ns: float) -> bool:
        """Return whether a change to `level` may have come unrecorded in (from_ns, until_ns)."""
        return bool(self.gaps) and any(
            gap.level == level for gap in self._gaps_in(from_ns, until_ns)
        )

    def _gaps_in(self, from_ns: float, until_ns: float) -> tuple[Gap, ...]:
        """Return the gaps that reach into (from_ns, until_ns); gaps follow one another."""
        first = bisect_right(self.gaps, from_ns, key=_BEFORE)
        last = bisect_left(self.gaps, until_ns, first, key=_AFTER)
        return self.gaps[first:last]


NOT_WIRED = Line(None)


class Hold(NamedTuple):
    """A time that a line was at a level.

    Attributes:
        start_ns: board clock of the first edge to the level.
        end_ns: of the edge that ended it for good; None while it lasts, or where that was missed.
    """

    channel: Channel
    start_ns: int
    end_ns: int | None


def in_order(edges: Sequence[Edge]) -> Sequence[Edge]:
    """Return the edges in order of time, those of one moment in order of number."""
    return edges if isinstance(edges, EdgeColumns) else sorted(edges, key=_PLACE)


def lines_of(edges: Sequence[Edge], initial_levels: Mapping[Channel, int]) -> dict[Channel, Line]:
    """Return each wired channel's line; one is wired when it has an initial level or an edge."""
    found: dict[Channel, list[Edge]] = {channel: [] for channel in initial_levels}
    for edge in in_order(edges):
        channel = edge.channel
        if channel in found:
            found[channel].append(edge)
        else:
            found[channel] = [edge]
    return {
        channel: _line(channel, own, initial_levels.get(channel)) for channel, own in found.items()
    }


def holds(line: Line, level: int, from_ns: float = -inf, until_ns: float = inf) -> list[Hold]:
    """Return the times at `level` of which the beginning was recorded, in [from_ns, until_ns)."""
    changes = line.changes
    first, last = 0, len(changes)
    if last > _FEW:
        first = bisect_left(changes, from_ns, key=_TIME)
        last = bisect_left(changes, until_ns, key=_TIME)
    return [
        Hold(changes[at].channel, changes[at].t_ns, _end_ns(changes, at))
        for at in range(first, last)
        if changes[at].level == level and from_ns <= changes[at].t_ns < until_ns
    ]


def _end_ns(changes: Sequence[Change], at: int) -> int | None:
    """Return when a hold ended; None where it lasts, or its end was missed."""
    if at + 1 == len(changes) or changes[at + 1].level == changes[at].level:
        return None
    return changes[at + 1].settled_ns


def _line(channel: Channel, edges: list[Edge], initial: int | None) -> Line:
    if not edges:
        return Line(initial)
    quiet_ns = QUIET_NS.get(channel, 0)
    clean = _clean(channel, edges, initial, quiet_ns)
    if clean is not None:
        return Line(initial, clean)
    level = initial
    last_ns = -inf
    changes: list[Change] = []
    gaps: list[Gap] = []
    glitches: list[Glitch] = []
    bounces = 0
    at, count = 0, len(edges)
    while at < count:
        first = last = edges[at]
        begun = at
        at += 1
        level = 1 - first.level if level is None else level
        while at < count and edges[at].t_ns - last.t_ns < quiet_ns:
            last = edges[at]
            at += 1
        if level == first.level:
            if not quiet_ns and first.t_ns - last_ns < DARK_MIN_NS:
                last_ns = last.t_ns
                continue
            gaps.append(Gap(1 - level, last_ns, first.t_ns))
        elif last.level == level:
            last_ns = last.t_ns
            if channel in CONTACTS:
                bounces += at - begun
            else:
                glitches.append(Glitch(channel, first.t_ns, last.t_ns, at - begun))
            continue
        came_ns, settled_ns = first.t_ns, first.t_ns
        if at - begun > 1:
            came_ns, settled_ns = _came(edges[begun:at], level)
        changes.append(Change(channel, came_ns, last.level, settled_ns))
        bounces += at - begun - 1
        level, last_ns = last.level, last.t_ns
    return Line(initial, tuple(changes), tuple(gaps), tuple(glitches), bounces)


def _clean(
    channel: Channel, edges: list[Edge], initial: int | None, quiet_ns: int
) -> tuple[Change, ...] | None:
    """Return the changes where every edge is one of its own, as nearly always; else None."""
    before, last_ns = initial, -inf
    changes = []
    for _, t_ns, _, level in edges:
        if level == before or t_ns - last_ns < quiet_ns:
            return None
        before, last_ns = level, t_ns
        changes.append(Change(channel, t_ns, level, t_ns))
    return tuple(changes)


def _came(burst: list[Edge], level: int) -> tuple[int, int]:
    """Return when a burst first came to its last level, and when for good; it began at `level`."""
    end = burst[-1].level
    first_ns = settled_ns = next(edge.t_ns for edge in burst if edge.level == end)
    for edge in burst:
        if edge.level == end and level != end:
            settled_ns = edge.t_ns
        level = edge.level
    return first_ns, settled_ns


# Four for each of the 100,000 cycles that are answered in bounded time and memory. Assumed.
CHANGES_MAX: Final = 400_000
# Assumed: edges that a loop is quicker for than numpy's calls.
_FEW_EDGES: Final = 256
# Assumed: a noisy line has a glitch now and then, which its findings name; this is another matter.
_STORM: Final = 1_000


def without_flicker(edges: EdgeColumns) -> EdgeColumns:
    """Return the edges without the dark parts of a dimmed display's periods.

    A fall of BACKLIGHT that is followed by its rise within DARK_MIN_NS is no darkness, and both are
    left out.
    """
    places = np.flatnonzero(edges.codes == CHANNELS.index(Channel.BACKLIGHT))
    if places.size < 2:
        return edges
    falls = edges.levels[places[:-1]] == 0
    short = falls & (np.diff(edges.t_ns[places]) < DARK_MIN_NS)
    kept = np.ones(len(edges), np.bool_)
    kept[places[:-1][short]] = False
    kept[places[1:][short]] = False
    return edges.where(kept)


def busy_channels(edges: EdgeColumns) -> Iterator[tuple[Channel, int]]:
    """Yield channels that changed more often than CHANGES_MAX, and how often."""
    for code in np.unique(edges.codes).tolist():
        t_ns = edges.t_ns[edges.codes == code]
        count = _bursts(t_ns, QUIET_NS.get(CHANNELS[code], 0)).size
        if count > CHANGES_MAX:
            yield CHANNELS[code], count


def storms(edges: EdgeColumns) -> Iterator[tuple[Channel, int]]:
    """Yield logic lines of which far too many edges follow too soon, and how many do."""
    for code in np.unique(edges.codes).tolist():
        channel = CHANNELS[code]
        quiet_ns = 0 if channel in CONTACTS else QUIET_NS.get(channel, 0)
        t_ns = edges.t_ns[edges.codes == code]
        count = int(t_ns.size - _bursts(t_ns, quiet_ns).size)
        if count > _STORM:
            yield channel, count


def settled(edges: Sequence[Edge], initial_levels: Mapping[Channel, int]) -> list[Edge]:
    """Return an edge for each change of the lines, in order, without bounces and glitches."""
    lines = lines_of_columns(edges, initial_levels).values()
    changes = sorted(chain.from_iterable(line.changes for line in lines), key=_TIME)
    return [Edge(n, each.t_ns, each.channel, each.level) for n, each in enumerate(changes)]


def lines_of_columns(
    edges: Sequence[Edge], initial_levels: Mapping[Channel, int]
) -> dict[Channel, Line]:
    """Return each wired channel's line.

    Args:
        edges: of cycles. As columns they are a capture's, whose channels have an initial level
            each, and alternate from there.
        initial_levels: of every wired channel.
    """
    if not isinstance(edges, EdgeColumns) or len(edges) <= _FEW_EDGES:
        return lines_of(edges, initial_levels)
    return {
        channel: _line_of_columns(channel, edges.of_channel(channel), initial)
        for channel, initial in initial_levels.items()
    }


def _bursts(t_ns: NDArray[np.int64], quiet_ns: int) -> NDArray[np.int64]:
    """Return the places of the edges that begin a burst."""
    begins = np.ones(t_ns.size, np.bool_)
    np.greater_equal(t_ns[1:] - t_ns[:-1], quiet_ns, out=begins[1:])
    return np.flatnonzero(begins)


def _line_of_columns(channel: Channel, edges: EdgeColumns, initial: int) -> Line:
    if not len(edges):
        return Line(initial)
    firsts = _bursts(edges.t_ns, QUIET_NS.get(channel, 0))
    lasts = np.append(firsts[1:], len(edges)) - 1
    counts = lasts - firsts + 1
    moved = counts % 2 == 1
    changes = tuple(
        Change(channel, came_ns, level, settled_ns)
        for came_ns, level, settled_ns in zip(
            edges.t_ns[firsts[moved]].tolist(),
            edges.levels[lasts[moved]].tolist(),
            edges.t_ns[lasts[moved]].tolist(),
            strict=True,
        )
    )
    bounces = int((counts[moved] - 1).sum())
    if channel in CONTACTS:
        return Line(initial, changes, bounces=bounces + int(counts[~moved].sum()))
    glitches = tuple(
        Glitch(channel, t_ns, until_ns, count)
        for t_ns, until_ns, count in zip(
            edges.t_ns[firsts[~moved]].tolist(),
            edges.t_ns[lasts[~moved]].tolist(),
            counts[~moved].tolist(),
            strict=True,
        )
    )
    return Line(initial, changes, (), glitches, bounces)
