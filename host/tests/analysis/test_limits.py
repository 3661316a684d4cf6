"""Limits over all cycles: every one, a share, rates; no verdict without evidence."""

from dataclasses import replace

import pytest

from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.limits import judge_limits, limit_text, verdict_of_limits
from resume_rig.analysis.verdict.measures import Sighting
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import Figure, LogReading, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    IntervalName,
    Outcome,
    OutsideCycle,
    OutsideState,
    ReconciledCycle,
)
from resume_rig.model.result.verdict import Comparison, Finding, FindingKind, Limit, Verdict

MS = 1_000_000
LIGHT = replace(load_requirement("press-to-light-2s"), back_whole=False)
SYSFUND = replace(load_requirement("sysfund-0004"), back_whole=False)


def lit(light_ms: float, state: OutsideState = OutsideState.S3, record=None) -> Sighting:
    intervals = {IntervalName.PRESS_TO_LIGHT: BoundedNs(round(light_ms * MS), MS)}
    outside = OutsideCycle(1, Outcome.SLEPT_AND_WOKE, state, None, None, None, None, intervals)
    cycle = ReconciledCycle(outside, record, None, None, None, Verdict.NO_EVIDENCE, True, None)
    return Sighting(record, cycle)


@pytest.mark.parametrize(
    ("within", "near", "beyond", "verdict"),
    [
        (59, 0, 0, Verdict.PASS),
        (58, 0, 0, Verdict.NO_EVIDENCE),
        (1, 0, 0, Verdict.NO_EVIDENCE),
        (91, 0, 1, Verdict.MARGINAL),
        (92, 0, 1, Verdict.PASS),
        (91, 1, 0, Verdict.MARGINAL),
        (92, 1, 0, Verdict.PASS),
        (20, 0, 3, Verdict.NO_EVIDENCE),
        (20, 0, 5, Verdict.FAIL),
        (0, 0, 2, Verdict.FAIL),
        (0, 0, 0, Verdict.NO_EVIDENCE),
    ],
)
def test_a_share_is_shown_or_its_contrary_or_neither(within, near, beyond, verdict) -> None:
    cycles = [lit(900)] * within + [lit(2_000)] * near + [lit(2_500)] * beyond

    share, _ = judge_limits(LIGHT, cycles)

    assert share.verdict is verdict, share.why
    assert (share.n, share.failed, share.marginal) == (within + near + beyond, beyond, near)
    assert share.needed == 59
    assert share.risk == (0.0 if verdict in (Verdict.PASS, Verdict.FAIL) else None)


def test_cycles_that_never_woke_count_against_a_share() -> None:
    (share, every) = judge_limits(LIGHT, [lit(900)] * 93, broken=2)

    assert share.verdict is Verdict.MARGINAL
    assert (every.verdict, every.broken) == (Verdict.FAIL, 2)


def test_a_fail_by_cycles_without_a_value_is_not_told_as_if_all_were_within() -> None:
    (_, every) = judge_limits(LIGHT, [lit(900)] * 93, broken=2)

    assert every.why.endswith("93 of 93 cycles within it; 2 cycles failed without a value")


@pytest.mark.parametrize(
    ("light_ms", "verdict"),
    [(4_900, Verdict.PASS), (5_000, Verdict.MARGINAL), (5_100, Verdict.FAIL)],
)
def test_every_cycle_must_conform_where_no_share_is_told(light_ms, verdict) -> None:
    _, every = judge_limits(LIGHT, [*[lit(900)] * 99, lit(light_ms)])

    assert every.verdict is verdict
    assert every.worst == pytest.approx(light_ms / 1000)


def test_a_required_limit_without_a_value_leaves_no_pass() -> None:
    both = replace(LIGHT, resume_limit_ms=2000)

    judged = judge_limits(both, [lit(900)] * 100)

    assert [each.verdict for each in judged] == [
        Verdict.NO_EVIDENCE,
        Verdict.PASS,
        Verdict.PASS,
    ]
    assert verdict_of_limits(judged) is Verdict.NO_EVIDENCE
    failed = judge_limits(both, [lit(9_000)])
    assert verdict_of_limits(failed) is Verdict.FAIL


