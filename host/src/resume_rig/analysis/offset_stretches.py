"""Into which stretches a campaign is cut: short ones, and long ones where the clock ran on.

A long campaign is gone over once with the best candidate alone, from where it is known outwards.
Runs that it explains from end to end become one stretch each; the rest is cut short, so that a
clock that is set there can be followed.
"""

import numpy as np

from resume_rig.analysis.match_times import CycleTimes, Entries, Floats, Indexes
from resume_rig.analysis.offset_fit import NONE, Candidates, Run, fitted
from resume_rig.analysis.offset_vote import voted_offsets

_STRETCH = 64
_STRETCHES_MAX = 8000
_LONG = 1024
LONG_CAMPAIGN = 4 * _LONG
"""From so many cycles on what neighbours agree about is not looked at again."""
# Beyond that a crystal's rate may have turned with the temperature of the room.
_LONG_S = 86_400.0
_LEAD_IN = (64, 256)
_FOLLOWED = 2
_BEFORE, _AFTER = 24, 96


def short_stretches(cycles: int) -> Indexes:
    """Return the first cycle of each short stretch and, last, the number of cycles."""
    length = max(_STRETCH, -(-cycles // _STRETCHES_MAX))
    return np.append(np.arange(0, cycles, length), cycles).astype(np.int64)


def with_long_stretches(
    cycles: CycleTimes,
    inside: Entries,
    by_rank_s: Floats,
    first: Indexes,
    *,
    start: int,
    known: Candidates,
) -> Indexes:
    """Return the stretches with those joined that one offset explains.

    Args:
        cycles: all of them.
        inside: all entries.
        by_rank_s: all entries in the order in which their records were written.
        first: the short stretches.
        start: the short stretch at which offsets are known.
        known: those, referring to the middle of that stretch.
    """
    times_s = cycles.at_s
    if len(times_s) < LONG_CAMPAIGN or len(known) == 0:
        return first
    per_block = max(1, _LONG // int(first[1] - first[0]))
    edges = np.append(first[:-1:per_block], first[-1])
    block = int(np.searchsorted(edges, first[start], side="right")) - 1
    middle_s = float((times_s[first[start]] + times_s[first[start + 1] - 1]) / 2)
    joined = np.zeros(len(edges) - 1, dtype=np.bool_)
    for order in (range(block, len(joined)), range(block - 1, -1, -1)):
        walk = _Walk(cycles, inside, by_rank_s, order.step)
        walk.known, walk.at_s = known.where(np.arange(min(_FOLLOWED, len(known)))), middle_s
        for each in order:
            joined[each] = walk.explains(int(edges[each]), int(edges[each + 1]))
    inner = np.repeat(joined, per_block)[: len(first) - 1]
    inner[::per_block] = False
    return np.append(first[:-1][~inner], first[-1])


class _Walk:
    """Goes from block to block with an offset."""

    def __init__(self, cycles: CycleTimes, inside: Entries, by_rank_s: Floats, step: int) -> None:
        self._cycles, self._inside, self._by_rank_s = cycles, inside, by_rank_s
        self._step = step
        self.known = NONE
        self.at_s = 0.0

    def explains(self, low: int, high: int) -> bool:
        """Return whether the offset explains a block; find a new one behind it, if not."""
        times = self._cycles.at_s[low:high]
        known, at_s = self.known, self.at_s
        for length in (*_LEAD_IN, len(times)):
            first, last = (low, min(low + length, high))
            if self._step == -1:
                first, last = (max(high - length, low), high)
            part = Run.of(self._cycles, slice(first, last))
            middle_s = float(part.at_s[0] + part.at_s[-1]) / 2
            moved = known.offset_s + known.rate * (middle_s - at_s)
            known, at_s = fitted(self._inside, part, middle_s, moved, known.rate), middle_s
        best = known.where(np.argsort(-known.score, kind="stable"))
        if times[-1] - times[0] <= _LONG_S and best.explain(len(times)):
            self.known, self.at_s = best, at_s
            return True
        self._look_behind(low, high)
        return False

    def _look_behind(self, low: int, high: int) -> None:
        """Vote at the far end of a block, among the records next in order."""
        times = self._cycles.at_s[low:high]
        near, behind = (times[0], slice(max(high - _STRETCH, low), high))
        if self._step == -1:
            near, behind = (times[-1], slice(low, min(low + _STRETCH, high)))
        far = Run.of(self._cycles, behind)
        expected = near + self.known.offset_s[0] + self.known.rate[0] * (near - self.at_s)
        place = int(np.searchsorted(self._inside.at_s, expected))
        ahead = len(times) + _AFTER
        first, last = (place - _BEFORE, place + ahead)
        if self._step == -1:
            first, last = (place - ahead, place + _BEFORE)
        offsets = voted_offsets(far.at_s, self._by_rank_s[max(first, 0) : max(last, 0)], _FOLLOWED)
        if len(offsets):
            middle_s = float(far.at_s[0] + far.at_s[-1]) / 2
            found = fitted(self._inside, far, middle_s, offsets, np.zeros(len(offsets)))
            if found.explain(len(far.at_s)):
                self.known, self.at_s = found, middle_s
