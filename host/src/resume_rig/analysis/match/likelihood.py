"""How likely it is that a record belongs to a cycle, given how the clocks stand.

All is relative to "the record is of some other sleep". Seldom more than one entry stands near a
prediction, so those near are listed, and there is no table of all. The time asleep counts too,
whatever the offset; a record that disagrees there is not ruled out, as a DUT may hide seconds.
"""

from dataclasses import dataclass, replace

import numpy as np

from resume_rig.analysis.match.times import (
    FROM_IMAGE_BITS,
    UNKNOWN,
    CycleTimes,
    Entries,
    Floats,
    Indexes,
    Readings,
    lag_gain,
)

NEVER = -1e9
"""The log-likelihood of what cannot be."""
IMPOSSIBLE = -1e8
"""Less than any campaign can make up for, and more than NEVER."""
# Two on either side: sleeps follow one another by seconds, and a record has two entries at most
# (assumed).
_SIDE = 2
_NEIGHBOURS = np.arange(-_SIDE, _SIDE)


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """The entries near some predictions, and what each is worth.

    In order of the predictions, and of the entries near each.

    Attributes:
        of: index of the prediction, int64 [q].
        entry: index of the entry, int64 [q].
        gain: log-likelihood ratio against "lost, and the record is of another sleep" without the
            cost of losing; NEVER where it cannot be, float64 [q].
        residual_s: entry minus prediction, float64 [q].
        lag: by how many readings of the log it came late; UNKNOWN where that is not known,
            int32 [q].
    """

    of: Indexes
    entry: Indexes
    gain: Floats
    residual_s: Floats
    lag: Readings

    def with_lag(self, usual: int, late: float) -> "Gains":
        """Return the gains with how likely it is that the records came then (`lag_gain`)."""
        has_lag = self.lag >= 0
        gain = self.gain.copy()
        gain[has_lag] += lag_gain(self.lag[has_lag], usual=usual, late=late)
        return replace(self, gain=gain)

    def turns(self) -> list[Indexes]:
        """Return the places of the first entry of each prediction, of the second, and so on."""
        again = np.zeros(len(self.of), dtype=np.bool_)
        again[1:] = self.of[1:] == self.of[:-1]
        place = np.arange(len(again))
        if not again.any():
            return [place]
        turn = place - np.maximum.accumulate(place * ~again)
        return [np.flatnonzero(turn == each) for each in range(int(turn.max()) + 1)]

    def best(self, count: int) -> Indexes:
        """Return the place of the best entry of each of so many predictions, -1 for none."""
        best = np.full(count, -1, dtype=np.int64)
        for turn in self.turns():
            of, other = self.of[turn], best[self.of[turn]]
            better = (other < 0) | (self.gain[turn] > self.gain[other])
            best[of[better]] = turn[better]
        return best

    def either(self, lost: Floats) -> Floats:
        """Return the log-likelihood that one of those near is the record, or none, float64 [p].

        Args:
            lost: that there is none, of each prediction, float64 [p].
        """
        turns, top = self.turns(), lost.copy()
        for turn in turns:
            of = self.of[turn]
            top[of] = np.maximum(top[of], self.gain[turn])
        total = np.exp(lost - top)
        for turn in turns:
            of = self.of[turn]
            total[of] += np.exp(self.gain[turn] - top[of])
        return np.asarray(np.log(total) + top)


def near(at_s: Floats, predicted_s: Floats, reach_s: float) -> tuple[Indexes, Indexes, Floats]:
    """Return the entries within reach, at most two on either side: prediction, entry, how far.

    In order of the predictions, and of the entries near each.

    Args:
        at_s: of the entries, ascending, not empty.
        predicted_s: where to look, float64 [p].
        reach_s: entry minus prediction, at most.
    """
    after, last = np.searchsorted(at_s, predicted_s), len(at_s) - 1
    entry = after[:, None] + _NEIGHBOURS
    away_s = at_s.take(entry, mode="clip")
    away_s -= predicted_s[:, None]
    inside = (np.abs(away_s) <= reach_s) & (entry >= 0) & (entry <= last)
    reached = np.flatnonzero(inside)
    return reached // (2 * _SIDE), entry.ravel()[reached], away_s.ravel()[reached]


