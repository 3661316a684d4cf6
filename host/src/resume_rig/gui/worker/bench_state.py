"""The state of the bench, and all that the rig's thread reports, as a fold. Free of Qt."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from typing import assert_never

from resume_rig.gui.state.lanes import Wires, wires_of
from resume_rig.gui.worker.campaign_state import CampaignState, campaign_after
from resume_rig.gui.worker.events import (
    Answered,
    BenchEvent,
    Connected,
    Connecting,
    CycleStored,
    Disconnected,
    Event,
    HealthRead,
    LinkDown,
    PortsFound,
    SelfTested,
    WiresRead,
)
from resume_rig.model.channel import Channel
from resume_rig.model.units import seconds_text
from resume_rig.rig.interface import Faults, RigInfo, SelfTestCheck
from resume_rig.rig.link.claim import FoundPort

MOST_ANSWERS = 50


@unique
class Link(StrEnum):
    """How the link to the rig is."""

    NONE = "not connected"
    OPENING = "connecting"
    UP = "connected"
    DOWN = "no answer"


@dataclass(frozen=True, slots=True)
class BenchState:
    """Everything that the bench view shows.

    Attributes:
        url: of the rig, or of the one that was tried.
        problem: one sentence; empty where there is none.
        levels: as the board reported them last.
        round_trip_ns, bound_ns: of the link; None before they are measured.
        answers: what came of actions, newest last; whether the board did it, and a sentence.
        checks: of the newest self-test; None before any.
    """

    link: Link = Link.NONE
    url: str = ""
    problem: str = ""
    ports: tuple[FoundPort, ...] = ()
    info: RigInfo | None = None
    dut_name: str = ""
    simulated: bool = False
    wires: Wires = field(default_factory=lambda: Wires({}))
    levels: Mapping[Channel, int] = field(default_factory=dict)
    faults: Faults | None = None
    round_trip_ns: int | None = None
    bound_ns: int | None = None
    answers: tuple[tuple[bool, str], ...] = ()
    checks: tuple[SelfTestCheck, ...] | None = None


def bench_after(state: BenchState, event: BenchEvent) -> BenchState:
    """Return the state after one more event."""
    match event:
        case PortsFound(ports=ports):
            after = replace(state, ports=ports)
        case Connecting(url=url):
            after = replace(BenchState(ports=state.ports), link=Link.OPENING, url=url)
        case Connected():
            after = _connected(state, event)
        case LinkDown(text=text):
            after = _answered(replace(state, link=Link.DOWN, problem=text), False, text)
        case Disconnected(why=why):
            kept = replace(state, link=Link.NONE, problem=why or "")
            after = kept if why is None else _answered(kept, False, why)
        case WiresRead(edges=edges, light=light, now_ns=now_ns, lost=lost):
            wires = state.wires.plus_edges(edges).plus_light(light)
            after = replace(state, wires=replace(wires, now_ns=now_ns, lost=wires.lost + lost))
            press = wires.press
            if press is not None and press != state.wires.press:
                text = f"The header saw a press of {seconds_text(press[1])}."
                after = _answered(after, True, text)
        case HealthRead():
            after = replace(
                state,
                faults=event.faults,
                levels=event.levels,
                bound_ns=event.bound_ns,
                round_trip_ns=event.round_trip_ns,
            )
        case Answered(ok=ok, text=text):
            after = _answered(state, ok, text)
        case SelfTested(checks=checks):
            bad = [check.name for check in checks if not check.ok]
            text = f"not good: {', '.join(bad)}" if bad else f"{len(checks)} checks, all good"
            after = _answered(replace(state, checks=checks), not bad, f"Self-test: {text}.")
        case _:
            assert_never(event)
    return after


def _connected(state: BenchState, event: Connected) -> BenchState:
    back = state.link is Link.DOWN and state.url == event.url
    wires = wires_of(event.levels, event.now_ns)
    fresh = BenchState(
        link=Link.UP,
        url=event.url,
        ports=state.ports,
        info=event.info,
        dut_name="" if event.dut is None else event.dut.name,
        simulated=event.simulated,
        wires=wires,
        levels=event.levels,
        answers=state.answers,
    )
    return _answered(
        fresh, True, f"The rig {'is back' if back else 'answers'}: {event.info.board}."
    )


def _answered(state: BenchState, ok: bool, text: str) -> BenchState:
    return replace(state, answers=(*state.answers, (ok, text))[-MOST_ANSWERS:])


_LEAD_NS = 200_000_000


class DeskState:
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
            if isinstance(event, BenchEvent):
                self.bench = bench_after(self.bench, event)
                continue
            self.campaign = campaign_after(self.campaign, event)
            if isinstance(event, CycleStored):
                self.cycle = _wires(event)


def _wires(event: CycleStored) -> Wires:
    first_ns = event.edges[0].t_ns - _LEAD_NS if event.edges else 0
    return wires_of(event.initial_levels, first_ns).plus_edges(event.edges)
