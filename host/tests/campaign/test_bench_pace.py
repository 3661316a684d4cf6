"""How often a campaign asks its rig: no more than tells something."""

import dataclasses
from collections import Counter
from typing import Any

import pytest

from resume_rig.campaign.bench import EXCHANGES, Bench
from resume_rig.campaign.plan import default_plan, override
from resume_rig.campaign.store import Store
from resume_rig.model.edge import ClockExchange
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
        with Store.open(bench.path) as reader:
            assert reader.outcomes() == writer.outcomes()
