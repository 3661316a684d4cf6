"""How uncertain an interval between two edges is: quickly for each, as a table on demand.

A campaign may have a million intervals, so what two kinds of edges have in common is worked out
once (`IntervalBounds.between`); `IntervalBounds.rows` gives the same terms as rows of a budget.
docs/explanation/uncertainty.md has the terms.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, log2, sqrt
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from resume_rig.model.budget import (
    BudgetRow,
    Distribution,
    Scope,
    combined_standard_ns,
    scoped_bound_ns,
    summed_bound_ns,
)
from resume_rig.model.channel import Channel, WakeBy
from resume_rig.model.edge import Edge
from resume_rig.model.front_end import FrontEnd
from resume_rig.model.quantity import SQRT_3, BoundedNs
from resume_rig.timing.budget import (
    FIXED,
    LID_DEFINITION_NS,
    LIGHT_DEFINITION_NS,
    PRESS_DEFINITION_NS,
    CaptureStamps,
    ErrorShape,
    StampFacts,
    capture_rows,
    clock_row,
    command_rows,
    definition_row,
    delay_row,
    edge_name,
    expanded_half_width_ns,
    rate_half_width_ns,
    shapes_of,
    stamp_rows,
    unknown_ramp_row,
)
from resume_rig.timing.light_budget import LightEnd, light_delay_ns, light_rows

# What an unknown logic analyser is taken for: twice the usual 50 ppm of such instruments (assumed).
CAPTURE_TOLERANCE_PPB: Final = 100_000
# Of the clock's term, for which coverage factors are kept: the expanded uncertainty is then within
# 0.5 % of the convolution's (host/tests/timing/test_edge_uncertainty.py).
_STEPS_AN_OCTAVE: Final = 8
_NEGLIGIBLE: Final = 0.005  # a variance below this share moves no coverage factor by 0.2 %
# Kinds of edges are few; a panel that never repeats must not fill memory. Both assumed.
_MOST_PAIRS: Final = 2_048
# Intervals of one kind are equal to some us, so that their clock's term repeats.
_MOST_WIDTHS: Final = 2_048
# Widths are rounded up to it, so that cycles share what is worked out of them. Assumed.
_CLOCKS_STEP_NS: Final = 10_000


class TimedCommand(NamedTuple):
    """A trigger that no wire shows; its command says when it was.

    Attributes:
        by: what was asked to wake the DUT.
        clocks_half_ns: how well that time is known on the board's clock.
    """

    by: WakeBy
    clocks_half_ns: int = 0

    @classmethod
    def within(cls, by: WakeBy, half_ns: int) -> "TimedCommand":
        """Return one whose time is known to within a half-width, which is rounded up."""
        return cls(by, -(-half_ns // _CLOCKS_STEP_NS) * _CLOCKS_STEP_NS)


class Moment(NamedTuple):
    """One end of an interval: an edge, an onset of light, or a command in place of an edge.

    Attributes:
        channel: of the edge; that of the button where it is a `command`.
    """

    channel: Channel
    t_ns: int
    rises: bool = True
    light: LightEnd | None = None
    command: TimedCommand | None = None


class Ramp(NamedTuple):
    """How long PWR_OK takes to rise: limits in ns, and who says so."""

    least_ns: int
    most_ns: int
    source: str


LOGIC_EDGE: Final = Ramp(0, 0, "")
# Assumed: decides the bound of intervals that end at PWR_OK falling.
_POWER_FALLS: Final = Ramp(0, 1_000_000, "taken for 1 ms at most")


@dataclass(frozen=True, slots=True)
class IntervalBounds:
    """What is known of the instrument, enough for any interval between two of its edges.

    Attributes:
        rate_ppb: half-width of the clock's rate error that is left (tolerance, or the residual
            of a calibration). rate_source: who says so. rate_scope: the tolerance is the rig's,
            what a calibration leaves is this campaign's.
        stamps: what the board states of each channel's stamps.
        edge_ns: half-width of one stamp, of channels that `stamps` does not name.
        default_edge_ns: of channels that neither names.
        front_end: the delays that were subtracted (`delays_ns`); None where there is none, or
            where the board states them.
        pwr_ok_ramp: of PWR_OK, for the threshold's part.
        press_definition_ns, lid_definition_ns, light_definition_ns: half-widths.
        is_own: False for an instrument that is not ours: its 95 % interval is the guaranteed one.
        capture: how such an instrument stamps, instead of the front end and all of the above; None
            for a board.
        witness: called with each interval that is formed, by whom and with its ends; None without.
    """

    rate_ppb: int
    edge_ns: Mapping[Channel, int] = field(default_factory=dict)
    default_edge_ns: int = 0
    press_definition_ns: int = PRESS_DEFINITION_NS
    lid_definition_ns: int = LID_DEFINITION_NS
    light_definition_ns: int = LIGHT_DEFINITION_NS
    stamps: Mapping[Channel, StampFacts] = field(default_factory=dict)
    front_end: FrontEnd | None = None
    pwr_ok_ramp: Ramp = LOGIC_EDGE
    rate_source: str = "the board's info: tolerance"
    rate_scope: Scope = Scope.RIG
    is_own: bool = True
    capture: CaptureStamps | None = None
    witness: "Witness | None" = field(default=None, compare=False, repr=False)
    _pairs: "dict[_PairKey, _Pair]" = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    _delays_ns: dict[tuple[Channel, bool], int] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def between(self, start: Moment, end: Moment) -> BoundedNs:
        """Return the interval from `start` to `end`, with its uncertainty."""
        duration_ns = end.t_ns - start.t_ns
        if start.light is not None or end.light is not None:
            duration_ns = self._corrected_ns(end) - self._corrected_ns(start)
        clock_ns = rate_half_width_ns(self.rate_ppb, duration_ns)
        pair = self._pair(start, end)
        bound_ns, standard_ns, expanded_ns = pair.widths(clock_ns)
        by_rig = self.rate_scope is Scope.RIG
        found = BoundedNs(
            duration_ns,
            bound_ns,
            standard_ns,
            expanded_ns if self.is_own else bound_ns,
            pair.rig_ns + (clock_ns if by_rig else 0),
            pair.campaign_ns + (0 if by_rig else clock_ns),
        )
        if self.witness is not None:
            self.witness(self, start, end, found)
        return found

    def with_rate(self, rate_ppb: int, source: str) -> "IntervalBounds":
        """Return the same instrument with another rate error left, as a calibration leaves it.

        What edges have in common does not depend on the clock, and is worked out once for both.
        """
        other = replace(self, rate_ppb=rate_ppb, rate_source=source, rate_scope=Scope.CAMPAIGN)
        object.__setattr__(other, "_pairs", self._pairs)
        return other

    def rows(self, start: Moment, end: Moment) -> tuple[BudgetRow, ...]:
        """Return the rows of the interval's budget; those that are 0 are left out."""
        rows = self._edge_rows(start, end)
        duration_ns = self._corrected_ns(end) - self._corrected_ns(start)
        clock = clock_row(self.rate_ppb, duration_ns, self.rate_source, self.rate_scope)
        return (*rows, clock) if clock.half_width_ns else rows

    def delays_ns(self) -> Mapping[tuple[Channel, bool], int]:
        """Return what is subtracted from the stamps of each channel's edges (True: rising)."""
        found = self._delays_ns
        if found:
            return found
        for channel in Channel:
            facts = self.stamps.get(channel)
            for rises in (False, True):
                rows = self._front_end_rows(channel, rises)
                table_ns = sum(row.correction_ns for row in rows)
                found[channel, rises] = table_ns + (0 if facts is None else facts.delay_ns)
        return found

    def _corrected_ns(self, moment: Moment) -> int:
        """Edges were put back by `delays_ns`; moments of light are put back here."""
        light = moment.light
        return moment.t_ns - (0 if light is None else light_delay_ns(light, self.front_end))

    def _pair(self, start: Moment, end: Moment) -> "_Pair":
        key = (
            (start.channel, start.rises, start.light, start.command),
            (end.channel, end.rises, end.light, end.command),
        )
        pair = self._pairs.get(key)
        if pair is None:
            if len(self._pairs) >= _MOST_PAIRS:
                self._pairs.clear()
            pair = self._pairs[key] = _Pair(self._edge_rows(start, end))
        return pair

    def _edge_rows(self, start: Moment, end: Moment) -> tuple[BudgetRow, ...]:
        first = [replace(row, sensitivity=-1) for row in self._rows_of(start)]
        rows = (*first, *self._rows_of(end))
        if (start.channel, start.rises) == (end.channel, end.rises):
            # Two edges of one kind: only what is fixed is the same in both.
            rows = tuple(
                row
                if row.group is None or row.group.startswith(FIXED)
                else replace(row, group=None)
                for row in rows
            )
        return tuple(row for row in rows if row.half_width_ns)

    def _rows_of(self, moment: Moment) -> Iterator[BudgetRow]:
        if moment.light is not None:
            yield from light_rows(moment.light, self.front_end)
            return
        if moment.command is not None:
            yield from command_rows(*moment.command)
            return
        channel, rises = moment.channel, moment.rises
        if self.capture is not None:
            yield from capture_rows(channel, rises, self.capture)
        else:
            half_ns = self.edge_ns.get(channel, self.default_edge_ns)
            facts = self.stamps.get(channel, StampFacts(0, half_ns))
            yield from stamp_rows(channel, rises, facts)
        yield from self._front_end_rows(channel, rises)
        yield definition_row(channel, rises, self._definition_ns(channel))

    def _front_end_rows(self, channel: Channel, rises: bool) -> Iterator[BudgetRow]:
        if self.front_end is None:
            return
        ramp = LOGIC_EDGE
        if channel is Channel.PWR_OK:
            ramp = self.pwr_ok_ramp if rises else _POWER_FALLS
        slow = self.front_end.of(channel, rises, ramp.most_ns)
        fast = self.front_end.of(channel, rises, ramp.least_ns)
        if slow is None or fast is None:
            return
        facts = self.stamps.get(channel)
        if facts is not None and facts.states_front_end:
            return
        half_ns = -(-(slow.value_ns - fast.value_ns) // 2)
        middle = replace(slow, value_ns=slow.value_ns - half_ns)
        name = f"front end of {edge_name(channel, rises)}"
        yield delay_row(name, middle, self.front_end.source)
        if half_ns:
            yield unknown_ramp_row(channel, half_ns, ramp.source)

    def _definition_ns(self, channel: Channel) -> int:
        match channel:
            case Channel.BUTTON:
                return self.press_definition_ns
            case Channel.LID:
                return self.lid_definition_ns
            case Channel.BACKLIGHT:
                return self.light_definition_ns
            case _:
                return 0


_PLACE = attrgetter("t_ns", "number")
Witness = Callable[[IntervalBounds, Moment, Moment, BoundedNs], None]
_EndKey: TypeAlias = tuple[Channel, bool, LightEnd | None, TimedCommand | None]
_PairKey: TypeAlias = tuple[_EndKey, _EndKey]


class _Pair:
    """What all intervals between two kinds of edges have in common: all but the clock."""

    def __init__(self, rows: tuple[BudgetRow, ...]) -> None:
        self.bound_ns = summed_bound_ns(rows)
        self.rig_ns = scoped_bound_ns(rows, Scope.RIG)
        self.campaign_ns = scoped_bound_ns(rows, Scope.CAMPAIGN)
        self.variance = combined_standard_ns(rows) ** 2
        self._shapes = shapes_of(rows)
        self._factors: dict[int | None, float] = {}
        self._widths: dict[int, tuple[int, int, int]] = {}

    def widths(self, clock_ns: int) -> tuple[int, int, int]:
        """Return bound, standard and expanded half-width, in ns, with the clock's half-width."""
        found = self._widths.get(clock_ns)
        if found is None:
            if len(self._widths) >= _MOST_WIDTHS:
                self._widths.clear()
            bound_ns = self.bound_ns + clock_ns
            standard = sqrt(self.variance + ceil(clock_ns / SQRT_3) ** 2)
            expanded_ns = min(ceil(self.factor(clock_ns) * standard), bound_ns)
            found = self._widths[clock_ns] = bound_ns, min(ceil(standard), bound_ns), expanded_ns
        return found

    def factor(self, clock_ns: int) -> float:
        """Return the coverage factor where the clock's half-width is about `clock_ns`."""
        matters = clock_ns * clock_ns > _NEGLIGIBLE * self.variance
        step = round(log2(clock_ns) * _STEPS_AN_OCTAVE) if matters and clock_ns else None
        found = self._factors.get(step)
        if found is None:
            half_ns = 0.0 if step is None else 2 ** (step / _STEPS_AN_OCTAVE)
            clock = ErrorShape(Distribution.RECTANGLE, half_ns, half_ns / SQRT_3)
            found = self._factors[step] = _factor([*self._shapes, clock])
        return found


def _factor(shapes: Sequence[ErrorShape]) -> float:
    variance = sum(shape.standard_ns**2 for shape in shapes)
    return expanded_half_width_ns(shapes) / sqrt(variance) if variance else 0.0


def capture_bounds(stamps: CaptureStamps) -> IntervalBounds:
    """Return bounds for a capture by an instrument of which only the sampling is known."""
    return IntervalBounds(
        rate_ppb=CAPTURE_TOLERANCE_PPB,
        rate_source="assumed of an unknown instrument",
        is_own=False,
        capture=stamps,
    )


def without_delays(
    edges: Sequence[Edge], delays_ns: Mapping[tuple[Channel, bool], int]
) -> tuple[Edge, ...]:
    """Return the edges as they were on the DUT's pins, in order: stamps minus delays.

    Args:
        edges: as the board stamped them.
        delays_ns: by channel and whether it rises; those that are not in it have none.
    """
    moved = [
        Edge(edge.number, edge.t_ns - delay_ns, edge.channel, edge.level) if delay_ns else edge
        for edge in edges
        for delay_ns in (delays_ns.get((edge.channel, bool(edge.level)), 0),)
    ]
    return tuple(sorted(moved, key=_PLACE))
