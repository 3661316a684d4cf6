"""A rig that goes and comes back costs the cycle in flight, and not the campaign."""

import dataclasses
import random
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.plan.plan import Plan, default_plan, override
from resume_rig.campaign.run.campaign import CampaignFinished, CampaignParts, begin
from resume_rig.campaign.run.events import CycleStarted, RigBack, RigLost
from resume_rig.campaign.run.runner import BACK_WITHIN_NS, MOST_IN_A_ROW
from resume_rig.campaign.store.identity import identify
from resume_rig.campaign.store.store import Store
from resume_rig.model.errors import DeviceFault, LinkLost, RigError, RigGone
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.verdict import FindingKind, Requirement
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.interface import RigInfo
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.opening import InProcessTransport
from resume_rig.rig.smp.client import SmpClient
from resume_rig.timing.clocks import VirtualClock

S = 1_000_000_000
SEEN_AT_NS = 3 * S


class Plug:
    """A cable that is out for some time from a moment on; `times` times."""

    def __init__(self, fake: Any, out_ns: int, *, times: int = 1) -> None:
        self.fake, self.out_ns, self.left = fake, out_ns, times
        self.out_from_ns = SEEN_AT_NS
        self.error: RigError = LinkLost("no answer")
        fake.rig.hook = self.request
        fake.reopen = self.reopen
        self.boot_id = 5

    def request(self, when: str, name: str) -> None:
        if self.left and self.fake.clock.now_ns() >= self.out_from_ns:
            raise self.error

    def reopen(self) -> RigInfo:
        if self.fake.clock.now_ns() < self.out_from_ns + self.out_ns:
            raise LinkLost("no such port")
        self.left -= 1
        self.out_from_ns = self.fake.clock.now_ns() + SEEN_AT_NS
        return dataclasses.replace(self.fake.identity.rig, boot_id=self.boot_id)


def outcomes_of(path: Path) -> list[Outcome]:
    with Store.open(path) as store:
        return [raw.outcome for raw in store.cycles()]


@pytest.mark.parametrize("told", ["by the request", "when it is opened anew"])
def test_a_rig_that_has_ended_is_not_waited_for(fake: Any, short_plan: Plan, told: str) -> None:
    plug = Plug(fake, 60 * S)
    gone = RigGone("the image was ended by signal 9")
    if told == "by the request":
        plug.error = gone
    else:
        fake.reopen = lambda: (_ for _ in ()).throw(gone)

    with pytest.raises(LinkLost):
        fake.begin(override(short_plan, cycles=4))

    assert fake.clock.now_ns() < 20 * S
    assert outcomes_of(fake.path) == [Outcome.RIG_FAULT]


def test_a_cable_that_is_out_for_a_minute_costs_the_cycle_in_flight(
    fake: Any, short_plan: Plan
) -> None:
    plug = Plug(fake, 60 * S)
    plug.boot_id = 6

    end = fake.begin(override(short_plan, cycles=4))

    assert isinstance(end, CampaignFinished)
    assert outcomes_of(fake.path) == [Outcome.RIG_FAULT, *[Outcome.SLEPT_AND_WOKE] * 3]
    with Store.open(fake.path) as store:
        cycles = list(store.cycles())
        assert [raw.boot_id for raw in cycles] == [5, 6, 6, 6]
        assert [finding.kind for finding in cycles[0].findings] == [FindingKind.NOT_MEASURED]
        assert len(store.sessions()) == 1
        assert [recovery.after_cycle for recovery in store.recoveries()] == [1], "left asleep"
    told = [event for event in fake.events if isinstance(event, RigLost | RigBack)]
    assert told == [RigLost(1, "no answer"), RigBack(1, 6)]


def test_a_cycle_that_had_not_begun_when_the_rig_went_is_begun_again(
    fake: Any, short_plan: Plan
) -> None:
    """Nobody had pressed: a DUT that did not sleep then did nothing wrong."""
    left = [1]

    def went(when: str, name: str) -> None:
        started = [e.number for e in fake.events if isinstance(e, CycleStarted)]
        if left and started[-1:] == [2]:
            left.clear()
            raise LinkLost("the port is gone")

    fake.rig.hook = went
    fake.reopen = lambda: dataclasses.replace(fake.identity.rig, boot_id=5)

    end = fake.begin(override(short_plan, cycles=3))

    assert isinstance(end, CampaignFinished)
    assert outcomes_of(fake.path) == [Outcome.SLEPT_AND_WOKE] * 3
    started = [event.number for event in fake.events if isinstance(event, CycleStarted)]
    assert started == [1, 2, 2, 3]


def test_a_rig_that_stays_away_ends_the_campaign_and_it_can_go_on(
    fake: Any, short_plan: Plan
) -> None:
    Plug(fake, BACK_WITHIN_NS + 30 * S)

    with pytest.raises(LinkLost, match="`resume-rig run --resume"):
        fake.begin(short_plan)

    assert outcomes_of(fake.path) == [Outcome.RIG_FAULT]
    fake.rig.hook = lambda when, name: None
    fake.go_on()
    assert outcomes_of(fake.path) == [Outcome.RIG_FAULT, Outcome.SLEPT_AND_WOKE]


