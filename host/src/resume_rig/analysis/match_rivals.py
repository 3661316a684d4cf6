"""Whether another offset explains a run of matched cycles as well as the one that was found.

The chain weighs the candidates that it was given. At an even pace there may be hundreds that
explain as much, more than can be followed. So each run between two steps of the clock is looked at
once more: against all records that stand between those of its neighbours, does another offset
come near?
"""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from resume_rig.analysis.match_edges import ALONE, Edges
from resume_rig.analysis.match_likelihood import (
    Noise,
    by_chance,
    gains_without_lag,
    log_sum,
    lost_cost,
    parts_of,
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
_GLANCE, _WEIGHED = 512, 4096
MANY = 5
"""So many that are as good are some of more."""
_SAME_S = 1.0
_LIKELY = 0.5
_FARTHEST = 40.0
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
            sure[low:high] *= ALONE
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
    own_s = np.interp(rows, run.rows, run.offset_s)
    story = _Story(cycles, free, noise, rows, own_s)
    beside = _apart(_voted_near(run, cycles, free))
    if len(rows) > _WEIGHED and all(story.has_many(beside, size) for size in (_GLANCE, _WEIGHED)):
        return _AS_GOOD_AS_ANY
    shifts, are_some = _shifts(run, story, beside)
    some = story.sample(_WEIGHED)
    own = story.told(0.0, some)
    close_s = own.total - by_chance(own.of_each, own.cycles, noise)
    # So many that come near in a sample, or among those with most votes, are some of more: nothing
    # tells which of them is right.
    many = MANY if len(some) < len(rows) else len(shifts) + 1
    if are_some:
        many = min(many, _RIVALS // 2)
    worth: dict[float, float] = {}
    near: list[float] = []
    for away in shifts:
        worth[away] = story.told(away, some).total
        near += [away] if worth[away] >= close_s else []
        if len(near) >= many:
            return _AS_GOOD_AS_ANY
    if len(some) < len(rows):
        # A sample loses other records than the whole: what came near in it is weighed by all.
        everywhere = np.arange(len(rows))
        worth = {away: story.told(away, everywhere).total for away in near}
        own = story.told(0.0, everywhere) if near else own
    middle_s = float(np.median(own_s))
    own_worth = own.total - _far(middle_s, anchor_s)
    apart = [w - _far(middle_s + away, anchor_s) - own_worth for away, w in worth.items()]
    return float(np.exp(np.clip(apart, -_FARTHEST, _FARTHEST)).sum())


def _shifts(run: Choice, story: "_Story", beside: Floats) -> tuple[list[float], bool]:
    """Return the shifts to weigh, likely ones first, and whether there may be more of them.

    Args:
        run: as it was found.
        story: its cycles and the records that are free.
        beside: the shifts by a few records.
    """
    voters, rows, free = run.rows, story.rows, story.free
    # The cycles about a short run may have a better story that the run is no part of.
    spread = rows[np.unique(np.linspace(0, len(rows) - 1, _VOTERS).astype(np.int64))]
    most = min(most_voters(len(free.at_s)), _VOTERS)
    groups = {some[:most].tobytes(): some[:most] for some in (voters, rows, spread)}
    # Votes are for shifts against where the run itself is, so that its drift spoils none.
    at_s = story.cycles.at_s
    told_s = [at_s[some] + np.interp(some, voters, run.offset_s) for some in groups.values()]
    voted = [voted_offsets(each, free.at_s, _RIVALS) for each in told_s]
    first = _apart(voted[0]).tolist()
    others = _apart(np.concatenate([*voted, beside])).tolist()
    are_some = len(voters) > most and len(voted[0]) >= _RIVALS
    return [*first, *(each for each in others if each not in first)], are_some


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
    times = cycles.at_s[run.rows[some]] + run.offset_s[some]
    told = np.searchsorted(free.at_s, times[[0, -1]])
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


@dataclass(frozen=True, slots=True, eq=False)
class _Story:
    """A run of cycles and the records that are free for it.

    Attributes:
        rows: the cycles. own_s: where the run itself puts the OS clock, float64 [r].
    """

    cycles: CycleTimes
    free: Entries
    noise: Noise
    rows: Indexes
    own_s: Floats

    def told(self, away_s: float, some: Indexes) -> _Explained:
        """Return how an offset so far from the run's own explains some of its rows.

        Whatever the usual lag of the log.
        """
        rows, offset_s = self.rows[some], self.own_s[some] + away_s
        if away_s:
            offset_s = offset_s + self._centre(rows, offset_s)
        totals = np.zeros(len(USUAL_LAGS) if self.cycles.readings else 1)
        positive = np.zeros((len(totals), 2))
        for part in parts_of(len(rows)):
            for lag, each in enumerate(self._each(rows[part], offset_s[part])):
                totals[lag] += each.sum()
                positive[lag] += (each[each > 0].sum(), (each > 0).sum())
        if self.cycles.readings:
            totals += LOG_LAG_LIKELY
        best = positive[int(totals.argmax())]
        of_each = float(best[0] / best[1]) if best[1] else 0.0
        return _Explained(float(log_sum(totals, axis=0)), of_each, len(rows))

    def sample(self, size: int) -> Indexes:
        """Return so many places of rows, evenly spread, and that of a cycle whose record is known.

        All of them where there are fewer.
        """
        count = len(self.rows)
        places = np.linspace(0, count - 1, min(size, count)).astype(np.int64)
        if self.cycles.known is not None:
            own = np.flatnonzero(self.cycles.index[self.rows] == self.cycles.known[0])
            places = np.concatenate([places, own])
        return np.unique(places)

    def has_many(self, away_s: Floats, size: int) -> bool:
        """Return whether many offsets explain as much, but for chance, in a sample of the rows."""
        some = self.sample(size)
        own = self.told(0.0, some)
        close_s = own.total - by_chance(own.of_each, own.cycles, self.noise)
        near = (self.told(away, some).total >= close_s for away in away_s.tolist())
        return sum(islice(filter(None, near), MANY)) >= MANY

    def _each(self, rows: Indexes, offset_s: Floats) -> list[Floats]:
        """Return what each cycle adds, for each usual lag of the log."""
        found = gains_without_lag(self.cycles, self.free, rows, offset_s, self.noise)
        lost = lost_cost(self.cycles, self.free, rows, offset_s, self.noise)
        gains = [found]
        if self.cycles.readings:
            gains = [found.with_lag(usual, self.noise.late) for usual in USUAL_LAGS]
        return [each.either(lost) for each in gains]

    def _centre(self, rows: Indexes, offset_s: Floats) -> float:
        """Return how far a rival's own pairs are from it, in the median."""
        at_s = self.free.at_s
        predicted = self.cycles.at_s[rows] + offset_s
        after = np.minimum(np.searchsorted(at_s, predicted), len(at_s) - 1)
        before = np.maximum(after - 1, 0)
        up, down = at_s[after] - predicted, at_s[before] - predicted
        residual = np.where(np.abs(up) < np.abs(down), up, down)
        near = residual[np.abs(residual) < _SAME_S]
        return float(np.median(near)) if len(near) else 0.0


def _far(offset_s: float, anchor_s: float | None) -> float:
    """Return what speaks against an offset so far from the one before, or from the expected."""
    return 0.0 if anchor_s is None else float(np.log(max(abs(offset_s - anchor_s), 1.0)))
