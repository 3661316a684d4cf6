"""Votes for offsets, and their fit, against the same counted one pair after the other."""

import itertools

import numpy as np
import plain_match
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from match_parts import cycles_of, entries_of

from resume_rig.analysis.match.offset_vote import (
    NONE,
    Candidates,
    Run,
    agreed_offsets,
    fitted,
    fullest_windows,
    most_voters,
    residuals,
    voted_offsets,
)
from resume_rig.analysis.match.offsets import (
    LiveVotes,
    Tracks,
    find_tracks,
    short_stretches,
)
from resume_rig.analysis.match.times import UNKNOWN

# Halves and tenths of a second, so that votes lie on the edges of windows.
TENTHS = st.lists(st.integers(0, 200), min_size=1, max_size=30)


def seconds(tenths: list[int]) -> np.ndarray:
    return np.sort(np.array(tenths, dtype=np.float64)) / 16


@pytest.mark.parametrize(
    ("records", "voters"),
    [(0, 2_000_000), (1, 2_000_000), (3, 666_666), (200_000, 10), (285_714, 7), (400_000, 7)],
)
def test_so_many_cycles_vote_that_sorting_stays_quick(records: int, voters: int) -> None:
    assert most_voters(records) == voters


def plain_offsets(differences: list[float], most: int) -> list[float]:
    """Return the means of the fullest windows of 1.6 s, 0.8 s and more from one another."""
    ordered = sorted(differences)
    windows = [[d for d in ordered[at:] if d <= low + 1.6] for at, low in enumerate(ordered)]
    chosen: list[float] = []
    for window in sorted(windows, key=len, reverse=True):
        offset = sum(window) / len(window)
        if all(abs(offset - other) > 0.8 for other in chosen) and len(chosen) < most:
            chosen.append(offset)
    return chosen


@settings(max_examples=60)
@given(TENTHS, TENTHS, st.integers(1, 4))
def test_the_offsets_with_most_votes_are_chosen(cycles, entries, most) -> None:
    cycles, entries = cycles[:7], entries[:9]  # 63 votes: all windows are counted
    differences = [e - c for e in seconds(entries).tolist() for c in seconds(cycles).tolist()]

    found = voted_offsets(seconds(cycles), seconds(entries), most)

    assert found.tolist() == pytest.approx(plain_offsets(differences, most))
    agreed = agreed_offsets(np.sort(np.array(differences)), most)
    assert agreed.tolist() == pytest.approx(plain_offsets(differences, most))


@pytest.mark.parametrize("cycles", [39, 40, 41, 60])
def test_of_many_votes_the_fullest_windows_are_counted(cycles: int) -> None:
    generator = np.random.default_rng(cycles)
    at_s = np.sort(generator.uniform(0, 3000, cycles))
    inside_s = np.sort(np.concatenate([at_s[::2] + 512.25, generator.uniform(0, 4000, 30)]))
    differences = sorted(e - c for e in inside_s.tolist() for c in at_s.tolist())

    found = voted_offsets(at_s, inside_s, 2)

    assert found[0] == pytest.approx(512.25, abs=0.3)
    assert found[0] == pytest.approx(plain_offsets(differences, 1)[0])


def test_nothing_votes_for_nothing() -> None:
    assert voted_offsets(np.empty(0), np.array([1.0]), 3).tolist() == []
    assert voted_offsets(np.array([1.0]), np.empty(0), 3).tolist() == []
    assert agreed_offsets(np.empty(0), 3).tolist() == []


@settings(max_examples=60)
@given(TENTHS, st.integers(1, 12), st.integers(1, 30))
def test_the_fullest_windows_are_found_as_one_number_after_the_other(times, voters, least) -> None:
    differences = seconds(times)
    least, voters = min(least, len(differences)), min(voters, len(differences))

    found = fullest_windows(differences, voters, least)

    assert found.tolist() == plain_match.fullest_windows(differences, voters, least).tolist()


@pytest.mark.parametrize(("voters", "places"), [(1, 10), (2, 9), (9, 2), (10, 1)])
def test_no_more_votes_are_asked_for_than_there_are_voters(voters: int, places: int) -> None:
    assert fullest_windows(np.zeros(10), voters, 1).tolist() == list(range(places))


def test_windows_of_a_long_log_are_found_in_parts() -> None:
    differences = np.arange(70_000) * 1.0
    differences[[32_767, 32_768, 32_769, 65_536]] -= [0.0, 0.9, 1.8, 0.9]
    found = fullest_windows(np.sort(differences), 9, 3)

    assert found.tolist() == plain_match.fullest_windows(np.sort(differences), 9, 3).tolist()


