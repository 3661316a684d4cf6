"""A DUT that hangs is brought back by the step it needs, and the store tells how."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from resume_rig.campaign.dut.user_program import OutsideHelp
from resume_rig.campaign.plan.plan import Plan, override
from resume_rig.campaign.plan.states import is_off
from resume_rig.campaign.run.events import Recovering
from resume_rig.campaign.run.recovery import Trouble, recovery_text, steps_for
from resume_rig.campaign.store.raw import CommandName, Recovery
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.dut import SOUND, DutProfile, RecoveryLadder, RecoveryStep, Spread
from resume_rig.model.errors import DutFault
from resume_rig.model.result.cycle import Outcome
from resume_rig.rig.sim.dut.event import SimFault

S = 1_000_000_000
Make = Callable[..., Any]
WAIT, PRESS, FORCE_OFF, POWER_CYCLE, ASK = RecoveryStep
HANGS = dataclasses.replace(SOUND, hang_share=1.0)


class Relay:
    """Cuts the supply of a simulated DUT; whatever it had then is over."""

    def __init__(self, bench: Any, *, works: bool = True) -> None:
        self.bench, self.works = bench, works
        self.switched: list[bool] = []

    def start(self, *, on: bool) -> None:
        self.switched.append(on)
        if self.works:
            self.bench.simulated.supply(on=on)
            self.bench.simulated.set_faults(frozenset())

    def succeeded(self) -> bool:
        return True

    def stop(self) -> None:
        """Nothing is left to stop."""


class Somebody:
    """Heals the DUT and presses its button, then says so."""

    def __init__(self, bench: Any, *, after_asked: int) -> None:
        self.bench, self.left = bench, after_asked
        self.texts: list[str] = []

    def ask(self, text: str) -> None:
        self.texts.append(text)

    def answered(self) -> bool:
        self.left -= 1
        if self.left == 100:
            self.bench.simulated.set_faults(frozenset())
            self.bench.simulated.supply(on=False)
            self.bench.simulated.supply(on=True)
            self.bench.rig.press("BUTTON", 150_000_000)
        return self.left <= 0


def steps_of(bench: Any) -> list[tuple[RecoveryStep | None, bool]]:
    return [(recovery.step, recovery.ok) for recovery in recoveries_of(bench)]


def recoveries_of(bench: Any) -> tuple[Recovery, ...]:
    with Store.open(bench.path) as store:
        return store.recoveries()


def on_recovering(bench: Any, act: Callable[[Recovering], None]) -> None:
    """Let something happen when a step begins."""

    def listen(self: list[Any], event: object) -> None:
        if isinstance(event, Recovering):
            act(event)

    bench.events = type("Listener", (list,), {"append": listen})()


def slow_to_wake(dut: DutProfile) -> DutProfile:
    slow = Spread(20 * S, 0, 20 * S, 20 * S)
    return dataclasses.replace(dut, timing=dataclasses.replace(dut.timing, button_to_slp_s3=slow))


def test_one_that_comes_late_is_waited_for(simulated: Make, short_plan: Plan) -> None:
    bench = simulated(change=slow_to_wake)

    end = bench.begin(override(short_plan, cycles=1))

    assert end.outcomes == {Outcome.NEVER_WOKE: 1}
    assert steps_of(bench) == [(WAIT, True)]
    assert recoveries_of(bench)[0].commands == ()


def test_one_that_hangs_in_its_firmware_is_forced_off_and_boots(
    simulated: Make, short_plan: Plan
) -> None:
    bench = simulated(change=lambda dut: dataclasses.replace(dut, behaviour=HANGS))
    on_recovering(bench, lambda event: bench.simulated.set_behaviour(SOUND))

    end = bench.begin(override(short_plan, cycles=4))

    assert end.outcomes[Outcome.SLEPT_AND_WOKE] == 2
    assert steps_of(bench)[-2:] == [(PRESS, False), (FORCE_OFF, True)]
    forced = recoveries_of(bench)[-1]
    assert forced.commands[0].name is CommandName.FORCE_OFF
    assert forced.commands[0].duration_ns == 8 * S
    held = [edge.t_ns for edge in forced.edges if edge.channel is Channel.BUTTON][:2]
    assert 7 * S < held[1] - held[0] < 9 * S
    assert Channel.SLP_S4 in {edge.channel for edge in forced.edges if edge.level == 0}
    assert forced.levels is not None
    assert forced.levels[Channel.BACKLIGHT] == 1


def test_a_hang_in_resume_is_one_failure_where_the_log_tells_of_it(
    simulated: Make, short_plan: Plan
) -> None:
    bench = simulated()

    def hang_once(event: Any) -> None:
        if getattr(event, "done", None) == 2:
            bench.simulated.set_behaviour(HANGS)
        if isinstance(event, Recovering):
            bench.simulated.set_behaviour(SOUND)

    bench.events = type("Hanger", (list,), {"append": lambda self, event: hang_once(event)})()
    end = bench.begin(override(short_plan, cycles=6))

    assert end.outcomes == {Outcome.SLEPT_AND_WOKE: 5, Outcome.DARK: 1}
    assert steps_of(bench) == [(PRESS, False), (FORCE_OFF, True)]
    assert "wrote no record" in recoveries_of(bench)[0].why


def hangs_from(bench: Any, cycle: int, until: Callable[[Any], bool]) -> None:
    """Let the DUT hang in each resume from behind a cycle until an event ends that."""

    def act(event: Any) -> None:
        if getattr(event, "done", None) == cycle:
            bench.simulated.set_behaviour(HANGS)
        if until(event):
            bench.simulated.set_behaviour(SOUND)

    bench.events = type("Hanger", (list,), {"append": lambda self, event: act(event)})()


def test_one_that_hangs_again_in_the_wake_that_proves_it_well_is_brought_back_again(
    simulated: Make, short_plan: Plan
) -> None:
    bench = simulated()
    hangs_from(bench, 2, lambda event: isinstance(event, Recovery) and event.step is FORCE_OFF)
    end = bench.begin(override(short_plan, cycles=6))

    assert end.outcomes == {Outcome.SLEPT_AND_WOKE: 5, Outcome.DARK: 1}
    once_more = [(PRESS, False), (FORCE_OFF, True)]
    assert steps_of(bench) == [(PRESS, False), (FORCE_OFF, False), *once_more]
    light = [step.levels[Channel.BACKLIGHT] for step in recoveries_of(bench) if step.levels]
    assert light == [0, 0, 0, 1]
    assert "hung in the wake" in recoveries_of(bench)[2].why


def test_one_that_hangs_in_every_wake_ends_the_campaign(simulated: Make, short_plan: Plan) -> None:
    bench = simulated()
    hangs_from(bench, 2, lambda _: False)
    with pytest.raises(DutFault, match="once more, 3 times in a row"):
        bench.begin(override(short_plan, cycles=6))
    assert steps_of(bench) == [(PRESS, False), (FORCE_OFF, False)] * 3


def test_a_display_that_was_dark_before_tells_nothing_of_a_recovery(
    simulated: Make, short_plan: Plan
) -> None:
    bench = simulated()

    def act(event: Any) -> None:
        if getattr(event, "done", None) == 2:
            bench.simulated.set_behaviour(HANGS)
        if isinstance(event, Recovering):
            bench.simulated.set_behaviour(SOUND)
            bench.simulated.set_faults(frozenset({SimFault.DARK}))

    bench.events = type("Darkener", (list,), {"append": lambda self, event: act(event)})()
    bench.begin(override(short_plan, cycles=4))

    assert steps_of(bench)[:2] == [(PRESS, False), (FORCE_OFF, True)]
    assert recoveries_of(bench)[1].levels[Channel.BACKLIGHT] == 0


def test_one_that_is_only_dark_and_unrecorded_is_tried_and_never_given_up(
    simulated: Make, short_plan: Plan
) -> None:
    bench = simulated()

    def darken(event: Any) -> None:
        if getattr(event, "done", None) == 2:
            bench.simulated.set_faults(frozenset({SimFault.DARK, SimFault.NO_RECORD}))

    bench.events = type("Darkener", (list,), {"append": lambda self, event: darken(event)})()
    end = bench.begin(override(short_plan, cycles=8))

    assert end.outcomes == {Outcome.SLEPT_AND_WOKE: 2, Outcome.DARK: 6}
    assert set(steps_of(bench)) == {(PRESS, True)}


def test_one_that_no_button_reaches_has_its_supply_cut(simulated: Make, short_plan: Plan) -> None:
    bench = simulated(faults=frozenset({SimFault.NEVER_WAKES}))
    relay = Relay(bench)
    bench.helps = OutsideHelp(power=relay)

    end = bench.begin(short_plan)

    assert end.outcomes == {Outcome.NEVER_WOKE: 1, Outcome.SLEPT_AND_WOKE: 1}
    assert steps_of(bench) == [
        (WAIT, False),
        (PRESS, False),
        (FORCE_OFF, False),
        (POWER_CYCLE, True),
    ]
    names = [command.name for command in recoveries_of(bench)[-1].commands]
    assert names == [CommandName.POWER_OFF, CommandName.POWER_ON, CommandName.PRESS]
    assert relay.switched == [False, True]


def test_a_relay_that_does_not_cut_is_found_out_by_the_wires(
    simulated: Make, short_plan: Plan
) -> None:
    bench = simulated(faults=frozenset({SimFault.NEVER_WAKES}))
    relay = Relay(bench, works=False)
    bench.helps = OutsideHelp(power=relay)

    with pytest.raises(DutFault, match="cutting its supply"):
        bench.begin(short_plan)

    assert steps_of(bench)[-1] == (POWER_CYCLE, False)
    assert relay.switched == [False, True], "it is switched on again whatever happened"


def test_a_person_is_asked_in_the_end_and_the_campaign_goes_on(
    simulated: Make, short_plan: Plan
) -> None:
    bench = simulated(faults=frozenset({SimFault.NEVER_WAKES}))
    person = Somebody(bench, after_asked=200)
    bench.helps = OutsideHelp(person=person)

    end = bench.begin(short_plan)

    assert end.outcomes == {Outcome.NEVER_WOKE: 1, Outcome.SLEPT_AND_WOKE: 1}
    assert steps_of(bench)[-1] == (ASK, True)
    (text,) = person.texts
    assert text.startswith("The DUT does not run: ")
    assert "waits for 15 min" in text


def test_a_person_who_does_not_come_blocks_nothing(simulated: Make, short_plan: Plan) -> None:
    bench = simulated(faults=frozenset({SimFault.NEVER_WAKES}))
    bench.helps = OutsideHelp(person=Somebody(bench, after_asked=10**9))

    with pytest.raises(DutFault, match="asking somebody"):
        bench.begin(short_plan)

    assert steps_of(bench)[-1] == (ASK, False)


def test_one_that_is_brought_back_again_and_again_ends_the_campaign(
    simulated: Make, short_plan: Plan
) -> None:
    bench = simulated(change=slow_to_wake)

    with pytest.raises(DutFault, match="once more, 3 times in a row"):
        bench.begin(override(short_plan, cycles=100))

    assert steps_of(bench) == [(WAIT, True)] * 3
    with Store.open(bench.path) as store:
        assert store.outcomes() == {Outcome.NEVER_WOKE: 4}


def test_a_step_that_was_tried_as_often_as_it_may_is_left_out(
    simulated: Make, short_plan: Plan
) -> None:
    def patient(dut: DutProfile) -> DutProfile:
        ladder = dataclasses.replace(dut.recovery, tries=2, in_a_row=100)
        return dataclasses.replace(slow_to_wake(dut), recovery=ladder)

    bench = simulated(change=patient)

    with pytest.raises(DutFault, match="after cycle 3 by one more try, forcing it off"):
        bench.begin(override(short_plan, cycles=6))

    assert steps_of(bench) == [(WAIT, True), (WAIT, True), (PRESS, False), (FORCE_OFF, False)]


def test_a_plan_stops_at_a_number_of_recoveries(simulated: Make, short_plan: Plan) -> None:
    bench = simulated(change=slow_to_wake)
    stop = dataclasses.replace(short_plan.stop, recoveries=2)

    end = bench.begin(dataclasses.replace(short_plan, cycles=100, stop=stop))

    assert end.why == "the DUT had to be brought back 2 times, and the plan stops at 2"
    assert end.outcomes == {Outcome.NEVER_WOKE: 2}


@pytest.mark.parametrize(
    ("deaf", "after_cycle", "taken", "expected"),
    [
        (False, 1, {}, tuple(RecoveryStep)),
        (True, 1, {}, (PRESS, FORCE_OFF, POWER_CYCLE, ASK)),
        (False, 0, {}, (PRESS, FORCE_OFF, POWER_CYCLE, ASK)),
        (False, 1, {PRESS: 2, ASK: 3}, (WAIT, FORCE_OFF, POWER_CYCLE)),
    ],
    ids=["after a cycle", "deaf", "before the first cycle", "tries used up"],
)
def test_which_steps_can_be_taken(
    deaf: bool,
    after_cycle: int,
    taken: dict[RecoveryStep, int],
    expected: tuple[RecoveryStep, ...],
) -> None:
    helps = OutsideHelp(power=Relay(None), person=Somebody(None, after_asked=1))
    ladder = RecoveryLadder(tries=2)

    trouble = Trouble(1, after_cycle, "Why.", deaf)

    assert steps_for(ladder, trouble, taken, has_button=True, helps=helps) == expected


def test_steps_that_the_bench_cannot_do_are_left_out() -> None:
    trouble = Trouble(1, 1, "Why.", deaf=False)

    steps = steps_for(RecoveryLadder(), trouble, {}, has_button=False, helps=OutsideHelp())

    assert steps == (WAIT, PRESS)


@pytest.mark.parametrize(
    ("wired", "low", "expected"),
    [
        ((Channel.PWR_OK, Channel.SLP_S3), (Channel.PWR_OK, Channel.SLP_S3), True),
        ((Channel.PWR_OK, Channel.SLP_S3), (Channel.SLP_S3,), False),
        ((Channel.PWR_OK, Channel.SLP_S4), (Channel.PWR_OK,), False),
        ((Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5), (Channel.SLP_S3, Channel.SLP_S4), False),
        ((Channel.SLP_S3, Channel.SLP_S5), (Channel.SLP_S3, Channel.SLP_S5), True),
        ((Channel.BACKLIGHT,), (Channel.BACKLIGHT,), False),
    ],
)
def test_the_deepest_line_that_is_wired_tells_off_from_asleep(
    wired: tuple[Channel, ...], low: tuple[Channel, ...], expected: bool
) -> None:
    levels = {channel: int(channel not in low) for channel in wired}

    assert is_off(levels, wired) is expected


def test_a_step_is_told_with_its_cycle_edges_levels_and_light() -> None:
    levels = {Channel.SLP_S3: 1, Channel.PLTRST: 0, Channel.PWR_OK: 1, Channel.BACKLIGHT: 0}
    step = Recovery(1, 7, "Why.", False, (), (), FORCE_OFF, levels)

    assert recovery_text(step) == (
        "After cycle 7: Why. Forcing it off and booting it did not help "
        "(0 edges; then PWR_OK, SLP_S3# high, PLTRST# low, no light)."
    )
