"""A campaign over a link that loses, repeats and delays: nothing is pressed twice or lost."""

import random

import pytest
from raw_request import Packet

from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.run.campaign import CampaignParts, begin
from resume_rig.campaign.store.identity import identify
from resume_rig.campaign.store.raw import CommandName
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.errors import BoardRebooted
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.commands.actions import PressRequest
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.opening import InProcessTransport
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.packet import Group
from resume_rig.timing.clocks import VirtualClock

DAMAGED_PART = 0.04


class DamagedLink:
    """Hands packets to a bench and damages some; every fault comes up in a campaign."""

    def __init__(self, bench: SimulatedBench, seed: int) -> None:
        self._bench = bench
        self._random = random.Random(seed)
        self.damaged = 0

    def handle(self, packet: bytes) -> bytes | None:
        if self._random.random() >= DAMAGED_PART:
            return self._bench.handle(packet)
        self.damaged += 1
        match self._random.randrange(4):
            case 0:  # the request is lost
                return None
            case 1:  # the reply is lost
                self._bench.handle(packet)
                return None
            case 2:  # the request comes twice
                self._bench.handle(packet)
                return self._bench.handle(packet)
            case _:  # the reply is cut
                return (self._bench.handle(packet) or b"")[:-1]


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_link_neither_presses_twice_nor_loses_an_edge(
    tmp_path, requirement, seed: int
) -> None:
    clock = VirtualClock()
    dut = load_dut_profile("healthy-laptop")
    link = DamagedLink(SimulatedBench(dut, clock, seed), seed)
    rig = SmpRig(SmpClient(InProcessTransport(link.handle, clock), clock))
    identity = identify(
        rig_url="sim:", rig=rig.info(), dut=dut, requirement=requirement, created_utc_ns=2
    )
    path = tmp_path / "damaged.rrs"

    begin(path, override(default_plan(), cycles=8), identity, CampaignParts(rig, clock))

    with Store.open(path) as store:
        cycles = list(store.cycles())
    edges = [edge for raw in cycles for edge in raw.edges]
    presses = [e for e in edges if e.channel is Channel.BUTTON and e.level == 0]
    asked = [c for raw in cycles for c in raw.commands if c.name is CommandName.PRESS]
    assert link.damaged > 20
    assert {raw.outcome for raw in cycles} == {Outcome.SLEPT_AND_WOKE}
    assert [edge.number for edge in edges] == list(range(len(edges)))
    assert len(presses) == len(asked) == 16


class ResettingBoard:
    """Answers until the reply to one press is lost, and the board resets before it is repeated."""

    def __init__(self, bench: SimulatedBench, clock: VirtualClock, fatal: int) -> None:
        self._bench, self._clock, self._fatal = bench, clock, fatal
        self.presses = 0

    def handle(self, packet: bytes) -> bytes | None:
        reply = self._bench.handle(packet)
        header = Packet.unpack(packet).header
        if (header.group, header.command) != (Group.RIG, PressRequest.command):
            return reply
        self.presses += 1
        if self.presses != self._fatal:
            return reply
        self._clock.sleep_ns(300_000_000)  # the press is over
        self._bench.advance()
        self._bench.reboot()
        return None


def test_a_press_whose_reply_a_reset_took_is_not_made_again_and_its_cycle_is_a_rig_fault(
    tmp_path, requirement
) -> None:
    clock = VirtualClock()
    dut = load_dut_profile("healthy-laptop")
    board = ResettingBoard(SimulatedBench(dut, clock, 3), clock, fatal=3)
    rig = SmpRig(SmpClient(InProcessTransport(board.handle, clock), clock))
    identity = identify(
        rig_url="sim:", rig=rig.info(), dut=dut, requirement=requirement, created_utc_ns=2
    )
    path = tmp_path / "reset.rrs"

    with pytest.raises(BoardRebooted):
        begin(path, override(default_plan(), cycles=4), identity, CampaignParts(rig, clock))

    with Store.open(path) as store:
        *_, cut = store.cycles()
    assert cut.outcome is Outcome.RIG_FAULT
    assert FindingKind.BOARD_REBOOTED in {finding.kind for finding in cut.findings}
    assert board.presses == 4  # the last one is the repeat, which the board refused
    rig.info()
    assert rig.faults().refusals == 1
    assert [e for e in rig.edges(0).edges if e.channel is Channel.BUTTON] == []
