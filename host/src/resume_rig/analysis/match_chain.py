"""Which candidate offset held at which cycle: a hidden Markov chain over the whole campaign.

States are the candidates of a stretch. Staying on one costs nothing. Going to another is a step of
the clock and costs what steps are worth, more if records after it stand before some that were
used; a real disorder is impossible. Both ways together give each candidate its probability at each
cycle, all other ways through the campaign being weighed against it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from resume_rig.analysis.match_gains import NEVER, Gains
from resume_rig.analysis.match_likelihood import Noise, gains, lost_cost, parts_of
from resume_rig.analysis.match_sample import sample_of, uncrowded, worth_following
from resume_rig.analysis.match_times import CycleTimes, Entries, Floats, Indexes
from resume_rig.analysis.offset_tracks import Tracks

_SAME_S = 0.8
StepCost = Callable[[Floats], Floats]

_STEP_RANGE = 8.0
# A step may give up a pair or two that were there by chance; more is another order.
# Beyond three it is as good as impossible; not 0, so that a campaign never ends in nothing.
_GIVEN_UP = np.append(np.exp(-6.0 * np.arange(4)), 1e-150)
_REMEMBERED = len(_GIVEN_UP) - 1
_CELLS_FINE = 4096
_SURE = 0.999
_NO_RANK = (1 << 62) - 1
_AS_GOOD = 3.0
# Of so few candidates the factors of each cell are kept for the way back.
_FEW = 16


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
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

    def of(self, part: slice) -> "Chain":
        """Return a part of it."""
        return Chain(self.rows[part], self.slots[part], self.probability[part], self.evidence)


@dataclass(frozen=True, slots=True, eq=False)
class _Worth:
    """Of each cycle (row) under each candidate (column) of its stretch.

    Attributes:
        gain: log-likelihood, NEVER where there is no such candidate, float64 [n, k].
        rank: rank of the record near, -1 where none is near or it is hardly dated; a record
            without durations reaches seconds and may lie near by chance, int64 [n, k]. Where the
            clock went back two records may be near: this is the first of them that is as good.
        last_rank: of the last of them, int64 [n, k].
    """

    gain: Floats
    rank: Indexes
    last_rank: Indexes


def follow(
    cycles: CycleTimes, entries: Entries, tracks: Tracks, noise: Noise, log_prior: Floats
) -> Chain:
    """Return the probabilities of all candidates.

    Args:
        cycles: at least one.
        entries: at least one.
        tracks: the candidates.
        noise: what the records are like.
        log_prior: of each candidate of the first stretch, per second, float64 [k].
    """
    cost = partial(step_cost, noise=noise)
    size = max(1, -(-len(cycles.at_s) // _CELLS_FINE))
    crowded = np.zeros(len(tracks.first) - 1, dtype=np.bool_)
    if size > 1:
        rows, first = sample_of(tracks)
        some = _worth(cycles, entries, tracks, noise, rows)
        tracks, crowded = uncrowded(tracks, some.gain, first, cost, noise)
    worth = _worth(cycles, entries, tracks, noise, np.arange(len(cycles.at_s)))
    if size > 1:
        tracks = worth_following(tracks, worth.gain, cost)
    cells = _cells(tracks, size, np.zeros(len(crowded), dtype=np.bool_))
    moves = _Moves(cells, tracks, worth, cycles, cost)
    posterior, evidence = _both_ways(cells, moves, worth, log_prior)
    if size > 1:
        # Where many are alike, a step has no cycle of its own.
        fine = _unsettled(cells, tracks, posterior, cycles) & ~crowded
        finer = _cells(tracks, size, fine)
        if len(finer.stretch) > len(cells.stretch):
            cells = finer
            moves = _Moves(cells, tracks, worth, cycles, cost)
            posterior, evidence = _both_ways(cells, moves, worth, log_prior)
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
    apart_s = np.maximum(np.abs(step_s), 1.0)
    return np.asarray(np.log(2 * _STEP_RANGE * apart_s / noise.steps_per_cycle))


def _worth(
    cycles: CycleTimes, entries: Entries, tracks: Tracks, noise: Noise, rows: Indexes
) -> _Worth:
    """Return what some cycles are worth, ascending."""
    n, most = len(rows), tracks.offset_s.shape[1]
    gain = np.full((n, most), NEVER)
    rank, last_rank = (np.full((n, most), -1, dtype=np.int64) for _ in range(2))
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
    return _Worth(gain, rank, last_rank)


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
        alike = found.gain[turn] >= np.maximum(top[of] - _AS_GOOD, 0.0)
        of, rank = of[alike], entries.rank[found.entry[turn[alike]]]
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


def _cells(tracks: Tracks, size: int, fine: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> _Cells:
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
) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Return the stretches in or beside which the clock may have been set."""
    best = posterior.argmax(axis=1)
    at_s = cycles.at_s[cells.first[1:-1]]
    before_s = tracks.offset_at(cells.stretch[:-1], best[:-1], at_s)
    moved = np.abs(tracks.offset_at(cells.stretch[1:], best[1:], at_s) - before_s) > _SAME_S
    fine = np.zeros(len(tracks.first) + 1, dtype=np.bool_)
    for side in (cells.stretch[:-1][moved], cells.stretch[1:][moved]):
        for beside in (0, 1, 2):
            fine[side + beside] = True
    return fine[1:-1]


