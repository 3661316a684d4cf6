"""Which times of a log or a campaign make series, and what each shows."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from resume_rig.analysis.measures import Side, Sighting, is_rate, measured, side_of, sighting_of
from resume_rig.analysis.series import MeasuredTimes, series_statistics
from resume_rig.model.cycle import IntervalName, ReconciledCycle
from resume_rig.model.judgement import JudgedRecord
from resume_rig.model.requirement import BIOS, RESUME, Requirement
from resume_rig.model.series import SeriesStatistics

_INSIDE: Final = (RESUME, BIOS, "driver_init_ms")
_WHOLE: Final = (
    "press_to_resume_complete_ns",
    IntervalName.PRESS_TO_LIGHT.value,
    IntervalName.PRESS_TO_PLTRST.value,
    IntervalName.PLTRST_TO_LIGHT.value,
)
_WIRES: Final = tuple(name for name in _WHOLE if side_of(name) is Side.OUTSIDE)
_OS_STEP_MS: Final = 1.0
_WIRE_STEP_MS: Final = 0.01


def log_series(
    cycles: Sequence[JudgedRecord], requirement: Requirement
) -> tuple[SeriesStatistics, ...]:
    """Return the series of the judged records; numbers are those of their records.

    Where records have no number, or two the same, each stands for itself by its place, from 1.
    """
    judged = [(place, c.record) for place, c in enumerate(cycles, 1) if c.judged]
    ids = [record.record_id for _, record in judged]
    named = None not in ids and len(set(ids)) == len(ids)
    sightings = [
        (record.record_id if named and record.record_id is not None else place, Sighting(record))
        for place, record in judged
    ]
    return _series(sightings, _INSIDE, requirement)


def cycle_series(
    cycles: Collection[ReconciledCycle], requirement: Requirement
) -> tuple[SeriesStatistics, ...]:
    """Return the series of the judged cycles; numbers are those of the cycles.

    Where none is judged, the intervals between wires of all that slept and woke: they are
    measured, whatever became of the log.
    """
    judged, sightings = told_of(cycles)
    if judged:
        return _series(sightings, (*_INSIDE, *_WHOLE), requirement)
    return tuple(replace(one, judged=False) for one in _series(sightings, _WIRES, requirement))


def told_of(
    cycles: Collection[ReconciledCycle],
) -> tuple[bool, Iterator[tuple[int, Sighting]]]:
    """Return whether any cycle is judged, and number and sighting of those that times are told of.

    They are the judged ones; where none is, the wires of those that slept and woke.
    """
    if any(cycle.judged for cycle in cycles):
        return True, ((c.outside.number, sighting_of(c)) for c in cycles if c.judged)
    return False, ((c.outside.number, Sighting(None, c)) for c in cycles if c.timed_outside)


def _series(
    sightings: Iterable[tuple[int, Sighting]], usual: Sequence[str], requirement: Requirement
) -> tuple[SeriesStatistics, ...]:
    limited = [limit.measure for limit in requirement.limits() if not is_rate(limit.measure)]
    found = {measure: MeasuredTimes() for measure in (*usual, *limited)}
    for number, seen in sightings:
        for measure, column in found.items():
            value = measured(measure, seen)
            if value is not None:
                column.add(number, value)
    return tuple(
        series_statistics(
            measure,
            column.values_ms,
            column.numbers,
            _step_ms(measure),
            bounds_ms=column.bounds_ms,
            common=column.common,
        )
        for measure, column in found.items()
        if column.numbers
    )


def _step_ms(measure: str) -> float:
    return _OS_STEP_MS if side_of(measure) is Side.INSIDE else _WIRE_STEP_MS
