"""Verdicts and what they rest on, word by word and figure by figure.

Bounds of failure rates are held against the binomial distribution itself.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from resume_rig.analysis.verdict.judge import (
    hybrid_lead,
    judge_log,
    limit_clauses,
    resume_sentence,
    training_sentence,
    worst_of,
)
from resume_rig.analysis.verdict.limits import (
    Conformity,
    conformity,
    judge_limits,
    risk_of_all,
    verdict_of_limits,
)
from resume_rig.analysis.verdict.measures import Sighting
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.analysis.verdict.series import (
    all_cycles,
    measured_times,
    series_statistics,
    warm_up_length,
    wires_count,
)
from resume_rig.model.channel import Actuator
from resume_rig.model.os_record import Integrity, LogReading, LogSource, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    IntervalName,
    Outcome,
    OutsideCycle,
    OutsideState,
    ReconciledCycle,
)
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.series import CycleMark as Mark
from resume_rig.model.result.series import Training
from resume_rig.model.result.verdict import (
    Comparison,
    Finding,
    FindingKind,
    Limit,
    Requirement,
    Verdict,
)

MS = 1_000_000
LIMIT = load_requirement("sysfund-0004")
S3RESUME = load_requirement("s3resume")
LIGHT = IntervalName.PRESS_TO_LIGHT
P, M, F, N = Verdict.PASS, Verdict.MARGINAL, Verdict.FAIL, Verdict.NO_EVIDENCE


@pytest.mark.parametrize(
    ("verdicts", "worst"),
    [
        ([], N),
        ([N, N], N),
        ([N, P], P),
        ([P, M], M),
        ([M, N], M),
        ([P, M, F, N], F),
        ([N, F], F),
    ],
)
def test_a_group_is_as_bad_as_its_worst_that_there_is_evidence_for(verdicts, worst) -> None:
    assert worst_of(verdicts) is worst


@pytest.mark.parametrize(
    ("runs", "begins"),
    [
        (1, "the first boot was slower (40000 ms, then 20000 ms): the boot prefetcher"),
        (2, "the first 2 boots were slower (40000 to 30000 ms, then 20000 ms): the boot"),
    ],
)
def test_boots_in_which_the_prefetcher_learnt_are_told(runs: int, begins: str) -> None:
    assert training_sentence(Training(runs, 9, 40_000.0, 30_000.0, 20_000.0)).startswith(begins)


def test_hybrid_sleeps_lead_only_where_s3_is_asked_for() -> None:
    s3_alone = replace(LIMIT, kinds=(SleepKind.HYBRID,))

    assert hybrid_lead([SleepKind.HYBRID], s3_alone) == ""
    assert hybrid_lead([SleepKind.S3], LIMIT) == hybrid_lead([], LIMIT) == ""


def percent(failed: int, n: int) -> float:
    """Return the rate at which so few failures or fewer have a chance of 5 %, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        p = (low + high) / 2
        chance = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(failed + 1))
        low, high = (p, high) if chance > 0.05 else (low, p)
    return 100 * high


def judgement(limit: Limit, verdict: Verdict = P, n: int = 9) -> LimitJudgement:
    return LimitJudgement(limit, verdict, n, 0, 0, 0, 1.0, None, None, None, f"why {limit.measure}")


def sentence(verdicts: list[Verdict], worst_ms: int, requirement: Requirement, **more: int) -> str:
    """Return what is said of resumes with these verdicts."""
    judged = replace(
        judgement(requirement.limits()[0], n=len(verdicts)),
        failed=verdicts.count(F),
        marginal=verdicts.count(M),
        worst=worst_ms,
        **more,
    )
    (text,) = resume_sentence([judged], requirement)
    return text


