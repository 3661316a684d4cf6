"""One limit held against a campaign that another requirement was for."""

import pytest

from resume_rig.analysis.correlate import correlate
from resume_rig.analysis.reconcile.reconcile import TimedCycle
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.analysis.verdict.ruling import answer_limit
from resume_rig.model.os_record import LogReading, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.verdict import Comparison, Limit, Verdict, WhyNot

MS = 1_000_000
S = 1_000_000_000


def cycles(*lights_ms: float | None, outcomes: dict[int, Outcome] | None = None):
    """Return reconciled cycles by their press to light, each within 1 ms."""
    timed = []
    for number, light_ms in enumerate(lights_ms, start=1):
        lit = {} if light_ms is None else {IntervalName.PRESS_TO_LIGHT: light_ms}
        intervals = {name: BoundedNs(round(ms * MS), MS) for name, ms in lit.items()}
        outcome = (outcomes or {}).get(number, Outcome.SLEPT_AND_WOKE)
        start_ns = number * 60 * S
        outside = OutsideCycle(
            number, outcome, OutsideState.S3, None, None, start_ns, start_ns + 20 * S, intervals
        )
        timed.append(TimedCycle(outside, None))
    return correlate(timed, LogReading(), load_requirement("xp-5s")).cycles


def limit(value_ms: float, comparison: Comparison = Comparison.AT_MOST) -> Limit:
    return Limit(
        IntervalName.PRESS_TO_LIGHT, comparison, round(value_ms * MS), "ms", kinds=(SleepKind.S3,)
    )


def test_the_worst_is_the_farthest_and_every_failure_is_named() -> None:
    found = answer_limit(cycles(900, 1_300, 1_100, 1_200, 800), limit(1_150))

    assert found.judgement.verdict is Verdict.FAIL
    assert found.failed == (2, 4)
    assert found.why_not == ()
    assert found.value is not None
    assert found.worst is not None
    assert (found.worst.outside.number, found.value.value_ns) == (2, 1_300 * MS)


def test_of_a_limit_from_below_the_least_is_the_worst() -> None:
    found = answer_limit(cycles(900, 1_300, 800, 850), limit(500, Comparison.AT_LEAST))

    assert found.judgement.verdict is Verdict.PASS
    assert found.failed == ()
    assert found.worst is not None
    assert found.worst.outside.number == 3


def test_of_alike_values_the_first_is_the_worst() -> None:
    found = answer_limit(cycles(900, 900), limit(1_150))

    assert found.worst is not None
    assert found.worst.outside.number == 1


@pytest.mark.parametrize(
    ("light_ms", "verdict"),
    [
        (1_148, Verdict.PASS),
        (1_149.5, Verdict.MARGINAL),
        (1_150.5, Verdict.MARGINAL),
        (1_152, Verdict.FAIL),
    ],
)
def test_near_the_limit_the_uncertainty_decides(light_ms: float, verdict: Verdict) -> None:
    found = answer_limit(cycles(900, light_ms), limit(1_150))

    assert found.judgement.verdict is verdict


def test_a_cycle_that_never_woke_fails_and_has_no_value() -> None:
    never = {2: Outcome.NEVER_WOKE, 3: Outcome.NEVER_WOKE}

    found = answer_limit(cycles(900, 5_000, None, outcomes=never), limit(1_150))

    assert found.judgement.verdict is Verdict.FAIL
    assert found.judgement.broken == 2
    assert found.failed == (2, 3)
    assert found.worst is not None
    assert found.worst.outside.number == 1


def test_what_was_not_measured_is_no_evidence_with_its_reason() -> None:
    found = answer_limit(cycles(None, None), limit(1_150))

    assert found.judgement.verdict is Verdict.NO_EVIDENCE
    assert (found.worst, found.value, found.failed) == (None, None, ())
    assert [number for number, _ in found.why_not] == [1, 2]
    assert {why.reason for _, why in found.why_not} == {WhyNot.NOT_MEASURED}
