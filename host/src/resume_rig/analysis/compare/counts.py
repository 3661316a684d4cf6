"""Cycles that failed, that were slow, and that were over a limit, in base and candidate.

A time that is far longer in one cycle of fifty moves no median. Slow is a cycle that is farther
above the middle of all sessions together than an outlier is, and than what matters. All sessions
make that threshold alike, so that it favours none.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from resume_rig.analysis.compare.effects import Count, Times
from resume_rig.analysis.compare.samples import HEADLINES, Evidence, step_ms_of
from resume_rig.analysis.stats.figures import failure_rate_upper, scaled_mad
from resume_rig.analysis.stats.significance import fisher_p
from resume_rig.analysis.verdict.series import OUTLIER_FROM
from resume_rig.model.result.comparison import OverLimit
from resume_rig.model.result.requirement import Limit
from resume_rig.model.result.verdict import Verdict

_VALUES_LEAST: Final = 20
"""With fewer on a side, a few slow cycles are as often there by chance."""


def failures_of(base: Sequence[Evidence], candidate: Sequence[Evidence]) -> Count | None:
    """Return which cycles failed on both sides; None where no session of one knows."""
    sides = [
        tuple(np.asarray(each.failed or (), np.float64) for each in side)
        for side in (base, candidate)
    ]
    if not all(any(map(len, side)) for side in sides):
        return None
    return Count(*sides)


def slow_cycles_of(times: Sequence[Times], matters: float) -> list[tuple[str, float, Count]]:
    """Return name, threshold [ms] and slow cycles of the headline times that have any.

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
        if judged.limit.required
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
