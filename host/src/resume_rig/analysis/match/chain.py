"""Which candidate offset held at which cycle: a hidden Markov chain over the whole campaign.

States are the candidates of a stretch. Staying on one costs nothing. Going to another is a step of
the clock and costs what steps are worth, more if records after it stand before some that were
used; a real disorder is impossible. Both ways together give each candidate its probability at each
cycle, all other ways through the campaign being weighed against it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.match.likelihood import (
    IMPOSSIBLE,
    NEVER,
    Gains,
    Noise,
    gains,
    log_sum,
    lost_cost,
    parts_of,
    reach_of,
)
from resume_rig.analysis.match.offsets import Tracks
from resume_rig.analysis.match.times import CycleTimes, Entries, Floats, Indexes, Rows

# Enough to learn what records are like from; more take time and change nothing (assumed).
_LEARNT_FROM = 16_384
# Two readings of an RTC in whole seconds about one offset differ by half a second, and what varies
# (assumed).
_SAME_S = 0.8


def to_learn_from(
    cycles: CycleTimes, entries: Entries, tracks: Tracks
) -> tuple[CycleTimes, Tracks]:
    """Return the middle of what the log covers, or all of a campaign that is not long."""
    n = len(cycles.at_s)
    if n <= _LEARNT_FROM:
        return cycles, tracks
    os_s = tracks.middle_s + tracks.offset_s[:, 0]
    covered = np.flatnonzero((os_s >= entries.at_s[0]) & (os_s <= entries.at_s[-1]))
    middle = int(covered[len(covered) // 2]) if len(covered) else len(os_s) // 2
    low = max(int(tracks.first[middle]) - _LEARNT_FROM // 2, 0)
    first = int(np.searchsorted(tracks.first, low, side="right")) - 1
    last = int(np.searchsorted(tracks.first, min(low + _LEARNT_FROM, n)))
    part = slice(int(tracks.first[first]), int(tracks.first[last]))
    stretches = slice(first, last)
    return cycles.where(part), Tracks(
        tracks.first[first : last + 1] - part.start,
        tracks.offset_s[stretches],
        tracks.rate[stretches],
        tracks.middle_s[stretches],
    )


StepCost = Callable[[Floats], Floats]
LogPrior = Callable[[Floats], Floats]

# Of a step all sizes within so many e-folds of it are as likely: from 1 s to an hour (assumed).
_STEP_RANGE = 8.0
# Of a step to where no candidate is so much is the price of its size, the rest that it is one.
_ANYWHERE = float(np.log(2 * _STEP_RANGE)) + _STEP_RANGE
# A step may give up a few pairs that were there by chance, and what they were worth; so many are
# another order, which no campaign can make up for (assumed).
_REMEMBERED = 4
# Up to so many cycles each has a cell of its own (`LONG_CAMPAIGN`) (assumed).
_CELLS_FINE = 4096
# Behind every record.
_NO_RANK = np.iinfo(np.int64).max
# Of two records near one cycle either may be meant where they are within 20 to 1 (assumed).
_AS_GOOD = 3.0
# States behind the candidates: the log has none of these cycles, begins later, has ended.
_NO_RECORD, _BEFORE_LOG, _AFTER_LOG = -3, -2, -1
_CANDIDATES = slice(None, _NO_RECORD)
_STATES_AT_ENDS = ((0, 0), (0, 3))


@dataclass(frozen=True, slots=True, eq=False)
class Chain(Rows):
    """The answer.

    Attributes:
        rows: a cycle for each candidate that is worth a thought there, int64 [p].
        slots: that candidate, int64 [p].
        probability: of that candidate at that cycle, float64 [p].
        evidence: log-likelihood of all ways together, against "no record is of any cycle".
    """

    rows: Indexes
    slots: Indexes
    probability: Floats
    evidence: float


@dataclass(frozen=True, slots=True, eq=False)
class _Worth:
    """Of each cycle (row) under each candidate (column) of its stretch.

    Attributes:
        gain: log-likelihood, NEVER where there is no such candidate, float64 [n, k].
        rank: rank of the record near, -1 where none is near or it is hardly dated; a record
            without durations reaches seconds and may lie near by chance, int64 [n, k]. Where the
            clock went back two records may be near: this is the first of them that is as good.
        last_rank: of the last of them, int64 [n, k].
        best_rank: rank of the likeliest, however it is dated; -1 for none, int64 [n, k].
        of_none: that the cycle has no record, where the log covers its time, and (twice) where it
            does not, float64 [n, 3].
        log_s: the first and the last time at which a cycle may have a record, by the log.
        log: the records.
    """

    gain: Floats
    rank: Indexes
    last_rank: Indexes
    best_rank: Indexes
    of_none: Floats
    log_s: tuple[float, float]
    log: "_Log"


def follow(
    cycles: CycleTimes, entries: Entries, tracks: Tracks, noise: Noise, log_prior: LogPrior
) -> Chain:
    """Return the probabilities of all candidates.

    Args:
        cycles: at least one.
        entries: at least one.
        tracks: the candidates.
        noise: what the records are like.
        log_prior: how likely an offset is, log per second.
    """
    cost = partial(step_cost, noise=noise)
    size = -(-len(cycles.at_s) // _CELLS_FINE)
    worth = _worth(cycles, entries, tracks, noise, np.arange(len(cycles.at_s)))
    cells = _cells(tracks, size, np.zeros(len(tracks.first) - 1, dtype=np.bool_))
    moves = _Moves(cells, tracks, worth, cycles, cost=cost, log_prior=log_prior)
    posterior, evidence = _both_ways(cells, moves, worth)
    if size > 1:
        finer = _cells(tracks, size, _unsettled(cells, tracks, posterior, cycles))
        if len(finer.stretch) > len(cells.stretch):
            cells = finer
            moves = _Moves(cells, tracks, worth, cycles, cost=cost, log_prior=log_prior)
            posterior, evidence = _both_ways(cells, moves, worth)
    cell, slots = np.nonzero(posterior > 1e-5)
    length = np.diff(cells.first)[cell]
    start = np.repeat(cells.first[cell], length)
    within = np.arange(len(start)) - np.repeat(np.cumsum(length) - length, length)
    return Chain(
        start + within,
        np.repeat(slots, length),
        np.repeat(posterior[cell, slots], length),
        evidence,
    )


def step_cost(step_s: Floats, noise: Noise) -> Floats:
    """Return what a step of the clock costs, as a log-likelihood; more, the larger it is."""
    difference_s = np.maximum(np.abs(step_s), 1.0)
    return np.asarray(np.log(2 * _STEP_RANGE * difference_s / noise.steps_per_cycle))


def _worth(
    cycles: CycleTimes, entries: Entries, tracks: Tracks, noise: Noise, rows: Indexes
) -> _Worth:
    """Return what some cycles are worth, ascending."""
    n, most = len(rows), tracks.offset_s.shape[1]
    gain = np.full((n, most), NEVER)
    rank, last_rank, best_rank = (np.full((n, most), -1, dtype=np.int64) for _ in range(3))
    stretch = np.searchsorted(tracks.first, rows, side="right") - 1
    for slot, part in product(range(most), parts_of(n)):
        of_part = stretch[part]
        at = part.start + np.flatnonzero(~np.isnan(tracks.offset_s[of_part, slot]))
        own = rows[at]
        offset_s = tracks.offset_at(stretch[at], slot, cycles.at_s[own])
        found = gains(cycles, entries, own, offset_s, noise)
        lost = lost_cost(cycles, entries, own, offset_s, noise)
        gain[at, slot] = found.either(lost)
        rank[at, slot], last_rank[at, slot] = _ranks_near(found, entries, len(own))
        best = found.best(len(own))
        best_rank[at[best >= 0], slot] = entries.rank[found.entry[best[best >= 0]]]
    reach_s = reach_of(entries, noise)
    log_s = float(entries.at_s[0]) - reach_s, float(entries.at_s[-1]) + reach_s
    beyond = lost_cost(cycles, entries, rows, np.full(n, np.inf), noise)
    within = lost_cost(cycles, entries, rows, entries.at_s[0] - cycles.at_s[rows], noise)
    return _Worth(
        gain,
        rank,
        last_rank,
        best_rank,
        np.column_stack([within, beyond, beyond]),
        log_s,
        _Log.of(entries),
    )


def _ranks_near(found: Gains, entries: Entries, count: int) -> tuple[Indexes, Indexes]:
    """Return the ranks of the first and of the last record near that is as good as any."""
    first, last = (np.full(count, -1, dtype=np.int64) for _ in range(2))
    best = found.best(count)
    best = best[best >= 0]
    sharp = best[(found.gain[best] > 0) & (entries.half_s[found.entry[best]] == 0.0)]
    first[found.of[sharp]] = last[found.of[sharp]] = entries.rank[found.entry[sharp]]
    top = np.full(count, np.inf)
    top[found.of[sharp]] = found.gain[sharp]
    for turn in found.turns():
        of = found.of[turn]
        as_good = found.gain[turn] >= np.maximum(top[of] - _AS_GOOD, 0.0)
        of, rank = of[as_good], entries.rank[found.entry[turn[as_good]]]
        first[of], last[of] = np.minimum(first[of], rank), np.maximum(last[of], rank)
    return first, last


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Runs of cycles in which the clock is not set; a cell is a cycle wherever that matters.

    Attributes:
        first: first cycle of each cell and, last, the number of cycles, int64 [c + 1].
        stretch: int64 [c].
    """

    first: Indexes
    stretch: Indexes


