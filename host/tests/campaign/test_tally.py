"""Running figures of a campaign."""

import dataclasses
from collections.abc import Callable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.campaign.plan.plan import Plan, default_plan, override
from resume_rig.campaign.run.events import Running, Tally
from resume_rig.campaign.store.measured_cycle import outside_cycle
from resume_rig.campaign.store.store import Store
from resume_rig.model.result.cycle import IntervalName, Outcome
from resume_rig.rig.sim.dut.event import SimFault

from .conftest import CampaignBench


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=50), st.floats(0, 1))
def test_a_quantile_is_one_of_the_values_and_in_its_place(values: list[int], share: float) -> None:
    running = Running()
    for value in values:
        running.add(value)
    found = running.quantile(share)
    assert found in values
    assert np.mean(np.array(values) <= found) >= share


def test_nothing_has_no_quantile_and_no_end() -> None:
    assert Running().quantile(0.5) is None
    assert Tally(default_plan(), 0).left_ns() is None


def tallied(bench: CampaignBench, plan: Plan) -> Tally:
    bench.begin(plan)
    tally = Tally(plan, 0)
    with Store.open(bench.path) as store:
        for raw in store.cycles():
            tally.add(outside_cycle(raw, plan, store.identity), raw)
    return tally


def test_a_campaign_is_counted_as_its_store_counts_it(
    simulated: Callable[..., CampaignBench],
) -> None:
    bench, plan = simulated(), override(default_plan(), cycles=5)
    tally = tallied(bench, plan)
    with Store.open(bench.path) as store:
        raws = list(store.cycles())
        assert dict(tally.outcomes) == store.outcomes()
    lights = [
        outside_cycle(raw, plan, bench.identity).intervals[IntervalName.PRESS_TO_LIGHT].value_ns
        for raw in raws
    ]
    assert tally.light_ns.values == sorted(lights)
    assert len(tally.resume_ms.values) == 5
    assert tally.left_ns() == 0
    assert tally.first_failure is None


def test_what_is_left_is_told_by_the_pace_of_the_cycles(
    simulated: Callable[..., CampaignBench],
) -> None:
    bench, plan = simulated(), override(default_plan(), cycles=5)
    bench.begin(plan)
    with Store.open(bench.path) as store:
        raws = list(store.cycles())
    tally = Tally(dataclasses.replace(plan, cycles=25), 0)
    for raw in raws:
        tally.add(outside_cycle(raw, plan, bench.identity), raw)
    whole_ns = raws[-1].ended_host_ns - raws[0].started_host_ns
    assert abs((tally.left_ns() or 0) - 20 * whole_ns / 5) < 0.1 * 20 * whole_ns / 5


def test_the_first_failure_is_kept(simulated: Callable[..., CampaignBench]) -> None:
    bench = simulated(faults=frozenset({SimFault.DARK}))
    plan = override(default_plan(), cycles=2, wake_timeout_ns=10_000_000_000)
    tally = tallied(bench, plan)
    assert tally.first_failure == (1, Outcome.DARK)
