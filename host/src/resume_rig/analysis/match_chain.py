"""Which candidate offset held at which cycle: a hidden Markov chain over the whole campaign.

States are the candidates of a stretch. Staying on one costs nothing. Going to another is a step of
the clock and costs what steps are worth, more if records after it stand before some that were
used; a real disorder is impossible. Both ways together give each candidate its probability at each
cycle, all other ways through the campaign being weighed against it.
"""

from dataclasses import dataclass

import numpy as np

from resume_rig.analysis.match_likelihood import NEVER, Noise, gains, log_sum, lost_cost
from resume_rig.analysis.match_times import CycleTimes, Entries, Floats, Indexes
from resume_rig.analysis.offset_tracks import Tracks

_SAME_S = 0.8
_STEPS_PER_CYCLE = 1 / 300
_STEP_RANGE = 8.0
# A step may give up a pair or two that were there by chance; more is another order.
_PAIR_GIVEN_UP = 6.0
_OVERLAP_MAX = 3
_CELLS_FINE = 20_000
_SURE = 0.999
_NO_RANK = (1 << 62) - 1


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


@dataclass(frozen=True, slots=True, eq=False)
class _Worth:
    """Of each cycle (row) under each candidate (column) of its stretch.

    Attributes:
        gain: log-likelihood, NEVER where there is no such candidate, float64 [n, k].
        rank: rank of the best record near, -1 where none is near or it is hardly dated; a record
            without durations reaches seconds and may lie near by chance, int64 [n, k].
    """

    gain: Floats
    rank: Indexes


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
    worth = _worth(cycles, entries, tracks, noise)
    n = len(cycles.at_s)
    size = max(1, -(-n // _CELLS_FINE))
    stretches = len(tracks.first) - 1
    fine = np.zeros(stretches, dtype=np.bool_)
    cells = _cells(tracks, size, fine)
    posterior, evidence = _both_ways(cells, tracks, worth, cycles, log_prior)
    if size > 1:
        fine = _unsettled(cells, tracks, posterior)
        cells = _cells(tracks, size, fine)
        posterior, evidence = _both_ways(cells, tracks, worth, cycles, log_prior)
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


def _worth(cycles: CycleTimes, entries: Entries, tracks: Tracks, noise: Noise) -> _Worth:
    n, most = len(cycles.at_s), tracks.offset_s.shape[1]
    gain = np.full((n, most), NEVER)
    rank = np.full((n, most), -1, dtype=np.int64)
    stretch = np.repeat(np.arange(len(tracks.first) - 1), np.diff(tracks.first))
    for slot in range(most):
        rows = np.flatnonzero(~np.isnan(tracks.offset_s[stretch, slot]))
        offset_s = tracks.offset_at(stretch[rows], slot, cycles.at_s[rows])
        found = gains(cycles, entries, rows, offset_s, noise)
        lost = lost_cost(cycles, entries, rows, offset_s, noise)
        gain[rows, slot] = log_sum(np.column_stack([found.gain, lost]), axis=1)
        best = found.gain.argmax(axis=1)
        at = np.arange(len(rows))
        entry = found.entry[at, best]
        sharp = (found.gain[at, best] > 0) & (entries.half_s[entry] == 0.0)
        rank[rows, slot] = np.where(sharp, entries.rank[entry], -1)
    return _Worth(gain, rank)


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
    cells: _Cells, tracks: Tracks, posterior: Floats
) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Return the stretches in or beside which the clock may have been set."""
    best = posterior.argmax(axis=1)
    offset_s = tracks.offset_s[cells.stretch, best]
    moved = np.abs(np.diff(offset_s)) > _SAME_S
    fine = np.zeros(len(tracks.first) + 1, dtype=np.bool_)
    for side in (cells.stretch[:-1][moved], cells.stretch[1:][moved]):
        for beside in (0, 1, 2):
            fine[side + beside] = True
    return fine[1:-1]


def _both_ways(
    cells: _Cells, tracks: Tracks, worth: _Worth, cycles: CycleTimes, log_prior: Floats
) -> tuple[Floats, float]:
    """Return the probability of each candidate in each cell, and the evidence."""
    gain = np.maximum(np.add.reduceat(worth.gain, cells.first[:-1], axis=0), NEVER)
    moves = _Moves(cells, tracks, worth, cycles)
    count, most = gain.shape
    ahead = np.zeros((count, most))
    top = gain.max(axis=1)
    likelihood = np.exp(gain - top[:, None])
    entry = np.full(most, NEVER)
    entry[: len(log_prior)] = np.where(np.isnan(log_prior), NEVER, log_prior)
    peak = float(entry.max())
    state = np.exp(entry - peak) * likelihood[0]
    evidence = peak + float(top[0])
    for cell in range(count):
        if cell:
            state = (state @ moves.into(cell)) * likelihood[cell]
            evidence += float(top[cell])
        total = float(state.sum())
        if total <= 0.0:
            return np.zeros((count, most)), NEVER
        evidence += float(np.log(total))
        state = state / total
        ahead[cell] = state
    back = np.ones(most)
    for cell in range(count - 1, 0, -1):
        back = moves.into(cell) @ (back * likelihood[cell])
        back = back / max(float(back.max()), 1e-300)
        ahead[cell - 1] *= back
        ahead[cell - 1] /= max(float(ahead[cell - 1].sum()), 1e-300)
    return ahead, evidence


class _Moves:
    """What it costs to go from one cell to the next, as factors, from row to column."""

    def __init__(self, cells: _Cells, tracks: Tracks, worth: _Worth, cycles: CycleTimes) -> None:
        self._stretch = cells.stretch
        self._tracks = tracks
        self._at_s = cycles.at_s[cells.first[:-1]]
        self._last, self._next = _ranks_around(cells, tracks, worth)
        self._known: dict[tuple[int, bool], Floats] = {}

    def into(self, cell: int) -> Floats:
        """Return the factors from the cell before into this one, float64 [k, k]."""
        stretch = int(self._stretch[cell])
        entered = bool(self._stretch[cell - 1] != stretch)
        factors = self._known.get((stretch, entered))
        if factors is None:
            if len(self._known) > 4:
                self._known.clear()
            factors = self._factors(stretch, cell, entered=entered)
            self._known[(stretch, entered)] = factors
        overlap = self._last[cell - 1][:, None] - self._next[cell][None, :] + 1
        given_up = np.exp(-_PAIR_GIVEN_UP * np.clip(overlap, 0, _OVERLAP_MAX))
        given_up[overlap > _OVERLAP_MAX] = 0.0
        return np.where(factors >= 1.0, factors, factors * given_up)

    def _factors(self, stretch: int, cell: int, *, entered: bool) -> Floats:
        tracks, at_s = self._tracks, self._at_s[cell]
        origin = stretch - 1 if entered else stretch
        before = tracks.offset_s[origin] + tracks.rate[origin] * (at_s - tracks.middle_s[origin])
        after = tracks.offset_s[stretch] + tracks.rate[stretch] * (at_s - tracks.middle_s[stretch])
        apart_s = np.abs(after[None, :] - before[:, None])
        step = _STEPS_PER_CYCLE / (2 * _STEP_RANGE * np.maximum(apart_s, 1.0))
        if entered:
            factors = np.where(apart_s <= _SAME_S, 1.0, step)
        else:
            factors = np.where(np.eye(len(before), dtype=np.bool_), 1.0, step)
        return np.nan_to_num(np.where(np.isnan(apart_s), 0.0, factors))


def _ranks_around(cells: _Cells, tracks: Tracks, worth: _Worth) -> tuple[Indexes, Indexes]:
    """Return, for each cell, the last rank that a candidate used up to it, and its next from it.

    Both look no farther than the stretch; before its first record a candidate has used none.
    """
    last, following = worth.rank.copy(), np.where(worth.rank < 0, _NO_RANK, worth.rank)
    for stretch in range(len(tracks.first) - 1):
        part = slice(int(tracks.first[stretch]), int(tracks.first[stretch + 1]))
        last[part] = np.maximum.accumulate(last[part], axis=0)
        following[part] = np.minimum.accumulate(following[part][::-1], axis=0)[::-1]
    return last[cells.first[1:] - 1], following[cells.first[:-1]]
