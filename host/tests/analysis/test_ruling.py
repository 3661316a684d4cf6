"""Which cycles count, and with which verdict, when limits lie outside, inside, or on both sides."""

from dataclasses import replace

import pytest

from resume_rig.analysis.correlate import correlate
from resume_rig.analysis.reconcile.reconcile import TimedCycle
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.analysis.verdict.ruling import campaign_why
from resume_rig.model.os_record import Integrity, LogReading, LogSource, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.verdict import Finding, FindingKind, NotJudged, Verdict, WhyNot

MS = 1_000_000
S = 1_000_000_000
LIGHT = replace(load_requirement("xp-5s"), back_whole=False)


def lit(number: int, light_ms: float | None, outcome=Outcome.SLEPT_AND_WOKE, **changed: object):
    times = {} if light_ms is None else {IntervalName.PRESS_TO_LIGHT: light_ms}
    intervals = {name: BoundedNs(round(ms * MS), MS) for name, ms in times.items()}
    start_ns = number * 60 * S
    outside = OutsideCycle(
        number, outcome, OutsideState.S3, None, None, start_ns, start_ns + 20 * S, intervals
    )
    return TimedCycle(replace(outside, **changed))


def test_a_limit_on_the_wires_needs_no_log() -> None:
    found = correlate([lit(1, 900), lit(2, 1_100)], LogReading(), LIGHT)

    assert found.verdict is Verdict.PASS
    assert all(cycle.judged for cycle in found.cycles)
    assert found.why == (
        "Power button to display on below 5 s: 2 of 2 cycles within it; at most 78 % of cycles "
        "are beyond it (95 % confidence)."
    )
    light = next(series for series in found.series if series.name == "press_to_light_ns")
    assert (light.figures.n, light.figures.max_ms) == (2, 1_100)


@pytest.mark.parametrize(
    ("cycle", "why_not"),
    [
        (lit(1, None), "not measured: no power button to display on"),
        (lit(1, 900, Outcome.INVALID), "invalid: edges of this cycle were lost"),
        (lit(1, 900, Outcome.WOKE_ALONE), "not ours"),
        (lit(1, 900, Outcome.NEVER_SLEPT), "no sleep"),
        (lit(1, 900, state=OutsideState.S4), "other kind: xp-5s covers S3"),
        (lit(1, 900, ignored=True), "ignored: the plan leaves this cycle out"),
    ],
    ids=["no light", "invalid", "woke alone", "never slept", "other state", "ignored"],
)
def test_a_cycle_without_evidence_is_not_judged_and_says_why(cycle, why_not) -> None:
    found = correlate([cycle], LogReading(), LIGHT)

    assert found.verdict is Verdict.NO_EVIDENCE
    assert not found.cycles[0].judged
    assert (found.cycles[0].why_not or "").startswith(why_not)
    assert found.failures is None


def test_a_cycle_that_stayed_dark_fails_whatever_is_limited() -> None:
    found = correlate([lit(1, 900), lit(2, None, Outcome.DARK)], LogReading(), LIGHT)

    assert found.verdict is Verdict.FAIL
    (limit,) = found.limits
    assert (limit.n, limit.failed, limit.broken, limit.risk) == (1, 0, 1, 0.0)
    assert found.why.startswith("1 cycle stayed dark; ")
    assert found.failures is not None
    assert (found.failures.failures, found.failures.n) == (1, 2)


def test_a_limit_inside_has_no_evidence_without_a_record() -> None:
    found = correlate([lit(1, 900)], LogReading(), load_requirement("sysfund-0004"))

    assert found.verdict is Verdict.NO_EVIDENCE
    assert found.cycles[0].why_not == "no record: no log was read"


def test_a_record_of_another_kind_speaks_against_the_wires(record) -> None:
    other = replace(
        record(kind=SleepKind.HYBRID),
        sleep_time_utc_ns=1_777_000_000 * S,
        wake_time_utc_ns=1_777_000_021 * S,
    )
    source = LogSource("x.evtx", "evtx", 22000, 1, Integrity(True))
    cycle = replace(lit(1, 900), wake_utc=BoundedNs(1_777_000_020 * S, MS))

    plain_s3 = load_requirement("xp-5s", kinds=["S3"])
    found = correlate([cycle], LogReading((source,), (other,)), plain_s3)

    assert found.cycles[0].record == other
    assert found.verdict is Verdict.NO_EVIDENCE
    assert (found.cycles[0].why_not or "").startswith(
        "not covered by this requirement: xp-5s covers S3"
    )


def wrong_state() -> Finding:
    return Finding(FindingKind.WRONG_STATE, "The plan asked for another one.", {})


@pytest.mark.parametrize("kinds", [["S3"], ["S4"]])
def test_a_dut_that_slept_shallower_than_asked_for_is_the_same_under_every_requirement(
    kinds: list[str],
) -> None:
    cycle = lit(1, 900, Outcome.SLEPT_SHALLOW, asked=SleepKind.S4, findings=(wrong_state(),))

    found = correlate(
        [cycle], LogReading(), replace(load_requirement("xp-5s", kinds=kinds), back_whole=False)
    )

    assert found.cycles[0].why_not == "slept shallow: S4 was asked for, and the DUT slept in S3"
    assert found.why.endswith(
        "1 cycle without evidence (1 slept shallow); S4 was asked for, and the DUT slept in S3."
    )


def test_s3_in_place_of_modern_standby_is_no_kind_that_could_be_judged() -> None:
    asked = SleepKind.MODERN_STANDBY
    cycles = [lit(n, 900, asked=asked, findings=(wrong_state(),)) for n in (1, 2)]

    found = correlate(cycles, LogReading(), load_requirement("sysfund-0004"))

    assert found.why.endswith(
        "2 cycles without evidence (2 in the wrong state); "
        "modern-standby was asked for, and the DUT slept in S3."
    )


def test_cycles_of_another_kind_are_counted_in_english() -> None:
    cycle = lit(1, 900, state=OutsideState.S4, asked=SleepKind.S4)

    found = correlate([cycle], LogReading(), load_requirement("sysfund-0004"))

    assert "(1 of another kind of sleep)" in found.why


def test_no_kind_is_advised_that_the_requirement_covers(record) -> None:
    requirement = load_requirement("sysfund-0004")
    cycle = correlate([lit(1, 900)], LogReading(), requirement).cycles[0]
    other = NotJudged.of(WhyNot.OTHER_KIND_ON_WIRES, requirement="sysfund-0004", covers="S3")
    uncovered = replace(cycle, record=record(), unjudged=other, judged=False)

    assert "--kind" not in campaign_why([uncovered], requirement, [])
