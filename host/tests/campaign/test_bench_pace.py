"""How often a campaign asks its rig: no more than tells something."""

import contextlib
import dataclasses
from collections import Counter
from typing import Any

import pytest

from resume_rig.campaign.plan.plan import Plan, default_plan, override
from resume_rig.campaign.run.bench import EXCHANGES, Bench, Capture
from resume_rig.campaign.store.store import Store
from resume_rig.model.edge import ClockExchange, LightBlock
from resume_rig.model.errors import DutFault
from resume_rig.rig.interface import LightBatch
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.sim.dut.event import SimFault
from resume_rig.rig.sim.opening import InProcessTransport
from resume_rig.rig.smp.client import SmpClient
from resume_rig.timing.clocks import VirtualClock

MS = 1_000_000
S = 1_000 * MS


class Trips:
    """Answers exchanges with the round trips of a list, over and over."""

    def __init__(self, rig: Any, clock: VirtualClock, trips_us: list[int]) -> None:
        self._rig, self._clock, self._trips_us = rig, clock, trips_us
        self.made = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rig, name)

    def exchange_clocks(self) -> ClockExchange:
        trip_ns = self._trips_us[self.made % len(self._trips_us)] * 1000
        self.made += 1
        sent_ns = self._clock.now_ns()
        self._clock.sleep_ns(trip_ns)
        board_ns = sent_ns + trip_ns // 2
        return ClockExchange(sent_ns, board_ns, board_ns, sent_ns + trip_ns)


def bench_on(fake: Any, trips_us: list[int]) -> tuple[Bench, Trips]:
    rig = Trips(fake.rig, fake.rig.clock, trips_us)
    info = fake.rig.info()
    wired = tuple(channel.channel for channel in info.channels)
    bench = Bench(rig, fake.rig.clock, info, wired, press_ns=100 * MS, movable=())
    return bench, rig


@pytest.mark.parametrize(
    ("trips_us", "at_first", "later"),
    [
        ([200], 2, 1),
        ([200, 900, 700, 800, 600, 500, 400], EXCHANGES, 3),
        ([900, 200, 205, 800, 700, 600], 2, 1),
    ],
    ids=["all alike", "the quickest was the first", "one is quick"],
)
def test_exchanges_end_with_a_quick_one(
    fake: Any, trips_us: list[int], at_first: int, later: int
) -> None:
    bench, rig = bench_on(fake, trips_us)

    bench.exchange_clocks()
    assert rig.made == at_first

    bench.exchange_clocks()
    assert rig.made - at_first == later


@pytest.mark.parametrize("trips_us", [[200, *[900] * 100], [200]], ids=["slow", "quick"])
def test_a_wait_makes_an_exchange_a_second(fake: Any, trips_us: list[int]) -> None:
    bench, rig = bench_on(fake, trips_us)
    bench.exchange_clocks()
    before = rig.made

    bench.wait(fake.rig.clock.now_ns() + 10 * S)

    assert 8 <= rig.made - before <= 11


def test_a_campaign_asks_only_for_what_can_be_new(simulated: Any) -> None:
    bench = jumping(simulated())
    asked: Counter[str] = Counter()
    for name in ("edges", "levels", "faults", "press", "download"):
        count_calls(bench.rig, name, asked)
    bench.begin(override(default_plan(), cycles=10))

    # Once after the trigger, at most once for each sign of the wake, and at the ends.
    assert asked["edges"] <= 10 * 10
    assert asked["levels"] <= 12
    assert asked["faults"] <= 12
    assert asked["press"] == 20


def jumping(bench: Any) -> Any:
    """Let a bench tell its next news, so that its clock jumps there."""
    link = InProcessTransport(bench.simulated.handle, bench.clock)
    bench.rig = SmpRig(SmpClient(link, bench.clock), foresight=bench.simulated)
    return bench


@pytest.mark.parametrize(
    "fault",
    [None, SimFault.NEVER_SLEEPS, SimFault.NEVER_WAKES, SimFault.DARK, SimFault.WAKES_ALONE],
)
def test_who_jumps_tells_of_the_same_cycles_as_who_polls(
    simulated: Any, short_plan: Plan, fault: SimFault | None
) -> None:
    told = []
    for prepare in (lambda bench: bench, jumping):
        faults = frozenset() if fault is None else frozenset({fault})
        bench = prepare(simulated(faults=faults, name=f"{len(told)}.rrs"))
        with contextlib.suppress(DutFault):
            bench.begin(short_plan)
        with Store.open(bench.path) as store:
            told.append(
                [
                    (raw.outcome, [(e.channel, e.level) for e in raw.edges], len(raw.records))
                    for raw in store.cycles()
                ]
            )

    assert told[0] == told[1] != []


def count_calls(rig: Any, name: str, asked: Counter[str]) -> None:
    ask = getattr(rig, name)

    def counted(*args: Any, **named: Any) -> Any:
        asked[name] += 1
        return ask(*args, **named)

    setattr(rig, name, counted)


@pytest.mark.parametrize(("silent_s", "asks"), [(1, 0), (10, 1)], ids=["within", "beyond"])
def test_leases_are_counted_anew_where_one_can_have_expired(
    fake: Any, silent_s: int, asks: int
) -> None:
    bench, _ = bench_on(fake, [200])
    bench.faults()
    asked: Counter[str] = Counter()
    count_calls(fake.rig, "faults", asked)
    fake.rig.clock.sleep_ns(silent_s * S)
    fake.rig.lease_expiries = asks

    assert bench.leases_before() == asks
    assert asked["faults"] == asks


def test_light_that_is_read_twice_is_kept_once(fake: Any) -> None:
    blocks = [LightBlock(n, n * MS, 1, 2, 3) for n in range(10)]
    parts = [blocks[:4], blocks[2:6], blocks[6:6], blocks[5:10]]
    batches = [LightBatch(part, part[0].number if part else 6, 10, 0, 0, False) for part in parts]
    fake.rig.light = lambda *_: batches.pop(0)
    capture = Capture(fake.rig, has_light=True)

    for _ in parts:
        capture.read_light()

    assert capture.light == tuple(blocks)
    assert capture.lost_light == 0


def test_who_writes_a_store_counts_as_who_reads_it(simulated: Any) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=3))
    with Store.open(bench.path) as reader:
        found = Counter(raw.outcome for raw in reader.cycles(with_light=False))
        first, *_ = reader.cycles(with_light=False)

    with Store.resume(bench.path) as writer:
        assert writer.outcomes() == found
        writer.commit_cycle(dataclasses.replace(first, number=9))
        assert writer.outcomes()[first.outcome] == found[first.outcome] + 1
        assert writer.last_number() == 9
        with Store.open(bench.path) as reader:
            assert reader.outcomes() == writer.outcomes()
