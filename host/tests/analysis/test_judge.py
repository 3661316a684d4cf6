"""Verdicts on records alone: guard band, kinds apart, what is left out, what it rests on."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.reconcile.thresholds import figure_of
from resume_rig.analysis.verdict.judge import judge_log, judge_value
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import Integrity, LogReading, LogSource, SleepKind
from resume_rig.model.result.verdict import Verdict

LIMIT = load_requirement("sysfund-0004")
GUARDED = load_requirement("sysfund-0004", guard_band=True)


def reading(*records, ok=True) -> LogReading:
    problems = () if ok else ("chunk 3 is damaged.", "the tail is cut.")
    sources = max((record.source for record in records), default=0) + 1
    source = LogSource("x.evtx", "evtx", 22000, len(records), Integrity(ok, problems))
    return LogReading((source,) * sources, tuple(records))


@pytest.mark.parametrize(
    ("resume_ms", "verdict"),
    [
        (1, Verdict.PASS),
        (1999, Verdict.PASS),
        (2000, Verdict.PASS),
        (2001, Verdict.FAIL),
        (600_000, Verdict.FAIL),
    ],
)
def test_two_seconds_or_less_is_two_seconds_or_less(resume_ms, verdict) -> None:
    """SYSFUND-0004 limits what the OS's own tracing measures: its figure is the measurand."""
    assert judge_value(resume_ms, LIMIT) is verdict


def test_what_rests_on_the_rounding_of_the_os_is_said(record) -> None:
    records = [record(driver_init_ms=1_800), record(driver_init_ms=1_797), record()]

    plain, guarded = (judge_log(reading(*records), rule) for rule in (LIMIT, GUARDED))

    assert plain.verdict is Verdict.PASS
    assert "1 resume is within 2 ms of the limit, where rounding decides" in plain.why
    assert guarded.verdict is Verdict.MARGINAL
    assert "where rounding decides" not in guarded.why


@pytest.mark.parametrize(
    ("resume_ms", "verdict"),
    [
        (1, Verdict.PASS),
        (1998, Verdict.PASS),
        (1999, Verdict.MARGINAL),
        (2000, Verdict.MARGINAL),
        (2001, Verdict.MARGINAL),
        (2002, Verdict.FAIL),
        (600_000, Verdict.FAIL),
    ],
)
def test_the_guard_band_is_two_milliseconds(resume_ms, verdict) -> None:
    assert judge_value(resume_ms, GUARDED) is verdict


@pytest.mark.parametrize(
    ("resume_ms", "verdict"),
    [(1, Verdict.PASS), (1999, Verdict.PASS), (2000, Verdict.FAIL), (2001, Verdict.FAIL)],
)
def test_s3resume_fails_at_the_limit_and_compares_the_reported_sum(resume_ms, verdict) -> None:
    assert judge_value(resume_ms, load_requirement("s3resume")) is verdict


@pytest.mark.parametrize(
    ("resume_ms", "verdict"),
    [
        (1998, Verdict.PASS),
        (1999, Verdict.MARGINAL),
        (2001, Verdict.MARGINAL),
        (2002, Verdict.FAIL),
    ],
)
def test_a_limit_that_itself_fails_has_a_guard_band_as_well(resume_ms, verdict) -> None:
    assert judge_value(resume_ms, replace(GUARDED, limit_fails=True)) is verdict


def test_a_requirement_may_demand_that_the_first_is_ignored(record) -> None:
    records = (record(record_id=1, driver_init_ms=9_000), record(record_id=2))

    judgement = judge_log(reading(*records), load_requirement("s3resume"))

    assert [cycle.judged for cycle in judgement.cycles] == [False, True]
    assert judgement.verdict is Verdict.PASS
    assert "below 2000 ms" in judgement.why


def test_at_the_limit_of_s3resume_the_reason_does_not_say_over(record) -> None:
    first, second = record(record_id=1), record(record_id=2, driver_init_ms=1_800)
    second = replace(second, bios_init_ms=200)

    judgement = judge_log(reading(first, second), load_requirement("s3resume"))

    assert judgement.verdict is Verdict.FAIL
    assert "1 of 1 judged resume is 2000 ms or more" in judgement.why