# Flat in the middle as a quantised clock is, with soft edges: exp(-x^4), of area 1. It is
# 1 / (2 gamma(5/4)).
_FLAT = 0.5516
# Beyond 1.6 half-widths exp(-x^4) is 0.0014: no pair (assumed).
REACH = 1.6
# Half a second of the RTC and what varies. A pace that beats with whole seconds shows less for
# hours, and then the rest: `half_s` is taken from 95 of 100 pairs, the others may be anywhere. Both
# assumed (benchmarks/matching.py).
_QUANTISED_HALF_S = 0.55
_OF_THE_REST = 0.05
# Errors that are equal for hours also draw the line astray that is laid through them (assumed).
_ASTRAY_S = 0.3
# A firmware that stalls in one wake of a hundred, for seconds (assumed).
_LATE, _LATE_S = 0.01, 3.0
LATE_MOST_S = 10.0
"""A wake that comes later to its OS than that is another one. Assumed."""
# Two readings of the RTC, and the way to sleep; other sleeps of a plan differ by half a minute; one
# unit in ten hides time before its sleep (all assumed).
_ASLEEP_HALF_S = 1.3
_ASLEEP_RANGE_S = 30.0
_ASLEEP_DOUBTED = 0.1
# The record before may be lost, or the clock set while the DUT was awake (assumed).
_LENGTH_DOUBTED = 0.3
# A spread of fewer shows little; and a wire that excludes a kind of sleep errs in one of twenty
# (both assumed).
_IMAGES_OF_AT_LEAST = 10
_UNLIKE = np.log(0.05)
# Farther than two readings of the RTC can be from one another by themselves, with what varies
# (assumed).
_CLEAR_STEP_S = 2.5
STEPS_PER_CYCLE = 1 / 300
"""How often a clock is set, before a campaign shows it, and at least (assumed)."""
# Rows at a time, so that their tables stay in the processor's cache (assumed).
_AT_ONCE = 1 << 14


@dataclass(frozen=True, slots=True)
class Length:
    """A length of each cycle that both sides have, whatever their clocks show.

    Attributes:
        to_sleep: whether it is that from the trigger to the sleep, not that of being awake before.
        bias_s, scale_s: by how much longer than on the wires it is for the OS, and how far that
            varies.
        range_s: how far other sleeps of the same plan vary there.
    """

    to_sleep: bool
    bias_s: float
    scale_s: float
    range_s: float

    @property
    def information(self) -> float:
        """Return how much a length adds that agrees."""
        return float(np.log(self.range_s / self.scale_s))

    def both(self, cycles: CycleTimes, entries: Entries) -> tuple[Floats, Floats]:
        """Return the lengths of all entries, and of all cycles."""
        if self.to_sleep:
            return entries.took_s, cycles.to_sleep_s
        return entries.awake_s, cycles.awake_s


@dataclass(frozen=True, slots=True)
class Noise:
    """What a campaign's records are like; the match learns it from the campaign itself.

    Attributes:
        half_s: half-width of the error of a measured wake.
        lost: share of the cycles whose record is not in the log.
        others_hz: rate of records of other sleeps.
        asleep_bias_s: usual excess of the OS's time asleep; None leaves the time asleep out.
        image_bias_s, image_half_s: the same after a wake from an image, and how far it varies:
            whether the OS counts the writing of the image, and how long that takes, only the
            campaign itself shows; None leaves it out.
        usual_lag: by how many readings the log is late each time.
        late: share of the records that come with another one.
        steps_per_cycle: how often the clock is set.
        length: one that wires and OS both have (trace.py); None leaves it out.
    """

    half_s: float = 0.8
    lost: float = 0.1
    others_hz: float = 1 / 3600
    asleep_bias_s: float | None = None
    image_bias_s: float | None = None
    image_half_s: float = 0.0
    usual_lag: int = 0
    late: float = 0.1
    steps_per_cycle: float = STEPS_PER_CYCLE
    length: Length | None = None


def gains(
    cycles: CycleTimes, entries: Entries, rows: Indexes, offset_s: Floats, noise: Noise
) -> Gains:
    """Return what the entries around each row's prediction are worth; arguments as below."""
    found = gains_without_lag(cycles, entries, rows, offset_s, noise)
    return found.with_lag(noise.usual_lag, noise.late)


