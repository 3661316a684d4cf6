"""What edges say of a line: its changes, bounces and glitches, and where an edge is missing.

Edges of a line that follow one another sooner than the line can mean it are one burst. A burst that
ends where it began is a glitch: it is named, and changes nothing. Any other one is a change, at its
first edge to the new level; its other edges are bounces, and so are the glitches of a contact: the
DUT does not see them either. Two changes to one level tell that the
edge between them is missing: a gap. Nothing is said of a line where a gap leaves it open.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge

# A press or release shorter than the PCH's PWRBTN# debounce (16 ms, Intel 800-series datasheet,
# "Event Input Signals") is none for the DUT either.
DEBOUNCE_NS = 16_000_000
# The least width of SLP_S3# that a chipset can be set to; no power line is quicker.
LOGIC_MIN_NS = 60_000
# A PWM-dimmed backlight and a blinking LED may lose edges; light is off for less in each period.
DARK_MIN_NS = 100_000_000

_CONTACTS = (Channel.BUTTON, Channel.LID)
_LOGIC = (Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5, Channel.PWR_OK, Channel.PLTRST)
_QUIET_NS = {
    **dict.fromkeys(_CONTACTS, DEBOUNCE_NS),
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


class Gap(NamedTuple):
    """An edge to `level` that came between two times, and was not seen."""

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
        initial: level before the first edge; None where nobody told.
        bounces: edges that were one too many in a change.
    """

    initial: int | None
    changes: tuple[Change, ...] = ()
    gaps: tuple[Gap, ...] = ()
    glitches: tuple[Glitch, ...] = ()
    bounces: int = 0

    def level(self, t_ns: float) -> int | None:
        """Return the level just before `t_ns`, which may be infinite; None where not known."""
        for gap in self.gaps:
            if gap.after_ns < t_ns <= gap.before_ns:
                return gap.level if t_ns == gap.before_ns else None
        level = self.initial
        for change in self.changes:
            if change.t_ns >= t_ns:
                return 1 - change.level if level is None else level
            level = change.level
        return level

    def was(self, level: int, from_ns: float, until_ns: float) -> bool:
        """Return whether the line was, or may have been, at `level` in [from_ns, until_ns)."""
        return (
            self.level(from_ns) == level
            or any(gap.after_ns < until_ns and gap.before_ns > from_ns for gap in self.gaps)
            or any(
                from_ns <= change.t_ns < until_ns
                if change.level == level
                else from_ns < change.t_ns <= until_ns
                for change in self.changes
            )
        )

    def times_to(self, level: int, from_ns: float, until_ns: float) -> list[Change]:
        """Return the changes to `level` that were seen in [from_ns, until_ns)."""
        return [c for c in self.changes if c.level == level and from_ns <= c.t_ns < until_ns]

    def missed(self, level: int, from_ns: float, until_ns: float) -> bool:
        """Return whether a change to `level` may have come unseen in (from_ns, until_ns)."""
        return any(
            gap.level == level and gap.after_ns < until_ns and gap.before_ns > from_ns
            for gap in self.gaps
        )


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


def in_order(edges: Sequence[Edge]) -> list[Edge]:
    """Return the edges in order of time, those of one moment in order of number."""
    return sorted(edges, key=_place)


def lines_of(edges: Sequence[Edge], initial_levels: Mapping[Channel, int]) -> dict[Channel, Line]:
    """Return each wired channel's line; one is wired when it has an initial level or an edge."""
    found: dict[Channel, list[Edge]] = {channel: [] for channel in initial_levels}
    for edge in in_order(edges):
        found.setdefault(edge.channel, []).append(edge)
    return {
        channel: _line(channel, own, initial_levels.get(channel)) for channel, own in found.items()
    }


def holds(line: Line, level: int) -> list[Hold]:
    """Return the times that a line was at `level`, each with a start that was seen."""
    found: list[Hold] = []
    changes = line.changes
    for index, change in enumerate(changes):
        if change.level == level:
            after = changes[index + 1] if index + 1 < len(changes) else None
            ended = after is not None and after.level != level
            found.append(
                Hold(change.channel, change.t_ns, after.settled_ns if after and ended else None)
            )
    return found


def _place(edge: Edge) -> tuple[int, int]:
    return edge.t_ns, edge.number


def _line(channel: Channel, edges: list[Edge], initial: int | None) -> Line:
    quiet_ns = _QUIET_NS.get(channel, 0)
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
            if channel in _CONTACTS:
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


def _came(burst: list[Edge], level: int) -> tuple[int, int]:
    """Return when a burst first came to its last level, and when for good; it began at `level`."""
    end = burst[-1].level
    first_ns = settled_ns = next(edge.t_ns for edge in burst if edge.level == end)
    for edge in burst:
        if edge.level == end and level != end:
            settled_ns = edge.t_ns
        level = edge.level
    return first_ns, settled_ns
