"""Judges a stored campaign, and a capture with an OS log, in one way; every face asks here.

An answer is a `Correlation`, what a report needs besides it (`CampaignFacts`), and budgets.
"""

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from resume_rig.analysis.correlate import correlate
from resume_rig.analysis.cycles.building import (
    CycleEdges,
    build_attempt,
    build_cycle,
    split_cycles,
    with_wrong_polarity,
)
from resume_rig.analysis.cycles.flicker import with_flicker
from resume_rig.analysis.cycles.levels import (
    CHANGES_MAX,
    busy_channels,
    settled,
    storms,
    without_flicker,
)
from resume_rig.analysis.reconcile.interval_budgets import interval_budgets
from resume_rig.analysis.reconcile.norms import platform_of
from resume_rig.analysis.reconcile.reconcile import UNKNOWN_RESET_TO_TSC, TimedCycle
from resume_rig.analysis.verdict.ruling import refused_unless_real
from resume_rig.campaign.plan.plan_file import plan_facts
from resume_rig.campaign.run.recovery import recovery_text, step_text
from resume_rig.campaign.store.measured_cycle import bounds_of, outside_cycle
from resume_rig.campaign.store.read_back import (
    StoredCampaign,
    TimedCampaign,
    light_of,
    timed_campaign,
)
from resume_rig.campaign.store.store import Store
from resume_rig.model.budget import Budget
from resume_rig.model.dut import NO_PROFILE, DutProfile
from resume_rig.model.edge import EdgeColumns
from resume_rig.model.errors import RecordError
from resume_rig.model.evidence import evidence_text
from resume_rig.model.os_record import LogReading
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    NO_FAILURE,
    Correlation,
    Outcome,
    OutsideCycle,
    ReconciledCycle,
)
from resume_rig.model.result.judgement import CampaignFacts, RecordedCycle
from resume_rig.model.result.match import StatedPair
from resume_rig.model.result.verdict import NOT_UP, Requirement
from resume_rig.rig.capture.gathering import Capture, polarity_notes
from resume_rig.rig.capture.sampling import StatedRate, sampling_of
from resume_rig.rig.capture.signals import schematic_name
from resume_rig.timing.budget import CaptureStamps
from resume_rig.timing.edge_uncertainty import IntervalBounds, Witness, capture_bounds
from resume_rig.timing.relation import RateCalibration


def assess(
    stored: StoredCampaign,
    requirement: Requirement | None = None,
    timed: TimedCampaign | None = None,
    stated_pair: StatedPair | None = None,
) -> Correlation:
    """Return the answer of a campaign.

    Args:
        stored: the campaign.
        requirement: instead of the one that it was run for.
        timed: `timed_campaign` of it, for who has made that already.
        stated_pair: a cycle and its OS record, where somebody knows them.
    """
    identity = stored.identity
    timed = timed_campaign(stored) if timed is None else timed
    asked = identity.requirement if requirement is None else requirement
    correlation = correlate(
        timed.cycles,
        stored.reading,
        asked,
        reset_to_tsc_of(identity.dut),
        platform_of(identity.dut),
        stated_pair=stated_pair,
        extra_sleeps=timed.extra_sleeps,
    )
    correlation = dataclasses.replace(correlation, board_clock=timed.board_clock)
    return refused_unless_real(correlation, asked, simulated=identity.is_simulated)


def facts_of(
    stored: StoredCampaign,
    requirement: Requirement | None = None,
    report_path: Path | None = None,
    cycles: Sequence[ReconciledCycle] = (),
) -> CampaignFacts:
    """Return what a report needs of a campaign besides its cycles.

    Args:
        stored: the campaign.
        requirement: instead of the one that it was run for.
        report_path: where the report is, or will be.
        cycles: as they were assessed, for outcomes that a later step, or the log, decides; without
            them those of the runner.
    """
    outcomes = Counter(cycle.outcome for cycle in cycles) or stored.outcomes
    progress = stored.progress
    return CampaignFacts(
        store_path=str(stored.path),
        report_path=None if report_path is None else str(report_path),
        identity=_names(stored),
        plan=plan_facts(stored.plan),
        outcomes=_by_name(outcomes),
        faults=_faults(stored),
        requirement=stored.identity.requirement if requirement is None else requirement,
        log_sources=stored.reading.sources,
        first_failure=_first_failure(stored, cycles),
        recoveries=tuple((step.after_cycle, step_text(step)) for step in stored.recoveries),
        plan_state=progress.left or progress.rule,
        unfinished=progress.left is not None,
        begun_utc_ns=stored.identity.created_utc_ns,
        reset_to_tsc=reset_to_tsc_of(stored.identity.dut),
        simulated=stored.identity.is_simulated,
    )


