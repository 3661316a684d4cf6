"""Judges somebody else's capture together with an OS log, as a store is judged."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from resume_rig.analysis.correlate import correlate
from resume_rig.analysis.cycles.building import build_cycle, split_cycles
from resume_rig.analysis.cycles.line_columns import (
    CHANGES_MAX,
    busy_channels,
    settled,
    storms,
    without_flicker,
)
from resume_rig.analysis.reconcile.norms import platform_of
from resume_rig.analysis.reconcile.timed_cycle import TimedCycle
from resume_rig.campaign.answer.assessment import capture_budgets, reset_to_tsc_of
from resume_rig.model.dut import DutProfile
from resume_rig.model.edge import EdgeColumns
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogReading
from resume_rig.model.result.campaign import CampaignFacts, RecordedCycle
from resume_rig.model.result.cycle import Correlation, Outcome, OutsideCycle, ReconciledCycle
from resume_rig.model.result.match import KnownPair
from resume_rig.model.result.requirement import Requirement
from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.capture.gathering import Capture
from resume_rig.rig.capture.sampling import StatedRate, sampling_of
from resume_rig.rig.capture.signals import schematic_name
from resume_rig.timing.budget import CaptureStamps
from resume_rig.timing.edge_uncertainty import capture_bounds

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
    known: KnownPair | None = None,
    sample_rate: StatedRate | None = None,
) -> tuple[Correlation, CampaignFacts]:
    """Return the answer and what a report has to know beside it.

    The capture's clock has no relation to any other; the match finds the offset by itself, or
    with the help of a pair of cycle and record that somebody knows. `sample_rate` is what the user
    says of it, instead of what the capture does.

    Raises:
        UsageError: nothing says how often the capture was sampled.
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
        build_cycle(number, cut.edges, cut.initial_levels, None, bounds)
        for number, cut in enumerate(cuts, start=1)
    ]
    built[-1:] = [_unless_cut_off(cycle, capture.end_ns) for cycle in built[-1:]]
    cycles = [TimedCycle(cycle) for cycle in built]
    correlation = correlate(
        cycles,
        reading,
        requirement,
        reset_to_tsc_of(dut),
        platform_of(dut),
        stated_pair=known,
    )
    counted = dict.fromkeys(Outcome, 0)
    for cycle in cycles:
        counted[cycle.outside.outcome] += 1
    facts = CampaignFacts(
        store_path=str(path),
        report_path=None if report_path is None else str(report_path),
        identity={
            "capture": path.name,
            "log": ", ".join(Path(source.path).name for source in reading.sources),
            "dut": "a DUT without a profile" if dut is None else dut.title,
            "wired": ", ".join(capture.initial_levels),
            "sample rate": sampling.text,
            "resolution": f"{capture.resolution_ns} ns",
        },
        plan={},
        outcomes={outcome.value: count for outcome, count in counted.items() if count},
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
        edges, initial_levels = cuts[outside.number - 1]
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
    faults = (FindingKind.DARK, FindingKind.NEVER_WOKE)
    findings = tuple(finding for finding in last.findings if finding.kind not in faults)
    return replace(last, outcome=Outcome.INTERRUPTED, findings=findings)
