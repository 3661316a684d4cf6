"""Distributions without a table: exact tails of beta and binomial, quantiles of chi-squared.

The continued fraction is that of DiDonato and Morris (1992) as evaluated by Lentz's method
(Numerical Recipes, 6.4); checked against closed forms and numpy's own draws in the tests.

The regularised incomplete gamma function by its series (Abramowitz and Stegun, 6.5.29), inverted by
bisection; from 300 degrees of freedom on by Wilson and Hilferty (1931), which is off by less than
1e-5 of the value there.
"""

import functools
import math
from statistics import NormalDist
from typing import Final

# Numerical: far from any value, the last digit of a float64, ends of loops that converge before.
_TINY = 1e-300
_EPSILON = 1e-15
_STEPS_MOST = 20_000
_BISECTIONS = 200


def beta_below(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function: P(X <= x) for X ~ Beta(a, b).

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
        return min(1.0, math.exp(log_front) * _fraction(x, a, b) / a)
    return max(0.0, 1.0 - math.exp(log_front) * _fraction(1.0 - x, b, a) / b)


def binomial_at_most(k: int, n: int, p: float) -> float:
    """Return P(X <= k) for X ~ Binomial(n, p)."""
    if k < 0:
        return 0.0
    return 1.0 if k >= n else beta_below(1.0 - p, n - k, k + 1.0)


def beta_quantile(share: float, a: float, b: float) -> float:
    """Return x with P(X <= x) = `share` for X ~ Beta(a, b), by bisection to the last bit."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if beta_below(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def student_t_beyond(chance: float, freedom: float) -> float:
    """Return t with P(|T| > t) = `chance` for Student's T.

    Args:
        chance: 0..1, neither of them.
        freedom: degrees of it, above 0; effective ones need not be whole.
    """
    # Above 0 the tails are convex, and heavier than the normal ones: from there Newton's steps all
    # fall short of t, and none goes past it.
    t = NormalDist().inv_cdf(1.0 - chance / 2)
    log_front = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    front = math.exp(log_front) / math.sqrt(freedom * math.pi)
    for _ in range(_STEPS_MOST):
        density = front * (1.0 + t * t / freedom) ** (-(freedom + 1) / 2)
        step = (student_t_tails(t, freedom) - chance) / (2 * density)
        t += step
        if step <= 1e-12 * t:
            break
    return t


def student_t_tails(t: float, freedom: float) -> float:
    """Return P(|T| > |t|) for Student's T with `freedom` degrees of freedom."""
    return 0.0 if math.isinf(t) else beta_below(freedom / (freedom + t * t), freedom / 2, 0.5)


def normal_below(z: float) -> float:
    """Return P(Z <= z) of the standard normal distribution."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, _STEPS_MOST):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > _TINY else _TINY)
            c = 1.0 + term / c
            c = c if abs(c) > _TINY else _TINY
            value *= c * d
        if abs(c * d - 1.0) < _EPSILON:
            break
    return value


# Degrees of freedom from which on the approximation is used (see above).
_SERIES_MOST: Final = 300


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
