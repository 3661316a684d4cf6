"""Which times of a log or a campaign make series, and what each shows."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from resume_rig.analysis.measures import Side, Sighting, is_rate, measured, side_of, sighting_of
from resume_rig.analysis.series import MeasuredTimes, series_statistics
from resume_rig.model.cycle import IntervalName, ReconciledCycle
from resume_rig.model.judgement import JudgedRecord
from resume_rig.model.outcome import CAME_BACK
from resume_rig.model.requirement import BIOS, RESUME, Requirement
from resume_rig.model.series import SeriesStatistics

_INSIDE: Final = (RESUME, BIOS, "driver_init_ms")
_WHOLE: Final = (
    "press_to_resume_complete_ns",
    IntervalName.PRESS_TO_LIGHT.value,
    IntervalName.PRESS_TO_PLTRST.value,
    IntervalName.PLTRST_TO_LIGHT.value,
)
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
    found = {measure: MeasuredTimes() for measure in _with_limited(_INSIDE, requirement)}
    for number, seen in sightings:
        _add(found, found, number, seen)
    return _statistics(found)


def cycle_series(
    cycles: Collection[ReconciledCycle], requirement: Requirement
) -> tuple[SeriesStatistics, ...]:
    """Return the series of a campaign, of the cycles that `measured_times` takes."""
    judged, found = measured_times(cycles, _with_limited((*_INSIDE, *_WHOLE), requirement))
    return tuple(replace(one, judged=judged) for one in _statistics(found))


def measured_times(
    cycles: Collection[ReconciledCycle], measures: Iterable[str]
) -> tuple[bool, dict[str, MeasuredTimes]]:
    """Return whether any cycle is judged, and the times of those that figures are made of.

    They are the judged ones. The wires of undecided ones are measured, whatever became of their
    records, and a DUT loses the records of its slow cycles: so times between wires are of those,
    too. Where none is judged, they are of all that slept and woke.
    """
    judged = any(cycle.judged for cycle in cycles)
    found = {measure: MeasuredTimes() for measure in measures}
    wires = [measure for measure in found if side_of(measure) is Side.OUTSIDE]
    for cycle in cycles:
        if cycle.judged:
            _add(found, found, cycle.outside.number, sighting_of(cycle))
        elif wires_count(cycle, judged=judged):
            _add(found, wires, cycle.outside.number, Sighting(None, cycle))
    return judged, found


def wires_count(cycle: ReconciledCycle, *, judged: bool) -> bool:
    """Return whether a cycle's times between wires are in the figures of its campaign.

    Args:
        cycle: as it was ruled upon.
        judged: whether any cycle of the campaign is.
    """
    if cycle.judged:
        return True
    woke = cycle.undecided and cycle.outside.outcome in CAME_BACK
    return woke or (not judged and cycle.timed_outside)


def _with_limited(usual: Sequence[str], requirement: Requirement) -> Iterable[str]:
    limited = (limit.measure for limit in requirement.limits() if not is_rate(limit.measure))
    return dict.fromkeys((*usual, *limited))


def _add(
    found: Mapping[str, MeasuredTimes], measures: Iterable[str], number: int, seen: Sighting
) -> None:
    for measure in measures:
        value = measured(measure, seen)
        if value is not None:
            found[measure].add(number, value)


def _statistics(found: Mapping[str, MeasuredTimes]) -> tuple[SeriesStatistics, ...]:
    return tuple(
        series_statistics(
            measure,
            times.values_ms,
            times.numbers,
            _step_ms(measure),
            bounds_ms=times.bounds_ms,
            common=times.common,
        )
        for measure, times in found.items()
        if times.numbers
    )


def _step_ms(measure: str) -> float:
    return _OS_STEP_MS if side_of(measure) is Side.INSIDE else _WIRE_STEP_MS
