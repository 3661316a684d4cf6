"""The one model of how cycles depend on one another: how many of them count as one.

Cycles of one session are no repeats: the unit is warm from the cycle before, failures come in runs.
`tau` cycles are worth one independent one; intervals, failure bounds and tests of `log`,
`correlate`, `run`, `fleet`, `trend` and `compare` all take it from here.
docs/reference/statistics.md has the methods and what they were checked with.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from resume_rig.analysis.stats.figures import chi_squared_below
from resume_rig.model.result.series import FailureRate

Floats = npt.NDArray[np.float64]

# The normal quantile of 95 %.
_UPPER: Final = 1.6448536
PHI_MOST: Final = 0.98
"""Above it 60 values are worth one; a limit of 1 has no answer."""
# Assumed: the estimate of a lag correlation from fewer values says nothing.
_SERIES_LEAST: Final = 8
# From so many standard deviations above 0 on, a lag correlation gets its whole margin, which is so
# many of them. Chosen by benchmarks/dependence.py: intervals hold what they say, and no more.
_MARGIN_FROM: Final = 2.0
_MARGIN: Final = 1.0


def autocorrelation_limit(series: Sequence[Floats], slopes: int = 0) -> float:
    """Return the upper 95 % limit of the lag-1 autocorrelation that several series share, 0..0.98.

    Cycles of one session are not independent: the unit is warm from the cycle before, the OS
    caches. The usual model is a first-order autoregression. Its coefficient is estimated from few
    values, and too low (Marriott and Pope, 1954; Kendall, 1954): an estimate alone lets a test with
    12 to 60 values and phi = 0.9 find what is not there in 10 to 22 % of cases instead of 5 %
    (benchmarks/compare.py, column "estimate"); its upper 95 % limit keeps to 5 %.

    Each series is centred on its own mean. The bias of the estimate is taken off by its expectation
    phi - (1 + 3 phi) / n, n being the mean length; where a straight line was taken out of each
    series, phi - (2 + 4 phi) / n. Its standard deviation is sqrt((1 - phi^2) / N) over all N values
    (Bartlett, 1946).

    Args:
        series: float64 [n] each, in order of the cycles.
        slopes: 1 where a line was taken out of each series, else 0.
    """
    centred = [each - each.mean() for each in series if len(each)]
    power = sum(float((each * each).sum()) for each in centred)
    if power <= 0.0:
        return 0.0
    total = sum(map(len, centred))
    length = total / len(centred)
    if length <= 4.0 + slopes:
        return PHI_MOST
    phi = _unbiased(_lag_1(centred, power), length, slopes)
    upper = phi + _UPPER * math.sqrt((1.0 - phi * phi) / total)
    return max(0.0, min(PHI_MOST, upper))


def _lag_1(centred: Sequence[Floats], power: float) -> float:
    return sum(float((each[1:] * each[:-1]).sum()) for each in centred) / power


def _unbiased(found: float, length: float, slopes: int = 0) -> float:
    phi = (found + (1.0 + slopes) / length) / (1.0 - (3.0 + slopes) / length)
    return max(-1.0, min(1.0, phi))


def values_per_independent(phi: float, n: int, most: float | None = None) -> float:
    """Return tau: n values with autocorrelation `phi` have a mean as uncertain as that of n / tau.

    1 to n - 1 or so; exact for a first-order autoregression (Priestley, 1981, 5.3).

    Args:
        phi: 0 to less than 1.
        n: values, 1 or more.
        most: the answer is this at most; None: n - 1.
    """
    tau = (1 + phi) / (1 - phi) - 2 * phi * (1 - phi**n) / (n * (1 - phi) ** 2)
    return max(1.0, min(tau, n - 1.0 if most is None else most))


def slope_per_independent(phi: float, n: int) -> float:
    """Return how much autocorrelation `phi` adds to the variance of a slope over `n` values.

    t' R t / t' t with t counted from the middle and R the matrix of phi^|i - j|. A slope and a mean
    take so much from the squares about a line together: their expectation is n - tau - this.
    """
    t = np.arange(n) - (n - 1) / 2.0
    power = float(t @ t)
    if power == 0.0 or phi == 0.0:
        return 1.0
    lags = min(n - 1, math.ceil(math.log(_LAGS_END) / math.log(phi)))
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(t, size)) ** 2
    products = np.fft.irfft(spectrum, size)[1 : lags + 1]
    return 1.0 + 2.0 * float(products @ phi ** np.arange(1.0, lags + 1)) / power


# A power of phi below it adds nothing.
_LAGS_END: Final = 1e-12


def tau_of(values: Floats) -> float:
    """Return how many values of one series count as one in its mean and its quantiles, 1 or more.

    By the lag-1 autocorrelation of the ranks, its bias taken off, so that one wild value decides
    nothing. A test must not find what is not there, and takes the upper limit of it whatever it is;
    an interval must not be wider than it has to be, so that the margin grows from nothing, where no
    correlation shows, to one standard deviation where two of them do. A drift and a step are
    dependence, too.

    Args:
        values: float64 [n], in order of the cycles.
    """
    n = len(values)
    if n < _SERIES_LEAST:
        return 1.0
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[inverse]
    centred = ranks - ranks.mean()
    power = float((centred * centred).sum())
    if power <= 0.0:
        return 1.0
    phi = _unbiased(_lag_1([centred], power), n)
    if phi <= 0.0:
        return 1.0
    error = math.sqrt((1.0 - phi * phi) / n)
    shown = min(1.0, phi * math.sqrt(n) / _MARGIN_FROM)
    phi = min(PHI_MOST, phi + shown * _MARGIN * error)
    return values_per_independent(phi, n)


# A block is cut where chance alone scatters the blocks' failures so much in 1 % of series.
_BLOCKS_ALPHA: Final = 0.01
_BLOCKS_LEAST: Final = 8


def tau_of_failures(failed: Sequence[bool]) -> float:
    """Return how many cycles count as one where failures come in runs, 1 or more.

    The sum of runs of lengths L scatters as that of so many independent failures, each worth
    E(L^2) / E(L) of them (compound Poisson); what independent cycles that fail as often would show
    of it is taken off. Runs with gaps show in blocks: where the failures of blocks of root n cycles
    scatter more than chance makes in 1 % of series (Pearson's chi-squared), by how much they do.
    Without a failure nothing shows how failures come, and it is 1.

    Args:
        failed: of each cycle in order, whether it failed or may have.
    """
    flags = np.asarray(failed, dtype=np.float64)
    n, count = len(flags), float(flags.sum())
    if count in (0, n):
        return 1.0
    edges = np.flatnonzero(np.diff(np.concatenate([[0.0], flags, [0.0]])))
    lengths = (edges[1::2] - edges[::2]).astype(np.float64)
    share = count / n
    by_runs = float((lengths**2).sum()) / count * (1.0 - share) / (1.0 + share)
    most = max(1.0, min(count, n - count, n / 2))
    return max(1.0, min(most, max(by_runs, _by_blocks(flags, share))))


def _by_blocks(flags: Floats, share: float) -> float:
    length = math.isqrt(len(flags))
    blocks = len(flags) // length
    if blocks < _BLOCKS_LEAST:
        return 1.0
    counts = flags[: blocks * length].reshape(blocks, length).sum(axis=1)
    squares = float(((counts - length * share) ** 2).sum()) / (length * share * (1.0 - share))
    return _excess(squares, blocks - 1)


def _excess(squares: float, freedom: int) -> float:
    """Return chi-squared over its freedom where it is beyond chance, else 1."""
    ratio = squares / freedom
    if ratio <= 1.0:
        return 1.0
    # Beyond it the series of the distribution is long, and chance is out of the question.
    if ratio > _RATIO_CERTAIN or chi_squared_below(squares, freedom) > 1.0 - _BLOCKS_ALPHA:
        return ratio
    return 1.0


_RATIO_CERTAIN: Final = 10.0


def pooled_tau(groups: Sequence[Sequence[FailureRate]]) -> float:
    """Return how many cycles of several units or campaigns count as one in their failure rate.

    What runs within each make of it, by the failures, times what the groups differ by beyond that:
    cycles of one unit resemble each other.

    Args:
        groups: of each unit, the rates of its campaigns.
    """
    rates = [rate for group in groups for rate in group]
    failed = sum(rate.failures + rate.undecided for rate in rates)
    n = sum(rate.n + rate.undecided for rate in rates)
    if failed in (0, n):
        return 1.0
    within = sum((rate.failures + rate.undecided) * rate.tau for rate in rates) / failed
    counts = [
        (
            sum(rate.failures + rate.undecided for rate in group),
            sum(rate.n + rate.undecided for rate in group),
        )
        for group in groups
    ]
    return max(1.0, min(tau_of_counts(counts, within), float(failed), n / 2))


def tau_of_counts(counts: Sequence[tuple[int, int]], within: float = 1.0) -> float:
    """Return how many cycles count as one, where groups of them fail unlike beyond chance.

    Pearson's chi-squared over its freedom (the design effect of clusters), where chance makes as
    much in less than 1 % of sets of groups.

    Args:
        counts: failed and tried cycles of each group.
        within: cycles of one group that count as one.
    """
    tried = [(f, n) for f, n in counts if n]
    failed, n = sum(f for f, _ in tried), sum(n for _, n in tried)
    if len(tried) < 2 or failed in (0, n):
        return within
    share = failed / n
    squares = sum((f - m * share) ** 2 / m for f, m in tried) / (share * (1.0 - share) * within)
    return within * _excess(squares, len(tried) - 1)
