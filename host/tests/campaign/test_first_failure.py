"""The first failure of a campaign is kept as the failure."""

from collections.abc import Callable
from typing import Any

from resume_rig.campaign.answer.assessment import facts_of
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.campaign.store.store import Store
from resume_rig.model.result.cycle import Outcome
from resume_rig.rig.sim.dut.event import SimFault


def test_the_first_failure_is_named_and_a_later_one_is_not(simulated: Callable[..., Any]) -> None:
    bench = simulated()
    at = {1: {SimFault.WAKES_ALONE}, 2: {SimFault.DARK}, 3: set()}

    def act(event: Any) -> None:
        if getattr(event, "done", None) in at:
            bench.simulated.set_faults(frozenset(at[event.done]))

    bench.events = type("Breaker", (list,), {"append": lambda self, event: act(event)})()
    bench.begin(override(default_plan(), cycles=4))

    with Store.open(bench.path) as store:
        assert store.first_failure() == (2, Outcome.WOKE_ALONE)
    assert facts_of(load_campaign(bench.path)).first_failure == (2, "woke-alone")


def test_a_campaign_without_a_failure_names_none(simulated: Callable[..., Any]) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=2))

    with Store.open(bench.path) as store:
        assert store.first_failure() is None
    assert facts_of(load_campaign(bench.path)).first_failure is None
