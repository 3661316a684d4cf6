"""A pair hidden Markov model: which record is of which cycle, over all ways to pair them in order.

A state is a pair of a cycle and a record. A step leads to a later cycle and a later record; it says
how far the OS clock moved against the wires meanwhile. What lies between has no partner. Forward
and backward sums over all ways give each pair its probability.

All weights are against the hypothesis that the log is of another unit (legs.py), so the sum over
all ways is how much likelier the log is if it is of this unit.
"""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from pair_hmm.legs import HALF_RANGE, Weights
from resume_rig.analysis.match.times import Floats, Indexes

# Cycles, and records, from one pair to the next by one clock. Of a log that lost every third record
# one gap in 700 is longer (0.3 ** 6); then the offset is free, for the price of a setting.
CYCLES_AHEAD = 6
_RECORDS_AHEAD = 4
# Other sleeps of a pause: one a minute at most, and a table of so many cells (assumed).
_PAUSE_PER_RECORD_S, _RECORDS_AHEAD_MOST, _CYCLES_AHEAD_OF_PAUSE = 60.0, 400, 2
_STEP_CELLS = 4_000_000
# What is less likely than the best of its cycle by this factor starts no way of its own: a wrong
# way is found out within a dozen cycles, of 20 each (natural logarithms).
_LEAST = 1e-100
_OF_NO_TIMES = 0.5
_GAP_RECORDS = 4096  # passed over in one gap at most
_TINY = 1e-300
_KEPT_MOST = 20_000_000  # weights of steps, from the way there for the way back


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """What the model says.

    Attributes:
        row, record: cells of some probability, ascending by row and record, int64 [k].
        probability: of each, if the log is own, float64 [k].
        log_odds: own against foreign, before any prior.
    """

    row: Indexes
    record: Indexes
    probability: Floats
    log_odds: float


