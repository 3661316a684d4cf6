"""Whether a log is of the unit whose wires these are, or of another one.

Against many records some offset explains some cycles by chance. So what the best assignment
explains is held against the hypothesis that the log is foreign: that its records follow each other
at a pace of their own, whatever the wires did. Both predict when each record came, given the one
before it; the wires have to predict it better than the log alone can.
"""

from dataclasses import dataclass, replace
from itertools import product
from math import erf

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.match.chain import step_cost
from resume_rig.analysis.match.likelihood import (
    STEPS_PER_CYCLE,
    Noise,
    expected,
    log_sum,
    lost_cost,
)
from resume_rig.analysis.match.order import Choice
from resume_rig.analysis.match.times import UNKNOWN, CycleTimes, Entries, Floats, Indexes
from resume_rig.analysis.match.trace import Trace

# Two clocks that are both meant to show UTC: half of them within seconds; the others off by a time
# zone (at most 14 h) and little more, or by anything within decades. The shares are assumed.
_NEAR_S, _ZONES_S, _DECADES_S = 5.0, 15 * 3600.0, 40 * 365 * 86_400.0
_NEAR, _ZONED, _ANYWHERE = 0.5, 0.3, 0.2
# Of a clock that was set by hand: a minute off is half as likely as right (assumed).
_ZONE_SCALE_S = 60.0
_ZONES = 2 * float(np.log1p(_ZONES_S / _ZONE_SCALE_S))


@dataclass(frozen=True, slots=True)
class OffsetPrior:
    """Offsets of two clocks that are meant to agree, or of two that nothing ties.

    Attributes:
        expected_s: the offset of clocks that agree; None where they need not.
        span_s: how many offsets there are where nothing is expected.
    """

    expected_s: float | None
    span_s: float

    @classmethod
    def of(cls, expected_s: float | None, cycles: CycleTimes, entries: Entries) -> "OffsetPrior":
        """Return the prior of the offset between some cycles and a log."""
        return cls(expected_s, float(np.ptp(entries.at_s) + np.ptp(cycles.at_s)) + 3600.0)

    def log_density(self, offset_s: Floats) -> Floats:
        """Return how likely each offset is, log per second; NaN stays where nothing is expected."""
        if self.expected_s is None:
            return np.where(np.isnan(offset_s), np.nan, -np.log(self.span_s))
        size = np.abs(offset_s - self.expected_s)
        near = _NEAR * np.exp(-((size / _NEAR_S) ** 2)) / (_NEAR_S * np.sqrt(np.pi))
        zoned = _ZONED / (_ZONE_SCALE_S + size) / _ZONES
        zoned = np.where(size <= _ZONES_S, zoned, 0.0)
        return np.asarray(np.log(near + zoned + _ANYWHERE / _DECADES_S))

    def log_share(self, low_s: float, high_s: float) -> float:
        """Return the logarithm of how likely it is that the offset is between these."""
        if self.expected_s is None:
            return float(np.log((high_s - low_s) / self.span_s))
        low, high = self._below(low_s - self.expected_s), self._below(high_s - self.expected_s)
        return float(np.log(high - low + _ANYWHERE * (high_s - low_s) / _DECADES_S))

    @staticmethod
    def _below(away_s: float) -> float:
        """Return how likely an offset below this one is, against that of zero, near and by zone."""
        size = min(abs(away_s), _ZONES_S)
        zoned = _ZONED * float(np.log1p(size / _ZONE_SCALE_S)) / _ZONES
        return _NEAR / 2 * erf(away_s / _NEAR_S) + float(np.copysign(zoned, away_s))


