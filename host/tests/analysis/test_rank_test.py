"""Rank tests against full enumeration, and their stated error rates on seeded samples."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.rank_test import (
    EXACT_MOST,
    detectable_shift,
    fisher_p,
    holm,
    rank_sum_p,
    shift_between,
)
from resume_rig.analysis.trend import ranks_of

SEED = 20_260_104
values = st.lists(st.integers(0, 6), min_size=1, max_size=6)


def skewed(generator: np.random.Generator, n: int, shift: float = 0.0) -> np.ndarray:
    return np.sort(900 * np.exp(0.05 * generator.standard_t(5, n)) + shift)


@given(base=values, candidate=values)
def test_the_exact_p_is_that_of_all_permutations(base, candidate) -> None:
    n, m = len(base), len(candidate)
    ranks = ranks_of(np.array([*base, *candidate], dtype=np.float64))
    middle = m * (n + m + 1) / 2
    seen = abs(ranks[n:].sum() - middle)
    away = [abs(ranks[list(c)].sum() - middle) for c in combinations(range(n + m), m)]

    p = rank_sum_p(np.array(base, dtype=np.float64), np.array(candidate, dtype=np.float64))

    assert p == pytest.approx(np.mean([each >= seen - 1e-9 for each in away]))


def test_the_normal_limit_goes_on_where_counting_ends() -> None:
    generator = np.random.default_rng(SEED)
    n = EXACT_MOST // 2
    for shift in (0.0, 15.0, 30.0):
        base, candidate = skewed(generator, n), skewed(generator, n, shift)
        # One more value in the middle of each sample hardly changes what they say.
        more = (np.append(base, np.median(base)), np.append(candidate, np.median(candidate)))
        assert rank_sum_p(base, candidate) == pytest.approx(rank_sum_p(*more), abs=0.03)


@pytest.mark.parametrize(("n", "m"), [(6, 9), (30, 30), (45, 80)])
def test_the_shift_lies_in_its_interval(n: int, m: int) -> None:
    generator = np.random.default_rng(SEED)
    held = []
    for _ in range(1_000):
        shift, low, high = shift_between(skewed(generator, n), skewed(generator, m, 25.0))
        assert low <= shift <= high
        held.append(low <= 25.0 <= high)

    assert 0.935 <= np.mean(held) <= 0.985


def test_no_difference_is_found_as_often_as_stated() -> None:
    generator = np.random.default_rng(SEED)
    for n in (12, 40):
        ps = [rank_sum_p(skewed(generator, n), skewed(generator, n)) for _ in range(1_000)]
        assert 0.03 <= np.mean([p <= 0.05 for p in ps]) <= 0.066


@pytest.mark.parametrize(("n", "alpha"), [(10, 0.01), (25, 0.05), (80, 0.005)])
def test_what_is_called_detectable_is_found_in_four_of_five(n: int, alpha: float) -> None:
    generator = np.random.default_rng(SEED)
    found, shifts = [], []
    for _ in range(250):
        base, candidate = generator.normal(900, 20, n), generator.normal(900, 20, n)
        shift = detectable_shift(base, candidate, alpha, 0.0)
        shifts.append(shift)
        found.append(rank_sum_p(base, candidate + shift) <= alpha)
    at_median = np.median(shifts)
    again = [
        rank_sum_p(generator.normal(900, 20, n), generator.normal(900 + at_median, 20, n)) <= alpha
        for _ in range(250)
    ]

    assert 0.70 <= np.mean(found) <= 0.95
    assert 0.72 <= np.mean(again) <= 0.96


def test_too_few_values_detect_nothing() -> None:
    base, candidate = np.arange(4.0), np.arange(4.0)

    assert detectable_shift(base, candidate, 0.05, 1.0) is not None
    assert detectable_shift(base, candidate, 2 / comb(8, 4) - 1e-9, 1.0) is None
    assert detectable_shift(base[:1], candidate, 0.5, 1.0) is None
    assert shift_between(np.arange(2.0), np.arange(3.0))[1:] == (None, None)


def test_a_shift_among_ten_billion_pairs_is_that_among_few() -> None:
    generator = np.random.default_rng(SEED)
    base, candidate = skewed(generator, 1_500), skewed(generator, 1_500, 7.0)
    differences = np.sort(np.subtract.outer(candidate, base).ravel())

    shift, low, high = shift_between(base, candidate)

    assert shift == pytest.approx(np.median(differences), abs=1e-3)
    share = np.searchsorted(differences, [low, high]) / len(differences)
    assert share == pytest.approx(0.5 + np.array([-1, 1]) * 1.96 / np.sqrt(6 * 1_500), abs=1e-3)


@pytest.mark.parametrize(
    ("counts", "p"),
    # Fisher's tea tasting, and a table whose p R's fisher.test gives as 0.003691.
    [
        ((1, 4, 3, 4), 34 / 70),
        ((1, 10, 9, 12), 0.003691),
        ((0, 50, 0, 50), 1.0),
        ((5, 5, 0, 5), 2 / 252),
    ],
)
def test_fishers_exact_test(counts, p) -> None:
    assert fisher_p(*counts) == pytest.approx(p, abs=1e-6)


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_keeps_order_and_never_helps(ps: list[float]) -> None:
    adjusted = holm(ps)

    assert all(a >= p for a, p in zip(adjusted, ps, strict=True))
    assert all(a <= min(1.0, len(ps) * p) + 1e-12 for a, p in zip(adjusted, ps, strict=True))
    order = sorted(range(len(ps)), key=ps.__getitem__)
    assert [adjusted[i] for i in order] == sorted(adjusted)
