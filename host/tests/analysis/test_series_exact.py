"""Trends, steps and dependence of a series against plain counts over all pairs and places."""

import math
from fractions import Fraction
from itertools import accumulate, combinations, pairwise
from statistics import NormalDist, fmean, median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resume_rig.analysis.stats.dependence import (
    autocorrelation_limit,
    values_per_independent,
)
from resume_rig.analysis.stats.figures import student_t_beyond
from resume_rig.analysis.stats.trend import (
    change_points_of,
    drift_of,
    errors_shown,
    fisher_p,
    holm,
    levels_between,
    ranks_of,
    training_of,
)


def plain_ranks(values: list[float]) -> list[float]:
    return [sum(v < value for v in values) + (values.count(value) + 1) / 2 for value in values]


@settings(max_examples=30)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_tied_values_share_the_mean_of_their_ranks(values: list[int]) -> None:
    assert ranks_of(np.array(values, dtype=np.float64)).tolist() == plain_ranks(values)


@pytest.mark.parametrize("n", [10, 16, 17, 31, 32, 33, 64, 65])
@pytest.mark.parametrize("top", [1, 4, 1_000])
@pytest.mark.parametrize("slope", [0.0, 0.5])
def test_a_drift_is_kendalls_test_and_the_middle_slope_of_all_pairs(n, top, slope) -> None:
    generator = np.random.default_rng(n * top)
    values = [float(v) for v in generator.integers(0, top + 1, n) + np.floor(slope * np.arange(n))]
    pairs = list(combinations(range(n), 2))
    score = sum((values[j] > values[i]) - (values[j] < values[i]) for i, j in pairs)
    ties = [values.count(value) for value in set(values)]
    variance = (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)) / 18
    slopes = sorted((values[j] - values[i]) / (j - i) for i, j in pairs)
    reach = 1.959964 * math.sqrt(variance)

    found = drift_of(np.array(values))

    assert found is not None
    z = max(0, abs(score) - 1) / math.sqrt(variance)
    assert found.p == pytest.approx(2 * NormalDist().cdf(-z), rel=1e-6, abs=1e-15)
    assert found.slope_ms == pytest.approx(100 * median(slopes))
    assert found.low_ms == 100 * slopes[math.floor((len(slopes) - reach) / 2) - 1]
    assert found.high_ms == 100 * slopes[math.floor((len(slopes) + reach) / 2)]


@pytest.mark.parametrize("n", [1_000, 1_001, 1_002])
def test_from_1001_values_on_a_drift_is_that_of_pairs_half_the_series_apart(n: int) -> None:
    values = np.random.default_rng(n).normal(size=n).cumsum()
    half = n // 2
    apart = sorted((values[n - half + k] - values[k]) / (n - half) for k in range(half))
    # The highest rank below which the median lies in one case of forty at most.
    chances = accumulate(Fraction(math.comb(half, k), 2**half) for k in range(half))
    low = sum(chance <= Fraction(1, 40) for chance in chances)
    every = [(values[k:] - values[:-k]) / k for k in range(1, n)]

    found = drift_of(values)

    assert found is not None
    if n == 1_000:
        assert found.slope_ms == pytest.approx(100 * np.median(np.concatenate(every)))
    else:
        expected = (median(apart), apart[low - 1], apart[half - low])
        assert (found.slope_ms, found.low_ms, found.high_ms) == pytest.approx(
            tuple(100 * each for each in expected)
        )


def test_nine_values_have_no_drift_and_ten_have_one() -> None:
    assert drift_of(np.arange(9.0)) is None
    found = drift_of(np.arange(10.0))
    assert found is not None
    assert (found.slope_ms, found.low_ms, found.high_ms) == (100.0, 100.0, 100.0)
    # 45 pairs rise: z is 44 over the root of 125.
    assert found.p == pytest.approx(2 * NormalDist().cdf(-44 / math.sqrt(125)), rel=1e-6)
    assert drift_of(np.full(10, 7.0)).p == 1.0


TRAINED = [1000.0, 1000.0, 1000.0]