def gains_without_lag(
    cycles: CycleTimes, entries: Entries, rows: Indexes, offset_s: Floats, noise: Noise
) -> Gains:
    """Return what the entries around each row's prediction are worth, but for when they came.

    Args:
        cycles: all of them.
        entries: at least one.
        rows: which cycles, int64 [p].
        offset_s: where the OS clock stood at each, entries' base minus cycles', float64 [p].
        noise: what the records are like.
    """
    half = noise.half_s + _ASTRAY_S * (1.0 - cycles.information[rows])
    widest = max(_QUANTISED_HALF_S, entries.widest_s, float(half.max(initial=0.0)))
    of, chosen, residual_s = near(entries.at_s, cycles.at_s[rows] + offset_s, REACH * widest)
    half_s = np.maximum(entries.half_s[chosen], half[of])
    within = np.abs(residual_s) <= REACH * np.maximum(half_s, _QUANTISED_HALF_S)
    of, chosen = of[within], chosen[within]
    residual_s, half_s = residual_s[within], half_s[within]
    row = rows[of]
    density = _log_density(residual_s, half_s, cycles.information[row])
    on_time = np.zeros(len(row))
    worth, lag = _worth(cycles, entries, row, chosen, noise, density=density, late_s=on_time)
    return Gains(of, chosen, worth, residual_s, lag)


def gains_of_late(
    cycles: CycleTimes, entries: Entries, rows: Indexes, offset_s: Floats, noise: Noise
) -> Gains:
    """Return the same as `gains` where a wake may have come late to its OS.

    As long as the firmware stalled the OS thinks that it slept.
    """
    predicted_s = cycles.at_s[rows] + offset_s
    of, chosen, residual_s = near(entries.at_s, predicted_s, LATE_MOST_S)
    row, late_s = rows[of], np.maximum(residual_s, 0.0)
    half_s = np.maximum(entries.half_s[chosen], noise.half_s)
    usual = _log_density(residual_s, half_s, cycles.information[row])
    late = np.log(_LATE / _LATE_S) - late_s / _LATE_S
    density = np.logaddexp(usual, np.where(residual_s > 0.0, late, NEVER))
    worth, lag = _worth(cycles, entries, row, chosen, noise, density=density, late_s=late_s)
    return Gains(of, chosen, worth, residual_s, lag).with_lag(noise.usual_lag, noise.late)


def _worth(
    cycles: CycleTimes,
    entries: Entries,
    row: Indexes,
    chosen: Indexes,
    noise: Noise,
    *,
    density: Floats,
    late_s: Floats,
) -> tuple[Floats, Readings]:
    """Return what pairs are worth but for when their records came, and how late those came.

    Args:
        cycles: all of them.
        entries: all of them.
        row: the cycle of each pair, int64 [q].
        chosen: its entry, int64 [q].
        noise: what the records are like.
        density: how likely the error of its wake is, log per second, float64 [q].
        late_s: by how much the OS woke later than the wires, float64 [q].
    """
    worth = density + entries.log_weight[chosen] - np.log(noise.others_hz) + np.log1p(-noise.lost)
    worth += np.log1p(-cycles.silent[row])
    worth += _asleep(cycles, entries, row, chosen, noise, late_s=late_s)
    worth += _of_length(cycles, entries, row, chosen, noise.length)
    worth += np.where((cycles.unlike[row] & entries.kind[chosen]) != 0, _UNLIKE, 0.0)
    reading = entries.reading[chosen]
    late = reading - cycles.reading[row]
    lag = np.where(reading == UNKNOWN, UNKNOWN, late)
    worth = np.where((reading != UNKNOWN) & (late < 0), NEVER, worth)
    if cycles.stated_pair is not None:
        cycle, record = cycles.stated_pair
        one_alone = (cycles.index[row] == cycle) != (entries.record[chosen] == record)
        worth = np.where(one_alone, NEVER, worth)
    return worth, lag