def test_a_rig_that_goes_again_and_again_ends_the_campaign(fake: Any, short_plan: Plan) -> None:
    plug = Plug(fake, 1 * S, times=1000)

    with pytest.raises(LinkLost):
        fake.begin(override(short_plan, cycles=1000))

    assert 1000 - plug.left == MOST_IN_A_ROW
    assert set(outcomes_of(fake.path)) == {Outcome.RIG_FAULT}


def test_another_rig_at_the_same_port_is_not_used(fake: Any, short_plan: Plan) -> None:
    Plug(fake, 1 * S)
    fake.reopen = lambda: dataclasses.replace(fake.identity.rig, board="other")

    with pytest.raises(RigError, match="the rig that came back is another one"):
        fake.begin(short_plan)


def test_a_refusal_is_not_waited_for(fake: Any, short_plan: Plan) -> None:
    plug = Plug(fake, 1 * S)
    plug.error = DeviceFault(64, 6, "busy")

    with pytest.raises(DeviceFault):
        fake.begin(short_plan)

    assert plug.left == 1


class LossyLink:
    """Loses each byte with a chance; a packet with a lost byte does not arrive."""

    def __init__(self, bench: SimulatedBench, seed: int, share: float) -> None:
        self._bench, self._random, self._share = bench, random.Random(seed), share
        self.lost = 0

    def handle(self, packet: bytes) -> bytes | None:
        if self._loses(packet):
            return None
        reply = self._bench.handle(packet)
        return None if reply is None or self._loses(reply) else reply

    def _loses(self, packet: bytes) -> bool:
        # SMP over a console is base64 with a frame around each 124 bytes.
        sent = len(packet) * 4 // 3 + 8
        lost = self._random.random() > (1 - self._share) ** sent
        self.lost += lost
        return lost


@pytest.mark.parametrize(("share", "least_good"), [(0.0003, 29), (0.0006, 15)])
def test_a_noisy_link_does_not_end_a_campaign(
    tmp_path: Path, requirement: Requirement, share: float, least_good: int
) -> None:
    clock = VirtualClock()
    dut = load_dut_profile("healthy-laptop")
    link = LossyLink(SimulatedBench(dut, clock, 5), 5, share)
    rig = SmpRig(SmpClient(InProcessTransport(link.handle, clock), clock))
    identity = identify(
        rig_url="sim:", rig=rig.info(), dut=dut, requirement=requirement, created_utc_ns=2
    )
    path = tmp_path / "noisy.rrs"

    parts = CampaignParts(rig, clock, reopen=rig.info)
    begin(path, override(default_plan(), cycles=30), identity, parts)

    outcomes = outcomes_of(path)
    assert link.lost > 30
    assert len(outcomes) == 30
    assert set(outcomes) <= {Outcome.SLEPT_AND_WOKE, Outcome.RIG_FAULT}
    assert outcomes.count(Outcome.SLEPT_AND_WOKE) >= least_good


class CutLog:
    """A log on a rig that does not answer so many times, from a moment on."""

    def __init__(self, log: Any) -> None:
        self._log, self.cut = log, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def new_records(self) -> Any:
        if self.cut:
            self.cut -= 1
            raise LinkLost("no reply to file")
        return self._log.new_records()


@pytest.mark.parametrize("times", [1, MOST_IN_A_ROW])
def test_the_last_record_is_read_when_the_rig_is_back(simulated: Any, times: int) -> None:
    bench = simulated()
    bench.log = log = CutLog(bench.log)
    bench.reopen = lambda: bench.identity.rig
    seen: list[Any] = []

    def act(event: Any) -> None:
        seen.append(event)
        if type(event).__name__ == "Woke" and event.number == 2:
            log.cut = times

    bench.events = type("Actor", (list,), {"append": lambda self, event: act(event)})()
    ended = bench.begin(override(default_plan(), cycles=2, warm_up=0))

    assert isinstance(ended, CampaignFinished)
    assert sum(isinstance(event, RigBack) for event in seen) == times
    with Store.open(bench.path) as store:
        first, last = store.cycles()
    assert (first.outcome, last.outcome) == (Outcome.SLEPT_AND_WOKE,) * 2
    assert [record.resume_ms is None for record in last.records] == [False]
    assert [e.raw.number for e in seen if type(e).__name__ == "CycleDone"] == [1, 2]


def test_a_last_cycle_is_kept_without_its_record_where_the_rig_stays_away(simulated: Any) -> None:
    bench = simulated()
    bench.log = log = CutLog(bench.log)
    bench.reopen = lambda: bench.identity.rig

    def act(event: Any) -> None:
        if type(event).__name__ == "Woke" and event.number == 2:
            log.cut = 1000

    bench.events = type("Actor", (list,), {"append": lambda self, event: act(event)})()
    with pytest.raises(LinkLost, match="goes on"):
        bench.begin(override(default_plan(), cycles=2, warm_up=0))

    with Store.open(bench.path) as store:
        _, last = store.cycles()
    assert (last.outcome, last.records) == (Outcome.SLEPT_AND_WOKE, ())
    assert [finding.kind for finding in last.findings] == [FindingKind.NOT_MEASURED]
