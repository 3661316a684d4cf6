"""Tests on a series of cycles: drift, steps, training, dependence, and many tests at once.

Times are compared by ranks, so that one wild value is worth no more than any other.
docs/reference/statistics.md and docs/reference/compare.md have what the tests were checked with.
"""

import math
from collections.abc import Sequence
from itertools import combinations, pairwise
from statistics import median
from typing import Final

import numpy as np
import numpy.typing as npt

from resume_rig.analysis.stats.figures import normal_below, rank_below
from resume_rig.model.result.series import ChangePoint, Drift, Training

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

VALUES_LEAST = 10
"""Below it the normal approximation of Mann and Kendall's test does not hold (Kendall, 1975)."""

# Assumed: half a million slopes; memory decides.
_ALL_PAIRS_MOST = 1_000
# How a drift is stated.
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
        low = math.floor((len(slopes) - reach) / 2)
        high = math.floor((len(slopes) + reach) / 2 + 1)
    else:
        half = n // 2
        slopes = np.sort((values_ms[n - half :] - values_ms[:half]) / (n - half))
        low = rank_below(half, 0.5, 0.025)
        high = half + 1 - low
    return Drift(
        slope_ms=_PER_CYCLES * float(np.median(slopes)),
        low_ms=_PER_CYCLES * float(slopes[low - 1]),
        high_ms=_PER_CYCLES * float(slopes[high - 1]),
        p=2.0 * normal_below(-z),
    )


TRAINED_WITHIN = 0.05
"""How far trained boots may lie from their median. In table 4 of Microsoft's paper on on/off
transitions they lie within 1.7 %, and the last boot before them 8.9 % above."""

# As many as xbootmgr makes to train a system (-prepSystem).
_TRAINING_MOST = 6
# Assumed: fewer boots do not show that they repeat.
_TRAINED_LEAST = 3


def training_of(lengths_ms: Sequence[float]) -> Training | None:
    """Return the first boots of a series in which the prefetcher learnt; None where it shows none.

    They are slower than all that follow, which repeat: 47538, 24906, 18765, then 16953, 17277
    and 17239 ms in the paper. A series that scatters more than that shows no training.

    Args:
        lengths_ms: of the boots in their order; NaN where one is not reported.
    """
    for runs in range(1, min(_TRAINING_MOST, len(lengths_ms) - _TRAINED_LEAST) + 1):
        trained_ms = median(lengths_ms[runs:])
        reach_ms = TRAINED_WITHIN * trained_ms
        is_settled = all(abs(each - trained_ms) <= reach_ms for each in lengths_ms[runs:])
        if is_settled and all(each > trained_ms + reach_ms for each in lengths_ms[:runs]):
            return Training(runs, len(lengths_ms), lengths_ms[0], lengths_ms[runs - 1], trained_ms)
    return None


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
    size = 1 << (n - 1).bit_length()
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


def levels_between(values: Floats, cuts: list[int]) -> list[float]:
    """Return the median of each stretch of `values` between 0, `cuts` and its end."""
    return [float(np.median(values[a:b])) for a, b in pairwise([0, *cuts, len(values)])]


# Of a level series, one stretch in a hundred is cut. Assumed: decides what is called a step.
ALPHA = 0.01
STRETCH_LEAST = 8
"""Values that a level needs: with fewer, chance makes such steps. Assumed."""

# Above it the approximation holds (`_bridge_above`; host/tests/analysis/test_series.py).
_PERMUTED_MOST = 300
# The least p is then a tenth of ALPHA.
_PERMUTATIONS = 999
# Bounds the work on a wild series; assumed: decides how many of its steps are named.
_CHANGES_MOST = 50
# Any; the same one gives the same answer.
_SEED = 20_110_411


def change_points_of(values_ms: Floats, numbers: list[int]) -> tuple[ChangePoint, ...]:
    """Return the steps of a series, in order; at most 50, the clearest of a wild series.

    A stretch is cut where the sum of the ranks before the cut is farthest from that of a level
    series, in its own standard deviations, if chance makes so much in less than 1 % of stretches.
    Each level of cuts looks at every value once, so the whole takes O(n log n). A step up and down
    again within one stretch shows less than it could: the weakness of binary segmentation.

    Args:
        values_ms: float64 [n], in the order of the cycles.
        numbers: of the cycles.
    """
    generator = np.random.default_rng(_SEED)
    cuts: dict[int, float] = {}
    stretches = [(0, len(values_ms))]
    while stretches and len(cuts) < _CHANGES_MOST:
        start, end = stretches.pop(0)
        found = _cut(values_ms[start:end], generator)
        if found is not None:
            place, p = start + found[0], found[1]
            cuts[place] = p
            stretches += [(start, place), (place, end)]
    if not cuts:
        return ()
    places = _settled(values_ms, sorted(cuts))
    levels = levels_between(values_ms, places)
    steps = zip(places, sorted(cuts), pairwise(levels), strict=True)
    return tuple(
        ChangePoint(numbers[place], before, after, cuts[cut])
        for place, cut, (before, after) in steps
    )


