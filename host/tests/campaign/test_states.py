"""Every state that a plan can ask for, on simulated DUTs that have it, judged from the store."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.campaign.answer.assessment import assess, facts_of
from resume_rig.campaign.plan.plan import Plan, check_plan, default_plan
from resume_rig.campaign.plan.plan_file import load_plan, parse_plan, plan_to_mapping, ready_plans
from resume_rig.campaign.plan.states import STATE_WORDS, STATES, is_deeper, is_shallower
from resume_rig.campaign.store.raw import CommandName
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.model.channel import Channel
from resume_rig.model.dut import DutProfile
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.cycle import Outcome, OutsideState, ReconciledCycle
from resume_rig.model.result.verdict import FindingKind, Verdict
from resume_rig.rig.sim.dut.event import SimFault

Make = Callable[..., Any]
S = 1_000_000_000
COMMANDED = {"warm_up": 0, "sleep_by": "command", "settle": "adaptive"}


def plan_of(**keys: object) -> Plan:
    return parse_plan({"cycles": 2, **COMMANDED, **keys})


def cycles_of(bench: Any) -> tuple[ReconciledCycle, ...]:
    return assess(load_campaign(bench.path)).cycles


def kinds_of(cycle: ReconciledCycle) -> set[FindingKind]:
    return {finding.kind for finding in cycle.findings}


@pytest.mark.parametrize(
    ("state", "profile", "shown"),
    [
        ("S3", "healthy-laptop", OutsideState.S3),
        ("hybrid", "healthy-laptop", OutsideState.S3),
        ("S4", "healthy-desktop", OutsideState.S4),
        ("fast-startup", "healthy-desktop", OutsideState.S4),
        ("S5", "healthy-desktop", OutsideState.S5),
        ("modern-standby", "modern-standby", OutsideState.S0IX),
    ],
)
@pytest.mark.parametrize("wake_by", ["button", "timer"])
def test_a_dut_that_its_os_sends_to_sleep_wakes_and_its_record_is_of_that_kind(
    simulated: Make, state: str, profile: str, shown: OutsideState, wake_by: str
) -> None:
    bench = simulated(profile=profile)
    plan = plan_of(state=state, wake_by=wake_by)

    bench.begin(plan)

    cycles = cycles_of(bench)
    assert [cycle.outcome for cycle in cycles] == [Outcome.SLEPT_AND_WOKE] * 2
    assert {cycle.outside.state for cycle in cycles} == {shown}
    records = {cycle.record.kind for cycle in cycles if cycle.record is not None}
    assert records == ({SleepKind(state)} if state != "S5" else set())
    for cycle in cycles:
        unexpected = {FindingKind.WRONG_STATE, FindingKind.NOT_SETTLED, FindingKind.RECORD_MISSING}
        assert kinds_of(cycle).isdisjoint(unexpected)
        # Only S3 counts for a requirement on S3.
        assert cycle.judged == (state == "S3")
        named = cycle.record is not None and cycle.record.wake_source.name
        assert named in (False, "unknown", "power button" if wake_by == "button" else "timer")


def test_a_mix_of_states_is_judged_state_by_state(simulated: Make, requirement: Any) -> None:
    bench = simulated(profile="healthy-desktop")
    bench.begin(plan_of(cycles=6, state=["S3", "S4", "S5"], wake_by=["button", "timer"]))

    stored = load_campaign(bench.path)

    by_s3 = assess(stored)
    assert [c.outside.asked for c in by_s3.cycles] == [
        SleepKind.S3,
        SleepKind.S4,
        SleepKind.BOOT,
    ] * 2
    assert [c.judged for c in by_s3.cycles] == [True, False, False] * 2
    assert by_s3.verdict is Verdict.PASS
    by_s4 = assess(stored, dataclasses.replace(requirement, kinds=(SleepKind.S4,)))
    assert [c.judged for c in by_s4.cycles] == [False, True, False] * 2


def test_an_s4_that_fails_leaves_the_verdict_on_s3_alone(simulated: Make) -> None:
    bench = simulated(profile="healthy-desktop", faults=frozenset({SimFault.DARK}))
    bench.begin(plan_of(state="S4"))

    answer = assess(load_campaign(bench.path))

    assert {c.outcome for c in answer.cycles} == {Outcome.DARK}
    assert answer.verdict is Verdict.NO_EVIDENCE


def test_a_dut_that_is_left_alone_sleeps_by_itself(simulated: Make) -> None:
    bench = simulated(profile="idle-sleeper")

    bench.begin(plan_of(sleep_by="idle", wake_by="none", dwell_s=20))

    stored = load_campaign(bench.path)
    assert {c.outcome for c in cycles_of(bench)} == {Outcome.SLEPT_AND_WOKE}
    for raw in stored.cycles:
        pressed = [e.t_ns for e in raw.edges if e.channel is Channel.BUTTON and e.level == 0]
        asleep = next(e.t_ns for e in raw.edges if e.channel is Channel.SLP_S3 and e.level == 0)
        assert len(pressed) == 1
        assert pressed[0] - asleep >= 20 * S


def test_a_dut_that_must_stay_asleep_and_wakes_has_failed(simulated: Make) -> None:
    bench = simulated(faults=frozenset({SimFault.WAKES_ALONE}))

    bench.begin(plan_of(wake_by="none"))

    assert {c.outcome for c in cycles_of(bench)} == {Outcome.WOKE_ALONE}


def test_a_wake_before_the_timer_is_due_is_not_the_timers(simulated: Make) -> None:
    bench = simulated(faults=frozenset({SimFault.WAKES_ALONE}))

    bench.begin(plan_of(wake_by="timer"))

    for cycle in cycles_of(bench):
        assert cycle.outcome is Outcome.WOKE_ALONE
        assert "before its timer" in cycle.findings[0].text


def test_a_timer_that_was_left_behind_wakes_nobody_in_the_next_cycle(simulated: Make) -> None:
    bench = simulated()

    def once(event: Any) -> None:
        if hasattr(event, "done"):
            alone = {SimFault.WAKES_ALONE} if event.done == 0 else set()
            bench.simulated.set_faults(frozenset(alone))

    bench.events = type("Once", (list,), {"append": lambda self, event: once(event)})()
    bench.begin(plan_of(cycles=3, wake_by=["timer", "none", "timer"], dwell_s=[20, 40, 20]))

    outcomes = [c.outcome for c in cycles_of(bench)]
    assert outcomes == [Outcome.WOKE_ALONE, Outcome.SLEPT_AND_WOKE, Outcome.SLEPT_AND_WOKE]
    told = [[c.name for c in raw.commands] for raw in load_campaign(bench.path).cycles]
    assert [CommandName.DISARM_TIMER in names for names in told] == [False, True, False]


def test_a_timer_that_does_not_wake_is_said(simulated: Make) -> None:
    bench = simulated(faults=frozenset({SimFault.NEVER_WAKES}))

    def heal(event: Any) -> None:
        if type(event).__name__ == "Recovering":
            bench.simulated.set_faults(frozenset())

    bench.events = type("Healer", (list,), {"append": lambda self, event: heal(event)})()
    bench.begin(plan_of(cycles=1, wake_by="timer", wake_timeout_s=20))

    (cycle,) = cycles_of(bench)
    assert cycle.outcome is Outcome.NEVER_WOKE
    assert "its own timer was due" in cycle.findings[0].text


def test_a_sleep_that_is_not_deep_enough_is_shallow(simulated: Make) -> None:
    # Its button does S3, whatever the plan hopes for.
    bench = simulated(profile="healthy-laptop")

    bench.begin(plan_of(state="S4", sleep_by="button"))

    for cycle in cycles_of(bench):
        assert cycle.outcome is Outcome.SLEPT_SHALLOW
        assert FindingKind.WRONG_STATE in kinds_of(cycle)


def test_where_no_line_tells_s3_from_s4_nothing_is_said(simulated: Make) -> None:
    def blind(dut: DutProfile) -> DutProfile:
        return dataclasses.replace(
            dut, channels=tuple(c for c in dut.channels if c is not Channel.SLP_S4)
        )

    bench = simulated(profile="healthy-laptop", change=blind)
    bench.begin(plan_of(state="S4", sleep_by="button"))

    assert {c.outcome for c in cycles_of(bench)} == {Outcome.SLEPT_AND_WOKE}


def test_a_button_that_hibernates_does_for_a_plan_of_s4_and_not_for_one_of_s3(
    simulated: Make,
) -> None:
    fits = simulated(profile="hibernates", name="fits.rrs")
    fits.begin(plan_of(state="S4", sleep_by="button"))
    deeper = simulated(profile="hibernates", name="deeper.rrs")
    deeper.begin(plan_of(state="S3", sleep_by="button"))

    assert {c.outcome for c in cycles_of(fits)} == {Outcome.SLEPT_AND_WOKE}
    assert not any(FindingKind.WRONG_STATE in kinds_of(c) for c in cycles_of(fits))
    assert all(FindingKind.WRONG_STATE in kinds_of(c) for c in cycles_of(deeper))
    assert not any(c.judged for c in cycles_of(deeper))


@pytest.mark.parametrize(
    ("asked", "shown", "shallow", "deep"),
    [
        (SleepKind.S4, OutsideState.S3, True, False),
        (SleepKind.S4, OutsideState.S5, False, False),
        (SleepKind.S3, OutsideState.S0IX, True, False),
        (SleepKind.S3, OutsideState.S4, False, True),
        (SleepKind.MODERN_STANDBY, OutsideState.S3, False, True),
        (SleepKind.BOOT, OutsideState.S4, False, False),
        (SleepKind.S3, OutsideState.NONE, False, False),
    ],
)
def test_how_deep_a_sleep_was(
    asked: SleepKind, shown: OutsideState, shallow: bool, deep: bool
) -> None:
    assert is_shallower(asked, shown, [Channel.SLP_S4]) is shallow
    assert is_deeper(asked, shown) is deep


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"state": "S5", "sleep_by": "command"}, "a settle time of 2.000 s after a boot"),
        ({"state": "S5", "settle_s": 20, "wake_by": "lid"}, "a lid switches no PC on"),
        (
            {"state": "S5", "settle_s": 20, "wake_by": "lid"},
            "allowed are button, keyboard, contact, timer, none and lan",
        ),
        (
            {"state": "modern-standby", "wake_by": "lid"},
            "button, idle and command to sleep, and button, keyboard, contact, timer, none and lan",
        ),
        ({"state": "fast-startup", "wake_by": "lid"}, "a wake by lid from fast-startup"),
        ({"state": "S5", "settle_s": 20, "sleep_by": "idle"}, "no time-out shuts a PC down"),
        ({"state": "modern-standby", "sleep_by": "lid"}, "a closed lid hides the display"),
        ({"state": "modern-standby", "wake_by": "lid"}, "a closed lid hides the display"),
        ({"state": ["S3", "S5"]}, "a settle time of 2.000 s after a boot"),
        ({"settle": "quick"}, "settle = 'quick'; allowed is a time with its unit"),
        ({"settle_limit_s": 9}, "settle_limit_s goes with settle adaptive"),
        ({"settle": "adaptive", "settle_limit_s": 1}, "a limit of an adaptive settle time"),
        ({"settle": "adaptive", "settle_limit_h": 1}, "no key 'settle_limit_h'"),
        ({"settle": "adaptive", "settle_limit_s": 9, "settle_limit_ms": 9}, "twice"),
        ({"sleep_by": "timer"}, "allowed are button, lid, idle, command"),
        ({"wake_by": "command"}, "allowed are button, lid, keyboard, contact, timer, none, lan"),
    ],
    ids=str,
)
def test_a_plan_that_cannot_be_done_is_refused_in_one_sentence(
    keys: dict[str, object], words: str
) -> None:
    with pytest.raises(UsageError) as refused:
        parse_plan(keys)

    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("keys", "profile", "words"),
    [
        ({"sleep_by": "idle"}, "healthy-laptop", "its profile names no idle_s"),
        ({"state": "modern-standby", "sleep_by": "command"}, "healthy-laptop", "not have"),
    ],
)
def test_a_bench_that_cannot_do_a_plan_moves_nothing(
    simulated: Make, keys: dict[str, object], profile: str, words: str
) -> None:
    bench = simulated(profile=profile)

    with pytest.raises(UsageError) as refused:
        bench.begin(parse_plan(keys))

    assert words in str(refused.value)
    assert not bench.path.exists()
    assert bench.rig.edges(0).edges == ()


def test_nobody_who_reaches_the_os_is_a_usage_error(simulated: Make) -> None:
    bench = simulated()
    bench.control = None

    with pytest.raises(UsageError, match=r"the OS of healthy-laptop \(command, timer\)"):
        bench.begin(plan_of(wake_by="timer"))


@pytest.mark.parametrize("name", ready_plans())
def test_a_ready_plan_survives_its_store(name: str) -> None:
    plan = load_plan(name)
    assert parse_plan(plan_to_mapping(plan)) == plan


@pytest.mark.parametrize("state", STATES)
def test_a_plan_of_any_state_survives_its_store(state: SleepKind) -> None:
    plan = dataclasses.replace(default_plan(), state=state, settle_limit_ns=200 * S)
    assert parse_plan(plan_to_mapping(plan)) == plan


WAYS_IN = st.sampled_from(["button", "lid", "idle", "command"])
WAYS_OUT = st.sampled_from(["button", "lid", "timer", "none"])


def some(values: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return values | st.lists(values, min_size=1, max_size=4)


@given(
    state=some(st.sampled_from(STATE_WORDS)),
    sleep_by=some(WAYS_IN),
    wake_by=some(WAYS_OUT),
    settle_s=st.integers(0, 40),
    limit_s=st.none() | st.integers(1, 300),
    order=st.sampled_from(["sequence", "matrix", "random"]),
)
def test_any_plan_is_refused_in_a_sentence_or_does_every_cycle_as_one_of_its_own(
    limit_s: int | None, **keys: Any
) -> None:
    adaptive = {} if limit_s is None else {"settle": "adaptive", "settle_limit_s": limit_s}
    plan, refusal = None, ""
    try:
        plan = parse_plan({**keys, **adaptive})
    except UsageError as error:
        refusal = str(error)
    if plan is None:
        assert "allowed are" in refusal
        return
    stored = parse_plan(plan_to_mapping(plan))
    for index in range(9):
        one = plan.of_cycle(index)
        check_plan(one)
        assert plan_to_mapping(stored.of_cycle(index)) == plan_to_mapping(one)
        assert one.state in plan.states
        assert one.means <= plan.means
        assert one.actuators <= plan.actuators


def test_the_xbootmgr_plan_boots_twice_and_judges_five(simulated: Make) -> None:
    bench = simulated(profile="healthy-desktop")
    bench.begin(load_plan("xbootmgr-standby"))

    cycles = cycles_of(bench)

    assert [c.outside.state for c in cycles] == [OutsideState.S5] * 2 + [OutsideState.S3] * 5
    assert [c.judged for c in cycles] == [False] * 2 + [True] * 5
    assert facts_of(load_campaign(bench.path)).outcomes == {"slept-and-woke": 7}
