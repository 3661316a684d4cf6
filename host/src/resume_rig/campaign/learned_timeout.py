"""Time-outs learned from a campaign: a hang is known for one before a minute is over."""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Sequence
from math import ceil
from typing import Final

from resume_rig.campaign.plan import NS_PER_S

LAST: Final = 200
"""So many of the last cycles teach."""

FEWEST: Final = 20
"""Below that the plan's own time-out holds."""

FLOOR_NS: Final = 15 * NS_PER_S
"""Never less: a disk check or an update makes one wake of a sound DUT slow."""

FACTOR: Final = 2
SHARE: Final = 0.99


def learned_timeout_ns(lasted_ns: Sequence[int], plan_ns: int) -> int:
    """Return twice the 99th percentile (nearest rank) of what lasted, at most the plan's. Pure.

    Args:
        lasted_ns: of the last cycles that went as planned, host clock.
        plan_ns: the plan's own time-out: the sane start, and the ceiling.
    """
    if len(lasted_ns) < FEWEST:
        return plan_ns
    rank = ceil(SHARE * len(lasted_ns))
    return min(plan_ns, max(FLOOR_NS, FACTOR * sorted(lasted_ns)[rank - 1]))


class _Newest:
    """The last durations, also in ascending order."""

    def __init__(self) -> None:
        self._in_order: deque[int] = deque()
        self.ascending: list[int] = []

    def add(self, lasted_ns: int) -> None:
        if len(self._in_order) == LAST:
            del self.ascending[bisect_left(self.ascending, self._in_order.popleft())]
        self._in_order.append(lasted_ns)
        insort(self.ascending, lasted_ns)


class LearnedTimeouts:
    """What the cycles of one session taught so far; a resumed campaign learns anew."""

    def __init__(self) -> None:
        self._sleeps, self._wakes = _Newest(), _Newest()

    def add(self, sleep_ns: int, wake_ns: int) -> None:
        """Learn from a cycle that went as planned."""
        self._sleeps.add(sleep_ns)
        self._wakes.add(wake_ns)

    def sleep_ns(self, plan_ns: int) -> int:
        """Return how long a cycle waits for sleep entry."""
        return learned_timeout_ns(self._sleeps.ascending, plan_ns)

    def wake_ns(self, plan_ns: int) -> int:
        """Return how long a cycle waits for the last sign of the wake."""
        return learned_timeout_ns(self._wakes.ascending, plan_ns)
