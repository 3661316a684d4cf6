"""Another instrument's capture for the explorer, with OS logs or without. Free of Qt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.analysis.reconcile.milestones import (
    inside_milestones,
)
from resume_rig.campaign.answer.assessment import assess_capture, captured_cycles
from resume_rig.campaign.store.read_back import Overview
from resume_rig.gui.explorer.measured import Measured, Pick, measured
from resume_rig.gui.explorer.state import (
    Detail,
    Explored,
    Quick,
    answer_text,
    begin_with,
    cycle_table,
    outliers,
    quick_table,
)
from resume_rig.gui.request import CaptureOptions
from resume_rig.gui.state.lanes import Evidence, asleep_ns_of, wires_of
from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import LogReading
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Correlation
from resume_rig.model.result.judgement import CampaignFacts, RecordedCycle
from resume_rig.model.result.match import StatedPair, stated_pair_of
from resume_rig.model.result.packed import PackedSequence
from resume_rig.model.result.verdict import Requirement
from resume_rig.oslog.reading import read_logs
from resume_rig.report.campaign.page import first_screen
from resume_rig.report.text.wording import outcome_words
from resume_rig.rig.capture.csv_capture import TimeColumn
from resume_rig.rig.capture.gathering import Capture, doubts_of, without_inverted
from resume_rig.rig.capture.reading import read_capture
from resume_rig.rig.capture.sampling import StatedRate, rate_of, sampling_of
from resume_rig.rig.capture.signals import channel_map_of
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.timing.budget import CaptureStamps, capture_rows
from resume_rig.timing.edge_uncertainty import CAPTURE_TOLERANCE_PPB

_LEAD_NS: Final = 300_000_000
_NO_RECORDS: Final = LogReading((), ())
TIME_UNITS: Final = ("s", "ms", "us", "ns", "ps")


@dataclass(frozen=True, slots=True)
class OpenedCapture:
    """All that is derived of a capture, in the order of its cycles.

    Attributes:
        path: of the capture.
        notes: its sampling, what was left out, what is doubtful.
        recorded: the wires.
        stamp_bound_ns: half-width of an edge's stamp, by channel.
        reset_to_tsc: PLTRST# rising to the TSC's zero.
    """

    path: Path
    quick: Quick
    explored: Explored
    notes: tuple[str, ...]
    recorded: PackedSequence[RecordedCycle]
    stamp_bound_ns: dict[Channel, int]
    reset_to_tsc: BoundedNs | None

    def detail(self, row: int) -> Detail:
        """Return one cycle."""
        cycle = self.explored.cycles[row]
        record = cycle.record
        limit_ms = self.quick.requirement.resume_limit_ms
        return Detail(
            evidence=self.evidence(row),
            cycle=cycle,
            inside=inside_milestones(cycle, limit_ms, self.reset_to_tsc),
            records=() if record is None else (record,),
        )

    def evidence(self, row: int) -> Evidence:
        """Return the wires of one cycle."""
        recorded, outside = self.recorded[row], self.explored.cycles[row].outside
        moments = [edge.t_ns for edge in recorded.edges] or [recorded.zero_ns]
        wires = wires_of(recorded.initial_levels, min(moments) - _LEAD_NS)
        return Evidence(
            path=self.path,
            outside=outside,
            zero_ns=recorded.zero_ns,
            has_trigger=recorded.has_trigger,
            wires=wires.plus_edges(recorded.edges),
            until_ns=max(moments) + _LEAD_NS,
            stamp_bound_ns=self.stamp_bound_ns,
            clock_tolerance_ppb=CAPTURE_TOLERANCE_PPB,
            sentences=(f"Cycle {outside.number}: {outcome_words(outside.outcome)}.",),
        )

    def measure_all(self, first: Pick, second: Pick) -> Measured:
        """Measure the time from one edge to another in each cycle."""
        bounds = self.stamp_bound_ns
        stamps_ns = bounds.get(first.channel, 0) + bounds.get(second.channel, 0)
        return measured(self.recorded, first, second, stamps_ns, CAPTURE_TOLERANCE_PPB)


def open_capture(
    progress: Callable[[int, int], None],
    path: Path,
    logs: Sequence[Path],
    options: CaptureOptions,
    requirement: Requirement,
) -> OpenedCapture:
    """Read a capture and judge it, as `resume-rig correlate` does.

    Args:
        progress: not called: how far it is nobody knows.
        path: of the capture.
        logs: of the OS; without any, the wires alone are judged.
        options: what the capture does not state itself.
        requirement: what it is judged against.

    Raises:
        RecordError: the capture or a log cannot be read.
        UsageError: no signal is a channel, or an option does not fit; the text names it.
    """
    del progress
    capture, correlation, facts = assess_opened(path, logs, options, requirement)
    numbers = [cycle.outside.number for cycle in correlation.cycles]
    overview = Overview(
        numbers=np.array(numbers, np.int64),
        outcomes=tuple(cycle.outcome for cycle in correlation.cycles),
        took_ns=np.array(
            [asleep_ns_of(each.outside) or 0 for each in correlation.cycles], np.int64
        ),
        planned=(("", "", ""),) * len(numbers),
    )
    campaign = answered_campaign(correlation, facts)
    explored = Explored(
        campaign.answer.verdict,
        answer_text(campaign.answer),
        PackedSequence(correlation.cycles),
        cycle_table(correlation, overview, facts.reset_to_tsc),
        outliers(campaign),
        first_screen(campaign, scripted=False),
        begin_with(campaign.answer),
        0,
    )
    return OpenedCapture(
        path,
        Quick(overview, quick_table(overview), requirement),
        explored,
        facts.faults,
        PackedSequence(captured_cycles(capture, correlation.cycles, numbers)),
        _stamp_bounds(path, capture),
        facts.reset_to_tsc,
    )


def assess_opened(
    path: Path, logs: Sequence[Path], options: CaptureOptions, requirement: Requirement
) -> tuple[Capture, Correlation, CampaignFacts]:
    """Read a capture and its logs, and judge them; the errors are those of `open_capture`."""
    rate, pair = _rate_of(options.sample_rate), _pair_of(options.pair)
    dut = load_dut_profile(options.dut) if options.dut else None
    time_column = TimeColumn(options.time_column, options.time_unit)
    capture = read_capture(path, channel_map_of(options.signals.split()), time_column)
    if rate is not None:
        capture = replace(capture, stated_rate=rate)
    capture = replace(capture, notes=(*capture.notes, *doubts_of(capture)))
    capture = without_inverted(capture)
    reading = read_logs(logs) if logs else _NO_RECORDS
    correlation, facts = assess_capture(
        path,
        capture,
        reading,
        requirement=requirement,
        dut=dut,
        report_path=None,
        stated_pair=pair,
    )
    return capture, correlation, facts


def _rate_of(text: str) -> StatedRate | None:
    if not text:
        return None
    found = rate_of(text)
    if found is None:
        raise UsageError(
            f"Sample rate: {text[:80]!r} is not a sample rate; allowed are a number and Hz, kHz, "
            "MHz or GHz, for example 1 MHz"
        )
    return StatedRate(found, "“Sample rate”")


def _pair_of(text: str) -> StatedPair | None:
    if not text:
        return None
    found = stated_pair_of(text)
    if found is None:
        raise UsageError(
            "Known pair takes the numbers of a cycle and of its record, such as 1=5; found "
            f"{text[:80]!r}"
        )
    return found


def _stamp_bounds(path: Path, capture: Capture) -> dict[Channel, int]:
    sampling = sampling_of(
        capture.edges.t_ns, capture.resolution_ns, capture.stated_rate, str(path)
    )
    stamps = CaptureStamps(sampling.step_ns, sampling.resolution_ns, sampling.text)
    return {
        channel: sum(row.half_width_ns for row in capture_rows(channel, True, stamps))
        for channel in capture.initial_levels
    }
