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
        upper, high = self._seen(self._upper, at_ns)
        lower, low = self._seen(self._lower, at_ns)
        rate_low, rate_high = _rates(upper, lower, rate)
        if rate_low > rate_high + _NO_RATE:
            return Feasible(min(-low, high), max(-low, high), -rate, rate, steady=False)
        high = upper.greatest(rate_low, rate_high)
        low = lower.greatest(-rate_high, -rate_low)
        return Feasible(min(-low, high), max(-low, high), rate_low, rate_high, steady=True)

    def _seen(self, hull: BoundHull, at_ns: float) -> tuple["_Seen", float]:
        """Return bounds as they bind here, and the least of what the tolerance alone allows.

        The latter is one of the bounds, the last one: it holds here, whatever the rate was.
        """
        times, bounds, before = hull.near(at_ns, WINDOW_NS)
        away = np.array([*times, at_ns]) - at_ns
        bound = np.array([*bounds, np.inf])
        reach = self._limits.rate * np.abs(away)
        bound[-1] = here = float((bound + reach).min())
        bound += np.minimum(self._limits.drift / 2 * away * away, 2 * reach)
        return _Seen(away, bound, before), here


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """Upper bounds of the offset here, each good for a line of any rate through here.

    Attributes:
        away: time from here, float64 [n], ascending but for the last one, which is here.
        bound: float64 [n].
        before: how many are before here.
    """

    away: _Array
    bound: _Array
    before: int

    def greatest(self, rate_low: float, rate_high: float) -> float:
        """Return the greatest offset here that some rate of a range allows."""
        away, bound, before = self.away, self.bound, self.before
        # A bound here itself says nothing of the rate.
        after = before + int(away[before] == 0)
        if before > 0 and after < len(away) - 1:
            left_at, right_at = away[:before, None], away[None, after:-1]
            span = right_at - left_at
            crossing = bound[:before, None] * right_at
            crossing -= bound[None, after:-1] * left_at
            crossing /= span
            left, right = divmod(int(crossing.argmin()), span.shape[1])
            rate = float((bound[after + right] - bound[left]) / span[left, right])
            rate = min(max(rate, rate_low), rate_high)
        else:
            rate = rate_high if before else rate_low
        return float((bound - rate * away).min())


def _rates(upper: _Seen, lower: _Seen, most: float) -> tuple[float, float]:
    """Return the least and the greatest rate of a line between all bounds; swapped if none is.

    A line passes under an upper bound and over a lower one if its rise from one to the other is
    at most the room between them; that is one limit of the rate for each pair.
    """
    apart = upper.away[:, None] - lower.away
    room = upper.bound[:, None] + (lower.bound + ROUNDING_NS)
    with np.errstate(divide="ignore", invalid="ignore"):
        limit = room / apart
    high = float(limit.min(where=apart > 0, initial=most))
    low = float(limit.max(where=apart < 0, initial=-most))
    if bool((room < 0).any()) and bool((room[apart == 0] < 0).any()):
        return most, -most
    return low, high
