"""The whole of `correlate`: cycles, match, reconcile, findings, verdict.

Each stage takes the campaign as the one before it left it, and adds what it found.
"""

import dataclasses
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from resume_rig.analysis.findings.context import Context, RecordedCycle
from resume_rig.analysis.findings.disagreements import (
    bios_is_impossible,
    context_of,
    disagreements,
)
from resume_rig.analysis.findings.firmware import detectable_bios
from resume_rig.analysis.findings.sleeps import record_missing
from resume_rig.analysis.ledger.ledger import ledger_of
from resume_rig.analysis.match.campaign import lost_beside_others, match_boots, match_cycles
from resume_rig.analysis.match.match import Match
from resume_rig.analysis.reconcile.hidden_time import (
    BIOS_IS_WRONG,
    hidden_bios,
    is_of_another_light,
)
from resume_rig.analysis.reconcile.norms import (
    UNKNOWN_PLATFORM,
    Platform,
    is_one_computer,
    usual_rests,
)
from resume_rig.analysis.reconcile.os_account import ClockReading, before_sleep, with_segments
from resume_rig.analysis.reconcile.reconcile import (
    UNKNOWN_RESET_TO_TSC,
    ExtraSleep,
    TimedCycle,
    awake_times,
    awake_to_os,
    press_to_desktop,
    unexplained,
)
from resume_rig.analysis.stats.dependence import tau_of_failures
from resume_rig.analysis.stats.figures import failure_rate
from resume_rig.analysis.verdict.limits import judge_limits, verdict_of_limits
from resume_rig.analysis.verdict.measures import sighting_of
from resume_rig.analysis.verdict.ruling import campaign_why, rule, ruled, tried_of, undecided_of
from resume_rig.analysis.verdict.series import cycle_series
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import (
    NO_SLEEPS,
    LogReading,
    OsRecord,
    SleepKind,
    host_of,
)
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    BROKEN,
    CAME_BACK,
    Correlation,
    OsClock,
    Outcome,
    OutsideCycle,
    ReconciledCycle,
)
from resume_rig.model.result.match import (
    CYCLE_REASONS,
    ClockStep,
    Confidence,
    CycleReason,
    MatchCertainty,
    StatedPair,
    UnmatchedRecord,
    percent,
)
from resume_rig.model.result.packed import Derived, PackedSequence
from resume_rig.model.result.verdict import (
    FindingKind,
    NotJudged,
    Requirement,
    Verdict,
    WhyNot,
)
from resume_rig.model.units import NS_PER_MS, count_of

# From the power line's rise, or the press, to the OS where BiosInit is not reported. Assumed, with
# room; it bounds the OS clock of logs without BIOS times alone.
_UNKNOWN_TO_OS = BoundedNs(2_500_000_000, 2_500_000_000)

_NAME_MOST: Final = 64
"""Letters of a computer's name in a sentence: NetBIOS has 15, a host of DNS 63."""
_NAMED_MOST: Final = 4

_DID_NOT_WAKE = frozenset({Outcome.NEVER_WOKE, Outcome.HUNG_IN_SLEEP, Outcome.HUNG_IN_RESUME})


@dataclass(frozen=True, slots=True)
class CycleRecord:
    """The record of a cycle and how certain the match is, or the reason why there is none."""

    record: OsRecord | None
    certainty: MatchCertainty | None
    missing: CycleReason | None

    @property
    def is_certain(self) -> bool:
        """Whether what the record says may be held against the cycle."""
        return self.certainty is not None and self.certainty.level is Confidence.HIGH

    @property
    def why_none(self) -> NotJudged:
        """Why there is no record that may be held against the cycle, if there is none."""
        if self.certainty is not None:
            likely = percent(self.certainty)
            why = f"the record is of this cycle with a probability of {likely}"
            return NotJudged.of(WhyNot.MATCH_UNCERTAIN, why=why)
        reason = CycleReason.LOST if self.missing is None else self.missing
        unsure = reason is CycleReason.AMBIGUOUS
        which = WhyNot.MATCH_UNCERTAIN if unsure else WhyNot.NO_RECORD
        return NotJudged.of(which, why=CYCLE_REASONS[reason])