def test_a_required_limit_without_a_value_is_named(record) -> None:
    further = (Limit("wake_ms", Comparison.AT_MOST, 5_000 * MS, "ms"),)
    woke = replace(record(bios_init_ms=None), wake_ms=900)

    judgement = judge_log(LogReading((), (woke,)), replace(SYSFUND, further=further))

    assert judgement.verdict is Verdict.NO_EVIDENCE
    assert judgement.cycles[0].judged
    assert "Total resume time at most 2000 ms: not measured in any judged cycle" in judgement.why


def test_without_a_record_the_wires_tell_the_kind() -> None:
    s4 = load_requirement("s4-20s")

    assert judge_limits(s4, [lit(9_000, OutsideState.S4)])[0].verdict is Verdict.PASS
    assert judge_limits(s4, [lit(9_000, OutsideState.S3)])[0].verdict is Verdict.NO_EVIDENCE
    assert judge_limits(s4, [lit(9_000, OutsideState.NONE)])[0].n == 0


def test_a_rate_is_judged_by_the_time_of_its_pages(record) -> None:
    rates = replace(load_requirement("s4-rates"), back_whole=False)
    paper = replace(
        record(kind=SleepKind.S4), hiber_pages=38_075, hiber_read_ms=10_964, hiber_write_ms=None
    )

    def verdict(**changed: int) -> Verdict:
        judgement = judge_log(LogReading((), (replace(paper, **changed),)), rates)
        return judgement.verdict

    # 38075 pages at 3.47 pages/ms take 10972.6 ms; the time is known to 1 ms.
    assert verdict() is Verdict.PASS
    assert verdict(hiber_read_ms=10_971) is Verdict.PASS
    assert verdict(hiber_read_ms=10_973) is Verdict.MARGINAL
    assert verdict(hiber_read_ms=10_974) is Verdict.FAIL
    assert verdict(hiber_pages=0) is Verdict.NO_EVIDENCE
    in_mb = replace(rates, further=(Limit("hiber_read_rate", Comparison.AT_LEAST, 14, "MB/s"),))
    (limit,) = judge_limits(in_mb, [Sighting(paper)])
    assert (limit.verdict, limit.worst) == (Verdict.PASS, pytest.approx(14.224, abs=0.001))


def test_the_example_that_the_rates_are_from_meets_them(record) -> None:
    """Table 2 of Microsoft's paper: 38075 pages, written in 17282 ms, read in 10964 ms."""
    paper = replace(
        record(kind=SleepKind.S4), hiber_pages=38_075, hiber_read_ms=10_964, hiber_write_ms=17_282
    )

    judgement = judge_log(
        LogReading((), (paper,)), replace(load_requirement("s4-rates"), back_whole=False)
    )

    assert [each.verdict for each in judgement.limits] == [Verdict.PASS, Verdict.PASS]


def test_a_figure_of_an_account_can_be_limited(record) -> None:
    standby = load_requirement("connected-standby-300ms")

    def judged(*latencies_us: float):
        records = [
            replace(
                record(kind=SleepKind.MODERN_STANDBY, bios_init_ms=None, driver_init_ms=None),
                figures=(Figure("exit_latency_us", us),),
            )
            for us in latencies_us
        ]
        return judge_log(LogReading((), tuple(records)), standby)

    assert judged(120_000, 299_000).verdict is Verdict.PASS
    assert judged(120_000, 301_000).verdict is Verdict.FAIL
    assert judged().verdict is Verdict.NO_EVIDENCE
    assert "1 of 2 cycles does not conform" in judged(120_000, 301_000).why


def test_a_single_cycle_is_judged_for_itself_and_says_how_little_it_shows(record) -> None:
    judgement = judge_log(LogReading((), (record(),)), SYSFUND)

    assert judgement.verdict is Verdict.PASS
    assert "failure rate 95 %" in judgement.why
    assert judgement.failures is not None
    assert judgement.failures.high == pytest.approx(0.975)


