"""Figures of a set of times, and what a count of failures proves."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.stats.distributions import (
    beta_quantile,
    binomial_at_most,
    student_t_beyond,
)
from resume_rig.model.result.series import CommonTerm, FailureRate, MeanInterval, QuantileInterval
from resume_rig.model.result.verdict import Statistics

MAD_TO_SIGMA = 1.4826
"""A median absolute deviation times this is the standard deviation of normal values."""

CYCLES_MOST = 100_000_000
"""A count of cycles beyond this is none that anybody runs."""


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


def failure_rate_upper(failures: int, n: int, confidence: float = 0.95) -> float:
    """Return the one-sided upper bound on a failure rate, 0..1 (Clopper and Pearson, 1934).

    It is the rate at which `failures` or fewer in `n` would be seen with a chance of just
    1 - `confidence`. Without a trial it is 1.

    Raises:
        ValueError: 0 <= failures <= n and 0 < confidence < 1 do not hold.
    """
    _check_trials(failures, n, confidence)
    if failures == n:
        return 1.0
    return beta_quantile(confidence, failures + 1, n - failures)


def failure_rate_lower(failures: int, n: int, confidence: float = 0.95) -> float:
    """Return the one-sided lower bound on a failure rate, 0..1; without a failure it is 0.

    Raises:
        ValueError: as of `failure_rate_upper`.
    """
    _check_trials(failures, n, confidence)
    if failures == 0:
        return 0.0
    return beta_quantile(1.0 - confidence, failures, n - failures + 1)


def failure_rate(failures: int, n: int, undecided: int = 0) -> FailureRate | None:
    """Return what `failures` of `n` judged cycles show at 95 %; None without a judged cycle.

    Args:
        failures: of the judged ones.
        n: judged ones.
        undecided: further ones that may have failed or not: they count against either bound.
    """
    if n == 0:
        return None
    most, all_of_them = failures + undecided, n + undecided
    return FailureRate(
        failures=failures,
        n=n,
        low=failure_rate_lower(failures, all_of_them, 0.975),
        high=failure_rate_upper(most, all_of_them, 0.975),
        upper=failure_rate_upper(most, all_of_them, 0.95),
        needed_for_1_percent=cycles_needed(0.01),
        undecided=undecided,
    )


def undecided_text(rate: FailureRate) -> str:
    """Return what a bound has counted as failed beside what failed; nothing where that is none."""
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
    low, high = failures, failures + 1
    while binomial_at_most(failures, high, rate) > 1.0 - confidence:
        low, high = high, _checked(high * 2)
    while high - low > 1:
        middle = (low + high) // 2
        if binomial_at_most(failures, middle, rate) > 1.0 - confidence:
            low = middle
        else:
            high = middle
    return high


def quantile_interval(
    ordered_ms: Sequence[float],
    share: float,
    confidence: float = 0.95,
    *,
    lows_ms: Sequence[float] | None = None,
    highs_ms: Sequence[float] | None = None,
) -> QuantileInterval:
    """Return a quantile and the interval between two order statistics that holds the true one.

    The ranks come from the binomial distribution alone (David and Nagaraja, Order Statistics,
    7.1), each side with (1 - confidence) / 2: at least `confidence` for any distribution, more
    where few values leave only coarse ranks. Where each truth lies between a low and a high of
    its own, the r-th of the truths lies between the r-th low and the r-th high, whatever the
    errors share: so the interval holds the quantile of the truths as well.

    Args:
        ordered_ms: ascending; repeated values are allowed, and make it wider than it must be.
        share: which quantile, above 0 and below 1.
        confidence: above 0 and below 1.
        lows_ms: the values less their bounds, ascending; None: they are exact.
        highs_ms: the values plus their bounds, likewise.
    """
    lows_ms = ordered_ms if lows_ms is None else lows_ms
    highs_ms = ordered_ms if highs_ms is None else highs_ms
    n, tail = len(ordered_ms), (1.0 - confidence) / 2
    lower, upper = _rank_below(n, share, tail), n + 1 - _rank_below(n, 1.0 - share, tail)
    estimate = float(np.quantile(np.asarray(ordered_ms), share)) if n else None
    return QuantileInterval(
        share=share,
        value_ms=estimate,
        low_ms=float(lows_ms[lower - 1]) if lower >= 1 else None,
        high_ms=float(highs_ms[upper - 1]) if upper <= n else None,
        confidence=confidence,
        needed=values_for_quantile(share, confidence),
    )


def mean_interval(
    values_ms: Sequence[float], common: CommonTerm, confidence: float = 0.95
) -> MeanInterval | None:
    """Return a mean with its interval; None below two values.

    Student's t over the scatter, and on both sides all that the values have in common, which no
    number of them makes less. It holds the true mean of the cycles that were run. Of cycles that
    were not it holds the mean as far as these are like them: what is so rare that no value shows
    it is in no interval of a mean, while a quantile's holds whatever the distribution.
    """
    n = len(values_ms)
    if n < 2:
        return None
    values = np.asarray(values_ms, dtype=np.float64)
    mean_ms, standard_ms = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n)
    half_ms = student_t_beyond(1.0 - confidence, n - 1) * standard_ms + common.common_ms
    return MeanInterval(mean_ms, standard_ms, mean_ms - half_ms, mean_ms + half_ms, confidence)


def values_for_quantile(share: float, confidence: float = 0.95) -> int:
    """Return how many values a two-sided interval of a quantile needs at least."""
    rarer = min(share, 1.0 - share)
    return math.ceil(math.log((1.0 - confidence) / 2) / math.log1p(-rarer) - 1e-9)


def _rank_below(n: int, share: float, tail: float) -> int:
    """Return the highest rank r, from 1, with P(the quantile is below the r-th value) <= tail."""
    low, high = 0, n + 1
    while high - low > 1:
        middle = (low + high) // 2
        # The r-th value is above the quantile where at most r - 1 values are below it.
        if binomial_at_most(middle - 1, n, share) <= tail:
            low = middle
        else:
            high = middle
    return low


def _check_trials(failures: int, n: int, confidence: float) -> None:
    if not 0 <= failures <= n or not 0.0 < confidence < 1.0:
        raise ValueError(f"no bound for {failures} failures of {n} at confidence {confidence}")


def _checked(count: int) -> int:
    if count > CYCLES_MOST:
        raise ValueError(f"more than {CYCLES_MOST} cycles would be needed")
    return count
