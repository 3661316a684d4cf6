"""Variance components of sessions on units and rigs: random-effects analysis of variance.

    value = mean + unit + rig + unit x rig + session + cycle

Every effect is random, sessions are nested in unit and rig. Sums of squares are equated with their
expectations (Henderson's method 1, 1953; Searle, Casella and McCulloch, 1992, 5.3), which holds for
any numbers of cycles, sessions and absent cells, and is the textbook's analysis of variance where
the design is balanced. Intervals are of the modified large-sample method (Graybill and Wang, 1980;
Burdick and Graybill, 1992), which takes the mean squares as independent and chi-squared: exact for
repeatability, near for balanced designs, and an approximation for others.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from resume_rig.analysis.stats.distributions import chi_squared_quantile
from resume_rig.analysis.stats.trend import Floats
from resume_rig.model.result.precision import Source

Ints = npt.NDArray[np.int64]
# Of 95 %, on either side.
_TAIL: Final = 0.025
_SINGULAR: Final = 1e9
"""From this condition of the equations on, they do not tell their unknowns apart."""


@dataclass(frozen=True, slots=True)
class SessionSums:
    """One session as the analysis needs it.

    Attributes:
        unit, rig: numbers of them.
        n: cycles, 1 or more.
        mean: of its values.
        squares: sum of squares of its values about their mean.
    """

    unit: int
    rig: int
    n: int
    mean: float
    squares: float


@dataclass(frozen=True, slots=True)
class Components:
    """Estimates of the variances, as linear functions of mean squares.

    Attributes:
        sources: that are estimated, repeatability last.
        mean_squares: of the sources, float64 [k].
        freedom: their degrees of freedom, float64 [k].
        weights: variance of source i is weights[i] @ mean_squares, float64 [k, k].
    """

    sources: tuple[Source, ...]
    mean_squares: Floats
    freedom: Floats
    weights: Floats

    def variance(self, *sources: Source) -> float:
        """Return the sum of the variances of sources, those below 0 taken as 0."""
        found = self.weights @ self.mean_squares
        return sum(max(0.0, float(found[self.sources.index(each)])) for each in sources)

    def interval(self, *sources: Source) -> tuple[float, float]:
        """Return the 95 % interval of the sum of the variances of sources, its ends 0 or more."""
        rows = [self.sources.index(each) for each in sources]
        parts = self.weights[rows].sum(axis=0) * self.mean_squares
        estimate = float(parts.sum())
        # How far a mean square may lie above its expectation, and below, as shares of it.
        above = [1.0 - f / chi_squared_quantile(1.0 - _TAIL, f) for f in self.freedom.tolist()]
        below = [f / chi_squared_quantile(_TAIL, f) - 1.0 for f in self.freedom.tolist()]
        down = math.sqrt(_squares(np.where(parts > 0, above, below) * parts))
        up = math.sqrt(_squares(np.where(parts > 0, below, above) * parts))
        return max(0.0, estimate - down), max(0.0, estimate + up)


def variance_components(sessions: Sequence[SessionSums]) -> Components | None:
    """Return the components that the design shows; None where it shows none.

    A source that the design does not separate from another one is absent, and is contained in that.
    """
    labels = _labels(sessions)
    n = np.asarray([each.n for each in sessions], dtype=np.float64)
    sums = n * np.asarray([each.mean for each in sessions])
    within = int(n.sum()) - len(sessions)
    if within < 1:
        return None
    steps = _steps(labels)
    sources = (*(source for source, _, _ in steps), Source.REPEATABILITY)
    forms = {
        name: float((_by(each, sums) ** 2 / _by(each, n)).sum()) for name, each in labels.items()
    }
    squares = [sum(sign * forms[name] for name, sign in parts) for _, parts, _ in steps]
    expected = np.zeros((len(sources), len(sources)))
    for row, (_, parts, degrees) in enumerate(steps):
        for column, source in enumerate(sources[:-1]):
            expected[row, column] = sum(
                sign * _expected(labels[name], labels[source.value], n) for name, sign in parts
            )
        expected[row, -1] = degrees
    expected[-1, -1] = within
    freedom = np.asarray([*(f for _, _, f in steps), within], dtype=np.float64)
    mean_squares = np.asarray([*squares, sum(each.squares for each in sessions)]) / freedom
    if np.linalg.cond(expected / freedom[:, np.newaxis]) > _SINGULAR:
        return None
    weights: Floats = np.linalg.inv(expected) * freedom
    return Components(sources, mean_squares, freedom, weights)


_MEAN: Final = "mean"
_UNIT, _RIG = Source.UNIT.value, Source.RIG.value
_CELL, _SESSION = Source.UNIT_BY_RIG.value, Source.SESSION.value
_Step = tuple[Source, tuple[tuple[str, int], ...], int]


def _steps(labels: dict[str, Ints]) -> list[_Step]:
    """Return the sources that can be told apart, the forms of their squares, and their freedom."""
    count = {name: int(each.max()) + 1 for name, each in labels.items()}
    units, rigs, cells = count[_UNIT], count[_RIG], count[_CELL]
    found: list[_Step] = []
    if units > 1:
        # Units each on one rig, on which there are others too, lie within their rig.
        nested = cells == units and units > rigs > 1
        below = (_RIG, rigs) if nested else (_MEAN, 1)
        found.append((Source.UNIT, ((_UNIT, 1), (below[0], -1)), units - below[1]))
    if rigs > 1 and not cells == units == rigs:
        nested = cells == rigs and rigs > units > 1
        below = (_UNIT, units) if nested else (_MEAN, 1)
        found.append((Source.RIG, ((_RIG, 1), (below[0], -1)), rigs - below[1]))
    crossed = min(units, rigs) > 1 and cells > max(units, rigs)
    if crossed and cells - units - rigs + 1 > 0:
        all_four = ((_CELL, 1), (_UNIT, -1), (_RIG, -1), (_MEAN, 1))
        found.append((Source.UNIT_BY_RIG, all_four, cells - units - rigs + 1))
    if count[_SESSION] > cells:
        found.append((Source.SESSION, ((_SESSION, 1), (_CELL, -1)), count[_SESSION] - cells))
    return found


def _labels(sessions: Sequence[SessionSums]) -> dict[str, Ints]:
    units, rigs = ([getattr(each, name) for each in sessions] for name in ("unit", "rig"))
    return {
        _MEAN: np.zeros(len(sessions), dtype=np.int64),
        _UNIT: _numbered(units),
        _RIG: _numbered(rigs),
        _CELL: _numbered(list(zip(units, rigs, strict=True))),
        _SESSION: np.arange(len(sessions), dtype=np.int64),
    }


def _numbered(values: Sequence[object]) -> Ints:
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return np.asarray([numbers[value] for value in values], dtype=np.int64)


def _by(labels: Ints, values: Floats) -> Floats:
    """Return the sums of values of each label."""
    return np.bincount(labels, weights=values).astype(np.float64)


def _expected(levels: Ints, effects: Ints, n: Floats) -> float:
    """Return how often the variance of an effect is in the form of a factor.

    The form is the sum over levels of (sum of values)^2 / cycles; of each level it holds the sum of
    (cycles with one effect)^2 over its cycles.
    """
    both = levels * (int(effects.max()) + 1) + effects
    pairs, places = np.unique(both, return_index=True)
    together = np.bincount(np.searchsorted(pairs, both), weights=n)
    return float((together**2 / _by(levels, n)[levels[places]]).sum())


def _squares(values: Floats) -> float:
    return float((values**2).sum())