@dataclass(frozen=True, kw_only=True)
class Cycles:
    """What the rig measured and the OS wrote, and what both are judged by.

    Attributes: as `correlate` takes them, but for
        reading: each transition once.
        written: all records, those too that tell of a transition again.
    """

    cycles: Sequence[TimedCycle]
    reading: LogReading
    written: Sequence[OsRecord]
    requirement: Requirement
    reset_to_tsc: BoundedNs
    platform: Platform
    stated_pair: StatedPair | None
    extra_sleeps: Sequence[ExtraSleep]

    @property
    def is_related(self) -> bool:
        """Whether the times of the cycles are on the host's clock."""
        return any(cycle.wake_utc is not None for cycle in self.cycles)


@dataclass(frozen=True, kw_only=True)
class Matched(Cycles):
    """Each cycle with its record, or with why it has none.

    Attributes:
        match: which record is of which cycle.
        records: of each cycle.
        shutdowns: accounts of the shutdowns of boots, by number of the cycle.
        booted: indexes of the records of boots and shutdowns that are of a cycle.
    """

    match: Match
    records: Sequence[CycleRecord]
    shutdowns: Mapping[int, OsRecord]
    booted: Collection[int]

    @property
    def certain(self) -> dict[int, OsRecord]:
        """The records of sleeps that are held against their cycles, by index of the cycle."""
        return {
            index: each.record
            for index, each in enumerate(self.records)
            if each.record is not None and each.is_certain and each.record.kind not in NO_SLEEPS
        }


@dataclass(frozen=True, kw_only=True)
class Reconciled(Matched):
    """What wires, light and OS clocks show together of what is usual.

    Attributes:
        around: what all cycles share.
    """

    around: Context


@dataclass(frozen=True, kw_only=True)
class Examined(Reconciled):
    """Each cycle with its findings and its intervals, and no verdict yet.

    Attributes:
        examined: of each cycle; made anew in each pass.
    """

    examined: Collection[ReconciledCycle]


def with_traces(correlation: Correlation, traces: Mapping[int, OsRecord]) -> Correlation:
    """Return an answer in which cycles have what traces of theirs time; nothing is judged by it.

    Args:
        correlation: the answer.
        traces: what a trace times, by the number of its cycle.

    Raises:
        RecordError: there is no such cycle, or it has no OS record that could have it.
    """
    left = dict(traces)
    cycles = tuple(
        _with_trace(cycle, traced) if (traced := left.pop(cycle.outside.number, None)) else cycle
        for cycle in correlation.cycles
    )
    if left:
        raise RecordError(
            f"could not join a trace with cycle {min(left)}: the campaign has no such cycle"
        )
    return dataclasses.replace(correlation, cycles=cycles)


def _with_trace(cycle: ReconciledCycle, traced: OsRecord) -> ReconciledCycle:
    record = cycle.record
    if record is None:
        raise RecordError(
            f"could not join a trace with cycle {cycle.outside.number}: it has no OS record"
        )
    components = (*record.components, *traced.components)
    figures = (*record.figures, *traced.figures)
    joined = dataclasses.replace(record, components=components, figures=figures)
    return dataclasses.replace(cycle, record=joined)


def correlate(
    cycles: Sequence[TimedCycle],
    reading: LogReading,
    requirement: Requirement,
    reset_to_tsc: BoundedNs = UNKNOWN_RESET_TO_TSC,
    platform: Platform = UNKNOWN_PLATFORM,
    *,
    stated_pair: StatedPair | None = None,
    extra_sleeps: Sequence[ExtraSleep] = (),
) -> Correlation:
    """Return cycles and OS records as one statement.

    Every finding of a cycle, of the wires and of the comparison, is in
    `ReconciledCycle.findings`.

    Args:
        cycles: in the order in which they were made.
        reading: what the OS reports; may be empty.
        requirement: what the verdict is about.
        reset_to_tsc: PLTRST# rising to the TSC's zero, from the DUT profile.
        platform: what else the DUT profile has of the platform.
        stated_pair: a cycle and its record, as somebody states.
        extra_sleeps: that the rig made outside of the cycles.

    Raises:
        UsageError: the times contradict the stated pair.
    """
    campaign = Cycles(
        cycles=cycles,
        reading=ledger_of(reading).reading,
        written=reading.records,
        requirement=requirement,
        reset_to_tsc=reset_to_tsc,
        platform=platform,
        stated_pair=stated_pair,
        extra_sleeps=extra_sleeps,
    )
    return _verdict(_findings(_reconcile(_match(campaign))))


