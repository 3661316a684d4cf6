"""Tests of base against candidate: by their sessions, or by cycles where each side has only one.

The warm-up is cut first, as long as that of the session that has the longest. `cycle_shift`
compares two sessions, `session_shifts` several, as one family of tests.
docs/reference/compare.md has the methods and what they were checked with.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from resume_rig.analysis.stats.dependence import (
    PHI_MOST,
    autocorrelation_limit,
    slope_per_independent,
    values_per_independent,
)
from resume_rig.analysis.stats.figures import student_t_beyond, student_t_tails
from resume_rig.analysis.stats.trend import (
    Floats,
    errors_shown,
    holm,
    ranks_of,
)

VALUES_LEAST: Final = 12
"""With fewer values, a warm-up cannot be distinguished from chance. Assumed."""

# At most one value in so many is warm-up. Assumed: decides how long a warm-up may be.
_SHARE_MOST: Final = 3


def warm_up_of(values: Floats) -> int:
    """Return how many first values are best left out: at most a third.

    It is the number whose omission makes the standard error of the mean least (MSER; White, 1997),
    taken on ranks, so that one wild cycle does not decide. Without a warm-up it is 0 to 2.

    Args:
        values: float64 [n], in order of the cycles.
    """
    n = len(values)
    if n < VALUES_LEAST:
        return 0
    ranks = ranks_of(values)
    kept = np.arange(1, n + 1)
    backwards = ranks[::-1]
    sums, squares = np.cumsum(backwards), np.cumsum(backwards * backwards)
    # Of the last k values the variance over k, the square of their mean's standard error.
    errors = (squares - sums * sums / kept) / kept**2
    left_out = np.arange(n // _SHARE_MOST + 1)
    return int(left_out[np.argmin(errors[n - 1 - left_out])])


def same_cycles(sessions: Sequence[Floats]) -> tuple[int, int]:
    """Return from which value to which, it not among them, every session is compared.

    Where sessions have different lengths, a warm-up is a greater part of the shorter ones and looks
    like a difference. So it is from the end of the longest warm-up to the end of the shortest
    session: what a warm-up leaves behind is then the same on both sides.

    Args:
        sessions: float64 [n_i] each, in order of the cycles; one or more.
    """
    end = min(map(len, sessions))
    return min(max(map(warm_up_of, sessions)), end // 2), end


_TRIMMED: Final = 0.2
"""Share of values left out at each end; the choice of Yuen (1974) and Wilcox (2012)."""


@dataclass(frozen=True, slots=True)
class CycleShift:
    """What became of one time from one session to another.

    Attributes:
        shift: candidate's trimmed mean minus base's.
        error: its standard uncertainty.
        freedom: effective degrees of freedom of that.
        p: two-sided.
        effective_n: independent values that base's and candidate's are worth.
    """

    shift: float
    error: float
    freedom: float
    effective_n: tuple[float, float]

    @property
    def p(self) -> float:
        """Two-sided chance of such a shift where there is none."""
        if self.shift == 0.0:
            return 1.0
        return student_t_tails(self.shift / self.error if self.error else math.inf, self.freedom)

    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the shift."""
        reach = student_t_beyond(0.05, self.freedom) * self.error
        return self.shift - reach, self.shift + reach

    def detectable(self, alpha: float) -> float:
        """Return the smallest shift that the test shows with a probability of 80 %.

        Args:
            alpha: two-sided, of this test alone.
        """
        return errors_shown(student_t_beyond(alpha, self.freedom), self.freedom) * self.error


