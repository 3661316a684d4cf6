"""How likely the lengths are that cycles and records have in common, if a log is own and if not.

From its wake to the next sleep the OS was awake, then it slept. Both lengths are on the wires, too.
In an own log each length is that of its cycle, but for what the OS measures otherwise. In the log
of another unit lengths are like its others, or like those of the cycles (both units may follow one
plan), or of any size.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field

import numpy as np

from pair_hmm.rows import CycleRows, LogRows, Mask
from resume_rig.analysis.match.times import Floats, Indexes

GRID_S = 0.005
"""A log has milliseconds, and what varies is of some."""
HALF_RANGE = 12_000
"""Of a table, in steps of GRID_S: a minute. What differs by more was set, or is another sleep."""

# Kernels of a difference: the scales of Laplace's distribution, s, and the triangle of two readings
# of an RTC that has whole seconds, with what varies.
_SCALES_S = (0.012, 0.04, 0.12, 0.4, 1.5, 6.0)
# A pace that beats with whole seconds shows less of them.
_READINGS_S, _BEAT_S = 1.15, 0.3
# How the difference of a length is distributed before anything was learnt (assumed): the RTC's, or
# a finer clock's; some are wrong by seconds.
OF_READINGS = np.array([0.0, 0.0, 0.0, 0.0, 0.05, 0.03, 0.1, 0.82])
# A length by one run of the OS's clock: within 20 ms of a constant on most units.
OF_ONE_RUN = np.array([0.45, 0.2, 0.12, 0.08, 0.04, 0.03, 0.0, 0.08])
# Of an image it counts some seconds, or not.
OF_IMAGE = np.array([0.0, 0.0, 0.0, 0.0, 0.2, 0.4, 0.1, 0.3])
_SECONDS, _USUAL_SECONDS = (4, 5), 0.06
_PRIOR_WEIGHT = 3.0  # of so many differences
# By how much less than the wires an OS is awake: by 0 to 2 s mostly, by more where time is hidden.
_AWAKE_S = ((-2.05, 0.05, 0.9), (-7.0, -2.0, 0.07), (0.05, 3.0, 0.01))
# Trigger to SLP_S3# is longer than what the OS calls its way to sleep.
_WAY_S = ((-1.0, 0.05, 0.85), (-7.0, -1.0, 0.1), (0.05, 3.0, 0.01))
_LIKE_LAST = 0.7  # the pair before is right, and its length known
# A setting of the clock is of any size: each order of magnitude from 1 s to 10 years is as likely.
_ORDERS = float(np.log(3e8))
_GAP_SET_S = 300.0
_OTHER_MOST = 0.3
STEPS_PER_CYCLE = 1 / 300
# Gaps from a second to weeks, each order of magnitude as likely as the next.
_ANY_ORDERS = float(np.log(1e6))
# How wide the lengths of a log are about one another: by one run of its clock, or by two readings
# of an RTC. No narrower than the kernels above, so that neither hypothesis knows more of clocks.
_RUN_WIDTHS_S = (0.01, 0.05, 0.2, 0.7, 1.5, 5.0, 15.0)
_READ_WIDTHS_S = (0.3, 0.7, 1.5, 5.0, 15.0)
_WIRES_WIDTHS_S = (0.5, 1.5, 5.0)
_LOG_WIDTHS = (0.3, 1.0)
_COMPONENT = 0.15  # lengths that each is given before any was seen (assumed)
_STRETCH = (1.0, 2.0, 8.0)
# The log of another unit begins anywhere within a day, at least (assumed).
_FIRST_S = 86_400.0
# Or it began the same plan within a minute, one in ten; three cycles are no plan (assumed).
_ABREAST, _ABREAST_S, _NO_PLAN = 0.1, 60.0, 3
_NEVER = 1e-290
_DRIFT = 5e-5  # PC clocks are good to 50 ppm
_PAUSE_S = 600.0
_UNLIKE = 0.05  # a wire that excludes a kind of sleep errs in one of twenty (assumed)
_NEAR_S, _ZONES_S, _DECADES_S, _ZONE_SCALE_S = 5.0, 15 * 3600.0, 40 * 365 * 86_400.0, 60.0
_NEAR, _ZONED, _ANYWHERE = 0.5, 0.3, 0.2
# A log begins or ends within a campaign in one of seven (assumed).
_CUT = 0.15
_ENDS = 0.5
# A runner waits for the record of its cycle (assumed); each reading more is half as likely.
LAGS = np.array([0.9, 0.05, 0.025, 0.0125])

_GRID: Floats = np.arange(-HALF_RANGE, HALF_RANGE + 1, dtype=np.float64) * GRID_S


def _kernels(x: Floats) -> Floats:
    """Return the density of each kernel at some differences, float64 [kernels, n]."""
    away = np.abs(x)
    laplace = [np.exp(-away / s) / (2 * s) for s in _SCALES_S]
    triangle = np.maximum(1.0 - away / _READINGS_S, 0.0) / _READINGS_S
    beat = np.exp(-0.5 * (x / _BEAT_S) ** 2) / (np.sqrt(2 * np.pi) * _BEAT_S)
    return np.array([*laplace, beat, triangle]) + 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """How a difference is distributed: about a constant, by a mixture of kernels."""

    weights: Floats
    bias_s: float = 0.0

    def density(self, x: Floats) -> Floats:
        """Return the density at some differences."""
        return np.asarray(self.weights @ _kernels(x - self.bias_s))

    @classmethod
    def learnt(cls, x: Floats, prior: Floats, weight: Floats) -> "Shape":
        """Return the shape of some differences, each of some weight."""
        order = np.argsort(x)
        middle = np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)
        bias_s = float(x[order[min(int(middle), len(x) - 1)]])
        each, weights = _kernels(x - bias_s), prior.copy()
        # Where a clock is read as usual, seconds are no noise: somebody set it.
        seconds = np.isin(np.arange(len(prior)), _SECONDS) & (prior < _USUAL_SECONDS)
        rest = 1.0 - float(prior[seconds].sum())
        for _ in range(20):
            share = weights[:, None] * each
            share *= weight / share.sum(axis=0)
            weights = prior * _PRIOR_WEIGHT + share.sum(axis=1)
            weights = np.where(seconds, np.minimum(weights / weights.sum(), prior), weights)
            weights = np.where(seconds, weights, weights / weights[~seconds].sum() * rest)
        return cls(weights, bias_s)


def _flats(x: Floats, parts: tuple[tuple[float, float, float], ...]) -> Floats:
    density = np.full(x.shape, 1e-4)
    for low, high, share in parts:
        density += np.where((x >= low) & (x <= high), share / (high - low), 0.0)
    return density


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """What a campaign's records are like; learnt from the campaign itself."""

    lost: float = 0.05
    others_hz: float = 1 / 3600
    steps: float = STEPS_PER_CYCLE
    asleep: Shape = field(default_factory=lambda: Shape(OF_READINGS))
    image: Shape = field(default_factory=lambda: Shape(OF_IMAGE))
    moved: Shape = field(default_factory=lambda: Shape(OF_READINGS))
    awake: Shape | None = None
    way: Shape | None = None
    lags: Floats = field(default_factory=lambda: np.full(len(LAGS), 1.0 / len(LAGS)))
    told: float = 0.5


