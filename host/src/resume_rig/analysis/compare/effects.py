"""What became of each time and of each count: one family of tests, by sessions or by cycles.

Counts are of cycles that failed, that were slow, and that were over a limit: a time that is far
longer in one cycle of fifty moves no median.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from resume_rig.analysis.compare.samples import HEADLINES, Evidence, rounding_ms_of, step_ms_of
from resume_rig.analysis.stats.dependence import (
    autocorrelation_limit,
    values_per_independent,
)
from resume_rig.analysis.stats.figures import failure_rate_upper, scaled_mad
from resume_rig.analysis.stats.sessions import (
    SessionColumn,
    SessionShift,
    cycle_shift,
    level_of,
    same_cycles,
    session_shifts,
)
from resume_rig.analysis.stats.trend import (
    Floats,
    fisher_p,
    holm,
)
from resume_rig.analysis.verdict.series import OUTLIER_FROM
from resume_rig.model.result.comparison import Change, Effect, FailureEffect, OverLimit, Unit
from resume_rig.model.result.verdict import Limit, Verdict

VALUES_LEAST: Final = 3
"""Two values a side have no scatter to speak of. With three the test rests on its assumptions: that
they are normal, and depend on one another as much as is assumed of so few."""

_NO_VALUES: Final = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Times:
    """One time, each session's values in order of the cycles.

    Attributes:
        base, candidate: float64 [n] of each session, in ms; those with too few values empty.
        warm_up: first values of each session that were left out.
        settled: all values after them, of each session of base and candidate.
        shared_ms: half-width of a difference that errors make which all cycles of a side share.
    """

    name: str
    base: tuple[Floats, ...]
    candidate: tuple[Floats, ...]
    warm_up: int = 0
    settled: tuple[Floats, ...] = ()
    shared_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Count:
    """What cycles can do or not do: 1 where one did, each session's in order, float64 [n]."""

    base: tuple[Floats, ...]
    candidate: tuple[Floats, ...]


def same_cycles_of(name: str, base: Sequence[Floats], candidate: Sequence[Floats]) -> Times:
    """Return a time over the same cycles of each session, after the longest warm-up.

    Of several sessions, one with fewer than VALUES_LEAST values counts for none.
    """
    sessions = [*base, *candidate]
    least = VALUES_LEAST if len(sessions) > 2 else 1
    there = [place for place, values in enumerate(sessions) if len(values) >= least]
    if not there:
        return Times(name, tuple(base), tuple(candidate))
    start, end = same_cycles([sessions[place] for place in there])
    found = [_NO_VALUES] * len(sessions)
    for place in there:
        found[place] = sessions[place][start:end]
    settled = tuple(values[start:] for values in sessions)
    return Times(name, tuple(found[: len(base)]), tuple(found[len(base) :]), start, settled)


def family_of(
    times: Sequence[Times], counts: Sequence[Count], unit: Unit, *, alpha: float, matters: float
) -> tuple[list[Effect], list[FailureEffect]]:
    """Return what became of all times and counts, adjusted for their number, in their order.

    Args:
        times: with a value on both sides.
        counts: with a cycle on both sides.
        unit: what repeats independently.
        alpha: chance to name any difference where there is none.
        matters: the smallest slow-down that matters, as a share of the base's median.
    """
    if unit is Unit.SESSION:
        return _by_session(times, counts, alpha, matters)
    return _by_cycle(times, counts, alpha, matters)


def _by_session(
    times: Sequence[Times], counts: Sequence[Count], alpha: float, matters: float
) -> tuple[list[Effect], list[FailureEffect]]:
    columns = [_column(each) for each in times]
    columns += [
        SessionColumn(_shares(c.base), _shares(c.candidate), _chance_of_share(c)) for c in counts
    ]
    shifts = session_shifts(columns, alpha)
    effects = [
        _session_effect(t, column, shift, matters)
        for t, column, shift in zip(times, columns, shifts, strict=False)
    ]
    counted = [
        _counted(count, shift.p, shift.p_adjusted)
        for count, shift in zip(counts, shifts[len(times) :], strict=True)
    ]
    return [_judged(effect, alpha) for effect in effects], counted


