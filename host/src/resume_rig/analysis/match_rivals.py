"""Whether another offset explains a run of matched cycles as well as the one that was found.

The chain weighs the candidates that it was given. At an even pace there may be hundreds that
explain as much, more than can be followed. So each run between two steps of the clock is looked at
once more: against all records that stand between those of its neighbours, does another offset
come near?
"""

from dataclasses import dataclass

import numpy as np

from resume_rig.analysis.match_edges import Edges
from resume_rig.analysis.match_likelihood import (
    NEVER,
    Noise,
    gains_without_lag,
    log_sum,
    lost_cost,
)
from resume_rig.analysis.match_live import LOG_LAG_LIKELY, USUAL_LAGS
from resume_rig.analysis.match_order import Choice
from resume_rig.analysis.match_times import CycleTimes, Entries, Floats, Indexes
from resume_rig.analysis.offset_vote import most_voters, voted_offsets

STEP_S = 1.5
"""Offsets of two matched cycles in a row that are farther apart are a step of the clock."""
_RIVALS = 24
_AS_GOOD_AS_ANY = 1e9
_NEAR = 64
_VOTERS = 256
_WEIGHED = 4096
_SAME_S = 1.0
_LIKELY = 0.5
_FARTHEST = 40.0
# One pair alone cannot tell a step of the clock from chance.
_ALONE = 0.9
_CERTAIN = 0.999


def unrivalled(
    chosen: Choice,
    cycles: CycleTimes,
    entries: Entries,
    noise: Noise,
    expected_s: float | None,
) -> Floats:
    """Return for each pair the probability that no rival of its whole run is the truth instead."""
    likely = np.flatnonzero(chosen.probability > _LIKELY)
    sure = np.zeros(len(chosen.rows))
    if len(likely) == 0:
        return sure
    cuts = np.flatnonzero(np.abs(np.diff(chosen.offset_s[likely])) > STEP_S) + 1
    edges = Edges(chosen.where(likely), cycles, entries, noise).certainty(cuts)
    runs = _Runs(
        chosen,
        np.split(likely, cuts),
        cycles=cycles,
        entries=entries,
        noise=noise,
        expected_s=expected_s,
    )
    count = len(runs.runs)
    direct = [runs.certainty(at, at - 1, at + 1) for at in range(count)]
    for at, run in enumerate(runs.runs):
        low = 0 if at == 0 else int(runs.runs[at - 1][-1]) + 1
        high = len(sure) if at + 1 == count else int(runs.runs[at + 1][0])
        sure[low:high] = runs.whatever_beside(at, direct)
        if len(run) == 1 and count > 1:
            sure[low:high] *= _ALONE
    sure[likely] *= edges
    return sure


class _Runs:
    """The runs between steps of the clock."""

    def __init__(
        self,
        chosen: Choice,
        runs: list[Indexes],
        *,
        cycles: CycleTimes,
        entries: Entries,
        noise: Noise,
        expected_s: float | None,
    ) -> None:
        self.runs = runs
        self._chosen, self._cycles, self._entries = chosen, cycles, entries
        self._noise, self._expected_s = noise, expected_s
        self._rank = entries.rank[chosen.entry]
        self._by_rank = np.argsort(entries.rank, kind="stable")
        self._ranks = entries.rank[self._by_rank]

    def certainty(self, at: int, before: int, after: int) -> float:
        """Return the probability that no rival of a run is the truth.

        Args:
            at: the run.
            before: the last run before it that is taken for right; its records are no rival's.
            after: the first run after it that is.
        """
        chosen, runs = self._chosen, self.runs
        first, last = 0, len(self._cycles.at_s)
        low, high, anchor_s = 0, len(self._ranks), self._expected_s
        if at:
            first = int(chosen.rows[runs[at - 1][-1]]) + 1
            anchor_s = float(chosen.offset_s[runs[at - 1][-1]])
        if at + 1 < len(runs):
            last = int(chosen.rows[runs[at + 1][0]])
        if before >= 0:
            rank = self._rank[runs[before][-1]]
            low = int(np.searchsorted(self._ranks, rank, side="right"))
        if after < len(runs):
            high = int(np.searchsorted(self._ranks, self._rank[runs[after][0]]))
        weight = _rivals(
            np.arange(first, last),
            chosen.where(runs[at]),
            self._cycles,
            self._entries.where(np.sort(self._by_rank[low:high])),
            noise=self._noise,
            anchor_s=anchor_s,
        )
        return 1.0 / (1.0 + weight)

    def whatever_beside(self, at: int, direct: list[float]) -> float:
        """Return the probability of a run, those beside it being as likely as they are.

        A run beside one that is doubtful may owe its certainty to records that the doubtful one
        took: then it must be certain among those, too.
        """
        before, after, both = at - 1, at + 1, 1.0
        while before >= 0 and direct[before] < _CERTAIN:
            both, before = both * direct[before], before - 1
        while after < len(self.runs) and direct[after] < _CERTAIN:
            both, after = both * direct[after], after + 1
        if both == 1.0 or direct[at] < _LIKELY:
            return direct[at]
        return direct[at] * (both + (1.0 - both) * self.certainty(at, before, after))


