"""Cycles without a record, beside those with one: slow and unrecorded is no evidence for a PASS."""

import pytest

from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.limits import judge_limits
from resume_rig.analysis.verdict.measures import Sighting
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import Integrity, LogReading, LogSource, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    IntervalName,
    Outcome,
    OutsideCycle,
    OutsideState,
    ReconciledCycle,
)
from resume_rig.model.result.judgement import MissingReason
from resume_rig.model.result.verdict import Verdict

MS = 1_000_000
S = 1_000 * MS
SYSFUND = load_requirement("sysfund-0004")


def seen(light_ms: float, record=None) -> Sighting:
    intervals = {IntervalName.PRESS_TO_LIGHT: BoundedNs(round(light_ms * MS), MS)}
    outside = OutsideCycle(
        1, Outcome.SLEPT_AND_WOKE, OutsideState.S3, None, None, None, None, intervals
    )
    cycle = ReconciledCycle(outside, record, None, None, None, Verdict.NO_EVIDENCE, True, None)
    return Sighting(record, cycle)


def judged(record, missing_ms: list[float], spread_ms: int = 20, resume_ms: int = 900):
    recorded = [
        seen(1300 + place % 5 * spread_ms, record(bios_init_ms=200, driver_init_ms=resume_ms - 200))
        for place in range(40)
    ]
    undecided = [(seen(ms), frozenset({SleepKind.S3})) for ms in missing_ms]
    (resume, *_) = judge_limits(SYSFUND, recorded, undecided=undecided)
    return resume


def test_cycles_as_quick_as_the_recorded_ones_leave_a_pass(record) -> None:
    found = judged(record, [1310, 1340, 1360])

    assert found.verdict is Verdict.PASS
    assert found.missing is not None
    assert found.missing.reason is MissingReason.ALIKE
    assert "3 without evidence counted as failed" in found.why


@pytest.mark.parametrize("missing_ms", [[3900.0], [1320.0, 2900.0], [4100.0, 5200.0, 3800.0]])
def test_one_that_would_be_beyond_the_limit_leaves_no_pass(record, missing_ms) -> None:
    found = judged(record, missing_ms)

    beyond = sum(ms > 2500 for ms in missing_ms)
    assert found.verdict is Verdict.NO_EVIDENCE
    assert found.missing is not None
    assert (found.missing.reason, found.missing.beyond) == (MissingReason.BEYOND, beyond)
    assert found.missing.measure == IntervalName.PRESS_TO_LIGHT
    assert f"{len(missing_ms)} cycle" in found.evidence
    assert "without a value took longer" in found.why


def test_slow_ones_within_the_limit_are_more_than_chance(record) -> None:
    found = judged(record, [1700.0, 1750.0])

    assert found.verdict is Verdict.NO_EVIDENCE
    assert found.missing is not None
    assert (found.missing.reason, found.missing.slow) == (MissingReason.SLOWER, 2)
    assert found.missing.p < 0.01


def test_a_fail_stays_a_fail(record) -> None:
    assert judged(record, [4000.0], resume_ms=2600).verdict is Verdict.FAIL


def test_without_recorded_ones_to_compare_with_nothing_is_said_of_them(record) -> None:
    recorded = [seen(1300, record(bios_init_ms=200, driver_init_ms=500))] * 4
    undecided = [(seen(9000), frozenset({SleepKind.S3}))]

    (resume, *_) = judge_limits(SYSFUND, recorded, undecided=undecided)

    assert resume.missing is None


@pytest.mark.parametrize(("late_ms", "verdict"), [(3500, Verdict.NO_EVIDENCE), (0, Verdict.PASS)])
def test_gaps_of_a_log_are_compared_by_the_time_to_the_next_sleep(
    record, late_ms: int, verdict: Verdict
) -> None:
    records, at_ns = [], 1_700_000_000 * S
    for number in range(40):
        is_gap = number in (11, 23)
        awake_ns = 15 * S + number % 7 * 40 * MS + (late_ms * MS if is_gap else 0)
        times = {} if is_gap else {"bios_init_ms": 210, "driver_init_ms": 640, "wake_ms": 660}
        none = {"bios_init_ms": None, "driver_init_ms": None, "wake_ms": None}
        records.append(
            record(
                record_id=number,
                sleep_time_utc_ns=at_ns,
                wake_time_utc_ns=at_ns + 20 * S,
                **(none | times),
            )
        )
        at_ns += 20 * S + awake_ns
    source = LogSource("x.evtx", "evtx", 22000, len(records), Integrity(True))

    found = judge_log(LogReading((source,), tuple(records)), SYSFUND)

    assert found.verdict is verdict
    assert found.limits[0].undecided == 2
