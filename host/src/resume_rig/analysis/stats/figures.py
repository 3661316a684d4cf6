"""Distributions without a table, figures of a set of times, and what a count of failures proves.

docs/decisions/statistics-without-scipy.md says why no library; docs/reference/statistics.md has
the methods.
"""

import functools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.result.series import CommonTerm, FailureRate, MeanInterval, QuantileInterval
from resume_rig.model.result.verdict import Statistics

# Numerical: the last digit of a float64, the end of a loop that converges before.
_EPSILON = 1e-15
_STEPS_MOST = 20_000


def beta_below(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function: P(X <= x) for X ~ Beta(a, b).

    By the continued fraction of DiDonato and Morris (1992).

    Args:
        x: any number; outside of 0..1 the answer is 0 or 1.
        a: above 0.
        b: above 0.
    """
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    # The fraction converges fast on this side of the mean only.
    if x < (a + 1.0) / (a + b + 2.0):
        return math.exp(log_front) * _fraction(x, a, b) / a
    return 1.0 - math.exp(log_front) * _fraction(1.0 - x, b, a) / b


def binomial_at_most(k: int, n: int, p: float) -> float:
    """Return P(X <= k) for X ~ Binomial(n, p)."""
    if k < 0:
        return 0.0
    return 1.0 if k >= n else beta_below(1.0 - p, n - k, k + 1.0)


def beta_quantile(share: float, a: float, b: float) -> float:
    """Return x with P(X <= x) = `share` for X ~ Beta(a, b), by bisection to the last bit."""
    return _inverse(lambda x: beta_below(x, a, b), share, 1.0)


@functools.cache
def student_t_beyond(chance: float, freedom: float) -> float:
    """Return t with P(|T| > t) = `chance` for Student's T.

    Args:
        chance: 0..1, neither of them.
        freedom: degrees of it, above 0; effective ones need not be whole.
    """
    x = beta_quantile(chance, freedom / 2, 0.5)
    return math.sqrt(freedom * (1.0 - x) / x)


def student_t_tails(t: float, freedom: float) -> float:
    """Return P(|T| > |t|) for Student's T with `freedom` degrees of freedom."""
    return 0.0 if math.isinf(t) else beta_below(freedom / (freedom + t * t), freedom / 2, 0.5)


def normal_below(z: float) -> float:
    """Return P(Z <= z) of the standard normal distribution."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the beta function, by Lentz (Numerical Recipes, 6.4)."""
    # On this side of the mean no denominator comes near 0: the least is the first, 2 / (a + b + 2).
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, _STEPS_MOST):
        even_term = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd_term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even_term, odd_term):
            d = 1.0 / (1.0 + term * d)
            c = 1.0 + term / c
            value *= c * d
        if abs(c * d - 1.0) < _EPSILON:
            break
    return value


def _inverse(below: Callable[[float], float], share: float, high: float) -> float:
    """Return where a distribution on 0..`high` reaches `share`, by bisection to the last bit."""
    low = 0.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if below(middle) < share else (low, middle)
    return high


# Degrees of freedom from which on Wilson and Hilferty (1931) serve: off by less than 1e-5 of the
# value there.
_SERIES_MOST: Final = 300
# No quantile of so many is above it.
_BEYOND_SERIES: Final = 1000.0


def chi_squared_below(x: float, freedom: float) -> float:
    """Return P(X <= x) for X chi-squared with `freedom` degrees of freedom.

    The regularised incomplete gamma function by its series (Abramowitz and Stegun, 6.5.29).

    Args:
        x: above 0, some hundred at most.
        freedom: above 0, likewise.
    """
    a, half = freedom / 2.0, x / 2.0
    term = total = 1.0 / a
    n = 0
    while term > 1e-16 * total:
        n += 1
        term *= half / (a + n)
        total += term
    return total * math.exp(a * math.log(half) - half - math.lgamma(a))


@functools.cache
def chi_squared_quantile(share: float, freedom: float) -> float:
    """Return x with P(X <= x) = `share`.

    Args:
        share: 0..1, neither of them.
        freedom: degrees of freedom, above 0.
    """
    if freedom > _SERIES_MOST:
        spread = 2.0 / (9.0 * freedom)
        return freedom * (1.0 - spread + NormalDist().inv_cdf(share) * math.sqrt(spread)) ** 3
    return _inverse(lambda x: chi_squared_below(x, freedom), share, _BEYOND_SERIES)


MAD_TO_SIGMA = 1.4826
"""A median absolute deviation times this is the standard deviation of normal values: 1 / 0.6745."""

