"""Which offsets and rates of two clocks all bounds allow: a polygon, asked for at any time.

Seen from time t the unknowns are the offset x and its rate r. Each bound of the offset at another
time is a half-plane in (x, r), loosened by what the rate may have drifted in between; so are the
limits of the rate. What all allow is a polygon; its extent in x bounds the offset, its extent in
r bounds the rate. Both are exact answers of a linear program in two unknowns.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resume_rig.timing.clock_hull import BoundHull
from resume_rig.timing.clock_limits import ClockLimits

# At 100 ppb/s a bound from 5 minutes away is loosened by 4.5 ms: it tells no more.
WINDOW_NS = 300_000_000_000
# Stamps are integers, and the arithmetic is float64 of differences.
ROUNDING_NS = 1
_NO_RATE = 1e-12

_Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Feasible:
    """What offset and rate may be at one time.

    Attributes:
        low_ns, high_ns: of the offset, relative to the base of whoever asks.
        rate_low, rate_high: of the rate, nanoseconds a nanosecond.
        steady: the bounds agree with the limit of the drift; where they do not, only the
            tolerance was used.
    """

    low_ns: float
    high_ns: float
    rate_low: float
    rate_high: float
    steady: bool


class ClockPolygon:
    """Bounds of one offset over time. Times ascend; memory is that of the hulls' corners.

    Args:
        limits: what is assumed of the rate.
    """

    def __init__(self, limits: ClockLimits) -> None:
        self._limits = limits
        self._upper = BoundHull(limits.drift)
        self._lower = BoundHull(limits.drift)

    def add_upper(self, at_ns: float, bound_ns: float) -> None:
        """Say that the offset is at most `bound_ns` at a time."""
        self._upper.add(at_ns, bound_ns)

    def add_lower(self, at_ns: float, bound_ns: float) -> None:
        """Say that the offset is at least `bound_ns` at a time."""
        self._lower.add(at_ns, -bound_ns)

    def forget_before(self, at_ns: float) -> None:
        """Forget what is older, as far as it bounds nothing from there on."""
        self._upper.forget_before(at_ns - WINDOW_NS)
        self._lower.forget_before(at_ns - WINDOW_NS)

    def corners(self, most: int) -> tuple[list[float], list[float]]:
        """Return times of at most `most` corners each, of the upper and of the lower bounds."""
        return self._upper.corners(most), self._lower.corners(most)

    def at(self, at_ns: float) -> Feasible:
        """Return what all bounds allow at a time; there is at least one of either kind."""
        rate = self._limits.rate
        upper_at, upper = self._upper.near(at_ns, WINDOW_NS)
        lower_at, lower = self._lower.near(at_ns, WINDOW_NS)
        # The tolerance alone bounds the offset here and now, whatever the rate was.
        high = float((upper + rate * np.abs(upper_at)).min())
        low = -float((lower + rate * np.abs(lower_at)).min())
        upper_at, upper = self._loosened(upper_at, upper, high)
        lower_at, lower = self._loosened(lower_at, lower, -low)
        rate_low, rate_high = _rates(upper_at, upper, lower_at, -lower, rate)
        if rate_low > rate_high + _NO_RATE:
            return Feasible(min(low, high), max(low, high), -rate, rate, steady=False)
        high = _greatest(upper, upper_at, rate_low, rate_high)
        low = -_greatest(lower, lower_at, -rate_high, -rate_low)
        return Feasible(min(low, high), max(low, high), rate_low, rate_high, steady=True)

    def _loosened(self, away: _Array, bound: _Array, here: float) -> tuple[_Array, _Array]:
        """Return bounds as seen from afar, and with them one that holds here."""
        drifted = self._limits.drift / 2 * away**2
        slack = np.minimum(drifted, 2 * self._limits.rate * np.abs(away))
        return np.append(away, 0.0), np.append(bound + slack, here)


def _rates(
    upper_at: _Array, upper: _Array, lower_at: _Array, lower: _Array, most: float
) -> tuple[float, float]:
    """Return the least and the greatest rate of a line between all bounds; swapped if none is.

    A line passes under an upper bound and over a lower one if its rise from one to the other is
    at most the room between them; that is one limit of the rate for each pair.
    """
    apart = upper_at[:, None] - lower_at[None, :]
    room = upper[:, None] - lower[None, :]
    if bool((room[apart == 0] < -ROUNDING_NS).any()):
        return most, -most
    with np.errstate(divide="ignore", invalid="ignore"):
        limit = (room + ROUNDING_NS) / apart
    high = float(limit.min(where=apart > 0, initial=most))
    low = float(limit.max(where=apart < 0, initial=-most))
    return low, high


def _greatest(bound: _Array, away: _Array, rate_low: float, rate_high: float) -> float:
    """Return the greatest offset here that some rate allows under all bounds."""
    before, after = away < 0, away > 0
    if before.any() and after.any():
        span = away[after][None, :] - away[before][:, None]
        crossing = (
            bound[before][:, None] * away[after][None, :]
            - bound[after][None, :] * away[before][:, None]
        ) / span
        left, right = np.unravel_index(int(crossing.argmin()), crossing.shape)
        rise = bound[after][right] - bound[before][left]
        best = float(rise / span[left, right])
    else:
        best = rate_high if before.any() else rate_low
    rate = min(max(best, rate_low), rate_high)
    return float((bound - rate * away).min())