@settings(max_examples=60)
@given(
    entries=TENTHS,
    cycles=TENTHS,
    offsets=st.lists(st.integers(-60, 60), min_size=1, max_size=4),
    is_read=st.booleans(),
    data=st.data(),
)
def test_the_nearest_entry_of_each_prediction_is_found(
    entries, cycles, offsets, is_read, data
) -> None:
    at_s = seconds(cycles)
    reading = data.draw(st.lists(st.integers(0, 4), min_size=len(at_s), max_size=len(at_s)))
    told = data.draw(st.lists(st.integers(-1, 4), min_size=len(entries), max_size=len(entries)))
    inside = entries_of(seconds(entries), reading=np.array(told, dtype=np.int32))
    run = Run(at_s, np.sort(np.array(reading, dtype=np.int32)) if is_read else None)
    predicted_s = at_s + np.array(offsets)[:, None] / 16

    found = residuals(inside, run, predicted_s, None)
    after = found[2].copy()
    # Moved a little, and from where they were before.
    again = residuals(inside, run, predicted_s + 0.25, after)

    for quick, shift_s in ((found, 0.0), (again, 0.25)):
        plain = plain_match.residuals(inside, run, predicted_s + shift_s, None)
        for one, other in zip(quick, plain, strict=True):
            assert np.array_equal(one, other)


def plain_fit(inside, run, middle_s, offset_s, rate):
    """Return offset, rate, score and the longest run without a pair, after two rounds."""
    away = (run.at_s - middle_s).tolist()

    def pairs():
        found = []
        for at, (time_s, away_s) in enumerate(zip(run.at_s.tolist(), away, strict=True)):
            predicted_s = time_s + offset_s + rate * away_s
            # Of two that are as near the one before is taken.
            entry = min(
                range(len(inside.at_s)), key=lambda e: (abs(inside.at_s[e] - predicted_s), e)
            )
            residual, late = float(inside.at_s[entry] - predicted_s), 0
            if run.reading is not None and inside.reading[entry] != -1:
                late = int(inside.reading[entry] - run.reading[at])
            if abs(residual) <= 1.3 and late >= 0:
                found.append((at, residual, away_s, 0.95**late))
        return found

    for _ in range(2):
        near = pairs()
        moved = sum(residual for _, residual, *_ in near) / max(len(near), 1)
        offset_s += moved
        if len(near) >= 24:
            weight = max(sum(away_s**2 for _, _, away_s, _ in near), 1.0)
            slope = sum((residual - moved) * away_s for _, residual, away_s, _ in near) / weight
            doubt = 0.3**2 / weight + len(near) / (12 * weight)
            rate += 30e-6**2 / (30e-6**2 + doubt) * slope
        rate = min(max(rate, -150e-6), 150e-6)
    near = pairs()
    score = sum((1 - 0.5 * (residual / 1.3) ** 2) * late for _, residual, _, late in near)
    places = [-1, *(at for at, *_ in near), len(away)]
    gaps = [b - a - 1 for a, b in itertools.pairwise(places)]
    return offset_s, rate, score, max(gaps)


@pytest.mark.parametrize("is_read", [False, True])
@pytest.mark.parametrize("ppm", [0.0, 60.0, -900.0])
@pytest.mark.parametrize("n", [23, 26, 64])
def test_an_offset_is_moved_to_the_middle_of_its_pairs(n: int, ppm: float, is_read: bool) -> None:
    generator = np.random.default_rng(n)
    at_s = np.cumsum(generator.uniform(20, 60, n))
    wakes = at_s * (1 + ppm * 1e-6) + 100 + generator.uniform(-0.5, 0.5, n)
    kept = np.flatnonzero(generator.random(n) < 0.95)
    reading = generator.integers(-1, 3, len(kept)) + kept * (generator.random(len(kept)) < 0.9)
    order = np.argsort(wakes[kept], kind="stable")
    inside = entries_of(wakes[kept][order], reading=reading[order].astype(np.int32))
    run = Run(at_s, np.arange(n, dtype=np.int32) if is_read else None)
    middle_s = float(at_s[0] + at_s[-1]) / 2
    starts = np.array([100.0, 100.9, 60.0, 100.0 + ppm * 1e-6 * middle_s])
    rates = np.array([0.0, 0.0, 20e-6, 140e-6])

    found = fitted(inside, run, middle_s, starts, rates)

    for at, (offset_s, rate) in enumerate(zip(starts.tolist(), rates.tolist(), strict=True)):
        plain = plain_fit(inside, run, middle_s, offset_s, rate)
        figures = (found.offset_s[at], found.rate[at], found.score[at], found.missed[at])
        assert figures == pytest.approx(plain, rel=1e-9, abs=1e-12)


def test_no_offsets_are_fitted_to_nothing() -> None:
    assert (
        fitted(entries_of([1.0]), Run(np.array([1.0]), None), 1.0, np.empty(0), np.empty(0)) is NONE
    )


