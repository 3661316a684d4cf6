"""A study of the measurement system: repeatability and reproducibility of times.

The words are those of ISO 5725-2 (repeatability within a session; reproducibility over sessions and
rigs) and of AIAG's Measurement Systems Analysis (gauge R&R in % of the total variation, distinct
categories). docs/reference/msa.md has the method.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from resume_rig.analysis.compare.samples import COMPARED, HEADLINES, sample_of
from resume_rig.analysis.compare.samples import Evidence as SessionEvidence
from resume_rig.analysis.stats.figures import chi_squared_quantile
from resume_rig.analysis.stats.sessions import warm_up_of
from resume_rig.analysis.stats.trend import Floats
from resume_rig.model.evidence import band_of
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.comparison import (
    Component,
    Deviation,
    MeasureStudy,
    Source,
    Study,
    StudySession,
)

Ints = npt.NDArray[np.int64]
# Of 95 %, on either side.
_TAIL: Final = 0.025
_SINGULAR: Final = 1e9
"""From this condition of the equations on, they do not separate their unknowns. Assumed: a float64
has 1e16."""


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

    Intervals are of the modified large-sample method (Graybill and Wang, 1980; Burdick and
    Graybill, 1992), which takes the mean squares as independent and chi-squared: exact for
    repeatability, near for balanced designs, and an approximation for others.

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

    Random-effects analysis of variance: value = mean + unit + rig + unit x rig + session + cycle.
    Every effect is random, sessions are nested in unit and rig. Sums of squares are equated with
    their expectations (Henderson's method 1, 1953; Searle, Casella and McCulloch, 1992, 5.3), which
    holds for any numbers of cycles, sessions and absent cells, and is the textbook's analysis of
    variance where the design is balanced.

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
    """Return the sources that can be separated, the forms of their squares, and their freedom."""
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


_CATEGORIES: Final = 1.41
"""AIAG, Measurement Systems Analysis, 4th edition: sqrt(2), as it is rounded there."""

_ORDER: Final = (*HEADLINES, *(name for name in COMPARED if name not in HEADLINES))


def study_session(evidence: SessionEvidence, kind: SleepKind, unit: str, rig: str) -> StudySession:
    """Return one session of a study; the warm-up of each time is left out."""
    sample = sample_of(evidence, kind)
    times = {
        name: tuple(values[warm_up_of(np.asarray(values)) :])
        for name, values in sample.times_ms.items()
    }
    return StudySession(evidence.path, unit, rig, times, evidence.simulated)


def study_of(sessions: Sequence[StudySession]) -> Study:
    """Return what sessions on several units and rigs show of the measurement system."""
    found = [_measure(name, sessions) for name in _ORDER]
    return Study(
        sessions=tuple((each.path, each.unit, each.rig) for each in sessions),
        measures=tuple(each for each in found if each is not None),
        notes=tuple(_notes(sessions)),
    )


def _measure(name: str, sessions: Sequence[StudySession]) -> MeasureStudy | None:
    there = [each for each in sessions if each.times_ms.get(name)]
    units = list(dict.fromkeys(each.unit for each in there))
    rigs = list(dict.fromkeys(each.rig for each in there))
    sums = [_sums(each, name, units.index(each.unit), rigs.index(each.rig)) for each in there]
    found = variance_components(sums)
    if found is None:
        return None
    measuring = [source for source in found.sources if source is not Source.UNIT]
    between = [source for source in measuring if source is not Source.REPEATABILITY]
    total = found.variance(*found.sources)
    grr = found.variance(*measuring)
    values = sum(each.n for each in sums)
    cycles = round(float(np.median([each.n for each in sums])))
    repeatability = found.variance(Source.REPEATABILITY)
    return MeasureStudy(
        name=name,
        mean_ms=sum(each.n * each.mean for each in sums) / values,
        values=values,
        units=len(units),
        rigs=len(rigs),
        sessions=len(sums),
        components=tuple(_component(found, each, total) for each in found.sources),
        repeatability=_deviation(found, Source.REPEATABILITY),
        reproducibility=_deviation(found, *measuring),
        total=_deviation(found, *found.sources),
        grr_percent=_percent(grr, total) if Source.UNIT in found.sources else None,
        categories=_categories(found, grr),
        session_cycles=cycles,
        session_mean_ms=math.sqrt(found.variance(*between) + repeatability / cycles),
    )


def _sums(session: StudySession, name: str, unit: int, rig: int) -> SessionSums:
    values = np.asarray(session.times_ms[name])
    squares = float(((values - values.mean()) ** 2).sum())
    return SessionSums(unit, rig, len(values), float(values.mean()), squares)


def _component(found: Components, source: Source, total: float) -> Component:
    place = found.sources.index(source)
    return Component(
        source=source,
        deviation=_deviation(found, source),
        freedom=int(found.freedom[place]),
        share=found.variance(source) / total if total > 0 else 0.0,
        contains_session=_contains_session(found.sources, source),
    )


def _contains_session(sources: tuple[Source, ...], source: Source) -> bool:
    """Return whether sessions, which are not separated, vary together with `source`."""
    return Source.SESSION not in sources and sources[-2:-1] == (source,)


def _deviation(found: Components, *sources: Source) -> Deviation:
    low, high = found.interval(*sources)
    variance = found.variance(*sources)
    if high <= 0.0:
        # A variance so far below 0 that even its upper end is: the method has no answer.
        return Deviation(math.sqrt(variance), None, None)
    return Deviation(math.sqrt(variance), math.sqrt(low), math.sqrt(max(high, variance)))


def _percent(part: float, total: float) -> float:
    return 100.0 * math.sqrt(part / total) if total > 0 else 0.0


def _categories(found: Components, grr: float) -> int | None:
    if Source.UNIT not in found.sources or grr <= 0.0:
        return None
    return math.floor(_CATEGORIES * math.sqrt(found.variance(Source.UNIT) / grr))


def _notes(sessions: Sequence[StudySession]) -> list[str]:
    units, rigs = ({each.unit for each in sessions}, {each.rig for each in sessions})
    cells = {(each.unit, each.rig) for each in sessions}
    band = band_of([each.simulated for each in sessions], "sessions")
    notes = [f"{band}."] if band else []
    if len(units) < 2:
        notes.append("One unit: variation from unit to unit, %GRR and categories need several.")
    if len(rigs) < 2:
        notes.append("One rig: what differs from rig to rig is not in the reproducibility.")
    elif len(cells) == len(units) == len(rigs):
        notes.append(
            "Each unit was on a rig of its own: unit and rig cannot be separated; measure the "
            "same units on every rig."
        )
    elif len(cells) < len(units) * len(rigs):
        notes.append(
            f"{len(cells)} of {len(units) * len(rigs)} pairs of unit and rig were measured: the "
            "intervals are approximate."
        )
    if len(sessions) == len(cells):
        notes.append(
            "One session a pair of unit and rig: sessions cannot be separated from these; "
            "repeat each pair in another session."
        )
    return notes