def _log_density(residual_s: Floats, half_s: Floats, information: Floats) -> Floats:
    """Return how likely such errors of a wake are, log per second.

    Where the errors of neighbours are equal, where in its width an error lies counts but once.
    """
    density = np.log(_FLAT / half_s) - information * _fourth(residual_s / half_s)
    narrow = np.flatnonzero(half_s < _QUANTISED_HALF_S)
    rest = np.log(_OF_THE_REST * _FLAT / _QUANTISED_HALF_S)
    rest = rest - information[narrow] * _fourth(residual_s[narrow] / _QUANTISED_HALF_S)
    density[narrow] = np.logaddexp(density[narrow] + np.log1p(-_OF_THE_REST), rest)
    return np.asarray(density)


def _fourth(x: Floats) -> Floats:
    return np.asarray(np.square(np.square(x)))


def _asleep(
    cycles: CycleTimes,
    entries: Entries,
    row: Indexes,
    entry: Indexes,
    noise: Noise,
    *,
    late_s: Floats,
) -> Floats:
    if noise.asleep_bias_s is None:
        return np.zeros(len(row))
    image = (entries.kind[entry] & FROM_IMAGE_BITS) != 0
    bias_s, half_s = noise.asleep_bias_s, np.full(len(row), _ASLEEP_HALF_S)
    image_bias_s = np.nan if noise.image_bias_s is None else noise.image_bias_s
    half_s[image] = max(noise.image_half_s, _ASLEEP_HALF_S)
    difference = entries.asleep_s[entry] - cycles.asleep_s[row] - late_s
    difference -= np.where(image, image_bias_s, bias_s)
    shape = _FLAT * np.exp(-_fourth(difference / half_s)) / half_s
    density = np.log((1 - _ASLEEP_DOUBTED) * shape * _ASLEEP_RANGE_S + _ASLEEP_DOUBTED)
    return np.where(np.isnan(difference), 0.0, density)


def _of_length(
    cycles: CycleTimes, entries: Entries, row: Indexes, entry: Indexes, length: Length | None
) -> Floats:
    if length is None:
        return np.zeros(len(row))
    of_os_s, of_wires_s = length.both(cycles, entries)
    difference = np.abs(of_os_s[entry] - of_wires_s[row] - length.bias_s)
    shape = np.exp(-difference / length.scale_s) / (2 * length.scale_s)
    density = np.log((1 - _LENGTH_DOUBTED) * shape * length.range_s + _LENGTH_DOUBTED)
    return np.where(np.isnan(difference), 0.0, density)


def reach_of(entries: Entries, noise: Noise) -> float:
    """Return how far an entry may stand from where it is expected, at most."""
    return REACH * max(_QUANTISED_HALF_S, entries.widest_s, noise.half_s + _ASTRAY_S)


def lost_cost(
    cycles: CycleTimes, entries: Entries, rows: Indexes, offset_s: Floats, noise: Noise
) -> Floats:
    """Return the log-likelihood that the rows have no record: nothing where the log is silent.

    A log that was read while the cycles ran is not silent about those that ended before.
    """
    predicted = cycles.at_s[rows] + offset_s
    reach = REACH * max(noise.half_s, _QUANTISED_HALF_S)
    covered = (predicted >= entries.at_s[0] - reach) & (predicted <= entries.at_s[-1] + reach)
    covered |= cycles.reading[rows] < cycles.readings
    none = noise.lost + (1.0 - noise.lost) * cycles.silent[rows]
    cost = np.where(covered, np.log(none), 0.0)
    if cycles.stated_pair is not None:
        cost[cycles.index[rows] == cycles.stated_pair[0]] = IMPOSSIBLE
    return cost


