"""One record of each cycle, and the order that they must have.

Records were written in the order of the cycles. Pairs that contradict that exclude each other.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.match_times import Entries, Floats, Indexes

_WORTH_A_DOUBT = 0.5
_WORTH_A_LOOK = 0.05
_LOOKED_AT = 24
_OUTVOTED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
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

    def where(self, kept: NDArray[np.bool_] | Indexes) -> "Choice":
        """Return a part of it."""
        return Choice(
            self.rows[kept],
            self.record[kept],
            self.entry[kept],
            self.probability[kept],
            self.offset_s[kept],
            self.residual_s[kept],
        )

    def times(self, factor: Floats) -> "Choice":
        """Return the same with every probability lessened by its factor."""
        return replace(self, probability=self.probability * factor)


def in_order(each: Choice, entries: Entries) -> Choice:
    """Drop as few pairs as need be for each record to stand once and in the order of the cycles.

    A pair that had to give way leaves a doubt on those that it contradicts. What is unlikely
    stays as it is; it only tells later that a cycle had more than one possible record.
    """
    is_likely = each.probability > _WORTH_A_DOUBT
    likely = each.where(is_likely)
    rank = entries.rank[likely.entry]
    if len(rank) < 2 or bool(np.all(np.diff(rank) > 0)):
        return each
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
    mine = one * (1.0 - other)
    return np.asarray(mine / (mine + other * (1.0 - one) + (1.0 - one) * (1.0 - other) + 1e-300))


def _longest_ascent(rank: Indexes) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Return which ranks make a longest strictly ascending sequence, in O(n log n)."""
    highest = np.maximum.accumulate(rank)
    lowest = np.minimum.accumulate(rank[::-1])[::-1]
    # What is above all before it and below all after it is in every such sequence.
    kept = np.asarray((rank == highest) & (rank == lowest), dtype=np.bool_)
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
    likely; a pair beside that contradicts one of the two is only as good as the other.

    Args:
        chosen: one record of each cycle, likely ones in order.
        options: all, in order of the cycles.
        entries: those that both name.
    """
    rank = entries.rank[options.entry]
    if len(rank) < 2:
        return chosen
    mixed = np.zeros(len(rank), dtype=np.bool_)
    mixed[1:] = rank[1:] <= np.maximum.accumulate(rank)[:-1]
    mixed[:-1] |= rank[:-1] >= np.minimum.accumulate(rank[::-1])[::-1][1:]
    some = options.where(mixed & (options.probability > _WORTH_A_LOOK))
    rank = entries.rank[some.entry]
    count = np.zeros(len(rank), dtype=np.int64)
    against = np.zeros(len(rank))
    for counting in (True, False):
        for shift in range(1, min(_LOOKED_AT, len(rank) - 1) + 1):
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
    key = some.rows * (int(entries.record.max()) + 1) + some.record
    own = chosen.rows * (int(entries.record.max()) + 1) + chosen.record
    order = np.argsort(key)
    at = np.searchsorted(key[order], own)
    at = order[np.minimum(at, len(order) - 1)] if len(order) else np.zeros(0, dtype=np.int64)
    if len(at) == 0:
        return chosen
    doubt = np.where(key[at] == own, against[at], 0.0)
    return chosen.times(1.0 - doubt)
