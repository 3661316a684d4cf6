"""Which cycles hung, woke late or lost their record: only where something proves it."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from resume_rig.campaign.answer.assessment import assess, facts_of
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.run.cycle import FEWEST, FLOOR_NS
from resume_rig.campaign.store.measured_cycle import with_hang
from resume_rig.campaign.store.raw import Recovery
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.model.channel import Channel
from resume_rig.model.dut import RecoveryStep
from resume_rig.model.edge import Edge
from resume_rig.model.errors import DutFault
from resume_rig.model.result.cycle import Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.verdict import Finding, FindingKind, Verdict
from resume_rig.rig.sim.dut.event import SimFault

Make = Callable[..., Any]
S = 1_000_000_000
WIRED = (Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST, Channel.BACKLIGHT, Channel.BUTTON)
RUNS = {Channel.SLP_S3: 1, Channel.PWR_OK: 1, Channel.PLTRST: 1, Channel.BACKLIGHT: 0}
SLEEPS = dict.fromkeys(RUNS, 0)
PRESSED = (Edge(1, 5, Channel.BUTTON, 0), Edge(2, 6, Channel.BUTTON, 1))


def cycle_of(outcome: Outcome) -> OutsideCycle:
    return OutsideCycle(1, outcome, OutsideState.S3, None, None, None, None, {})


def step(**changes: Any) -> Recovery:
    made = Recovery(1, 1, "why", False, (), PRESSED, RecoveryStep.PRESS, SLEEPS)
    return dataclasses.replace(made, **changes)


@pytest.mark.parametrize(
    ("outcome", "changes", "expected"),
    [
        (Outcome.NEVER_WOKE, {}, Outcome.HUNG_IN_SLEEP),
        (Outcome.NEVER_WOKE, {"levels": {**RUNS, Channel.PLTRST: 0}}, Outcome.HUNG_IN_RESUME),
        (Outcome.DARK, {"levels": RUNS}, Outcome.HUNG_IN_RESUME),
        # Nothing is proven by a press that helped, that nobody saw, or that changed something.
        (Outcome.NEVER_WOKE, {"ok": True}, Outcome.NEVER_WOKE),
        (Outcome.NEVER_WOKE, {"edges": ()}, Outcome.NEVER_WOKE),
        (Outcome.NEVER_WOKE, {"levels": None}, Outcome.NEVER_WOKE),
        (Outcome.NEVER_WOKE, {"step": RecoveryStep.WAIT}, Outcome.NEVER_WOKE),
        (Outcome.DARK, {"edges": (*PRESSED, Edge(3, 7, Channel.SLP_S3, 0))}, Outcome.DARK),
        (Outcome.WOKE_ALONE, {}, Outcome.WOKE_ALONE),
        (Outcome.SLEPT_AND_WOKE, {}, Outcome.SLEPT_AND_WOKE),
    ],
)
def test_a_hang_is_told_by_one_more_press(
    outcome: Outcome, changes: dict[str, Any], expected: Outcome
) -> None:
    told = with_hang(cycle_of(outcome), [step(**changes)], WIRED)

    assert told.outcome is expected
    assert (FindingKind.HUNG in {f.kind for f in told.findings}) == (expected is not outcome)


@pytest.mark.parametrize("off", [RecoveryStep.FORCE_OFF, RecoveryStep.POWER_CYCLE])
def test_a_press_after_the_dut_was_off_says_nothing_of_the_cycle(off: RecoveryStep) -> None:
    steps = [step(edges=(), levels=RUNS), step(step=off), step(levels=RUNS)]
    assert with_hang(cycle_of(Outcome.DARK), steps, WIRED).outcome is Outcome.DARK


@pytest.mark.parametrize("foreseen", [False, True])
def test_a_dut_that_hangs_in_its_resume_is_told_so_and_fails(
    simulated: Make, foreseen: bool
) -> None:
    bench = simulated(foreseen=foreseen)
    sound = bench.identity.dut.behaviour

    def act(event: Any) -> None:
        if getattr(event, "done", 0) == 1:
            bench.simulated.set_behaviour(dataclasses.replace(sound, hang_share=1))
        if type(event).__name__ == "Recovery":
            bench.simulated.set_behaviour(sound)

    bench.events = type("Actor", (list,), {"append": lambda self, event: act(event)})()
    bench.begin(override(default_plan(), cycles=3, warm_up=0, wake_timeout_ns=8 * S))

    stored = load_campaign(bench.path)
    answer = assess(stored)
    expected = [Outcome.SLEPT_AND_WOKE, Outcome.HUNG_IN_RESUME, Outcome.SLEPT_AND_WOKE]
    assert [c.outcome for c in answer.cycles] == expected
    assert answer.verdict is Verdict.FAIL
    assert "hung in resume" in answer.why
    facts = facts_of(stored, cycles=answer.cycles)
    assert facts.outcomes == {"slept-and-woke": 2, "hung-in-resume": 1}
    assert facts.first_failure == (2, "hung-in-resume")


def test_a_dut_that_hangs_behind_its_recovery_is_told_so(simulated: Make) -> None:
    """The sleep by which the recovery proved that it reacts has a record, none of the cycle."""
    bench = simulated()
    sound = bench.identity.dut.behaviour
    hung = dataclasses.replace(sound, hang_share=1)

    def act(event: Any) -> None:
        if type(event).__name__ == "Recovery":
            bench.simulated.set_behaviour(hung if event.ok and event.after_cycle == 2 else sound)
        elif getattr(event, "done", 0) == 1:
            bench.simulated.set_behaviour(hung)

    bench.events = type("Actor", (list,), {"append": lambda self, event: act(event)})()
    bench.begin(override(default_plan(), cycles=4, warm_up=0, wake_timeout_ns=8 * S))

    fine, hang = Outcome.SLEPT_AND_WOKE, Outcome.HUNG_IN_RESUME
    assert [c.outcome for c in assess(load_campaign(bench.path)).cycles] == [fine, hang, hang, fine]


@pytest.mark.parametrize(
    ("followed", "levels", "expected"),
    [
        (FindingKind.DARK, RUNS, Outcome.HUNG_IN_RESUME),
        (FindingKind.NEVER_WOKE, {**RUNS, Channel.PLTRST: 0}, Outcome.HUNG_IN_RESUME),
        (FindingKind.DARK, SLEEPS, Outcome.WOKE_ALONE),
        (FindingKind.DOUBLE_RESET, RUNS, Outcome.WOKE_ALONE),
    ],
)
def test_what_woke_by_itself_hangs_where_it_did_not_come_up(
    followed: FindingKind, levels: dict[Channel, int], expected: Outcome
) -> None:
    findings = (Finding(FindingKind.WAKE_NOT_OURS, "."), Finding(followed, "."))
    alone = dataclasses.replace(cycle_of(Outcome.WOKE_ALONE), findings=findings)

    told = with_hang(alone, [step(levels=levels)], WIRED)

    assert told.outcome is expected
    assert told.findings[:2] == findings


@pytest.mark.parametrize("foreseen", [False, True])
def test_a_dut_that_wakes_by_itself_and_hangs_is_told_of_both(
    simulated: Make, foreseen: bool
) -> None:
    bench = simulated(foreseen=foreseen)
    sound = bench.identity.dut.behaviour

    def act(event: Any) -> None:
        if getattr(event, "done", 0) == 1:
            bench.simulated.set_faults(frozenset({SimFault.WAKES_ALONE}))
            bench.simulated.set_behaviour(dataclasses.replace(sound, hang_share=1))
        if type(event).__name__ == "Recovery":
            bench.simulated.set_faults(frozenset())
            bench.simulated.set_behaviour(sound)

    bench.events = type("Actor", (list,), {"append": lambda self, event: act(event)})()
    bench.begin(override(default_plan(), cycles=3, warm_up=0, wake_timeout_ns=8 * S))

    stored = load_campaign(bench.path)
    assert stored.cycles[1].outcome is Outcome.WOKE_ALONE
    _, hung, woke = assess(stored).cycles
    assert (hung.outcome, woke.outcome) == (Outcome.HUNG_IN_RESUME, Outcome.SLEPT_AND_WOKE)
    kinds = [finding.kind for finding in hung.outside.findings]
    assert kinds[0] is FindingKind.WAKE_NOT_OURS
    assert {FindingKind.DARK, FindingKind.HUNG} <= set(kinds)


def test_a_dut_that_no_press_wakes_hangs_in_its_sleep(simulated: Make) -> None:
    bench = simulated(faults=frozenset({SimFault.NEVER_WAKES}))

    with pytest.raises(DutFault):
        bench.begin(override(default_plan(), cycles=2, warm_up=0, wake_timeout_ns=8 * S))

    (cycle,) = assess(load_campaign(bench.path)).cycles
    assert cycle.outcome is Outcome.HUNG_IN_SLEEP


def test_a_dut_that_the_next_press_wakes_did_not_hang(simulated: Make) -> None:
    bench = simulated(faults=frozenset({SimFault.NEVER_WAKES}))

    def heal(event: Any) -> None:
        if type(event).__name__ == "Recovering" and event.step is RecoveryStep.PRESS:
            bench.simulated.set_faults(frozenset())

    bench.events = type("Healer", (list,), {"append": lambda self, event: heal(event)})()
    bench.begin(override(default_plan(), cycles=1, warm_up=0, wake_timeout_ns=8 * S))

    (cycle,) = assess(load_campaign(bench.path)).cycles
    assert cycle.outcome is Outcome.NEVER_WOKE


def test_a_wake_after_the_learned_time_out_is_late_and_still_measured(simulated: Make) -> None:
    bench = simulated()

    def slow(event: Any) -> None:
        if not hasattr(event, "done"):
            return
        share = float(event.done == FEWEST + 1)
        errs = bench.identity.dut.behaviour
        bench.simulated.set_behaviour(
            dataclasses.replace(errs, firmware_late_share=share, firmware_late_ns=20 * S)
        )

    bench.events = type("Slower", (list,), {"append": lambda self, event: slow(event)})()
    bench.begin(override(default_plan(), cycles=FEWEST + 3))

    cycles = assess(load_campaign(bench.path)).cycles
    late = cycles[FEWEST + 1]
    assert [c.outcome for c in cycles if c != late] == [Outcome.SLEPT_AND_WOKE] * (FEWEST + 2)
    assert late.outcome is Outcome.WOKE_LATE
    finding = next(f for f in late.findings if f.kind is FindingKind.WOKE_LATE)
    assert finding.evidence["timeout_ns"] == FLOOR_NS
    assert 20 * S < int(finding.evidence["woke_after_ns"] or 0) < 22 * S
    assert late.judged
    assert late.verdict is Verdict.FAIL


def test_a_record_that_is_lost_between_two_others_is_missing_and_one_at_the_end_is_not(
    simulated: Make,
) -> None:
    bench = simulated()
    lost = (4, 9)

    def lose(event: Any) -> None:
        if hasattr(event, "done"):
            gone = frozenset({SimFault.NO_RECORD}) if event.done in lost else frozenset()
            bench.simulated.set_faults(gone)

    bench.events = type("Loser", (list,), {"append": lambda self, event: lose(event)})()
    bench.begin(override(default_plan(), cycles=10, warm_up=0))

    cycles = assess(load_campaign(bench.path)).cycles
    assert [c.outside.number for c in cycles if c.record is None] == [10]
    (seen,) = [c for c in cycles if c.record is not None and c.record.resume_ms is None]
    assert (seen.outside.number, seen.record.ending, seen.undecided) == (5, "resumed", True)
    assert [c.outside.number for c in cycles if c.outcome is Outcome.RECORD_MISSING] == [5]
    assert {c.outside.outcome for c in cycles} == {Outcome.SLEPT_AND_WOKE}
