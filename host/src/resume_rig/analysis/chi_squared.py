"""Quantiles of the chi-squared distribution, for intervals of variances.

The regularised incomplete gamma function by its series (Abramowitz and Stegun, 6.5.29), inverted by
bisection; from 300 degrees of freedom on by Wilson and Hilferty (1931), which is off by less than
1e-5 of the value there.
"""

import functools
import math
from statistics import NormalDist
from typing import Final

_SERIES_MOST: Final = 300
_BISECTIONS: Final = 200


def chi_squared_below(x: float, freedom: float) -> float:
    """Return P(X <= x) for X chi-squared with `freedom` degrees of freedom, up to some hundred."""
    if x <= 0.0:
        return 0.0
    a, half = freedom / 2.0, x / 2.0
    term = total = 1.0 / a
    n = 0
    while term > 1e-16 * total:
        n += 1
        term *= half / (a + n)
        total += term
    return min(1.0, total * math.exp(a * math.log(half) - half - math.lgamma(a)))


@functools.cache
def chi_squared_quantile(share: float, freedom: float) -> float:
    """Return x with P(X <= x) = `share`.

    Args:
        share: 0..1, neither of them.
        freedom: degrees of freedom, above 0.
    """
    spread = 2.0 / (9.0 * freedom)
    if freedom > _SERIES_MOST:
        return freedom * (1.0 - spread + NormalDist().inv_cdf(share) * math.sqrt(spread)) ** 3
    low, high = 0.0, freedom + 60.0 * math.sqrt(2.0 * freedom) + 60.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if chi_squared_below(middle, freedom) < share else (low, middle)
    return (low + high) / 2
