"""Everything that the rig's thread told so far; one for the whole window. Free of Qt."""

from collections.abc import Iterable

from resume_rig.gui.state.lanes import Wires, wires_of
from resume_rig.gui.worker.bench_state import BenchState, bench_after
from resume_rig.gui.worker.campaign_state import CampaignState, campaign_after
from resume_rig.gui.worker.events import (
    Answered,
    Connected,
    Connecting,
    CycleSeen,
    Disconnected,
    Event,
    HealthSeen,
    LinkDown,
    PortsFound,
    SelfTested,
    WiresSeen,
)

_LEAD_NS = 200_000_000


class Seen:
    """Takes events in order; views read `bench`, `campaign` and `cycle`, and never write.

    Attributes:
        bench: a frozen state, another object after each event that changed it.
        campaign: likewise.
        cycle: the wires of the newest cycle of the campaign; None before any.
    """

    def __init__(self) -> None:
        self.bench = BenchState()
        self.campaign = CampaignState()
        self.cycle: Wires | None = None

    def take(self, events: Iterable[Event]) -> None:
        """Fold events into the states."""
        for event in events:
            match event:
                case (
                    PortsFound()
                    | Connecting()
                    | Connected()
                    | LinkDown()
                    | Disconnected()
                    | WiresSeen()
                    | HealthSeen()
                    | Answered()
                    | SelfTested()
                ):
                    self.bench = bench_after(self.bench, event)
                case _:
                    self.campaign = campaign_after(self.campaign, event)
                    if isinstance(event, CycleSeen):
                        self.cycle = _wires(event)


def _wires(event: CycleSeen) -> Wires:
    first_ns = event.edges[0].t_ns - _LEAD_NS if event.edges else 0
    return wires_of(event.initial_levels, first_ns).plus_edges(event.edges)
