"""Whether another offset explains a run of matched cycles as well as the one that was found.

The chain weighs the candidates that it was given; at an even pace hundreds may explain as much. So
each run between two steps of the clock is weighed against all records between its neighbours
(`without_rivals`), and at each edge the hypothesis that there was one more short run (`Edges`).
"""

from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from resume_rig.analysis.match.chain import step_cost
from resume_rig.analysis.match.likelihood import (
    Noise,
    by_chance,
    expected,
    gains,
    gains_without_lag,
    log_sum,
    lost_cost,
    parts_of,
)
from resume_rig.analysis.match.offset_vote import most_voters, voted_offsets
from resume_rig.analysis.match.order import Choice
from resume_rig.analysis.match.times import (
    LOG_LAG_LIKELY,
    UNKNOWN,
    USUAL_LAGS,
    CycleTimes,
    Entries,
    Floats,
    Indexes,
    from_nearest,
)

# Three cycles without a record in a row are seldom lost ones: a run of its own may stand there, of
# up to a stretch, or of 16 cycles at an end; so many offsets are weighed (assumed; from seeds
# 640 to 760 of benchmarks/matching.py).
_GAP = 3
_GAP_MOST = 64
_AT_ENDS = 16
_HYPOTHESES = 24
# Closer offsets are one: two readings of an RTC in whole seconds (assumed).
_SAME_S = 1.0
# How many pairs of the run before, and of the run after, the hypothesis takes (assumed).
_TAKEN = ((1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 2), (3, 0), (0, 3))
_MOST = 3
# What is e^40 less likely is as good as impossible, and e^40 likelier outvotes all (assumed).
_FARTHEST = 40.0
# Where three pairs are in so much doubt, more of them may be wrong (assumed).
_DOUBT = 1e-3
ALONE = 0.9
"""One pair alone does not distinguish a step of the clock from chance: of 51 such pairs in 121
brutal campaigns 3 were wrong (docs/explanation/matching.md)."""


