"""Who has no partner, why, and which late wakes and sleeps still find one."""

import math

import numpy as np
import pytest
from match_campaigns import os_record
from plain_match import choice_of, cycles_at, density, entries_at, worth

from resume_rig.analysis.match.likelihood import Noise
from resume_rig.analysis.match.match import OutsideMoments
from resume_rig.analysis.match.pairs import (
    Pairs,
    by_late_wakes,
    by_sleep_times,
    columns_of,
    cycle_reasons,
    moments_of,
    record_reasons,
    record_times,
)
from resume_rig.analysis.match.times import arrivals_of
from resume_rig.model.os_record import NO_SLEEPS, SleepKind
from resume_rig.model.result.match import CycleReason, RecordReason

S = 1_000_000_000


def pairs_of(*pairs) -> Pairs:
    cycles, records = (
        (np.array(each, int) for each in zip(*pairs, strict=True)) if pairs else ([], [])
    )
    return Pairs(np.array(cycles, int), np.array(records, int), np.ones(len(pairs)))


def log_of(*said):
    """Return the times of records: a wake [s], a sleep with `s`, a kind, or nothing at all."""
    records = []
    for each in said:
        times = {"wake_time_utc_ns": None, "sleep_time_utc_ns": None}
        if isinstance(each, str) and each.startswith("s"):
            times["sleep_time_utc_ns"] = int(each[1:]) * S
        elif isinstance(each, SleepKind):
            times |= {"wake_time_utc_ns": 999 * S, "kind": each}
        elif isinstance(each, str) and each.startswith("doze"):
            at_ns = int(each[4:]) * S
            times = dict.fromkeys(times, at_ns) | dict.fromkeys(
                ("sleep_ms", "wake_ms", "bios_init_ms")
            )
        elif each is not None:
            times["wake_time_utc_ns"] = each * S
        records.append(os_record(**times))
    return record_times(columns_of(records), NO_SLEEPS)


SLEPT = OutsideMoments(S, 9 * S)
NO_ONE = np.zeros(0, int)
BEFORE, AFTER, LOST = CycleReason.BEFORE_LOG, CycleReason.AFTER_LOG, CycleReason.LOST


@pytest.mark.parametrize(
    ("log", "first", "last"),
    [
        ((10, 20), BEFORE, AFTER),
        ((5, 10, 20, 30), LOST, LOST),
        ((5, 10, 20), LOST, AFTER),
        ((10, 20, 30), BEFORE, LOST),
        # What is no sleep, or has no time, does not show that the log reaches there.
        ((None, SleepKind.BOOT, 10, 20, SleepKind.BOOT, None), BEFORE, AFTER),
        (("s5", 10, 20, "s30"), LOST, LOST),
        (("s10", "s20"), BEFORE, AFTER),
    ],
)
def test_a_cycle_beyond_all_records_is_outside_of_the_log(log, first, last) -> None:
    times = log_of(*log)
    own = [at for at, said in enumerate(log) if said in (10, 20, "s10", "s20")]
    cycles = moments_of([SLEPT] * 5)

    found = cycle_reasons(
        cycles, times, pairs_of((1, own[0]), (3, own[1])), NO_ONE, arrivals_of((), len(log), 5)
    )

    assert found == {0: first, 2: LOST, 4: last}


def test_the_span_of_the_log_is_that_of_the_records_matched_whatever_their_order() -> None:
    # The first cycle's record was written last, as where two documents are read.
    found = cycle_reasons(
        moments_of([SLEPT] * 4),
        log_of(10, 20, 30),
        pairs_of((1, 2), (2, 0)),
        NO_ONE,
        arrivals_of((), 3, 4),
    )

    assert found == {0: BEFORE, 3: AFTER}


def test_why_a_cycle_has_no_record() -> None:
    others = [(S, None), (None, None), (None, 9 * S)]
    cycles = [SLEPT, *(OutsideMoments(*each) for each in others), SLEPT, SLEPT]

    def why(pairs, ambiguous=NO_ONE, arrived_at=(), log=(10, 20)):
        read = arrivals_of(arrived_at, len(log), len(cycles))
        return [
            *cycle_reasons(
                moments_of(cycles), log_of(*log), pairs, np.array(ambiguous, int), read
            ).values()
        ]

    died, no_time = CycleReason.NOT_SURVIVED, CycleReason.NO_TIME
    unsure, alien = CycleReason.AMBIGUOUS, CycleReason.UNRELATED
    assert why(pairs_of()) == [alien, died, no_time, alien, alien, alien]
    assert why(pairs_of(), [0, 1, 4]) == [unsure, died, no_time, alien, unsure, alien]
    assert why(pairs_of((3, 0))) == [BEFORE, died, no_time, LOST, LOST]
    # A record that came with a cycle's own reading, and is of no other cycle, may be its own.
    assert why(pairs_of((0, 0)), (), [0, 4]) == [died, no_time, unsure, unsure, LOST]
    assert why(pairs_of((0, 0)), (), [0, None]) == [died, no_time, LOST, LOST, LOST]
    no_sleep = (10, SleepKind.BOOT)
    assert why(pairs_of((0, 0)), (), [0, 4], no_sleep) == [died, no_time, AFTER, AFTER, AFTER]
    assert why(pairs_of((0, 0)), (), [0, 4], (10, 10)) == [died, no_time, AFTER, AFTER, AFTER]