@pytest.mark.parametrize(
    ("verdicts", "more", "requirement", "counts", "of"),
    [
        ([P] * 9, {}, LIMIT, "9 of 9 judged resumes are within 2000 ms", (0, 9)),
        ([P], {}, LIMIT, "1 of 1 judged resume is within 2000 ms", (0, 1)),
        ([P] * 9, {}, S3RESUME, "9 of 9 judged resumes are below 2000 ms", (0, 9)),
        ([P] * 8 + [F], {}, LIMIT, "1 of 9 judged resumes is over 2000 ms", (1, 9)),
        ([P] * 7 + [F] * 2, {}, S3RESUME, "2 of 9 judged resumes are 2000 ms or more", (2, 9)),
        (
            [P] * 8 + [M],
            {},
            LIMIT,
            "8 of 9 judged resumes are within 2000 ms, 1 within 2 ms of it and so undecided",
            (1, 9),
        ),
        (
            [P] * 6 + [M] * 3,
            {"hidden": 1},
            LIMIT,
            "6 of 9 judged resumes are within 2000 ms, 2 within 2 ms of it and so undecided, "
            "1 undecided because BIOS time that was not reported takes it across",
            (3, 9),
        ),
        (
            [P] * 7 + [M] * 2,
            {"hidden": 2},
            LIMIT,
            "7 of 9 judged resumes are within 2000 ms, "
            "2 undecided because BIOS time that was not reported takes them across",
            (2, 9),
        ),
        ([P] * 9, {"broken": 1}, LIMIT, "9 of 9 measured resumes are within 2000 ms", (1, 10)),
        ([P] * 9, {"undecided": 2}, LIMIT, "9 of 9 judged resumes are within 2000 ms", (2, 11)),
    ],
)
def test_a_verdict_says_counts_the_worst_and_what_they_prove(
    verdicts, more, requirement, counts: str, of
) -> None:
    text = sentence(verdicts, 1500, requirement, **more)

    bound = math.ceil(percent(*of))
    assert text.startswith(
        f"{counts}; the worst took 1500 ms; upper 95 % confidence limit of the failure rate "
        f"{bound if bound < 100 else '100'} %"
    )
    marginal, undecided = M in verdicts, more.get("undecided", 0)
    assert text.endswith(
        "(undecided ones counted as failed)"
        if marginal
        else f"({undecided} without evidence counted as failed)"
        if undecided
        else " %"
    )


def test_undecided_and_without_evidence_are_both_said_to_count() -> None:
    text = sentence([P] * 9 + [M], 1500, LIMIT, undecided=3)

    assert text.endswith("(undecided ones and 3 without evidence counted as failed)")


def test_where_all_failed_no_bound_is_said() -> None:
    assert sentence([F, F], 2500, LIMIT).endswith("the worst took 2500 ms")


RESUME = Limit("resume_ms", Comparison.AT_MOST, 2000 * MS, "ms")
WAKE = Limit("wake_ms", Comparison.AT_MOST, 5000 * MS, "ms")


@pytest.mark.parametrize(
    ("limits", "clauses"),
    [
        ([judgement(RESUME)], []),
        ([judgement(RESUME, n=0)], []),
        ([judgement(RESUME), judgement(WAKE)], ["why wake_ms"]),
        ([judgement(WAKE), judgement(RESUME, n=0)], ["why resume_ms", "why wake_ms"]),
        ([judgement(replace(WAKE, required=False))], []),
        ([judgement(replace(RESUME, share=0.95))], ["why resume_ms"]),
    ],
)
def test_each_required_limit_but_that_of_the_sentence_has_a_clause(limits, clauses) -> None:
    assert limit_clauses(limits) == clauses


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        ([], N),
        ([P, P], P),
        ([P, M], M),
        ([M, N], N),
        ([P, N, F], F),
    ],
)
def test_a_required_limit_without_evidence_leaves_no_pass(verdicts, verdict: Verdict) -> None:
    advised = judgement(replace(WAKE, required=False), F)

    assert verdict_of_limits([advised, *(judgement(WAKE, v) for v in verdicts)]) is verdict


