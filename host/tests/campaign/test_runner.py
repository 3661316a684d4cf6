"""Campaigns on the simulated bench: what happens is what is recorded."""

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from few_cycles import cycles_of

from resume_rig.campaign.plan.plan import Plan, default_plan, override
from resume_rig.campaign.run.campaign import CampaignFinished
from resume_rig.campaign.run.events import (
    Asleep,
    CampaignBegan,
    CycleDone,
    CycleStarted,
    Recovering,
    Woke,
)
from resume_rig.campaign.store.raw import CommandName, Recovery
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import RecoveryStep
from resume_rig.model.errors import (
    BoardRebooted,
    DeviceFault,
    DutFault,
    LinkLost,
    RigError,
    UsageError,
)
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.sim.dut.event import SimFault

MS = 1_000_000
Make = Callable[..., Any]


@pytest.mark.slow
def test_a_campaign_of_100_cycles_is_the_same_for_the_same_seed(simulated: Make) -> None:
    plan = override(default_plan(), cycles=100)
    first, second, other = simulated(7, name="1"), simulated(7, name="2"), simulated(8, name="3")

    ends = [bench.begin(plan) for bench in (first, second)]
    other.begin(override(plan, cycles=3))

    assert [end.outcomes for end in ends] == [{Outcome.SLEPT_AND_WOKE: 100}] * 2
    assert cycles_of(first.path) == cycles_of(second.path)
    assert cycles_of(first.path)[:3] != cycles_of(other.path)


def test_a_cycle_is_kept_with_everything_that_was_measured(simulated: Make) -> None:
    bench = simulated()

    bench.begin(override(default_plan(), cycles=2))

    first, second = cycles_of(bench.path)
    assert (first.number, second.number) == (1, 2)
    assert first.initial_levels[Channel.SLP_S3] == 1
    assert {edge.channel for edge in first.edges} >= {Channel.SLP_S3, Channel.BUTTON}
    assert [edge.number for edge in (*first.edges, *second.edges)] == list(
        range(len(first.edges) + len(second.edges))
    )
    assert [command.name for command in first.commands if command.start_ns is not None] == [
        CommandName.PRESS,
        CommandName.PRESS,
    ]
    assert first.exchanges[0].board_rx_ns < first.edges[0].t_ns
    assert first.exchanges[-1].board_tx_ns > first.edges[-1].t_ns
    assert len(first.exchanges) <= 8
    assert first.faults is not None
    assert [block.number for block in first.light] == list(
        range(first.light[0].number, first.light[0].number + len(first.light))
    )


def test_light_is_recorded_from_before_the_wake_to_the_end_of_the_cycle(simulated: Make) -> None:
    bench = simulated()

    bench.begin(override(default_plan(), cycles=1))

    (raw,) = cycles_of(bench.path)
    wake = [command for command in raw.commands if command.name is CommandName.PRESS][1]
    lit = next(e for e in raw.edges if e.channel is Channel.BACKLIGHT and e.level == 1)
    assert wake.start_ns is not None
    assert 100 * MS <= wake.start_ns - raw.light[0].t_ns <= 300 * MS
    assert raw.light[-1].t_ns - lit.t_ns >= 1_900 * MS
    whole = raw.light[1:]  # the first may begin within its millisecond
    gaps = {b.t_ns - a.t_ns for a, b in itertools.pairwise(whole)}
    assert gaps == {1 * MS}


def test_each_cycle_gets_its_own_os_record_with_its_text(simulated: Make) -> None:
    bench = simulated()

    bench.begin(override(default_plan(), cycles=20))

    records = [raw.records for raw in cycles_of(bench.path)]
    assert [len(found) for found in records] == [1] * 20
    assert all("Power-Troubleshooter" in found[0].text for found in records)
    assert all(found[0].resume_ms for found in records)


def test_the_dwell_is_measured_from_sleep_entry(simulated: Make) -> None:
    bench = simulated()

    bench.begin(override(default_plan(), cycles=3, dwell_ns=9_000 * MS))

    for raw in cycles_of(bench.path):
        asleep = next(e.t_ns for e in raw.edges if e.channel is Channel.SLP_S3 and e.level == 0)
        presses = [e.t_ns for e in raw.edges if e.channel is Channel.BUTTON and e.level == 0]
        assert 9_000 * MS <= presses[1] - asleep <= 9_010 * MS


