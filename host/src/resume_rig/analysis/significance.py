"""Chance in counts (Fisher), many tests at once (Holm), and what a t test would have shown."""

import math
from typing import Final

import numpy as np

from resume_rig.analysis.trend import Floats

POWER: Final = 0.8
_Z_POWER: Final = 0.8416212


def errors_shown(critical: float, freedom: float) -> float:
    """Return the shift, in standard errors, that Student's t shows with a probability of POWER.

    By the normal approximation of the noncentral t distribution (Johnson and Kotz, 1970, 31.6). The
    standard error is an estimate that is too small more often than not; its median is put right
    (Wilson and Hilferty, 1931).

    Args:
        critical: |t| from which on a shift is shown.
        freedom: degrees of freedom, 1 or more.
    """
    spread = math.sqrt(1.0 + critical * critical / (2.0 * freedom))
    median = math.pow(1.0 - 2.0 / (9.0 * freedom), 1.5)
    return (critical * (1.0 - 1.0 / (4.0 * freedom)) + _Z_POWER * spread) / median


def fisher_p(base_failed: int, base_n: int, candidate_failed: int, candidate_n: int) -> float:
    """Return the two-sided chance of counts so unlikely where both fail alike (Fisher, 1934)."""
    n, failed = base_n + candidate_n, base_failed + candidate_failed
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])

    def log_ways(of: int, chosen: Floats) -> Floats:
        k = chosen.astype(np.int64)
        ways: Floats = log_factorial[of] - log_factorial[k] - log_factorial[of - k]
        return ways

    seen = np.arange(max(0, failed - base_n), min(failed, candidate_n) + 1).astype(np.float64)
    log_p = log_ways(candidate_n, seen) + log_ways(base_n, failed - seen)
    p = np.exp(log_p - log_p.max())
    own = p[int(candidate_failed - seen[0])]
    return min(1.0, float(p[p <= own * (1 + 1e-9)].sum() / p.sum()))


def holm(ps: list[float]) -> list[float]:
    """Return p values adjusted for their number (Holm, 1979), in the order they came in."""
    adjusted, running = [0.0] * len(ps), 0.0
    for place, index in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        running = max(running, min(1.0, (len(ps) - place) * ps[index]))
        adjusted[index] = running
    return adjusted
