"""The half-width that holds 95 % of a sum of independent, symmetric errors, by convolution.

Multiplying characteristic functions convolves distributions. The sum's distribution function is
got back by Gil-Pelaez's integral, as a midpoint sum: exact but for what lies beyond its period
(nothing) and beyond its last frequency (below 1e-3). The ends of a PWM's phase are steps, which
no such sum follows, so they are taken apart first: the sum with a step is the mean of the sums at
its two ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.budget import Distribution

COVERAGE: Final = 0.95
_FREQUENCIES: Final = 768
_REACH: Final = 9.0  # standard deviations; beyond it lies nothing of a sum of several terms
_HALVINGS: Final = 34


@dataclass(frozen=True, slots=True)
class ErrorShape:
    """One independent error about 0: half-width and standard deviation in ns.

    `at_ends` is the probability of its two ends together, for PWM_PHASE alone.
    """

    distribution: Distribution
    half_width_ns: float
    standard_ns: float
    at_ends: float = 0.0


def expanded_half_width_ns(shapes: Sequence[ErrorShape]) -> float:
    """Return the half-width [ns] about 0 that holds 95 % of the sum of `shapes`."""
    shapes = [shape for shape in shapes if shape.standard_ns > 0]
    high_ns = sum(shape.half_width_ns for shape in shapes)
    if len(shapes) == 1 and shapes[0].distribution is Distribution.RECTANGLE:
        return COVERAGE * high_ns
    total = _Sum(shapes)
    low_ns = 0.0
    for _ in range(_HALVINGS):
        middle_ns = (low_ns + high_ns) / 2
        if 2 * total.below(middle_ns) - 1 < COVERAGE:
            low_ns = middle_ns
        else:
            high_ns = middle_ns
    return high_ns


class _Sum:
    """The distribution function of a sum of independent errors."""

    def __init__(self, shapes: Sequence[ErrorShape]) -> None:
        step = next((s for s in shapes if s.at_ends > 0), None)
        self._step = step
        if step is not None:
            others = [shape for shape in shapes if shape is not step]
            between = ErrorShape(
                Distribution.RECTANGLE, step.half_width_ns, step.half_width_ns / sqrt(3)
            )
            self._rest, self._even = _Sum(others), _Sum([*others, between])
            return
        self._reach_ns = sum(shape.half_width_ns for shape in shapes)
        self._scale_ns = sqrt(sum(shape.standard_ns**2 for shape in shapes))
        if self._scale_ns:
            period = 2 * _REACH
            self._t = (np.arange(_FREQUENCIES, dtype=np.float64) + 0.5) * (2 * pi / period)
            product = np.ones(_FREQUENCIES)
            for shape in shapes:
                product *= _characteristic(shape, self._t, self._scale_ns)
            self._weights = product / self._t * (2 / period)

    def below(self, x_ns: float) -> float:
        """Return the probability that the sum is at most `x_ns`."""
        step = self._step
        if step is not None:
            a_ns, share = step.half_width_ns, step.at_ends
            ends = (self._rest.below(x_ns - a_ns) + self._rest.below(x_ns + a_ns)) / 2
            return share * ends + (1 - share) * self._even.below(x_ns)
        if not self._scale_ns or abs(x_ns) >= min(self._reach_ns, _REACH / 2 * self._scale_ns):
            return 1.0 if x_ns >= 0 else 0.0
        wave = np.sin(self._t * (x_ns / self._scale_ns))
        return 0.5 + float(np.dot(wave, self._weights))


def _characteristic(
    shape: ErrorShape, t: NDArray[np.float64], scale_ns: float
) -> NDArray[np.float64]:
    """Characteristic function at `t` / `scale_ns`; real, as the error is symmetric."""
    if shape.distribution is Distribution.NORMAL:
        normal: NDArray[np.float64] = np.exp(-0.5 * (shape.standard_ns / scale_ns * t) ** 2)
        return normal
    even: NDArray[np.float64] = np.sinc(shape.half_width_ns / scale_ns / pi * t)
    return even
