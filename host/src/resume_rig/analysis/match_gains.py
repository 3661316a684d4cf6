"""The records that stand near where they are looked for, and what each of them is worth.

Seldom more than one stands near, so what is near is listed; the rest of a table of all neighbours
would be empty.
"""

from dataclasses import dataclass, replace

import numpy as np

from resume_rig.analysis.match_live import Readings, lag_gain
from resume_rig.analysis.match_times import Floats, Indexes

NEVER = -1e9
"""The log-likelihood of what cannot be."""
_SIDE = 2
_BESIDE = np.arange(-_SIDE, _SIDE)


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """The entries near some predictions, and what each is worth.

    In order of the predictions, and of the entries beside each.

    Attributes:
        of: index of the prediction, int64 [q].
        entry: index of the entry, int64 [q].
        gain: log-likelihood ratio against "lost, and the record is of another sleep" without the
            cost of losing; NEVER where it cannot be, float64 [q].
        residual_s: entry minus prediction, float64 [q].
        lag: by how many readings of the log it came late; UNKNOWN where that is not known,
            int32 [q].
    """

    of: Indexes
    entry: Indexes
    gain: Floats
    residual_s: Floats
    lag: Readings

    def with_lag(self, usual: int, late: float) -> "Gains":
        """Return the gains with what it says when the records came (`match_live.lag_gain`)."""
        known = self.lag >= 0
        gain = self.gain.copy()
        gain[known] += lag_gain(self.lag[known], usual, late)
        return replace(self, gain=gain)

    def turns(self) -> list[Indexes]:
        """Return the places of the first entry of each prediction, of the second, and so on."""
        again = np.zeros(len(self.of), dtype=np.bool_)
        again[1:] = self.of[1:] == self.of[:-1]
        place = np.arange(len(again))
        if not again.any():
            return [place]
        turn = place - np.maximum.accumulate(np.where(again, 0, place))
        return [np.flatnonzero(turn == each) for each in range(int(turn.max()) + 1)]

    def best(self, count: int) -> Indexes:
        """Return the place of the best entry of each of so many predictions, -1 for none."""
        best = np.full(count, -1, dtype=np.int64)
        for turn in self.turns():
            of, other = self.of[turn], best[self.of[turn]]
            better = (other < 0) | (self.gain[turn] > self.gain[other])
            best[of[better]] = turn[better]
        return best

    def either(self, lost: Floats) -> Floats:
        """Return the log-likelihood that one of those near is the record, or none, float64 [p].

        Args:
            lost: that there is none, of each prediction, float64 [p].
        """
        turns, top = self.turns(), lost.copy()
        for turn in turns:
            of = self.of[turn]
            top[of] = np.maximum(top[of], self.gain[turn])
        total = np.exp(lost - top)
        for turn in turns:
            of = self.of[turn]
            total[of] += np.exp(self.gain[turn] - top[of])
        return np.asarray(np.log(total) + top)


def near(at_s: Floats, predicted_s: Floats, reach_s: float) -> tuple[Indexes, Indexes, Floats]:
    """Return the entries within reach, at most two on either side: prediction, entry, how far.

    In order of the predictions, and of the entries beside each.

    Args:
        at_s: of the entries, ascending, not empty.
        predicted_s: where to look, float64 [p].
        reach_s: entry minus prediction, at most.
    """
    after, last = np.searchsorted(at_s, predicted_s), len(at_s) - 1
    entry = after[:, None] + _BESIDE
    away_s = at_s.take(entry, mode="clip")
    away_s -= predicted_s[:, None]
    inside = np.abs(away_s) <= reach_s
    if len(after) and (after.min() < _SIDE or after.max() + _SIDE > last + 1):
        inside &= (entry >= 0) & (entry <= last)
    reached = np.flatnonzero(inside)
    return reached // (2 * _SIDE), entry.ravel()[reached], away_s.ravel()[reached]