def any_length(x: Floats) -> Floats:
    """Return how likely lengths are of which nothing is known, per second."""
    return np.asarray(1.0 / (2 * _ANY_ORDERS * np.maximum(np.abs(x), 1.0)))


class _Smooth:
    """Kernel densities of some values at any place, by a histogram."""

    _STEP_S, _MOST_S = 0.005, 1200.0

    def __init__(self, values: Floats, widths: tuple[float, ...]) -> None:
        self._widths = widths
        values = values[np.isfinite(values)]
        # What is far longer than most has no others about it.
        usual_s = float(np.quantile(values, 0.9)) if len(values) else 0.0
        self._most_s = float(np.clip(3.0 * usual_s + 30.0, 60.0, self._MOST_S))
        inside = values[(values > -30.0) & (values < self._most_s)]
        self._low = -60.0
        count = int((self._most_s + 120.0) / self._STEP_S)
        size = 1 << (count - 1).bit_length()
        histogram = np.bincount(self._index(inside), minlength=size)[:size].astype(np.float64)
        self._total = max(len(values), 1)
        spectrum = np.fft.rfft(histogram)
        x = np.minimum(np.arange(size), size - np.arange(size)) * self._STEP_S
        self._curves = []
        for width in widths:
            kernel = np.exp(-0.5 * (x / width) ** 2)
            kernel /= kernel.sum() * self._STEP_S
            self._curves.append(np.maximum(np.fft.irfft(spectrum * np.fft.rfft(kernel), size), 0))

    def _index(self, values: Floats) -> Indexes:
        return np.asarray(((values - self._low) / self._STEP_S + 0.5).astype(np.int64))

    def at(self, values: Floats, *, without_own: bool) -> Floats:
        """Return the densities, float64 [widths, n]."""
        usable = np.isfinite(values) & (values > -30.0) & (values < self._most_s)
        at = self._index(np.where(usable, values, 0.0))
        total = self._total - without_own
        found = []
        for width, curve in zip(self._widths, self._curves, strict=True):
            density = curve[at]
            if without_own:
                density = np.maximum(density - 1 / (np.sqrt(2 * np.pi) * width), 0.0)
            found.append(np.where(usable, density / max(total, 1), 0.0))
        return np.array(found)