# As of a pair: `HIGH_CONFIDENCE`.
CERTAIN = 0.99
# More records lost than kept is no log of a campaign. Of 40 brutal campaigns (a third lost,
# the clock set each 60 cycles; benchmarks/matching.py) one had fewer pairs than that: of 235 cycles
# 88.
_MOST = 0.5
_LIKELY = 0.5
# As in the chain: farther than two readings about one offset differ.
_STEP_S = 0.8
# Two readings of an RTC in whole seconds differ by a triangle of 1 s on either side, and what the
# time to the OS varies; some are wrong by seconds. Worth as much as ten measured intervals
# (assumed).
_READINGS_S, _WILD, _WILD_S, _PRIOR_WEIGHT = 1.2, 0.02, 8.0, 10.0
# How close to one another intervals count as equal, for a pace from even to random (assumed).
_PACE_WIDTHS_S = (0.5, 1.5, 5.0, 15.0)
# Gaps from a second to weeks, each order of magnitude as likely as the next (assumed).
_ORDERS = float(np.log(1e6))
# One pair, or two, may fit by chance where the log does not cover every cycle.
_FEW = 3
# What no single pace explains is weighed by all of them together (assumed).
_ANY_PACE = 0.1
# A log that is read after a campaign ends with it as likely as not (assumed).
_ENDS = 0.5
# Two units that follow one plan begin after a pause, and end after as many cycles, each as likely
# as one in four (assumed).
_SAME_COUNT = 0.25
_HOUR_S, _LOG_2 = 3600.0, float(np.log(2.0))
# Between certain that it is foreign and certain that it is own.
_UNDECIDED = 0.0
_NO_DOUBT = 700.0  # beyond it exp() of a float is infinite
# Odds of 1 to 160,000 leave no doubt of the log, and fewer certain pairs among others may stand
# (assumed).
_BEYOND_DOUBT = 12.0
# So many pairs in the middle of a long campaign show enough (assumed).
_ENOUGH = 4096
# Other sleeps within a campaign: a tenth of one, expected in five minutes, before any was there
# (assumed).
_OTHERS, _OTHERS_S = 0.1, 300.0
# Of records that come whenever they like, 37 of 100 readings bring exactly one; of those of a unit
# that follows the same plan, most (assumed).
_ONE_EACH = 0.5
# More of them add no more: what has the same pace brings one each, too. So many show a campaign at
# an even pace of a dozen cycles, of which nothing else speaks (assumed).
_READINGS = 14
# Another unit that one plan began at the same time, by a clock that is right: one in ten. Fewer
# cycles than a few follow no plan (assumed).
_ABREAST = 0.1
# One script that sent another unit to sleep at the same times, and that log was given: taken to be
# one in 1000, so that a dozen cycles of a unit that hides time stay certain (assumed). What speaks
# for it makes a log doubtful, not another's: a firmware may hide as much.
_NO_SCRIPT, _SCRIPT_AT_MOST = float(np.log(1000.0)), -4.0
# A setting of the clock by 30 s: where it was set, and back, nothing is known of the gap between.
_SET: float = step_cost(np.array([30.0]), Noise(steps_per_cycle=STEPS_PER_CYCLE)).item()
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Origin:
    """Of which unit a log is.

    Attributes:
        log_odds: own against foreign, natural logarithm.
        script_odds: own against a unit that one script sends to sleep at the same times, likewise.
        fit: cycles that have a likely record. covered: cycles that should have one in the log.
        read_live: whether it was read while the cycles ran.
    """

    log_odds: float
    fit: int
    covered: int
    read_live: bool = False
    script_odds: float = _NO_DOUBT

    @property
    def own(self) -> float:
        """Return the probability that it is of the unit of the cycles, 0..1."""
        others = np.exp(np.minimum([-self.log_odds, -self.script_odds], _NO_DOUBT))
        return float(1.0 / (1.0 + others.sum()))

    @property
    def is_foreign(self) -> bool:
        """Whether it is certain that the log is of another unit."""
        return self.own <= 1.0 - CERTAIN

    @property
    def may_be_of_one_script(self) -> bool:
        """Whether what makes it doubtful is a unit that one script sent to sleep, too."""
        return self.script_odds < min(self.log_odds, float(np.log(CERTAIN / (1.0 - CERTAIN))))

    def agrees(self, certain: int) -> bool:
        """Return whether so many certain pairs are most of those that the log should have."""
        most = certain > _MOST * self.covered
        return most or self.read_live or self.log_odds >= _BEYOND_DOUBT


