"""How wide 95 % of a sum of errors is, from how far the sum is from a normal distribution.

The excess kurtosis tells: 0 is a normal distribution (k = 1.96), -1.2 a rectangle (k = 1.645), -2
two points (k = 1). Cumulants of independent errors add, so the kurtosis of a sum is known without
a convolution. The table is the middle between sums of rectangles and sums of a rectangle, or the
phase of a PWM, and a normal error; each of those lies within 2 % of it (timing/budget_coverage.py
convolves, and a test compares the two).
"""

from bisect import bisect_left
from math import sqrt
from typing import Final

SQRT_3: Final = sqrt(3.0)
RECTANGLE_SHARE: Final = 0.95
"""Of a rectangle's half-width: 95 % of it."""

# (excess kurtosis, coverage factor), both rising.
_TABLE: Final = (
    (-2.0, 1.0),
    (-1.944, 1.035),
    (-1.65, 1.35),
    (-1.5, 1.5),
    (-1.336, 1.585),
    (-1.2, RECTANGLE_SHARE * SQRT_3),
    (-1.1, 1.7),
    (-1.0, 1.745),
    (-0.8, 1.815),
    (-0.6, 1.875),
    (-0.4, 1.907),
    (-0.2, 1.938),
    (0.0, 1.96),
)
_KURTOSES: Final = tuple(row[0] for row in _TABLE)
_FACTORS: Final = tuple(row[1] for row in _TABLE)


def factor_of(kurtosis: float) -> float:
    """Return the coverage factor of 95 % for an excess kurtosis."""
    return _between(kurtosis, _KURTOSES, _FACTORS)


def kurtosis_of(factor: float) -> float:
    """Return the excess kurtosis that has this coverage factor; the inverse of `factor_of`."""
    return _between(factor, _FACTORS, _KURTOSES)


def _between(x: float, xs: tuple[float, ...], ys: tuple[float, ...]) -> float:
    place = bisect_left(xs, x)
    if place == 0:
        return ys[0]
    if place == len(xs):
        return ys[-1]
    x0, x1, y0, y1 = xs[place - 1], xs[place], ys[place - 1], ys[place]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
