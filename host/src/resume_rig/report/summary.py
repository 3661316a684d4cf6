"""Figures over a campaign's cycles: what S3Resume prints, and the middle."""

import statistics
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from resume_rig.analysis.campaign_series import wires_count
from resume_rig.model.cycle import ReconciledCycle
from resume_rig.report.milestones import NS_PER_MS, outside_milestones


@dataclass(frozen=True, slots=True)
class TimesSummary:
    """Of a non-empty set of times in milliseconds."""

    n: int
    min_ms: float
    median_ms: float
    mean_ms: float
    max_ms: float


@dataclass(frozen=True, slots=True)
class CampaignSummary:
    """Over the judged cycles; light over those whose wires count (analysis/campaign_series.py).

    None where no cycle has the time.

    Attributes:
        resume: BIOS + drivers, the OS's own numbers: what the limit is for.
        complete: trigger to resume complete.
        light: trigger to light: what the user waits for.
    """

    judged: int
    resume: TimesSummary | None
    complete: TimesSummary | None
    light: TimesSummary | None


def campaign_summary(cycles: Collection[ReconciledCycle]) -> CampaignSummary:
    """Return the figures over `cycles`."""
    judged = sum(cycle.judged for cycle in cycles)
    completes = (c.press_to_resume_complete for c in cycles if c.judged)
    return CampaignSummary(
        judged=judged,
        resume=summary_of(time_ms for _, time_ms in resume_times(cycles)),
        complete=summary_of(q.value_ns / NS_PER_MS for q in completes if q is not None),
        light=summary_of(time_ms for _, time_ms in light_times(cycles)),
    )


def resume_times(cycles: Iterable[ReconciledCycle]) -> list[tuple[int, float]]:
    """Return number and BIOS + drivers [ms] of each judged cycle whose record reports both."""
    found = ((cycle.outside.number, cycle.record) for cycle in cycles if cycle.judged)
    return [
        (number, float(record.resume_ms))
        for number, record in found
        if record is not None and record.resume_ms is not None
    ]


def light_times(cycles: Collection[ReconciledCycle]) -> list[tuple[int, float]]:
    """Return number and trigger to light [ms] of the cycles whose wires count in the figures."""
    judged = any(cycle.judged for cycle in cycles)
    lit = (cycle for cycle in cycles if wires_count(cycle, judged=judged))
    found = ((cycle.outside.number, outside_milestones(cycle.outside).light) for cycle in lit)
    return [(number, q.value_ns / NS_PER_MS) for number, q in found if q is not None]


def summary_of(times_ms: Iterable[float]) -> TimesSummary | None:
    """Return the figures; None of nothing."""
    times = list(times_ms)
    if not times:
        return None
    return TimesSummary(
        n=len(times),
        min_ms=min(times),
        median_ms=statistics.median(times),
        mean_ms=statistics.fmean(times),
        max_ms=max(times),
    )
