"""What one log says of the cycles: what its records are like, whose it is, and which are likely.

What a campaign's records are like is learnt from the campaign itself, in two rounds in which each
pair is given something: before anything is known, a log at an even pace says little for itself.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pair_hmm.hmm import Model, Posterior
from pair_hmm.legs import (
    LAGS,
    OF_IMAGE,
    OF_ONE_RUN,
    OF_READINGS,
    STEPS_PER_CYCLE,
    Foreign,
    Noise,
    Shape,
    Weights,
)
from pair_hmm.rows import CycleRows, LogRows
from resume_rig.analysis.match.times import Floats, Indexes

_LIKELY, _SURE = 0.5, 0.9
# Natural logarithms that a pair is given while the noise is learnt: a clock that beats with whole
# seconds shows lengths that are alike to 20 ms, where 1 s is expected.
_GIVEN = (3.0, 1.0)
_FEW = 3  # fewer pairs show little (assumed)
_WORTH = 0.01
# Cycles without a record, and other records, before any was counted (assumed).
_LOST, _LOST_OF, _OTHERS, _OTHERS_S = 1.0, 20.0, 0.5, 1800.0
_SET_S = 3.0  # two readings differ by less, twice over
_MARGIN = 8
_NO_DOUBT = 700.0  # beyond it exp() of a float is infinite
# Another unit that one script sends to sleep at the same times, and whose log it is: one in 1,000.
# What speaks for it makes a log doubtful, never another's (assumed).
_NO_SCRIPT, _SCRIPT_AT_MOST, _SCATTER_S = float(np.log(1000.0)), -4.0, 0.002
# Somebody who states a pair errs in one of a million; what times exclude more clearly is refused.
_STATED = float(np.log(1e6))
# A clock runs by 100 ppm at most; what is farther off its line than two readings costs this much.
_DRIFT, _OFF_S, _PER_STRAY = 1e-4, 1.3, 4.0
_CERTAIN = float(np.log(99.0))
# Of records that come whenever they like, hardly half of the readings bring exactly one; more of
# them than a dozen add no more, as what has the same pace brings one each, too (assumed).
_ONE_EACH, _READINGS = float(np.log(2.0)), 14
# Larger tables have a band about what some runs of cycles show, each by itself (in cells, cycles).
_CELLS, _RUN, _RUN_EACH, _LEARNT_ROWS = 2_000_000, 32, 512, 1024
_RUN_RECORDS, _SAME_RUN = 10_000, 64


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one log says.

    Attributes:
        cycles: that a record may be of.
        log: records that may be a cycle's.
        cells: likely pairs of a row of either.
        own: how likely it is that the log is of this unit, 0..1.
        fit, covered: cycles with a likely record; and that should have one in the log.
        may_be_of_one_script: whether what makes it doubtful is a unit that one script sent to
            sleep, too.
    """

    cycles: CycleRows
    log: LogRows
    cells: Posterior
    own: float = 1.0
    fit: int = 0
    covered: int = 0
    may_be_of_one_script: bool = False

    def best(self, least: float = 0.0) -> tuple[Indexes, Indexes, Floats]:
        """Return the best record of each row that may have one: row, record, probability."""
        cells = self.cells
        order = np.lexsort([-cells.probability, cells.row])
        rows = cells.row[order]
        first = order[np.append(True, rows[1:] != rows[:-1])[: len(rows)]]
        first = first[cells.probability[first] > least]
        return cells.row[first], cells.record[first], cells.probability[first]

    def offset_s(self, row: Indexes, record: Indexes) -> Floats:
        """Return where the OS clock was at some pairs."""
        cycles, log = self.cycles, self.log
        by_wake = log.wake_s[record] - cycles.wake_s[row]
        return np.where(np.isnan(by_wake), log.sleep_s[record] - cycles.sleep_s[row], by_wake)

    def alike(self) -> int:
        """Return how many records are as likely as each other to be the middle cycle's."""
        row, _, _ = self.best()
        if len(row) == 0:
            return 1
        share = self.cells.probability[self.cells.row == row[len(row) // 2]]
        share = share / share.sum()
        return max(round(float(np.exp(-(share * np.log(share)).sum()))), 1)


def found_in(cycles: CycleRows, log: LogRows, *, both_utc: bool) -> Found | None:
    """Return what a log says; None where cycles or records are none."""
    count = len(log.record)
    if len(cycles.index) == 0 or count == 0:
        return None
    expected_s = (cycles.base_ns - log.base_ns) * 1e-9 if both_utc else None
    foreign = Foreign(cycles, log)
    low = np.zeros(len(cycles.index), dtype=np.int64)
    high = np.full(len(cycles.index), count)
    learn = slice(None)
    if len(low) * count > _CELLS:
        low, high = _band(cycles, log, foreign)
        middle = max(len(low) - _LEARNT_ROWS, 0) // 2
        learn = slice(middle, middle + _LEARNT_ROWS)
    part = cycles.of_rows(learn), log, foreign.of_rows(learn)
    noise = _learnt(*part, (low[learn], high[learn]), expected_s=expected_s)
    weights = Weights(cycles, log, noise, foreign, expected_s=expected_s)
    found = Found(cycles, log, Model(weights).posterior(low, high))
    if cycles.stated is None:
        return _judged(found, noise)
    free = replace(cycles, stated=None)
    weights = Weights(free, log, noise, foreign, expected_s=expected_s)
    contrary = Model(weights).posterior(low, high).log_odds - found.cells.log_odds - _STATED
    return replace(_judged(found, noise), own=float(1 / (1 + np.exp(min(contrary, _NO_DOUBT)))))


def _learnt(
    cycles: CycleRows,
    log: LogRows,
    foreign: Foreign,
    band: tuple[Indexes, Indexes],
    *,
    expected_s: float | None,
) -> Noise:
    """Return what the records of some cycles are like."""
    noise, (low, high) = Noise(), band
    for given in _GIVEN:
        weights = Weights(cycles, log, noise, foreign, expected_s=expected_s, given=given)
        cells = Model(weights).posterior(low, high)
        noise = _relearnt(Found(cycles, log, cells), noise)
        low, high = _about(cells, low, high, len(log.record))
    return noise


def _about(cells: Posterior, low: Indexes, high: Indexes, count: int) -> tuple[Indexes, Indexes]:
    """Return the band about what is likely of each row."""
    lowest, highest = np.full(len(low), count), np.zeros(len(low), dtype=np.int64)
    np.minimum.at(lowest, cells.row, cells.record)
    np.maximum.at(highest, cells.row, cells.record)
    # A row that has none may have all that those about it have.
    lowest = np.minimum.accumulate(lowest[::-1])[::-1] - _MARGIN
    highest = np.maximum.accumulate(highest) + 1 + _MARGIN
    lowest = np.clip(lowest, low, high)
    return lowest, np.maximum(np.clip(highest, low, high), lowest)


def _relearnt(found: Found, noise: Noise) -> Noise:
    """Return what the likely pairs show of the noise, each for as much as it is likely."""
    cycles, log, cells = found.cycles, found.log, found.cells
    some = cells.probability > _WORTH
    row, record, likely = cells.row[some], cells.record[some], cells.probability[some]
    asleep_s = log.asleep_s[record] - (cycles.wake_s - cycles.sleep_s)[row]
    measured, image = log.wide[record] == 0, log.image[record] == 1
    awake_s, pair = _awake_s(cycles, log, row, record)
    noise = replace(
        noise,
        asleep=_shape(asleep_s, likely * (measured & ~image), OF_READINGS, noise.asleep),
        image=_shape(asleep_s, likely * (measured & image), OF_IMAGE, noise.image),
        awake=_shape(awake_s, likely[pair], OF_ONE_RUN, noise.awake),
        way=_shape(log.took_s[record] - cycles.to_sleep_s[row], likely, OF_ONE_RUN, noise.way),
    )
    row, record, _ = found.best(_SURE)
    if len(row) < _FEW:
        return replace(noise, lags=LAGS / LAGS.sum())
    spanned, between = int(row[-1] - row[0]) + 1, int(record[-1] - record[0]) + 1
    span_s = float(cycles.wake_s[row[-1]] - cycles.wake_s[row[0]])
    moved_s = np.diff(found.offset_s(row, record))
    steps = int((np.abs(moved_s) > _SET_S).sum())
    # Without its sleep and the wake before, a record shows how far the clock moved.
    first = np.append(True, ~np.isfinite(log.asleep_s[record[1:]]))
    moved = _shape(moved_s, 1.0 * first[1:] * (log.wide[record[1:]] == 0), OF_READINGS, noise.moved)
    return replace(
        noise,
        moved=moved,
        lost=(spanned - len(row) + _LOST) / (spanned + _LOST_OF),
        others_hz=(max(between - len(record), 0) + _OTHERS) / (span_s + _OTHERS_S),
        steps=max((steps + 1.0) / (spanned + 1.0 / STEPS_PER_CYCLE), STEPS_PER_CYCLE),
        lags=_lags(cycles, log, row, record),
        told=_told(found, row, record),
    )


def _shape(difference_s: Floats, weight: Floats, prior: Floats, before: Any) -> Any:
    """Return the shape of differences, as it was before where they are few."""
    known = np.isfinite(difference_s) & (weight > 0.0)
    if weight[known].sum() < _FEW:
        return before
    return Shape.learnt(difference_s[known], prior, weight[known])


def _awake_s(
    cycles: CycleRows, log: LogRows, row: Indexes, record: Indexes
) -> tuple[Floats, Indexes]:
    """Return by how much longer the OS was awake than the wires, and before which pairs."""
    known = (record > 0) & log.precise[record] & cycles.follows[row]
    key, size = row * len(log.record) + record, len(log.record) + 1
    pair = np.flatnonzero(known & np.isin(key - size, key))
    at, to = row[pair], record[pair]
    of_os_s = log.sleep_s[to] - log.wake_s[to - 1]
    return of_os_s - (cycles.sleep_s[at] - cycles.wake_s[at - 1]), pair


def _lags(cycles: CycleRows, log: LogRows, row: Indexes, record: Indexes) -> Floats:
    """Return how likely it is that a record comes so many readings late."""
    reading = log.reading[record]
    lag = (reading - cycles.reading[row])[reading >= 0]
    count = np.bincount(np.clip(lag, 0, len(LAGS) - 1), minlength=len(LAGS))
    weight = 10.0 * LAGS + count
    return np.asarray(weight / weight.sum())


def _told(found: Found, row: Indexes, record: Indexes) -> float:
    """Return how often the clock was set as the log says, where it says so."""
    set_s = found.log.set_s
    if set_s is None:
        return 0.5
    told_s = np.diff(set_s[record])
    says = np.flatnonzero(told_s)
    left_s = np.diff(found.offset_s(row, record))[says] - told_s[says]
    return float(((np.abs(left_s) < _SET_S).sum() + 1.0) / (len(says) + 2.0))


def _judged(found: Found, noise: Noise) -> Found:
    """Return what was found with the answer whether the log is of this unit."""
    cycles, log = found.cycles, found.log
    row, record, _ = found.best(_LIKELY)
    fit = len(row)
    covered = max(_covered(found, row, record), fit)
    if cycles.stated is not None:
        return replace(found, fit=fit, covered=covered)
    # What was learnt of the noise was learnt from these pairs (BIC).
    learnt = sum(
        each is not None and each.bias_s != 0.0 for each in (noise.awake, noise.way, noise.asleep)
    )
    odds = found.cells.log_odds - learnt * float(np.log(max(fit, 1)))
    odds -= _PER_STRAY * _strays(found, row, record)
    on_time = (log.reading[record] >= 0) & (log.reading[record] == cycles.reading[row])
    odds += _ONE_EACH * min(int(on_time.sum()), _READINGS)
    script = _script_odds(found, row, record)
    others = np.exp(np.minimum([-odds, -script], _NO_DOUBT)).sum()
    return replace(
        found,
        own=float(1.0 / (1.0 + others)),
        fit=fit,
        covered=covered,
        may_be_of_one_script=script < min(odds, _CERTAIN),
    )


def _strays(found: Found, row: Indexes, record: Indexes) -> int:
    """Return how many likely pairs are off the line of their clock.

    From one pair to the next half a second is nothing; all of a run are within that of one line.
    """
    known = found.log.wide[record] == 0
    row, record = row[known], record[known]
    offset_s, at_s = found.offset_s(row, record), found.cycles.wake_s[row]
    count = 0
    for run in np.split(
        np.arange(len(row)), np.flatnonzero(np.abs(np.diff(offset_s)) > _SET_S) + 1
    ):
        if len(run) < _FEW:
            continue
        ends = run[: len(run) // 2], run[-(len(run) // 2) :]
        moved_s, since_s = (
            float(np.median(x[ends[1]]) - np.median(x[ends[0]])) for x in (offset_s, at_s)
        )
        rate = float(np.clip(moved_s / max(since_s, 1.0), -_DRIFT, _DRIFT))
        left_s = offset_s[run] - rate * at_s[run]
        count += int((np.abs(left_s - np.median(left_s)) > _OFF_S).sum())
    return count


def _covered(found: Found, row: Indexes, record: Indexes) -> int:
    """Return how many cycles the log should have a record of."""
    cycles, log = found.cycles, found.log
    due = 1.0 - cycles.silent
    if len(row) and not cycles.readings:
        offset_s = np.interp(np.arange(len(due)), row, found.offset_s(row, record))
        last_s = np.where(np.isnan(log.wake_s), log.sleep_s, log.wake_s)
        os_s = cycles.wake_s + offset_s
        due = due[(os_s >= last_s.min() - _SET_S) & (os_s <= last_s.max() + _SET_S)]
    return round(float(due.sum()))


def _script_odds(found: Found, row: Indexes, record: Indexes) -> float:
    """Return how much likelier an own log is than one of a unit that one script sends to sleep.

    What the other unit takes for its way to sleep is in how long it was awake, and not in the
    wires: so what is left scatters less without it.
    """
    awake_s, pair = _awake_s(found.cycles, found.log, row, record)
    took_s, to_sleep_s = found.log.took_s[record[pair]], found.cycles.to_sleep_s[row[pair]]
    known = np.isfinite(awake_s + took_s)
    awake_s, took_s, to_sleep_s = awake_s[known], took_s[known], to_sleep_s[known]
    if len(awake_s) < 3 or np.median(np.abs(took_s - np.median(took_s))) < _SCATTER_S:
        return _NO_DOUBT if len(awake_s) < 2 else _NO_SCRIPT
    own, other = _evidence(awake_s), _evidence(awake_s - took_s)
    if np.isfinite(to_sleep_s).all():
        own += _evidence(took_s - to_sleep_s)
        other = max(other, _evidence(awake_s - took_s + to_sleep_s)) + _evidence(took_s)
    return max(_NO_SCRIPT + own - other, _SCRIPT_AT_MOST)


def _evidence(difference_s: Floats) -> float:
    """Return how likely differences are that scatter about a constant by any size, log."""
    even = np.full(len(OF_ONE_RUN), 1.0 / len(OF_ONE_RUN))
    shape = Shape.learnt(difference_s, even, np.ones(len(difference_s)))
    return float(np.log(shape.density(difference_s)).sum())


def _band(cycles: CycleRows, log: LogRows, foreign: Foreign) -> tuple[Indexes, Indexes]:
    """Return a band of the table about what some runs of cycles show, each by itself.

    Where no run says where it is, nothing is in the band: nothing can be matched.
    """
    n, m = len(cycles.index), len(log.record)
    rows, records = list[int](), list[int]()
    for first in np.unique(np.linspace(0, n - _RUN, 1 + n // _RUN_EACH).astype(np.int64)).tolist():
        part = slice(first, first + _RUN)
        ahead = records[-1] + first - rows[-1] if rows else m // 2
        searched = [(0, m)]
        if rows and m > 2 * _RUN_RECORDS:
            near = max(ahead - _RUN_RECORDS, 0), min(ahead + _RUN_RECORDS, m)
            searched = [near]
        for low, high in searched:
            weights = Weights(
                cycles.of_rows(part),
                log,
                Noise(),
                foreign.of_rows(part),
                expected_s=None,
                given=_GIVEN[0],
            )
            cells = Model(weights).posterior(np.full(_RUN, low), np.full(_RUN, high), least=1e-3)
            row, record, _ = Found(cycles, log, cells).best(_SURE)
            if len(row) and (not records or record[0] > records[-1] - _SAME_RUN):
                rows.append(first + int(row[len(row) // 2]))
                records.append(int(record[len(row) // 2]))
                break
    if not rows:
        nothing = np.zeros(n, dtype=np.int64)
        return nothing, nothing.copy()
    every = np.arange(n)
    about = np.interp(every, rows, records)
    about += np.minimum(every - rows[0], 0) + np.maximum(every - rows[-1], 0)
    # Between two runs as many are lost, or others, at most, as their distances differ by.
    wide = np.append(np.abs(np.diff(records) - np.diff(rows)), 0).astype(np.float64)
    place = np.clip(np.searchsorted(rows, every) - 1, 0, len(wide) - 1)
    beside = _RUN_EACH / 4 + wide[place]
    lowest, highest = (np.clip(about + by, 0, m).astype(np.int64) for by in (-beside, beside))
    return lowest, highest
