"""Time-outs follow the DUT, between a floor and the plan's own, and stand in each cycle."""

import dataclasses
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.run.cycle import (
    FEWEST,
    FLOOR_NS,
    LAST,
    LearnedTimeouts,
    learned_timeout_ns,
)
from resume_rig.campaign.store.store import Store
from resume_rig.model.units import NS_PER_S
from resume_rig.rig.sim.dut.event import SimFault

PLAN_NS = 60 * NS_PER_S
Make = Callable[..., Any]


@given(
    st.lists(st.integers(0, 3600 * NS_PER_S), max_size=300),
    st.integers(NS_PER_S, 3600 * NS_PER_S),
)
def test_it_is_the_plans_or_between_the_floor_and_the_plans(
    lasted: list[int], plan_ns: int
) -> None:
    learned = learned_timeout_ns(lasted, plan_ns)

    assert min(FLOOR_NS, plan_ns) <= learned <= plan_ns
    if len(lasted) < FEWEST:
        assert learned == plan_ns


@given(st.lists(st.integers(0, 3600 * NS_PER_S), min_size=FEWEST, max_size=300))
def test_all_but_a_hundredth_of_what_was_seen_lasts_half_of_it_at_most(lasted: list[int]) -> None:
    learned = learned_timeout_ns(lasted, 10**15)

    above = sum(2 * each > learned for each in lasted)
    assert above * 100 <= len(lasted)


def test_one_slow_cycle_of_a_hundred_and_one_does_not_count() -> None:
    assert learned_timeout_ns([10 * NS_PER_S] * 100 + [55 * NS_PER_S], PLAN_NS) == 20 * NS_PER_S
    assert learned_timeout_ns([10 * NS_PER_S] * 98 + [29 * NS_PER_S] * 3, PLAN_NS) == 58 * NS_PER_S


def test_only_the_last_cycles_teach() -> None:
    learned = LearnedTimeouts()
    for seconds in [29] * 200 + [10] * 200:
        learned.add(seconds * NS_PER_S, 2 * seconds * NS_PER_S)

    assert learned.sleep_ns(PLAN_NS) == 20 * NS_PER_S
    assert learned.wake_ns(PLAN_NS) == 40 * NS_PER_S


@given(st.lists(st.integers(0, 60 * NS_PER_S), min_size=150, max_size=450))
def test_what_is_taught_one_by_one_is_what_the_last_cycles_say(lasted: list[int]) -> None:
    learned = LearnedTimeouts()
    for each in lasted:
        learned.add(each, each)

    assert learned.wake_ns(10**15) == learned_timeout_ns(sorted(lasted[-LAST:]), 10**15)


def test_a_hang_is_known_sooner_once_the_dut_is_known(simulated: Make) -> None:
    bench = simulated()

    def break_late(self: list[Any], event: Any) -> None:
        if getattr(event, "done", 0) == FEWEST + 4:
            bench.simulated.set_faults(frozenset({SimFault.NEVER_WAKES}))
        if type(event).__name__ == "Recovering":
            bench.simulated.set_faults(frozenset())

    bench.events = type("Breaker", (list,), {"append": break_late})()
    bench.begin(override(default_plan(), cycles=FEWEST + 5))

    with Store.open(bench.path) as store:
        cycles = list(store.cycles())
    hung = cycles[-1]
    assert {raw.wake_timeout_ns for raw in cycles[:FEWEST]} == {PLAN_NS}
    assert (hung.wake_timeout_ns, hung.sleep_timeout_ns) == (FLOOR_NS, FLOOR_NS)
    assert hung.ended_host_ns - hung.started_host_ns < 45 * NS_PER_S


def test_what_did_not_go_as_planned_teaches_nothing(simulated: Make) -> None:
    bench = simulated(faults=frozenset({SimFault.WAKES_ALONE}))
    plan = dataclasses.replace(default_plan(), cycles=FEWEST + 1, wake_timeout_ns=30 * NS_PER_S)

    bench.begin(plan)

    with Store.open(bench.path) as store:
        assert {raw.wake_timeout_ns for raw in store.cycles()} == {30 * NS_PER_S}
