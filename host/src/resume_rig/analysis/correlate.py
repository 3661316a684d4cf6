"""The whole of `correlate`: match, reconcile, judge, and say what the answer rests on."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from resume_rig.analysis.campaign_series import cycle_series
from resume_rig.analysis.detectable import detectable_bios
from resume_rig.analysis.disagreements import (
    bios_is_impossible,
    disagreements,
    record_missing,
    surroundings_of,
)
from resume_rig.analysis.findings.seen import Surroundings
from resume_rig.analysis.hidden_bios import BIOS_IS_WRONG, hidden_bios
from resume_rig.analysis.limits import judge_limits, verdict_of_limits
from resume_rig.analysis.match import Match
from resume_rig.analysis.match_cycles import match_cycles
from resume_rig.analysis.measures import sighting_of
from resume_rig.analysis.norms import usual_rests
from resume_rig.analysis.os_clock import ClockReading, with_segments
from resume_rig.analysis.platform import UNKNOWN_PLATFORM, Platform
from resume_rig.analysis.reconcile import (
    UNKNOWN_RESET_TO_TSC,
    awake_to_os,
    light_after_complete,
    press_to_resume_complete,
    unexplained,
    with_bios_unproven,
)
from resume_rig.analysis.ruling import campaign_why, rule, ruled, undecided_of
from resume_rig.analysis.statistics import failure_rate
from resume_rig.analysis.timed_cycle import SleepBeside, TimedCycle, awake_times
from resume_rig.analysis.told_steps import beside_told_steps
from resume_rig.analysis.way_to_sleep import before_sleep
from resume_rig.model.cycle import (
    Correlation,
    OsClock,
    Outcome,
    OutsideCycle,
    ReconciledCycle,
)
from resume_rig.model.match import (
    CYCLE_REASONS,
    ClockStep,
    Confidence,
    CycleReason,
    KnownPair,
    MatchCertainty,
    UnmatchedRecord,
    percent,
)
from resume_rig.model.os_record import (
    LogReading,
    OsRecord,
    SleepKind,
)
from resume_rig.model.outcome import BROKEN, CAME_BACK
from resume_rig.model.packed_sequence import Derived, PackedSequence
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.requirement import Requirement
from resume_rig.model.units import count_of
from resume_rig.model.verdict import FindingKind, Verdict

# From the power line's rise, or the press, to the OS where BiosInit is not reported.
_UNKNOWN_TO_OS = BoundedNs(2_500_000_000, 2_500_000_000)
_MS_NS = 1_000_000

_DID_NOT_WAKE = frozenset({Outcome.NEVER_WOKE, Outcome.HUNG_IN_SLEEP, Outcome.HUNG_IN_RESUME})


@dataclass(frozen=True, slots=True)
class _Campaign:
    """What all cycles share."""

    reading: LogReading
    requirement: Requirement
    around: Surroundings


@dataclass(frozen=True, slots=True)
class _Told:
    """The record of a cycle with the certainty of that, or the reason why there is none."""

    record: OsRecord | None
    certainty: MatchCertainty | None
    missing: CycleReason | None

    @property
    def is_certain(self) -> bool:
        """Whether what the record says may be held against the cycle."""
        return self.certainty is not None and self.certainty.level is Confidence.HIGH

    @property
    def why_none(self) -> str:
        """Why there is no record that may be held against the cycle, if there is none."""
        if self.certainty is not None:
            likely = percent(self.certainty)
            return f"match not certain: the record is of this cycle with a probability of {likely}"
        reason = CycleReason.LOST if self.missing is None else self.missing
        if reason is CycleReason.AMBIGUOUS:
            return f"match not certain: {CYCLE_REASONS[reason]}"
        return f"no record: {CYCLE_REASONS[reason]}"


def correlate(
    cycles: Sequence[TimedCycle],
    reading: LogReading,
    requirement: Requirement,
    reset_to_tsc: BoundedNs = UNKNOWN_RESET_TO_TSC,
    platform: Platform = UNKNOWN_PLATFORM,
    *,
    known: KnownPair | None = None,
    beside: Sequence[SleepBeside] = (),
) -> Correlation:
    """Return cycles and OS records as one statement.

    Every finding of a cycle, of the wires and of the comparison, is in
    `ReconciledCycle.findings`.

    Args:
        cycles: in the order in which they were made.
        reading: what the OS says; may be empty.
        requirement: what the verdict is about.
        reset_to_tsc: PLTRST# rising to the TSC's zero, from the DUT profile.
        platform: what else the DUT profile knows of the platform.
        known: a pair that somebody knows.
        beside: sleeps that the rig made outside of the cycles.

    Raises:
        UsageError: the times contradict the known pair.
    """
    related = any(cycle.wake_utc is not None for cycle in cycles)
    found = match_cycles(cycles, reading.records, known, beside, related=related)
    told = _told(cycles, reading, found)
    record_of = {
        index: each.record
        for index, each in enumerate(told)
        if each.record is not None and each.is_certain
    }
    around = surroundings_of(
        Derived(cycles, attrgetter("outside")),
        record_of,
        reading.records,
        requirement=requirement,
        reset_to_tsc=reset_to_tsc,
        platform=platform,
        awake=awake_times(cycles),
    )
    campaign = _Campaign(reading, requirement, around)
    reconciled = PackedSequence(
        (_reconcile(c.outside, each, campaign) for c, each in zip(cycles, told, strict=True)),
        kept=reading.records,
    )
    set_before = {cycles[after].outside.number for _, after, _ in found.steps}
    verdicts = Counter(
        (cycle.outside.outcome in BROKEN, cycle.verdict) for cycle in reconciled if cycle.judged
    )
    broken = sum(count for (is_broken, _), count in verdicts.items() if is_broken)
    timed = (sighting_of(c) for c in reconciled if c.judged and c.outside.outcome not in BROKEN)
    limits = judge_limits(requirement, timed, broken, undecided_of(reconciled, requirement))
    undecided = sum(cycle.undecided for cycle in reconciled)
    return Correlation(
        cycles=reconciled,
        unmatched_records=tuple(
            UnmatchedRecord(reading.records[index], reason)
            for index, reason in found.record_reasons.items()
        ),
        clock=_clock(cycles, reconciled, reset_to_tsc, set_before) if related else None,
        verdict=verdict_of_limits(limits),
        why=campaign_why(
            reconciled,
            requirement,
            limits,
            [*_doubts(reading, known), *_unrelated(found, told, reading)],
        ),
        limits=limits,
        failures=failure_rate(_not_passed(verdicts), verdicts.total(), undecided),
        series=cycle_series(reconciled, requirement),
        usual=usual_rests(around.norms),
        alike_offsets=found.alike,
        undecided=undecided,
        detectable=detectable_bios(
            ((c.outside, record_of[i]) for i, c in enumerate(cycles) if i in record_of), around
        ),
        clock_steps=tuple(
            ClockStep(cycles[before].outside.number, cycles[after].outside.number, step_ns / 1e9)
            for before, after, step_ns in found.steps
        ),
    )


def _not_passed(verdicts: Mapping[tuple[bool, Verdict], int]) -> int:
    return sum(count for (_, verdict), count in verdicts.items() if verdict is not Verdict.PASS)


def _told(cycles: Sequence[TimedCycle], reading: LogReading, found: Match) -> tuple[_Told, ...]:
    """Return of each cycle its record and how certain that is, or why it has none."""
    certainty = {
        cycle: (reading.records[record], MatchCertainty(probability))
        for (cycle, record), probability in zip(found.pairs, found.probability, strict=True)
    }
    lost = [each for each, why in found.cycle_reasons.items() if why is CycleReason.LOST]
    unsure = beside_told_steps(lost, found.pairs, reading.records)
    told: list[_Told] = []
    for index, cycle in enumerate(cycles):
        if index in certainty:
            told.append(_Told(*certainty[index], None))
            continue
        reason = found.cycle_reasons[index]
        if not reading.sources:
            reason = CycleReason.NO_LOG
        elif _may_not_have_survived(cycle.outside, reason):
            reason = CycleReason.NOT_SURVIVED
        elif cycle.outside.asked is SleepKind.BOOT:
            reason = CycleReason.NOT_WRITTEN
        elif index in unsure:
            reason = CycleReason.AMBIGUOUS
        told.append(_Told(None, None, reason))
    return tuple(told)


def _may_not_have_survived(outside: OutsideCycle, reason: CycleReason) -> bool:
    """Return whether the OS likely never came back; a log that goes on in silence says so, too.

    Not of a boot: no log has a record of one, so its silence shows nothing.
    """
    silent = _is_dark(outside) and reason is CycleReason.LOST
    silent = silent and outside.asked is not SleepKind.BOOT
    return silent or outside.outcome in _DID_NOT_WAKE


def _is_dark(outside: OutsideCycle) -> bool:
    return any(finding.kind is FindingKind.DARK for finding in outside.findings)


def _reconcile(outside: OutsideCycle, told: _Told, campaign: _Campaign) -> ReconciledCycle:
    reset_to_tsc, norms = campaign.around.reset_to_tsc, campaign.around.norms
    # What may be another cycle's record is shown, and nothing is concluded from it.
    record = told.record if told.is_certain else None
    findings = outside.findings
    # Nothing is added up from a BIOS time that was shown to be wrong.
    impossible, believed = False, record
    if record is not None:
        impossible = bios_is_impossible(outside, record, campaign.around)
        findings += disagreements(outside, record, campaign.around)
        if impossible or not BIOS_IS_WRONG.isdisjoint(finding.kind for finding in findings):
            believed = None
    elif _lacks_record(outside, told) and campaign.reading.sources:
        findings += (record_missing(outside),)
    hidden = campaign.around.hidden.get(outside.number)
    unproven = None if hidden is None or believed is None else hidden.whole
    complete = press_to_resume_complete(outside, believed, reset_to_tsc)
    light = light_after_complete(outside, believed, reset_to_tsc)
    cycle = ReconciledCycle(
        outside=outside,
        record=told.record,
        press_to_resume_complete=with_bios_unproven(complete, unproven, reset_to_tsc),
        unexplained=unexplained(outside, None if impossible else record, norms),
        light_after_complete=with_bios_unproven(light, unproven, reset_to_tsc),
        verdict=Verdict.NO_EVIDENCE,
        judged=False,
        why_not=None,
        findings=findings,
        hidden_before_sleep=None if record is None else before_sleep(outside, record),
        certainty=told.certainty,
        record_missing=told.missing,
        bios_impossible=impossible,
        bios_checked=unproven is not None,
    )
    return ruled(cycle, rule(cycle, campaign.requirement, told.why_none))


def _lacks_record(outside: OutsideCycle, told: _Told) -> bool:
    """Return whether the OS should have written a record; no log tells of a boot as one.

    What stayed dark may have hung: that it wrote none is no fault of the log's.
    """
    wrote = outside.outcome in CAME_BACK and outside.asked is not SleepKind.BOOT
    wrote = wrote and not _is_dark(outside)
    # Of a cycle whose record may be one of several, the log is not silent; a log of another unit
    # never spoke of it.
    told_of = told.missing in (CycleReason.AMBIGUOUS, CycleReason.UNRELATED)
    return told.record is None and not told_of and wrote


def _clock(
    cycles: Sequence[TimedCycle],
    reconciled: Sequence[ReconciledCycle],
    reset_to_tsc: BoundedNs,
    set_before: Collection[int],
) -> OsClock | None:
    readings: list[tuple[bool, ClockReading]] = []
    for cycle, told in zip(cycles, reconciled, strict=True):
        record = sighting_of(told).record
        if record is None or cycle.wake_utc is None or record.wake_time_utc_ns is None:
            continue
        to_os = awake_to_os(cycle.outside, record, reset_to_tsc)
        os_ns = record.wake_time_utc_ns - (record.wake_ms or 0) * _MS_NS
        host = cycle.wake_utc + (_UNKNOWN_TO_OS if to_os is None else to_os + _hidden_span(told))
        reading = ClockReading(host, os_ns, cycle.outside.number)
        readings.append((to_os is not None, reading))
    known = [reading for is_known, reading in readings if is_known]
    return with_segments(known or [reading for _, reading in readings], set_before)


def _hidden_span(cycle: ReconciledCycle) -> BoundedNs:
    """Return from nothing to all that a cycle's BIOS time may lack, or have too much."""
    hidden = hidden_bios(cycle)
    if hidden is None:
        return BoundedNs(0, 0)
    farthest_ns = hidden.value_ns + (hidden.bound_ns if hidden.value_ns > 0 else -hidden.bound_ns)
    return BoundedNs(farthest_ns // 2, abs(farthest_ns) // 2 + 1)


def _doubts(reading: LogReading, known: KnownPair | None) -> list[str]:
    """Say what the evidence itself is worth."""
    parts: list[str] = []
    bad = sum(not source.integrity.ok for source in reading.sources)
    if bad:
        parts.append(f"{count_of(bad, 'log')} not whole, so records may be missing")
    if known is not None:
        parts.append(f"record {known.record} was stated to be that of cycle {known.cycle}")
    return parts


def _unrelated(found: Match, told: Sequence[_Told], reading: LogReading) -> list[str]:
    """Say that the log is of other sleeps, where it is."""
    unrelated = sum(each.missing is CycleReason.UNRELATED for each in told)
    if not reading.records or 2 * unrelated <= len(told):
        return []
    fit = f"{found.fit} of {found.covered} fit, no more than chance explains" if found.fit else ""
    return [
        f"the log does not match these cycles: {fit or 'none fits'}; check that it is the log of"
        " this unit"
    ]