class _Steps:
    """Weights of the steps to a row, [records ahead - 1, records]."""

    def __init__(self, weights: Weights) -> None:
        self._w = w = weights
        count = len(w.first_s)
        most = min(_RECORDS_AHEAD_MOST, max(count - 1, 1), max(_STEP_CELLS // count, 8))
        pauses = (w.pause_s / _PAUSE_PER_RECORD_S).astype(np.int64)
        self._ahead = np.clip(pauses, min(_RECORDS_AHEAD, most), most)
        self._usual = min(_RECORDS_AHEAD, most)
        size = int(self._ahead.max(initial=1))
        self._moved = np.zeros((size, count))
        self._passed = np.zeros((size, count))
        self._table = np.zeros((size, count), dtype=np.int64)
        self._source = np.zeros((size, count), dtype=np.int64)
        passed = np.ones(count)
        for ahead in range(1, size + 1):
            target, source = slice(ahead, None), slice(0, count - ahead)
            self._moved[ahead - 1, target] = w.first_s[target] - w.last_s[source]
            wide = np.maximum(w.wide[target], w.wide[source])
            self._table[ahead - 1, target] = wide * (2 * HALF_RANGE + 1)
            self._source[ahead - 1, target] = w.has_wake[source]
            if ahead > 1:
                passed[target] *= w.other[1 : count - ahead + 1]
            self._passed[ahead - 1, target] = passed[target] / w.foreign[target]
        self._set = None if w.log.set_s is None else np.zeros((size, count))
        if self._set is not None and w.log.set_s is not None:
            for ahead in range(1, size + 1):
                self._set[ahead - 1, ahead:] = w.log.set_s[ahead:] - w.log.set_s[:-ahead]
        self._first_or_last = w.last_s - w.first_s

    def ahead(self, row: int, cycles: int) -> int:
        """Return how many records the steps from so many cycles before go ahead at most."""
        return int(self._ahead[row]) if cycles <= _CYCLES_AHEAD_OF_PAUSE else self._usual

    def to(self, row: int, cycles: int, low: int, high: int) -> Floats:
        """Return the weights of the steps from so many cycles before to records low to high."""
        w, before = self._w, row - cycles
        part = (slice(0, self.ahead(row, cycles)), slice(low, high))
        moved = self._moved[part]
        last = np.where(self._source[part] == 1, w.wake_s[before], w.sleep_s[before])
        if np.isnan(w.sleep_s[row]):
            moved = moved + self._first_or_last[low:high] - (w.wake_s[row] - last)
        else:
            first = np.where(w.has_sleep[low:high] == 1, w.sleep_s[row], w.wake_s[row])
            moved = moved - (first - last)
        set_s = None if self._set is None else self._set[part]
        found = w.coarse(row, moved, self._table[part], set_s)
        if cycles == 1:
            found[0] = w.next_one(row, low, high, found[0])
        found *= self._passed[part] * w.lost_between(before, row)
        if w.cycles.index[row] - w.cycles.index[before] > cycles:
            # A cycle between has no times; its record may be there.
            found[1:] *= _OF_NO_TIMES / w.other[low - 1 : high - 1]
        return found


class _Band:
    """Rows of numbers, each of some records."""

    def __init__(self, low: Indexes, high: Indexes) -> None:
        self.low, self.high = low.copy(), high.copy()

    def of(self, row: int) -> tuple[int, int]:
        """Return the first record of a row, and the one behind its last."""
        return int(self.low[row]), int(self.high[row])


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """The way there: sums and emissions by rows, the logarithm of the unit of each, and of all."""

    forward: list[Floats]
    emitted: list[Floats]
    scale: Floats
    band: _Band
    total: float


class Model:
    """The model of some cycles and one log."""

    def __init__(self, weights: Weights) -> None:
        self._w, self._steps = weights, _Steps(weights)
        self._kept: dict[tuple[int, int], tuple[int, NDArray[np.float32]]] = {}
        self._kept_size = 0

    def posterior(self, low: Indexes, high: Indexes, least: float = 1e-6) -> Posterior:
        """Return what is likely.

        Args:
            low: of each row the first record that may be its own.
            high: of each row the one behind the last.
            least: what is less likely is left out.
        """
        w, n, m = self._w, len(self._w.wake_s), len(self._w.first_s)
        band = _Band(low, high)
        forward, emitted = list[Floats](), list[Floats]()
        gap, scale, log_scale = np.zeros(m), np.zeros(n), 0.0
        total = -np.inf
        for row in range(n):
            lo, hi = band.of(row)
            value = w.start(row, lo, hi) * np.exp(-np.clip(log_scale, -700.0, 700.0))
            value += self._after_gap(gap, lo, hi)
            for cycles in range(1, min(CYCLES_AHEAD, row) + 1):
                value += self._from(forward[row - cycles], band, row, cycles)
            emission = w.emission(row, lo, hi)
            value *= emission
            alive = np.flatnonzero(value > max(float(value.max(initial=0.0)) * _LEAST, 0.0))
            first, last = (int(alive[0]), int(alive[-1]) + 1) if len(alive) else (0, 0)
            band.low[row], band.high[row] = lo + first, lo + last
            forward.append(value[first:last])
            emitted.append(emission[first:last])
            lo, hi = band.of(row)
            gap *= w.lost[row]
            gap[lo:hi] += forward[row]
            scale[row] = log_scale
            ended = float((forward[row] * w.end(row, lo, hi)).sum())
            total = float(np.logaddexp(total, np.log(max(ended, _TINY)) + log_scale))
            if (top := float(gap.max())) > 0.0:
                gap /= top
                for back in range(max(0, row - CYCLES_AHEAD + 1), row + 1):
                    forward[back] = forward[back] / top
                    scale[back] += np.log(top)
                log_scale += float(np.log(top))
        return self._backward(_Way(forward, emitted, scale, band, total), least)

    def _after_gap(self, gap: Floats, low: int, high: int) -> Floats:
        """Return what reaches records through a gap in which the clock was set, [high - low]."""
        first = max(low - _GAP_RECORDS, 0)
        if first >= high:
            return np.zeros(high - low)
        log_other = self._w.log_other[first:high]
        with np.errstate(divide="ignore"):
            logs = np.log(gap[first:high]) - log_other
        reached = np.zeros(high - first)
        reached[1:] = np.exp(np.logaddexp.accumulate(logs) + log_other)[:-1]
        return reached[low - first :] * self._w.gap[low:high]

    def _from(self, source: Floats, band: _Band, row: int, cycles: int) -> Floats:
        """Return what comes from so many cycles before by one clock, of the records of a row."""
        lo, hi = band.of(row)
        from_lo, from_hi = band.of(row - cycles)
        value, ahead = np.zeros(hi - lo), self._steps.ahead(row, cycles)
        low, high = max(lo, from_lo + 1), min(hi, from_hi + ahead)
        if low >= high:
            return value
        padded = np.zeros(high - low + ahead - 1)
        # `padded` begins at record low - ahead.
        begin, end = max(low - ahead, from_lo), min(high - 1, from_hi)
        padded[begin - low + ahead : end - low + ahead] = source[begin - from_lo : end - from_lo]
        windows = sliding_window_view(padded, ahead)[:, ::-1]
        weights = self._steps.to(row, cycles, low, high)
        if self._kept_size + weights.size <= _KEPT_MOST:
            self._kept[row, cycles] = low, weights.astype(np.float32)
            self._kept_size += weights.size
        value[low - lo : high - lo] = np.einsum("rj,jr->j", weights, windows)
        return value

    def _backward(self, way: "_Way", least: float) -> Posterior:
        """Return what is likely, on the way back."""
        forward, emitted, scale, band = way.forward, way.emitted, way.scale, way.band
        total = way.total
        w, n, m = self._w, len(self._w.wake_s), len(self._w.first_s)
        rows, records, probabilities = [], [], []
        waiting: dict[int, Floats] = {}
        gap, log_scale = np.zeros(m), 0.0  # what is ahead of each record, in a gap behind the row
        for row in range(n - 1, -1, -1):
            lo, hi = band.of(row)
            value = w.end(row, lo, hi) * np.exp(-np.clip(log_scale, -700.0, 700.0))
            value += gap[lo:hi]
            value += waiting.pop(row, 0.0)
            with np.errstate(divide="ignore"):
                log_likely = np.log(forward[row]) + np.log(value) + scale[row] + log_scale - total
            likely = np.exp(np.minimum(log_likely, 0.0))
            some = np.flatnonzero(likely > least)
            rows.append(np.full(len(some), row))
            records.append(some + lo)
            probabilities.append(likely[some])
            worth = value * emitted[row]
            for cycles in range(1, min(CYCLES_AHEAD, row) + 1):
                self._give(worth, band, row, cycles, waiting)
            gap *= w.lost[row]
            self._before_gap(gap, worth, lo, hi)
            tops = [float(each.max(initial=0.0)) for each in (gap, *waiting.values())]
            if (top := max(tops)) > 0.0:
                gap /= top
                for back, each in waiting.items():
                    waiting[back] = each / top
                log_scale += float(np.log(top))
        return Posterior(
            np.concatenate(rows[::-1]),
            np.concatenate(records[::-1]),
            np.concatenate(probabilities[::-1]),
            total,
        )

    def _give(
        self, worth: Floats, band: _Band, row: int, cycles: int, waiting: dict[int, Floats]
    ) -> None:
        """Add to what so many cycles before have ahead of them what the records of a row have."""
        lo, hi = band.of(row)
        from_lo, from_hi = band.of(row - cycles)
        ahead = self._steps.ahead(row, cycles)
        low, high = max(lo, from_lo + 1), min(hi, from_hi + ahead)
        if low >= high:
            return
        if (row, cycles) in self._kept:
            kept_low, kept = self._kept.pop((row, cycles))
            weights = kept[:, low - kept_low : high - kept_low] * worth[low - lo : high - lo]
        else:
            weights = self._steps.to(row, cycles, low, high) * worth[low - lo : high - lo]
        target = waiting.setdefault(row - cycles, np.zeros(from_hi - from_lo))
        for back, each in enumerate(weights, start=1):
            begin, end = max(low, from_lo + back), min(high, from_hi + back)
            if begin < end:
                target[begin - back - from_lo : end - back - from_lo] += each[
                    begin - low : end - low
                ]

    def _before_gap(self, gap: Floats, worth: Floats, low: int, high: int) -> None:
        """Add to what each record has ahead of it, behind a gap, what some of a row have."""
        first = max(low - _GAP_RECORDS, 0)
        if low >= high:
            return
        log_other = self._w.log_other[first:high]
        logs = np.full(high - first, -np.inf)
        with np.errstate(divide="ignore"):
            logs[low - first :] = np.log(worth * self._w.gap[low:high])
        logs[1:] += log_other[:-1]
        ahead = np.logaddexp.accumulate(logs[::-1])[::-1]
        gap[first : high - 1] += np.exp(ahead[1:] - log_other[:-1])
