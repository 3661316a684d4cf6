"""The record of each cycle, from the probabilities of the candidates: one to one and in order."""

from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.match_chain import Chain
from resume_rig.analysis.match_likelihood import Noise, gains, log_sum, lost_cost
from resume_rig.analysis.match_times import CycleTimes, Entries, Floats, Indexes
from resume_rig.analysis.offset_tracks import Tracks

_NO_LOG_OF_OURS = np.log(0.1)
# Another log than that of the campaign is likely from the same week.
_WEEK_S = 7 * 86_400.0
_WORTH_A_DOUBT = 0.5


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


def choose(
    cycles: CycleTimes,
    entries: Entries,
    tracks: Tracks,
    chain: Chain,
    noise: Noise,
    *,
    same_epoch: bool,
) -> Choice:
    """Return the likeliest record of each cycle, what is likely at all in order and once."""
    stretch = np.searchsorted(tracks.first, chain.rows, side="right") - 1
    away_s = cycles.at_s[chain.rows] - tracks.middle_s[stretch]
    offset_s = tracks.offset_s[stretch, chain.slots] + tracks.rate[stretch, chain.slots] * away_s
    found = gains(cycles, entries, chain.rows, offset_s, noise)
    lost = lost_cost(cycles, entries, chain.rows, offset_s, noise)
    whole = log_sum(np.column_stack([found.gain, lost]), axis=1)
    share = np.exp(found.gain - whole[:, None]) * chain.probability[:, None]
    at, column = np.nonzero(share > 1e-4)
    each = Choice(
        chain.rows[at],
        entries.record[found.entry[at, column]],
        found.entry[at, column],
        share[at, column] * _related(chain.evidence, noise, entries, cycles, same_epoch=same_epoch),
        offset_s[at],
        found.residual_s[at, column],
    )
    return _in_order(_best_of_each_cycle(each), entries)


def _related(
    evidence: float, noise: Noise, entries: Entries, cycles: CycleTimes, *, same_epoch: bool
) -> float:
    """Return the probability that the log is of these cycles at all."""
    span_s = float(np.ptp(entries.at_s) + np.ptp(cycles.at_s)) + 3600.0
    around_s = max(span_s, _WEEK_S) if same_epoch else span_s
    elsewhere = _NO_LOG_OF_OURS - np.log(around_s) - np.log(noise.others_hz)
    return float(1.0 / (1.0 + np.exp(np.clip(elsewhere - evidence, -700.0, 700.0))))


def _best_of_each_cycle(each: Choice) -> Choice:
    """Sum up what several candidates or entries say for one record; keep the likeliest record."""
    if len(each.rows) == 0:
        return each
    order = np.lexsort([-each.probability, each.record, each.rows])
    rows, record = each.rows[order], each.record[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (rows[1:] != rows[:-1]) | (record[1:] != record[:-1])
    starts = np.flatnonzero(new)
    total = np.minimum(np.add.reduceat(each.probability[order], starts), 1.0)
    merged = each.where(order[starts])
    merged = replace(merged, probability=total)
    order = np.lexsort([-total, merged.rows])
    rows = merged.rows[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = rows[1:] != rows[:-1]
    return merged.where(order[first])


def _in_order(each: Choice, entries: Entries) -> Choice:
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
    tails: list[int] = []
    ends: list[int] = []
    before = np.full(len(rank), -1, dtype=np.int64)
    for at, value in enumerate(rank.tolist()):
        place = bisect_left(tails, value)
        before[at] = ends[place - 1] if place else -1
        tails[place : place + 1] = [value]
        ends[place : place + 1] = [at]
    kept = np.zeros(len(rank), dtype=np.bool_)
    at = ends[-1]
    while at >= 0:
        kept[at] = True
        at = int(before[at])
    return kept