def test_only_aborted_sleeps_are_no_evidence(record) -> None:
    aborted = [record(kind=SleepKind.ABORTED) for _ in range(5)]

    judgement = judge_log(LogReading((), tuple(aborted)), SYSFUND)

    assert judgement.verdict is Verdict.NO_EVIDENCE
    assert [each.verdict for each in judgement.limits] == [Verdict.NO_EVIDENCE] * 2
    assert (judgement.failures, judgement.series) == (None, ())


def test_a_record_that_contradicts_itself_is_no_evidence(record) -> None:
    backwards = replace(record(), sleep_time_utc_ns=2, wake_time_utc_ns=1)

    judgement = judge_log(LogReading((), (backwards,)), SYSFUND)

    assert judgement.verdict is Verdict.NO_EVIDENCE
    assert "WakeTime lies before its SleepTime" in (judgement.cycles[0].why_not or "")


def test_the_limits_of_sysfund_are_told_with_what_they_rest_on(record) -> None:
    records = [record(bios_init_ms=300), record(driver_init_ms=1_799)]

    guarded = replace(SYSFUND, guard_band=True)

    resume, bios = judge_log(LogReading((), tuple(records)), guarded).limits

    assert (resume.verdict, resume.n, resume.marginal, resume.worst) == (
        Verdict.MARGINAL,
        2,
        1,
        1999.0,
    )
    assert resume.risk is None
    assert (bios.verdict, bios.failed, bios.limit.required) == (Verdict.FAIL, 1, False)


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (LIGHT.limits()[1], "power button to display on at most 5 s"),
        (
            LIGHT.limits()[0],
            "power button to display on at most 2 s in 95 % of cycles, shown at 95 %",
        ),
        (SYSFUND.limits()[0], "total resume time at most 2000 ms"),
        (
            Limit("pwr_ok_to_pltrst_ns", Comparison.ABOVE, 2 * MS, "ms"),
            "PWR_OK to PLTRST# above 2 ms",
        ),
        (
            Limit("hiber_read_rate", Comparison.AT_LEAST, 3.5, "pages/ms"),
            "hibernation file read rate at least 3.5 pages/ms",
        ),
    ],
)
def test_a_limit_is_said_in_words(limit, text) -> None:
    assert limit_text(limit) == text


def under_reported(record, hidden_ms: int, bound_ms: int = 5) -> Sighting:
    """Return a cycle whose BIOS time lacks `hidden_ms`."""
    seen = lit(900, record=record)
    assert seen.cycle is not None
    evidence = {"hidden_ns": hidden_ms * MS, "bound_ns": bound_ms * MS, "cycles": 1}
    kind = FindingKind.BIOS_UNDER_REPORTED if hidden_ms > 0 else FindingKind.BIOS_OVER_REPORTED
    finding = Finding(kind, "It lacks some.", evidence)
    return Sighting(record, replace(seen.cycle, findings=(finding,)))


@pytest.mark.parametrize(
    ("bios_ms", "hidden_ms", "verdict"),
    [
        (700, 200, Verdict.PASS),
        (700, 290, Verdict.PASS),
        (700, 298, Verdict.MARGINAL),
        (700, 800, Verdict.MARGINAL),
        (1_100, 300, Verdict.FAIL),
        (1_100, -300, Verdict.FAIL),
        (900, -300, Verdict.PASS),
    ],
)
def test_bios_time_that_was_not_reported_takes_a_pass_back(
    record, bios_ms, hidden_ms, verdict
) -> None:
    reported = record(bios_init_ms=bios_ms, driver_init_ms=1_000)

    resume = judge_limits(SYSFUND, [under_reported(reported, hidden_ms)])[0]

    assert resume.verdict is verdict, resume.why
    assert resume.hidden == (verdict is Verdict.MARGINAL)
    assert resume.worst == bios_ms + 1_000  # what is shown stays what was reported
