"""Whether a log is of the unit whose wires these are, or of another one.

Against many records some offset explains some cycles by chance, and where the clock may have been
set in between, several offsets explain more of them. So what the best assignment explains is held
against the hypothesis that the log is foreign: that its records follow each other at a pace of
their own, whatever the wires did. Both must say when each record that the campaign spans came,
given the one before it; the wires have to say it better than the log alone can.

Own log: the interval between two records is that of their cycles, with the error of two readings;
what the log has beside them comes at some rate, a cycle without a record has lost it, a step of
the clock may be to anywhere. The first offset is as likely as the prior says, among all offsets at
which any record stands by any cycle.
Foreign log: the interval is like the other intervals of the log and of the cycles (both units may
follow one plan), or of no pace at all.
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.match_chain import step_cost
from resume_rig.analysis.match_likelihood import (
    STEPS_PER_CYCLE,
    Noise,
    expected,
    log_sum,
    lost_cost,
)
from resume_rig.analysis.match_live import UNKNOWN
from resume_rig.analysis.match_order import Choice
from resume_rig.analysis.match_times import CycleTimes, Entries, Floats, Indexes
from resume_rig.analysis.offset_prior import OffsetPrior

CERTAIN = 0.99
# More records lost than kept is no log of a campaign. Of 40 brutal campaigns (a third lost,
# the clock set each 60 cycles; benchmarks/matching.py) one had fewer pairs than that: of 235 cycles
# 88.
_MOST = 0.5
_LIKELY = 0.5
_STEP_S = 0.8
# Two readings of an RTC in whole seconds differ by a triangle of 1 s on either side, and what the
# time to the OS varies; some are wrong by seconds. Worth as much as ten intervals that were seen.
_READINGS_S, _WILD, _WILD_S, _SEEN = 1.2, 0.02, 8.0, 10.0
# How close to one another intervals count as alike, for a pace from even to random.
_ALIKE_S = (0.5, 1.5, 5.0, 15.0)
# Gaps from a second to weeks, each order of magnitude as likely as the next.
_ORDERS = float(np.log(1e6))
# One pair, or two, may fit by chance where the log does not tell of every cycle.
_FEW = 3
# What no single pace explains is weighed by all of them together.
_ANY_PACE = 0.1
# A log that is read after a campaign ends with it as likely as not.
_ENDS = 0.5
# Two units that follow one plan begin after a pause, and end after as many cycles, each as likely
# as one in four.
_SAME_COUNT = 0.25
_HOUR_S, _LOG_2 = 3600.0, float(np.log(2.0))
# Between certain that it is foreign and certain that it is own.
_UNDECIDED = 0.0
_NO_DOUBT = 700.0
# Odds of 1 to 160,000 leave no doubt of the log, and fewer certain pairs among others may stand.
_BEYOND_DOUBT = 12.0
# So many pairs in the middle of a long campaign tell enough.
_ENOUGH = 4096
# Other sleeps within a campaign: a tenth of one, expected in five minutes, before any is seen.
_OTHERS, _OTHERS_S = 0.1, 300.0
# Of records that come whenever they like, 37 of 100 readings bring exactly one.
_ONE_EACH = 1.0
# More of them say no more: what has the same pace brings one each, too.
_READINGS = 7
# The host reads the log of the DUT that it was told to; that this is another machine is as rare as
# one in a hundred.
_READ = float(np.log(99.0))
# A setting of the clock by 30 s: where it was set, and back, nothing is known of the gap between.
_SET = float(step_cost(np.array([30.0]), Noise(steps_per_cycle=STEPS_PER_CYCLE))[0])
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Origin:
    """Of which unit a log is.

    Attributes:
        log_odds: own against foreign, natural logarithm.
        fit: cycles that have a likely record. covered: cycles that the log should tell of.
        read_live: whether it was read while the cycles ran.
    """

    log_odds: float
    fit: int
    covered: int
    read_live: bool = False

    @property
    def own(self) -> float:
        """Return the probability that it is of the unit of the cycles, 0..1."""
        return float(1.0 / (1.0 + np.exp(np.clip(-self.log_odds, -700.0, 700.0))))

    @property
    def is_foreign(self) -> bool:
        """Whether it is certain that the log is of another unit."""
        return self.own <= 1.0 - CERTAIN

    def agrees(self, certain: int) -> bool:
        """Return whether so many certain pairs are most of those that the log should have."""
        most = certain > _MOST * self.covered
        return most or self.read_live or self.log_odds >= _BEYOND_DOUBT


NO_PAIRS = Origin(_NO_DOUBT, 0, 0)
"""Where nothing is matched, nothing is to be doubted."""


def origin_of(
    possible: Choice, cycles: CycleTimes, entries: Entries, noise: Noise, prior: OffsetPrior
) -> Origin:
    """Return of which unit the log is; where nothing is likely to fit, nothing is said.

    Args:
        possible: what the likeliest record of each cycle is, and how likely that is.
        cycles: all of them.
        entries: all of them.
        noise: as it was learnt.
        prior: of the offset.
    """
    pairs = possible.where(possible.probability > _LIKELY)
    fit = len(pairs.rows)
    if fit == 0:
        return NO_PAIRS
    due = expected(cycles)[_covered(cycles, entries, _told_s(pairs, cycles))].sum()
    covered = max(round(float(due)), fit)
    if cycles.known is not None:
        return Origin(_NO_DOUBT, fit, covered)
    brought = len(np.unique(entries.record[entries.reading != UNKNOWN]))
    if fit <= _MOST * (min(covered, brought) if cycles.readings else covered):
        few = len(possible.rows) <= _MOST * covered
        return Origin(-_NO_DOUBT if few else _UNDECIDED, fit, covered)
    every = min(len(cycles.at_s), len(np.unique(entries.record)))
    if fit < min(_FEW, every) and not cycles.readings:
        return Origin(_UNDECIDED, fit, covered)
    pairs, cycles, entries = _middle(pairs, cycles, entries)
    log_odds = _Held(pairs, cycles, entries, noise).log_odds(prior)
    longest = pairs.where(_longest_run(pairs))
    if len(longest.rows) < len(pairs.rows):
        # A short run beside it may be chance where the rest is not.
        log_odds = max(log_odds, _Held(longest, cycles, entries, noise).log_odds(prior))
    # Before anything was compared neither is likelier; what was learnt of the noise was learnt from
    # these pairs (BIC: half the logarithm of their number).
    read_live = cycles.readings > 0
    log_odds += _READ * read_live - 0.5 * float(np.log(fit))
    return Origin(log_odds, fit, covered, read_live)


class _Held:
    """A log held against both hypotheses."""

    def __init__(self, pairs: Choice, cycles: CycleTimes, entries: Entries, noise: Noise) -> None:
        self._pairs, self._cycles, self._entries, self._noise = pairs, cycles, entries, noise
        self._told_s = _told_s(pairs, cycles)
        every = np.arange(len(cycles.at_s))
        self._lost = lost_cost(cycles, entries, every, self._told_s - cycles.at_s, noise)
        if cycles.readings:
            # A log of these cycles that was read meanwhile does not end before they do.
            self._lost = np.log(noise.lost + (1.0 - noise.lost) * cycles.silent)
        self._covers = _covered(cycles, entries, self._told_s)
        entry = _one_of_each_record(entries, pairs)
        order = np.argsort(entries.rank[entry], kind="stable")
        entry = entry[order]
        self._at_s = entries.at_s[entry]
        self._since_s = np.diff(self._at_s, prepend=np.nan)
        place = np.empty(int(entries.record.max()) + 1, dtype=np.int64)
        place[entries.record[entry]] = np.arange(len(entry))
        self._place = place[pairs.record]
        self._inside = self._spanned()

    def _spanned(self) -> Indexes:
        """Return the places of the records that the campaign spans, in the order of the log."""
        first, last = int(self._place.min()), int(self._place.max())
        ahead = np.flatnonzero(self._at_s[:first] >= self._told_s[0] - _READINGS_S)
        behind = np.flatnonzero(self._at_s[last + 1 :] <= self._told_s[-1] + _READINGS_S)
        return np.concatenate([ahead, np.arange(first, last + 1), behind + last + 1])

    def log_odds(self, prior: OffsetPrior) -> float:
        """Return how much likelier the times are if the log is own than if it is foreign, log."""
        pairs, place = self._pairs, self._place
        others = self._inside[~np.isin(self._inside, place)]
        own, one_of = self._own(prior), self._one_of_the_records(prior)
        after, is_last = int(place[-1]) + 1, pairs.rows[-1] + 1 == len(self._cycles.at_s)
        gap_s = self._since_s[after] if after < len(self._at_s) else np.nan
        since_s = np.concatenate([self._since_s[place], self._since_s[others], [gap_s]])
        count, begins = len(place), float(own[0])
        span_s = max(float(self._told_s[-1] - self._told_s[0]), 1.0)
        gap_of = np.searchsorted(place, others)
        odds: list[float] = []
        for foreign in self._foreign(since_s, len(self._inside) / span_s):
            # A capture may begin within a campaign, so that its first record goes on with a pace.
            own[0] = np.logaddexp(begins, one_of + foreign[0]) - _LOG_2
            total = float((own - foreign[:count]).sum())
            total += self._gaps(gap_of, foreign[count:-1], span_s)
            if is_last:
                total += float(_after(gap_s, foreign[-1]) - foreign[-1])
            odds.append(total)
        together = float(np.log(len(odds))) - float(log_sum(-np.array(odds), axis=0))
        # A log may begin or end at any cycle, if it does not span them all.
        within = int(self._covers[0]) + int(self._covers[-1])
        together -= (2 - within) * float(np.log(len(self._covers)))
        return together + _ONE_EACH * min(self._in_time(), _READINGS)

    def _gaps(self, gap_of: Indexes, foreign: Floats, span_s: float) -> float:
        """Return how much likelier what is between the pairs is if the log is own, log.

        Args:
            gap_of: the gap of each record without a pair, int64 [o].
            foreign: how likely each of them is if the log is foreign, float64 [o].
            span_s: of all cycles.
        """
        rows, count = self._pairs.rows, len(self._pairs.rows) + 1
        free = np.ones(len(self._told_s), dtype=np.bool_)
        free[rows] = False
        of = np.searchsorted(rows, np.flatnonzero(free))
        cycles, others = np.bincount(of, minlength=count), np.bincount(gap_of, minlength=count)
        lost = np.bincount(of, self._lost[free], count)
        told = np.bincount(gap_of, foreign, count)
        # At an end the clock need not be set back; a log that was read meanwhile has no such end.
        most = np.full(count, 2.0 * _SET)
        if not self._cycles.readings:
            most[[0, -1]] = _SET
        each_s = span_s / len(free)
        explained = np.ones(count, dtype=np.bool_)
        gaps = np.zeros(count)
        for _ in range(2):
            # What the gaps that are not explained hold says nothing of how many others there are.
            seen_s = each_s * (len(rows) + float(cycles[explained].sum()))
            rate_hz = (float(others[explained].sum()) + _OTHERS) / (seen_s + _OTHERS_S)
            gaps = lost + others * np.log(rate_hz) - told - rate_hz * each_s * cycles
            explained = gaps > -most
        return float(np.where(explained, gaps, -most).sum()) - rate_hz * each_s * len(rows)

    def _own(self, prior: OffsetPrior) -> Floats:
        """Return how likely the record of each pair is at its time if the log is own, log."""
        pairs, cycles, entries = self._pairs, self._cycles, self._entries
        apart_s = entries.at_s[pairs.entry] - cycles.at_s[pairs.rows]
        change_s, moved_s = np.diff(apart_s), np.diff(pairs.offset_s)
        is_step = np.abs(moved_s) > _STEP_S
        half_s = entries.half_s[pairs.entry]
        reach_s = np.maximum(_READINGS_S, half_s[1:] + half_s[:-1])
        usual = np.maximum(1.0 - np.abs(change_s) / reach_s, 0.0) / reach_s
        usual = (1.0 - _WILD) * usual + _WILD / _WILD_S
        known = np.sort(change_s[~is_step])
        seen = np.maximum(_within(known, change_s, _ALIKE_S[0]) - 1, 0) / (2 * _ALIKE_S[0])
        alike = (_SEEN * usual + seen) / (_SEEN + max(len(known) - 1, 0))
        own = np.empty(len(pairs.rows))
        low_s, high_s = self._window()
        own[0] = prior.log_density(pairs.offset_s[:1])[0] - prior.log_share(low_s, high_s)
        own[1:] = np.where(is_step, -step_cost(moved_s, self._noise), np.log(alike))
        return np.asarray(own + np.log1p(-self._noise.lost))

    def _one_of_the_records(self, prior: OffsetPrior) -> float:
        """Return how likely it is that of all records this one is of the first pair, log."""
        apart_s = self._at_s - self._cycles.at_s[self._pairs.rows[0]]
        each = prior.log_density(apart_s)
        kept = float(np.log1p(-self._noise.lost))
        return float(each[self._place[0]] - log_sum(each, axis=0)) + kept

    def _window(self) -> tuple[float, float]:
        """Return the offsets at which any record stands by any cycle, an hour at least."""
        low_s = float(self._at_s.min() - self._cycles.at_s[-1])
        high_s = float(self._at_s.max() - self._cycles.at_s[0])
        more_s = max(_HOUR_S - (high_s - low_s), 0.0) / 2
        return low_s - more_s, high_s + more_s

    def _foreign(self, since_s: Floats, rate_hz: float) -> list[Floats]:
        """Return how likely records are so long after the one before, log, at any pace.

        Args:
            since_s: NaN where no record is before; those of the pairs first, float64 [i].
            rate_hz: of all records that the campaign spans.
        """
        at_s, rows = self._cycles.at_s, self._pairs.rows
        inner = self._inside[1:][np.diff(self._inside) == 1]
        of_log, of_cycles = np.sort(self._since_s[inner]), np.sort(np.diff(at_s))
        itself = np.full(len(since_s), np.nan)
        itself[: len(rows)] = at_s[rows] - np.where(rows > 0, at_s[rows - 1], np.nan)
        in_log = np.zeros(len(since_s), dtype=np.bool_)
        in_log[:-1] = True
        known = max(len(of_log) + len(of_cycles) - 2, 0)
        lost = self._noise.lost
        any_gap = np.exp(_any_gap(since_s))
        shares = []
        for alike_s in _ALIKE_S:
            own = np.where(in_log, 1, 0) + (np.abs(itself - since_s) <= alike_s)
            one = _within(of_log, since_s, alike_s) + _within(of_cycles, since_s, alike_s) - own
            two = _within(of_log, since_s / 2, alike_s) + _within(of_cycles, since_s / 2, alike_s)
            shares.append(((1 - lost) * np.maximum(one, 0) + lost * two / 2)
                          / (2 * alike_s * max(known, 1)))  # fmt: skip
        mixed = np.mean(shares, axis=0)
        shares.append(rate_hz * np.exp(-rate_hz * np.maximum(since_s, 0.0)))
        low_s, high_s = self._window()
        found = []
        for share, seldom in product(shares, self._pauses(known)):
            pause = np.full(len(since_s), seldom)
            pause[[0, -1]] = max(seldom, _SAME_COUNT)
            paced = (1 - pause) * ((1 - _ANY_PACE) * share + _ANY_PACE * mixed) + pause * any_gap
            none = np.full(len(since_s), -np.log(high_s - low_s))
            none[-1] = np.log(pause[-1])
            found.append(np.where(np.isnan(since_s), none, np.log(np.nan_to_num(paced) + 1e-12)))
        return found

    def _pauses(self, known: int) -> tuple[float, float]:
        """Return how often a pace ends: by the campaign's own intervals, and by all of the log."""
        longest_s = 2.0 * float(np.diff(self._cycles.at_s).max(initial=60.0))
        pauses = int((np.abs(self._since_s[1:]) > longest_s).sum())
        own, every = 1.0 / (2.0 + known), (1.0 + pauses) / (2.0 + len(self._at_s))
        return own, max(own, every)

    def _in_time(self) -> int:
        """Return how many of the pairs' records came with the reading that was to bring them."""
        told = self._entries.reading[self._pairs.entry]
        lag = told - self._cycles.reading[self._pairs.rows]
        return int(((told != UNKNOWN) & (lag == self._noise.usual_lag)).sum())