def cycle_shift(
    base: Floats, candidate: Floats, least: float, whole: Sequence[Floats] = ()
) -> CycleShift:
    """Return what became of a time from one session to another.

    The means of the middle 60 % are compared (Yuen, 1974), so that slow cycles and a long tail
    decide little. Cycles depend on one another: each session counts for as many independent values
    as its autocorrelation leaves. Where either session has a trend that its autocorrelation does
    not explain, a line is taken out of both: a drift is no reason to see nothing. Sessions of less
    than nine values cannot show how they depend on one another: the worst is assumed. How sessions
    of one build differ is not in it.

    Args:
        base: float64 [n], n of 2 or more, in order of the cycles.
        candidate: float64 [m], m of 2 or more, in order of the cycles.
        least: standard deviation of a value by its rounding alone.
        whole: the sessions that both are parts of, which know their autocorrelation better.
    """
    if min(len(base), len(candidate)) < FEW:
        return _by_neighbours(base, candidate, least, PHI_OF_FEW)
    lines = [_Line.of(each) for each in (base, candidate)]
    longer = [_Line.of(each) for each in whole] or lines
    phi = autocorrelation_limit([each.rest for each in longer], slopes=1)
    if _has_trend(lines, phi, least):
        return _beside_a_trend(lines, phi, least)
    sessions = [_Trimmed.of(base), _Trimmed.of(candidate)]
    whole_ones = [_Trimmed.of(each) for each in whole] or sessions
    phi = autocorrelation_limit([each.winsorised for each in whole_ones])
    taus = [values_per_independent(phi, len(each.winsorised)) for each in sessions]
    effective = tuple(len(each.winsorised) / tau for each, tau in zip(sessions, taus, strict=True))
    # Dependent values lie closer together than they scatter in the long run: their squares are
    # divided by n - tau and not by n - 1, which is exact for a first-order autoregression.
    squares = sum(each.squares for each in sessions)
    left = sum(len(each.winsorised) - tau for each, tau in zip(sessions, taus, strict=True))
    variance = max(squares / left, least * least)
    error = math.sqrt(
        sum(variance / (each.kept**2 * n) for each, n in zip(sessions, effective, strict=True))
    )
    freedom = sum(each.kept * n for each, n in zip(sessions, effective, strict=True)) - 2.0
    found = CycleShift(
        sessions[1].mean - sessions[0].mean,
        error,
        max(1.0, freedom),
        (effective[0], effective[1]),
    )
    apart = _by_neighbours(base, candidate, least, PHI_MOST)
    # Of two tests the one that shows more: it has to show twice as much.
    return apart if 2.0 * apart.p < found.p else found


FEW: Final = 9
"""Values below which an autocorrelation cannot be estimated."""
PHI_OF_FEW: Final = 0.9
"""Assumed of so few: the greatest that benchmarks/compare_errors.py has of a session. The test then
is Student's on values that lie together as closely as such neighbours do."""
# Of pairs of sessions without a trend, so many have one taken out (benchmarks/compare_errors.py).
_TREND_ALPHA: Final = 0.01


def _by_neighbours(base: Floats, candidate: Floats, least: float, phi: float) -> CycleShift:
    """Return the shift by how far neighbours lie apart, whatever the autocorrelation, up to `phi`.

    Where values depend on one another so much that a session is worth one or two, their scatter
    says nothing; that of the steps from one to the next does: a first-order autoregression with
    steps so small strays only so far. Sessions that do not overlap at all show that way.
    """
    sides = [each - each.mean() for each in (base, candidate)]
    steps = sum(float(((each[1:] - phi * each[:-1]) ** 2).sum()) for each in sides)
    freedom = max(1.0, sum(map(len, sides)) - 4.0)
    variance = max(steps / freedom / (1.0 - phi**2), least * least)
    taus = [values_per_independent(phi, len(each), most=float(len(each))) for each in sides]
    effective = [len(each) / tau for each, tau in zip(sides, taus, strict=True)]
    error = math.sqrt(sum(variance / n for n in effective))
    shift = float(candidate.mean() - base.mean())
    return CycleShift(shift, error, freedom, (effective[0], effective[1]))


