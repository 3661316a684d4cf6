"""Which offsets and rates of two clocks all their bounds allow (docs/explanation/clocks.md).

`ClockLimits` has what is assumed, `BoundHull` keeps the bounds that can ever matter,
`ClockPolygon` answers what they allow at one time. Lower bounds are kept negated.
"""

from array import array
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.errors import UsageError
from resume_rig.model.units import NS_PER_S, PPB

# The counter behind a host's raw monotonic clock runs from a plain crystal: assumed, with room.
HOST_TOLERANCE_PPB = 100_000
# A crystal in a room. Assumed: twice 0.05 ppm/s, so that a step of temperature may meet a drift.
CRYSTAL_DRIFT_PPB_PER_S = 100
# Messages are stamped by a timer of 1 us or finer, also where edges have a finer counter, and the
# two stand to each other to 1 us (docs/explanation/edge-sources.md).
_FEWEST_TICK_NS = 1_000
# Assumed: what states a wider tolerance than this is no crystal.
_CRYSTAL_TOLERANCE_PPB = 200_000


@dataclass(frozen=True, slots=True)
class ClockLimits:
    """How far apart two clocks may run, and how fast that may change.

    Attributes:
        tolerance_ppb: half-width of the rate of one clock against the other; below 1e9.
        drift_ppb_per_s: by how much this rate may change within a second.
        tick_ns: how far a stamp of the board may be behind its clock; 0 or more.

    Raises:
        UsageError: a limit that is none.
    """

    tolerance_ppb: int
    drift_ppb_per_s: int = CRYSTAL_DRIFT_PPB_PER_S
    tick_ns: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance_ppb < PPB or self.drift_ppb_per_s < 0 or self.tick_ns < 0:
            raise UsageError(
                "Relating the board's clock to the host's: a tolerance of "
                f"{self.tolerance_ppb} ppb, a drift of {self.drift_ppb_per_s} ppb/s and a tick of "
                f"{self.tick_ns} ns; allowed are 0 to 999999999 ppb, 0 ppb/s or more, 0 ns or more."
            )

    @property
    def rate(self) -> float:
        """Return by how much the offset may move, nanoseconds for each of one clock's own."""
        # A clock that runs at 1 +/- tol of the other moves it by at most tol / (1 - tol).
        return self.tolerance_ppb / (PPB - self.tolerance_ppb)

    @property
    def drift(self) -> float:
        """Return by how much the rate may change, per nanosecond."""
        return self.drift_ppb_per_s / 1e18


