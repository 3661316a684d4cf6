"""Whether the pairs at the edge of a run belong to a short run of their own, or to none.

Where the clock was set twice within a few cycles, or many records are missing, the run between may
have been no candidate. Its cycles are then left without a record, but for one or two that fit the
run beside it by chance. So at every edge the story "there was one more run" is told and weighed.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from resume_rig.analysis.match_chain import step_cost
from resume_rig.analysis.match_likelihood import Noise, expected, gains, lost_cost
from resume_rig.analysis.match_live import UNKNOWN
from resume_rig.analysis.match_order import Choice
from resume_rig.analysis.match_times import CycleTimes, Entries, Floats, Indexes
from resume_rig.analysis.offset_vote import voted_offsets

_GAP = 3
_GAP_MOST = 64
_AT_ENDS = 16
_STORIES = 24
_SAME_S = 1.0
# How many pairs of the run before, and of the run after, the story takes.
_TAKEN = ((1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 2), (3, 0), (0, 3))
_MOST = 3
_FARTHEST = 40.0
# Where three pairs are in so much doubt, more of them may be wrong.
_DOUBT = 1e-3
ALONE = 0.9
"""One pair alone cannot tell a step of the clock from chance."""


@dataclass(frozen=True, slots=True, eq=False)
class _Stories:
    """Runs that may have been about a cut.

    Attributes:
        around: the records there. before_s, after_s: where the clock stood on both sides.
        offset_s: where it may have stood between. cost: of each in steps, log-likelihood.
    """

    around: Entries
    before_s: float
    after_s: float
    offset_s: Floats
    cost: Floats


class Edges:
    """The edges of runs of likely pairs, and of the campaign."""

    def __init__(self, likely: Choice, cycles: CycleTimes, entries: Entries, noise: Noise) -> None:
        self._likely, self._cycles, self._entries, self._noise = likely, cycles, entries, noise
        self._rank = entries.rank[likely.entry]
        self._by_rank = np.argsort(entries.rank, kind="stable")
        self._ranks = entries.rank[self._by_rank]

    def certainty(self, cuts: Indexes) -> Floats:
        """Return for each likely pair the probability that no other short run takes it.

        Args:
            cuts: the first pair of each run but the first, int64 [r].
        """
        gaps = self._gaps()
        count = len(self._likely.rows)
        against = np.zeros(count)
        ends = np.array([0, count], dtype=np.int64)
        borders = np.unique(np.concatenate([ends, cuts, gaps])).tolist()
        for cut in borders:
            self._weigh(cut, against)
        for low, high in pairwise(borders):
            self._weigh_longer(low, high, against)
        sure = 1.0 / (1.0 + against)
        sure[self._alone(cuts, gaps)] *= ALONE
        return sure

    def _gaps(self) -> Indexes:
        """Return the pairs behind cycles without a record, of which some should have had one."""
        due = np.append(0.0, np.cumsum(expected(self._cycles)))
        rows = self._likely.rows
        return np.flatnonzero(due[rows[1:]] - due[rows[:-1] + 1] > _GAP - 1) + 1

    def _alone(self, cuts: Indexes, gaps: Indexes) -> Indexes:
        """Return the pairs that no other supports: between cycles without a record and a step.

        A step within the gap would explain such a pair as well, and no other pair tells how the
        clock stood; where a reading of the log brought its record, that does.
        """
        count = len(self._likely.rows)
        borders = np.append(np.insert(cuts, 0, 0), count)
        first, last = np.isin(gaps - 1, borders), np.isin(gaps + 1, borders)
        pairs = np.unique(np.concatenate([gaps[first] - 1, gaps[last]]))
        unread = self._entries.reading[self._likely.entry[pairs]] == UNKNOWN
        return np.asarray(pairs[unread])

    def _weigh(self, cut: int, against: Floats) -> None:
        """Add what speaks against the pairs on both sides of a cut."""
        low, high = max(cut - _MOST, 0), min(cut + _MOST, len(self._likely.rows)) - 1
        rows = self._rows(low, high)
        if len(rows) > _GAP_MOST:
            return
        stories = self._stories(cut, low, high)
        if stories is None:
            return
        worst = np.zeros(2 * _MOST)
        for of_before, of_after in _TAKEN:
            first, last = cut - of_before, cut + of_after - 1
            if first < low or last > high:
                continue
            weight = self._weight(stories, first, last)
            part = slice(first - cut + _MOST, last - cut + _MOST + 1)
            worst[part] = np.maximum(worst[part], weight)
        against[low : high + 1] += worst[low - cut + _MOST : high - cut + _MOST + 1]

    def _weigh_longer(self, first: int, end: int, against: Floats) -> None:
        """Add what speaks against more pairs of a run whose outermost are all in doubt.

        Args:
            first: its first pair, or that after a gap.
            end: the pair after its last.
            against: what speaks against every likely pair, so far.
        """
        for cut in (first, end):
            size = _MOST
            while size < end - first:
                outermost = first + size - 1 if cut == first else end - size
                if against[outermost] <= _DOUBT:
                    break
                size = min(2 * size, end - first)
                low, high = (first, first + size - 1) if cut == first else (end - size, end - 1)
                stories = self._stories(cut, low, high)
                if stories is None:
                    break
                part, weight = slice(low, high + 1), self._weight(stories, low, high)
                against[part] = np.maximum(against[part], weight)

    def _stories(self, cut: int, low: int, high: int) -> "_Stories | None":
        """Return what other runs about a cut may be, among the records around some pairs."""
        likely, around = self._likely, self._between(low - 1, high + 1)
        if len(around.at_s) == 0:
            return None
        before_s = float(likely.offset_s[max(cut - 1, 0)])
        after_s = float(likely.offset_s[min(cut, len(likely.rows) - 1)])
        times_s = self._cycles.at_s[self._rows(low, high)]
        offsets = voted_offsets(times_s, around.at_s, _STORIES)
        apart = np.minimum(np.abs(offsets - before_s), np.abs(offsets - after_s))
        offsets = offsets[apart > _SAME_S]
        if len(offsets) == 0:
            return None
        cost = step_cost(offsets - before_s, self._noise)
        if 0 < cut < len(likely.rows):
            cost = cost + step_cost(offsets - after_s, self._noise)
        if abs(after_s - before_s) > _SAME_S:
            cost = cost - step_cost(np.array([after_s - before_s]), self._noise)
        return _Stories(around, before_s, after_s, offsets, cost)

    def _weight(self, stories: "_Stories", first: int, last: int) -> float:
        """Return how likely it is that another run takes these pairs, against that none does."""
        rows, between = self._rows(first, last), self._between(first - 1, last + 1)
        if len(between.at_s) == 0:
            return 0.0
        told = self._explained(rows, stories.offset_s, between).sum(axis=1)
        beside_s = np.array([stories.before_s, stories.after_s])
        own = self._explained(rows, beside_s, stories.around)
        ahead = np.append(0.0, np.cumsum(own[0])) + np.append(np.cumsum(own[1][::-1])[::-1], 0)
        apart = np.clip(told - stories.cost - float(ahead.max()), -_FARTHEST, _FARTHEST)
        return float(np.exp(apart).sum())

    def _rows(self, first: int, last: int) -> Indexes:
        """Return the cycles from after the pair before `first` to before that after `last`."""
        rows, count = self._likely.rows, len(self._cycles.at_s)
        low = int(rows[first - 1]) + 1 if first else max(int(rows[0]) - _AT_ENDS, 0)
        high = int(rows[-1]) + 1 + _AT_ENDS
        if last + 1 < len(rows):
            high = int(rows[last + 1])
        return np.arange(low, min(high, count))

    def _between(self, before: int, after: int) -> Entries:
        """Return the entries that stand between those of two pairs in the log."""
        low = 0
        high = len(self._ranks)
        if before >= 0:
            low = int(np.searchsorted(self._ranks, self._rank[before], side="right"))
        if after < len(self._rank):
            high = int(np.searchsorted(self._ranks, self._rank[after]))
        return self._entries.where(np.sort(self._by_rank[low:high]))

    def _explained(self, rows: Indexes, offset_s: Floats, free: Entries) -> Floats:
        """Return how each offset explains each cycle, float64 [offsets, cycles]."""
        every = np.tile(rows, len(offset_s))
        at = np.repeat(offset_s, len(rows))
        found = gains(self._cycles, free, every, at, self._noise)
        lost = lost_cost(self._cycles, self._entries, every, at, self._noise)
        both = found.either(lost)
        return np.asarray(both.reshape(len(offset_s), len(rows)))
