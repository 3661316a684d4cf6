"""One store as a line of `fleet`: read, judged, and cut down to what stands beside others."""

import hashlib
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from resume_rig.analysis.campaign_series import measured_times
from resume_rig.analysis.compare_samples import HEADLINES
from resume_rig.analysis.series import MeasuredTimes
from resume_rig.analysis.statistics import scaled_mad
from resume_rig.campaign.assess import assess
from resume_rig.campaign.being_written import is_being_written
from resume_rig.campaign.identity import Identity
from resume_rig.campaign.plan_file import plan_facts
from resume_rig.campaign.stored import StoredCampaign, load_campaign
from resume_rig.model.cycle import Correlation, ReconciledCycle
from resume_rig.model.errors import ResumeRigError
from resume_rig.model.fleet import FleetCampaign, TimesOf, Trait, UnitBy, UnreadStore
from resume_rig.model.requirement import Requirement
from resume_rig.model.units import count_of

_EDGES_OF_ORIGIN: Final = 64


@dataclass(frozen=True, slots=True)
class SurveyedStore:
    """One store.

    Attributes:
        origin: the same of all copies of one campaign, salvaged ones among them.
    """

    campaign: FleetCampaign
    origin: str


def survey_store(
    path: Path, requirement: Requirement, unit_by: UnitBy
) -> SurveyedStore | UnreadStore:
    """Return what a store says; one that cannot be read is told of, and raises nothing."""
    try:
        # Before it is opened here: a process loses its locks of a file with the first that closes.
        running = is_being_written(path)
        stored = load_campaign(path)
        correlation = assess(stored, requirement)
        line = _line(stored, correlation, unit_by, running=running)
        return SurveyedStore(line, origin_of(stored))
    except ResumeRigError as error:
        return UnreadStore(str(path), str(error))


def _line(
    stored: StoredCampaign, correlation: Correlation, unit_by: UnitBy, *, running: bool
) -> FleetCampaign:
    outcomes, findings = _counted(correlation)
    identity = stored.identity
    return FleetCampaign(
        path=str(stored.path),
        unit=_unit_of(stored, unit_by),
        traits=_traits_of(identity, str(plan_facts(stored.plan).get("state", ""))),
        begun_utc_ns=identity.created_utc_ns,
        running=running,
        marks=_marks_of(stored),
        cycles=len(correlation.cycles),
        verdict=correlation.verdict,
        why=correlation.why,
        failures=correlation.failures,
        outcomes=outcomes,
        findings=findings,
        times=_times(correlation.cycles),
        undecided=correlation.undecided,
        evidence_lacks=any(each.evidence for each in correlation.limits if each.limit.required),
    )


def _counted(correlation: Correlation) -> tuple[dict[str, int], dict[str, int]]:
    """Return cycles by outcome, and cycles by kind of finding."""
    outcomes: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    for cycle in correlation.cycles:
        outcomes[cycle.outcome.value] += 1
        findings.update({finding.kind.value for finding in cycle.findings})
    return dict(outcomes), dict(findings)


def _times(cycles: Collection[ReconciledCycle]) -> dict[str, TimesOf]:
    """Return the headline times, by measure; those of the wires alone where no cycle is judged."""
    _, found = measured_times(cycles, HEADLINES)
    return {name: _times_of(name, times) for name, times in found.items() if times.numbers}


def _times_of(name: str, times: MeasuredTimes) -> TimesOf:
    times_ms = np.asarray(times.values_ms)
    median, p95 = times.quantiles(0.5, 0.95)
    return TimesOf(
        name=name,
        n=len(times_ms),
        median_ms=float(np.median(times_ms)),
        p95_ms=float(np.quantile(times_ms, 0.95, method="linear")),
        max_ms=float(times_ms.max()),
        spread_ms=scaled_mad(times_ms),
        median=median,
        p95=p95,
        common=times.common,
    )


def _unit_of(stored: StoredCampaign, unit_by: UnitBy) -> str:
    match unit_by:
        case UnitBy.DUT:
            return stored.identity.dut_name
        case UnitBy.FOLDER:
            return str(stored.path.parent)
        case UnitBy.STORE:
            return str(stored.path)


def _traits_of(identity: Identity, state: str) -> dict[Trait, str]:
    dut = identity.dut
    return {
        Trait.PRODUCT: "" if dut is None else f"{dut.manufacturer} {dut.product}".strip(),
        Trait.BIOS: "" if dut is None else dut.bios_version,
        Trait.STATE: state,
        Trait.DUT: identity.dut_name,
        Trait.RIG: identity.rig.board,
        Trait.HOST: identity.host.partition(",")[0],
    }


def _marks_of(stored: StoredCampaign) -> tuple[str, ...]:
    marks = []
    if stored.salvaged is not None:
        marks.append("salvaged")
    if stored.identity.faults is not None:
        marks.append("faults on purpose")
    if (progress := stored.progress) is not None and progress.left is not None:
        marks.append(f"{progress.done} of {count_of(progress.cycles, 'cycle')} done")
    if len(stored.sessions) > 1:
        marks.append(f"gone on with {count_of(len(stored.sessions) - 1, 'time')}")
    return tuple(marks)


def origin_of(stored: StoredCampaign) -> str:
    """Return what copies of a campaign have in common, however far each of them goes."""
    identity = stored.identity
    first = next(iter(stored.cycles), None)
    told = (
        identity.created_utc_ns,
        identity.host,
        identity.rig.board,
        identity.rig.boot_id,
        None if first is None else (first.started_host_ns, first.edges[:_EDGES_OF_ORIGIN]),
        str(stored.path) if first is None else "",  # nothing shows that two empty ones are one
    )
    return hashlib.sha256(repr(told).encode()).hexdigest()
