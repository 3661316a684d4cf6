"""The host's wall clock against its raw monotonic one, from readings of both."""

from bisect import bisect_right

from resume_rig.model.clock import Clock
from resume_rig.model.quantity import BoundedNs
from resume_rig.timing.clock_limits import CRYSTAL_DRIFT_PPB_PER_S, HOST_TOLERANCE_PPB, ClockLimits
from resume_rig.timing.clock_polygon import ROUNDING_NS, ClockPolygon, Feasible
from resume_rig.timing.clock_segment import RateRange

# Half of the time that a reading between two others may take.
READING_NS = 10_000
_GOOD_READING_NS = 2_000
_MOST_READINGS = 32
# A kernel slews its wall clock by up to 500 ppm.
_LIMITS = ClockLimits(500_000 + HOST_TOLERANCE_PPB, CRYSTAL_DRIFT_PPB_PER_S)


def wall_minus_host_ns(clock: Clock) -> int:
    """Return wall time minus monotonic time, from the quickest of some readings of both."""
    quickest_ns: int | None = None
    found_ns = 0
    for _ in range(_MOST_READINGS):
        before_ns, wall_ns, after_ns = clock.now_ns(), clock.utc_ns(), clock.now_ns()
        if quickest_ns is None or after_ns - before_ns < quickest_ns:
            quickest_ns = after_ns - before_ns
            found_ns = wall_ns - (before_ns + after_ns) // 2
        if quickest_ns <= _GOOD_READING_NS:
            break
    return found_ns


class WallClock:
    """Wall time at the host's raw times, as readings in one session of a campaign tell.

    A step of the wall clock begins a new stretch; what is between is told by the one before.
    """

    def __init__(self) -> None:
        self._starts_ns: list[int] = []
        self._stretches: list[tuple[int, ClockPolygon]] = []
        self._newest_ns = 0
        self._low = self._high = 0.0

    def add(self, host_ns: int, wall_minus_host: int) -> None:
        """Take in a reading; host times ascend."""
        if self._stretches:
            base_ns = self._stretches[-1][0]
            slack = _LIMITS.rate * (host_ns - self._newest_ns)
            offset = wall_minus_host - base_ns
            low = max(self._low - slack, offset - READING_NS)
            high = min(self._high + slack, offset + READING_NS)
            if low <= high + ROUNDING_NS:
                self._take(host_ns, offset, low, high)
                return
        self._starts_ns.append(host_ns)
        self._stretches.append((wall_minus_host, ClockPolygon(_LIMITS)))
        self._take(host_ns, 0, -READING_NS, READING_NS)

    @property
    def steps(self) -> int:
        """Return how often the wall clock was stepped between two readings."""
        return max(len(self._stretches) - 1, 0)

    def to_utc_ns(self, host: BoundedNs, read_ns: int) -> BoundedNs:
        """Return wall time at a host time.

        Args:
            host: the time that is asked for, with its bound.
            read_ns: host time of a reading; its stretch answers.
        """
        base_ns, found = self._at(host.value_ns, read_ns)
        middle = round((found.low_ns + found.high_ns) / 2)
        half = int(found.high_ns - found.low_ns) // 2 + ROUNDING_NS
        return BoundedNs(host.value_ns + base_ns + middle, host.bound_ns + half)

    def rates(self, start_ns: int, end_ns: int, read_ns: int) -> RateRange:
        """Return rates of wall minus host between two host times, by a reading's stretch."""
        _, found = self._at((start_ns + end_ns) // 2, read_ns)
        drifted = _LIMITS.drift * (end_ns - start_ns) / 2
        return RateRange(found.rate_low - drifted, found.rate_high + drifted, found.steady)

    def _take(self, host_ns: int, offset: int, low: float, high: float) -> None:
        polygon = self._stretches[-1][1]
        at = float(host_ns - self._starts_ns[-1])
        polygon.add_upper(at, offset + READING_NS)
        polygon.add_lower(at, offset - READING_NS)
        self._newest_ns, self._low, self._high = host_ns, low, high

    def _at(self, host_ns: int, read_ns: int) -> tuple[int, Feasible]:
        place = max(bisect_right(self._starts_ns, read_ns) - 1, 0)
        base_ns, polygon = self._stretches[place]
        return base_ns, polygon.at(float(host_ns - self._starts_ns[place]))