def board_limits(tolerance_ppb: int, clock_hz: int) -> ClockLimits:
    """Return what is assumed of a board's clock against a host's raw monotonic clock.

    Args:
        tolerance_ppb: as the board states it, against true time.
        clock_hz: rate of the counter that its stamps are read from.
    """
    crystal = tolerance_ppb <= _CRYSTAL_TOLERANCE_PPB
    return ClockLimits(
        tolerance_ppb=tolerance_ppb + HOST_TOLERANCE_PPB,
        # An RC oscillator may cross its whole tolerance within a second.
        drift_ppb_per_s=CRYSTAL_DRIFT_PPB_PER_S if crystal else tolerance_ppb,
        tick_ns=max(-(-NS_PER_S // max(clock_hz, 1)), _FEWEST_TICK_NS),
    )


# Corners farther away than this many are left out: that loosens a bound, and never breaks it.
# Assumed: bounds the work (benchmarks/clock_relation.py).
_MOST_EACH_SIDE = 24
# The neighbours of a time bound it the closest.
_FEWEST_EACH_SIDE = 2


class BoundHull:
    """Upper bounds by time, of which the corners are kept.

    A quantity x with rate r at time t, whose rate changes by at most w in a unit of time, obeys
    x(t) + r (s - t) <= bound(s) + w (s - t)^2 / 2 for each bound, at time s. Lift each bound by
    w s^2 / 2: the difference to w (s - t)^2 / 2 is linear in s, for every t. So the bounds that can
    be tight from any t are the corners of one lower convex hull, which grows by amortised O(1).

    Args:
        drift: by how much the rate of the quantity may change in a unit of time.
    """

    def __init__(self, drift: float) -> None:
        self._half_drift = drift / 2
        self._times, self._bounds, self._lifted = array("d"), array("d"), array("d")

    def add(self, at: float, bound: float) -> None:
        """Add a bound; times ascend."""
        times, bounds, lifted = self._times, self._bounds, self._lifted
        height = bound + self._half_drift * at * at
        if times and at <= times[-1]:
            if height >= lifted[-1]:
                return
            at = times.pop()
            bounds.pop()
            lifted.pop()
        while len(times) >= 2:
            before, last = times[-2], times[-1]
            rise = (height - lifted[-2]) * (last - before)
            if (lifted[-1] - lifted[-2]) * (at - before) < rise:
                break
            times.pop()
            bounds.pop()
            lifted.pop()
        times.append(at)
        bounds.append(bound)
        lifted.append(height)

    def near(self, at: float, window: float) -> tuple[list[float], list[float], int]:
        """Return times and bounds of the corners about `at`, and how many are before it.

        They are those within `window`, at least two on each side where there are so many.
        """
        times = self._times
        here = bisect_left(times, at)
        low = bisect_left(times, at - window)
        high = bisect_left(times, at + window)
        low = max(min(low, here - _FEWEST_EACH_SIDE), here - _MOST_EACH_SIDE, 0)
        high = min(max(high, here + _FEWEST_EACH_SIDE), here + _MOST_EACH_SIDE, len(times))
        return list(times[low:high]), list(self._bounds[low:high]), here - low

    def corners(self, most: int) -> list[float]:
        """Return the times of the corners; where they are too many, those that bound the most.

        Args:
            most: how many, 2 or more; the first and the last one always stay.
        """
        times, lifted = list(self._times), list(self._lifted)
        if len(times) <= most:
            return times
        depths = [_depth(times, lifted, i) for i in range(1, len(times) - 1)]
        while True:
            least = depths.index(min(depths)) + 1
            del times[least], lifted[least], depths[least - 1]
            if len(times) <= most:
                return times
            # Only its neighbours have another chord now.
            for i in (least - 1, least):
                if 0 < i < len(times) - 1:
                    depths[i - 1] = _depth(times, lifted, i)

    def __len__(self) -> int:
        return len(self._times)


def _depth(times: list[float], lifted: list[float], corner: int) -> float:
    """Return by how far a corner is below the chord of its neighbours."""
    before, after = times[corner - 1], times[corner + 1]
    share = (times[corner] - before) / (after - before)
    chord = lifted[corner - 1] + share * (lifted[corner + 1] - lifted[corner - 1])
    return chord - lifted[corner]


# At 100 ppb/s a bound from 5 minutes away is loosened by 4.5 ms: it adds nothing any more.
WINDOW_NS = 300_000_000_000
# Stamps are integers, and the arithmetic is float64 of differences.
ROUNDING_NS = 1
# Of float64, far below 1 ppb.
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

    At one time the unknowns are the offset and its rate. Each bound of the offset at another time
    is a half-plane of the two, loosened by what the rate may have drifted in between; so are the
    limits of the rate. What all allow is a polygon; its extents bound the offset and the rate, as
    exact answers of a linear program in two unknowns.

    Args:
        limits: what is assumed of the rate.
    """

    def __init__(self, limits: ClockLimits) -> None:
        self._limits = limits
        self._upper = BoundHull(limits.drift)
        self._lower = BoundHull(limits.drift)

    def add_upper(self, at_ns: float, bound_ns: float) -> None:
        """Take in that the offset is at most `bound_ns` at a time."""
        self._upper.add(at_ns, bound_ns)

    def add_lower(self, at_ns: float, bound_ns: float) -> None:
        """Take in that the offset is at least `bound_ns` at a time."""
        self._lower.add(at_ns, -bound_ns)

    def corners(self, most: int) -> tuple[list[float], list[float]]:
        """Return times of at most `most` corners each, of the upper and of the lower bounds."""
        return self._upper.corners(most), self._lower.corners(most)

    def at(self, at_ns: float) -> Feasible:
        """Return what all bounds allow at a time; there is at least one of either kind."""
        rate = self._limits.rate
        upper, high = self._binding(self._upper, at_ns)
        lower, low = self._binding(self._lower, at_ns)
        rate_low, rate_high = _rates(upper, lower, rate)
        if rate_low > rate_high + _NO_RATE:
            return Feasible(min(-low, high), max(-low, high), -rate, rate, steady=False)
        high = upper.greatest(rate_low, rate_high)
        low = lower.greatest(-rate_high, -rate_low)
        return Feasible(min(-low, high), max(-low, high), rate_low, rate_high, steady=True)

    def _binding(self, hull: BoundHull, at_ns: float) -> tuple["_BindingBounds", float]:
        """Return bounds as they bind here, and the least of what the tolerance alone allows.

        The latter is one of the bounds, the last one: it holds here, whatever the rate was.
        """
        times, bounds, before = hull.near(at_ns, WINDOW_NS)
        away = np.array([*times, at_ns]) - at_ns
        bound = np.array([*bounds, np.inf])
        reach = self._limits.rate * np.abs(away)
        bound[-1] = here = float((bound + reach).min())
        bound += np.minimum(self._limits.drift / 2 * away * away, 2 * reach)
        return _BindingBounds(away, bound, before), here


@dataclass(frozen=True, slots=True, eq=False)
class _BindingBounds:
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
        # A bound here itself does not limit the rate.
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


def _rates(upper: _BindingBounds, lower: _BindingBounds, most: float) -> tuple[float, float]:
    """Return the least and the greatest rate of a line between all bounds; swapped if none is.

    A line passes under an upper bound and over a lower one if its rise from one to the other is
    at most the room between them; that is one limit of the rate for each pair.
    """
    distance = upper.away[:, None] - lower.away
    room = upper.bound[:, None] + (lower.bound + ROUNDING_NS)
    with np.errstate(divide="ignore", invalid="ignore"):
        limit = room / distance
    high = float(limit.min(where=distance > 0, initial=most))
    low = float(limit.max(where=distance < 0, initial=-most))
    if bool((room < 0).any()) and bool((room[distance == 0] < 0).any()):
        return most, -most
    return low, high
