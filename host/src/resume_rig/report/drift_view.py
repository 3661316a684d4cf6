"""How the times of a campaign lie and go: what the page draws over times and over cycles."""

from dataclasses import dataclass

from resume_rig.model.cycle import Correlation, IntervalName
from resume_rig.model.requirement import RESUME, Comparison
from resume_rig.model.series import SeriesStatistics
from resume_rig.report.failure_view import is_failure
from resume_rig.report.milestones import NS_PER_MS
from resume_rig.report.summary import light_times, resume_times
from resume_rig.report.svg_drift import DriftPicture, drift_picture
from resume_rig.report.svg_histogram import Histogram, distribution, histogram

_LIGHT = IntervalName.PRESS_TO_LIGHT.value


@dataclass(frozen=True, slots=True)
class NamedDrift:
    """A drawing over the cycles; `id` is unique on the page, `what` its axis."""

    id: str
    what: str
    picture: DriftPicture


@dataclass(frozen=True, slots=True)
class LightHistogram:
    """A drawing of times to light, and what it is of."""

    picture: Histogram
    what: str
    note: str


def drifts(
    correlation: Correlation, trigger: str, limit_ms: float | None
) -> tuple[NamedDrift, ...]:
    """Return what is drawn over the cycles: the resume, and light; those that there are."""
    cycles = correlation.cycles
    failed = [cycle.outside.number for cycle in cycles if is_failure(cycle)]
    last = max((cycle.outside.number for cycle in cycles), default=0)
    known = {one.name: one for one in correlation.series}
    wanted: tuple[
        tuple[str, str, list[tuple[int, float]], SeriesStatistics | None, float | None], ...
    ] = (
        ("drift-resume", "BIOS + drivers", resume_times(cycles), known.get(RESUME), limit_ms),
        (
            "drift-light",
            f"{trigger} to light",
            light_times(cycles),
            known.get(_LIGHT),
            _limit_of(correlation),
        ),
    )
    found = []
    for name, what, series, statistics, limit in wanted:
        picture = drift_picture(series, statistics, failed, limit, last)
        if picture is not None:
            found.append(NamedDrift(name, what, picture))
    return tuple(found)


def light_histogram(correlation: Correlation, trigger: str) -> LightHistogram | None:
    """Return the drawing of the times to light, against their limit where they have one."""
    times = [time for _, time in light_times(correlation.cycles)]
    limit_ms = _limit_of(correlation)
    picture = distribution(times) if limit_ms is None else histogram(times, limit_ms)
    if picture is None:
        return None
    return LightHistogram(picture, f"{trigger} to light", f"From {trigger} to light.")


def _limit_of(correlation: Correlation) -> float | None:
    """Return the required limit on light [ms], where there is one."""
    limits = (each.limit for each in correlation.limits if each.limit.measure == _LIGHT)
    strict = (each for each in limits if each.required and each.share is None)
    return next(
        (each.value / NS_PER_MS for each in strict if each.comparison is Comparison.AT_MOST), None
    )
