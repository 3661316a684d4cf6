"""The board's clock over a stored campaign: calibrated where that is proven, else left alone."""

import dataclasses
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.store.read_back import StoredCampaign, load_campaign, timed_campaign
from resume_rig.timing.clocks import VirtualClock
from resume_rig.timing.wall_clock import HostDiscipline, discipline_of

Make = Callable[..., Any]
S = 1_000_000_000
EXACT = discipline_of(VirtualClock())


def campaign(bench: Any, cycles: int = 4) -> StoredCampaign:
    bench.begin(override(default_plan(), cycles=cycles))
    return load_campaign(bench.path)


def kept_by(stored: StoredCampaign, discipline: HostDiscipline | None) -> StoredCampaign:
    return dataclasses.replace(
        stored, identity=dataclasses.replace(stored.identity, host_clock=discipline)
    )


def true_rate_ppb(bench: Any) -> float:
    """Return the simulated crystal's rate: two exchanges three hours apart tell it to 0.02 ppm."""
    first = bench.rig.exchange_clocks()
    bench.clock.sleep_ns(10_000 * S)
    last = bench.rig.exchange_clocks()
    host_ns = last.host_tx_ns - first.host_tx_ns
    return float((last.board_rx_ns - first.board_rx_ns - host_ns) / host_ns * 1e9)


@pytest.mark.parametrize("seed", [1, 7, 23])
def test_intervals_are_corrected_by_the_rate_that_the_crystal_has(
    simulated: Make, seed: int
) -> None:
    bench = simulated(seed=seed)
    stored = campaign(bench)
    truth_ppb = true_rate_ppb(bench)

    plain, timed = timed_campaign(stored), timed_campaign(kept_by(stored, EXACT))

    told = timed.board_clock
    assert told.rate_ppb is not None
    assert told.bound_ppb is not None
    assert told.cycle_bound_ppb is not None
    assert abs(told.rate_ppb - truth_ppb) <= told.bound_ppb
    assert (told.corrected, plain.board_clock.corrected) == (4, 0)
    assert told.cycle_bound_ppb < 12_000
    for before, after in zip(plain.cycles, timed.cycles, strict=True):
        assert after.outside.awake_from_ns == before.outside.awake_from_ns
        assert after.outside.intervals.keys() == before.outside.intervals.keys()
        for name, counted in before.outside.intervals.items():
            found = after.outside.intervals[name]
            true_ns = counted.value_ns / (1 + truth_ppb / 1e9)
            assert abs(found.value_ns - true_ns) <= told.cycle_bound_ppb * true_ns / 1e9 + 1
            assert found.bound_ns <= counted.bound_ns


@pytest.mark.parametrize(
    "discipline",
    [None, HostDiscipline(False, 500, "a clock"), HostDiscipline(None, 500, "a clock")],
    ids=["an old store", "not synchronised", "not told"],
)
def test_a_host_that_nobody_keeps_right_leaves_the_tolerance(
    simulated: Make, discipline: HostDiscipline | None
) -> None:
    timed = timed_campaign(kept_by(campaign(simulated()), discipline))

    assert (timed.board_clock.rate_ppb, timed.board_clock.corrected) == (None, 0)
    assert timed.board_clock.tolerance_ppb == 30_000


def test_a_session_on_another_host_is_not_vouched_for(simulated: Make) -> None:
    stored = kept_by(campaign(simulated()), EXACT)
    moved = tuple(dataclasses.replace(each, host="elsewhere") for each in stored.sessions)

    timed = timed_campaign(dataclasses.replace(stored, sessions=moved))

    assert timed.board_clock.corrected == 0


def test_a_wall_clock_that_is_slewed_corrects_nothing(simulated: Make) -> None:
    stored = kept_by(campaign(simulated(), cycles=6), EXACT)
    slewed = [
        dataclasses.replace(
            raw, utc_minus_host_ns=raw.utc_minus_host_ns + max(0, number - 4) * 20_000_000
        )
        for number, raw in enumerate(stored.cycles)
    ]

    timed = timed_campaign(dataclasses.replace(stored, cycles=tuple(slewed)))

    assert timed.board_clock.corrected < 6
    assert all(cycle.wake_utc is not None for cycle in timed.cycles)


def test_a_wall_clock_that_is_stepped_moves_the_cycles_after_it_only(simulated: Make) -> None:
    stored = campaign(simulated(), cycles=4)
    stepped = [
        dataclasses.replace(raw, utc_minus_host_ns=raw.utc_minus_host_ns + 60 * S * (number > 1))
        for number, raw in enumerate(stored.cycles)
    ]
    before = timed_campaign(stored).cycles

    after = timed_campaign(dataclasses.replace(stored, cycles=tuple(stepped))).cycles

    moved = [
        b.wake_utc.value_ns - a.wake_utc.value_ns
        for a, b in zip(before, after, strict=True)
        if a.wake_utc is not None and b.wake_utc is not None
    ]
    assert [round(each / S) for each in moved] == [0, 0, 60, 60]


def test_a_host_that_was_suspended_between_cycles_is_told_and_costs_no_cycle(
    simulated: Make,
) -> None:
    stored = campaign(simulated(), cycles=3)
    first, *rest = stored.cycles
    slept = 3600 * S
    later = [
        dataclasses.replace(
            raw,
            exchanges=tuple(
                e._replace(board_rx_ns=e.board_rx_ns + slept, board_tx_ns=e.board_tx_ns + slept)
                for e in raw.exchanges
            ),
            edges=tuple(e._replace(t_ns=e.t_ns + slept) for e in raw.edges),
        )
        for raw in rest
    ]

    timed = timed_campaign(dataclasses.replace(stored, cycles=(first, *later)))

    (told,) = timed.board_clock.breaks
    assert "suspended" in told
    assert all(cycle.wake_utc is not None for cycle in timed.cycles)


def test_a_cycle_makes_an_exchange_each_second_and_keeps_those_that_tell(fake: Any) -> None:
    made: list[int] = []

    def count(when: str, name: str) -> None:
        if (when, name) == ("before", "time"):
            made.append(fake.clock.now_ns())

    fake.rig.hook = count
    fake.begin(override(default_plan(), cycles=1))

    (raw,) = load_campaign(fake.path).cycles
    pauses = [b - a for a, b in pairwise(made)]
    assert max(pauses) <= 2 * S
    assert 2 <= len(raw.exchanges) <= 8
    assert raw.exchanges[0].host_tx_ns < raw.edges[0].t_ns