@given(
    bios_ms=st.floats(0, 3000),
    driver_ms=st.floats(0, 3000),
    rounding=st.sampled_from([round, int, lambda value: -int(-value // 1)]),
)
def test_no_rounding_makes_a_clear_verdict_wrong(bios_ms, driver_ms, rounding) -> None:
    verdict = judge_value(rounding(bios_ms) + rounding(driver_ms), GUARDED)

    meets = bios_ms + driver_ms <= LIMIT.resume_limit_ms
    assert verdict is not (Verdict.FAIL if meets else Verdict.PASS)


def test_all_within_the_limit_is_pass_with_its_confidence(record) -> None:
    judgement = judge_log(reading(*(record(record_id=i) for i in range(10))), LIMIT)

    assert judgement.verdict is Verdict.PASS
    assert judgement.statistics.n == 10
    assert judgement.statistics.max_ms == 1000
    assert judgement.failure_rate_upper == pytest.approx(0.2589, abs=1e-4)
    assert judgement.why == (
        "10 of 10 judged resumes are within 2000 ms; the worst took 1000 ms; "
        "upper 95 % confidence limit of the failure rate 26 %."
    )


@pytest.mark.parametrize(
    ("drivers_ms", "verdict"),
    [
        ([800, 1800, 3000], Verdict.FAIL),
        ([800, 1800], Verdict.MARGINAL),
        ([800], Verdict.PASS),
        ([], Verdict.NO_EVIDENCE),
    ],
)
def test_the_worst_cycle_decides(record, drivers_ms, verdict) -> None:
    judgement = judge_log(reading(*(record(driver_init_ms=ms) for ms in drivers_ms)), GUARDED)

    assert judgement.verdict is verdict


def test_a_failure_names_the_count_and_the_worst(record) -> None:
    judgement = judge_log(reading(record(driver_init_ms=12_500), record()), LIMIT)

    assert "1 of 2 judged resumes is over 2000 ms; the worst took 12700 ms" in judgement.why


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"bios_init_ms": None}, "no BiosInit"),
        ({"driver_init_ms": None}, "no DriverInit"),
        ({"bios_init_ms": None, "driver_init_ms": None}, "no BiosInit and no DriverInit"),
    ],
)
def test_an_unmeasured_record_is_kept_and_never_judged(record, fields, text) -> None:
    judgement = judge_log(reading(record(), record(**fields)), LIMIT)

    assert [cycle.judged for cycle in judgement.cycles] == [True, False]
    assert text in (judgement.cycles[1].why_not or "")
    assert judgement.cycles[1].verdict is Verdict.NO_EVIDENCE
    assert judgement.statistics.n == 1
    assert "1 record of S3 or hybrid sleep without a measurement" in judgement.why


def test_only_unmeasured_records_are_no_evidence(record) -> None:
    judgement = judge_log(reading(record(bios_init_ms=None)), LIMIT)

    assert judgement.verdict is Verdict.NO_EVIDENCE
    assert judgement.failure_rate_upper is None


def test_other_kinds_are_judged_apart(record) -> None:
    s4 = [record(kind=SleepKind.S4, driver_init_ms=9000) for _ in range(3)]
    doze = record(kind=SleepKind.DOZE, bios_init_ms=None, driver_init_ms=None)

    judgement = judge_log(reading(*s4, doze, record()), LIMIT)

    assert judgement.verdict is Verdict.PASS
    assert [(a.kind, a.cycles, a.statistics.n) for a in judgement.not_covered] == [
        (SleepKind.S4, 3, 3),
        (SleepKind.DOZE, 1, 0),
    ]
    why_not = judgement.cycles[0].why_not or ""
    assert why_not.startswith("not covered by this requirement: sysfund-0004 covers S3")


def test_no_evidence_says_what_would_be(record) -> None:
    s4 = [record(kind=SleepKind.S4) for _ in range(56)]

    judgement = judge_log(reading(*s4), LIMIT)

    assert judgement.verdict is Verdict.NO_EVIDENCE
    assert judgement.why == (
        "None of the 56 records is a measured resume from S3 or hybrid sleep; not covered by this"
        " requirement: 56 S4 (--kind S4)."
    )


