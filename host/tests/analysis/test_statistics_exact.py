"""Statistics against exact sums, closed forms and counts of every case."""

import math
from fractions import Fraction
from itertools import accumulate
from statistics import NormalDist, mean, median, stdev

import numpy as np
import pytest

from resume_rig.analysis.stats.figures import (
    CYCLES_MOST,
    beta_below,
    beta_quantile,
    binomial_at_most,
    chi_squared_below,
    chi_squared_quantile,
    cycles_needed,
    failure_rate,
    failure_rate_lower,
    failure_rate_upper,
    mean_interval,
    normal_below,
    quantile_interval,
    rank_below,
    scaled_mad,
    student_t_beyond,
    student_t_tails,
    summarise,
    undecided_text,
    values_for_quantile,
)
from resume_rig.model.result.series import CommonTerm


def at_most(n: int, share: Fraction) -> list[Fraction]:
    """Return P(X <= k) of Binomial(n, share) for each k."""
    return [*accumulate(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1))]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 41, 300])
@pytest.mark.parametrize("share", [Fraction(1, 64), Fraction(1, 2), Fraction(31, 32)])
def test_binomial_tails_are_exact_however_small(n: int, share: Fraction) -> None:
    p = float(share)
    for k, exact in enumerate(at_most(n, share)):
        # What stands on the other side of the mean is 1 less a tail.
        assert binomial_at_most(k, n, p) == pytest.approx(float(exact), rel=1e-11, abs=1e-300)
        if k < n:
            beyond = float(1 - exact)
            assert beta_below(p, k + 1, n - k) == pytest.approx(beyond, rel=1e-11, abs=1e-300)
    assert binomial_at_most(-1, n, p) == 0.0
    assert binomial_at_most(n, n, p) == binomial_at_most(n + 1, n, p) == 1.0


def test_beta_beyond_its_range_is_0_or_1() -> None:
    assert [beta_below(x, 2.0, 3.0) for x in (-1.0, 0.0, 1.0, 2.0)] == [0.0, 0.0, 1.0, 1.0]
    assert beta_below(1e-100, 3.0, 1.0) == pytest.approx(1e-300)
    assert beta_quantile(1e-90, 0.5, 1.0) == pytest.approx(1e-180)
    assert beta_quantile(0.25, 2.0, 1.0) == pytest.approx(0.5, rel=1e-14)


@pytest.mark.parametrize("a", [0.5, 3.0, 400.0, 2_000.0])
@pytest.mark.parametrize("b", [0.5, 1.0, 70.0, 2_000.0])
def test_beta_goes_on_smoothly_at_its_mean(a: float, b: float) -> None:
    x = (a + 1) / (a + b + 2)
    density = math.exp(
        math.lgamma(a + b)
        - math.lgamma(a)
        - math.lgamma(b)
        + (a - 1) * math.log(x)
        + (b - 1) * math.log1p(-x)
    )
    step = x * 1e-6
    grown = beta_below(x + step, a, b) - beta_below(x - step, a, b)
    assert grown == pytest.approx(2 * step * density, rel=1e-4)


