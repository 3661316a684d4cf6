"""Whether a series drifts: Mann and Kendall's test, Theil and Sen's slope."""

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from resume_rig.analysis.beta import binomial_at_most, normal_below
from resume_rig.model.series import Drift

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

VALUES_LEAST = 10
"""Below it the normal approximation of Mann and Kendall's test does not hold (Kendall, 1975)."""

_ALL_PAIRS_MOST = 1_000
_PER_CYCLES = 100


def drift_of(values_ms: Floats) -> Drift | None:
    """Return the monotone trend of a series; None below VALUES_LEAST values.

    The test counts concordant minus discordant pairs in O(n log n), its variance corrected for
    ties. It takes the cycles for independent: slow waves in a series make p too small. The slope
    is the median of the slopes of all pairs; above 1,000 values of the pairs half the series apart
    (Theil's incomplete method, 1950), whose interval needs no variance.

    Args:
        values_ms: float64 [n], in the order of the cycles.
    """
    n = len(values_ms)
    if n < VALUES_LEAST:
        return None
    score, variance = _kendall(values_ms)
    z = 0.0 if variance <= 0 else max(0, abs(score) - 1) / math.sqrt(variance)
    if n <= _ALL_PAIRS_MOST:
        later, earlier = np.tril_indices(n, -1)
        slopes = np.sort((values_ms[later] - values_ms[earlier]) / (later - earlier))
        reach = 1.959964 * math.sqrt(variance)
        low, high = _place((len(slopes) - reach) / 2), _place((len(slopes) + reach) / 2 + 1)
    else:
        half = n // 2
        slopes = np.sort((values_ms[n - half :] - values_ms[:half]) / (n - half))
        low, high = _middle_ranks(half)
    return Drift(
        slope_ms=_PER_CYCLES * float(np.median(slopes)),
        low_ms=None if low < 1 else _PER_CYCLES * float(slopes[low - 1]),
        high_ms=None if high > len(slopes) else _PER_CYCLES * float(slopes[high - 1]),
        p=min(1.0, 2.0 * normal_below(-z)),
    )


def ranks_of(values: Floats) -> Floats:
    """Return the ranks of values from 1, tied ones with the mean of theirs, float64 [n]."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    middles: Floats = ends - (counts - 1) / 2.0
    return middles[inverse]


def _kendall(values: Floats) -> tuple[int, float]:
    """Return concordant minus discordant pairs, and the variance of that without a trend."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    n = len(values)
    ties = int((counts.astype(np.int64) * (counts - 1) // 2).sum())
    score = n * (n - 1) // 2 - ties - 2 * _inversions(codes.astype(np.int64))
    sizes = counts.astype(np.float64)
    tied = float((sizes * (sizes - 1) * (2 * sizes + 5)).sum())
    return score, (n * (n - 1.0) * (2 * n + 5.0) - tied) / 18.0


def _inversions(codes: Ints) -> int:
    """Return how many pairs stand in falling order: merge sort, all blocks of a level at once."""
    n = len(codes)
    size = 1 << max(0, (n - 1).bit_length())
    # Padding sorts behind everything and stands at the end: it makes no pair.
    values = np.concatenate([codes, np.full(size - n, n, dtype=np.int64)])
    found, width, span = 0, 1, n + 1
    while width < size:
        blocks = values.reshape(-1, 2, width)
        # Each block gets a range of its own, so that one search serves them all.
        base = np.arange(len(blocks), dtype=np.int64)[:, None] * span
        left, right = (blocks[:, 0] + base).ravel(), (blocks[:, 1] + base).ravel()
        not_above = np.searchsorted(left, right, side="right")
        ends = np.repeat(np.arange(1, len(blocks) + 1) * width, width)
        found += int((ends - not_above).sum())
        values = np.sort(values.reshape(-1, 2 * width), axis=1).ravel()
        width *= 2
    return found


def _middle_ranks(n: int) -> tuple[int, int]:
    """Return the ranks between which the median lies with 95 %."""
    low, high = 0, n + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if binomial_at_most(middle - 1, n, 0.5) <= 0.025 else (low, middle)
        )
    return low, n + 1 - low


def _place(rank: float) -> int:
    return math.floor(rank)


def levels_between(values: Floats, cuts: list[int]) -> list[float]:
    """Return the median of each stretch of `values` between 0, `cuts` and its end."""
    return [float(np.median(values[a:b])) for a, b in pairwise([0, *cuts, len(values)])]