NO_PAIRS = Origin(_NO_DOUBT, 0, 0)
"""Where nothing is matched, nothing is to be doubted."""


def origins_of(
    possible: Choice, cycles: CycleTimes, entries: Entries, noise: Noise, prior: OffsetPrior
) -> tuple[Origin, Floats]:
    """Return of which unit the logs are, and how likely each pair's log is own, float64 [k].

    Logs of several units may be given together, and what ties one of them is no evidence of
    another. So the hypotheses that all of them are own, all but one, one alone, and none, are held
    against each other; a log is as likely own as those are together in which it is.

    Args:
        possible: what the likeliest record of each cycle is, and how likely that is.
        cycles: all of them.
        entries: all of them.
        noise: as it was learnt.
        prior: of the offset.
    """
    source = entries.source[possible.entry]
    fitting = np.unique(source[possible.probability > _LIKELY])
    if 0 < len(fitting) < len(np.unique(entries.source)):
        # A document that no cycle fits is of other sleeps, and of no account.
        fits = np.isin(source, fitting)
        kept = np.flatnonzero(np.isin(entries.source, fitting))
        pairs = possible.where(fits)
        pairs = replace(pairs, entry=np.searchsorted(kept, pairs.entry))
        found, likely = origins_of(pairs, cycles, entries.where(kept), noise, prior)
        own = np.full(len(source), found.own)
        own[fits] = likely
        return found, own
    every = _origin_of(possible, cycles, entries, noise, prior)
    if len(fitting) < 2 or cycles.stated_pair is not None:
        return every, np.full(len(source), every.own)
    left_out = [np.empty(0, dtype=np.int64), *(fitting[[at]] for at in range(len(fitting)))]
    if len(fitting) > 2:
        left_out += [np.delete(fitting, at) for at in range(len(fitting))]
    origins = [every]
    for without in left_out[1:]:
        kept = np.flatnonzero(~np.isin(entries.source, without))
        pairs = possible.where(~np.isin(source, without))
        pairs = replace(pairs, entry=np.searchsorted(kept, pairs.entry))
        origins.append(_origin_of(pairs, cycles, entries.where(kept), noise, prior))
    log_odds = np.array([each.log_odds for each in origins])
    script = np.logaddexp(0.0, -np.array([each.script_odds for each in origins]))
    in_all = float(log_sum(np.append(log_odds + script, 0.0), axis=0))
    own = np.exp(log_odds - in_all)
    is_in = np.array([~np.isin(source, without) for without in left_out])
    return origins[int(np.argmax(log_odds))], np.asarray(own @ is_in)


def _origin_of(
    possible: Choice, cycles: CycleTimes, entries: Entries, noise: Noise, prior: OffsetPrior
) -> Origin:
    """Return of which unit a log is; where nothing is likely to fit, nothing is doubted."""
    pairs = possible.where(possible.probability > _LIKELY)
    fit = len(pairs.rows)
    if fit == 0:
        return NO_PAIRS
    due = expected(cycles)[_covered(cycles, entries, _os_times_s(pairs, cycles))].sum()
    covered = max(round(float(due)), fit)
    if cycles.stated_pair is not None:
        return Origin(_NO_DOUBT, fit, covered)
    brought = len(np.unique(entries.record[entries.reading != UNKNOWN]))
    if fit <= _MOST * (min(covered, brought) if cycles.readings else covered):
        few = len(possible.rows) <= _MOST * covered
        return Origin(-_NO_DOUBT if few else _UNDECIDED, fit, covered)
    every = min(len(cycles.at_s), len(np.unique(entries.record)))
    if fit < min(_FEW, every) and not cycles.readings:
        return Origin(_UNDECIDED, fit, covered)
    pairs, cycles, entries = _middle(pairs, cycles, entries)
    trace = Trace(pairs, cycles, entries)
    log_odds = _Held(pairs, cycles, entries, noise).log_odds(prior)
    longest = pairs.where(_longest_run(pairs))
    if len(longest.rows) < len(pairs.rows):
        # A short run next to it may be chance where the rest is not.
        log_odds = max(log_odds, _Held(longest, cycles, entries, noise).log_odds(prior))
    # Before anything was compared neither is likelier, not of a log that was read meanwhile either:
    # which machine the host was set to read is what the answer is to check. What was learnt of the
    # noise was learnt from these pairs (BIC: half the logarithm of their number).
    log_odds += trace.against_other_sleeps() - 0.5 * float(np.log(fit))
    script = _NO_DOUBT
    if fit >= _FEW and trace.has_any:
        script = max(_NO_SCRIPT + trace.against_one_script(), _SCRIPT_AT_MOST)
    return Origin(log_odds, fit, covered, cycles.readings > 0, script)


