"""Chance in counts, many tests at once, and how many independent values a series is worth.

Cycles of one session do not repeat one another independently: the unit is warm from the cycle
before, the OS caches. The usual model of that is a first-order autoregression with the coefficient
phi, by which n values are worth n / tau, tau about (1 + phi) / (1 - phi).

The coefficient is itself estimated, from few values and too low (Marriott and Pope, 1954; Kendall,
1954). An estimate alone lets a test with 12 to 60 values and phi = 0.9 find what is not there in 10
to 22 % of cases instead of 5 % (benchmarks/compare.py, column "estimate"); its upper 95 % limit
keeps to 5 %. What a session that scatters from day to day does is not in here: no single session
shows it.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from resume_rig.analysis.stats.trend import Floats

# The normal quantile of a power of 80 %, the usual one (Cohen, 1988).
_POWER: Final = 0.8416212


def errors_shown(critical: float, freedom: float) -> float:
    """Return the shift, in standard errors, that Student's t shows with a probability of 80 %.

    By the normal approximation of the noncentral t distribution (Johnson and Kotz, 1970, 31.6). The
    standard error is an estimate that is too small more often than not; its median is put right
    (Wilson and Hilferty, 1931).

    Args:
        critical: |t| from which on a shift is shown.
        freedom: degrees of freedom, 1 or more.
    """
    spread = math.sqrt(1.0 + critical * critical / (2.0 * freedom))
    median = math.pow(1.0 - 2.0 / (9.0 * freedom), 1.5)
    return (critical * (1.0 - 1.0 / (4.0 * freedom)) + _POWER * spread) / median


def fisher_p(base_failed: int, base_n: int, candidate_failed: int, candidate_n: int) -> float:
    """Return the two-sided chance of counts so unlikely where both fail alike (Fisher, 1934)."""
    failed = base_failed + candidate_failed
    # By the ratios of neighbours: factorials of all cycles of a lab would take their time.
    seen = np.arange(max(0, failed - base_n), min(failed, candidate_n) + 1).astype(np.float64)
    k = seen[:-1]
    ratios = np.log((candidate_n - k) * (failed - k) / ((k + 1) * (base_n - failed + k + 1)))
    log_p = np.concatenate([[0.0], np.cumsum(ratios)])
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


# The normal quantile of 95 %.
_UPPER: Final = 1.6448536
_PHI_MOST: Final = 0.98
"""Above it 60 values are worth one; a limit of 1 has no answer."""


def autocorrelation_limit(series: Sequence[Floats]) -> float:
    """Return the upper 95 % limit of the lag-1 autocorrelation that several series share, 0..0.98.

    Each series is centred on its own mean. The bias of the estimate is taken off by its expectation
    phi - (1 + 3 phi) / n, n being the mean length; its standard deviation is
    sqrt((1 - phi^2) / N) over all N values (Bartlett, 1946).

    Args:
        series: float64 [n] each, in order of the cycles.
    """
    centred = [each - each.mean() for each in series if len(each)]
    power = sum(float((each * each).sum()) for each in centred)
    if power <= 0.0:
        return 0.0
    total = sum(map(len, centred))
    length = total / len(centred)
    if length <= 4.0:
        return _PHI_MOST
    found = sum(float((each[1:] * each[:-1]).sum()) for each in centred) / power
    phi = max(-1.0, min(1.0, (found + 1.0 / length) / (1.0 - 3.0 / length)))
    upper = phi + _UPPER * math.sqrt((1.0 - phi * phi) / total)
    return max(0.0, min(_PHI_MOST, upper))


def values_per_independent(phi: float, n: int) -> float:
    """Return tau: n values with autocorrelation `phi` have a mean as uncertain as that of n / tau.

    1 to n - 1 or so; exact for a first-order autoregression (Priestley, 1981, 5.3).

    Args:
        phi: 0 to less than 1.
        n: values, 1 or more.
    """
    if phi <= 0.0 or n < 2:
        return 1.0
    tau = (1 + phi) / (1 - phi) - 2 * phi * (1 - phi**n) / (n * (1 - phi) ** 2)
    return max(1.0, min(tau, n - 1.0))
