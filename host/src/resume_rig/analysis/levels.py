"""What edges say of levels: clean changes, how long a line held a level, the level at a moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge

# A release shorter than the PCH's PWRBTN# debounce (16 ms, Intel 800-series datasheet, "Event Input
# Signals") is not seen by the DUT as one, so it does not end a press.
DEBOUNCE_NS = 16_000_000


@dataclass(frozen=True, slots=True)
class Hold:
    """A time that a line was at a level, bounce included.

    Attributes:
        channel: the line.
        start_ns: board clock of the first edge to the level.
        end_ns: board clock of the edge that ended it for good; None while it lasts.
    """

    channel: Channel
    start_ns: int
    end_ns: int | None


def in_order(edges: Sequence[Edge]) -> list[Edge]:
    """Return the edges in order of time, those of one moment in order of number."""
    return sorted(edges, key=lambda edge: (edge.t_ns, edge.number))


def changes_by_channel(
    edges: Sequence[Edge], initial_levels: Mapping[Channel, int]
) -> dict[Channel, tuple[Edge, ...]]:
    """Return the edges of each wired channel in order of time, without those that change nothing.

    A channel is wired when it has an initial level or an edge.
    """
    levels: dict[Channel, int] = dict(initial_levels)
    found: dict[Channel, list[Edge]] = {channel: [] for channel in initial_levels}
    for edge in in_order(edges):
        if levels.get(edge.channel) != edge.level:
            levels[edge.channel] = edge.level
            found.setdefault(edge.channel, []).append(edge)
    return {channel: tuple(changes) for channel, changes in found.items()}


def holds(changes: Sequence[Edge], level: int, gap_ns: int = DEBOUNCE_NS) -> tuple[Hold, ...]:
    """Return the times that a channel was at `level`, joined across gaps shorter than `gap_ns`.

    A hold that was there from the beginning has no measured start and is left out.
    """
    found: list[Hold] = []
    for edge in changes:
        last = found[-1] if found else None
        if edge.level == level:
            if last is not None and last.end_ns is not None and edge.t_ns - last.end_ns < gap_ns:
                found[-1] = Hold(last.channel, last.start_ns, None)
            else:
                found.append(Hold(edge.channel, edge.t_ns, None))
        elif last is not None:
            found[-1] = Hold(last.channel, last.start_ns, edge.t_ns)
    return tuple(found)


def level_before(changes: Sequence[Edge], initial: int | None, t_ns: float) -> int | None:
    """Return a channel's level just before `t_ns`; None where no level and no edge tells."""
    level = initial
    for edge in changes:
        if edge.t_ns >= t_ns:
            return 1 - edge.level if level is None else level
        level = edge.level
    return level


def times_to(
    changes: Sequence[Edge], level: int, from_ns: float, until_ns: float
) -> tuple[int, ...]:
    """Return the times of the edges to `level` in [from_ns, until_ns)."""
    return tuple(e.t_ns for e in changes if e.level == level and from_ns <= e.t_ns < until_ns)
