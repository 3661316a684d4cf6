"""Units that are unlike the others of their kind: a median apart, or failures apart.

Medians are compared by the generalised extreme Studentised deviate (Rosner, 1983), so that two odd
units do not hide each other; with one it is Grubbs' test. It takes the medians of alike units as
normal. Failures are compared by Fisher's test, each unit against all others together.
"""

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from resume_rig.analysis.beta import beta_below
from resume_rig.analysis.significance import fisher_p, holm
from resume_rig.model.fleet import OddUnit

UNITS_LEAST: Final = 5
"""With fewer, one that is far from the others cannot be told from a wide spread."""

ALPHA: Final = 0.01
_ODD_MOST: Final = 5  # at most one unit in so many can be odd; more are another kind


def odd_medians(
    medians_ms: Mapping[str, Mapping[str, float]], matters: float
) -> tuple[OddUnit, ...]:
    """Return the units with a median apart.

    Args:
        medians_ms: by measure, each unit's.
        matters: the smallest difference that matters, as a share of the others' middle.
    """
    tried = [name for name, units in medians_ms.items() if len(units) >= UNITS_LEAST]
    found = []
    for name in tried:
        for unit, p in _extremes(medians_ms[name]):
            others = [ms for each, ms in medians_ms[name].items() if each != unit]
            middle = float(np.median(others))
            value = medians_ms[name][unit]
            p_any = min(1.0, p * len(tried))
            if p_any <= ALPHA and abs(value - middle) >= matters * abs(middle):
                found.append(OddUnit(unit, name, value, middle, p_any))
    return tuple(sorted(found, key=lambda odd: (odd.p, odd.unit)))


def odd_failures(counts: Mapping[str, tuple[int, int]]) -> tuple[OddUnit, ...]:
    """Return the units that fail more often than all others together.

    Args:
        counts: failed and judged cycles of each unit; those without a judged one tell nothing.
    """
    judged = {unit: each for unit, each in counts.items() if each[1]}
    if len(judged) < 2:
        return ()
    failed, tried = (sum(each[i] for each in judged.values()) for i in (0, 1))
    ps = [fisher_p(f, n, failed - f, tried - n) for f, n in judged.values()]
    found = []
    for (unit, (f, n)), p in zip(judged.items(), holm(ps), strict=True):
        others = (failed - f) / (tried - n)
        if p <= ALPHA and f / n > others:
            found.append(OddUnit(unit, None, f / n, others, p))
    return tuple(sorted(found, key=lambda odd: (odd.p, odd.unit)))


def _extremes(medians_ms: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the odd units with the chance of so odd a one; the most extreme first."""
    left = dict(medians_ms)
    stages: list[tuple[str, float]] = []
    for _ in range(max(1, len(left) // _ODD_MOST)):
        values = np.asarray(list(left.values()))
        spread = float(values.std(ddof=1))
        if spread == 0.0:
            break
        away = np.abs(values - values.mean())
        place = int(away.argmax())
        unit = list(left)[place]
        stages.append((unit, _grubbs_p(float(away[place]) / spread, len(values))))
        del left[unit]
    last = max((i for i, (_, p) in enumerate(stages, 1) if p <= ALPHA), default=0)
    # One that hides behind another is as odd as the last that shows.
    return [(unit, min(p for _, p in stages[i:last])) for i, (unit, _) in enumerate(stages[:last])]


def _grubbs_p(g: float, n: int) -> float:
    """Return the chance that the most extreme of `n` is `g` deviations away or more (two-sided)."""
    most = (n - 1) ** 2 - n * g * g
    if most <= 0.0:
        return 0.0
    t_squared = n * (n - 2) * g * g / most
    freedom = n - 2
    tails = beta_below(freedom / (freedom + t_squared), freedom / 2, 0.5)
    return min(1.0, n * tails) if math.isfinite(tails) else 1.0