def foreign_density(of_os: Floats, of_wires: Floats, *, one_run: bool) -> Floats:
    """Return how likely each length of a log is if it is of another unit, per second.

    Args:
        of_os: lengths of the log; NaN where not known.
        of_wires: lengths of the cycles, likewise.
        one_run: whether those of the log are by one run of its clock.
    """
    known = np.isfinite(of_os)
    result = np.ones(len(of_os))
    x = of_os[known]
    if len(x) == 0:
        return result
    parts = [any_length(x)[None]]
    if len(x) > 1:
        widths = _RUN_WIDTHS_S if one_run else _READ_WIDTHS_S
        parts += [_Smooth(x, widths).at(x, without_own=True), _kernels(x - np.median(x))[-1:]]
        # Long ones, of people, are alike in their order of magnitude.
        size = np.maximum(np.abs(x), 1.0)
        parts.append(_Smooth(np.log(size), _LOG_WIDTHS).at(np.log(size), without_own=True) / size)
    if np.isfinite(of_wires).any():
        parts.append(_Smooth(of_wires, _WIRES_WIDTHS_S).at(x, without_own=False))
    each = np.concatenate(parts)
    weights = np.full(len(each), 1.0 / len(each))
    for _ in range(30):
        share = weights[:, None] * each
        share /= share.sum(axis=0)
        weights = _COMPONENT + share.sum(axis=1)
        weights /= weights.sum()
    result[known] = weights @ each
    return result


class Foreign:
    """How likely the lengths of a log are if it is of another unit.

    Attributes:
        awake_os_s, awake_wires_s: time awake before each record, and before each row; NaN where
            not known, float64 [m] and [n].
        step: how likely the time from the record before to this one's first is, float64 [m].
        asleep, way: how likely its time asleep is, and its way to sleep, float64 [m].
        span_s: of log and cycles.
    """

    def __init__(self, cycles: CycleRows, log: LogRows) -> None:
        first_s = np.where(log.has_sleep, log.sleep_s, log.wake_s)
        last_s = np.where(log.has_wake, log.wake_s, log.sleep_s)
        self.awake_os_s = np.append(np.nan, first_s[1:] - last_s[:-1])
        between_s = np.append(np.nan, cycles.sleep_s[1:] - cycles.wake_s[:-1])
        self.awake_wires_s = np.where(cycles.follows, between_s, np.nan)
        awake_s = np.where(log.has_sleep, self.awake_os_s, np.nan)
        to_wake_s = np.where(log.has_sleep, np.nan, self.awake_os_s)
        self.step = self._awake(awake_s, between_s, log, cycles)
        self.step *= foreign_density(to_wake_s, np.diff(cycles.wake_s), one_run=False)
        self.span_s = float(np.ptp(last_s)) + float(np.ptp(cycles.wake_s)) + 3600.0
        self.step[0] = 1.0 / max(self.span_s, _FIRST_S)
        if len(cycles.index) > _NO_PLAN:
            self.step[0] += _ABREAST / _ABREAST_S
        self.asleep = foreign_density(log.asleep_s, cycles.wake_s - cycles.sleep_s, one_run=False)
        self.way = foreign_density(log.took_s, cycles.to_sleep_s, one_run=True)

    def of_rows(self, rows: slice) -> "Foreign":
        """Return the same for some of the cycles."""
        part = copy(self)
        part.awake_wires_s = self.awake_wires_s[rows]
        return part

    @staticmethod
    def _awake(awake_s: Floats, wires_s: Floats, log: LogRows, cycles: CycleRows) -> Floats:
        """Return how likely the times awake are; the way to sleep is in them."""
        plain = foreign_density(awake_s, wires_s, one_run=True)
        if not np.isfinite(cycles.to_sleep_s).any():
            return plain
        before_way = foreign_density(
            awake_s - log.took_s, wires_s - cycles.to_sleep_s, one_run=True
        )
        both = np.isfinite(awake_s - log.took_s)
        better = np.log(before_way[both]).sum() > np.log(plain[both]).sum()
        return np.where(both, before_way, plain) if better else plain


