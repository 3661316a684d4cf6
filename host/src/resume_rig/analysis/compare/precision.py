"""A study of the measurement system: repeatability and reproducibility of times.

The words are those of ISO 5725-2 (repeatability within a session; reproducibility over sessions and
rigs) and of AIAG's Measurement Systems Analysis (gauge R&R in % of the total variation, distinct
categories).
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from resume_rig.analysis.compare.samples import COMPARED, HEADLINES, sample_of
from resume_rig.analysis.compare.samples import Evidence as SessionEvidence
from resume_rig.analysis.stats.sessions import warm_up_of
from resume_rig.analysis.stats.variance_components import (
    Components,
    SessionSums,
    variance_components,
)
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.precision import (
    Component,
    Deviation,
    MeasureStudy,
    Source,
    Study,
    StudySession,
)

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
    return StudySession(evidence.path, unit, rig, times)


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
    """Return whether sessions, which are not told apart, vary together with `source`."""
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
    notes = []
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