@pytest.mark.parametrize("arrived_at", [(), [None] * 9, [0, *[None] * 7, 3]])
def test_why_a_record_has_no_cycle(arrived_at) -> None:
    log = (5, 10, 15, SleepKind.DIED, SleepKind.BOOT, None, 15, "doze17", 20, 30)
    arrived_at = [*arrived_at, None] if arrived_at else ()
    times, read = log_of(*log), arrivals_of(arrived_at, 10, 5)

    found = record_reasons(times, pairs_of((1, 1), (3, 8)), NO_ONE, read)

    live = arrived_at and arrived_at[0] == 0
    assert found == {
        0: RecordReason.AMBIGUOUS if live else RecordReason.BEFORE_CAMPAIGN,
        2: RecordReason.BETWEEN_CYCLES,
        3: RecordReason.NOT_SURVIVED,
        4: RecordReason.NO_SLEEP,
        5: RecordReason.NO_TIME,
        6: RecordReason.DOUBLED,
        7: RecordReason.DOZE,
        9: RecordReason.AFTER_CAMPAIGN,
    }
    unsure = record_reasons(times, pairs_of((1, 1), (3, 8)), np.array([2, 6, 7, 9]), read)
    assert [unsure[at] for at in (2, 6, 7, 9)] == [
        RecordReason.AMBIGUOUS,
        RecordReason.DOUBLED,
        *[RecordReason.AMBIGUOUS] * 2,
    ]


def test_a_record_that_repeats_the_first_is_doubled() -> None:
    found = record_reasons(log_of(10, 10), pairs_of((0, 0)), NO_ONE, arrivals_of((), 2, 1))

    assert found == {1: RecordReason.DOUBLED}


def test_a_record_that_a_reading_brought_after_all_others_may_be_of_a_cycle() -> None:
    found = record_reasons(
        log_of(5, 10, 15), pairs_of((0, 0)), NO_ONE, arrivals_of([0, None, 1], 3, 2)
    )

    assert found == {1: RecordReason.AFTER_CAMPAIGN, 2: RecordReason.AMBIGUOUS}


def test_without_pairs_a_record_is_unrelated_whenever_it_came() -> None:
    read = arrivals_of([0, None], 2, 2)

    found = record_reasons(log_of(5, "s7"), pairs_of(), NO_ONE, read)

    assert found == dict.fromkeys((0, 1), RecordReason.UNRELATED)


NOISE = Noise(half_s=0.6, lost=0.2, others_hz=1 / 900)
AT_S = [0.0, 40.0, 95.0, 130.0, 190.0]


def late(at_s=134.0, **entry):
    """Return the pairs where the record of cycle 3 is that late, and those beside it are sure."""
    source = entry.pop("source", (0, 0, 0))
    rank = entry.pop("rank", (0, 1, 2))
    offset_s = entry.pop("offset_s", (0.1, -0.1))
    rows = entry.pop("rows", (2, 4))
    entries = entries_at(
        [95.0, at_s, 190.0], record=[5, 6, 7], rank=list(rank), source=list(source)
    )
    sure = choice_of(
        [0, *rows], [3, 5, 7], [1.0, 0.9, 0.8], entry=[0, 0, 2], offset_s=[9.0, *offset_s]
    )
    cycles = cycles_at(AT_S, index=[10, 11, 12, 13, 14])
    return by_late_wakes(sure, cycles, entries, NOISE, 0.25), cycles, entries


def test_a_wake_that_came_late_is_of_the_cycle_between_two_sure_ones() -> None:
    found, cycles, entries = late()

    likely = density(4.0, 0.6) + 0.01 / 3 * math.exp(-4 / 3)
    gain = math.exp(worth(cycles, entries, 3, 1, NOISE, likely=likely))
    assert (found.cycle.tolist(), found.record.tolist()) == ([13], [6])
    assert found.probability.tolist() == pytest.approx([gain / (gain + 0.2) * 0.9 * 0.8])


@pytest.mark.parametrize(
    "changed",
    [
        {"at_s": 141.0},
        {"offset_s": (0.15, -0.125)},
        {"offset_s": (-0.15, 0.125)},
        {"rank": (1, 0, 2)},
        {"rank": (0, 2, 1)},
        {"rank": (1, 1, 2)},
        {"rank": (0, 2, 2)},
        {"source": (0, 1, 0)},
        {"source": (1, 0, 0)},
        {"source": (0, 0, 1)},
        {"rows": (1, 4)},
        {"rows": (3, 4)},
    ],
)
def test_a_late_wake_stands_between_records_of_its_own_log_and_of_a_clock_that_ran_on(
    changed,
) -> None:
    assert len(late(**changed)[0].cycle) == 0


