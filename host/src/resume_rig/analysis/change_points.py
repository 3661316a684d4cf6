"""Where the level of a series changes: binary segmentation on ranks.

Ranks make one wild value worth no more than any other. A stretch is cut where the sum of the ranks
before the cut is farthest from that of a level series, in its own standard deviations, if chance
makes so much in less than 1 % of stretches: counted over seeded permutations of short stretches;
on long ones by the approximation of James, James and Siegmund (1987) for the greatest height of a
scaled Brownian bridge. Each level of cuts looks at every value once, so the whole takes
O(n log n). A step up and down again within one stretch shows less than it could; that is the
weakness of binary segmentation.
"""

import math
from itertools import pairwise

import numpy as np

from resume_rig.analysis.trend import Floats, levels_between, ranks_of
from resume_rig.model.series import ChangePoint

ALPHA = 0.01
STRETCH_LEAST = 8
"""Values that a level needs: with fewer, chance makes such steps."""

_PERMUTED_MOST = 300
_PERMUTATIONS = 999
_CHANGES_MOST = 50
_SEED = 20_110_411


def change_points_of(values_ms: Floats, numbers: list[int]) -> tuple[ChangePoint, ...]:
    """Return the steps of a series, in order; at most 50, the clearest of a wild series.

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
    """Return the chance that |B(t)| / sqrt(t (1 - t)) is above x anywhere in edge..1 - edge."""
    if x < 1.5:
        return 1.0
    density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    length = 2.0 * math.log((1.0 - edge) / edge)
    return min(1.0, density * ((x - 1.0 / x) * length + 4.0 / x))