def _by_name(outcomes: Mapping[Outcome, int]) -> dict[str, int]:
    return {each.value: outcomes[each] for each in Outcome if outcomes.get(each)}


def reset_to_tsc_of(dut: DutProfile | None) -> BoundedNs:
    """Return PLTRST# rising to the TSC's zero, as the DUT's profile bounds it."""
    if dut is None:
        return UNKNOWN_RESET_TO_TSC
    low_ns, high_ns = dut.reset_to_tsc_min_ns, dut.reset_to_tsc_max_ns
    return BoundedNs((low_ns + high_ns) // 2, (high_ns - low_ns + 1) // 2)


def _first_failure(
    stored: StoredCampaign, cycles: Sequence[ReconciledCycle]
) -> tuple[int, str] | None:
    outcomes = ((c.outside.number, c.outcome) for c in cycles)
    pairs = outcomes if cycles else ((raw.number, raw.outcome) for raw in stored.cycles)
    return next(((n, outcome.value) for n, outcome in pairs if outcome not in NO_FAILURE), None)


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
        "evidence": evidence_text(identity.is_simulated),
        "dut": identity.dut_name,
        **profile,
        "rig": f"{identity.rig.board} at {identity.rig_url}",
        **({} if identity.faults is None else {"injected": _injected(identity.faults)}),
        "firmware": identity.rig.firmware,
        "clock": f"{identity.rig.clock_source}, ±{identity.rig.clock_tolerance_ppb / 1000:g} ppm",
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
    texts = tuple(text for _, _, text in sorted(found, key=lambda each: each[:2]))
    return texts if stored.salvaged is None else (f"Salvaged: {stored.salvaged}.", *texts)


def stored_budgets(
    stored: StoredCampaign,
    correlation: Correlation,
    calibrations: Sequence[RateCalibration | None],
) -> tuple[Budget, ...]:
    """Return a budget for each interval of a stored campaign; as `timed_campaign` calibrated it."""
    identity = stored.identity
    bounds = bounds_of(identity.rig, identity.dut)
    places = {cycle.outside.number: place for place, cycle in enumerate(correlation.cycles)}

    def rebuild(number: int, witness: Witness) -> OutsideCycle:
        watched = dataclasses.replace(bounds, witness=witness)
        raw = stored.cycles[places[number]]
        with Store.open(stored.path) as store:
            light, index = light_of(raw, store), store.index_of(number)
        return outside_cycle(
            raw,
            stored.plan.of_cycle(index),
            identity,
            light=light,
            calibration=calibrations[places[number]],
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


def _hidden_source(dut: DutProfile | None) -> str:
    if dut is not None:
        return "the DUT profile"
    return "taken, as there is no DUT profile: its reset_to_tsc_min_ms and _max_ms make it less"


# A capture has to go on for so long after a wake began before a light or a power that did not come
# counts as a fault: five times what SYSFUND-0004 allows for a whole resume.
_FAULT_AFTER_NS = 10_000_000_000
# A drawing has a thousand places from left to right.
_DRAWN_MAX = 4_000


def assess_capture(
    path: Path,
    capture: Capture,
    reading: LogReading,
    *,
    requirement: Requirement,
    dut: DutProfile | None,
    report_path: Path | None,
    stated_pair: StatedPair | None = None,
    sample_rate: StatedRate | None = None,
) -> tuple[Correlation, CampaignFacts]:
    """Return the answer and what a report needs besides it.

    The capture's clock has no relation to any other; the match finds the offset by itself, or with
    the help of a stated pair. `sample_rate` is what the user states, instead of what the capture
    does.

    Raises:
        UsageError: nothing states how often the capture was sampled.
        RecordError: a channel changes far more often than cycles would make it.
    """
    what = f"Reading the capture {str(path)!r}"
    stated = sample_rate or capture.stated_rate
    sampling = sampling_of(capture.edges.t_ns, capture.resolution_ns, stated, what)
    edges = without_flicker(capture.edges)
    for channel, count in busy_channels(edges):
        raise RecordError(
            f"{what}: {schematic_name(channel)} changes {count} times, allowed are {CHANGES_MAX}:"
            " is it the right signal? Leave out a clock, a blinking LED or a noisy line."
        )
    stamps = CaptureStamps(sampling.step_ns, sampling.resolution_ns, sampling.text)
    bounds = capture_bounds(stamps)
    cuts = split_cycles(edges, capture.initial_levels)
    built = [
        build_attempt(number, cut)
        if cut.is_attempt
        else build_cycle(number, cut.edges, cut.initial_levels, None, bounds)
        for number, cut in enumerate(cuts, start=1)
    ]
    built[-1:] = [_unless_cut_off(cycle, capture.end_ns) for cycle in built[-1:]]
    begins_ns = [cut.edges[0].t_ns for cut in cuts]
    built = list(with_flicker(built, begins_ns, capture.edges, sampling.step_ns))
    turned = " ".join(polarity_notes(capture))
    if turned:
        built = [with_wrong_polarity(cycle, turned) for cycle in built]
    cycles = [TimedCycle(cycle) for cycle in built]
    correlation = correlate(
        cycles,
        reading,
        requirement,
        reset_to_tsc_of(dut),
        platform_of(dut),
        stated_pair=stated_pair,
    )
    correlation = refused_unless_real(correlation, requirement, simulated=None)
    facts = CampaignFacts(
        store_path=str(path),
        report_path=None if report_path is None else str(report_path),
        identity={
            "capture": path.name,
            "log": ", ".join(Path(source.path).name for source in reading.sources),
            "dut": NO_PROFILE if dut is None else dut.title,
            "wired": ", ".join(capture.initial_levels),
            "sample rate": sampling.text,
            "resolution": f"{capture.resolution_ns} ns",
        },
        plan={},
        outcomes=_by_name(Counter(cycle.outcome for cycle in built)),
        faults=(*sampling.notes, *_noise(edges), *capture.notes),
        requirement=requirement,
        budgets=capture_budgets(correlation, cuts, bounds, dut),
        log_sources=reading.sources,
        reset_to_tsc=reset_to_tsc_of(dut),
    )
    return correlation, facts


def _noise(edges: EdgeColumns) -> Iterator[str]:
    for channel, count in storms(edges):
        yield (
            f"{schematic_name(channel)}: {count} of its edges came less than 60 us apart, which no"
            " chipset makes: noise, or the wrong signal."
        )


def captured_cycles(
    capture: Capture | None, cycles: Sequence[ReconciledCycle], numbers: Collection[int]
) -> Iterator[RecordedCycle]:
    """Yield the wires of some cycles of a capture, to be drawn.

    Of a cycle with thousands of edges, those are drawn that its lines settled at.
    """
    if capture is None or not numbers:
        return
    cuts = split_cycles(without_flicker(capture.edges), capture.initial_levels)
    for cycle in cycles:
        outside = cycle.outside
        if outside.number not in numbers:
            continue
        edges, initial_levels, _ = cuts[outside.number - 1]
        drawn = tuple(edges if len(edges) <= _DRAWN_MAX else settled(edges, initial_levels))
        first_ns = drawn[0].t_ns if drawn else 0
        yield RecordedCycle(
            number=outside.number,
            edges=drawn[:_DRAWN_MAX],
            initial_levels=initial_levels,
            light=(),
            zero_ns=first_ns if outside.trigger_ns is None else outside.trigger_ns,
            has_trigger=outside.trigger_ns is not None,
            zero_utc_ns=None,
            zero_utc_bound_ns=0,
            started_utc_ns=0,
        )


def _unless_cut_off(last: OutsideCycle, end_ns: int) -> OutsideCycle:
    """Return the last cycle; not as a fault where the capture ends too soon after its wake."""
    began_ns = last.trigger_ns if last.awake_from_ns is None else last.awake_from_ns
    if (
        last.outcome not in (Outcome.DARK, Outcome.NEVER_WOKE)
        or began_ns is None
        or end_ns - began_ns >= _FAULT_AFTER_NS
    ):
        return last
    findings = tuple(finding for finding in last.findings if finding.kind not in NOT_UP)
    return replace(last, outcome=Outcome.INTERRUPTED, findings=findings)
