"""Two samples by their ranks: permutation test, shift with its interval, smallest shift shown."""

import functools
import math
from typing import Final

import numpy as np

from resume_rig.analysis.beta import normal_below
from resume_rig.analysis.statistics import scaled_mad
from resume_rig.analysis.trend import Floats, ranks_of

EXACT_MOST: Final = 60
"""Values of both samples together up to which every permutation is counted."""

POWER: Final = 0.8
_ALL_PAIRS_MOST: Final = 1_000_000
_STEP_MS: Final = 1e-4
_Z_POWER: Final = 0.8416212


def rank_sum_p(base: Floats, candidate: Floats) -> float:
    """Return the two-sided chance of rank sums so far apart where the samples do not differ.

    Up to EXACT_MOST values the distribution over all permutations is counted, ties included;
    above, its normal limit with the variance corrected for ties.

    Args:
        base: float64 [n], n of 1 or more.
        candidate: float64 [m], m of 1 or more.
    """
    n, m = len(base), len(candidate)
    ranks = ranks_of(np.concatenate([base, candidate]))
    distance = abs(float(ranks[n:].sum()) - m * (n + m + 1) / 2.0)
    if n + m <= EXACT_MOST:
        sums = _sums_of_all_choices(np.rint(2 * ranks).astype(np.int64), m)
        away = np.abs(np.arange(len(sums)) / 2.0 - m * (n + m + 1) / 2.0)
        return min(1.0, float(sums[away >= distance - 1e-9].sum() / sums.sum()))
    variance = n * m / (n + m) * float(((ranks - (n + m + 1) / 2.0) ** 2).sum()) / (n + m - 1)
    if variance <= 0.0:
        return 1.0
    return min(1.0, 2.0 * normal_below(-max(0.0, distance - 0.5) / math.sqrt(variance)))


def shift_between(base: Floats, candidate: Floats) -> tuple[float, float | None, float | None]:
    """Return the shift from base to candidate and its 95 % interval (Hodges and Lehmann, 1963).

    The shift is the median of all differences; the interval goes between those of their order
    statistics that the rank-sum test does not reject. It holds for any distribution that is only
    shifted; rounded values make it wider. None where too few values leave a side open.

    Args:
        base: float64 [n], n of 1 or more, ascending.
        candidate: float64 [m], m of 1 or more, ascending.
    """
    n, m = len(base), len(candidate)
    pairs, low = n * m, _lowest_rank(n, m)
    middle = [(pairs + 1) // 2, pairs // 2 + 1]
    wanted = [*middle] if low < 1 else [*middle, low, pairs + 1 - low]
    found = _differences_of_rank(base, candidate, wanted)
    shift = (found[0] + found[1]) / 2
    return (shift, None, None) if low < 1 else (shift, found[2], found[3])


def detectable_shift(base: Floats, candidate: Floats, alpha: float, least: float) -> float | None:
    """Return the smallest shift that the test shows with a probability of POWER.

    For distributions near the normal one, whose spread is taken from both samples' median absolute
    deviations: (z(alpha/2) + z(power)) * sigma * sqrt(pi/3 * (1/n + 1/m)) (Lehmann,
    Nonparametrics, 2.3). None where even a complete separation is not shown.

    Args:
        base: float64 [n].
        candidate: float64 [m].
        alpha: two-sided, of this test alone.
        least: a spread is not less than this.
    """
    n, m = len(base), len(candidate)
    log_choices = math.lgamma(n + m + 1) - math.lgamma(n + 1) - math.lgamma(m + 1)
    if n < 2 or m < 2 or math.log(2.0) - log_choices > math.log(alpha):
        return None
    sigma = max(math.sqrt((n * _spread(base) ** 2 + m * _spread(candidate) ** 2) / (n + m)), least)
    # Few values know their own spread badly; by simulation (tests), as Student's does for means.
    few = 1.0 + 4.0 / (n + m - 2)
    return (_z(alpha / 2) + _Z_POWER) * sigma * few * math.sqrt(math.pi / 3 * (1 / n + 1 / m))


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


def _sums_of_all_choices(items: "np.ndarray[tuple[int], np.dtype[np.int64]]", m: int) -> Floats:
    """Return how many choices of m items have each sum, float64 [greatest sum + 1]."""
    most = int(np.sort(items)[-m:].sum())
    counts = np.zeros((m + 1, most + 1))
    counts[0, 0] = 1.0
    for item in items.tolist():
        # From the fullest choice down, so that no item is chosen twice.
        counts[1:, item:] += counts[:-1, : most + 1 - item].copy()
    found: Floats = counts[m]
    return found


@functools.cache
def _lowest_rank(n: int, m: int) -> int:
    """Return the rank, from 1, of the difference that an interval's lower end is; 0 = none."""
    if n + m <= EXACT_MOST:
        sums = _sums_of_all_choices(2 * np.arange(1, n + m + 1), m)[m * (m + 1) :: 2]
        return int(np.searchsorted(np.cumsum(sums) / sums.sum(), 0.025, side="right"))
    return math.floor(n * m / 2 - 1.959964 * math.sqrt(n * m * (n + m + 1) / 12.0))


def _differences_of_rank(base: Floats, candidate: Floats, ranks: list[int]) -> list[float]:
    if len(base) * len(candidate) <= _ALL_PAIRS_MOST:
        differences = np.subtract.outer(candidate, base).ravel()
        differences.partition(sorted({rank - 1 for rank in ranks}))
        return [float(differences[rank - 1]) for rank in ranks]
    return [_difference_of_rank(base, candidate, rank) for rank in ranks]


def _difference_of_rank(base: Floats, candidate: Floats, rank: int) -> float:
    """Return a difference by its rank without making all of them: by halving, to 0.1 us."""
    low, high = float(candidate[0] - base[-1]), float(candidate[-1] - base[0])
    while high - low > _STEP_MS:
        middle = (low + high) / 2
        # Differences of at most `middle`: for each value, the base's values not below it minus it.
        below = len(base) - np.searchsorted(base, candidate - middle, side="left")
        low, high = (low, middle) if int(below.sum()) >= rank else (middle, high)
    # Within the step of a reported millisecond the difference is that millisecond.
    near = round((low + high) / 2)
    return float(near) if abs(near - (low + high) / 2) <= _STEP_MS else (low + high) / 2


def _spread(values: Floats) -> float:
    spread = scaled_mad(values)
    return spread if spread > 0 else float(values.std())


def _z(tail: float) -> float:
    low, high = 0.0, 40.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if normal_below(-middle) > tail else (low, middle)
    return low