def learnt(
    noise: Noise,
    cycles: CycleTimes,
    entries: Entries,
    *,
    residual_s: Floats,
    rows: Indexes,
    entry: Indexes,
) -> Noise:
    """Return the noise that likely pairs show.

    Args:
        noise: what was assumed so far.
        cycles: all of them.
        entries: all of them.
        residual_s: of the pairs, float64 [k].
        rows: their cycles, int64 [k].
        entry: their entries, int64 [k].
    """
    if len(rows) == 0:
        return replace(noise, asleep_bias_s=0.3)
    # A setting that never was may tear a gap into the log; records are as frequent as they are.
    every = entries.at_s + entries.settings_s
    first, last = every[entry].min(), every[entry].max()
    inside = (every >= first) & (every <= last)
    others = len(np.unique(entries.record[inside])) - len(np.unique(entries.record[entry]))
    span_s = max(float(last - first), 3600.0)
    spanned = slice(int(rows.min()), int(rows.max()) + 1)
    covered = spanned.stop - spanned.start
    # A record that no OS was there to write is not lost.
    wrote = len(rows) + max(expected(cycles)[spanned].sum() - expected(cycles)[rows].sum(), 0.0)
    plain = residual_s[entries.half_s[entry] == 0.0]
    half_s = noise.half_s
    if len(plain) >= 20:
        half_s = min(max(1.15 * float(np.quantile(np.abs(plain), 0.95)), 0.15), 1.5)
    difference = entries.asleep_s[entry] - cycles.asleep_s[rows]
    image = (entries.kind[entry] & FROM_IMAGE_BITS) != 0
    image_bias_s, image_half_s = _of_images(difference[image & ~np.isnan(difference)])
    difference = difference[~image & ~np.isnan(difference)]
    lag = entries.reading[entry] - cycles.reading[rows]
    lag = lag[entries.reading[entry] != UNKNOWN]
    usual_lag, late = noise.usual_lag, noise.late
    if len(lag):
        usual_lag = int(np.median(lag))
        late = min(max((int((lag != usual_lag).sum()) + 1) / (len(lag) + 4), 0.02), 0.5)
    return replace(
        noise,
        half_s=half_s,
        lost=min(max(float((wrote - len(rows) + 1) / (wrote + 4)), 0.02), 0.6),
        others_hz=float(max((others + 1) / span_s, 1 / 7200)),
        asleep_bias_s=float(np.median(difference)) if len(difference) >= 5 else 0.3,
        image_bias_s=image_bias_s,
        image_half_s=image_half_s,
        usual_lag=usual_lag,
        late=late,
        steps_per_cycle=_steps_per_cycle(entries.at_s[entry] - cycles.at_s[rows], covered),
    )


def expected(cycles: CycleTimes) -> Floats:
    """Return how many records the wires let expect of each cycle, 0..1, float64 [n]."""
    return 1.0 - cycles.silent


def _steps_per_cycle(difference_s: Floats, cycles: int) -> float:
    """Return how often the clock was set; a campaign that shows few is not taken for one of none.

    Args:
        difference_s: entries minus cycles, in order of the cycles.
        cycles: that these pairs span.
    """
    steps = int((np.abs(np.diff(difference_s)) > _CLEAR_STEP_S).sum())
    return max(STEPS_PER_CYCLE, (steps + 1) / (cycles + 1 / STEPS_PER_CYCLE))


def by_chance(of_each: float, cycles: int, noise: Noise) -> float:
    """Return how much less another offset explains by lost records alone, at most.

    Args:
        of_each: what a cycle with a record adds, log-likelihood.
        cycles: how many there are; three standard deviations of how many lost a record count.
        noise: what the records are like.
    """
    return of_each * (3.0 + 3.0 * float(np.sqrt(2 * cycles * noise.lost)))


def _of_images(difference: Floats) -> tuple[float | None, float]:
    """Return the usual excess of the time asleep after wakes from an image, and its half-width."""
    if len(difference) < _IMAGES_OF_AT_LEAST:
        return None, 0.0
    bias_s = float(np.median(difference))
    half_s = 1.5 * float(np.quantile(np.abs(difference - bias_s), 0.9))
    # What varies as much as sleeps do shows nothing of them.
    return (bias_s if half_s < _ASLEEP_RANGE_S / 2 else None), half_s


def parts_of(count: int) -> list[slice]:
    """Return slices of so many rows, none of them too long to be weighed at once."""
    starts = range(0, count, _AT_ONCE) or [0]
    return [slice(low, min(low + _AT_ONCE, count)) for low in starts]


def log_sum(values: Floats, axis: int) -> Floats:
    """Return log(sum(exp(values))) along an axis, none of it empty."""
    top = values.max(axis=axis, keepdims=True)
    total = np.exp(values - top).sum(axis=axis)
    return np.asarray(np.log(total) + np.squeeze(top, axis=axis), dtype=np.float64)
