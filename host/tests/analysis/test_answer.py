"""The one answer: its headline, its counts, its causes, in worlds made for the test."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest
from correlated import AWAKE_NS, MS, TO_OS_NS, UTC_NS, Campaign
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.answer.campaign import AnsweredCampaign, answered_campaign
from resume_rig.analysis.answer.headline import WORDS_MOST, headline, limit_figures, reason_of
from resume_rig.analysis.answer.log import answered_log
from resume_rig.analysis.answer.overview import overview_of, standing_of
from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.measures import measure_names
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import Integrity, LogReading, LogSource, SleepKind
from resume_rig.model.result.answer import (
    CauseKind,
    DoubtKind,
    Reason,
    Standing,
    UnseenKind,
)
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.judgement import CampaignFacts, LimitJudgement
from resume_rig.model.result.verdict import Comparison, Limit, Requirement, Verdict
from resume_rig.model.units import NS_PER_MS

SYSFUND = load_requirement("sysfund-0004")
FACTS = CampaignFacts(
    store_path="bench.rrs",
    report_path=None,
    identity={"dut": "UNIT-7"},
    plan={},
    outcomes={},
    faults=(),
    requirement=SYSFUND,
)
COUNT = st.integers(0, 20_000)


@st.composite
def judged_limits(draw: st.DrawFn) -> LimitJudgement:
    """Return a limit as it may be judged; counts fit the verdict."""
    share = draw(st.none() | st.floats(0.5, 0.9999))
    n, undecided, broken = draw(COUNT), draw(COUNT), draw(COUNT)
    failed = draw(st.integers(0, n))
    marginal = draw(st.integers(0, n - failed))
    hidden = draw(st.integers(0, marginal))
    verdict = draw(st.sampled_from(Verdict))
    limit = Limit(
        draw(st.sampled_from(measure_names())),
        draw(st.sampled_from(Comparison)),
        draw(st.integers(1, 10**12)),
        draw(st.sampled_from(("ns", "us", "ms", "s"))),
        share=share,
    )
    worst = draw(st.none() | st.floats(0, 1e9))
    evidence = draw(st.sampled_from(("", "too few")))
    return LimitJudgement(
        limit=limit,
        verdict=verdict,
        n=n,
        failed=failed,
        marginal=marginal,
        broken=broken,
        worst=worst,
        risk=None,
        shown=None,
        needed=None,
        why="why",
        hidden=hidden,
        undecided=undecided,
        evidence=evidence,
    )


@given(judged_limits(), st.sampled_from(["cycles", "sleeps", "boots", "transitions"]))
def test_a_headline_has_twelve_words_at_most(found: LimitJudgement, noun: str) -> None:
    figures = limit_figures(found, noun, "lid opening or key", 0.9)
    sentence = headline(reason_of(found), figures)
    assert len(sentence.split()) <= WORDS_MOST
    assert sentence.endswith(".")
    assert sentence[0].isupper() or sentence[0].isdigit()


@pytest.fixture
def played(waveform, record):
    """Return what answers a campaign of healthy cycles, some of which went otherwise."""

    def play(
        n: int,
        *,
        hung: Collection[int] = (),
        alone: Collection[int] = (),
        slow: Mapping[int, int] = MappingProxyType({}),
        drivers_ms: int = 700,
        log: bool = True,
        requirement: Requirement = SYSFUND,
    ) -> AnsweredCampaign:
        made = Campaign(waveform, record)
        for number in range(1, n + 1):
            made.outside()
            if number not in hung:
                took_ms = slow.get(number, drivers_ms)
                wake = {"bios_init_ms": 201, "driver_init_ms": took_ms, "wake_ms": took_ms + 150}
                to_os_ns = made.at_ns + AWAKE_NS + TO_OS_NS
                made.inside(**wake, wake_time_utc_ns=UTC_NS + to_os_ns + (took_ms + 150) * MS)
            timed = made.cycles[-1]
            outcome = timed.outside.outcome
            if number in hung:
                outcome = Outcome.HUNG_IN_RESUME
            elif number in alone:
                outcome = Outcome.WOKE_ALONE
            made.cycles[-1] = replace(timed, outside=replace(timed.outside, outcome=outcome))
        found = made.correlation(requirement, log=log)
        return answered_campaign(found, replace(FACTS, requirement=requirement))

    return play


def test_every_cycle_has_one_standing(played) -> None:
    campaign = played(30, hung={4, 9}, alone={6})
    counts = campaign.answer.counts
    named = sorted(number for standing in Standing for number in counts[standing])
    assert named == list(range(1, 31))
    assert counts.judged == counts.n(Standing.PASSED, Standing.FAILED, Standing.MARGINAL)
    assert counts.total == 30


def test_what_failed_comes_before_what_did_not_go_as_planned(played) -> None:
    counts = played(30, hung={14, 9}, alone={6}).answer.counts
    assert counts[Standing.FAILED] == (9, 14)
    assert counts.off_plan == (6,)
    assert counts.wrong == (9, 14, 6)
    assert counts.first_wrong == 9


def test_cycles_that_something_else_woke_are_no_failures_under_no_evidence(played) -> None:
    answer = played(12, alone=set(range(1, 13))).answer
    assert answer.verdict is Verdict.NO_EVIDENCE
    assert answer.reason is Reason.NOT_AS_PLANNED
    assert answer.headline == "12 of 12 cycles not as planned; none is judged."
    assert answer.failures is None
    assert answer.counts[Standing.FAILED] == ()
    assert answer.causes


def test_hung_cycles_lead_and_are_named(played) -> None:
    answer = played(20, hung={3, 11}).answer
    assert (answer.verdict, answer.reason) == (Verdict.FAIL, Reason.DID_NOT_RESUME)
    assert answer.headline == "2 of 20 cycles did not resume."
    assert answer.counts[Standing.FAILED] == (3, 11)


def test_a_resume_near_the_limit_has_something_to_do(played) -> None:
    guarded = replace(SYSFUND, guard_band=True)
    answer = played(10, drivers_ms=1_799, requirement=guarded).answer
    assert (answer.verdict, answer.reason) == (Verdict.MARGINAL, Reason.NEAR)
    assert answer.headline == "10 of 10 resumes too near 2000 ms to decide."
    near = [cause for cause in answer.causes if cause.kind is CauseKind.NEAR]
    assert [cause.numbers for cause in near] == [tuple(range(1, 11))]
    assert near[0].step


def test_the_worst_has_its_cycle_and_its_bound(played) -> None:
    campaign = played(10, slow={7: 2_400})
    judged = campaign.answer.limit
    assert judged is not None
    assert (judged.worst, judged.worst_at, judged.value) == (2_601.0, 7, 2_000.0)
    assert judged.bound == 2.0
    assert "The worst, 2601 ms (cycle 7), is 601 ±2 ms from the limit." in campaign.answer.why


def test_without_records_the_answer_says_what_could_not_be_seen(played) -> None:
    campaign = played(8, log=False)
    assert campaign.answer.reason is Reason.NO_RECORD
    assert campaign.answer.headline == "No OS record belongs to any of 8 cycles."
    unseen = {each.kind: each.text for each in campaign.answer.unseen}
    assert unseen[UnseenKind.RECORDS] == "8 of 8 cycles have no OS record to compare."
    assert UnseenKind.DEVICES in unseen
    assert not any("none found" in text for text in unseen.values())


def test_a_bound_on_failures_names_what_it_rests_on(played) -> None:
    bound = played(30).answer.failures
    assert bound is not None
    assert (bound.failed, bound.n, bound.confidence) == (0, 30, 0.95)
    assert bound.upper == pytest.approx(1 - 0.05 ** (1 / 30))
    assert "independently" in bound.assumption


def test_an_overview_goes_through_the_cycles_once(played) -> None:
    class Once:
        passes = 0

        def __init__(self, cycles: Sequence[Any]) -> None:
            self._cycles = cycles

        def __iter__(self):
            Once.passes += 1
            return iter(self._cycles)

    found = played(12, hung={5}).correlation
    overview = overview_of(Once(found.cycles))
    assert Once.passes == 1
    assert list(overview.standings) == [standing_of(cycle) for cycle in found.cycles]
    assert overview.outcome_counts[Outcome.HUNG_IN_RESUME] == 1


def test_a_log_without_a_verdict_always_has_a_step(record) -> None:
    source = LogSource("System.evtx", "evtx", 22000, 3, Integrity(True, ()))
    for kinds in ((), (SleepKind.S4,), (SleepKind.DIED,), (SleepKind.MODERN_STANDBY,)):
        records = tuple(replace(record(), kind=kind) for kind in kinds)
        answer = answered_log(judge_log(LogReading((source,), records), SYSFUND)).answer
        assert answer.verdict is Verdict.NO_EVIDENCE
        assert answer.causes, kinds
        assert len(answer.headline.split()) <= WORDS_MOST


def test_an_incomplete_log_is_a_doubt(record) -> None:
    source = LogSource("a.evtx", "evtx", 22000, 1, Integrity(False, ("1 chunk is missing.",)))
    answer = answered_log(judge_log(LogReading((source,), (record(),)), SYSFUND)).answer
    assert [doubt.kind for doubt in answer.doubts] == [DoubtKind.INCOMPLETE]


def test_a_limit_in_nanoseconds_is_read_in_milliseconds(record) -> None:
    limit = Limit("sleep_ms", Comparison.AT_LEAST, 2_000 * NS_PER_MS, "ms")
    requirement = replace(SYSFUND, resume_limit_ms=None, bios_advised_ms=None, further=(limit,))
    records = (replace(record(), sleep_ms=2_500),)
    source = LogSource("System.evtx", "evtx", 22000, 1, Integrity(True, ()))
    answer = answered_log(judge_log(LogReading((source,), records), requirement)).answer
    assert answer.headline == "1 of 1 sleeps: sleep at least 2000 ms."
    assert answer.limit is not None
    assert (answer.limit.unit, answer.limit.worst, answer.limit.bound) == ("ms", 2_500.0, 1.0)