def _by_cycle(
    times: Sequence[Times], counts: Sequence[Count], alpha: float, matters: float
) -> tuple[list[Effect], list[FailureEffect]]:
    enough = [min(len(t.base[0]), len(t.candidate[0])) >= VALUES_LEAST for t in times]
    # Holm asks this much of the first of them: what is detectable there is so anywhere.
    alpha_each = alpha / max(1, sum(enough) + len(counts))
    effects = [
        _cycle_effect(t, matters, alpha_each if tested else None)
        for t, tested in zip(times, enough, strict=True)
    ]
    tested_ps = [effect.p for effect in effects if effect.change is not Change.TOO_FEW]
    ps = [_count_p(count) for count in counts]
    adjusted = iter(holm([*tested_ps, *ps]))
    judged = [
        effect
        if effect.change is Change.TOO_FEW
        else _judged(replace(effect, p_adjusted=next(adjusted)), alpha)
        for effect in effects
    ]
    return judged, [_counted(c, p, next(adjusted)) for c, p in zip(counts, ps, strict=True)]


def _column(times: Times) -> SessionColumn:
    """Return a time's levels, the candidate's nearer by what shared errors can have made."""
    base, candidate = _levels(times.base), _levels(times.candidate)
    if times.shared_ms:
        shift = float(np.nanmean(candidate) - np.nanmean(base))
        candidate = candidate - _within(shift, times.shared_ms)
    return SessionColumn(base, candidate, rounding_ms_of(times.name))


def _within(shift: float, most: float) -> float:
    return max(-most, min(most, shift))


def _session_effect(
    times: Times, column: SessionColumn, found: SessionShift, matters: float
) -> Effect:
    step_ms = step_ms_of(times.name)
    base_median, candidate_median = (
        float(np.nanmean(_medians(side))) if sessions else 0.0
        for side, sessions in (
            (times.base, found.base_sessions),
            (times.candidate, found.candidate_sessions),
        )
    )
    levels = _levels(times.candidate)
    shift = 0.0
    if found.base_sessions and found.candidate_sessions:
        shift = float(np.nanmean(levels) - np.nanmean(column.base))
    reach = step_ms / 2 + times.shared_ms
    near = shift - found.shift
    return Effect(
        name=times.name,
        base_n=sum(map(len, times.base)),
        candidate_n=sum(map(len, times.candidate)),
        base_median_ms=base_median,
        candidate_median_ms=candidate_median,
        shift_ms=shift,
        low_ms=None if found.low is None else found.low + near - reach,
        high_ms=None if found.high is None else found.high + near + reach,
        mean_ratio=_mean_ratio(np.concatenate(times.base), np.concatenate(times.candidate)),
        p=found.p,
        p_adjusted=found.p_adjusted,
        detectable_ms=None if found.detectable is None else found.detectable + times.shared_ms,
        matters_ms=max(matters * base_median, step_ms),
        change=Change.NOT_SHOWN if found.tested else Change.TOO_FEW,
        headline=times.name in HEADLINES,
        base_sessions=found.base_sessions,
        candidate_sessions=found.candidate_sessions,
        warm_up=times.warm_up,
        session_sd_ms=found.sd,
        shared_ms=times.shared_ms,
    )


