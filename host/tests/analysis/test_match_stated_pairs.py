"""A pair that somebody knows picks among shifts that are alike, and outvotes no times."""

import re

import numpy as np
import pytest
from match_campaigns import all_certain
from test_match import UTC_NS, S, os_wakes, outside, records, starts

from resume_rig.analysis.match.campaign import match_with
from resume_rig.analysis.match.match import Match, OutsideMoments, match
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.match import StatedPair


def known(cycles: list[OutsideMoments], told: list[OsRecord], cycle: int, record: int) -> Match:
    """Match with a known pair; cycles count from 1, records from 0."""
    return match_with(
        StatedPair(cycle, record),
        range(1, len(cycles) + 1),
        cycles,
        told,
        lambda pair: match(cycles, told, both_utc=False, stated_pair=pair),
    )


def even(n: int, jitter_s: float = 0.02):
    generator = np.random.default_rng(31)
    awake = starts(generator, n, jitter_s=jitter_s)
    return awake, os_wakes(awake, 3600 * S, generator)


@pytest.mark.parametrize(("number", "shift"), [(1, 50), (12, 50), (7, 33), (3, 3)])
def test_a_known_pair_picks_one_of_the_shifts_that_are_alike(record, number, shift) -> None:
    awake, wakes = even(120)
    cycles = outside(awake[50:62])

    found = known(cycles, records(record, wakes), number, number - 1 + shift)

    assert found.pairs == tuple((i, i + shift) for i in range(12))
    assert all_certain(found)


@pytest.mark.slow
def test_a_known_pair_of_a_long_campaign_is_followed_to_both_ends(record) -> None:
    awake, wakes = even(4400)
    kept = np.flatnonzero(np.random.default_rng(32).random(4400) >= 0.03)

    found = known(outside(awake), records(record, wakes[kept]), int(kept[2000]) + 1, 2000)

    assert all(kept[place] == cycle for cycle, place in found.pairs)
    assert len(found.pairs) >= 0.99 * len(kept)


def test_the_times_alone_are_enough_for_a_pair_that_agrees(record) -> None:
    awake, wakes = even(40, jitter_s=8)
    told = records(record, wakes)

    found = known(outside(awake), told, 7, 6)

    assert found.pairs == match(outside(awake), told, both_utc=False).pairs


@pytest.mark.parametrize(
    ("cycle", "number", "says"),
    [
        (7, 9, r"the times alone tie cycle 7 to record 6 \(over 99.99 %\)"),
        (41, 9, "no such cycle; there are cycles 1 to 40"),
        (7, 90, "no record has that number; they have 0 to 39"),
        (40, 0, "the times alone tie cycle"),
    ],
)
def test_a_pair_that_cannot_be_is_refused(record, cycle, number, says) -> None:
    awake, wakes = even(40, jitter_s=8)

    with pytest.raises(UsageError, match=f"record {number} .* cycle {cycle}: .*{says}"):
        known(outside(awake), records(record, wakes), cycle, number)


def test_a_pair_that_no_other_cycle_bears_out_is_refused(record) -> None:
    awake, wakes = even(60)
    # A sleep of somebody else, half a pace away from all others.
    times = np.sort(np.append(wakes, wakes[30] + 22 * S))

    with pytest.raises(UsageError, match="the other cycles do not bear that out"):
        known(outside(awake[20:30]), records(record, times), 4, 31)


def test_a_cycle_that_did_not_wake_and_a_doze_are_refused(record) -> None:
    awake, wakes = even(60)
    cycles, told = outside(awake[20:30]), records(record, wakes)
    cycles[3] = OutsideMoments(cycles[3].asleep_ns, None)

    with pytest.raises(UsageError, match="no sleep and wake that a record could report"):
        known(cycles, told, 4, 23)
    told[25] = record(record_id=25, wake_time_utc_ns=None, sleep_time_utc_ns=None)
    with pytest.raises(UsageError, match=re.escape("this record cannot be paired: ")):
        known(cycles, told, 5, 25)


def test_a_number_that_two_logs_use_is_refused(record) -> None:
    awake, wakes = even(20)

    with pytest.raises(UsageError, match="2 records have that number; give one log only"):
        known(outside(awake), records(record, wakes) + records(record, wakes + UTC_NS), 1, 1)