def _cells(tracks: Tracks, size: int, fine: NDArray[np.bool_]) -> _Cells:
    firsts: list[Indexes] = []
    stretches: list[Indexes] = []
    single = (~np.isnan(tracks.offset_s)).sum(axis=1) <= 1
    for stretch in range(len(tracks.first) - 1):
        low, high = int(tracks.first[stretch]), int(tracks.first[stretch + 1])
        step = high - low if single[stretch] else 1 if fine[stretch] else size
        firsts.append(np.arange(low, high, step))
        stretches.append(np.full(len(firsts[-1]), stretch))
    return _Cells(np.append(np.concatenate(firsts), tracks.first[-1]), np.concatenate(stretches))


def _unsettled(
    cells: _Cells, tracks: Tracks, posterior: Floats, cycles: CycleTimes
) -> NDArray[np.bool_]:
    """Return the stretches in or next to which the clock may have been set."""
    best = posterior.argmax(axis=1)
    at_s = cycles.at_s[cells.first[1:-1]]
    before_s = tracks.offset_at(cells.stretch[:-1], best[:-1], at_s)
    moved = np.abs(tracks.offset_at(cells.stretch[1:], best[1:], at_s) - before_s) > _SAME_S
    fine = np.zeros(len(tracks.first) + 1, dtype=np.bool_)
    for side in (cells.stretch[:-1][moved], cells.stretch[1:][moved]):
        for near in (0, 1, 2):
            fine[side + near] = True
    return fine[1:-1]