@pytest.mark.parametrize(
    ("kinds", "lead"),
    [
        (["hybrid"], "No S3 here; 1 hybrid sleep, which resumes from S3, is judged: 1 of 1 "),
        (["hybrid"] * 3, "No S3 here; 3 hybrid sleeps, which resume from S3, are judged: 3 of 3 "),
        (["S3", "hybrid", "hybrid"], "2 hybrid sleeps, which resume from S3, are judged with 1 S3"),
        (["S3"], "1 of 1 judged resume"),
    ],
)
def test_a_hybrid_sleep_resumes_from_s3_and_is_judged_so(record, kinds, lead) -> None:
    judgement = judge_log(reading(*(record(kind=SleepKind(kind)) for kind in kinds)), LIMIT)

    assert judgement.verdict is Verdict.PASS
    assert judgement.statistics.n == len(kinds)
    assert judgement.not_covered == ()
    assert judgement.why.startswith(lead)


def test_a_hybrid_sleep_that_resumed_from_its_image_is_no_resume_from_s3(record) -> None:
    lost = record(kind=SleepKind.HYBRID, driver_init_ms=9000, hiber_read_ms=4_000)

    judgement = judge_log(reading(record(), lost), LIMIT)

    assert judgement.verdict is Verdict.PASS
    assert (judgement.cycles[1].why_not or "").startswith("not S3: this hybrid sleep resumed from")
    assert "1 hybrid sleep resumed from the image, as S4 does" in judgement.why


def test_asked_for_hybrid_alone_says_nothing_of_s3(record) -> None:
    requirement = load_requirement("sysfund-0004", kinds=["hybrid"])

    assert judge_log(reading(record(kind=SleepKind.HYBRID)), requirement).why.startswith("1 of 1 ")


def test_kinds_asked_for_are_judged(record) -> None:
    requirement = load_requirement("sysfund-0004", kinds=["hybrid"])

    judgement = judge_log(reading(record(kind=SleepKind.HYBRID), record()), requirement)

    assert [cycle.judged for cycle in judgement.cycles] == [True, False]


def test_the_first_of_each_source_can_be_left_out(record) -> None:
    records = [
        record(source=0, kind=SleepKind.S4),
        record(source=0, driver_init_ms=9000),
        record(source=0),
        record(source=1, driver_init_ms=9000),
        record(source=1),
    ]

    judgement = judge_log(reading(*records), LIMIT, ignore_first=True)

    assert [cycle.judged for cycle in judgement.cycles] == [False, False, True, False, True]
    assert (judgement.cycles[1].why_not or "").startswith("ignored: the first transition")
    assert judgement.verdict is Verdict.PASS
    assert "2 first transitions ignored" in judgement.why


def test_a_damaged_log_keeps_its_verdict_and_says_so(record) -> None:
    judgement = judge_log(reading(record(), ok=False), LIMIT)

    assert judgement.verdict is Verdict.PASS
    assert "the log is incomplete (2 problems), so records may be missing" in judgement.why


def test_a_slow_bios_is_advice_and_never_a_failure(record) -> None:
    judgement = judge_log(reading(record(bios_init_ms=251), record(bios_init_ms=250)), LIMIT)

    assert judgement.verdict is Verdict.PASS
    assert "the BIOS took more than the advised 250 ms in 1 resume" in judgement.why


def test_an_empty_log_is_no_evidence() -> None:
    judgement = judge_log(LogReading(), LIMIT)

    assert judgement.verdict is Verdict.NO_EVIDENCE
    assert judgement.why == "There is no record of a sleep."