def _rivals(
    rows: Indexes,
    run: Choice,
    cycles: CycleTimes,
    free: Entries,
    *,
    noise: Noise,
    anchor_s: float | None,
) -> float:
    """Return the likelihood of all rivals together against that of the run as it was found."""
    voters = run.rows
    # The cycles about a short run may have a better story that the run is no part of.
    spread = rows[np.unique(np.linspace(0, len(rows) - 1, _VOTERS).astype(np.int64))]
    most = min(most_voters(len(free.at_s)), _VOTERS)
    groups = {some[:most].tobytes(): some[:most] for some in (voters, rows, spread)}
    voted = [voted_offsets(cycles.at_s[some], free.at_s, _RIVALS) for some in groups.values()]
    offsets = np.concatenate([*voted, _voted_near(run, cycles, free)])
    if len(rows) > _WEIGHED:
        rows = rows[np.linspace(0, len(rows) - 1, _WEIGHED).astype(np.int64)]
    own_s = np.interp(rows, voters, run.offset_s)
    middle_s = float(np.median(own_s))
    moved = _apart(offsets - middle_s)
    own = _explained(rows, own_s, cycles, free, noise)
    worth: dict[float, float] = {}
    for away in moved.tolist():
        shifted = own_s + away
        shifted = shifted + _centred(rows, shifted, cycles, free)
        worth[away] = _explained(rows, shifted, cycles, free, noise).total
    if len(voters) > most and len(voted[0]) >= _RIVALS:
        least = min((worth[away] for away in _apart(voted[0] - middle_s).tolist()), default=NEVER)
        if least >= own.total - own.by_chance(noise):
            # Then there are others like it, as at an even pace, and nothing tells which is right.
            return _AS_GOOD_AS_ANY
    own_worth = own.total - _far(middle_s, anchor_s)
    apart = [w - _far(middle_s + away, anchor_s) - own_worth for away, w in worth.items()]
    return float(np.exp(np.clip(apart, -_FARTHEST, _FARTHEST)).sum())


def _apart(away_s: Floats) -> Floats:
    """Return shifts, each once, without those that are none."""
    rounded = np.unique(np.round(away_s / (_SAME_S / 2)) * (_SAME_S / 2))
    return np.asarray(rounded[np.abs(rounded) > _SAME_S])


def _voted_near(run: Choice, cycles: CycleTimes, free: Entries) -> Floats:
    """Return the shifts by a few records that the middle of a run votes for.

    Against a long log only few cycles can vote, and an even pace has more shifts than are weighed.
    """
    middle = len(run.rows) // 2
    some = slice(max(middle - _NEAR // 2, 0), middle + _NEAR // 2 + 1)
    times = cycles.at_s[run.rows[some]]
    told = np.searchsorted(free.at_s, (times + run.offset_s[some])[[0, -1]])
    near = free.at_s[max(int(told[0]) - _NEAR // 2, 0) : int(told[1]) + _NEAR // 2]
    return voted_offsets(times, near, _RIVALS)


@dataclass(frozen=True, slots=True)
class _Explained:
    """How an offset explains some cycles.

    Attributes:
        total: log-likelihood.
        of_each: of a cycle that has a record, in the mean.
        cycles: how many there are.
    """

    total: float
    of_each: float
    cycles: int

    def by_chance(self, noise: Noise) -> float:
        """Return how much less another offset explains by lost records alone, at most.

        That is three standard deviations of their number.
        """
        return self.of_each * (3.0 + 3.0 * float(np.sqrt(2 * self.cycles * noise.lost)))


def _explained(
    rows: Indexes, offset_s: Floats, cycles: CycleTimes, free: Entries, noise: Noise
) -> _Explained:
    """Return how an offset explains cycles, whatever the usual lag of the log."""
    found = gains_without_lag(cycles, free, rows, offset_s, noise)
    lost = lost_cost(cycles, free, rows, offset_s, noise)
    if not cycles.readings:
        each = log_sum(np.column_stack([found.gain, lost]), axis=1)
        return _told(float(each.sum()), each)
    all_lags = [
        log_sum(np.column_stack([found.with_lag(usual, noise.late), lost]), axis=1)
        for usual in USUAL_LAGS
    ]
    totals = LOG_LAG_LIKELY + np.array([each.sum() for each in all_lags])
    return _told(float(log_sum(totals, axis=0)), all_lags[int(totals.argmax())])


def _told(total: float, each: Floats) -> _Explained:
    with_record = each[each > 0.0]
    return _Explained(total, float(with_record.mean()) if len(with_record) else 0.0, len(each))


def _centred(rows: Indexes, offset_s: Floats, cycles: CycleTimes, free: Entries) -> float:
    """Return how far a rival's own pairs are from it, in the median."""
    predicted = cycles.at_s[rows] + offset_s
    after = np.minimum(np.searchsorted(free.at_s, predicted), len(free.at_s) - 1)
    before = np.maximum(after - 1, 0)
    up, down = free.at_s[after] - predicted, free.at_s[before] - predicted
    residual = np.where(np.abs(up) < np.abs(down), up, down)
    near = residual[np.abs(residual) < _SAME_S]
    return float(np.median(near)) if len(near) else 0.0


def _far(offset_s: float, anchor_s: float | None) -> float:
    """Return what speaks against an offset so far from the one before, or from the expected."""
    return 0.0 if anchor_s is None else float(np.log(max(abs(offset_s - anchor_s), 1.0)))