def test_a_clock_that_moved_by_no_more_than_a_step_ran_on() -> None:
    found, *_ = late(offset_s=(0.0, 0.25))

    assert found.record.tolist() == [6]


def test_a_late_wake_is_looked_for_where_the_clocks_of_both_neighbours_put_it() -> None:
    # 4.5 s late by the one before it, 4.25 s by both, 10 s at most.
    assert len(late(at_s=140.124, offset_s=(0.0, 0.25))[0].cycle) == 1
    assert len(late(at_s=140.126, offset_s=(0.0, 0.25))[0].cycle) == 0


def test_without_sure_pairs_no_wake_came_late() -> None:
    nothing = choice_of([], [], [])

    assert len(by_late_wakes(nothing, cycles_at(AT_S), entries_at([0.0]), NOISE, 1.5).cycle) == 0


SLEEPS_S = [-20.0, 20.0, 75.0, 110.0, 170.0]


def by_sleep(sure_rows, sleeps_s, *, ranks, own_ranks, offset_s, asleep_s=20.0, probability=None):
    """Return pairs by sleep of records at these times, and what they were weighed by."""
    cycles = cycles_at(AT_S, asleep_s=np.full(5, asleep_s), index=[10, 11, 12, 13, 14])
    probability = [0.9] * len(sure_rows) if probability is None else probability
    sure = choice_of(
        sure_rows, [0] * len(sure_rows), probability, entry=range(len(sure_rows)), offset_s=offset_s
    )
    entries = entries_at(np.zeros(len(sure_rows)), rank=list(own_ranks))
    count = len(sleeps_s)
    record, half_s = np.arange(count) + 50, np.full(count, 1.8)
    sleeps = entries_at(sleeps_s, record=record, rank=list(ranks), half_s=half_s)
    return by_sleep_times(sure, cycles, entries, sleeps, NOISE), cycles, sleeps


def test_a_record_of_a_sleep_alone_is_of_the_cycle_that_slept_then() -> None:
    # The clock drifts from 3 s to 4 s between the sure cycles 1 and 3.
    found, cycles, sleeps = by_sleep(
        [1, 3], [79.0], ranks=[8], own_ranks=[7, 9], offset_s=[3.0, 4.0], probability=[0.9, 0.8]
    )

    gain = math.exp(worth(cycles, sleeps, 2, 0, NOISE, likely=density(0.5, 1.8)))
    assert (found.cycle.tolist(), found.record.tolist()) == ([12], [50])
    assert found.probability.tolist() == pytest.approx([gain / (gain + 0.2) * 0.9 * 0.8])


def test_before_and_behind_all_sure_cycles_one_of_them_counts() -> None:
    found, *_ = by_sleep([2], [-20.0, 170.0], ranks=[0, 9], own_ranks=[5], offset_s=[0.0])

    assert (found.cycle.tolist(), found.record.tolist()) == ([10, 14], [50, 51])
    assert found.probability.tolist() == pytest.approx([0.9, 0.9], rel=1e-2)


@pytest.mark.parametrize(("rank", "is_found"), [(7, False), (8, True), (9, False)])
def test_a_record_of_a_sleep_stands_in_the_order_of_writing(rank, is_found) -> None:
    found, *_ = by_sleep([1, 3], [75.0], ranks=[rank], own_ranks=[7, 9], offset_s=[0.0, 0.0])

    assert len(found.cycle) == is_found


def test_a_cycle_whose_record_is_sure_or_whose_sleep_is_unknown_takes_no_other() -> None:
    given = {"ranks": [8], "own_ranks": [7, 9], "offset_s": [0.0, 0.0]}

    assert len(by_sleep([1, 2], [75.0], **given)[0].cycle) == 0
    assert len(by_sleep([1, 3], [75.0], asleep_s=np.nan, **given)[0].cycle) == 0


def test_without_sure_pairs_or_sleeps_nothing_is_found_by_sleep() -> None:
    for found, *_ in (
        by_sleep([], [75.0], ranks=[8], own_ranks=[], offset_s=[]),
        by_sleep([1], [], ranks=[], own_ranks=[7], offset_s=[0.0]),
    ):
        assert (len(found.cycle), len(found.record), len(found.probability)) == (0, 0, 0)


def test_a_record_that_two_cycles_claim_is_of_the_likelier_one() -> None:
    cycles = cycles_at([100.0, 103.0, 200.0], asleep_s=[20.0, 20.0, 20.0])
    sure = choice_of([2], [0], [1.0], entry=[0])
    for at_s, own in ((81.0, 0), (82.2, 1)):
        sleeps = entries_at([1.0, at_s, 9e9], half_s=[1.8] * 3, record=[3, 4, 5])
        found = by_sleep_times(sure, cycles, entries_at([200.0], rank=[9]), sleeps, NOISE)
        assert (found.cycle.tolist(), found.record.tolist()) == ([own], [4])