def _match(campaign: Cycles) -> Matched:
    cycles, reading = campaign.cycles, campaign.reading
    found = match_cycles(
        cycles,
        reading.records,
        campaign.stated_pair,
        campaign.extra_sleeps,
        related=campaign.is_related,
    )
    matched = {
        cycle: CycleRecord(reading.records[record], MatchCertainty(probability), None)
        for (cycle, record), probability in zip(found.pairs, found.probability, strict=True)
    }
    booted = match_boots(cycles, reading.records, related=campaign.is_related)
    matched |= {
        cycle: CycleRecord(reading.records[record], MatchCertainty(probability), None)
        for cycle, (record, probability) in booted.boots.items()
    }
    lost = [each for each, why in found.cycle_reasons.items() if why is CycleReason.LOST]
    unsure = lost_beside_others(lost, found.pairs, found.record_reasons, len(reading.records))
    records: list[CycleRecord] = []
    for index, cycle in enumerate(cycles):
        if index in matched:
            records.append(matched[index])
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
        records.append(CycleRecord(None, None, reason))
    shutdowns = {
        cycles[at].outside.number: reading.records[record]
        for at, record in booted.shutdowns.items()
    }
    taken = {record for record, _ in booted.boots.values()} | set(booted.shutdowns.values())
    return Matched(
        **vars(campaign), match=found, records=records, shutdowns=shutdowns, booted=taken
    )


def _reconcile(campaign: Matched) -> Reconciled:
    around = context_of(
        Derived(campaign.cycles, attrgetter("outside")),
        campaign.certain,
        campaign.written,
        requirement=campaign.requirement,
        reset_to_tsc=campaign.reset_to_tsc,
        platform=campaign.platform,
        awake=awake_times(campaign.cycles),
    )
    return Reconciled(**vars(campaign), around=around)


def _findings(campaign: Reconciled) -> Examined:
    def examined(index: int) -> ReconciledCycle:
        return _examined(campaign.cycles[index].outside, campaign.records[index], campaign)

    return Examined(**vars(campaign), examined=Derived(range(len(campaign.cycles)), examined))


def _verdict(campaign: Examined) -> Correlation:
    requirement, reading, found = campaign.requirement, campaign.reading, campaign.match
    cycles = PackedSequence(
        (
            ruled(cycle, rule(cycle, requirement, record.why_none))
            for cycle, record in zip(campaign.examined, campaign.records, strict=True)
        ),
        kept=reading.records,
    )
    verdicts = Counter(
        (cycle.outside.outcome in BROKEN, cycle.verdict) for cycle in cycles if cycle.judged
    )
    broken = sum(count for (is_broken, _), count in verdicts.items() if is_broken)
    failed = sum(count for (_, verdict), count in verdicts.items() if verdict is not Verdict.PASS)
    timed = (sighting_of(c) for c in cycles if c.is_timed and c.outside.outcome not in BROKEN)
    tau = tau_of_failures(
        [cycle.verdict is not Verdict.PASS for cycle in cycles if cycle.judged or cycle.undecided]
    )
    limits = judge_limits(
        requirement,
        timed,
        broken,
        undecided_of(cycles, requirement),
        tried_of(cycles, requirement),
        tau=tau,
    )
    undecided = sum(cycle.undecided for cycle in cycles)
    certain = campaign.certain
    doubts = (*_doubts(campaign), *_unrelated(campaign))
    return Correlation(
        cycles=cycles,
        unmatched_records=tuple(
            UnmatchedRecord(reading.records[index], reason)
            for index, reason in found.record_reasons.items()
            if index not in campaign.booted
        ),
        clock=_clock(campaign, cycles) if campaign.is_related else None,
        verdict=verdict_of_limits(limits),
        why=campaign_why(cycles, requirement, limits, doubts),
        doubts=doubts,
        limits=limits,
        failures=failure_rate(failed, verdicts.total(), undecided, tau),
        series=cycle_series(cycles, requirement),
        usual=usual_rests(campaign.around.norms),
        equal_offsets=found.equal_offsets,
        undecided=undecided,
        detectable=detectable_bios(
            ((c.outside, certain[i]) for i, c in enumerate(campaign.cycles) if i in certain),
            campaign.around,
        ),
        levels=campaign.around.norms.levels,
        clock_steps=tuple(
            ClockStep(cycles[before].outside.number, cycles[after].outside.number, step_ns / 1e9)
            for before, after, step_ns in found.steps
            if not {before, after} <= certain.keys()
            or is_one_computer(certain[before], certain[after])
        ),
    )