@pytest.mark.parametrize(
    ("comparison", "value_ms", "bound_ms", "guarded", "verdict"),
    [
        (Comparison.AT_MOST, 98.0, 2.0, True, P),
        (Comparison.AT_MOST, 99.0, 2.0, True, M),
        (Comparison.AT_MOST, 101.0, 2.0, True, M),
        (Comparison.AT_MOST, 102.0, 2.0, True, F),
        (Comparison.AT_MOST, 100.0, 2.0, False, P),
        (Comparison.BELOW, 100.0, 2.0, False, F),
        (Comparison.BELOW, 98.0, 2.0, True, P),
        (Comparison.BELOW, 102.0, 2.0, True, F),
        (Comparison.AT_LEAST, 102.0, 2.0, True, P),
        (Comparison.AT_LEAST, 101.0, 2.0, True, M),
        (Comparison.AT_LEAST, 98.0, 2.0, True, F),
        (Comparison.AT_LEAST, 100.0, 2.0, False, P),
        (Comparison.ABOVE, 100.0, 2.0, False, F),
        (Comparison.ABOVE, 100.0, 0.0, True, F),
        (Comparison.AT_LEAST, 100.0, 0.0, True, P),
    ],
)
def test_a_value_conforms_beyond_its_guard_band(
    comparison, value_ms, bound_ms, guarded, verdict
) -> None:  # fmt: skip
    # What all cycles share is guarded whole.
    value = BoundedNs(round(value_ms * MS), round(bound_ms * MS), campaign_ns=round(bound_ms * MS))

    assert conformity(value, 100 * MS, comparison, guard_band=guarded).verdict is verdict


def test_risks_of_many_add_up_in_a_pass_and_the_surest_counts_in_a_fail() -> None:
    parts = [Conformity(P, 0.9), Conformity(P, 0.8), Conformity(F, 0.3), Conformity(F, 0.1)]

    assert risk_of_all(parts[:2], P) == pytest.approx(0.3)
    assert risk_of_all(parts[:2] * 9, P) == 1.0
    assert risk_of_all(parts, F) == pytest.approx(0.1)
    assert risk_of_all(parts[:2], F) == risk_of_all(parts, M) == 0.0
    assert [Conformity(M, c).risk for c in (0.3, 0.8)] == pytest.approx([0.3, 0.2])


def cycle(number: int = 1, outcome=Outcome.SLEPT_AND_WOKE, light_ms=900.0, **more):
    intervals = {} if light_ms is None else {LIGHT: BoundedNs(round(light_ms * MS), MS)}
    outside = OutsideCycle(
        number,
        outcome,
        more.pop("state", OutsideState.S3),
        more.pop("wake_by", Actuator.BUTTON),
        more.pop("trigger_ns", 5),
        None,
        None,
        intervals,
        ignored=more.pop("ignored", False),
    )
    whole = ReconciledCycle(outside, None, None, None, None, Verdict.NO_EVIDENCE, False, None)
    return replace(whole, **more)


def lights(*values_ms: float | None, record=None) -> list[Sighting]:
    return [Sighting(record, cycle(light_ms=ms, record=record)) for ms in values_ms]


def light_limit(**more) -> Limit:
    return Limit(LIGHT.value, Comparison.AT_MOST, 1000 * MS, "ms", kinds=(SleepKind.S3,), **more)


def of(limit: Limit, sightings, evidence_min: float = 0.9, **more) -> LimitJudgement:
    requirement = replace(
        LIMIT,
        resume_limit_ms=None,
        bios_advised_ms=None,
        further=(limit,),
        evidence_min=evidence_min,
        guard_band=True,
        back_whole=False,
    )
    (found,) = judge_limits(requirement, sightings, **more)
    return found


TEXT = "power button to display on at most 1000 ms"


@pytest.mark.parametrize(
    ("values", "broken", "verdict", "why"),
    [
        (
            [900] * 9,
            0,
            P,
            f"{TEXT}: 9 of 9 cycles within it; at most 29 % of cycles are beyond it "
            "(95 % confidence)",
        ),
        ([], 0, N, f"{TEXT}: not measured in any judged cycle"),
        ([], 1, F, f"{TEXT}: not measured in any judged cycle; 1 cycle failed without a value"),
        ([900] * 9, 2, F, f"{TEXT}: 9 of 9 cycles within it; 2 cycles failed without a value"),
        ([900, 1100], 0, F, f"{TEXT}: 1 of 2 cycles does not conform"),
        ([1100] * 2, 1, F, f"{TEXT}: 2 of 2 cycles do not conform; 1 cycle failed without a value"),
        ([900, 1000], 0, M, f"{TEXT}: 0 of 2 cycles do not conform, 1 undecided"),
        ([1000, 1100], 0, F, f"{TEXT}: 1 of 2 cycles does not conform, 1 undecided"),
    ],
)
def test_a_limit_on_every_cycle_says_what_it_rests_on(values, broken, verdict, why) -> None:
    found = of(light_limit(), lights(*values), broken=broken)

    assert (found.verdict, found.why) == (verdict, why)
    assert (found.n, found.broken) == (len(values), broken)
    assert found.worst == (max(values) if values else None)
    assert (found.needed, found.shown) == (None, None)


