"""What a reading of the log brought while a cycle ran is not told as of a time before it."""

from match_campaigns import os_record

from resume_rig.analysis.match.match import OutsideMoments, match
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.match import HIGH_CONFIDENCE, CycleReason, RecordReason

S = 1_000_000_000
EVERY_NS = 11 * S
# The OS clock is set after the first cycle, as where the DUT was changed or its RTC put right.
STEP_NS = 4 * S
CYCLES = 12


def moments(number: int) -> OutsideMoments:
    asleep_ns = number * EVERY_NS + (number % 3) * 700_000_000
    return OutsideMoments(asleep_ns, asleep_ns + 5 * S)


def record(number: int) -> OsRecord:
    outside = moments(number)
    off_ns = -STEP_NS if number == 0 else 0
    assert outside.asleep_ns is not None
    assert outside.awake_ns is not None
    woken_ns = outside.awake_ns + off_ns
    return os_record(
        record_id=number + 1,
        sleep_time_utc_ns=outside.asleep_ns - S + off_ns,
        wake_time_utc_ns=woken_ns + S,
        written_utc_ns=woken_ns + 2 * S,
    )


def test_a_record_of_a_clock_that_was_set_is_of_the_campaign() -> None:
    found = match(
        [moments(number) for number in range(CYCLES)],
        [record(number) for number in range(CYCLES)],
        both_utc=False,
        arrived_at=range(CYCLES),
    )

    assert RecordReason.BEFORE_CAMPAIGN not in found.record_reasons.values()
    assert CycleReason.LOST not in found.cycle_reasons.values()
    assert set(found.pairs) >= {(number, number) for number in range(1, CYCLES)}
    assert (0, 0) in found.pairs or (
        found.record_reasons[0] is RecordReason.AMBIGUOUS
        and found.cycle_reasons[0] is CycleReason.AMBIGUOUS
    )


def test_without_readings_it_may_be_of_a_sleep_before() -> None:
    found = match(
        [moments(number) for number in range(CYCLES)],
        [record(number) for number in range(CYCLES)],
        both_utc=False,
    )
    # So few cycles at so even a pace do not even show that the log is of this unit.
    not_ours = (RecordReason.BEFORE_CAMPAIGN, RecordReason.UNRELATED)
    assert found.record_reasons.get(0) in (None, *not_ours)
    assert not any(likely >= HIGH_CONFIDENCE for likely in found.probability)
