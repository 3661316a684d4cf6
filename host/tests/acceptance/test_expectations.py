"""What is expected of a campaign: met or not, and the figures in the sentence."""

from dataclasses import replace
from pathlib import Path

import pytest

from resume_rig.acceptance.assessment import Assessed
from resume_rig.acceptance.bench import open_bench
from resume_rig.acceptance.campaign import load_campaign, run_campaign, write_report
from resume_rig.acceptance.expectations import (
    came_to,
    explained_cycle,
    failure_rate_shown,
    has_finding,
    has_no_finding,
    has_records,
    light_timed_to,
    limit_on,
    phases_text,
    records_show,
    slept_and_woke,
    time_conforms,
    verdict_is,
    wires_show,
)
from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.model.channel import Actuator
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.cycle import Outcome, OutsideState
from resume_rig.model.result.verdict import Comparison, FindingKind, Verdict

S3 = (SleepKind.S3,)
MS = 1_000_000


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Assessed:
    bench = open_bench("sim:clock=virtual,seed=7", "healthy-laptop")
    try:
        return run_campaign(
            bench,
            override(default_plan(), cycles=4),
            tmp_path_factory.mktemp("healthy") / "four.rrs",
            load_requirement("sysfund-0004"),
        )
    finally:
        bench.close()


@pytest.mark.parametrize(
    ("measure", "demand", "ok", "words"),
    [
        ("resume_ms", (Comparison.AT_MOST, 2000), True, "3 of 3 cycles within it"),
        ("resume_ms", (Comparison.AT_MOST, 900), False, "FAIL: total resume time at most 900 ms: "),
        (
            "resume_ms",
            (Comparison.AT_MOST, 961),
            False,
            "MARGINAL: total resume time at most 961 ms",
        ),
        ("press_to_light_ns", (Comparison.AT_LEAST, 700), True, "within it"),
        ("press_to_light_ns", (Comparison.AT_LEAST, 790), False, "2 of 3 cycles do not conform"),
        ("hiber_read_ms", (Comparison.AT_MOST, 1), False, "NO-EVIDENCE: hibernation file read"),
    ],
)
def test_a_time_is_judged_as_a_requirement_is(
    healthy: Assessed, measure: str, demand: tuple[Comparison, int], ok: bool, words: str
) -> None:
    comparison, limit_ms = demand
    limit = limit_on(measure, limit_ms * MS, S3, comparison=comparison)

    found = time_conforms(healthy.correlation, limit)

    assert found.ok is ok
    assert words in found.text


def test_the_cycle_that_decides_is_the_worst_on_the_side_of_the_limit(healthy: Assessed) -> None:
    slow = time_conforms(healthy.correlation, limit_on("resume_ms", 900 * MS, S3))
    quick = time_conforms(
        healthy.correlation, limit_on("resume_ms", 5000 * MS, S3, comparison=Comparison.AT_LEAST)
    )
    times = {
        c.outside.number: c.record.resume_ms or 0
        for c in healthy.correlation.cycles
        if c.record is not None and c.judged
    }

    assert slow.decisive is not None
    assert quick.decisive is not None
    assert slow.decisive.outside.number == max(times, key=lambda number: times[number])
    assert quick.decisive.outside.number == min(times, key=lambda number: times[number])


def test_only_cycles_woken_by_the_one_that_is_asked_for_count(healthy: Assessed) -> None:
    limit = limit_on("press_to_light_ns", 2000 * MS, S3)

    assert time_conforms(healthy.correlation, limit, Actuator.BUTTON).ok
    none = time_conforms(healthy.correlation, limit, Actuator.LID)
    assert none.text.startswith("NO-EVIDENCE")


def test_another_kind_of_sleep_is_no_evidence(healthy: Assessed) -> None:
    found = time_conforms(healthy.correlation, limit_on("resume_ms", 2000 * MS, (SleepKind.S4,)))

    assert not found.ok
    assert "NO-EVIDENCE" in found.text
    assert "3 of another kind of sleep" in found.text


def test_a_share_needs_enough_cycles(healthy: Assessed) -> None:
    found = time_conforms(healthy.correlation, limit_on("resume_ms", 2000 * MS, S3, share=0.95))

    assert not found.ok
    assert "59 cycles without a further one would demonstrate it" in found.text


@pytest.mark.parametrize(
    ("measure", "share", "words"),
    [
        ("boredom_ms", None, "'boredom_ms' is not a measure of time; allowed are resume_ms"),
        ("hiber_read_rate", None, "is not a measure of time"),
        ("resume_ms", 1.5, "a share of 1.5 of the cycles; allowed are 0.5 to 0.9999"),
    ],
)
def test_a_limit_that_is_none_is_told(measure: str, share: float | None, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        limit_on(measure, MS, S3, share=share)

    assert words in str(caught.value)


def test_what_a_healthy_dut_does_is_as_expected_and_the_contrary_is_not(healthy: Assessed) -> None:
    answer = healthy.correlation

    assert verdict_is(healthy.campaign).ok
    assert not verdict_is(healthy.campaign, Verdict.FAIL).ok
    assert slept_and_woke(answer).ok
    assert came_to(answer, Outcome.SLEPT_AND_WOKE, 4, 4).ok
    assert not came_to(answer, Outcome.DARK, 1, 9).ok
    assert wires_show(answer, OutsideState.S3).ok
    assert "cycle 1 was in S3" in wires_show(answer, OutsideState.S4).text
    assert records_show(answer, SleepKind.S3).ok
    assert not records_show(answer, SleepKind.HYBRID).ok
    assert has_records(answer).ok
    assert has_no_finding(answer, ()).ok
    assert not has_finding(answer, FindingKind.DARK).ok
    assert light_timed_to(answer, MS).ok
    assert not light_timed_to(answer, 1000).ok
    assert not failure_rate_shown(answer, 0.5).ok
    assert failure_rate_shown(answer, 0.7).ok


def test_phases_tell_where_the_time_went(healthy: Assessed) -> None:
    cycle = healthy.correlation.cycles[1]

    assert phases_text(cycle).startswith("press → SLP_S3# ")
    assert " = total " in phases_text(cycle)
    assert [line.split()[0] for line in explained_cycle(cycle)][:4] == [
        "cycle",
        "measured",
        "OS-reported",
        "both",
    ]


def test_a_store_is_judged_again_and_its_report_is_the_same(
    healthy: Assessed, tmp_path: Path
) -> None:
    store = Path(healthy.facts.store_path)
    again = load_campaign(store, load_requirement("press-to-light-2s"))
    same = load_campaign(store)

    assert again.facts.requirement.id == "press-to-light-2s"
    assert same.correlation.verdict is healthy.correlation.verdict
    first = write_report(same, tmp_path / "first.html").read_bytes()
    assert first == write_report(load_campaign(store), tmp_path / "second.html").read_bytes()


def test_a_verdict_and_its_slowest_phases_are_one_sentence(healthy: Assessed) -> None:
    found = verdict_is(healthy.campaign, Verdict.FAIL)
    slow = replace(healthy.correlation.cycles[1], verdict=Verdict.FAIL)
    failed = replace(healthy.correlation, verdict=Verdict.FAIL, cycles=(slow,))
    failing = verdict_is(answered_campaign(failed, healthy.facts))

    assert ".;" not in failing.text
    assert "; cycle 2: " in failing.text
    assert not found.ok