CONFIDENCE: Final = 0.95
"""Of intervals of quantiles and means, the usual one."""

CYCLES_MOST = 100_000_000
"""Assumed: a count of cycles beyond this is none that anybody runs."""


def summarise(values_ms: Sequence[float]) -> Statistics:
    """Return the figures of a set of times in milliseconds.

    The 95th percentile and the median interpolate linearly between order statistics: the q-quantile
    stands at position q * (n - 1), counted from 0 (definition 7 of Hyndman and Fan, 1996).
    """
    if not len(values_ms):
        return Statistics(0, None, None, None, None, None)
    values = np.asarray(values_ms, dtype=np.float64)
    return Statistics(
        n=len(values),
        min_ms=float(values.min()),
        median_ms=float(np.median(values)),
        mean_ms=float(values.mean()),
        p95_ms=float(np.quantile(values, 0.95, method="linear")),
        max_ms=float(values.max()),
    )


def scaled_mad(values: NDArray[np.float64]) -> float:
    """Return the median absolute deviation, scaled: a spread that a few far values do not move."""
    return MAD_TO_SIGMA * float(np.median(np.abs(values - np.median(values))))


def failure_rate_upper(failures: int, n: int, confidence: float = 0.95, tau: float = 1.0) -> float:
    """Return the one-sided upper bound on a failure rate, 0..1 (Clopper and Pearson, 1934).

    It is the rate at which `failures` or fewer in `n` would come with a chance of just
    1 - `confidence`. Without a trial it is 1.

    Args:
        failures: of `n`.
        n: cycles.
        confidence: of the bound.
        tau: cycles that count as one, 1 or more (stats/dependence.py): the bound is that of
            failures / tau in n / tau.

    Raises:
        ValueError: 0 <= failures <= n and 0 < confidence < 1 do not hold.
    """
    _check_trials(failures, n, confidence)
    if failures == n:
        return 1.0
    return beta_quantile(confidence, failures / tau + 1, (n - failures) / tau)


def failure_rate_lower(failures: int, n: int, confidence: float = 0.95, tau: float = 1.0) -> float:
    """Return the one-sided lower bound on a failure rate, 0..1; without a failure it is 0.

    Raises:
        ValueError: as of `failure_rate_upper`.
    """
    _check_trials(failures, n, confidence)
    if failures == 0:
        return 0.0
    return beta_quantile(1.0 - confidence, failures / tau, (n - failures) / tau + 1)


RUN_ASSUMED: Final = 10.0
"""Length of the runs of which a bound is given beside that of single failures, as few failures do
not show how they come. Assumed: a night in ten cycles, a warm rig, one bad cold boot."""


def failure_rate(failures: int, n: int, undecided: int = 0, tau: float = 1.0) -> FailureRate | None:
    """Return what `failures` of `n` judged cycles show at 95 %; None without a judged cycle.

    Args:
        failures: of the judged ones.
        n: judged ones.
        undecided: further ones that may have failed or not: they count against either bound.
        tau: cycles that count as one, by the runs that the failures come in.
    """
    if n == 0:
        return None
    most, all_of_them = failures + undecided, n + undecided
    in_runs = max(tau, RUN_ASSUMED)
    return FailureRate(
        failures=failures,
        n=n,
        low=failure_rate_lower(failures, all_of_them, 0.975, tau),
        high=failure_rate_upper(most, all_of_them, 0.975, tau),
        upper=failure_rate_upper(most, all_of_them, 0.95, tau),
        needed_for_1_percent=cycles_needed(0.01),
        undecided=undecided,
        tau=tau,
        upper_in_runs=failure_rate_upper(most, all_of_them, 0.95, in_runs),
    )


def undecided_text(rate: FailureRate) -> str:
    """Return what a bound counts as failed besides what failed; nothing where that is none."""
    return f" ({rate.undecided} without evidence counted as failed)" if rate.undecided else ""


def cycles_needed(rate: float, confidence: float = 0.95, failures: int = 0) -> int:
    """Return how many cycles with at most `failures` failed show a failure rate of `rate` or less.

    Its inverse is `failure_rate_upper(failures, n, confidence)`.

    Raises:
        ValueError: `rate` or `confidence` is not within 0..1, or more than CYCLES_MOST are needed.
    """
    if not 0.0 < rate < 1.0 or not 0.0 < confidence < 1.0 or failures < 0:
        raise ValueError(f"no count for rate {rate} at confidence {confidence}")
    if failures == 0:
        return _checked(math.ceil(math.log1p(-confidence) / math.log1p(-rate) - 1e-9))
    counts = range(failures, CYCLES_MOST + 1)
    further = bisect_left(
        counts, True, key=lambda n: binomial_at_most(failures, n, rate) <= 1.0 - confidence
    )
    return _checked(failures + further)


