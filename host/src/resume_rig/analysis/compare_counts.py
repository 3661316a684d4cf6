"""Cycles that failed, and cycles that were slow, in base and candidate: counts by Fisher's test.

A time that is far longer in one cycle of fifty moves no median. Slow is a cycle that is farther
above the middle of both samples together than an outlier is, and than what matters. Both samples
make that threshold alike, so that it favours neither and the test stays exact.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from resume_rig.analysis.compare_samples import HEADLINES, Evidence, Sample, step_ms_of
from resume_rig.analysis.rank_test import fisher_p
from resume_rig.analysis.series import OUTLIER_FROM
from resume_rig.analysis.statistics import scaled_mad
from resume_rig.model.comparison import FailureEffect, SlowCycles

_VALUES_LEAST: Final = 20
"""With fewer on a side, a few slow cycles are as often there by chance."""


def failures_of(base: Evidence, candidate: Evidence) -> FailureEffect | None:
    """Return how often cycles failed on both sides; None where one does not tell."""
    if not base.tried or not candidate.tried:
        return None
    return _counts(base.failed or 0, base.tried, candidate.failed or 0, candidate.tried)


def slow_cycles_of(base: Sample, candidate: Sample, matters: float) -> tuple[SlowCycles, ...]:
    """Return the headline times of which either side has slow cycles.

    Args:
        base: one side.
        candidate: the other.
        matters: the smallest slow-down that matters, as a share of the middle.
    """
    found = []
    for name in HEADLINES:
        ours, theirs = base.times_ms.get(name, []), candidate.times_ms.get(name, [])
        if min(len(ours), len(theirs)) < _VALUES_LEAST:
            continue
        above_ms = _slow_above(ours, theirs, matters, step_ms_of(name))
        slow, now_slow = (sum(ms > above_ms for ms in times) for times in (ours, theirs))
        if slow or now_slow:
            counts = _counts(slow, len(ours), now_slow, len(theirs))
            found.append(SlowCycles(name, above_ms, counts))
    return tuple(found)


def _slow_above(
    ours: Sequence[float], theirs: Sequence[float], matters: float, step_ms: float
) -> float:
    both = np.asarray([*ours, *theirs])
    middle = float(np.median(both))
    return middle + max(OUTLIER_FROM * scaled_mad(both), matters * middle, step_ms)


def _counts(base: int, base_n: int, candidate: int, candidate_n: int) -> FailureEffect:
    p = fisher_p(base, base_n, candidate, candidate_n)
    return FailureEffect(
        base, base_n, candidate, candidate_n, p, 1.0, candidate * base_n > base * candidate_n
    )