def _cut(values: Floats, generator: np.random.Generator) -> tuple[int, float] | None:
    """Return where a stretch changes its level, and the chance of that; None where it does not."""
    n = len(values)
    if n < 2 * STRETCH_LEAST:
        return None
    ranks = ranks_of(values) - (n + 1) / 2.0
    spread = float(ranks.std())
    if spread == 0.0:
        return None
    k = np.arange(STRETCH_LEAST, n - STRETCH_LEAST + 1)
    scale = spread * np.sqrt(k * ((n - k) / (n - 1.0)))
    heights = np.abs(np.cumsum(ranks)[k - 1]) / scale
    best = int(np.argmax(heights))
    height = float(heights[best])
    if n <= _PERMUTED_MOST:
        shuffled = generator.permuted(np.tile(ranks, (_PERMUTATIONS, 1)), axis=1)
        by_chance = (np.abs(np.cumsum(shuffled, axis=1)[:, k - 1]) / scale).max(axis=1)
        p = (1 + int((by_chance >= height - 1e-9).sum())) / (_PERMUTATIONS + 1)
    else:
        p = _bridge_above(height, STRETCH_LEAST / n)
    return (int(k[best]), p) if p <= ALPHA else None


def _settled(values: Floats, cuts: list[int]) -> list[int]:
    """Return the cuts, each moved to the best place between its neighbours."""
    bounds = [0, *cuts, len(values)]
    for index in range(1, len(bounds) - 1):
        start, end = bounds[index - 1], bounds[index + 1]
        bounds[index] = start + _best_place(values[start:end])
    return bounds[1:-1]


def _best_place(values: Floats) -> int:
    """Return the cut that divides a stretch best; both sides keep STRETCH_LEAST values."""
    n = len(values)
    k = np.arange(STRETCH_LEAST, n - STRETCH_LEAST + 1)
    sums = np.cumsum(ranks_of(values) - (n + 1) / 2.0)[k - 1]
    return int(k[int(np.argmax(np.abs(sums) / np.sqrt(k * (n - k))))])


def _bridge_above(x: float, edge: float) -> float:
    """Return the chance that |B(t)| / sqrt(t (1 - t)) is above x anywhere in edge..1 - edge.

    B is a Brownian bridge; the approximation is that of James, James and Siegmund (1987). Where
    that is likely it may be above 1.
    """
    if x < 1.5:
        return 1.0
    density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    length = 2.0 * math.log((1.0 - edge) / edge)
    return density * ((x - 1.0 / x) * length + 4.0 / x)


_CHOICES_MOST: Final = 10_000


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
    """Return the two-sided chance of counts so unlikely where both fail as often (Fisher, 1934)."""
    first, p = _tables(base_failed, base_n, candidate_failed, candidate_n)
    own = p[candidate_failed - first]
    return min(1.0, float(p[p <= own * (1 + 1e-9)].sum()))


def higher_by_chance(few: int, of: int, others: int, of_others: int) -> float:
    """Return the one-sided chance of `few` or more of `of`, where the others do it as often.

    Fisher's exact test: `others` of `of_others` do it beside them.
    """
    first, p = _tables(others, of_others, few, of)
    return min(1.0, float(p[few - first :].sum()))


def _tables(failed: int, n: int, candidate_failed: int, candidate_n: int) -> tuple[int, Floats]:
    """Return the fewest of the candidate's that can fail, and the chances of so many and more."""
    both = failed + candidate_failed
    # By the ratios of neighbours: factorials of all cycles of a lab would take their time.
    possible = np.arange(max(0, both - n), min(both, candidate_n) + 1).astype(np.float64)
    k = possible[:-1]
    ratios = np.log((candidate_n - k) * (both - k) / ((k + 1) * (n - both + k + 1)))
    log_p = np.concatenate([[0.0], np.cumsum(ratios)])
    p = np.exp(log_p - log_p.max())
    return int(possible[0]), p / p.sum()


def later_by_chance(values: Floats, others: Floats) -> float:
    """Return the one-sided chance that `values` rank so high among `others`, all being alike.

    Mann and Whitney's test, exactly where 10,000 ways to choose them are counted, else by its
    normal approximation.
    """
    n, m = len(values), len(others)
    ranks = ranks_of(np.concatenate([values, others]))
    found = float(ranks[:n].sum())
    if math.comb(n + m, n) <= _CHOICES_MOST:
        sums = np.fromiter((sum(each) for each in combinations(ranks.tolist(), n)), np.float64)
        return float((sums >= found - 1e-9).mean())
    spread = math.sqrt(n * m / (n + m) * float(ranks.var()) * (n + m) / (n + m - 1.0))
    away = found - 0.5 - n * (n + m + 1) / 2.0
    return 1.0 if spread == 0.0 else normal_below(-away / spread)


def holm(ps: list[float]) -> list[float]:
    """Return p values adjusted for their number (Holm, 1979), in the order they came in."""
    adjusted, running = [0.0] * len(ps), 0.0
    for place, index in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        running = max(running, min(1.0, (len(ps) - place) * ps[index]))
        adjusted[index] = running
    return adjusted
