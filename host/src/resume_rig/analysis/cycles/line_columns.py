"""What millions of edges say of their lines: the rules of `levels`, for columns. Pure.

A capture may have a display dimmed by PWM on it for hours, or a line that nobody terminated. Its
edges alternate: none is missing, so that nothing but bursts is to be looked for.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.cycles import levels
from resume_rig.analysis.cycles.levels import (
    CONTACTS,
    DARK_MIN_NS,
    QUIET_NS,
    Change,
    Glitch,
    Line,
)
from resume_rig.model.channel import Channel
from resume_rig.model.edge import CHANNELS, Edge, EdgeColumns

# Four for each of the 100,000 cycles that are answered in bounded time and memory.
CHANGES_MAX: Final = 400_000
# Edges that a loop is quicker for than numpy's calls.
_FEW: Final = 256
# A noisy line has a glitch now and then; its findings say so. This is another matter.
_STORM: Final = 1_000
_MOMENT: Final = attrgetter("t_ns")


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
    lines = lines_of(edges, initial_levels).values()
    changes = sorted(chain.from_iterable(line.changes for line in lines), key=_MOMENT)
    return [Edge(n, each.t_ns, each.channel, each.level) for n, each in enumerate(changes)]


def lines_of(edges: Sequence[Edge], initial_levels: Mapping[Channel, int]) -> dict[Channel, Line]:
    """Return each wired channel's line.

    Args:
        edges: of cycles. As columns they are a capture's, whose channels have an initial level
            each, and alternate from there.
        initial_levels: of every wired channel.
    """
    if not isinstance(edges, EdgeColumns) or len(edges) <= _FEW:
        return levels.lines_of(edges, initial_levels)
    return {
        channel: _line(channel, edges.of_channel(channel), initial)
        for channel, initial in initial_levels.items()
    }


def _bursts(t_ns: NDArray[np.int64], quiet_ns: int) -> NDArray[np.int64]:
    """Return the places of the edges that begin a burst."""
    begins = np.ones(t_ns.size, np.bool_)
    np.greater_equal(t_ns[1:] - t_ns[:-1], quiet_ns, out=begins[1:])
    return np.flatnonzero(begins)


def _line(channel: Channel, edges: EdgeColumns, initial: int) -> Line:
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
