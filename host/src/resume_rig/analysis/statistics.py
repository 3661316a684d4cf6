"""Figures of a set of times, and what a count of failures proves."""

import math
from collections.abc import Sequence

import numpy as np

from resume_rig.model.verdict import Statistics

_BISECTIONS = 100


def summarise(values_ms: Sequence[float]) -> Statistics:
    """Return the figures of a set of times in milliseconds.

    The 95th percentile and the median interpolate linearly between order statistics: the q-quantile
    stands at position q * (n - 1), counted from 0 (definition 7 of Hyndman and Fan, 1996).
    """
    if not values_ms:
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


def failure_rate_upper(failures: int, n: int, confidence: float = 0.95) -> float:
    """Return the one-sided upper bound on a failure rate, 0..1 (Clopper and Pearson, 1934).

    It is the rate at which `failures` or fewer in `n` would be seen with a chance of just
    1 - `confidence`. Without a trial it is 1.

    Raises:
        ValueError: 0 <= failures <= n and 0 < confidence < 1 do not hold.
    """
    if not 0 <= failures <= n or not 0.0 < confidence < 1.0:
        raise ValueError(f"no bound for {failures} failures of {n} at confidence {confidence}")
    if failures == n:
        return 1.0
    seen = np.arange(failures + 1, dtype=np.float64)
    log_ways = _log_binomials(n, failures)
    target = math.log1p(-confidence)
    low, high = failures / n, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        terms = log_ways + seen * math.log(middle) + (n - seen) * math.log1p(-middle)
        peak = float(terms.max())
        if peak + math.log(float(np.exp(terms - peak).sum())) > target:
            low = middle
        else:
            high = middle
    return high


def _log_binomials(n: int, most: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return log(n over k) for k = 0..most, float64 [most + 1]."""
    k = np.arange(1, most + 1, dtype=np.float64)
    return np.concatenate([[0.0], np.cumsum(np.log((n - k + 1) / k))])
