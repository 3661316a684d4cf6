"""Judges somebody else's capture together with an OS log, as a store is judged."""

from pathlib import Path

from resume_rig.analysis.correlate import TimedCycle, correlate
from resume_rig.analysis.cycle_building import build_cycle, split_cycles
from resume_rig.campaign.assess import reset_to_tsc_of
from resume_rig.model.campaign import CampaignFacts
from resume_rig.model.cycle import Correlation, Outcome
from resume_rig.model.dut import DutProfile
from resume_rig.model.os_record import LogReading
from resume_rig.model.requirement import Requirement
from resume_rig.rig.capture.gathering import Capture
from resume_rig.timing.edge_uncertainty import capture_bounds


def assess_capture(
    path: Path,
    capture: Capture,
    reading: LogReading,
    *,
    requirement: Requirement,
    dut: DutProfile | None,
    report_path: Path | None,
) -> tuple[Correlation, CampaignFacts]:
    """Return the answer and what a report has to know beside it.

    The capture's clock has no relation to any other; the match finds the offset by itself.
    """
    bounds = capture_bounds(capture.resolution_ns)
    cycles = [
        TimedCycle(build_cycle(number, cut.edges, cut.initial_levels, None, bounds))
        for number, cut in enumerate(split_cycles(capture.edges, capture.initial_levels), start=1)
    ]
    correlation = correlate(
        cycles,
        reading,
        requirement,
        reset_to_tsc_of(dut),
    )
    counted = dict.fromkeys(Outcome, 0)
    for cycle in cycles:
        counted[cycle.outside.outcome] += 1
    facts = CampaignFacts(
        store_path=str(path),
        report_path=None if report_path is None else str(report_path),
        identity={
            "capture": path.name,
            "dut": "a DUT without a profile" if dut is None else dut.title,
            "wired": ", ".join(capture.initial_levels),
            "resolution": f"{capture.resolution_ns} ns",
        },
        plan={},
        outcomes={outcome.value: count for outcome, count in counted.items() if count},
        faults=capture.notes,
        requirement=requirement,
    )
    return correlation, facts