def _cycle_effect(times: Times, matters: float, alpha_each: float | None) -> Effect:
    """Return an effect, not yet adjusted; without `alpha_each` there are too few values."""
    base, candidate = times.base[0], times.candidate[0]
    step_ms = step_ms_of(times.name)
    base_median, candidate_median = float(np.median(base)), float(np.median(candidate))
    effect = Effect(
        name=times.name,
        base_n=len(base),
        candidate_n=len(candidate),
        base_median_ms=base_median,
        candidate_median_ms=candidate_median,
        shift_ms=candidate_median - base_median,
        low_ms=None,
        high_ms=None,
        mean_ratio=_mean_ratio(base, candidate),
        p=1.0,
        p_adjusted=1.0,
        detectable_ms=None,
        matters_ms=max(matters * base_median, step_ms),
        change=Change.TOO_FEW,
        headline=times.name in HEADLINES,
        warm_up=times.warm_up,
    )
    if alpha_each is None:
        return effect
    found = cycle_shift(base, candidate, rounding_ms_of(times.name), times.settled)
    low, high = found.interval()
    # What was rounded to a step can have been half a step away.
    reach = step_ms / 2 + times.shared_ms
    beyond = replace(found, shift=found.shift - _within(found.shift, times.shared_ms))
    return replace(
        effect,
        shift_ms=found.shift,
        low_ms=low - reach,
        high_ms=high + reach,
        p=beyond.p,
        detectable_ms=found.detectable(alpha_each) + times.shared_ms,
        shared_ms=times.shared_ms,
        change=Change.NOT_SHOWN,
        effective_n=found.effective_n,
    )


def _judged(effect: Effect, alpha: float) -> Effect:
    if effect.change is Change.TOO_FEW or effect.p_adjusted > alpha:
        return effect
    if effect.shift_ms < 0:
        change = Change.FASTER
    elif effect.high_ms is not None and effect.high_ms < effect.matters_ms:
        change = Change.SLIGHTLY_SLOWER
    else:
        change = Change.SLOWER
    return replace(effect, change=change)


def _mean_ratio(base: Floats, candidate: Floats) -> float | None:
    mean = float(base.mean())
    return float(candidate.mean()) / mean if mean > 0 else None


def _medians(sessions: Sequence[Floats]) -> Floats:
    return np.asarray([np.median(each) if len(each) else math.nan for each in sessions])


def _levels(sessions: Sequence[Floats]) -> Floats:
    return np.asarray([level_of(each) for each in sessions])


def _shares(sessions: Sequence[Floats]) -> Floats:
    return np.asarray([each.mean() if len(each) else math.nan for each in sessions])


def _chance_of_share(count: Count) -> float:
    """Return the standard deviation that chance alone gives the share of one session."""
    flags = np.concatenate([*count.base, *count.candidate])
    sessions = sum(len(each) > 0 for each in (*count.base, *count.candidate))
    share = float(flags.mean())
    return math.sqrt(share * (1.0 - share) * sessions / len(flags))


def _count_p(count: Count) -> float:
    """Return Fisher's p of two sessions; cycles that fail in rows count for fewer."""
    base, candidate = count.base[0], count.candidate[0]
    phi = autocorrelation_limit([base, candidate]) if base.std() + candidate.std() > 0 else 0.0
    worth = [
        (math.floor(each.sum() / tau), max(1, math.floor(len(each) / tau)))
        for each, tau in ((e, values_per_independent(phi, len(e))) for e in (base, candidate))
    ]
    return fisher_p(*worth[0], *worth[1])


def _counted(count: Count, p: float, p_adjusted: float) -> FailureEffect:
    base, candidate = (np.concatenate(side) for side in (count.base, count.candidate))
    ours, theirs = int(base.sum()), int(candidate.sum())
    more = theirs * len(base) > ours * len(candidate)
    return FailureEffect(ours, len(base), theirs, len(candidate), p, p_adjusted, more)


def times_of(
    base: Sequence[Mapping[str, Sequence[float]]],
    candidate: Sequence[Mapping[str, Sequence[float]]],
    shared_ms: Mapping[str, float] | None = None,
) -> list[Times]:
    """Return the times of which both sides have a value, over the same cycles of each session.

    Args:
        base: times in ms by name, of each session.
        candidate: likewise.
        shared_ms: by name, as in Times; absent is 0.
    """
    names = dict.fromkeys(name for session in base for name in session)
    theirs = {name for session in candidate for name in session}
    found = [
        same_cycles_of(
            name,
            *(
                [np.asarray(session.get(name, ()), np.float64) for session in side]
                for side in (base, candidate)
            ),
        )
        for name in names
        if name in theirs
    ]
    return [
        replace(each, shared_ms=(shared_ms or {}).get(each.name, 0.0))
        for each in found
        if _any(each.base) and _any(each.candidate)
    ]