@pytest.mark.parametrize(
    ("n", "failed", "broken", "verdict", "ends"),
    [
        (59, 0, 0, P, "0 of 59 cycles beyond it, so it is shown"),
        (
            58,
            0,
            0,
            N,
            "0 of 58 cycles beyond it, which leaves up to 5.1 % of cycles beyond "
            "it; 59 cycles without a further one would demonstrate it",
        ),
        (
            57,
            0,
            1,
            N,
            "1 of 58 cycles beyond it, which leaves up to 8.0 % of cycles beyond "
            "it; 93 cycles without a further one would demonstrate it",
        ),
        (
            58,
            0,
            1,
            M,
            "1 of 59 cycles beyond it, which leaves up to 7.8 % of cycles beyond "
            "it; 93 cycles without a further one would demonstrate it",
        ),
        (92, 0, 1, P, "1 of 93 cycles beyond it, so it is shown"),
        (9, 3, 2, F, "5 of 14 cycles beyond it, so the contrary is shown"),
    ],
)
def test_a_limit_on_a_share_says_what_is_shown(n, failed, broken, verdict, ends) -> None:
    limit = light_limit(share=0.95)

    found = of(limit, lights(*[900] * n, *[1100] * failed), broken=broken)

    assert found.verdict is verdict
    assert found.why == f"{TEXT} in 95 % of cycles, shown at 95 %: {ends}"
    assert found.needed == 59
    assert found.shown == pytest.approx(1 - percent(failed + broken, n + failed + broken) / 100)


@pytest.mark.parametrize(
    ("n", "without", "least", "verdict"),
    [
        (9, 1, 0.9, P),  # nine of ten are 90 %
        (8, 1, 0.9, N),
        (9, 2, 0.9, N),
        (9, 2, 0.8, P),
        (9, 0, 1.0, P),
        (9, 1, 1.0, N),
    ],
)
def test_too_few_cycles_with_a_value_are_no_evidence(n, without, least, verdict) -> None:
    found = of(light_limit(), lights(*[900] * n, *[None] * without), least)

    assert (found.verdict, found.n, found.undecided) == (verdict, n, without)
    begins = f"{n} of {n + without} cycles that woke can be judged; sysfund-0004 needs {least:.0%}"
    expected = "" if verdict is P else begins.replace("%", " %")
    assert found.evidence == expected
    assert found.why.startswith(expected)


def test_too_few_do_not_take_a_failure_back() -> None:
    found = of(light_limit(), lights(900, 1100, None, None))

    assert (found.verdict, found.evidence) == (F, "")


def test_what_is_lacking_is_named_a_record_where_only_records_lack(record) -> None:
    limit = Limit("wake_ms", Comparison.AT_MOST, 5000 * MS, "ms", kinds=(SleepKind.S3,))
    read = Sighting(record(), cycle(record=record()))
    unread, untimed = Sighting(None, cycle()), Sighting(record(wake_ms=None), cycle())
    void = Sighting(None, cycle(outcome=Outcome.INVALID))

    def evidence(*sightings: Sighting) -> str:
        return of(limit, sightings).evidence.partition(";")[0]

    assert evidence(read, unread) == "1 of 2 cycles that woke has a record"
    assert evidence(read, read, unread) == "2 of 3 cycles that woke have a record"
    assert evidence(read, unread, untimed) == "1 of 3 cycles that woke can be judged"
    assert evidence(read, void) == "1 of 2 cycles that woke can be judged"
    in_a_log = [Sighting(record()), Sighting(record(wake_ms=None))]
    assert evidence(*in_a_log) == "1 of 2 records reports the time"
    assert evidence(*in_a_log, *in_a_log) == "2 of 4 records report the time"