class Weights:
    """All weights of the model, of some cycles and one log."""

    def __init__(
        self,
        cycles: CycleRows,
        log: LogRows,
        noise: Noise,
        foreign: "Foreign",
        *,
        expected_s: float | None,
        given: float = 0.0,
    ) -> None:
        self.cycles, self.log, self.noise, self._given = cycles, log, noise, float(np.exp(given))
        self.wake_s, self.sleep_s = cycles.wake_s, cycles.sleep_s
        self.has_sleep, self.has_wake = log.has_sleep, log.has_wake
        self.first_s = np.where(log.has_sleep, log.sleep_s, log.wake_s)
        self.last_s = np.where(log.has_wake, log.wake_s, log.sleep_s)
        self.wide = log.wide
        n, m = len(cycles.wake_s), len(log.record)
        self.pause_s = np.append(0.0, cycles.wake_s[1:] - cycles.wake_s[:-1])
        self._awake_os, self._awake_wires = foreign.awake_os_s, foreign.awake_wires_s
        self._asleep_os, self._asleep_wires = log.asleep_s, cycles.wake_s - cycles.sleep_s
        self._span_s, self._expected_s = foreign.span_s, expected_s
        self._tables()
        # What an own log cannot show at its best is no evidence against it.
        by_wake = np.where(log.has_sleep == 1, self._most_awake, float(self._coarse.max()))
        self.foreign = np.minimum(foreign.step, by_wake)
        self._asleep_foreign = np.minimum(foreign.asleep, float(self._asleep.max()))
        self._way_foreign = foreign.way
        self.other = np.clip(noise.others_hz / self.foreign, 1e-8, 1.0)
        # Where the clock was set nothing says when they were, but how long the wires' pauses are.
        longest_s = float(self.pause_s.max(initial=0.0))
        too_long = np.append(False, np.diff(self.last_s) > longest_s)[:m]
        self.log_other = np.cumsum(
            np.log(np.minimum(self.other, _OTHER_MOST) * np.where(too_long, noise.steps, 1.0))
        )
        none = noise.lost + (1.0 - noise.lost) * cycles.silent
        self._stated = -1
        if cycles.stated is not None and cycles.stated[0] in cycles.index:
            self._stated = int(np.flatnonzero(cycles.index == cycles.stated[0])[0])
            none[self._stated] = _NEVER
        self.lost = none
        self._log_lost = np.append(0.0, np.cumsum(np.log(none)))
        excess_s = np.append(0.0, np.abs(np.diff(self.last_s)))[:m] - longest_s
        self.gap = self._set_by(np.maximum(excess_s, _GAP_SET_S)) / self.foreign
        self._set_asleep_s = np.zeros(m)
        if log.set_s is not None and log.set_own_s is not None:
            self._set_asleep_s[1:] = np.diff(log.set_s) - log.set_own_s[:-1]
        # The first record of a campaign follows a pause, or the pace went on before.
        paced_s = np.append(0.0, np.minimum(np.abs(np.diff(self.last_s)), _PAUSE_S))
        self._begins = 0.5 / self.foreign + 0.25 * paced_s
        self._begins[0] = 0.25 / self.foreign[0]
        self._after = np.ones(m)
        if m:
            x = np.append(self._awake_os[1:], np.nan)
            own_after = 0.5 * any_length(x) + 0.25 * np.append(self.foreign[1:], 1.0)
            self._after = np.where(
                np.isnan(x), _ENDS, _ENDS * own_after / np.append(self.foreign[1:], 1.0)
            )
            self._after = np.minimum(self._after, 3.0)
        self._cut = _CUT / max(n, 1) if not cycles.readings else 1e-3 / max(n, 1)

    def _tables(self) -> None:
        noise = self.noise
        tail = self._set_by(_GRID)
        coarse = [noise.moved.density(_GRID / s) / s + tail for s in _STRETCH]
        self._coarse = np.concatenate(coarse)
        asleep = [noise.asleep.density(_GRID / s) / s + tail for s in _STRETCH]
        asleep += [noise.image.density(_GRID / s) / s + tail for s in _STRETCH]
        self._asleep = np.concatenate(asleep)
        self._like_last = Shape(OF_ONE_RUN).density(_GRID)
        if noise.awake is None:
            self._awake = _flats(_GRID, _AWAKE_S) + tail
        else:
            self._awake = noise.awake.density(_GRID) + tail
        self._most_awake = float((self._like_last if noise.awake is None else self._awake).max())
        if noise.way is None:
            self._way_table = _flats(_GRID, _WAY_S)
        else:
            self._way_table = noise.way.density(_GRID) + 1e-4

    def lost_between(self, before: int, row: int) -> float:
        """Return how likely it is that the cycles between two have no record."""
        return float(np.exp(self._log_lost[row] - self._log_lost[before + 1]))

    def first_of(self, row: int) -> tuple[Floats, Floats]:
        """Return the first time of each record that a row has, too; and that on the wires."""
        if np.isnan(self.sleep_s[row]):
            return self.last_s, np.full(len(self.last_s), self.wake_s[row])
        return self.first_s, np.where(self.has_sleep, self.sleep_s[row], self.wake_s[row])

    def _look_up(self, table: Floats, difference_s: Floats, offset: Indexes | int = 0) -> Floats:
        """Return the values of a table; beyond it the clock was set."""
        beyond = np.abs(difference_s) - HALF_RANGE * GRID_S
        at = np.clip(difference_s * (1 / GRID_S), -HALF_RANGE, HALF_RANGE)
        index = (at + (HALF_RANGE + 0.5)).astype(np.int64)
        index += offset
        found: Floats = table[index]
        far = beyond > 0
        if far.any():
            found[far] = self._set_by(difference_s[far])
        return found

    def _set_by(self, step_s: Floats) -> Floats:
        """Return how likely it is that the clock was set by so much, per second."""
        return np.asarray(self.noise.steps / (2 * _ORDERS * (1.0 + np.abs(step_s))))

    def coarse(self, row: int, moved_s: Floats, table: Indexes, set_s: Floats | None) -> Floats:
        """Return how likely it is that the clock moved by so much since an earlier row.

        Args:
            row: which one.
            moved_s: by how much, of each step to it.
            table: of each, by how far its times are guessed (`wide`).
            set_s: by how much the log says that the clock was set; None where it never says so.
        """
        pause_s = float(self.pause_s[row])
        stretch = 1.0 + pause_s * _DRIFT if pause_s > _PAUSE_S else 1.0
        return self._as_told(
            lambda x, at: self._look_up(self._coarse, x / stretch, table[at]) / stretch,
            moved_s,
            () if set_s is None else (set_s,),
        )

    def _as_told(
        self,
        density: Callable[[Floats, Mask | slice], Floats],
        x: Floats,
        told_s: tuple[Floats, ...],
    ) -> Floats:
        """Return a density where the log may say truly, or not, how its clock was set."""
        found = density(x, slice(None))
        some = [each for each in told_s if each.any()]
        if not some:
            return found
        is_told = np.any([each != 0.0 for each in some], axis=0)
        found[is_told] *= 1.0 - self.noise.told
        for each in some:
            found[is_told] += density((x - each)[is_told], is_told) * self.noise.told / len(some)
        return found

    def next_one(self, row: int, low: int, high: int, coarse: Floats) -> Floats:
        """Return how likely the times awake are since the record before, [high - low].

        Args:
            row: whose records.
            low: the first of them.
            high: the one behind the last.
            coarse: the same where only the RTC is known.
        """
        awake_s = self._awake_wires[row]
        if np.isnan(awake_s):
            return coarse
        part = slice(low, high)
        difference = np.nan_to_num(self._awake_os[part] - awake_s, nan=1e9)
        told_s: tuple[Floats, ...] = ()
        if self.log.set_s is not None and self.log.set_own_s is not None:
            before = slice(low - 1, high - 1)
            told_s = self.log.set_own_s[before], self.log.set_s[part] - self.log.set_s[before]
        found = self._as_told(lambda x, _: self._look_up(self._awake, x), difference, told_s)
        if self.noise.awake is None and row and not np.isnan(self._awake_wires[row - 1]):
            last = self._awake_os[low - 1 : high - 1] - self._awake_wires[row - 1]
            again = np.nan_to_num(difference - last, nan=1e9)
            found = (1 - _LIKE_LAST) * found + _LIKE_LAST * self._look_up(self._like_last, again)
        return np.where(self.log.precise[part], found, coarse)

    def emission(self, row: int, low: int, high: int) -> Floats:
        """Return how likely records look so if they are of a row, but for when they came."""
        c, log, part = self.cycles, self.log, slice(low, high)
        found = np.full(high - low, (1.0 - self.noise.lost) * (1.0 - c.silent[row]))
        found *= log.weight[part] * self._given
        asleep_s = self._asleep_wires[row]
        if not np.isnan(asleep_s):
            difference = self._asleep_os[part] - asleep_s
            known = np.isfinite(difference)
            table = (log.wide[part] + len(_STRETCH) * log.image[part]) * (2 * HALF_RANGE + 1)
            told_s: tuple[Floats, ...] = ()
            if log.set_s is not None and log.set_own_s is not None:
                told_s = self._set_asleep_s[part], log.set_own_s[part]
            density = self._as_told(
                lambda x, at: self._look_up(self._asleep, x, table[at]),
                np.nan_to_num(difference, nan=1e9),
                told_s,
            )
            found *= np.where(known, density / self._asleep_foreign[part], 1.0)
        way_s = c.to_sleep_s[row]
        if not np.isnan(way_s):
            difference = log.took_s[part] - way_s
            density = self._look_up(self._way_table, np.nan_to_num(difference, nan=1e9))
            found *= np.where(np.isfinite(difference), density / self._way_foreign[part], 1.0)
        if c.unlike[row]:
            found *= np.where((c.unlike[row] & log.kind[part]) != 0, _UNLIKE, 1.0)
        if c.readings:
            lag = log.reading[part] - c.reading[row]
            lags, last = self.noise.lags, len(self.noise.lags) - 1
            likely = lags[np.clip(lag, 0, last)] * 0.5 ** np.maximum(lag - last, 0)
            found *= np.where(log.reading[part] < 0, 1.0, np.where(lag < 0, 0.0, likely))
        if c.stated is not None:
            one_alone = (c.index[row] == c.stated[0]) != (log.record[part] == c.stated[1])
            found = np.where(one_alone, 0.0, found)
        return found

    def _log_offset(self, offset_s: Floats) -> Floats:
        """Return how likely each offset of the clocks is, per second."""
        if self._expected_s is None:
            return np.full(offset_s.shape, 1.0 / max(self._span_s, _FIRST_S))
        size = np.abs(offset_s - self._expected_s)
        near = _NEAR * np.exp(-((size / _NEAR_S) ** 2)) / (_NEAR_S * np.sqrt(np.pi))
        zones = 2 * float(np.log1p(_ZONES_S / _ZONE_SCALE_S))
        zoned = np.where(size <= _ZONES_S, _ZONED / (_ZONE_SCALE_S + size) / zones, 0.0)
        return np.asarray(near + zoned + _ANYWHERE / _DECADES_S)

    def start(self, row: int, low: int, high: int) -> Floats:
        """Return how likely it is that a row has the first record of the campaign."""
        part = slice(low, high)
        first_s, wires = self.first_of(row)
        found = self._log_offset(first_s[part] - wires[part]) * self._begins[part]
        lost = float(np.exp(self._log_lost[row]))
        if 0 <= self._stated < row:
            return np.zeros(high - low)
        found *= lost + 0.02 * self._cut
        if row:
            # The record before it would be one of the cycles that are lost.
            before_s = np.append(np.inf, np.diff(self.last_s))[part]
            inside = before_s <= self.wake_s[row] - self.wake_s[0] + _READINGS_S
            found = np.where(inside, found * np.append(1.0, self.other[:-1])[part], found)
        if low == 0 and high > 0:
            found[0] *= (lost + self._cut) / (lost + 0.02 * self._cut)
        return found

    def end(self, row: int, low: int, high: int) -> Floats:
        """Return how likely it is that a row has the last record of the campaign."""
        lost = float(np.exp(self._log_lost[-1] - self._log_lost[row + 1]))
        if self._stated > row:
            return np.zeros(high - low)
        found = self._after[low:high] * (lost + 0.02 * self._cut)
        if row + 1 < len(self.wake_s):
            after_s = np.append(np.diff(self.last_s), np.inf)[low:high]
            inside = after_s <= self.wake_s[-1] - self.wake_s[row] + _READINGS_S
            found = np.where(inside, found * np.append(self.other[1:], 1.0)[low:high], found)
        if high == len(self._after) and high > low:
            found[-1] *= (lost + self._cut) / (lost + 0.02 * self._cut)
        return found
