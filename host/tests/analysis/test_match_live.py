"""When the log brought a record speaks for its cycle, and what does not speak is not made up."""

import numpy as np
import pytest
from match_campaigns import all_certain
from test_match import UTC_NS, S, os_wakes, outside, records, starts

from resume_rig.analysis.match.match import OutsideMoments, match
from resume_rig.model.result.match import HIGH_CONFIDENCE, CycleReason


def even(n: int, seed: int = 21):
    """Return the wakes of cycles at an even pace, and what the OS takes for their times."""
    generator = np.random.default_rng(seed)
    awake = starts(generator, n, jitter_s=0.02)
    return awake, os_wakes(awake, 3600 * S, generator)


@pytest.mark.parametrize("n", [12, 400])
def test_an_even_pace_is_told_by_when_the_records_came(record, n) -> None:
    awake, wakes = even(n)

    found = match(outside(awake), records(record, wakes), arrived_at=list(range(n)))

    assert found.pairs == tuple((i, i) for i in range(n))
    assert all_certain(found)
    assert found.equal_offsets == 1


@pytest.mark.parametrize("cut", [0, 3, 11])
@pytest.mark.parametrize("rest", ["nothing", "in the next", "both"])
def test_a_campaign_that_was_stopped_in_a_cycle_and_goes_on(record, cut, rest) -> None:
    n = 300
    awake, wakes = even(n + 1)
    # The cycle that was cut has no times; its record came in the next one, or not at all.
    cycles = outside(awake)
    cycles[cut] = OutsideMoments(None, None)
    told = list(range(n + 1))
    if rest == "nothing":
        told.remove(cut)
    arrived_at = [max(i, cut + 1) if i == cut else i for i in told]
    if rest == "both":
        arrived_at = [cut + 1 if cut - 1 <= i <= cut else i for i in told]

    found = match(cycles, records(record, wakes[told]), arrived_at=arrived_at)

    own = {cycle: place for place, cycle in enumerate(told) if cycle != cut}
    assert dict(found.pairs) == own
    assert all_certain(found)


def test_records_that_come_late_now_and_then_stay_with_their_cycles(record) -> None:
    n = 200
    awake, wakes = even(n)
    arrived_at = [min(i + (i % 9 == 4), n - 1) for i in range(n)]

    found = match(outside(awake), records(record, wakes), arrived_at=arrived_at)

    assert found.pairs == tuple((i, i) for i in range(n))
    assert all_certain(found)


def test_a_log_that_is_late_each_time_is_never_matched_one_off_for_certain(record) -> None:
    n = 60
    awake, wakes = even(n)

    found = match(
        outside(awake), records(record, wakes), arrived_at=[min(i + 1, n - 1) for i in range(n)]
    )

    sure = [p for p, q in zip(found.pairs, found.probability, strict=True) if q >= HIGH_CONFIDENCE]
    assert all(cycle == place for cycle, place in sure)


@pytest.mark.slow
def test_a_long_campaign_that_was_watched_is_matched_at_an_even_pace(record) -> None:
    n = 5000
    awake, wakes = even(n)

    found = match(outside(awake), records(record, wakes), arrived_at=list(range(n)))

    # The pace beats with whole seconds: for hours the readings are off by little, then by more.
    assert found.pairs == tuple((i, i) for i in range(n))
    assert all_certain(found)


def test_a_short_even_capture_says_how_many_offsets_are_alike(record) -> None:
    awake, wakes = even(120)

    found = match(outside(awake[50:62]), records(record, wakes), both_utc=False)

    assert found.pairs == ()
    assert found.equal_offsets >= 10
    assert set(found.cycle_reasons.values()) == {CycleReason.AMBIGUOUS}


def test_one_longer_pause_ties_a_short_even_capture(record) -> None:
    generator = np.random.default_rng(22)
    pauses = np.full(120, 45.0)
    pauses[55] += 17.0
    awake = UTC_NS + (np.cumsum(pauses) * S).astype(np.int64)
    wakes = os_wakes(awake, 3600 * S, generator)

    found = match(outside(awake[46:70]), records(record, wakes), both_utc=False)

    assert found.pairs == tuple((i, i + 46) for i in range(24))
    assert all_certain(found)
