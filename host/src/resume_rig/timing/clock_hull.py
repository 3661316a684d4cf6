"""Upper bounds of a quantity at many times, of which only those are kept that can matter.

A quantity whose rate changes by at most w in a unit of time, seen from time t with rate r, obeys
x(t) + r (s - t) <= bound(s) + w (s - t)^2 / 2 for each bound, at time s. Lift each bound by
w s^2 / 2: the difference to w (s - t)^2 / 2 is linear in s, for every t. So the bounds that can
be tight from any t are the corners of one lower convex hull, which grows by amortised O(1).
Lower bounds are kept negated.
"""

from array import array
from bisect import bisect_left

# Corners farther away than this many are left out: that loosens a bound, and never breaks it.
_MOST_EACH_SIDE = 24
_FEWEST_EACH_SIDE = 2
_COMPACT_FROM = 1024


class BoundHull:
    """Upper bounds by time, of which the corners are kept.

    Args:
        drift: by how much the rate of the quantity may change in a unit of time.
    """

    def __init__(self, drift: float) -> None:
        self._half_drift = drift / 2
        self._times, self._bounds, self._lifted = array("d"), array("d"), array("d")
        self._from = 0

    def add(self, at: float, bound: float) -> None:
        """Add a bound; times ascend."""
        times, bounds, lifted = self._times, self._bounds, self._lifted
        height = bound + self._half_drift * at * at
        if len(times) > self._from and at <= times[-1]:
            if height >= lifted[-1]:
                return
            at = times.pop()
            bounds.pop()
            lifted.pop()
        while len(times) - self._from >= 2:
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
        times, first, end = self._times, self._from, len(self._times)
        here = bisect_left(times, at, first)
        low = bisect_left(times, at - window, first)
        high = bisect_left(times, at + window, first)
        low = max(min(low, here - _FEWEST_EACH_SIDE), here - _MOST_EACH_SIDE, first)
        high = min(max(high, here + _FEWEST_EACH_SIDE), here + _MOST_EACH_SIDE, end)
        return list(times[low:high]), list(self._bounds[low:high]), here - low

    def forget_before(self, at: float) -> None:
        """Forget corners before `at`, but for the two newest of them."""
        self._from = max(self._from, bisect_left(self._times, at, self._from) - _FEWEST_EACH_SIDE)
        if self._from > _COMPACT_FROM and 2 * self._from > len(self._times):
            for kept in (self._times, self._bounds, self._lifted):
                del kept[: self._from]
            self._from = 0

    def corners(self, most: int) -> list[float]:
        """Return the times of the corners; where they are too many, those that tell most.

        Args:
            most: how many, 2 or more; the first and the last one always stay.
        """
        times, lifted = list(self._times[self._from :]), list(self._lifted[self._from :])
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
        return len(self._times) - self._from


def _depth(times: list[float], lifted: list[float], corner: int) -> float:
    """Return by how far a corner is below the chord of its neighbours."""
    before, after = times[corner - 1], times[corner + 1]
    share = (times[corner] - before) / (after - before)
    chord = lifted[corner - 1] + share * (lifted[corner + 1] - lifted[corner - 1])
    return chord - lifted[corner]
