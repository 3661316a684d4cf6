"""One record of each cycle, and the order that they must have: records are written in it.

Pairs that contradict the order exclude each other. And of all assignments in that order one
explains the intervals best, without any offset (`aligned`): where the clock is set often, or a pace
is even, it has offsets that few cycles vote for.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.match.times import CycleTimes, Entries, Floats, Indexes, Rows

# Likely pairs are put in order; of the others those of 5 % and more leave a doubt on up to so many
# neighbours, unless three likely ones contradict them (all assumed; benchmarks/matching.py).
_WORTH_A_DOUBT = 0.5
_WORTH_A_LOOK = 0.05
_LOOKED_AT = 24
_OUTVOTED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Rows):
    """The likeliest record of each cycle that may have one.

    Attributes:
        rows: ascending, int64 [k]. record: index of the record, int64 [k].
        entry: index of the entry that speaks for it, int64 [k].
        probability: that this record is of this cycle, float64 [k].
        offset_s: where the OS clock stood, float64 [k].
        residual_s: entry minus prediction, float64 [k].
    """

    rows: Indexes
    record: Indexes
    entry: Indexes
    probability: Floats
    offset_s: Floats
    residual_s: Floats

    def times(self, factor: Floats) -> "Choice":
        """Return the same with every probability lessened by its factor."""
        return replace(self, probability=self.probability * factor)


def in_order(each: Choice, entries: Entries) -> Choice:
    """Drop as few pairs as need be for each record to stand once and in the order of the cycles.

    A pair that had to give way leaves a doubt on those that it contradicts. What is unlikely
    stays as it is; it only shows later that a cycle had more than one possible record.
    """
    is_likely = each.probability > _WORTH_A_DOUBT
    likely = each.where(is_likely)
    rank = entries.rank[likely.entry]
    kept = _longest_ascent(rank)
    places, dropped = np.flatnonzero(kept), np.flatnonzero(~kept)
    by_row = np.searchsorted(places, dropped)
    low = np.minimum(by_row, np.searchsorted(rank[places], rank[dropped]))
    high = np.maximum(by_row, np.searchsorted(rank[places], rank[dropped], side="right"))
    change = np.zeros(len(places) + 1, dtype=np.int64)
    np.add.at(change, low, 1)
    np.add.at(change, high, -1)
    against_each = np.cumsum(change)[:-1]
    probability = likely.probability[places]
    for at, first, last in zip(dropped.tolist(), low.tolist(), high.tolist(), strict=True):
        # One pair against many that agree with each other is wrong itself.
        close = np.arange(first, last)[last - first <= 2 * against_each[first:last] + 2]
        probability[close] = _instead_of(probability[close], float(likely.probability[at]))
    whole = each.probability.copy()
    of_likely = np.flatnonzero(is_likely)
    whole[of_likely[places]] = probability
    stays = np.ones(len(each.rows), dtype=np.bool_)
    stays[of_likely[dropped]] = False
    return replace(each, probability=whole).where(stays)


def _instead_of(one: Floats, other: float) -> Floats:
    """Return the probability of each of `one` where it and `other` exclude each other."""
    return np.asarray(one * (1.0 - other) / np.maximum(1.0 - one * other, 1e-300))


def _longest_ascent(rank: Indexes) -> NDArray[np.bool_]:
    """Return which ranks make a longest strictly ascending sequence, in O(n log n)."""
    highest = np.maximum.accumulate(rank)
    lowest = np.minimum.accumulate(rank[::-1])[::-1]
    # What is above all before it and below all after it is in every such sequence.
    kept = np.ones(len(rank), dtype=np.bool_)
    kept[1:] &= rank[1:] > highest[:-1]
    kept[:-1] &= rank[:-1] < lowest[1:]
    rest = np.flatnonzero(~kept)
    if len(rest):
        kept[rest[_ascent_places(rank[rest])]] = True
    return kept


def _ascent_places(rank: Indexes) -> list[int]:
    tails: list[int] = []
    ends: list[int] = []
    before = np.full(len(rank), -1, dtype=np.int64)
    for at, value in enumerate(rank.tolist()):
        place = bisect_left(tails, value)
        before[at] = ends[place - 1] if place else -1
        tails[place : place + 1] = [value]
        ends[place : place + 1] = [at]
    places: list[int] = []
    at = ends[-1]
    while at >= 0:
        places.append(at)
        at = int(before[at])
    return places


def doubted_by_order(chosen: Choice, options: Choice, entries: Entries) -> Choice:
    """Return pairs with the doubt that unlikely options of other cycles leave on them.

    After the clock went back by a few paces two records may fit one cycle, and neither of them is
    likely; a neighbour that contradicts one of the two is only as good as the other.

    Args:
        chosen: one record of each cycle, likely ones in order; each of them is an option.
        options: all, in order of the cycles and of the records of each.
        entries: those that both name.
    """
    rank = entries.rank[options.entry]
    mixed = np.zeros(len(rank), dtype=np.bool_)
    mixed[1:] = rank[1:] <= np.maximum.accumulate(rank)[:-1]
    mixed[:-1] |= rank[:-1] >= np.minimum.accumulate(rank[::-1])[::-1][1:]
    looked_at = np.flatnonzero(mixed & (options.probability > _WORTH_A_LOOK))
    some = options.where(looked_at)
    rank = entries.rank[some.entry]
    count = np.zeros(len(rank), dtype=np.int64)
    against = np.zeros(len(rank))
    for counting in (True, False):
        for shift in range(1, min(_LOOKED_AT + 1, len(rank))):
            before, after = slice(None, -shift), slice(shift, None)
            contrary = (some.rows[before] < some.rows[after]) & (rank[before] >= rank[after])
            for one, other in ((before, after), (after, before)):
                likely = some.probability[other] > _WORTH_A_DOUBT
                if counting:
                    count[one] += contrary & likely
                    continue
                # One that contradicts many is wrong itself; likely ones were heard before.
                heard = contrary & ~likely & (count[other] < _OUTVOTED)
                doubt = np.where(heard, some.probability[other], 0.0)
                against[one] = np.maximum(against[one], doubt)
    doubts = np.zeros(len(options.rows))
    doubts[looked_at] = against
    # An option by its cycle and record as one number.
    size = int(entries.record.max()) + 1
    own = chosen.rows * size + chosen.record
    at = np.searchsorted(options.rows * size + options.record, own)
    return chosen.times(1.0 - doubts[at])


# A table of cycles and records: a second or two (assumed).
_CELLS_MOST = 8_000_000
# So many cycles, or records, from one pair to the next; what is beyond is a gap with a step
# (assumed).
_AHEAD = 3
# Two readings of an RTC in whole seconds differ by a second and what varies. Against that a pair is
# worth what a record is that comes once an hour; a record that is passed over costs a little, a
# cycle without one what a lost record does, and a gap what a step of the clock to anywhere within
# an hour does, once in 300 cycles (all as assumed in the chain).
_READINGS_S, _PAIR = 1.2, float(np.log(3600.0))
_PASSED, _LOST, _GAP = -1.0, 0.1, -float(np.log(300.0 * 16.0 * 3600.0))


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """The assignment in order that explains the intervals best.

    Attributes:
        rows: cycles, ascending, int64 [p].
        offset_s: of the clocks at each, float64 [p].
    """

    rows: Indexes
    offset_s: Floats


def aligned(cycles: CycleTimes, entries: Entries) -> Aligned:
    """Return that assignment; none where there are too many of either."""
    order = np.lexsort([-entries.log_weight, entries.rank])
    order = order[np.append(True, np.diff(entries.rank[order]) > 0)]
    count, size = len(cycles.at_s), len(order)
    if count * size > _CELLS_MOST:
        return Aligned(np.empty(0, dtype=np.int64), np.empty(0))
    table = _Alignment(cycles, entries.where(order))
    for row in range(count):
        table.add(row)
    rows, columns = np.divmod(table.best_cells(), size)
    return Aligned(rows, entries.at_s[order[columns]] - cycles.at_s[rows])


class _Alignment:
    """The table: how good the best assignment is that ends with each pair, row by row."""

    def __init__(self, cycles: CycleTimes, entries: Entries) -> None:
        self._wires_s, self._log_s, self._half_s = cycles.at_s, entries.at_s, entries.half_s
        self._lost = np.log(_LOST + (1.0 - _LOST) * cycles.silent)
        size = len(entries.at_s)
        self._place = np.arange(size)
        # The pair before each, as a cell; -1 for none.
        self._before = np.full((len(cycles.at_s), size), -1, dtype=np.int32)
        self._last: list[Floats] = []
        # The best that ended with any pair before a cell, less what was passed over since.
        self._gap, self._gap_from = np.full(size, -np.inf), np.full(size, -1, dtype=np.int32)
        self._top, self._top_cell = -np.inf, -1

    def add(self, row: int) -> None:
        """Add the pairs of the next cycle."""
        worth = np.zeros(len(self._place))
        after_gap = self._gap[:-1] + _GAP + _PAIR
        taken = np.flatnonzero(after_gap > 0.0)
        worth[taken + 1] = after_gap[taken]
        self._before[row, taken + 1] = self._gap_from[taken]
        for cycles, records in product(range(1, _AHEAD + 1), repeat=2):
            if cycles <= row and records < len(self._place):
                self._go_on(row, worth, cycles, records)
        self._last = [*self._last[-_AHEAD + 1 :], worth]
        if worth.max() > self._top:
            self._top = float(worth.max())
            self._top_cell = row * len(self._place) + int(worth.argmax())
        waited = self._gap + self._lost[row]
        here = row * len(self._place) + self._place
        origin = np.where(worth >= waited, here, self._gap_from).astype(np.int32)
        ahead = np.maximum(worth, waited) - _PASSED * self._place
        most = np.maximum.accumulate(ahead)
        self._gap = most + _PASSED * self._place
        self._gap_from = origin[np.maximum.accumulate(np.where(ahead == most, self._place, 0))]

    def _go_on(self, row: int, worth: Floats, cycles: int, records: int) -> None:
        """Let pairs follow those that are so many cycles and records before, by one offset."""
        difference_s = self._log_s[records:] - self._log_s[:-records]
        difference_s -= self._wires_s[row] - self._wires_s[row - cycles]
        reach_s = np.maximum(_READINGS_S, self._half_s[records:] + self._half_s[:-records])
        near = np.flatnonzero(np.abs(difference_s) < reach_s)
        fits = np.log((1.0 - np.abs(difference_s[near]) / reach_s[near]) / reach_s[near])
        each = self._last[-cycles][near] + fits + _PAIR + (records - 1) * _PASSED
        each += float(self._lost[row - cycles + 1 : row].sum())
        better = each > worth[near + records]
        to = near[better] + records
        worth[to] = each[better]
        self._before[row, to] = (row - cycles) * len(self._place) + near[better]

    def best_cells(self) -> Indexes:
        """Return the pairs of the best assignment, as cells, in order."""
        cells, cell = [], self._top_cell
        while cell >= 0:
            cells.append(cell)
            cell = int(self._before.flat[cell])
        return np.array(cells[::-1], dtype=np.int64)