def student_within(t: float, freedom: int) -> float:
    """Return P(|T| <= t) by its finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    odd = freedom % 2
    term, total = (math.cos(angle), 0.0) if odd else (1.0, 0.0)
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= math.cos(angle) ** 2 * (k - 1) / k
    if odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 8, 29, 30, 101])
@pytest.mark.parametrize("t", [0.01, 0.5, 1.0, 2.5, 6.0])
def test_students_tails_are_those_of_the_finite_sums(t: float, freedom: int) -> None:
    chance = 1 - student_within(t, freedom)

    assert student_t_tails(t, freedom) == pytest.approx(chance, rel=1e-9, abs=1e-13)
    assert student_t_tails(-t, freedom) == student_t_tails(t, freedom)
    assert student_t_beyond(student_t_tails(t, freedom), freedom) == pytest.approx(t, rel=1e-10)


def test_students_tails_end() -> None:
    assert student_t_tails(0.0, 3.0) == 1.0
    assert student_t_tails(math.inf, 3.0) == student_t_tails(-math.inf, 3.0) == 0.0


def chi_squared(x: float, freedom: int) -> float:
    """Return P(X <= x) by its finite sum (Abramowitz and Stegun, 26.4.4 and 26.4.5)."""
    half, odd = x / 2, freedom % 2
    start = math.erf(math.sqrt(half)) if odd else 1.0
    powers = [k + odd / 2 for k in range(freedom // 2)]
    return start - math.fsum(
        math.exp(p * math.log(half) - half - math.lgamma(p + 1)) for p in powers
    )


@pytest.mark.parametrize("freedom", [1, 2, 3, 6, 25, 120, 299, 300])
@pytest.mark.parametrize("share", [0.025, 0.5, 0.975, 1 - 1e-9])
def test_chi_squared_is_its_finite_sum_up_to_300_degrees(freedom: int, share: float) -> None:
    x = chi_squared_quantile(share, freedom)

    assert chi_squared(x, freedom) == pytest.approx(share, abs=1e-12)
    assert chi_squared_below(x, freedom) == pytest.approx(share, rel=1e-12)
    assert chi_squared_below(x / 3, freedom) == pytest.approx(
        chi_squared(x / 3, freedom), abs=1e-12
    )


def test_a_far_tail_of_chi_squared_keeps_its_digits() -> None:
    # Of two degrees it is exponential.
    assert chi_squared_quantile(1e-12, 2) == pytest.approx(2e-12)
    assert chi_squared_quantile(0.95, 10) == pytest.approx(18.307, abs=1e-3)


@pytest.mark.parametrize("share", [0.025, 0.975])
def test_chi_squared_of_more_degrees_is_wilsons_and_hilfertys(share: float) -> None:
    freedom = 301
    found = chi_squared_quantile(share, freedom)
    root = 1 - 2 / 2709 + NormalDist().inv_cdf(share) * math.sqrt(2 / 2709)

    assert found == pytest.approx(freedom * root**3, rel=1e-12)
    assert chi_squared(found, freedom) == pytest.approx(share, abs=2e-5)


def test_the_normal_distribution_is_that_of_the_library() -> None:
    for z in (-6.0, -1.0, 0.0, 0.3, 2.0):
        assert normal_below(z) == pytest.approx(NormalDist().cdf(z), rel=1e-9)


def test_figures_of_times_are_those_of_the_library() -> None:
    values = [3.0, 9.0, 1.0, 4.0, 20.0, 7.5]
    found = summarise(values)

    assert (found.n, found.min_ms, found.max_ms) == (6, 1.0, 20.0)
    assert (found.median_ms, found.mean_ms) == (median(values), mean(values))
    assert found.p95_ms == pytest.approx(9 + 0.75 * 11)
    spread = median(abs(value - median(values)) for value in values)
    assert scaled_mad(np.array(values)) == pytest.approx(1.4826 * spread)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
@pytest.mark.parametrize(("failures", "n"), [(1, 1), (1, 7), (4, 9), (9, 9)])
def test_at_the_lower_bound_so_many_failures_have_the_stated_chance(
    failures, n, confidence
) -> None:
    low = failure_rate_lower(failures, n, confidence)

    assert 1 - float(at_most(n, Fraction(low))[failures - 1]) == pytest.approx(1 - confidence)
    assert failure_rate_lower(failures, n) == failure_rate_lower(failures, n, 0.95)


def test_undecided_cycles_count_against_either_bound() -> None:
    rate = failure_rate(2, 10, 3)

    assert rate is not None
    assert (rate.failures, rate.n, rate.undecided, rate.needed_for_1_percent) == (2, 10, 3, 299)
    assert rate.low == failure_rate_lower(2, 13, 0.975)
    assert rate.high == failure_rate_upper(5, 13, 0.975)
    assert rate.upper == failure_rate_upper(5, 13, 0.95)
    assert undecided_text(rate) == " (3 without evidence counted as failed)"
    one = failure_rate(1, 1)
    assert one is not None
    assert (one.undecided, undecided_text(one)) == (0, "")


@pytest.mark.parametrize("failures", range(5))
@pytest.mark.parametrize("confidence", [0.6, 0.95, 0.99])
@pytest.mark.parametrize("rate", [Fraction(7, 8), Fraction(1, 2), Fraction(1, 16)])
def test_the_least_cycles_that_show_a_rate_are_found(failures, confidence, rate) -> None:
    n = cycles_needed(float(rate), confidence, failures)

    assert at_most(n, rate)[failures] <= 1 - Fraction(confidence)
    assert n == failures + 1 or at_most(n - 1, rate)[failures] > 1 - Fraction(confidence)


def test_a_count_that_is_whole_needs_no_more() -> None:
    assert cycles_needed(0.5, 0.75) == 2
    assert cycles_needed(0.1, 1 - 0.9**3) == 3
    assert cycles_needed(0.05) == cycles_needed(0.05, 0.95, 0) == 59


def test_the_most_cycles_are_allowed_and_one_more_refused() -> None:
    rate = -math.expm1(math.log(0.05) / (CYCLES_MOST - 0.5))
    assert cycles_needed(rate) == CYCLES_MOST
    with pytest.raises(ValueError, match="more than 100000000 cycles"):
        cycles_needed(-math.expm1(math.log(0.05) / (CYCLES_MOST + 0.5)))
    with pytest.raises(ValueError, match="more than 100000000 cycles"):
        cycles_needed(4e-8, failures=2)


@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
def test_the_ranks_of_a_quantile_are_the_narrowest_that_hold_it(share) -> None:
    tail = Fraction(1, 40)
    for n in range(48):
        below = [0, *at_most(n, share)]  # below[r]: fewer than r values stand below the quantile
        low = max(r for r in range(n + 1) if below[r] <= tail)
        high = min(r for r in range(1, n + 2) if 1 - below[r] <= tail) if n else 1
        values, lows, highs = ([10.0 * r + shift for r in range(1, n + 1)] for shift in (0, -3, 4))

        found = quantile_interval(values, float(share), lows_ms=lows, highs_ms=highs)
        exact = quantile_interval(values, float(share))

        assert rank_below(n, float(share), float(tail)) == low
        assert found.low_ms == (10 * low - 3 if low else None)
        assert found.high_ms == (10 * high + 4 if high <= n else None)
        assert exact.low_ms == (10 * low if low else None)
        assert exact.high_ms == (10 * high if high <= n else None)
        assert (found.share, found.confidence) == (float(share), 0.95)
        assert (found.low_ms is None or found.high_ms is None) == (n < found.needed)
        if n:
            assert found.value_ms == pytest.approx(10 + 10 * float(share) * (n - 1))


def test_95_percent_are_asked_for_where_nothing_else_is() -> None:
    assert failure_rate_upper(1, 9) == failure_rate_upper(1, 9, 0.95)
    assert (values_for_quantile(0.5), values_for_quantile(0.95)) == (6, 72)


def test_two_values_have_a_mean_with_its_interval() -> None:
    values = [100.0, 103.0]
    found = mean_interval(values, CommonTerm(rig_ms=0.5))

    # Of one degree of freedom Student's t is Cauchy's distribution.
    half = math.tan(math.pi / 2 * 0.95) * stdev(values) / math.sqrt(2) + 0.5
    assert found is not None
    assert (found.value_ms, found.confidence) == (101.5, 0.95)
    assert (found.low_ms, found.high_ms) == pytest.approx((101.5 - half, 101.5 + half))
    assert mean_interval([], CommonTerm()) is mean_interval([1.0], CommonTerm()) is None