def _after(gap_s: float, foreign: float) -> Floats:
    """Return how likely what follows the last cycle is if the log is own, log.

    The end of the log, any gap, or the pace going on: a capture may end within a campaign.
    """
    if np.isnan(gap_s):
        return np.asarray(np.log(_ENDS))
    any_gap = float(_any_gap(np.array([gap_s]))[0])
    return np.asarray(np.log(_ENDS / 2) + np.logaddexp(any_gap, foreign))


def _told_s(pairs: Choice, cycles: CycleTimes) -> Floats:
    """Return when each cycle was by the clock of the log."""
    return cycles.at_s + np.interp(np.arange(len(cycles.at_s)), pairs.rows, pairs.offset_s)


def _covered(cycles: CycleTimes, entries: Entries, told_s: Floats) -> Mask:
    """Return which cycles the log should tell of; all of them, if it was read meanwhile."""
    within = told_s >= entries.at_s[0] - _READINGS_S
    within &= told_s <= entries.at_s[-1] + _READINGS_S
    return np.asarray(within | (cycles.readings > 0))


def _middle(
    pairs: Choice, cycles: CycleTimes, entries: Entries
) -> tuple[Choice, CycleTimes, Entries]:
    """Return the middle of a long campaign, and the log about it."""
    first = (len(pairs.rows) - _ENOUGH) // 2
    if first <= 0:
        return pairs, cycles, entries
    pairs = pairs.where(np.arange(first, first + _ENOUGH))
    low, high = int(pairs.rows[0]), int(pairs.rows[-1]) + 1
    rank = entries.rank[pairs.entry]
    about = (entries.rank >= rank.min() - _ENOUGH) & (entries.rank <= rank.max() + _ENOUGH)
    kept = np.flatnonzero(about)
    moved = replace(pairs, rows=pairs.rows - low, entry=np.searchsorted(kept, pairs.entry))
    return moved, cycles.of(slice(low, high)), entries.where(kept)