class _LogOrder:
    """Entries in the order in which their records were written."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._places = np.argsort(entries.rank, kind="stable")
        self._ranks = entries.rank[self._places]

    def between(self, after: int | None, before: int | None) -> Entries:
        """Return the entries of records behind one rank and ahead of another; None: no such."""
        low, high = 0, len(self._ranks)
        if after is not None:
            low = int(np.searchsorted(self._ranks, after, side="right"))
        if before is not None:
            high = int(np.searchsorted(self._ranks, before))
        return self._entries.where(np.sort(self._places[low:high]))


@dataclass(frozen=True, slots=True, eq=False)
class _Hypotheses:
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
    """The edges of runs of likely pairs, and of the campaign.

    Where the clock was set twice within a few cycles, or many records are missing, the run between
    may have been no candidate. Its cycles are then left without a record, but for one or two that
    fit the neighbouring run by chance.
    """

    def __init__(self, likely: Choice, cycles: CycleTimes, entries: Entries, noise: Noise) -> None:
        self._likely, self._cycles, self._entries, self._noise = likely, cycles, entries, noise
        self._rank, self._log = entries.rank[likely.entry], _LogOrder(entries)

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

        A step within the gap would explain such a pair as well, and no other pair shows how the
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
        hypotheses = self._hypotheses(cut, low, high)
        if hypotheses is None:
            return
        worst = np.zeros(2 * _MOST)
        for of_before, of_after in _TAKEN:
            first, last = cut - of_before, cut + of_after - 1
            if first < low or last > high:
                continue
            weight = self._weight(hypotheses, first, last)
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
                hypotheses = self._hypotheses(cut, low, high)
                if hypotheses is None:
                    break
                part, weight = slice(low, high + 1), self._weight(hypotheses, low, high)
                against[part] = np.maximum(against[part], weight)

    def _hypotheses(self, cut: int, low: int, high: int) -> _Hypotheses | None:
        """Return what other runs about a cut may be, among the records around some pairs."""
        likely, around = self._likely, self._between(low - 1, high + 1)
        before_s = float(likely.offset_s[max(cut - 1, 0)])
        after_s = float(likely.offset_s[min(cut, len(likely.rows) - 1)])
        times_s = self._cycles.at_s[self._rows(low, high)]
        offsets = voted_offsets(times_s, around.at_s, _HYPOTHESES)
        distance_s = np.minimum(np.abs(offsets - before_s), np.abs(offsets - after_s))
        offsets = offsets[distance_s > _SAME_S]
        if len(offsets) == 0:
            return None
        cost = step_cost(offsets - before_s, self._noise)
        if 0 < cut < len(likely.rows):
            cost = cost + step_cost(offsets - after_s, self._noise)
        if abs(after_s - before_s) > _SAME_S:
            cost = cost - step_cost(np.array([after_s - before_s]), self._noise)
        return _Hypotheses(around, before_s, after_s, offsets, cost)

    def _weight(self, hypotheses: _Hypotheses, first: int, last: int) -> float:
        """Return how likely it is that another run takes these pairs, against that none does."""
        rows, between = self._rows(first, last), self._between(first - 1, last + 1)
        if len(between.at_s) == 0:
            return 0.0
        explained = self._explained(rows, hypotheses.offset_s, between).sum(axis=1)
        around_s = np.array([hypotheses.before_s, hypotheses.after_s])
        own = self._explained(rows, around_s, hypotheses.around)
        ahead = np.append(0.0, np.cumsum(own[0])) + np.append(np.cumsum(own[1][::-1])[::-1], 0)
        advantage = np.clip(explained - hypotheses.cost - float(ahead.max()), -_FARTHEST, _FARTHEST)
        return float(np.exp(advantage).sum())

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
        return self._log.between(
            self._rank[before] if before >= 0 else None,
            self._rank[after] if after < len(self._rank) else None,
        )

    def _explained(self, rows: Indexes, offset_s: Floats, free: Entries) -> Floats:
        """Return how each offset explains each cycle, float64 [offsets, cycles]."""
        every = np.tile(rows, len(offset_s))
        at = np.repeat(offset_s, len(rows))
        found = gains(self._cycles, free, every, at, self._noise)
        lost = lost_cost(self._cycles, self._entries, every, at, self._noise)
        both = found.either(lost)
        return np.asarray(both.reshape(len(offset_s), len(rows)))


STEP_S = 1.5
"""Offsets of two matched cycles in a row that differ by more are a step of the clock (assumed)."""
# So many shifts are weighed; where all of them come near there are more, and none is certain
# (assumed).
_RIVALS = 24
_AS_GOOD_AS_ANY = 1e9
# Cycles and records in the middle of a run that vote for shifts by a few records; how many vote for
# any; and how many of a long run are looked at first, and then weighed (assumed).
_NEAR = 64
_VOTERS = 256
_GLANCE, _WEIGHED = 512, 4096
MANY = 5
"""So many that are as good are some of more (assumed)."""
_LIKELY = 0.5  # likelier than not
# A run that is less certain may have taken the records of its neighbour (assumed).
_CERTAIN = 0.999
# How often other sleeps are outside a campaign is taken of the log; before that two gaps of what is
# usual (assumed: few gaps should not decide much).
_PRIOR_GAPS = 2.0


def without_rivals(
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
        sure[low:high] = runs.with_neighbours(at, direct)
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
        self._chosen, self._cycles = chosen, cycles
        self._noise, self._expected_s = noise, expected_s
        self._rank, self._log = entries.rank[chosen.entry], _LogOrder(entries)

    def certainty(self, at: int, before: int, after: int) -> float:
        """Return the probability that no rival of a run is the truth.

        Args:
            at: the run.
            before: the last run before it that is taken for right; its records are no rival's.
            after: the first run after it that is.
        """
        chosen, runs = self._chosen, self.runs
        first, last = 0, len(self._cycles.at_s)
        anchor_s = self._expected_s
        if at:
            first = int(chosen.rows[runs[at - 1][-1]]) + 1
            anchor_s = float(chosen.offset_s[runs[at - 1][-1]])
        if at + 1 < len(runs):
            last = int(chosen.rows[runs[at + 1][0]])
        free = self._log.between(
            self._rank[runs[before][-1]] if before >= 0 else None,
            self._rank[runs[after][0]] if after < len(runs) else None,
        )
        weight = _rivals(
            np.arange(first, last),
            chosen.where(runs[at]),
            self._cycles,
            free,
            noise=self._noise,
            anchor_s=anchor_s,
            is_open=(before < 0, after >= len(runs)),
        )
        return 1.0 / (1.0 + weight)

    def with_neighbours(self, at: int, direct: list[float]) -> float:
        """Return the probability of a run, its neighbours being as likely as they are.

        A run next to one that is doubtful may owe its certainty to records that the doubtful one
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
    is_open: tuple[bool, bool],
) -> float:
    """Return the likelihood of all rivals together against that of the run as it was found.

    Args:
        rows: the cycles of the run, and those about it that have no record.
        run: as it was found.
        cycles: all of them.
        free: the records that are no other run's.
        noise: what they are like.
        anchor_s: the offset before, or the one that is expected; None without.
        is_open: whether no run is before this one, and none behind it.
    """
    own_s = np.interp(rows, run.rows, run.offset_s)
    evidence = _RunEvidence(cycles, free, noise, rows, own_s)
    near_shifts = _distinct(_voted_near(run, cycles, free))
    if len(rows) > _WEIGHED and all(
        evidence.has_many(near_shifts, size) for size in (_GLANCE, _WEIGHED)
    ):
        return _AS_GOOD_AS_ANY
    shifts, are_some = _shifts(run, evidence, near_shifts)
    some = evidence.sample(_WEIGHED)
    own = evidence.explained(0.0, some)
    close_s = own.total - by_chance(own.of_each, own.cycles, noise)
    # So many that come near in a sample, or among those with most votes, are some of more: nothing
    # shows which of them is right.
    many = MANY if len(some) < len(rows) else len(shifts) + 1
    if are_some:
        many = min(many, _RIVALS // 2)
    worth: dict[float, float] = {}
    near: list[float] = []
    for away in shifts:
        worth[away] = evidence.explained(away, some).total
        near += [away] if worth[away] >= close_s else []
        if len(near) >= many:
            return _AS_GOOD_AS_ANY
    if len(some) < len(rows):
        # A sample loses other records than the whole: what came near in it is weighed by all.
        everywhere = np.arange(len(rows))
        worth = {away: evidence.explained(away, everywhere).total for away in near}
        own = evidence.explained(0.0, everywhere) if near else own
    middle_s = float(np.median(own_s))
    own_worth = own.total - _far(middle_s, anchor_s)
    others = _Others(free, cycles.at_s[rows[[0, -1]]] + own_s[[0, -1]], is_open, noise)
    advantages = [
        w - _far(middle_s + away, anchor_s) - own_worth - others.fewer_at(away)
        for away, w in worth.items()
    ]
    return float(np.exp(np.clip(advantages, -_FARTHEST, _FARTHEST)).sum())


class _Others:
    """The records that a run leaves outside: those of other campaigns and of other days.

    What a record is worth is counted against records that come as seldom as within a campaign.
    Those outside come as often as the log shows, so that one more that a rival takes in, or leaves
    out, is less information by as much.
    """

    def __init__(
        self, free: Entries, between_s: Floats, is_open: tuple[bool, bool], noise: Noise
    ) -> None:
        _, one = np.unique(free.record, return_index=True)
        self._at_s, self._between_s, self._is_open = np.sort(free.at_s[one]), between_s, is_open
        low, high = self._inside(0.0)
        self._own = high - low
        gaps_s = np.concatenate([np.diff(self._at_s[:low]), np.diff(self._at_s[high:])])
        log_hz = -np.log(np.maximum(gaps_s, 1.0)).sum() + _PRIOR_GAPS * np.log(noise.others_hz)
        self._more = max(float(log_hz / (len(gaps_s) + _PRIOR_GAPS) - np.log(noise.others_hz)), 0.0)

    def _inside(self, away_s: float) -> tuple[int, int]:
        """Return which records a shift of the run spans."""
        low_s, high_s = self._between_s + away_s
        low = int(np.searchsorted(self._at_s, low_s - _SAME_S)) if self._is_open[0] else 0
        high = len(self._at_s)
        if self._is_open[1]:
            high = int(np.searchsorted(self._at_s, high_s + _SAME_S))
        return low, high

    def fewer_at(self, away_s: float) -> float:
        """Return what speaks against a shift for the records that it spans, log-likelihood."""
        low, high = self._inside(away_s)
        return (high - low - self._own) * self._more


def _shifts(run: Choice, evidence: "_RunEvidence", near_shifts: Floats) -> tuple[list[float], bool]:
    """Return the shifts to weigh, likely ones first, and whether there may be more of them.

    Args:
        run: as it was found.
        evidence: its cycles and the records that are free.
        near_shifts: the shifts by a few records.
    """
    voters, rows, free = run.rows, evidence.rows, evidence.free
    # The cycles about a short run may fit better by an offset that the run is no part of.
    spread = rows[np.unique(np.linspace(0, len(rows) - 1, _VOTERS).astype(np.int64))]
    most = min(most_voters(len(free.at_s)), _VOTERS)
    groups = {some[:most].tobytes(): some[:most] for some in (voters, rows, spread)}
    # Votes are for shifts against where the run itself is, so that its drift spoils none.
    at_s = evidence.cycles.at_s
    os_s = [at_s[some] + np.interp(some, voters, run.offset_s) for some in groups.values()]
    voted = [voted_offsets(each, free.at_s, _RIVALS) for each in os_s]
    first = _distinct(voted[0]).tolist()
    others = _distinct(np.concatenate([*voted, near_shifts])).tolist()
    are_some = len(voters) > most and len(voted[0]) >= _RIVALS
    return [*first, *(each for each in others if each not in first)], are_some


def _distinct(away_s: Floats) -> Floats:
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
    ends = np.searchsorted(free.at_s, times[[0, -1]])
    near = free.at_s[max(int(ends[0]) - _NEAR // 2, 0) : int(ends[1]) + _NEAR // 2]
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
class _RunEvidence:
    """A run of cycles and the records that are free for it.

    Attributes:
        rows: the cycles. own_s: where the run itself puts the OS clock, float64 [r].
    """

    cycles: CycleTimes
    free: Entries
    noise: Noise
    rows: Indexes
    own_s: Floats

    def explained(self, away_s: float, some: Indexes) -> _Explained:
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
        if self.cycles.stated_pair is not None:
            own = np.flatnonzero(self.cycles.index[self.rows] == self.cycles.stated_pair[0])
            places = np.concatenate([places, own])
        return np.unique(places)

    def has_many(self, away_s: Floats, size: int) -> bool:
        """Return whether many offsets explain as much, but for chance, in a sample of the rows."""
        some = self.sample(size)
        own = self.explained(0.0, some)
        close_s = own.total - by_chance(own.of_each, own.cycles, self.noise)
        near = (self.explained(away, some).total >= close_s for away in away_s.tolist())
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
        residual = from_nearest(self.free.at_s, self.cycles.at_s[rows] + offset_s)
        near = residual[np.abs(residual) < _SAME_S]
        return float(np.median(near)) if len(near) else 0.0


def _far(offset_s: float, anchor_s: float | None) -> float:
    """Return what speaks against an offset so far from the one before, or from the expected."""
    return 0.0 if anchor_s is None else float(np.log(max(abs(offset_s - anchor_s), 1.0)))