def test_events_tell_a_campaign_in_order(simulated: Make) -> None:
    bench = simulated()

    bench.begin(override(default_plan(), cycles=2))

    assert [type(event) for event in bench.events] == [
        CampaignBegan,
        *[CycleStarted, Asleep, Woke, CycleDone] * 2,
    ]


@pytest.mark.parametrize(
    ("sleep_by", "wake_by"),
    [
        (Actuator.LID, Actuator.LID),
        (Actuator.BUTTON, Actuator.LID),
        (Actuator.LID, Actuator.BUTTON),
    ],
)
def test_lid_plans_sleep_wake_and_leave_the_lid_open(
    simulated: Make, sleep_by: Actuator, wake_by: Actuator
) -> None:
    bench = simulated()

    end = bench.begin(override(default_plan(), cycles=3, sleep_by=sleep_by, wake_by=wake_by))

    assert end.outcomes == {Outcome.SLEPT_AND_WOKE: 3}
    assert bench.rig.levels()[Channel.LID] == 1


def test_a_lid_plan_on_a_dut_without_a_lid_makes_no_store_and_moves_nothing(
    simulated: Make,
) -> None:
    bench = simulated(profile="healthy-desktop")

    with pytest.raises(UsageError, match="moves the LID, which the bench of healthy-desktop"):
        bench.begin(override(default_plan(), wake_by=Actuator.LID))

    assert not bench.path.exists()
    assert bench.rig.edges(0).edges == ()


def test_what_the_rig_can_move_and_the_dut_has_not_is_not_moved(simulated: Make) -> None:
    bench = simulated()
    assert bench.identity.dut is not None
    lidless = dataclasses.replace(bench.identity.dut, actuators=(Actuator.BUTTON,))
    bench.identity = dataclasses.replace(bench.identity, dut=lidless)

    with pytest.raises(UsageError, match="moves the LID"):
        bench.begin(override(default_plan(), wake_by=Actuator.LID))


@pytest.mark.parametrize(
    ("fault", "outcome", "recovered"),
    [
        (SimFault.NEVER_SLEEPS, Outcome.NEVER_SLEPT, False),
        (SimFault.NEVER_WAKES, Outcome.NEVER_WOKE, False),
        (SimFault.DARK, Outcome.DARK, None),
        (SimFault.WAKES_ALONE, Outcome.WOKE_ALONE, None),
        (SimFault.NO_RECORD, Outcome.SLEPT_AND_WOKE, None),
        (SimFault.ZERO_RECORD, Outcome.SLEPT_AND_WOKE, None),
    ],
)
def test_a_fault_of_the_dut_leads_to_its_outcome(
    simulated: Make, short_plan: Plan, fault: SimFault, outcome: Outcome, recovered: bool | None
) -> None:
    bench = simulated(faults=frozenset({fault}))

    if recovered is False:
        with pytest.raises(DutFault, match=r"after cycle 1 by .*one more try"):
            bench.begin(short_plan)
        expected = [outcome]
    else:
        bench.begin(short_plan)
        expected = [outcome, outcome]

    assert [raw.outcome for raw in cycles_of(bench.path)] == expected
    tries = [event.ok for event in bench.events if isinstance(event, Recovery)]
    assert set(tries) == (set() if recovered is None else {recovered})


def test_a_dut_that_one_more_press_wakes_goes_on_and_the_try_is_kept(
    simulated: Make, short_plan: Plan
) -> None:
    bench = simulated(faults=frozenset({SimFault.NEVER_WAKES}))

    def heal(event: object) -> None:
        if isinstance(event, Recovering):
            bench.simulated.set_faults(frozenset())

    bench.events = type("Healer", (list,), {"append": lambda self, event: heal(event)})()
    end = bench.begin(short_plan)

    assert end.outcomes == {Outcome.NEVER_WOKE: 1, Outcome.SLEPT_AND_WOKE: 1}
    with Store.open(bench.path) as store:
        waited, recovery = store.recoveries()
    assert (waited.step, waited.ok) == (RecoveryStep.WAIT, False)
    assert (recovery.step, recovery.after_cycle, recovery.ok) == (RecoveryStep.PRESS, 1, True)
    assert "SLP_S3" in recovery.why
    assert [command.name for command in recovery.commands] == [CommandName.PRESS]
    assert recovery.edges


