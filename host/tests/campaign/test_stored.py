"""A store read back: the same answer for run, correlate and report, from raw facts alone."""

import dataclasses
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from resume_rig.campaign.answer.assessment import assess, facts_of
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.store.read_back import load_campaign, timed_campaign
from resume_rig.model.channel import Channel
from resume_rig.model.result.cycle import IntervalName, Outcome
from resume_rig.model.result.verdict import Verdict
from resume_rig.rig.sim.dut.event import SimFault

Make = Callable[..., Any]


def test_a_healthy_campaign_passes_with_a_record_for_each_cycle(simulated: Make) -> None:
    bench = simulated()
    bench.begin(default_plan())

    answer = assess(load_campaign(bench.path))

    assert answer.verdict is Verdict.PASS
    assert [cycle.judged for cycle in answer.cycles] == [False, True, True, True]
    assert all(cycle.record is not None for cycle in answer.cycles)
    assert answer.unmatched_records == ()
    assert answer.clock is not None
    assert abs(answer.clock.os_minus_host_s) < 5


def test_a_limit_that_is_changed_changes_the_verdict(simulated: Make) -> None:
    bench = simulated()
    bench.begin(default_plan())
    stored = load_campaign(bench.path)
    strict = dataclasses.replace(stored.identity.requirement, resume_limit_ms=100)

    assert assess(stored, strict).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("fault", "verdict"),
    [
        (SimFault.DARK, Verdict.FAIL),
        (SimFault.WAKES_ALONE, Verdict.NO_EVIDENCE),
        (SimFault.NO_RECORD, Verdict.NO_EVIDENCE),
        (SimFault.ZERO_RECORD, Verdict.NO_EVIDENCE),
    ],
)
def test_a_fault_reaches_the_verdict(simulated: Make, fault: SimFault, verdict: Verdict) -> None:
    bench = simulated(faults=frozenset({fault}))
    bench.begin(override(default_plan(), wake_timeout_ns=10_000_000_000))

    assert assess(load_campaign(bench.path)).verdict is verdict


def test_nothing_derived_is_taken_from_the_store(simulated: Make) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=2))
    expected = timed_campaign(load_campaign(bench.path)).cycles

    connection = sqlite3.connect(bench.path)
    connection.execute("DELETE FROM seal")
    connection.execute("UPDATE cycle SET sleep_timeout_ns = NULL, wake_timeout_ns = NULL")
    connection.execute("UPDATE cycle SET outcome = 'dark'")
    connection.commit()
    connection.close()

    assert timed_campaign(load_campaign(bench.path)).cycles == expected
    assert expected[0].outside.outcome is Outcome.SLEPT_AND_WOKE


def test_cycles_stand_on_the_hosts_utc_with_a_bound(simulated: Make) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=3))
    stored = load_campaign(bench.path)

    timed = timed_campaign(stored).cycles

    wakes = [cycle.wake_utc for cycle in timed]
    for raw, wake in zip(stored.cycles, wakes, strict=True):
        assert wake is not None
        assert wake.bound_ns < 1_000_000
        start, end = raw.started_host_ns, raw.ended_host_ns
        assert start < wake.value_ns - raw.utc_minus_host_ns < end


def test_a_host_clock_that_steps_within_a_cycle_costs_its_utc_only(simulated: Make) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=2))
    stored = load_campaign(bench.path)
    first = stored.cycles[0]
    woke_ns = next(e.t_ns for e in first.edges if e.channel is Channel.SLP_S3 and e.level)
    before = tuple(e for e in first.exchanges if e.board_rx_ns < woke_ns)
    stepped = tuple(
        e._replace(host_tx_ns=e.host_tx_ns + 10**9, host_rx_ns=e.host_rx_ns + 10**9)
        for e in first.exchanges[len(before) :]
    )
    broken = dataclasses.replace(first, exchanges=(*before, *stepped))
    stored = dataclasses.replace(stored, cycles=(broken, *stored.cycles[1:]))

    timed = timed_campaign(stored).cycles

    assert timed[0].wake_utc is None
    assert IntervalName.PRESS_TO_LIGHT in timed[0].outside.intervals
    assert timed[1].wake_utc is not None


def test_the_first_whole_cycle_is_the_ignored_one(fake: Any) -> None:
    def strike_once(when: str, name: str) -> None:
        if fake.clock.now_ns() > 3_000_000_000:
            fake.clock.hook = lambda when, name: None
            raise KeyboardInterrupt

    fake.clock.hook = strike_once
    fake.begin(override(default_plan(), cycles=2))
    fake.clock.sleep_ns(60_000_000_000)
    fake.go_on()

    timed = timed_campaign(load_campaign(fake.path)).cycles

    assert [cycle.outside.ignored for cycle in timed] == [False, True, False]


def test_the_facts_name_everybody_and_every_fault(simulated: Make) -> None:
    bench = simulated(faults=frozenset({SimFault.DARK}))
    bench.begin(override(default_plan(), cycles=2, wake_timeout_ns=8_000_000_000))

    facts = facts_of(load_campaign(bench.path))

    assert facts.identity["dut"] == "healthy-laptop"
    assert facts.identity["clock"] == "sim-xtal, ±30 ppm"
    assert facts.identity["firmware"].startswith("sim-")
    assert facts.plan["press_ns"] == 150_000_000
    assert facts.outcomes == {"dark": 2}
    assert facts.store_path == str(bench.path)