class _Held:
    """A log held against both hypotheses.

    Own log: the interval between two records is that of their cycles, with the error of two
        readings; further records come at some rate, a cycle without a record has lost it, a step of
        the clock may be to anywhere. The first offset is as likely as the prior has it, among all
        offsets at which any record stands by any cycle. Foreign log: the interval is like the other
        intervals of
    the log and of the cycles (both units may follow one plan), or of no pace at all.
    """

    def __init__(self, pairs: Choice, cycles: CycleTimes, entries: Entries, noise: Noise) -> None:
        self._pairs, self._cycles, self._entries, self._noise = pairs, cycles, entries, noise
        self._os_s = _os_times_s(pairs, cycles)
        every = np.arange(len(cycles.at_s))
        self._lost = lost_cost(cycles, entries, every, self._os_s - cycles.at_s, noise)
        if cycles.readings:
            # A log of these cycles that was read meanwhile does not end before they do.
            self._lost = np.log(noise.lost + (1.0 - noise.lost) * cycles.silent)
        self._covers = _covered(cycles, entries, self._os_s)
        entry = _one_of_each_record(entries, pairs)
        order = np.argsort(entries.rank[entry], kind="stable")
        entry = entry[order]
        self._at_s = entries.at_s[entry]
        self._before = _before_in_source(entries.source[entry])
        self._since_s = self._at_s - np.append(self._at_s, np.nan)[self._before]
        place = np.empty(int(entries.record.max()) + 1, dtype=np.int64)
        place[entries.record[entry]] = np.arange(len(entry))
        self._place = place[pairs.record]
        self._inside = self._spanned()

    def _spanned(self) -> Indexes:
        """Return the places of the records that the campaign spans, in the order of the log."""
        first, last = int(self._place.min()), int(self._place.max())
        ahead = np.flatnonzero(self._at_s[:first] >= self._os_s[0] - _READINGS_S)
        behind = np.flatnonzero(self._at_s[last + 1 :] <= self._os_s[-1] + _READINGS_S)
        return np.concatenate([ahead, np.arange(first, last + 1), behind + last + 1])

    def log_odds(self, prior: OffsetPrior) -> float:
        """Return how much likelier the times are if the log is own than if it is foreign, log."""
        pairs, place = self._pairs, self._place
        others = self._inside[~np.isin(self._inside, place)]
        own, one_of = self._own(prior), self._one_of_the_records(prior)
        is_last = pairs.rows[-1] + 1 == len(self._cycles.at_s)
        after = np.flatnonzero(self._before == place[-1])
        gap_s = float(self._since_s[after[0]]) if len(after) else np.nan
        since_s = np.concatenate([self._since_s[place], self._since_s[others], [gap_s]])
        count, begins = len(place), float(own[0])
        span_s = max(float(self._os_s[-1] - self._os_s[0]), 1.0)
        gap_of = np.searchsorted(place, others)
        odds: list[float] = []
        abreast = float(np.log(_ABREAST) - np.log1p(-self._noise.lost)) + begins
        for foreign in self._foreign(since_s, len(self._inside) / span_s):
            # A capture may begin within a campaign, so that its first record goes on with a pace.
            own[0] = np.logaddexp(begins, one_of + foreign[0]) - _LOG_2
            if count >= _FEW:
                foreign[0] = np.logaddexp(foreign[0] + np.log1p(-_ABREAST), abreast)
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
        free = np.ones(len(self._os_s), dtype=np.bool_)
        free[rows] = False
        of = np.searchsorted(rows, np.flatnonzero(free))
        cycles, others = np.bincount(of, minlength=count), np.bincount(gap_of, minlength=count)
        lost = np.bincount(of, self._lost[free], count)
        of_foreign = np.bincount(gap_of, foreign, count)
        # At an end the clock need not be set back; a log that was read meanwhile has no such end.
        most = np.full(count, 2.0 * _SET)
        if not self._cycles.readings:
            most[[0, -1]] = _SET
        each_s = span_s / len(free)
        explained = np.ones(count, dtype=np.bool_)
        gaps = np.zeros(count)
        for _ in range(2):
            # What unexplained gaps hold is no measure of how many others there are.
            explained_s = each_s * (len(rows) + float(cycles[explained].sum()))
            rate_hz = (float(others[explained].sum()) + _OTHERS) / (explained_s + _OTHERS_S)
            gaps = lost + others * np.log(rate_hz) - of_foreign - rate_hz * each_s * cycles
            explained = gaps > -most
        return float(np.where(explained, gaps, -most).sum()) - rate_hz * each_s * len(rows)

    def _own(self, prior: OffsetPrior) -> Floats:
        """Return how likely the record of each pair is at its time if the log is own, log."""
        pairs, cycles, entries = self._pairs, self._cycles, self._entries
        difference_s = entries.at_s[pairs.entry] - cycles.at_s[pairs.rows]
        change_s, moved_s = np.diff(difference_s), np.diff(pairs.offset_s)
        is_step = np.abs(moved_s) > _STEP_S
        half_s = entries.half_s[pairs.entry]
        reach_s = np.maximum(_READINGS_S, half_s[1:] + half_s[:-1])
        usual = np.maximum(1.0 - np.abs(change_s) / reach_s, 0.0) / reach_s
        usual = (1.0 - _WILD) * usual + _WILD / _WILD_S
        changes_s = np.sort(change_s[~is_step])
        share = np.maximum(_within(changes_s, change_s, _PACE_WIDTHS_S[0]) - 1, 0) / (
            2 * _PACE_WIDTHS_S[0]
        )
        density = (_PRIOR_WEIGHT * usual + share) / (_PRIOR_WEIGHT + max(len(changes_s) - 1, 0))
        own = np.empty(len(pairs.rows))
        low_s, high_s = self._window()
        own[0] = prior.log_density(pairs.offset_s[:1]).item() - prior.log_share(low_s, high_s)
        own[1:] = np.where(is_step, -step_cost(moved_s, self._noise), np.log(density))
        return np.asarray(own + np.log1p(-self._noise.lost))

    def _one_of_the_records(self, prior: OffsetPrior) -> float:
        """Return how much likelier the first pair's record is for being one of a pace, log.

        At a pace that began before, the cycles fix its phase by the offset; without them it is
        anywhere, and any of the records may be that of the first pair.
        """
        low_s, high_s = self._window()
        density = prior.log_density(self._pairs.offset_s[:1]).item()
        each = density - prior.log_share(low_s, high_s) + float(np.log(high_s - low_s))
        return each - float(np.log(len(self._at_s))) + float(np.log1p(-self._noise.lost))

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
        inner = self._inside[np.isin(self._before[self._inside], self._inside)]
        of_cycles = np.diff(at_s)
        itself = np.full(len(since_s), np.nan)
        itself[: len(rows)] = at_s[rows] - np.where(rows > 0, at_s[rows - 1], np.nan)
        intervals = max(len(inner) + len(of_cycles) - 2, 0)
        any_gap = np.exp(_any_gap(since_s))
        shares = []
        # The pace of the log may be that of what the cycles span, or of all that it holds.
        for of_log in (self._since_s[inner], self._since_s[self._before >= 0]):
            paces = np.sort(np.concatenate([of_log, of_cycles]))
            shares += [
                self._at_one_pace(paces, since_s, itself, width_s) for width_s in _PACE_WIDTHS_S
            ]
        mixed = np.mean(shares, axis=0)
        # Few intervals do not show how close at one pace they are: all of it together, as likely.
        shares += [mixed] * len(shares)
        shares.append(rate_hz * np.exp(-rate_hz * np.maximum(since_s, 0.0)))
        low_s, high_s = self._window()
        found = []
        for share, seldom in product(shares, self._pauses(intervals)):
            pause = np.full(len(since_s), seldom)
            pause[[0, -1]] = max(seldom, _SAME_COUNT)
            paced = (1 - pause) * ((1 - _ANY_PACE) * share + _ANY_PACE * mixed) + pause * any_gap
            none = np.full(len(since_s), -np.log(high_s - low_s))
            none[-1] = np.log(pause[-1])
            found.append(np.where(np.isnan(since_s), none, np.log(np.nan_to_num(paced) + 1e-12)))
        return found

    def _at_one_pace(
        self, paces_s: Floats, since_s: Floats, itself_s: Floats, width_s: float
    ) -> Floats:
        """Return how likely intervals are at a pace that others show, per second.

        Args:
            paces_s: the others and these, ascending.
            since_s: these; the last is not among the others, float64 [i].
            itself_s: the interval of the cycles of each, which is among the others, float64 [i].
            width_s: how close intervals are at one pace.
        """
        lost = self._noise.lost
        own = (np.abs(itself_s - since_s) <= width_s).astype(np.int64)
        own[:-1] += 1
        one = np.maximum(_within(paces_s, since_s, width_s) - own, 0)
        two = _within(paces_s, since_s / 2, width_s)
        share = (1.0 - lost) * one + lost * two / 2
        return np.asarray(share / (2 * width_s * max(len(paces_s) - 2, 1)))

    def _pauses(self, intervals: int) -> tuple[float, float]:
        """Return how often a pace ends: by the campaign's own intervals, and by all of the log."""
        longest_s = 2.0 * float(np.diff(self._cycles.at_s).max(initial=60.0))
        pauses = int((np.abs(self._since_s) > longest_s).sum())
        own, every = 1.0 / (2.0 + intervals), (1.0 + pauses) / (2.0 + len(self._at_s))
        return own, max(own, every)

    def _in_time(self) -> int:
        """Return how many of the pairs' records came with the reading that was to bring them."""
        reading = self._entries.reading[self._pairs.entry]
        lag = reading - self._cycles.reading[self._pairs.rows]
        return int(((reading != UNKNOWN) & (lag == self._noise.usual_lag)).sum())