def _both_ways(cells: _Cells, moves: "_Moves", worth: _Worth) -> tuple[Floats, float]:
    """Return the probability of each candidate in each cell, and the evidence."""
    gain = moves.with_silence(np.add.reduceat(worth.gain, cells.first[:-1], axis=0))
    state = moves.entry() + gain[0]
    ahead = [state]
    used = [moves.after(_Used.none(gain.shape[1]), 0)]
    for cell in range(1, len(gain)):
        ways = state[:, None] + moves.into(cell, used[-1])
        used.append(moves.after(used[-1].of(ways.argmax(axis=0)), cell))
        state = log_sum(ways, axis=0) + gain[cell]
        ahead.append(state)
    back = np.zeros(gain.shape[1])
    # That all cycles were before the log is "no record is of any cycle".
    back[_BEFORE_LOG] = NEVER
    evidence = float(log_sum(state + back, axis=0))
    posterior = np.empty(gain.shape)
    for cell in range(len(gain) - 1, -1, -1):
        both = ahead[cell] + back
        posterior[cell] = np.exp(both - log_sum(both, axis=0))
        if cell:
            back = log_sum(moves.into(cell, used[cell - 1]) + (back + gain[cell]), axis=1)
    return posterior[:, _CANDIDATES], evidence


@dataclass(frozen=True, slots=True, eq=False)
class _Used:
    """The records that the likeliest way to each state has used last, whatever it went through.

    Attributes:
        rank: -1 for none, int64 [_REMEMBERED, k + 3].
        worth: what each is worth more than none, float64 [_REMEMBERED, k + 3].
        at_s: the cycle of the last of them, by the wires, float64 [k + 3].
    """

    rank: Indexes
    worth: Floats
    at_s: Floats

    @classmethod
    def none(cls, states: int) -> "_Used":
        """Return that none was used."""
        nothing = np.zeros((_REMEMBERED, states))
        return cls(np.full(nothing.shape, -1, dtype=np.int64), nothing, nothing[0])

    def of(self, states: Indexes) -> "_Used":
        """Return those of the ways that come from these states."""
        return _Used(self.rank[:, states], self.worth[:, states], self.at_s[states])

    def given_up(self, following: Indexes) -> Floats:
        """Return the log-likelihood that ways lose if they go on with these ranks, [k + 3, c]."""
        behind = self.rank[:, :, None] >= following
        lost = np.where(behind, self.worth[:, :, None], 0.0).sum(axis=0)
        return np.where(behind.all(axis=0), IMPOSSIBLE, -lost)

    def passed_over(self, log: "_Log", rank: Indexes, at_s: float) -> Floats:
        """Return what ways lose by the records between their last one and the next.

        Those came at the rate of other sleeps within the time that the wires show, not within that
        of the log.

        Args:
            log: of which they are.
            rank: the next of some states, int64 [c].
            at_s: of its cycle, by the wires.
        """
        # Of none, -1: the last record of all, from which none is passed over.
        last = self.rank[0][:, None]
        between = log.place[rank] - log.place[last] - 1
        same_source = log.source[rank] == log.source[last]
        wires_s = np.maximum(at_s - self.at_s, 1.0)[:, None]
        log_s = np.maximum(np.abs(log.at_s[rank] - log.at_s[last]), wires_s)
        lost = np.maximum(between, 0) * np.log(log_s / wires_s)
        return np.where(same_source, -lost, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Log:
    """Records by their rank.

    Attributes:
        at_s: their wake. source: of which document. place: in the order of that; [ranks].
    """

    at_s: Floats
    source: Indexes
    place: Indexes

    @classmethod
    def of(cls, entries: Entries) -> "_Log":
        """Return those that may have a cycle."""
        size = int(entries.rank.max()) + 1
        at_s, source = np.zeros(size), np.zeros(size, dtype=np.int64)
        at_s[entries.rank], source[entries.rank] = entries.at_s, entries.source
        place = np.zeros(size, dtype=np.int64)
        ranks = np.unique(entries.rank)
        for each in np.unique(entries.source):
            own = ranks[source[ranks] == each]
            place[own] = np.arange(len(own))
        return cls(at_s, source, place)


class _Moves:
    """What it costs to go from one cell to the next, as log-likelihoods, from row to column.

    Where a log begins and ends is not known. Of a cycle before it, or after it, all offsets give
    the same: that it has no record. So all of them are one state on either side; from the one
    before, each candidate may be entered at the cell at which the log begins for it, and the one
    after is entered where the log ends. And where no candidate explains anything the clock stands
    anywhere.
    """

    def __init__(
        self,
        cells: _Cells,
        tracks: Tracks,
        worth: _Worth,
        cycles: CycleTimes,
        *,
        cost: StepCost,
        log_prior: LogPrior,
    ) -> None:
        self._stretch, self._tracks, self._cost = cells.stretch, tracks, cost
        self._log_prior = log_prior
        self._first_s, last_s = (cycles.at_s[at] for at in (cells.first[:-1], cells.first[1:] - 1))
        self._last_s = last_s
        self._log, self._log_s = worth.log, worth.log_s
        self._of_none = np.add.reduceat(worth.of_none, cells.first[:-1], axis=0)
        ranks = np.maximum.reduceat(worth.rank, cells.first[:-1], axis=0)
        self._ranks = np.pad(ranks, _STATES_AT_ENDS, constant_values=-1)
        best = np.where(worth.best_rank < 0, _NO_RANK, worth.best_rank)
        best = np.minimum.reduceat(best, cells.first[:-1], axis=0)
        self._best_rank = np.pad(best, _STATES_AT_ENDS, constant_values=_NO_RANK)
        more = np.where(worth.best_rank < 0, 0.0, worth.gain - worth.of_none[:, :1])
        more = np.maximum.reduceat(more, cells.first[:-1], axis=0)
        self._worth = np.pad(np.maximum(more, 0.0), _STATES_AT_ENDS)
        following = _next_ranks(cells, tracks, worth, cycles)
        self._next = np.pad(following, _STATES_AT_ENDS, constant_values=_NO_RANK)
        self._to_anywhere = float(cost(np.exp([_STEP_RANGE]))[0])
        self._begins_s = cycles.at_s[tracks.first[:-1]]
        self._steps = lru_cache(maxsize=4)(self._steps_of)

    def with_silence(self, gain: Floats) -> Floats:
        """Return what each cell is worth, candidates that the log does not reach left out."""
        stretch, (begins_s, ends_s) = self._stretch[:, None], self._log_s
        slot = np.arange(gain.shape[1])
        os_s = [at + self._tracks.offset_at(stretch, slot, at)
                  for at in (self._first_s[:, None], self._last_s[:, None])]  # fmt: skip
        reached = (os_s[1] >= begins_s) & (os_s[0] <= ends_s)
        return np.column_stack([np.where(reached, gain, NEVER), self._of_none])

    def entry(self) -> Floats:
        """Return how likely each state is at the first cell, before anything was compared."""
        offset_s = self._tracks.offset_s[0]
        prior = np.nan_to_num(self._log_prior(offset_s), nan=NEVER)
        return np.append(prior, [NEVER, 0.0, NEVER])

    def into(self, cell: int, used: _Used) -> Floats:
        """Return what it costs to go from the cell before into this one, float64 [k + 3, k + 3].

        Args:
            cell: where to.
            used: by the likeliest way to each state of the cell before.
        """
        stretch = int(self._stretch[cell])
        origin = int(self._stretch[cell - 1])
        steps = self._steps(origin, stretch)
        # Whoever goes elsewhere goes there for a record.
        to = np.flatnonzero(self._worth[cell])
        moved = steps[:, to]
        moved += used.passed_over(self._log, self._best_rank[cell, to], self._first_s[cell])
        moved += used.given_up(self._next[cell, to])
        is_step = steps < 0.0
        every = np.where(is_step, NEVER, steps)
        every[:, to] = np.where(is_step[:, to], moved, steps[:, to])
        steps = every
        tracks = self._tracks
        slots = np.arange(tracks.offset_s.shape[1])
        before_s, now_s = self._last_s[cell - 1], self._first_s[cell]
        offset_s = tracks.offset_at(stretch, slots, before_s)
        begins = before_s + offset_s < self._log_s[0]
        steps[_BEFORE_LOG, _CANDIDATES] = np.where(begins, self._log_prior(offset_s), NEVER)
        ends = now_s + tracks.offset_at(origin, slots, now_s) > self._log_s[1]
        steps[_CANDIDATES, _AFTER_LOG] = np.where(ends, 0.0, NEVER)
        steps[_CANDIDATES, _NO_RECORD] = _ANYWHERE - self._to_anywhere
        return steps

    def after(self, used: _Used, cell: int) -> _Used:
        """Return what is used after a cell by ways that had used this before."""
        rank, worth = self._ranks[cell], self._worth[cell]
        return _Used(
            np.where(rank < 0, used.rank, np.concatenate([rank[None], used.rank[:-1]])),
            np.where(rank < 0, used.worth, np.concatenate([worth[None], used.worth[:-1]])),
            np.where(rank < 0, used.at_s, self._last_s[cell]),
        )

    def _steps_of(self, origin: int, stretch: int) -> Floats:
        """Return what it costs to change the candidate within a stretch, or on entering it."""
        tracks, at_s = self._tracks, self._begins_s[stretch]
        slots = np.arange(tracks.offset_s.shape[1])
        before = tracks.offset_at(origin, slots, at_s)
        after = tracks.offset_at(stretch, slots, at_s)
        difference_s = np.abs(after[None, :] - before[:, None])
        same = difference_s <= _SAME_S
        if origin == stretch:
            same = np.eye(len(before), dtype=np.bool_)
        steps = np.where(same, 0.0, -self._cost(difference_s))
        steps = np.where(np.isnan(difference_s), NEVER, steps)
        every = np.full((len(before) + 3, len(before) + 3), NEVER)
        every[_CANDIDATES, _CANDIDATES] = steps
        every[_NO_RECORD, _CANDIDATES] = -_ANYWHERE
        np.fill_diagonal(every[_NO_RECORD:, _NO_RECORD:], 0.0)
        return every


def _next_ranks(cells: _Cells, tracks: Tracks, worth: _Worth, cycles: CycleTimes) -> Indexes:
    """Return, for each cell, the next rank that a candidate uses from it, as long as it goes on."""
    following = np.where(worth.last_rank < 0, _NO_RANK, worth.last_rank)
    count = len(tracks.first) - 1
    goes_on = _continued(tracks, cycles)
    for stretch in range(count - 1, -1, -1):
        low, high = int(tracks.first[stretch]), int(tracks.first[stretch + 1])
        if stretch + 1 < count:
            after = np.append(following[high], _NO_RANK)[goes_on[stretch]]
            following[high - 1] = np.minimum(following[high - 1], after)
        following[low:high] = np.minimum.accumulate(following[low:high][::-1], axis=0)[::-1]
    return np.asarray(following[cells.first[:-1]])


def _continued(tracks: Tracks, cycles: CycleTimes) -> Indexes:
    """Return in which slot of the next stretch each candidate goes on, -1 for none."""
    at_s = cycles.at_s[tracks.first[1:-1], None]
    middle_s = tracks.middle_s[:, None]
    before = tracks.offset_s[:-1] + tracks.rate[:-1] * (at_s - middle_s[:-1])
    after = tracks.offset_s[1:] + tracks.rate[1:] * (at_s - middle_s[1:])
    difference_s = np.nan_to_num(np.abs(after[:, None, :] - before[:, :, None]), nan=np.inf)
    nearest = difference_s.argmin(axis=2)
    same = np.take_along_axis(difference_s, nearest[:, :, None], axis=2)[:, :, 0] <= _SAME_S
    return np.where(same, nearest, -1)