def test_a_dut_that_sleeps_at_the_start_is_woken_first(fake: Any, short_plan: Plan) -> None:
    fake.rig.press(Actuator.BUTTON, 150 * MS)
    fake.clock.sleep_ns(10_000 * MS)

    end = fake.begin(short_plan)

    assert end.outcomes == {Outcome.SLEPT_AND_WOKE: 2}
    with Store.open(fake.path) as store:
        assert [(r.after_cycle, r.ok) for r in store.recoveries()] == [(0, True)]


def test_a_dut_that_cannot_be_woken_at_the_start_is_a_dut_fault(
    fake: Any, short_plan: Plan
) -> None:
    fake.rig.press(Actuator.BUTTON, 150 * MS)
    fake.clock.sleep_ns(10_000 * MS)
    fake.rig.deaf = True

    with pytest.raises(DutFault, match="before the first cycle"):
        fake.begin(short_plan)

    assert cycles_of(fake.path) == []


@pytest.mark.parametrize(
    ("seen", "lost"), [(4, 1), (6, 2)], ids=["sleep entry lost", "power edges lost"]
)
def test_lost_edges_make_the_cycle_invalid_and_the_campaign_goes_on(
    fake: Any, short_plan: Plan, seen: int, lost: int
) -> None:
    def overrun(when: str, name: str) -> None:
        past = [edge for edge in fake.rig.all_edges if edge[0] <= fake.rig.now()]
        if len(past) == seen:
            fake.rig.lose_below = seen

    fake.rig.hook = overrun

    end = fake.begin(short_plan)

    first = cycles_of(fake.path)[0]
    assert (first.outcome, first.lost_edges) == (Outcome.INVALID, lost)
    assert end.outcomes == {Outcome.INVALID: 1, Outcome.SLEPT_AND_WOKE: 1}


def test_the_lease_never_runs_out_while_a_campaign_waits(fake: Any, short_plan: Plan) -> None:
    lease_ns = fake.rig.info().lease_ns

    fake.begin(override(short_plan, dwell_ns=60_000 * MS, settle_ns=20_000 * MS))

    assert 0 < fake.rig.longest_silence_ns <= lease_ns // 3


@pytest.mark.parametrize(
    ("error", "finding"),
    [
        (LinkLost("no answer"), FindingKind.NOT_MEASURED),
        (BoardRebooted("boot id changed"), FindingKind.BOARD_REBOOTED),
        (DeviceFault(64, 6, "busy"), FindingKind.NOT_MEASURED),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_rig_that_fails_leaves_an_invalid_cycle_and_a_way_to_go_on(
    fake: Any, short_plan: Plan, error: RigError, finding: FindingKind
) -> None:
    def fail(when: str, name: str) -> None:
        if fake.clock.now_ns() > 3_000 * MS:
            raise error

    fake.rig.hook = fail

    with pytest.raises(type(error)) as failed:
        fake.begin(short_plan)

    assert f"`resume-rig run --resume {fake.path}` goes on" in str(failed.value)
    (raw,) = cycles_of(fake.path)
    assert raw.outcome is Outcome.RIG_FAULT
    assert [found.kind for found in raw.findings] == [finding]
    assert raw.edges
    fake.rig.hook = lambda when, name: None
    assert isinstance(fake.go_on(), CampaignFinished)
    assert [raw.outcome for raw in cycles_of(fake.path)] == [
        Outcome.RIG_FAULT,
        Outcome.SLEPT_AND_WOKE,
    ]


def test_a_command_whose_answer_never_came_is_kept(fake: Any, short_plan: Plan) -> None:
    def fail(when: str, name: str) -> None:
        if name == "press":
            raise LinkLost("no answer")

    fake.rig.hook = fail

    with pytest.raises(LinkLost):
        fake.begin(short_plan)

    (raw,) = cycles_of(fake.path)
    assert raw.commands[0].name is CommandName.PRESS
    assert raw.commands[0].start_ns is None


def test_the_tool_itself_adds_little_to_a_cycle(fake: Any) -> None:
    fake.begin(override(default_plan(), cycles=10))

    cycles = cycles_of(fake.path)
    whole_ns = cycles[-1].ended_host_ns - cycles[0].started_host_ns
    # 0.2 s to sleep, 5 s dwell, 0.2 s to light, 2 s settle; the rest is ours.
    overhead_ns = whole_ns // 10 - (200 + 5_000 + 200 + 2_000) * MS
    assert 0 <= overhead_ns <= 50 * MS