def _both_ways(
    cells: _Cells, moves: "_Moves", worth: _Worth, log_prior: Floats
) -> tuple[Floats, float]:
    """Return the probability of each candidate in each cell, and the evidence."""
    gain = np.maximum(np.add.reduceat(worth.gain, cells.first[:-1], axis=0), NEVER)
    count, most = gain.shape
    ahead = np.zeros((count, most))
    top = gain.max(axis=1)
    likelihood = np.exp(gain - top[:, None])
    entry = np.full(most, NEVER)
    entry[: len(log_prior)] = np.where(np.isnan(log_prior), NEVER, log_prior)
    peak = float(entry.max())
    state = np.exp(entry - peak) * likelihood[0]
    evidence = peak + float(top[0])
    used = moves.after(np.full((_REMEMBERED, most), -1, dtype=np.int64), 0)
    for cell in range(count):
        if cell:
            ways = state[:, None] * moves.into(cell, used)
            used = moves.after(used[:, ways.argmax(axis=0)], cell)
            state = ways.sum(axis=0) * likelihood[cell]
            evidence += float(top[cell])
        total = float(state.sum())
        if total <= 0.0:
            return np.zeros((count, most)), NEVER
        evidence += float(np.log(total))
        state = state / total
        ahead[cell] = state
    back = np.ones(most)
    for cell in range(count - 1, 0, -1):
        back = moves.back_into(cell) @ (back * likelihood[cell])
        back = back / max(float(back.max()), 1e-300)
        ahead[cell - 1] *= back
        ahead[cell - 1] /= max(float(ahead[cell - 1].sum()), 1e-300)
    return ahead, evidence


class _Moves:
    """What it costs to go from one cell to the next, as factors, from row to column."""

    def __init__(
        self, cells: _Cells, tracks: Tracks, worth: _Worth, cycles: CycleTimes, cost: StepCost
    ) -> None:
        self._stretch = cells.stretch
        self._tracks = tracks
        self._cost = cost
        self._at_s = cycles.at_s[cells.first[:-1]]
        self._ranks = np.maximum.reduceat(worth.rank, cells.first[:-1], axis=0)
        self._next = _next_ranks(cells, tracks, worth, cycles)
        self._least_next = self._next.min(axis=1)
        self._known: dict[tuple[int, bool], Floats] = {}
        self._past: list[tuple[Indexes, Floats | None]] = []

    def into(self, cell: int, used: Indexes) -> Floats:
        """Return the factors from the cell before into this one, float64 [k, k].

        Args:
            cell: where to; every one in turn, from the second.
            used: the last ranks that the likeliest way to each candidate of the cell before has
                used, whichever candidates it took; -1 for none, int64 [_REMEMBERED, k].
        """
        factors = self._into(cell, used)
        self._past.append((used, factors if len(factors) <= _FEW else None))
        return factors

    def back_into(self, cell: int) -> Floats:
        """Return the same once more."""
        used, factors = self._past[cell - 1]
        return self._into(cell, used) if factors is None else factors

    def _into(self, cell: int, used: Indexes) -> Floats:
        stretch = int(self._stretch[cell])
        entered = bool(self._stretch[cell - 1] != stretch)
        factors = self._known.get((stretch, entered))
        if factors is None:
            if len(self._known) > 4:
                self._known.clear()
            factors = self._factors(stretch, cell, entered=entered)
            self._known[(stretch, entered)] = factors
        if used.max() < self._least_next[cell]:
            return factors
        count = (used[:, :, None] >= self._next[cell]).sum(axis=0)
        return np.where(factors >= 1.0, factors, factors * _GIVEN_UP[count])

    def after(self, used: Indexes, cell: int) -> Indexes:
        """Return what is used after a cell by ways that had used this before."""
        rank = self._ranks[cell]
        return np.where(rank < 0, used, np.concatenate([rank[None], used[:-1]]))

    def _factors(self, stretch: int, cell: int, *, entered: bool) -> Floats:
        tracks, at_s = self._tracks, self._at_s[cell]
        origin = stretch - 1 if entered else stretch
        before = tracks.offset_s[origin] + tracks.rate[origin] * (at_s - tracks.middle_s[origin])
        after = tracks.offset_s[stretch] + tracks.rate[stretch] * (at_s - tracks.middle_s[stretch])
        apart_s = np.abs(after[None, :] - before[:, None])
        step = np.exp(-self._cost(apart_s))
        if entered:
            factors = np.where(apart_s <= _SAME_S, 1.0, step)
        else:
            factors = np.where(np.eye(len(before), dtype=np.bool_), 1.0, step)
        return np.nan_to_num(np.where(np.isnan(apart_s), 0.0, factors))


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
    apart_s = np.nan_to_num(np.abs(after[:, None, :] - before[:, :, None]), nan=np.inf)
    nearest = apart_s.argmin(axis=2)
    same = np.take_along_axis(apart_s, nearest[:, :, None], axis=2)[:, :, 0] <= _SAME_S
    return np.where(same, nearest, -1)
