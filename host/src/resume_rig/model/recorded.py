"""What a campaign recorded of one cycle on the wires, for those who draw or export it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge, LightBlock


@dataclass(frozen=True, slots=True)
class RecordedCycle:
    """One cycle on the DUT's pins.

    Attributes:
        number: of the cycle in its campaign, from 1.
        edges: of the wired channels, in order; board clock, front-end delays taken off.
        initial_levels: of every wired channel before the first edge.
        light: blocks of the photodiode, in order.
        zero_ns: board clock of the wake trigger (press or lid); of the first edge where no trigger
            was seen, and 0 without an edge.
        has_trigger: whether `zero_ns` is a wake trigger.
        zero_utc_ns: host UTC at `zero_ns`; None where nothing relates the two clocks.
        zero_utc_bound_ns: half-width of that; 0 where it is None.
        started_utc_ns: host UTC when the cycle began, by the host's clock alone.
        light_full_scale: counts of the photodiode's converter at its most; None where nobody says.
    """

    number: int
    edges: tuple[Edge, ...]
    initial_levels: Mapping[Channel, int]
    light: Sequence[LightBlock]
    zero_ns: int
    has_trigger: bool
    zero_utc_ns: int | None
    zero_utc_bound_ns: int
    started_utc_ns: int
    light_full_scale: int | None = None
