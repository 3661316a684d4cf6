"""What a cycle says when the rig, a hand or an operator got in its way."""

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from few_cycles import cycles_of

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.store.measured_cycle import outside_cycle
from resume_rig.campaign.store.raw import CommandName
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import DutFault, LinkLost
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.sim.dut.event import SimFault

MS = 1_000_000
Make = Callable[..., Any]


def test_a_lease_that_ran_out_makes_its_cycle_a_rig_fault_and_says_so(
    fake: Any, short_plan: Plan
) -> None:
    def expire(when: str, name: str) -> None:
        if (when, name) == ("after", "press"):
            fake.rig.lease_expiries = 1

    fake.rig.hook = expire

    fake.begin(short_plan)

    first, second = cycles_of(fake.path)
    assert (first.outcome, second.outcome) == (Outcome.RIG_FAULT, Outcome.SLEPT_AND_WOKE)
    assert [finding.kind for finding in first.findings] == [FindingKind.LEASE_EXPIRED]
    assert "silent for longer than 3.000 s" in first.findings[0].text


def test_edges_of_a_channel_that_the_host_does_not_know_are_no_loss(
    fake: Any, short_plan: Plan
) -> None:
    fake.rig.nameless = {Channel.PLTRST}

    fake.begin(short_plan)

    assert [(raw.lost_edges, raw.outcome) for raw in cycles_of(fake.path)] == [
        (0, Outcome.SLEPT_AND_WOKE)
    ] * 2


@pytest.mark.parametrize("sleep_by", [Actuator.BUTTON, Actuator.LID])
def test_a_dut_that_never_sleeps_is_no_sleeper_under_a_closed_lid(
    simulated: Make, short_plan: Plan, sleep_by: Actuator
) -> None:
    bench = simulated(faults=frozenset({SimFault.NEVER_SLEEPS}))
    plan = dataclasses.replace(short_plan, sleep_by=sleep_by, wake_by=Actuator.LID)

    with pytest.raises(DutFault, match="did not react to the sleep trigger"):
        bench.begin(plan)

    (raw,) = cycles_of(bench.path)
    assert raw.outcome is Outcome.NEVER_SLEPT


def test_a_press_that_nobody_asked_for_is_no_wake_of_ours(fake: Any, short_plan: Plan) -> None:
    """A hand on the button, or a request that a network delivered twice."""
    begun_ns = fake.clock.now_ns()

    def press_in_the_dwell(when: str, name: str) -> None:
        if (when, name) == ("after", "sleep") and fake.clock.now_ns() - begun_ns > 4_000 * MS:
            fake.clock.hook = lambda _when, _name: None
            fake.rig.press(Actuator.BUTTON, 150 * MS)

    fake.clock.hook = press_in_the_dwell

    fake.begin(short_plan)

    first, second = cycles_of(fake.path)
    assert (first.outcome, second.outcome) == (Outcome.WOKE_ALONE, Outcome.SLEPT_AND_WOKE)


@pytest.mark.parametrize("end", [KeyboardInterrupt(), LinkLost("the port is gone")])
@pytest.mark.parametrize("after_ms", [50, 3_000])
def test_a_cycle_that_was_cut_short_does_not_blame_the_dut(
    fake: Any, short_plan: Plan, end: BaseException, after_ms: int
) -> None:
    begun_ns = fake.clock.now_ns()

    def cut(when: str, name: str) -> None:
        if fake.clock.now_ns() - begun_ns > after_ms * MS:
            fake.clock.hook = lambda _when, _name: None
            raise end

    fake.clock.hook = cut

    with contextlib.suppress(LinkLost):
        fake.begin(short_plan)

    (raw,) = cycles_of(fake.path)
    kinds = {finding.kind for finding in outside_cycle(raw, short_plan, fake.identity).findings}
    assert kinds <= {FindingKind.NOT_MEASURED}


def findings_of(bench: Any) -> list[set[FindingKind]]:
    answer = assess(load_campaign(bench.path))
    return [{finding.kind for finding in cycle.findings} for cycle in answer.cycles]


def test_a_sleep_that_only_the_display_shows_is_ended_and_named(
    simulated: Make, short_plan: Plan
) -> None:
    bench = simulated(profile="fake-s3")

    bench.begin(short_plan)

    assert [raw.outcome for raw in cycles_of(bench.path)] == [Outcome.SLEPT_SHALLOW] * 2
    assert findings_of(bench) == [{FindingKind.WRONG_STATE, FindingKind.STATE_MISMATCH}] * 2


def test_a_dut_that_dozes_on_is_woken_from_there(simulated: Make, short_plan: Plan) -> None:
    bench = simulated(profile="doze-to-s4")

    bench.begin(short_plan)

    for raw in cycles_of(bench.path):
        falls = [e for e in raw.edges if e.channel is Channel.SLP_S3 and e.level == 0]
        assert len(falls) == 2
        presses = [e for e in raw.edges if e.channel is Channel.BUTTON and e.level == 0]
        assert len(presses) == 2
        assert presses[1].t_ns > falls[1].t_ns
        lit = [e for e in raw.edges if e.channel is Channel.BACKLIGHT]
        assert lit[-1].level == 1


def test_a_dut_that_wakes_alone_is_not_pressed(simulated: Make, short_plan: Plan) -> None:
    bench = simulated(faults=frozenset({SimFault.WAKES_ALONE}))

    bench.begin(short_plan)

    for raw in cycles_of(bench.path):
        assert raw.outcome is Outcome.WOKE_ALONE
        assert len([c for c in raw.commands if c.name is CommandName.PRESS]) == 1
