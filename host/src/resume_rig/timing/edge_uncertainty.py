"""Half-widths of measured intervals: bounds of their terms, summed.

Each term is the half-width of an interval that holds the truth, so they add linearly and no
distribution is assumed (JCGM 100:2008, "GUM", 4.3.7 gives such a term its standard uncertainty
a/sqrt(3); the combination of those is for later). The figures are those of the front end's
uncertainty budget; docs/reference/intervals.md lists them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.model.quantity import BoundedNs
from resume_rig.timing.budget_light import LightEnd

# The photoMOS needs 30..42 us for 2.0 V to 0.8 V: where in there the press "is", is a definition.
PRESS_DEFINITION_NS = 20_000
# Pilot hall and the DUT's hall switch at different fields of one magnet.
LID_DEFINITION_NS = 4_000_000
# Ramp of the LED driver and phase of a dimmed panel are unknown to a digital edge.
LIGHT_DEFINITION_NS = 1_000_000

# What an unknown logic analyser is taken for: twice the usual 50 ppm of such instruments; its
# threshold crossed within 1 us by logic, within 100 us by a PWR_OK ramp of 10 ms (ATX T4).
CAPTURE_TOLERANCE_PPB = 100_000
_CAPTURE_LOGIC_NS = 1_000
_CAPTURE_RAMP_NS = 100_000


def _no_edges() -> Mapping[Channel, int]:
    return MappingProxyType({})


class Moment(NamedTuple):
    """One end of an interval: an edge, or an onset of light."""

    channel: Channel
    t_ns: int
    rises: bool = True
    light: LightEnd | None = None


@dataclass(frozen=True, slots=True)
class BoundTerm:
    """One row of the budget of an interval."""

    name: str
    half_width_ns: int


@dataclass(frozen=True, slots=True)
class IntervalBounds:
    """What is known of the instrument, enough to bound any interval between two of its edges.

    Attributes:
        edge_ns: half-width of one stamp of each channel; see `edge_half_width_ns`.
        rate_ppb: half-width of the clock's rate error that is left (tolerance, or the residual
            of a calibration).
        default_edge_ns: for channels that `edge_ns` does not name.
    """

    rate_ppb: int
    edge_ns: Mapping[Channel, int] = field(default_factory=_no_edges)
    default_edge_ns: int = 0
    press_definition_ns: int = PRESS_DEFINITION_NS
    lid_definition_ns: int = LID_DEFINITION_NS
    light_definition_ns: int = LIGHT_DEFINITION_NS

    def terms(self, start: Channel, end: Channel, duration_ns: int) -> tuple[BoundTerm, ...]:
        """Return the rows of the budget; those that are 0 are left out."""
        rows = [
            BoundTerm(f"stamp of {start}", self.edge_ns.get(start, self.default_edge_ns)),
            BoundTerm(f"definition of the {start} edge", self._definition_ns(start)),
            BoundTerm(f"stamp of {end}", self.edge_ns.get(end, self.default_edge_ns)),
            BoundTerm(f"definition of the {end} edge", self._definition_ns(end)),
            BoundTerm("clock rate", rate_half_width_ns(self.rate_ppb, duration_ns)),
        ]
        return tuple(row for row in rows if row.half_width_ns)

    def bound_ns(self, start: Channel, end: Channel, duration_ns: int) -> int:
        """Return the half-width of an interval of `duration_ns` between two edges."""
        return sum(row.half_width_ns for row in self.terms(start, end, duration_ns))

    def between(self, start: Moment, end: Moment) -> BoundedNs:
        """Return the interval from `start` to `end`, with its bound."""
        duration_ns = end.t_ns - start.t_ns
        rate_ns = rate_half_width_ns(self.rate_ppb, duration_ns)
        return BoundedNs(duration_ns, self._end_ns(start) + self._end_ns(end) + rate_ns)

    def _end_ns(self, moment: Moment) -> int:
        if moment.light is not None:
            return moment.light.half_width_ns
        stamp_ns = self.edge_ns.get(moment.channel, self.default_edge_ns)
        return stamp_ns + self._definition_ns(moment.channel)

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


def edge_half_width_ns(uncertainty_ns: int, resolution_ns: int, *, calibrated: bool) -> int:
    """Return the half-width of one stamp: what the board states, and half a tick of its source.

    The uncertainty of a calibrated channel has the ticks in it already: those of its own stamps
    are in the deviations that were seen, and a whole one stands for those of the clock that the
    latencies were measured against.
    """
    return uncertainty_ns if calibrated else uncertainty_ns + -(-resolution_ns // 2)


def rate_half_width_ns(rate_ppb: int, duration_ns: int) -> int:
    """Return by how much a clock that is off by up to `rate_ppb` mistakes a duration."""
    return -(-rate_ppb * abs(duration_ns) // 1_000_000_000)


def capture_bounds(resolution_ns: int) -> IntervalBounds:
    """Return bounds for a capture by an instrument of which only the resolution is known.

    An analyser stamps a change up to one whole sample late, hence a whole step and not half.
    """
    return IntervalBounds(
        rate_ppb=CAPTURE_TOLERANCE_PPB,
        edge_ns=MappingProxyType({Channel.PWR_OK: resolution_ns + _CAPTURE_RAMP_NS}),
        default_edge_ns=resolution_ns + _CAPTURE_LOGIC_NS,
    )


def without_delays(edges: Sequence[Edge], delay_ns: Mapping[Channel, int]) -> tuple[Edge, ...]:
    """Return the edges as they were on the DUT's pins, in order: stamps minus front-end delays."""
    moved = [replace(edge, t_ns=edge.t_ns - delay_ns.get(edge.channel, 0)) for edge in edges]
    return tuple(sorted(moved, key=lambda edge: (edge.t_ns, edge.number)))