def _after(gap_s: float, foreign: float) -> Floats:
    """Return how likely what follows the last cycle is if the log is own, log.

    The end of the log, any gap, or the pace going on: a capture may end within a campaign.
    """
    if np.isnan(gap_s):
        return np.asarray(np.log(_ENDS))
    any_gap = _any_gap(np.array([gap_s])).item()
    return np.asarray(np.log(_ENDS / 2) + np.logaddexp(any_gap, foreign))


def _os_times_s(pairs: Choice, cycles: CycleTimes) -> Floats:
    """Return when each cycle was by the clock of the log."""
    return cycles.at_s + np.interp(np.arange(len(cycles.at_s)), pairs.rows, pairs.offset_s)


def _covered(cycles: CycleTimes, entries: Entries, os_s: Floats) -> Mask:
    """Return which cycles should have a record; all of them, if the log was read meanwhile."""
    within = os_s >= entries.at_s[0] - _READINGS_S
    within &= os_s <= entries.at_s[-1] + _READINGS_S
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
    return moved, cycles.where(slice(low, high)), entries.where(kept)


def _before_in_source(source: Indexes) -> Indexes:
    """Return the place of the one of the same source before each, -1 for none."""
    before = np.full(len(source), -1, dtype=np.int64)
    order = np.argsort(source, kind="stable")
    same = source[order[1:]] == source[order[:-1]]
    before[order[1:][same]] = order[:-1][same]
    return before


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
