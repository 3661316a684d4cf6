"""Sleeps outside of cycles: their records are told as theirs, and as no cycle's."""

import dataclasses
from collections.abc import Callable, Sequence
from itertools import chain
from types import SimpleNamespace
from typing import Any

import pytest

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.store.raw import Recovery
from resume_rig.campaign.store.read_back import extra_sleeps_of, load_campaign, timed_campaign
from resume_rig.model.channel import Channel
from resume_rig.model.dut import RecoveryStep
from resume_rig.model.edge import Edge
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.match import RecordReason

Make = Callable[..., Any]
S = 1_000_000_000
UTC_NS = 1_777_000_000 * S
WIRED = (Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5, Channel.PWR_OK, Channel.PLTRST)
RUNS = dict.fromkeys(WIRED, 1)
OFF = (Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5, Channel.PWR_OK, Channel.PLTRST)
S3 = (Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST)
CYCLE: Any = SimpleNamespace(number=1, edges=(Edge(1, 50 * S, Channel.SLP_S3, 1),))


# A board's clock that began at UTC_NS, and one of which nothing tells that.
RELATED: Any = SimpleNamespace(utc_ns=lambda _, ns: BoundedNs(UTC_NS + ns, 1_000_000))
UNRELATED: Any = SimpleNamespace(utc_ns=lambda _, _ns: None)


def low(lines: Sequence[Channel], from_s: float, until_s: float | None) -> list[Edge]:
    edges = [Edge(0, round(from_s * S) + at, line, 0) for at, line in enumerate(lines)]
    if until_s is not None:
        back = enumerate(reversed(lines))
        edges += [Edge(0, round(until_s * S) + at, line, 1) for at, line in back]
    return edges


def step(*edges: list[Edge], levels: dict[Channel, int] | None = RUNS) -> Recovery:
    every = [e._replace(number=n) for n, e in enumerate(chain.from_iterable(edges))]
    return Recovery(1, 1, "why", True, (), tuple(every), RecoveryStep.FORCE_OFF, levels)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([step(low(S3, 60, 66))], [(60, 66)]),
        ([step(low(S3, 60, 66), low(S3, 70, 77))], [(60, 66), (70, 77)]),
        ([step(low(S3, 60, 66)), step(low(S3, 80, 83))], [(60, 66), (80, 83)]),
        # Off is no sleep; the sleep that shows whether the DUT is well again is one.
        ([step(low(OFF, 60, 68), low(S3, 120, 126))], [(120, 126)]),
        # A DUT that never woke, and was woken by one more press.
        ([step(low(S3, 20, 66)[len(S3) :])], [(None, 66)]),
        # A sleep that did not end in the step, and one of a board that began anew, are not told.
        ([step(low(S3, 60, None), levels={**RUNS, Channel.SLP_S3: 0})], []),
        ([step(low(S3, 10, 16))], []),
        # Of a session that began with a recovery, the cycle behind it tells the time.
        ([dataclasses.replace(step(low(S3, 10, 16)), after_cycle=0)], [(10, 16)]),
        ([dataclasses.replace(step(low(S3, 60, 66)), after_cycle=0)], []),
        ([step(levels=None)], []),
        ([step(low(S3, 60, 66), levels=None)], [(60, 66)]),
        ([], []),
    ],
)
def test_what_the_steps_show(steps: list[Recovery], expected: list[tuple[Any, int]]) -> None:
    found = extra_sleeps_of(CYCLE, steps, WIRED, RELATED)
    # S3 begins with SLP_S3# falling and ends with its rise, the last of the three lines.
    told = [
        (s.asleep_ns and (s.asleep_ns - UTC_NS) // S, (s.awake_ns - UTC_NS) // S) for s in found
    ]
    assert told == expected


def test_without_a_relation_of_the_clocks_nothing_is_told() -> None:
    found = extra_sleeps_of(CYCLE, [step(low(S3, 60, 66))], WIRED, UNRELATED)
    assert found == ()


@pytest.mark.parametrize("seed", [8, 3])
def test_records_of_a_recovery_are_none_of_cycles_that_hung(simulated: Make, seed: int) -> None:
    """Three hang in a row, each behind a recovery that put the DUT to sleep and woke it.

    The records of those sleeps stand before each next cycle by the same time, as if the clock had
    been set once: they were taken for those of the cycles, with high confidence.
    """
    bench = simulated(seed=seed, foreseen=True)
    sound = bench.identity.dut.behaviour
    hung = dataclasses.replace(sound, hang_share=1)

    def act(event: Any) -> None:
        if type(event).__name__ == "Recovery":
            bench.simulated.set_behaviour(hung if event.ok else sound)
        elif getattr(event, "done", 0) == 2:
            bench.simulated.set_behaviour(hung)

    bench.events = type("Actor", (list,), {"append": lambda self, event: act(event)})()
    bench.begin(override(default_plan(), cycles=5, warm_up=0, wake_timeout_ns=8 * S))

    stored = load_campaign(bench.path)
    answer = assess(stored)
    timed = timed_campaign(stored)
    # Without SLP_S5# wired, being off looks as S4 does.
    assert len(timed.extra_sleeps) == 4
    # A log that is read only afterwards tells the same.
    unread = [dataclasses.replace(cycle, records=()) for cycle in timed.cycles]
    later = assess(stored, timed=dataclasses.replace(timed, cycles=unread))
    for told in (answer, later):
        assert [c.record is not None for c in told.cycles] == [True, True, False, False, False]
        assert {c.outcome for c in told.cycles[2:]} <= {Outcome.HUNG_IN_RESUME, Outcome.DARK}
        reasons = {each.reason for each in told.unmatched_records}
        assert reasons == {RecordReason.BETWEEN_CYCLES}
        assert told.clock_steps == ()


@pytest.mark.parametrize("seed", [2, 11])
def test_at_an_even_pace_recoveries_move_no_record(simulated: Make, seed: int) -> None:
    """Their sleeps stand just before the next cycle: all others seemed to be one record off."""
    bench = simulated(seed=seed, foreseen=True)
    sound = bench.identity.dut.behaviour
    hung = dataclasses.replace(sound, hang_share=1)

    def act(event: Any) -> None:
        if type(event).__name__ == "Recovery":
            bench.simulated.set_behaviour(sound)
        elif getattr(event, "done", 0) in {2, 5}:
            bench.simulated.set_behaviour(hung)

    bench.events = type("Actor", (list,), {"append": lambda self, event: act(event)})()
    bench.begin(override(default_plan(), cycles=8, warm_up=0, wake_timeout_ns=8 * S))

    stored = load_campaign(bench.path)
    timed, live = timed_campaign(stored), assess(stored)
    unread = [dataclasses.replace(cycle, records=()) for cycle in timed.cycles]
    later = assess(stored, timed=dataclasses.replace(timed, cycles=unread))
    assert [c.outside.number for c in live.cycles if c.record is None] == [3, 6]
    assert [c.record for c in later.cycles] == [c.record for c in live.cycles]
    # What nobody knew of: without these sleeps the other answer explained more.
    blind = assess(stored, timed=dataclasses.replace(timed, cycles=unread, extra_sleeps=()))
    assert [c.record for c in blind.cycles] != [c.record for c in live.cycles]