def quantile_interval(
    ordered_ms: Sequence[float],
    share: float,
    *,
    lows_ms: Sequence[float] | None = None,
    highs_ms: Sequence[float] | None = None,
    tau: float = 1.0,
) -> QuantileInterval:
    """Return a quantile and the interval between two order statistics that holds the true one.

    The ranks come from the binomial distribution alone (David and Nagaraja, Order Statistics, 7.1),
    each side with 2.5 %: at least 95 % for any distribution, more where few values leave only
    coarse ranks. Where each truth lies between a low and a high of its own, the r-th of the truths
    lies between the r-th low and the r-th high, whatever the errors share: so the interval holds
    the quantile of the truths as well.

    Args:
        ordered_ms: ascending; repeated values are allowed, and make it wider than it must be.
        share: which quantile, above 0 and below 1.
        lows_ms: the values less their bounds, ascending; None: they are exact.
        highs_ms: the values plus their bounds, likewise.
        tau: values that count as one, where they depend on one another (stats/dependence.py).
    """
    lows_ms = ordered_ms if lows_ms is None else lows_ms
    highs_ms = ordered_ms if highs_ms is None else highs_ms
    n, tail = len(ordered_ms), (1.0 - CONFIDENCE) / 2
    lower = rank_below(n, share, tail, tau)
    upper = n + 1 - rank_below(n, 1.0 - share, tail, tau)
    estimate = float(np.quantile(np.asarray(ordered_ms), share)) if n else None
    return QuantileInterval(
        share=share,
        value_ms=estimate,
        low_ms=float(lows_ms[lower - 1]) if lower >= 1 else None,
        high_ms=float(highs_ms[upper - 1]) if upper <= n else None,
        confidence=CONFIDENCE,
        needed=math.ceil(values_for_quantile(share) * tau),
    )


def mean_interval(
    values_ms: Sequence[float], common: CommonTerm, tau: float = 1.0
) -> MeanInterval | None:
    """Return a mean with its 95 % interval; None below two values, or what is worth no more.

    Student's t over the scatter, and on both sides all that the values have in common, which no
    number of them makes less. It holds the true mean of the cycles that were run. Of cycles that
    were not it holds the mean as far as these are like them: what is so rare that no value shows
    it is in no interval of a mean, while a quantile's holds whatever the distribution.

    Args:
        values_ms: in any order.
        common: what all of them may have wrong alike.
        tau: values that count as one, where they depend on one another (stats/dependence.py).
    """
    n = len(values_ms)
    if n < 2 or tau > n - 1:
        return None
    values = np.asarray(values_ms, dtype=np.float64)
    mean_ms = float(values.mean())
    # Dependent values lie closer together than they scatter in the long run: n - tau, not n - 1.
    variance = float(((values - mean_ms) ** 2).sum()) / (n - tau)
    standard_ms = math.sqrt(variance * tau / n)
    freedom = max(1.0, n / tau - 1.0)
    half_ms = student_t_beyond(1.0 - CONFIDENCE, freedom) * standard_ms + common.common_ms
    return MeanInterval(mean_ms, standard_ms, mean_ms - half_ms, mean_ms + half_ms, CONFIDENCE)


def values_for_quantile(share: float) -> int:
    """Return how many values a two-sided 95 % interval of a quantile needs at least."""
    rarer = min(share, 1.0 - share)
    return math.ceil(math.log((1.0 - CONFIDENCE) / 2) / math.log1p(-rarer) - 1e-9)


def rank_below(n: int, share: float, tail: float, tau: float = 1.0) -> int:
    """Return the highest rank r, from 1, with P(the quantile is below the r-th value) <= tail.

    Where `tau` values count as one, r - 1 of n values below it are (r - 1) / tau of n / tau.
    """

    # The r-th value is above the quantile where at most r - 1 values are below it.
    def chance(below: int) -> float:
        return beta_below(1.0 - share, (n - below) / tau, below / tau + 1.0)

    return bisect_right(range(n), tail, key=chance)


def _check_trials(failures: int, n: int, confidence: float) -> None:
    if not 0 <= failures <= n or not 0.0 < confidence < 1.0:
        raise ValueError(f"no bound for {failures} failures of {n} at confidence {confidence}")


def _checked(count: int) -> int:
    if count > CYCLES_MOST:
        raise ValueError(f"more than {CYCLES_MOST} cycles would be needed")
    return count