@pytest.mark.parametrize(
    ("score", "missed", "explains"),
    [(6.0, 4.0, True), (5.9, 4.0, False), (6.0, 5.0, False), (8.0, 0.0, True)],
)
def test_three_of_four_cycles_and_no_five_in_a_row_missed_are_explained(
    score, missed, explains
) -> None:
    one, nothing = np.ones(1), np.zeros(1)
    best = Candidates(one, nothing, score * one, missed * one)
    poor = Candidates(2 * one, one, nothing, 9.0 * one)

    both = best.with_more(poor)

    assert both.explain(8) is best.explain(8) is explains
    assert not poor.with_more(best).explain(8)
    assert not NONE.explain(8)
    assert (len(NONE), len(both)) == (0, 2)
    assert both.where(np.array([1])).offset_s.tolist() == [2.0]
    assert (both.rate.tolist(), both.missed.tolist()) == ([0.0, 1.0], [missed, 9.0])


def test_the_record_of_a_reading_votes_for_the_cycles_before_it() -> None:
    # Five cycles; the log was read after each but the second, and late by one.
    cycles = cycles_of(
        [0.0, 40.0, 90.0, 150.0, 220.0],
        readings=4,
        reading=np.array([0, 1, 1, 2, 3], dtype=np.int32),
    )
    entries = entries_of(
        [50.0, 100.0, 150.0, 210.0, 330.0],
        reading=np.array([0, UNKNOWN, 1, 2, 3], dtype=np.int32),
    )

    found = LiveVotes(cycles, entries)

    # Readings 0 to 3 came after cycles 0, 2, 3 and 4; these votes agree, two for each lag.
    by_lag = [[0, 2, 3, 4], [None, 1, 2, 3], [None, 0, 1, 2], [None, None, 0, 1]]
    times_s = [50.0, 150.0, 210.0, 330.0]
    expected: list[float] = []
    for rows in by_lag:
        votes = [t - cycles.at_s[r] for t, r in zip(times_s, rows, strict=True) if r is not None]
        expected += plain_offsets(votes, 2)
    assert found.offsets(0, 5).tolist() == pytest.approx(expected)
    assert found.offsets(2, 3).tolist() == pytest.approx([60.0, 110.0, 150.0])
    assert found.offsets(1, 2).tolist() == []
    unread = LiveVotes(cycles_of([0.0, 40.0]), entries_of([5.0], reading=[0]))
    assert unread.offsets(0, 2).tolist() == []


@pytest.mark.parametrize(
    ("cycles", "first"),
    [(1, [0, 1]), (64, [0, 64]), (65, [0, 64, 65]), (512_000, None), (512_001, None)],
)
def test_a_campaign_is_cut_into_stretches_of_64_cycles_at_most_8000(cycles, first) -> None:
    found = short_stretches(cycles)

    if first is not None:
        assert found.tolist() == first
    else:
        assert found.tolist() == [*range(0, cycles, 64 + (cycles > 512_000)), cycles]
        assert len(found) <= 8_001


def test_a_run_has_readings_where_the_log_was_read() -> None:
    some = cycles_of([1.0, 2.0, 3.0], reading=np.array([4, 5, 6], dtype=np.int32))
    read = cycles_of([1.0, 2.0, 3.0], reading=np.array([4, 5, 6], dtype=np.int32), readings=7)

    assert Run.of(some, slice(1, 3)).reading is None
    assert Run.of(read, slice(1, 3)).reading.tolist() == [5, 6]
    assert Run.of(read, slice(1, 3)).at_s.tolist() == [2.0, 3.0]


def test_an_offset_moves_with_its_rate_from_the_middle_of_its_stretch() -> None:
    tracks = Tracks(
        np.array([0, 2, 4]),
        np.array([[100.0, 7.0], [101.0, 8.0]]),
        np.array([[0.5, 0.0], [-0.25, 0.0]]),
        np.array([10.0, 30.0]),
    )

    assert tracks.offset_at(0, 0, np.array([10.0, 14.0])).tolist() == [100.0, 102.0]
    both = tracks.offset_at(np.array([0, 1]), np.array([1, 0]), np.array([90.0, 34.0]))
    assert both.tolist() == [7.0, 100.0]


def test_a_stated_cycle_without_a_time_leaves_no_candidate() -> None:
    cycles = cycles_of([90.0], stated_pair=(7, 0))

    found = find_tracks(cycles, entries_of([95.0]), None, np.empty(0))

    assert found.first.tolist() == [0, 1]
    assert found.offset_s.shape == (1, 1)
    assert np.isnan(found.offset_s).all()
    assert (found.rate.tolist(), found.middle_s.tolist()) == ([[0.0]], [90.0])