def _beside_a_trend(lines: Sequence["_Line"], phi: float, least: float) -> CycleShift:
    """Return the shift between the middles of two sessions with a line through each."""
    taus = [values_per_independent(phi, len(line.rest)) for line in lines]
    lost = [
        tau + slope_per_independent(phi, len(line.rest))
        for line, tau in zip(lines, taus, strict=True)
    ]
    left = sum(len(line.rest) - each for line, each in zip(lines, lost, strict=True))
    squares = sum(line.squares for line in lines)
    variance = max(squares / max(left, 1.0), least * least)
    effective = [len(line.rest) / tau for line, tau in zip(lines, taus, strict=True)]
    error = math.sqrt(sum(variance / n for n in effective))
    return CycleShift(
        lines[1].middle - lines[0].middle,
        error,
        max(1.0, sum(effective) - 4.0),
        (effective[0], effective[1]),
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """A straight line through a session, by least squares, and what it leaves.

    Attributes:
        middle: the line at the middle of the session. slope: change per value.
        rest: values less the line, in their order. squares: of them.
    """

    middle: float
    slope: float
    rest: Floats
    squares: float

    @classmethod
    def of(cls, values: Floats) -> "_Line":
        at = np.arange(len(values)) - (len(values) - 1) / 2.0
        middle = float(values.mean())
        slope = float(at @ values / max(float(at @ at), 1.0))
        rest = values - middle - slope * at
        return cls(middle, slope, rest, float(rest @ rest))

    def steepness(self, phi: float, least: float) -> tuple[float, float]:
        """Return the slope in its standard errors, and their freedom, beside autocorrelation."""
        n = len(self.rest)
        widened, tau = slope_per_independent(phi, n), values_per_independent(phi, n)
        left = n - tau - widened
        if left <= 0.0:
            return 0.0, 1.0
        variance = max(self.squares / left, least * least)
        error = math.sqrt(variance * widened * 12.0 / (n * (n * n - 1.0)))
        return (self.slope / error if error else 0.0), max(1.0, n / tau - 2.0)


def _has_trend(lines: Sequence["_Line"], phi: float, least: float) -> bool:
    """Return whether autocorrelation alone does not make the slopes: of one, or of both alike."""
    found = [line.steepness(phi, least) for line in lines]
    together = sum(t for t, _ in found) / math.sqrt(len(found))
    found.append((together, sum(freedom for _, freedom in found)))
    return any(student_t_tails(t, freedom) <= _TREND_ALPHA / 3 for t, freedom in found)


def level_of(values: Floats) -> float:
    """Return the mean of the middle 60 % of a session (Yuen, 1974), nan of none.

    It scatters less than a median does: 0.9 of what the mean of normal values is worth, not 0.64.
    """
    return _Trimmed.of(values).mean if len(values) else math.nan


@dataclass(frozen=True, slots=True)
class _Trimmed:
    """A session with its ends cut.

    Attributes:
        mean: of what is left.
        winsorised: all values, those cut set to the nearest that is left, in their order.
        squares: of the winsorised values about their mean.
        kept: share of values left.
    """

    mean: float
    winsorised: Floats
    squares: float
    kept: float

    @classmethod
    def of(cls, values: Floats) -> "_Trimmed":
        n = len(values)
        cut = math.floor(_TRIMMED * n)
        ordered = np.sort(values)
        middle = ordered[cut : n - cut]
        winsorised = np.clip(values, middle[0], middle[-1])
        squares = float(((winsorised - winsorised.mean()) ** 2).sum())
        return cls(float(middle.mean()), winsorised, squares, len(middle) / n)


SESSIONS_LEAST: Final = 3
"""Sessions of both sides together: two leave no degree of freedom for their scatter."""

DIVISIONS_LEAST: Final = 70
"""Ways to divide the sessions from which on they are counted: four sessions a side have 70. Each
has a mirror image with the same |t|, so that the least p is 2 in 70, enough for an alpha of 5 %."""

# A p of 0.05 is then known to 0.4 % (two standard deviations).
_DIVISIONS_MOST: Final = 10_000
# Any; the same one gives the same answer.
_SEED: Final = 19_930_115
# Assumed: where more are needed, no advice is given.
_SESSIONS_NEEDED_MOST: Final = 1_000


@dataclass(frozen=True, slots=True)
class SessionColumn:
    """One time or one share, a figure for each session.

    Attributes:
        base, candidate: figures; a session that has none is absent as nan. float64 [k] and [l].
        least: their standard deviation is not less than this: rounding, or a share's own chance.
    """

    base: Floats
    candidate: Floats
    least: float


@dataclass(frozen=True, slots=True)
class SessionShift:
    """What became of one figure; of too few sessions only the shift is known.

    Attributes:
        base_sessions, candidate_sessions: that have it.
        shift: candidate's mean minus base's.
        low, high: its 95 % interval.
        sd: standard deviation of sessions about their side's mean.
        p: two-sided, of this figure alone.
        p_adjusted: over all figures of the family.
        detectable: the smallest shift that is shown with a probability of 80 %.
    """

    base_sessions: int
    candidate_sessions: int
    shift: float
    low: float | None = None
    high: float | None = None
    sd: float | None = None
    p: float = 1.0
    p_adjusted: float = 1.0
    detectable: float | None = None

    @property
    def tested(self) -> bool:
        """Whether there are sessions enough."""
        return self.sd is not None


def session_shifts(columns: list[SessionColumn], alpha: float) -> list[SessionShift]:
    """Return what became of each column, as one family, in their order.

    Base and candidate are compared by Student's t on one figure a session: the exact test of the
    mixed model with a random session in it, where sessions are of equal length. Correlation of
    cycles within a session is then of no concern.
    """
    alone = [_shift(column) for column in columns]
    tested = [place for place, each in enumerate(alone) if each.tested]
    if not tested:
        return alone
    adjusted, critical = _family([columns[i] for i in tested], [alone[i] for i in tested], alpha)
    for place, p_adjusted, t in zip(tested, adjusted, critical, strict=True):
        alone[place] = _with_family(alone[place], p_adjusted, t)
    return alone


def sessions_needed(sd: float, shift: float, tests: int, alpha: float) -> int | None:
    """Return how many sessions a side show `shift` with a probability of 80 %; None beyond 1,000.

    Args:
        sd: standard deviation of sessions, above 0.
        shift: that is to be shown, above 0.
        tests: in the family; Holm's strictest step is taken.
        alpha: of the family.
    """

    def shows(count: int) -> bool:
        freedom = 2 * count - 2
        reach = errors_shown(student_t_beyond(alpha / tests, freedom), freedom)
        return reach * sd * math.sqrt(2.0 / count) <= shift

    count = 2 + bisect_left(range(2, _SESSIONS_NEEDED_MOST + 1), True, key=shows)
    return count if count <= _SESSIONS_NEEDED_MOST else None


def _shift(column: SessionColumn) -> SessionShift:
    base = column.base[~np.isnan(column.base)]
    candidate = column.candidate[~np.isnan(column.candidate)]
    k, m = len(base), len(candidate)
    shift = float(candidate.mean() - base.mean()) if k and m else 0.0
    if not k or not m or k + m < SESSIONS_LEAST:
        return SessionShift(k, m, shift)
    freedom = k + m - 2
    squares = float(((base - base.mean()) ** 2).sum() + ((candidate - candidate.mean()) ** 2).sum())
    sd = max(math.sqrt(squares / freedom), column.least)
    error = sd * math.sqrt(1.0 / k + 1.0 / m)
    reach = student_t_beyond(0.05, freedom) * error
    t = 0.0 if shift == 0.0 else math.inf if error == 0.0 else shift / error
    return SessionShift(k, m, shift, shift - reach, shift + reach, sd, student_t_tails(t, freedom))


def _with_family(found: SessionShift, p_adjusted: float, critical: float) -> SessionShift:
    freedom = found.base_sessions + found.candidate_sessions - 2
    error = (found.sd or 0.0) * math.sqrt(1 / found.base_sessions + 1 / found.candidate_sessions)
    reach = errors_shown(critical, freedom)
    return replace(found, p_adjusted=p_adjusted, detectable=reach * error)


def _family(
    columns: list[SessionColumn], alone: list[SessionShift], alpha: float
) -> tuple[list[float], list[float]]:
    """Return each column's p over the family, and the |t| from which on it is shown.

    All times of one session go up and down together. Where there are enough ways to divide the
    sessions into base and candidate, that is used: the greatest |t| over all times is compared with
    the greatest of each other division (Westfall and Young, 1993), which needs neither normal nor
    independent times. With fewer sessions Holm's method serves, which needs neither, and shows
    less.
    """
    k, m = len(columns[0].base), len(columns[0].candidate)
    if math.comb(k + m, m) < DIVISIONS_LEAST:
        share = alpha / len(columns)
        critical = [
            student_t_beyond(share, each.base_sessions + each.candidate_sessions - 2)
            for each in alone
        ]
        return holm([each.p for each in alone]), critical
    values = np.column_stack([np.concatenate([c.base, c.candidate]) for c in columns])
    least = np.asarray([column.least for column in columns])
    own = np.concatenate([np.zeros(k), np.ones(m)])[np.newaxis]
    (observed,) = _abs_t(own, values, least)
    greatest = np.sort(_abs_t(_divisions(k, m), values, least).max(axis=1))
    above = len(greatest) - np.searchsorted(greatest, observed - 1e-9, side="left")
    # The smallest of them that no more than alpha reach, the own one and its mirror among these.
    own_ones = 2 if k == m else 1
    place = min(len(greatest) - 1, math.ceil((1.0 - alpha) * len(greatest)) + own_ones)
    return (above / len(greatest)).tolist(), [float(greatest[place])] * len(columns)


def _divisions(k: int, m: int) -> Floats:
    """Return ways to divide k + m sessions, the own one among them, float64 [., k+m].

    A candidate is 1. All of them up to 10,000; beyond, as many seeded draws.
    """
    both = k + m
    if math.comb(both, m) <= _DIVISIONS_MOST:
        chosen = np.asarray(list(combinations(range(both), m)))
    else:
        generator = np.random.default_rng(_SEED)
        order = generator.permuted(np.tile(np.arange(both), (_DIVISIONS_MOST, 1)), axis=1)
        chosen = order[:, :m]
        chosen[0] = np.arange(k, both)
    found = np.zeros((len(chosen), both))
    np.put_along_axis(found, chosen, 1.0, axis=1)
    return found


def _abs_t(divisions: Floats, values: Floats, least: Floats) -> Floats:
    """Return |t| of each column for each division, float64 [divisions, columns].

    Args:
        divisions: float64 [d, s], 1 for a candidate.
        values: float64 [s, c], nan where a session has none.
        least: float64 [c], of the standard deviations.
    """
    there = ~np.isnan(values)
    centred = np.where(there, values - np.nanmean(values, axis=0), 0.0)
    n = there.sum(axis=0)
    theirs = divisions @ there
    ours = n - theirs
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = divisions @ centred
        mean_theirs, mean_ours = sums / theirs, -sums / ours
        squares = (centred**2).sum(axis=0) - theirs * mean_theirs**2 - ours * mean_ours**2
        sd = np.maximum(np.sqrt(np.maximum(squares, 0.0) / (n - 2)), least)
        t = np.abs(mean_theirs - mean_ours) / (sd * np.sqrt(1 / theirs + 1 / ours))
    # A division that leaves a side without a value counts for nothing; nor does 0 of 0.
    found: Floats = np.nan_to_num(t, nan=0.0, posinf=np.inf)
    return found
