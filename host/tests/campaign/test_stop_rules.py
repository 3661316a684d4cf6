"""When a campaign ends early: by its plan's rules, at the right cycle, also when resumed."""

import dataclasses
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.stats.figures import failure_rate_upper
from resume_rig.campaign.plan.plan import StopRules, Vary, default_plan, override, why_stop
from resume_rig.campaign.plan.words import Order
from resume_rig.campaign.run.campaign import CampaignFinished
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Actuator
from resume_rig.model.result.cycle import Outcome
from resume_rig.rig.sim.dut.event import SimFault

from .conftest import MS, CampaignBench

S = 1_000_000_000
GOOD, BAD = Outcome.SLEPT_AND_WOKE, Outcome.DARK


def test_no_rule_stops_nothing() -> None:
    assert why_stop(StopRules(), {BAD: 1_000}, 10**18) is None


@pytest.mark.parametrize(("failed", "stops"), [(2, False), (3, True), (4, True)])
def test_failures_are_counted(failed: int, stops: bool) -> None:
    why = why_stop(StopRules(failures=3), {GOOD: 5, BAD: failed}, 0)
    assert (why is not None) is stops


def test_what_the_rig_spoiled_is_no_failure_of_the_dut() -> None:
    spoiled = {Outcome.INVALID: 9, Outcome.INTERRUPTED: 9}
    assert why_stop(StopRules(failures=1), spoiled, 0) is None
    assert why_stop(StopRules(failure_rate=0.9), spoiled, 0) is None


@given(st.integers(0, 5), st.integers(0, 4_000), st.floats(0.0005, 0.2))
def test_a_failure_rate_is_shown_by_the_bound_of_clopper_and_pearson(
    failed: int, good: int, rate: float
) -> None:
    stops = why_stop(StopRules(failure_rate=rate), {GOOD: good, BAD: failed}, 0) is not None
    n = good + failed
    assert stops == (n > 0 and failure_rate_upper(failed, n, 0.95) <= rate)


def test_one_in_a_thousand_takes_2995_cycles_without_a_failure() -> None:
    rules = StopRules(failure_rate=0.001)
    assert why_stop(rules, {GOOD: 2_994}, 0) is None
    assert "after 2995 cycles" in (why_stop(rules, {GOOD: 2_995}, 0) or "")


def test_a_campaign_stops_at_the_failure_that_its_plan_names(
    simulated: Callable[..., CampaignBench],
) -> None:
    plan = override(default_plan(), cycles=9, wake_timeout_ns=10 * S)
    plan = dataclasses.replace(plan, stop=StopRules(failures=2))
    end = simulated(faults=frozenset({SimFault.DARK})).begin(plan)
    assert isinstance(end, CampaignFinished)
    assert end.outcomes == {BAD: 2}
    assert end.why == "2 cycles failed, and the plan stops at 2"


def test_a_campaign_that_a_rule_ended_is_not_gone_on_with(
    simulated: Callable[..., CampaignBench],
) -> None:
    plan = dataclasses.replace(override(default_plan(), cycles=9), stop=StopRules(time_ns=20 * S))
    bench = simulated()
    end = bench.begin(plan)
    again = bench.go_on()
    assert isinstance(end, CampaignFinished)
    assert isinstance(again, CampaignFinished)
    assert 0 < sum(end.outcomes.values()) < 9
    assert again.outcomes == end.outcomes
    with Store.open(bench.path) as store:
        records = [record for raw in store.cycles() for record in raw.records]
        assert store.spent_ns() >= 20 * S
    # The last cycle's record was waited for, as at the end of any campaign.
    assert len(records) == sum(end.outcomes.values())


def test_each_cycle_is_run_as_its_own_plan_says(
    simulated: Callable[..., CampaignBench],
) -> None:
    widths = (60 * MS, 300 * MS)
    plan = dataclasses.replace(
        override(default_plan(), cycles=4, press_ns=widths[0]),
        vary=(
            Vary("wake_by", (Actuator.BUTTON, Actuator.LID)),
            Vary("press_ns", widths),
        ),
        order=Order.MATRIX,
    )
    bench = simulated()
    bench.begin(plan)
    with Store.open(bench.path) as store:
        raws = list(store.cycles())
        assert store.plan == plan
    pressed = [[c.duration_ns for c in raw.commands if c.name.value == "press"] for raw in raws]
    assert pressed == [[w] * 2 for w in widths] + [[w] for w in widths]
    lids = [any(c.name.value == "open-lid" for c in raw.commands) for raw in raws]
    assert lids == [False, False, True, True]
    assert {raw.outcome for raw in raws} == {GOOD}