def test_nothing_counts_from_a_press_where_none_was() -> None:
    woken_otherwise = Sighting(None, cycle(light_ms=None, wake_by=None, trigger_ns=None))
    pressed = Sighting(None, cycle(light_ms=None))
    triggered = Sighting(None, cycle(light_ms=None, wake_by=None))

    found = of(light_limit(), [*lights(*[900] * 9), woken_otherwise, pressed, triggered])

    assert found.undecided == 2


@pytest.mark.parametrize(
    ("records", "clause"),
    [
        (
            [{"bios_init_ms": 251}, {"bios_init_ms": 250}],
            "the BIOS took more than the advised 250 ms in 1 resume",
        ),
        (
            [{"driver_init_ms": 1_799}, {"driver_init_ms": 1_797}],
            "1 resume is within 2 ms of the limit, where rounding decides (--guard-band: MARGINAL)",
        ),
        (
            [{"driver_init_ms": 1_799}] * 2,
            "2 resumes are within 2 ms of the limit, where rounding decides",
        ),
        ([{"ignored": True}, {}], "1 transition ignored as the listing says"),
        ([{"kind": SleepKind.S4}] * 2 + [{}], "not covered by this requirement: 2 S4 (--kind S4)"),
        (
            [{"bios_init_ms": None}] * 2 + [{}],
            "2 records of S3 or hybrid sleep without a measurement",
        ),
    ],
)
def test_a_log_says_what_its_verdict_rests_on(record, records, clause: str) -> None:
    found = judge_log(LogReading((), tuple(record(**fields) for fields in records)), LIMIT)

    assert clause in found.why


def test_problems_of_all_sources_are_counted(record) -> None:
    def source(*problems: str, ok=False) -> LogSource:
        return LogSource("x", "evtx", None, 1, Integrity(ok, problems), ())

    reading = LogReading((source("a", "b"), source(), source(ok=True)), (record(),))

    assert "incomplete (3 problems), so" in judge_log(reading, LIMIT).why
    single = LogReading((source(),), (record(),))
    assert "incomplete (1 problem), so" in judge_log(single, LIMIT).why


def test_of_one_record_or_of_many_none_is_measured(record) -> None:
    def why(n: int, **more) -> str:
        requirement = replace(LIMIT, **more)
        return judge_log(LogReading((), (record(bios_init_ms=None),) * n), requirement).why

    assert why(1).startswith("The only record is no measured resume from S3 or hybrid sleep; ")
    assert why(2).startswith("None of the 2 records is a measured resume from S3 or hybrid sleep; ")
    assert why(2, kinds=(SleepKind.BOOT,)).startswith("None of the 2 records is a measured boot; ")


def series(*values_ms: float, resolution_ms: float = 1.0) -> tuple[list[int], list[int]]:
    found = series_statistics("x", values_ms, range(1, len(values_ms) + 1), resolution_ms)
    return list(found.warm_up), list(found.outliers)


@pytest.mark.parametrize(
    ("n", "slow", "warm"),
    [(11, 2, 0), (12, 2, 2), (12, 3, 3), (12, 4, 0), (40, 10, 10), (40, 11, 0), (12, 0, 0)],
)
def test_a_warm_up_is_a_quarter_of_twelve_values_at_most(n: int, slow: int, warm: int) -> None:
    values = np.array([950.0] * slow + [900.0, 901.0] * n)[:n]

    assert warm_up_length(values, 1.0) == warm
    assert warm_up_length(1800.0 - values, 1.0) == warm
    if warm:
        assert series(*values)[0] == list(range(1, warm + 1))


def test_a_warm_up_is_far_on_one_side() -> None:
    steady = [900.0] * 20

    # 3.5 deviations, of which a step of the values is the least.
    assert warm_up_length(np.array([903.5, *steady]), 1.0) == 0
    assert warm_up_length(np.array([903.6, *steady]), 1.0) == 1
    assert warm_up_length(np.array([905.0, 895.0, *steady]), 1.0) == 1
    assert warm_up_length(np.array([905.0, 900.0, 905.0, *steady]), 1.0) == 1