def _any(sessions: Sequence[Floats]) -> bool:
    return any(map(len, sessions))


_VALUES_LEAST: Final = 20
"""With fewer on a side, a few slow cycles are as often there by chance. Assumed."""


def failures_of(base: Sequence[Evidence], candidate: Sequence[Evidence]) -> Count | None:
    """Return which cycles failed on both sides; None where no session of one shows it."""
    sides = [
        tuple(np.asarray(each.failed or (), np.float64) for each in side)
        for side in (base, candidate)
    ]
    if not all(any(map(len, side)) for side in sides):
        return None
    return Count(*sides)


def slow_cycles_of(times: Sequence[Times], matters: float) -> list[tuple[str, float, Count]]:
    """Return name, threshold [ms] and slow cycles of the headline times that have any.

    Slow is a cycle that is farther above the middle of all sessions together than an outlier is,
    and than what matters. All sessions make that threshold together, so that it favours none.

    Args:
        times: that are compared; their warm-up is left out here, too.
        matters: the smallest slow-down that matters, as a share of the middle.
    """
    found = []
    for each in times:
        if each.name not in HEADLINES:
            continue
        k = len(each.base)
        sides = each.settled[:k], each.settled[k:]
        if min(sum(map(len, side)) for side in sides) < _VALUES_LEAST:
            continue
        both = np.concatenate([*sides[0], *sides[1]])
        middle = float(np.median(both))
        above_ms = middle + max(
            OUTLIER_FROM * scaled_mad(both), matters * middle, step_ms_of(each.name)
        )
        if (both > above_ms).any():
            flags = [
                tuple((values > above_ms).astype(np.float64) for values in side) for side in sides
            ]
            found.append((each.name, above_ms, Count(*flags)))
    return found


def over_limits_of(
    base: Sequence[Evidence], candidate: Sequence[Evidence]
) -> tuple[OverLimit, ...]:
    """Return what is beyond each required limit; those without a value on either side left out."""
    limits = dict.fromkeys(
        judged.limit
        for each in (*base, *candidate)
        for judged in each.limits
        if judged.limit.required and not (judged.of_log and judged.limit.is_event)
    )
    found = [_over(limit, base, candidate) for limit in limits]
    return tuple(each for each in found if each.base_n or each.candidate_n)


def _over(limit: Limit, base: Sequence[Evidence], candidate: Sequence[Evidence]) -> OverLimit:
    counts = [
        [judged for each in side for judged in each.limits if judged.limit == limit]
        for side in (base, candidate)
    ]
    (ours, n), (theirs, m) = (
        (sum(judged.failed for judged in side), sum(judged.n for judged in side)) for side in counts
    )
    return OverLimit(limit, ours, n, _upper(ours, n), theirs, m, _upper(theirs, m))


def _upper(over: int, n: int) -> float | None:
    return failure_rate_upper(over, n) if n else None


def newly_failed(
    base: Verdict, candidate: Verdict, over: Sequence[OverLimit], alpha: float
) -> list[OverLimit]:
    """Return the limits that the candidate exceeds more often than a base that meets them all.

    It is a statement on these sessions: whether the build makes the difference or the day is
    another question. Empty where the base fails its requirement too, or was not judged.
    """
    if candidate is not Verdict.FAIL or base in (Verdict.FAIL, Verdict.NO_EVIDENCE):
        return []
    return [
        each
        for each in over
        if each.base_n
        and each.candidate_n
        and each.candidate_over * each.base_n > each.base_over * each.candidate_n
        and fisher_p(each.base_over, each.base_n, each.candidate_over, each.candidate_n) * len(over)
        <= alpha
    ]