def _may_not_have_survived(outside: OutsideCycle, reason: CycleReason) -> bool:
    """Return whether the OS likely never came back; a log that goes on in silence shows it, too.

    Not of a boot: no log has a record of one, so its silence shows nothing.
    """
    silent = _is_dark(outside) and reason is CycleReason.LOST
    silent = silent and outside.asked is not SleepKind.BOOT
    return silent or outside.outcome in _DID_NOT_WAKE


def _is_dark(outside: OutsideCycle) -> bool:
    return any(finding.kind is FindingKind.DARK for finding in outside.findings)


def _examined(outside: OutsideCycle, matched: CycleRecord, campaign: Reconciled) -> ReconciledCycle:
    # What may be another cycle's record is shown, and nothing is concluded from it.
    record = matched.record if matched.is_certain else None
    findings = outside.findings
    # Nothing is added up from a BIOS time that was shown to be wrong.
    impossible, believed = False, record
    slept = record is not None and record.kind not in NO_SLEEPS
    if record is not None and slept:
        impossible = bios_is_impossible(outside, record, campaign.around)
        findings += disagreements(outside, record, campaign.around)
        if impossible or not BIOS_IS_WRONG.isdisjoint(finding.kind for finding in findings):
            believed = None
    elif record is None and _lacks_record(outside, matched) and campaign.reading.sources:
        findings += (record_missing(outside),)
    if record is not None and record.is_untimed:
        findings += (record_missing(outside, seen=True),)
    pair = None if believed is None else RecordedCycle(outside, believed, campaign.around)
    return ReconciledCycle(
        outside=outside,
        record=matched.record,
        press_to_resume_complete=None if pair is None else pair.press_to_resume_complete,
        unexplained=unexplained(outside, None if impossible else record, campaign.around.norms),
        light_after_complete=None
        if pair is None or is_of_another_light(findings)
        else pair.light_after_complete,
        verdict=Verdict.NO_EVIDENCE,
        judged=False,
        unjudged=None,
        findings=findings,
        hidden_before_sleep=before_sleep(outside, record, campaign.around.history.before(record))
        if record and slept
        else None,
        certainty=matched.certainty,
        record_missing=matched.missing,
        bios_impossible=impossible,
        bios_checked=pair is not None and pair.claims.proven is not None,
        press_to_desktop=press_to_desktop(outside, record, campaign.reset_to_tsc),
        shutdown=campaign.shutdowns.get(outside.number) if matched.is_certain else None,
    )


def _lacks_record(outside: OutsideCycle, matched: CycleRecord) -> bool:
    """Return whether the OS should have written a record; no log has a boot as one.

    What stayed dark may have hung: that it wrote none is no fault of the log's.
    """
    wrote = outside.outcome in CAME_BACK and outside.asked is not SleepKind.BOOT
    wrote = wrote and not _is_dark(outside)
    # Of a cycle whose record may be one of several, the log is not silent; a log of another unit
    # never spoke of it.
    spoken_of = matched.missing in (CycleReason.AMBIGUOUS, CycleReason.UNRELATED)
    return matched.record is None and not spoken_of and wrote


