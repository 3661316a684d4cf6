"""Judges a stored campaign, with its budgets; `run`, `correlate` and `report` all ask here."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from resume_rig.analysis.correlate import correlate
from resume_rig.analysis.cycles.building import CycleEdges, build_cycle
from resume_rig.analysis.reconcile.interval_budgets import interval_budgets
from resume_rig.analysis.reconcile.norms import platform_of
from resume_rig.analysis.reconcile.reconcile import UNKNOWN_RESET_TO_TSC
from resume_rig.campaign.plan.plan_file import plan_facts
from resume_rig.campaign.run.recovery_text import recovery_text, step_text
from resume_rig.campaign.store.measured_cycle import bounds_of, outside_cycle
from resume_rig.campaign.store.read_back import (
    StoredCampaign,
    TimedCampaign,
    light_of,
    timed_campaign,
)
from resume_rig.campaign.store.store import Store
from resume_rig.model.budget import Budget
from resume_rig.model.dut import DutProfile
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.campaign import CampaignFacts
from resume_rig.model.result.cycle import (
    NO_FAILURE,
    Correlation,
    Outcome,
    OutsideCycle,
    ReconciledCycle,
)
from resume_rig.model.result.match import KnownPair
from resume_rig.model.result.requirement import Requirement
from resume_rig.timing.edge_uncertainty import IntervalBounds, Witness
from resume_rig.timing.relation import RateCalibration


def assess(
    stored: StoredCampaign,
    requirement: Requirement | None = None,
    timed: TimedCampaign | None = None,
    known: KnownPair | None = None,
) -> Correlation:
    """Return the answer of a campaign.

    Args:
        stored: the campaign.
        requirement: instead of the one that it was run for.
        timed: `timed_campaign` of it, for who has made that already.
        known: a cycle and its OS record, where somebody knows them.
    """
    identity = stored.identity
    timed = timed_campaign(stored) if timed is None else timed
    correlation = correlate(
        timed.cycles,
        stored.reading,
        identity.requirement if requirement is None else requirement,
        reset_to_tsc_of(identity.dut),
        platform_of(identity.dut),
        stated_pair=known,
        extra_sleeps=timed.extra_sleeps,
    )
    return dataclasses.replace(correlation, board_clock=timed.board_clock)


def facts_of(
    stored: StoredCampaign,
    requirement: Requirement | None = None,
    report_path: Path | None = None,
    cycles: Sequence[ReconciledCycle] = (),
) -> CampaignFacts:
    """Return what a report has to know of a campaign beside its cycles.

    Args:
        stored: the campaign.
        requirement: instead of the one that it was run for.
        report_path: where the report is, or will be.
        cycles: as they were assessed, for outcomes that a later step, or the log, tells; without
            them what the runner saw.
    """
    outcomes = Counter(cycle.outcome for cycle in cycles) or stored.outcomes
    progress = stored.progress
    return CampaignFacts(
        store_path=str(stored.path),
        report_path=None if report_path is None else str(report_path),
        identity=_names(stored),
        plan=plan_facts(stored.plan),
        outcomes={outcome.value: outcomes[outcome] for outcome in Outcome if outcomes.get(outcome)},
        faults=_faults(stored),
        requirement=stored.identity.requirement if requirement is None else requirement,
        log_sources=stored.reading.sources,
        first_failure=_first_failure(stored, cycles),
        recoveries=tuple((step.after_cycle, step_text(step)) for step in stored.recoveries),
        plan_state=None if progress is None else progress.left or progress.rule,
        unfinished=progress is not None and progress.left is not None,
        begun_utc_ns=stored.identity.created_utc_ns,
        reset_to_tsc=reset_to_tsc_of(stored.identity.dut),
    )


def reset_to_tsc_of(dut: DutProfile | None) -> BoundedNs:
    """Return PLTRST# rising to the TSC's zero, as far as the DUT's profile tells."""
    if dut is None:
        return UNKNOWN_RESET_TO_TSC
    low_ns, high_ns = dut.reset_to_tsc_min_ns, dut.reset_to_tsc_max_ns
    return BoundedNs((low_ns + high_ns) // 2, (high_ns - low_ns + 1) // 2)


def _first_failure(
    stored: StoredCampaign, cycles: Sequence[ReconciledCycle]
) -> tuple[int, str] | None:
    told = ((c.outside.number, c.outcome) for c in cycles)
    seen = told if cycles else ((raw.number, raw.outcome) for raw in stored.cycles)
    return next(((n, outcome.value) for n, outcome in seen if outcome not in NO_FAILURE), None)


def _names(stored: StoredCampaign) -> dict[str, str]:
    identity, dut = stored.identity, stored.identity.dut
    profile = (
        {}
        if dut is None
        else {
            "dut_title": dut.title,
            "dut_manufacturer": dut.manufacturer,
            "dut_product": dut.product,
            "dut_bios_version": dut.bios_version,
        }
    )
    return {
        "dut": identity.dut_name,
        **profile,
        "rig": f"{identity.rig.board} at {identity.rig_url}",
        **({} if identity.faults is None else {"injected": _injected(identity.faults)}),
        "firmware": identity.rig.firmware,
        "clock": f"{identity.rig.clock_source}, {identity.rig.clock_tolerance_ppb} ppb",
        "wired": ", ".join(identity.wired),
        "host": identity.host + _asleep(identity.host_may_sleep),
        "software": f"resume-rig {identity.software}",
        "sessions": str(len(stored.sessions)),
    }


def _asleep(why: str | None) -> str:
    return "" if why is None else f"; not kept awake: {why}"


def _injected(plan: str) -> str:
    """Return a fault plan in one line, its comments left out."""
    lines = (line.partition("#")[0].strip() for line in plan.splitlines())
    return "faults on purpose: " + " ".join(filter(None, lines))


def _faults(stored: StoredCampaign) -> tuple[str, ...]:
    """One sentence for each fault, in the order they happened."""
    found = [(number, 0, f"Cycle {number}: {finding.text}") for number, finding in stored.findings]
    found += [(step.after_cycle, 1, recovery_text(step)) for step in stored.recoveries]
    told = tuple(text for _, _, text in sorted(found, key=lambda each: each[:2]))
    return told if stored.salvaged is None else (f"Salvaged: {stored.salvaged}.", *told)


def stored_budgets(
    stored: StoredCampaign,
    correlation: Correlation,
    calibrations: Sequence[RateCalibration | None] | None = None,
) -> tuple[Budget, ...]:
    """Return a budget for each interval of a stored campaign.

    Args:
        stored: the campaign.
        correlation: its answer.
        calibrations: of its cycles, in order, for who has them already (`timed_campaign`).
    """
    identity = stored.identity
    bounds = bounds_of(identity.rig, identity.dut)
    places = {cycle.outside.number: place for place, cycle in enumerate(correlation.cycles)}
    known = timed_campaign(stored).calibrations if calibrations is None else calibrations

    def rebuild(number: int, witness: Witness) -> OutsideCycle:
        watched = dataclasses.replace(bounds, witness=witness)
        raw = stored.cycles[places[number]]
        with Store.open(stored.path) as store:
            light = light_of(raw, store)
        return outside_cycle(
            raw,
            stored.plan.of_cycle(_done_before(stored, number)),
            identity,
            light=light,
            calibration=known[places[number]],
            bounds=watched,
        )

    hidden = reset_to_tsc_of(identity.dut)
    return interval_budgets(
        correlation.cycles, bounds, rebuild, hidden, _hidden_source(identity.dut)
    )


def capture_budgets(
    correlation: Correlation,
    cuts: Sequence[CycleEdges],
    bounds: IntervalBounds,
    dut: DutProfile | None,
) -> tuple[Budget, ...]:
    """Return a budget for each interval of a capture, whose cycles are `cuts`, from 1."""

    def rebuild(number: int, witness: Witness) -> OutsideCycle:
        cut = cuts[number - 1]
        watched = dataclasses.replace(bounds, witness=witness)
        return build_cycle(number, cut.edges, cut.initial_levels, None, watched)

    hidden = reset_to_tsc_of(dut)
    return interval_budgets(correlation.cycles, bounds, rebuild, hidden, _hidden_source(dut))


def _done_before(stored: StoredCampaign, number: int) -> int:
    """Return how many cycles of the plan were done before one."""
    with Store.open(stored.path) as store:
        return store.index_of(number)


def _hidden_source(dut: DutProfile | None) -> str:
    if dut is not None:
        return "the DUT profile"
    return "taken, as there is no DUT profile: its reset_to_tsc_min_ms and _max_ms make it less"