def test_a_resume_that_two_logs_tell_of_counts_once(record) -> None:
    """A log given twice, or two exports that overlap, are no more evidence than one."""
    times = [{"wake_time_utc_ns": n * 60_000_000_000, "record_id": n} for n in range(1, 8)]
    first = [record(**each) for each in times[:5]]
    second = [record(**each, source=1) for each in times[2:]]

    once = judge_log(reading(*[record(**each) for each in times]), LIMIT)
    both = judge_log(reading(*first, *second), LIMIT)

    assert sum(cycle.judged for cycle in both.cycles) == 7
    assert both.failure_rate_upper == once.failure_rate_upper
    assert both.statistics == once.statistics
    assert "3 repeated records counted once" in both.why
    assert [cycle.record.record_id for cycle in both.cycles] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    "differs", [{"wake_time_utc_ns": 61_000_000_000}, {"bios_init_ms": 201}, {"kind": SleepKind.S4}]
)
def test_what_differs_in_anything_is_another_resume(record, differs) -> None:
    own = {"wake_time_utc_ns": 60_000_000_000}
    told = judge_log(reading(record(**own), record(**{**own, **differs})), LIMIT)
    assert len(told.cycles) == 2


def test_records_without_a_time_are_never_taken_for_each_other(record) -> None:
    told = judge_log(reading(*[record(wake_time_utc_ns=None)] * 3), LIMIT)
    assert sum(cycle.judged for cycle in told.cycles) == 3


def died_in(record, target: int | None, number: int):
    """Return the record of a sleep that the OS did not come back from."""
    return replace(
        record(record_id=number),
        **dict.fromkeys(("bios_init_ms", "driver_init_ms", "wake_time_utc_ns")),
        kind=SleepKind.DIED,
        target_state=target,
        effective_state=target,
    )


def test_a_sleep_that_the_os_did_not_come_back_from_is_no_evidence(record) -> None:
    came_back = [record(record_id=number) for number in range(1, 4)]

    judgement = judge_log(reading(*came_back, died_in(record, 4, 9)), LIMIT)

    assert judgement.verdict is Verdict.NO_EVIDENCE
    assert judgement.why.startswith("3 of 4 records report the time; sysfund-0004 needs 90 %")
    assert judgement.why.endswith("; the OS did not come back from 1 sleep.")
    assert judgement.cycles[-1].undecided
    assert judgement.cycles[-1].why_not == "not measured: the OS did not come back from this S3"
    assert (judgement.failures.failures, judgement.failures.n) == (0, 3)
    assert judgement.failures.undecided == 1
    assert judgement.not_covered == ()


@pytest.mark.parametrize("target", [5, None])
def test_one_whose_state_is_not_covered_or_not_known_takes_nothing_back(record, target) -> None:
    judgement = judge_log(reading(record(record_id=1), died_in(record, target, 9)), LIMIT)

    assert judgement.verdict is Verdict.PASS
    assert judgement.why.endswith("not covered by this requirement: 1 died in sleep.")
    assert not judgement.cycles[-1].undecided
    assert [each.kind for each in judgement.not_covered] == [SleepKind.DIED]


def test_a_sleep_that_it_died_in_is_a_first_transition(record) -> None:
    records = died_in(record, 4, 1), record(record_id=2, driver_init_ms=9_000)

    judgement = judge_log(reading(*records), load_requirement("s3resume"))

    assert judgement.verdict is Verdict.FAIL
    assert not judgement.cycles[0].undecided


@pytest.mark.parametrize(("bios_ms", "believed"), [(600_000, True), (600_001, False)])
def test_a_bios_time_that_no_firmware_takes_is_no_measurement(record, bios_ms, believed) -> None:
    odd = replace(record(record_id=1), bios_init_ms=bios_ms)
    records = odd, *(record(record_id=number) for number in range(2, 12))

    judgement = judge_log(reading(*records), LIMIT)

    assert judgement.cycles[0].judged is believed
    assert judgement.verdict is (Verdict.FAIL if believed else Verdict.PASS)
    assert judgement.reading.records[0].bios_init_ms == bios_ms
    if not believed:
        assert judgement.cycles[0].undecided
        assert judgement.cycles[0].why_not == (
            "not measured: no firmware takes the 600001 ms of BIOS time that the record reports"
        )
        assert figure_of(judgement.cycles[0].record, "bios_init_absurd_ms") == bios_ms
        assert judgement.why.endswith(
            "; 1 BIOS time of more than 10 minutes counts as not measured."
        )