def _clock(campaign: Examined, cycles: Sequence[ReconciledCycle]) -> OsClock | None:
    """Return how the OS's clock ran against the host's."""
    readings: list[tuple[bool, ClockReading]] = []
    for timed, cycle in zip(campaign.cycles, cycles, strict=True):
        record = sighting_of(cycle).record
        if record is None or timed.wake_utc is None or record.wake_time_utc_ns is None:
            continue
        if record.kind in NO_SLEEPS:
            continue  # its times are those of the boot, not of a wake
        to_os = awake_to_os(cycle.outside, record, campaign.reset_to_tsc)
        os_ns = record.wake_time_utc_ns - (record.wake_ms or 0) * NS_PER_MS
        host = timed.wake_utc + (_UNKNOWN_TO_OS if to_os is None else to_os + _hidden_span(cycle))
        reading = ClockReading(host, os_ns, cycle.outside.number)
        readings.append((to_os is not None, reading))
    set_before = {cycles[after].outside.number for _, after, _ in campaign.match.steps}
    bounded = [reading for is_bounded, reading in readings if is_bounded]
    return with_segments(bounded or [reading for _, reading in readings], set_before)


def _hidden_span(cycle: ReconciledCycle) -> BoundedNs:
    """Return from nothing to all that a cycle's BIOS time may lack, or have too much."""
    hidden = hidden_bios(cycle)
    if hidden is None:
        return BoundedNs(0, 0)
    farthest_ns = hidden.value_ns + (hidden.bound_ns if hidden.value_ns > 0 else -hidden.bound_ns)
    return BoundedNs(farthest_ns // 2, abs(farthest_ns) // 2 + 1)


def _units(campaign: Matched) -> list[str]:
    """Return which cycles are of which computer, where the records are of several."""
    numbers: dict[str, list[int]] = {name: [] for name in campaign.reading.computers}
    names = {host_of(name): name for name in numbers}
    for cycle, each in zip(campaign.cycles, campaign.records, strict=True):
        name = None if each.record is None else names.get(host_of(each.record.computer))
        if name is not None:
            numbers[name].append(cycle.outside.number)
    if len(numbers) < 2:
        return []
    named = [
        f"{name[:_NAME_MOST]} (cycles {min(own)} to {max(own)})" if own else name[:_NAME_MOST]
        for name, own in numbers.items()
    ]
    more = [f"{len(named) - _NAMED_MOST} more"] if len(named) > _NAMED_MOST else []
    each_one = ", ".join([*named[:_NAMED_MOST], *more])
    return [f"the records are of {len(named)} computers, which are units of their own: {each_one}"]


def _doubts(campaign: Matched) -> list[str]:
    """Return clauses on what the evidence itself is worth."""
    stated = campaign.stated_pair
    parts: list[str] = []
    bad = sum(not source.integrity.ok for source in campaign.reading.sources)
    if bad:
        parts.append(f"{count_of(bad, 'log')} incomplete, so records may be missing")
    parts += _units(campaign)
    if stated is not None:
        parts.append(f"record {stated.record} was stated to be that of cycle {stated.cycle}")
    return parts


def _unrelated(campaign: Matched) -> list[str]:
    """Return a clause where the log is of other sleeps, or may be."""
    found, records = campaign.match, campaign.records
    if found.one_script:
        return [
            "the log may be of another unit that the same script sent to sleep: what its"
            " SleepDuration varies by is not in the times of the wires; check that it is the log"
            " of this unit"
        ]
    unrelated = sum(each.missing is CycleReason.UNRELATED for each in records)
    if not campaign.reading.records or 2 * unrelated <= len(records):
        return []
    fit = f"{found.fit} of {found.covered} fit, no more than chance explains" if found.fit else ""
    return [
        f"the log does not match these cycles: {fit or 'none fits'}; check that it is the log of"
        " this unit"
    ]