def _one_of_each_record(entries: Entries, pairs: Choice) -> Indexes:
    """Return an entry of each record: that of its pair, else the likeliest."""
    weight = entries.log_weight.copy()
    weight[pairs.entry] = np.inf
    order = np.lexsort([-weight, entries.record])
    record = entries.record[order]
    first = np.append(True, record[1:] != record[:-1])
    return np.asarray(order[first], dtype=np.int64)


def _within(ascending: Floats, at: Floats, reach: float) -> Indexes:
    """Return how many values are so close to each; none to NaN."""
    high = np.searchsorted(ascending, at + reach, side="right")
    near: Indexes = np.asarray(high - np.searchsorted(ascending, at - reach), dtype=np.int64)
    near[np.isnan(at)] = 0
    return near


def _any_gap(gap_s: Floats) -> Floats:
    """Return how likely gaps of any length are, log per second; a clock may go back."""
    return np.asarray(-np.log(2 * _ORDERS * np.maximum(np.abs(gap_s), 1.0)))


def _longest_run(pairs: Choice) -> Indexes:
    """Return the pairs between two steps of the clock, where those are most."""
    cuts = np.flatnonzero(np.abs(np.diff(pairs.offset_s)) > _STEP_S) + 1
    return max(np.split(np.arange(len(pairs.rows)), cuts), key=len)