def test_outliers_are_told_of_five_values_or_more_behind_the_warm_up() -> None:
    assert series(900, 900, 900, 999) == ([], [])
    assert series(900, 900, 900, 900, 999) == ([], [5])
    assert series(900, 900, 900, 900, 903.5) == ([], [])
    assert series(900, 900, 900, 900, 903.6) == ([], [5])
    assert series(900, 900, 900, 900, 896.4) == ([], [5])
    warm = series(950, 950, *[900] * 12, 990)
    assert warm == ([1, 2], [15])
    assert series(900, 900, 900, 900, 999, resolution_ms=100.0) == ([], [])


def test_times_between_wires_are_of_undecided_cycles_that_came_back_too() -> None:
    judged = cycle(1, judged=True)
    undecided = cycle(2, undecided=True)
    lost = cycle(3, Outcome.NEVER_WOKE, undecided=True)
    neither = cycle(4)

    assert [wires_count(c, judged=True) for c in (judged, undecided, lost, neither)] == [
        True,
        True,
        False,
        False,
    ]
    assert wires_count(neither, judged=False) is neither.timed_outside is True
    any_judged, found = measured_times([judged, undecided, neither], [LIGHT.value, "resume_ms"])
    assert (any_judged, found[LIGHT.value].numbers) == (True, [1, 2])
    assert measured_times([neither], [LIGHT.value])[1][LIGHT.value].numbers == [4]


def test_what_times_share_is_the_most_that_any_of_them_has() -> None:
    one, two = cycle(1, judged=True), cycle(2, judged=True)
    values = (BoundedNs(900 * MS, 9 * MS, rig_ns=2 * MS, campaign_ns=MS),
              BoundedNs(910 * MS, 8 * MS, rig_ns=MS, campaign_ns=4 * MS))  # fmt: skip
    cycles = [
        replace(each, outside=replace(each.outside, intervals={LIGHT: value}))
        for each, value in zip((one, two), values, strict=True)
    ]

    times = measured_times(cycles, [LIGHT.value])[1][LIGHT.value]

    assert (times.common.rig_ms, times.common.campaign_ms) == (2.0, 4.0)
    assert (list(times.values_ms), list(times.bounds_ms)) == ([900.0, 910.0], [9.0, 8.0])


def test_every_cycle_is_shown_as_what_became_of_it() -> None:
    cycles = [
        cycle(1, judged=True),
        cycle(2, judged=True, verdict=F),
        cycle(3, Outcome.NEVER_WOKE, light_ms=None),
        cycle(4, Outcome.WOKE_LATE),
        cycle(5, light_ms=None, judged=True),
        cycle(6, ignored=True),
        cycle(7),
    ]

    found = all_cycles(cycles, ["resume_ms", LIGHT.value])

    assert found.name == LIGHT.value
    assert list(found.numbers) == [1, 2, 3, 4, 5, 6, 7]
    assert list(found.marks) == [
        Mark.TIMED,
        Mark.FAILED,
        Mark.BROKEN,
        Mark.FAILED,
        Mark.UNKNOWN,
        Mark.LEFT_OUT,
        Mark.LEFT_OUT,
    ]
    assert all_cycles([cycle(light_ms=None)], ["resume_ms", LIGHT.value]).name == "resume_ms"


def test_the_worst_is_the_nearest_to_a_limit_from_either_side() -> None:
    least = Limit(LIGHT.value, Comparison.AT_LEAST, 500 * MS, "ms", kinds=(SleepKind.S3,))

    assert of(light_limit(), lights(900, 950, 800)).worst == 950
    assert of(least, lights(900, 950, 800)).worst == 800


def test_an_unclear_trigger_may_have_been_one() -> None:
    unclear = Finding(FindingKind.TRIGGER_UNCLEAR, "It is not clear what woke it.")
    other = Finding(FindingKind.LEASE_EXPIRED, "The host was silent.")
    nobody = cycle(light_ms=None, wake_by=None, trigger_ns=None)

    def counted(*findings: Finding) -> int:
        outside = replace(nobody.outside, findings=findings)
        sightings = [*lights(900), Sighting(None, replace(nobody, outside=outside))]
        return of(light_limit(), sightings).undecided

    assert [counted(unclear), counted(other, unclear), counted(other), counted()] == [1, 1, 0, 0]


def test_an_undecided_one_of_a_share_is_said() -> None:
    found = of(light_limit(share=0.5), lights(900, 900, 1000))

    assert "0 of 3 cycles beyond it, 1 undecided, " in found.why