@pytest.mark.parametrize(
    ("lengths_ms", "runs"),
    [
        ([47538.0, 24906.0, 18765.0, 16953.0, 17277.0, 17239.0], 3),  # Microsoft's paper
        ([1050.5, *TRAINED], 1),
        ([1050.0, *TRAINED], None),  # within 5 %
        ([2000.0, 1050.0, 1000.0, 1000.0, 950.0], 1),
        ([2000.0, 1050.5, 1000.0, 1000.0, 950.0], 2),
        ([2000.0, 1040.0, 1000.0, 1000.0, 949.5], None),
        ([2000.0, 1000.0, 1000.0], None),  # of two nobody can say that they are alike
        ([1000.0] * 6, None),
        ([900.0, *TRAINED], None),
        ([*range(2600, 2000, -100), *TRAINED], 6),
        ([*range(2700, 2000, -100), *TRAINED], None),  # no more than six train a system
        ([2000.0, 999.0, 2000.0, *TRAINED], None),
        ([math.nan, *TRAINED], None),
        ([2000.0, math.nan, *TRAINED], None),
        ([], None),
    ],
)
def test_training_is_the_slower_boots_before_some_that_are_alike(lengths_ms, runs) -> None:
    found = training_of(lengths_ms)

    assert (found.runs if found else None) == runs
    if found:
        assert found.of == len(lengths_ms)
        assert (found.first_ms, found.last_ms) == (lengths_ms[0], lengths_ms[runs - 1])
        assert found.trained_ms == median(lengths_ms[runs:])


def test_a_level_is_the_median_between_cuts() -> None:
    assert levels_between(np.array([1.0, 2.0, 9.0, 5.0, 7.0]), [3]) == [2.0, 6.0]
    assert levels_between(np.array([1.0, 2.0, 9.0]), []) == [2.0]


def clearest(values: list[float]) -> tuple[int, float]:
    """Return the cut whose sum of ranks is farthest from a level series', in its deviations."""
    n, ranks = len(values), plain_ranks(values)
    middle = fmean(ranks)
    spread = math.sqrt(fmean((rank - middle) ** 2 for rank in ranks))
    heights = {
        k: abs(sum(ranks[:k]) - k * middle) / (spread * math.sqrt(k * (n - k) / (n - 1)))
        for k in range(8, n - 7)
    }
    best = max(heights, key=heights.__getitem__)
    return best, heights[best]


@pytest.mark.parametrize("seed", range(8))
def test_a_step_stands_where_ranks_are_farthest_from_level(seed: int) -> None:
    generator = np.random.default_rng(seed)
    n, place = 40 + 3 * seed, 15 + 2 * seed
    values = np.round(generator.normal(size=n) * 10)
    values[place:] += 14
    cut, _ = clearest(values.tolist())

    (found,) = change_points_of(values, list(range(1, n + 1)))

    assert found.cycle == cut + 1
    assert (found.before_ms, found.after_ms) == (median(values[:cut]), median(values[cut:]))
    assert found.p <= 0.01


def test_a_level_has_eight_values_or_more() -> None:
    sixteen = np.array([1.0] * 8 + [2.0] * 8)

    assert [each.cycle for each in change_points_of(sixteen, list(range(16)))] == [8]
    assert change_points_of(sixteen[1:], list(range(15))) == ()
    # A step after seven is placed at eight; and so is one seven before the end.
    for early, cycle in (([1.0] * 7 + [2.0] * 43, 8), ([2.0] * 43 + [1.0] * 7, 42)):
        found = change_points_of(np.array(early), list(range(50)))
        assert [each.cycle for each in found] == [cycle]


# Drawn until 9, 10 and 11 of the 999 seeded permutations are as far from level.
SOME_STEPS = {
    0.01: "7 -10 -16 -29 -4 12 0 5 10 -9 27 -9 16 39 11 13 7 15 -9 6 29 14 10 16",
    0.011: "4 -1 11 -6 -2 -7 22 -12 10 -16 6 -11 16 6 25 13 14 14 11 10 6 18 16 7",
    0.012: "3 2 -17 -2 11 -13 6 -10 -11 8 -18 -7 25 7 -8 0 11 23 -4 12 13 25 17 10",
}


@pytest.mark.parametrize("p", SOME_STEPS)
def test_one_level_series_in_a_hundred_is_cut(p: float) -> None:
    found = change_points_of(np.array(SOME_STEPS[p].split(), dtype=np.float64), list(range(24)))

    assert [each.p for each in found] == ([p] if p <= 0.01 else [])


def test_of_more_than_300_values_the_chance_is_that_of_a_brownian_bridge() -> None:
    values = np.tile([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 43)
    values[150:] += 1.0
    cut, height = clearest(values.tolist())
    edge = 8 / 301
    # James, James and Siegmund, 1987.
    bridge = NormalDist().pdf(height) * (
        (height - 1 / height) * 2 * math.log((1 - edge) / edge) + 4 / height
    )

    (found,) = change_points_of(values, list(range(301)))
    (permuted,) = change_points_of(values[:300], list(range(300)))

    assert (found.cycle, found.p) == (cut, pytest.approx(bridge))
    assert bridge < 1e-3
    assert permuted.p == 0.001


def test_what_is_symmetric_at_one_end_of_a_long_level_series_is_no_step() -> None:
    assert change_points_of(np.array([1.0, 3.0] + [2.0] * 400), list(range(402))) == ()


def test_a_step_is_moved_to_where_its_neighbours_leave_it_best() -> None:
    levels = [900.0, 990.0, 930.0, 1000.0, 880.0]
    # The last step is cut at 121 first, where the others still stand about.
    generator = np.random.default_rng(1)
    values = np.repeat(levels, 30) + np.round(generator.normal(size=150) * 30)

    found = change_points_of(values, list(range(150)))

    places = [each.cycle for each in found]
    assert len(places) == 4
    bounds = [0, *places, 150]
    for index in (1, 2, 3, 4):
        # The neighbour before was moved first; that after it was not yet.
        assert abs(places[index - 1] - 30 * index) <= 3
    assert clearest(values[bounds[3] :].tolist())[0] == places[3] - bounds[3]
    for before, each, after in zip(bounds, found, bounds[2:], strict=False):
        assert each.before_ms == median(values[before : each.cycle])
        assert each.after_ms == median(values[each.cycle : after])


def test_fifty_steps_of_a_wild_series_are_named() -> None:
    stairs = np.repeat(np.arange(64.0), 16) + np.tile([0.0, 0.25], 512)

    found = change_points_of(stairs, list(range(1024)))

    assert len(found) == 50
    # The widest first: no two steps in a row are left out.
    places = [0, *(each.cycle for each in found), 1024]
    assert max(b - a for a, b in pairwise(places)) <= 32


@pytest.mark.parametrize(("n", "shift"), [(17, 1.0), (26, 0.8), (64, 0.5)])
def test_the_shift_that_is_shown_is_that_of_cohens_tables(n: int, shift: float) -> None:
    """Cohen (1988), table 2.4.1: so many a side show d with 80 % at 5 %, two-sided."""
    freedom = 2 * n - 2
    found = errors_shown(student_t_beyond(0.05, freedom), freedom)

    assert found * math.sqrt(2 / n) == pytest.approx(shift, rel=0.02)


def test_the_shift_that_is_shown_by_hand() -> None:
    # 3 (1 - 1/16) + 0.8416212 sqrt(1 + 9/8), over the median of the error, sqrt((1 - 2/36)^3).
    assert errors_shown(3.0, 4.0) == pytest.approx(
        (2.8125 + 0.8416212 * math.sqrt(2.125)) / math.sqrt((17 / 18) ** 3)
    )
    assert NormalDist().cdf(0.8416212) == pytest.approx(0.8, abs=1e-7)


@pytest.mark.parametrize("base_n", [1, 3, 6])
@pytest.mark.parametrize("candidate_n", [1, 4, 6])
def test_fishers_p_is_the_sum_over_all_tables_as_unlikely(base_n: int, candidate_n: int) -> None:
    for failed in range(base_n + candidate_n + 1):
        ways = {
            k: math.comb(base_n, failed - k) * math.comb(candidate_n, k)
            for k in range(max(0, failed - base_n), min(failed, candidate_n) + 1)
        }
        for k, own in ways.items():
            unlikely = sum(each for each in ways.values() if each <= own)
            p = Fraction(unlikely, sum(ways.values()))
            assert fisher_p(failed - k, base_n, k, candidate_n) == pytest.approx(float(p))
            assert fisher_p(failed - k, base_n, k, candidate_n) <= 1.0


def test_fishers_p_of_all_cycles_of_a_lab_is_a_number() -> None:
    assert fisher_p(1_000, 3_000, 1_000, 3_000) == pytest.approx(1.0)
    # By the normal approximation z is 12.9.
    assert 1e-40 < fisher_p(1_000, 3_000, 1_500, 3_000) < 1e-35


@settings(max_examples=40)
@given(st.lists(st.sampled_from([0, 0.001, 0.01, 0.02, 0.3, 0.4, 1]), max_size=12))
def test_holm_rejects_step_by_step(ps: list[float]) -> None:
    def adjusted(p: float) -> float:
        """Return the greatest of the steps at and before a p (Holm, 1979)."""
        ordered = sorted(ps)
        steps = [(len(ps) - place) * each for place, each in enumerate(ordered) if each <= p]
        last = ordered.index(p)
        return min(1.0, max(steps[: last + 1]))

    assert holm(ps) == [adjusted(p) for p in ps]


@pytest.mark.parametrize("phi", [0.0, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("n", [1, 2, 3, 12, 40])
def test_dependent_values_are_worth_what_the_variance_of_their_mean_says(phi, n) -> None:
    every = math.fsum(phi ** abs(i - j) for i in range(n) for j in range(n))

    most = max(1.0, n - 1.0)
    assert values_per_independent(phi, n) == pytest.approx(min(every / n, most))


def plain_limit(series: list[list[float]]) -> float:
    """Return the limit by its definition: Kendall's bias taken off, Bartlett's deviation added."""
    centred = [[value - fmean(each) for value in each] for each in series]
    power = math.fsum(value**2 for each in centred for value in each)
    lagged = math.fsum(a * b for each in centred for a, b in pairwise(each))
    total = sum(map(len, series))
    length = total / len(series)
    phi = min(1.0, max(-1.0, (lagged / power + 1 / length) / (1 - 3 / length)))
    return phi + NormalDist().inv_cdf(0.95) * math.sqrt((1 - phi**2) / total)


@pytest.mark.parametrize("phi", [-0.5, 0.0, 0.3, 0.5])
@pytest.mark.parametrize("lengths", [(60,), (5,), (9, 4), (24, 12, 3)])
def test_the_limit_of_the_autocorrelation_is_estimate_bias_and_deviation(phi, lengths) -> None:
    generator = np.random.default_rng(sum(lengths))
    series = [generator.integers(0, 9, n) + 0.0 for n in lengths]
    for each in series:
        for i in range(1, len(each)):
            each[i] += phi * each[i - 1]

    found = autocorrelation_limit([*series, np.array([])])

    plain = plain_limit([each.tolist() for each in series])
    assert found == pytest.approx(min(0.98, max(0.0, plain)), abs=1e-7)
    assert autocorrelation_limit([each / 1_000 for each in series]) == pytest.approx(found)


def test_the_limit_of_the_autocorrelation_ends() -> None:
    alternating = np.tile([1.0, -1.0], 10)
    walk = np.arange(50.0)

    assert autocorrelation_limit([alternating]) == 0.0
    assert autocorrelation_limit([walk]) == 0.98
    assert autocorrelation_limit([np.full(9, 4.0)]) == autocorrelation_limit([]) == 0.0
    assert autocorrelation_limit([np.array([1.0, -1.0, 1.0, -1.0])]) == 0.98  # too few to show less
    assert autocorrelation_limit([np.array([1.0, -1.0, 1.0, -1.0, 1.0])]) == 0.0
