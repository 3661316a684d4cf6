"""What is said of all cycles of a campaign together, gathered in one pass over them.

A long campaign makes its cycles anew in each pass, so that faces read columns and figures here, and
go through the cycles only to draw them.
"""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from statistics import median
from typing import Final

from resume_rig.analysis.answer.headline import Worst, WorstOf
from resume_rig.analysis.findings.groups import CycleFinding, FindingGroup, findings_of, in_groups
from resume_rig.analysis.reconcile.hidden_time import BIOS_IS_WRONG, hidden_bios
from resume_rig.analysis.reconcile.milestones import outside_milestones, trigger_word
from resume_rig.analysis.stats.figures import summarise
from resume_rig.analysis.verdict.measures import sighting_of
from resume_rig.analysis.verdict.ruling import Tally, is_uncovered, slept_otherwise
from resume_rig.model.channel import Channel, WakeBy
from resume_rig.model.light import LightBasis
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.power import CyclePower, PowerFigure
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.answer import Standing
from resume_rig.model.result.cycle import (
    BROKEN,
    CAME_BACK,
    FAILED,
    CycleHealth,
    IntervalName,
    Outcome,
    ReconciledCycle,
)
from resume_rig.model.result.match import Confidence, CycleReason, MatchCertainty
from resume_rig.model.result.series import CycleMark, CycleTimes
from resume_rig.model.result.verdict import RESUME, FindingKind, Limit, Statistics, Verdict
from resume_rig.model.units import NS_PER_MS

LIGHT: Final = IntervalName.PRESS_TO_LIGHT.value
_STANDING_OF: Final = {
    Verdict.PASS: Standing.PASSED,
    Verdict.FAIL: Standing.FAILED,
    Verdict.MARGINAL: Standing.MARGINAL,
    Verdict.NO_EVIDENCE: Standing.UNDECIDED,
}


def standing_of(cycle: ReconciledCycle) -> Standing:
    """Return how a cycle that was ruled upon counts; the one definition of a failure is here."""
    if cycle.outside.ignored:
        return Standing.IGNORED
    if cycle.judged:
        return _STANDING_OF[cycle.verdict]
    if is_uncovered(cycle):
        return Standing.NOT_COVERED
    return Standing.UNDECIDED if cycle.undecided else Standing.NO_TRIAL


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle and the longest of some times."""

    median_ns: int
    worst_ns: int


@dataclass(frozen=True, slots=True)
class HealthFigures:
    """How a DUT came back, by its own lists.

    Attributes:
        asked: cycles with reports. compared: of them, before and after.
        changed, with_errors: of those, with devices that changed, with new errors.
        took_ns: the reports of a cycle, median. back: when shell and links were back, at the
            latest, from the trigger, by name.
    """

    asked: int
    compared: int
    changed: int
    with_errors: int
    took_ns: int
    back: tuple[tuple[str, Spread], ...]


@dataclass(frozen=True, slots=True)
class PowerFigures:
    """What a DUT drew: of each part its name, unit, median with the widest uncertainty, and n."""

    parts: tuple[tuple[str, str, PowerFigure, int], ...]
    lost: int


@dataclass(frozen=True, slots=True)
class MatchFigures:
    """How sure cycles belong to their records.

    Attributes:
        matched: cycles with a record. least: the least certain of them; None of none.
        unsure: those whose match is not certain. missing: why others have none.
    """

    matched: int
    least: MatchCertainty | None
    unsure: tuple[int, ...]
    without: tuple[int, ...]
    missing: Mapping[CycleReason, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Overview:
    """All cycles of a campaign at once; numbers are those of cycles, in their order.

    Attributes:
        numbers, standings, outcomes, words: of each cycle; words: what stands in place of a
            verdict, or the verdict.
        off_plan: cycles of which the DUT made something else than was asked for, and that are no
            failure.
        findings: by kind, rare ones first.
        contradicted: judged, timed cycles whose time clock and wires contradict.
        hidden: what clock and wires add to the BIOS time of cycles that they contradict.
        with_hidden_ms: number and resume time of those with what is hidden.
        resume_with_hidden: the median judged cycle's resume with what is hidden; None of none.
        resume_ms, light_ms: number and time of each cycle that is in the figures of it.
        resume, complete, light: the figures; None without a time.
        drawn_resume: of the resume times that count in the picture of all cycles.
        as_planned: every cycle slept and woke. outcome_counts: how many came to which outcome.
        failed_parts_ms: BIOS and device initialization of failed cycles, medians.
        bios_ms: least and greatest reported BIOS time; None without one.
        wakers: what woke the DUT. light_bases: what display on means, in how many cycles.
        light_seen: a light was timed in any cycle.
        uncovered: sleeps that the requirement does not cover, by kind.
        none_covered: it covers none of the cycles that count.
        bios_impossible, bios_contradicted: of any cycle.
        slept: sleeps by kind, as records or the plan have them, the commonest first.
        records: of the cycles, a shutdown before its boot.
        channels: that were observed in any cycle.
        tally: what clauses on the verdict count.
        worst: of the limit that was asked for; None where no judged cycle has a value.
    """

    numbers: Sequence[int]
    standings: Sequence[Standing]
    outcomes: Sequence[Outcome]
    words: Sequence[str]
    off_plan: tuple[int, ...]
    findings: tuple[FindingGroup, ...]
    contradicted: Mapping[FindingKind, tuple[int, ...]]
    hidden: Mapping[int, BoundedNs]
    with_hidden_ms: Mapping[int, float]
    resume_with_hidden: BoundedNs | None
    resume_ms: Sequence[tuple[int, float]]
    light_ms: Sequence[tuple[int, float]]
    resume: Statistics | None
    complete: Statistics | None
    light: Statistics | None
    drawn_resume: Statistics | None
    failed_parts_ms: tuple[float, float] | None
    bios_ms: tuple[int, int] | None
    wakers: frozenset[WakeBy | None]
    light_bases: Mapping[LightBasis, int]
    light_seen: bool
    uncovered: Mapping[SleepKind, int]
    none_covered: bool
    as_planned: bool
    outcome_counts: Mapping[Outcome, int]
    bios_impossible: bool
    bios_contradicted: bool
    slept: tuple[SleepKind, ...]
    records: tuple[OsRecord, ...]
    channels: frozenset[Channel]
    tally: Tally
    worst: Worst | None
    match: MatchFigures
    health: HealthFigures | None
    power: PowerFigures | None
    times: Mapping[str, Sequence[float]]
    marks: Sequence[tuple[CycleMark, CycleMark]]

    @property
    def trigger(self) -> str:
        """What times of the wires count from, in words."""
        return trigger_word(self.wakers)

    def cycle_times(self, *measures: str) -> CycleTimes:
        """Return every cycle with its time, or with why it has none.

        Args:
            measures: the first of these that any cycle has is shown; the first where none has one.
        """
        name = next(
            (each for each in measures if any(map(isfinite, self.times[each]))), measures[0]
        )
        column = self.times[name]
        marks = (
            timed if isfinite(time_ms) else untimed
            for (timed, untimed), time_ms in zip(self.marks, column, strict=True)
        )
        return CycleTimes(name, self.numbers, column, "".join(marks))

    def count(self, places: Iterable[int]) -> Counter[str]:
        """Return how many of the cycles at some places have which verdict, or stand-in of it."""
        return Counter(self.words[place] for place in places)


def middle_of(hidden: Collection[BoundedNs]) -> BoundedNs:
    """Return the median of quantities, with its own uncertainty; the lower one of an even number.

    Raises:
        IndexError: there is none.
    """
    return sorted(hidden, key=lambda each: each.value_ns)[(len(hidden) - 1) // 2]


def unjudged_word(cycle: ReconciledCycle) -> str | None:
    """Return what stands in place of a verdict; None where the cycle counts."""
    if cycle.judged:
        return None
    return "ignored" if cycle.outside.ignored else "not judged"


def overview_of(cycles: Iterable[ReconciledCycle], limit: Limit | None = None) -> Overview:
    """Return what is said of all cycles; they are gone through once, and not kept.

    Args:
        cycles: of one campaign, ruled upon.
        limit: of which the worst value is looked for.
    """
    gathered = _Gathered(limit)
    for cycle in cycles:
        gathered.add(cycle)
    return gathered.overview()


class _Gathered:
    """What a pass over the cycles leaves."""

    def __init__(self, limit: Limit | None) -> None:
        self._worst = WorstOf(limit)
        self._numbers = array("q")
        self._standings: list[Standing] = []
        self._outcomes: list[Outcome] = []
        self._words: list[str] = []
        self._off_plan: list[int] = []
        self._groups: dict[FindingKind, list[CycleFinding]] = {}
        self._contradicted: dict[FindingKind, list[int]] = {}
        self._hidden: dict[int, BoundedNs] = {}
        self._whole: list[BoundedNs] = []
        self._times = {RESUME: array("d"), LIGHT: array("d")}
        self._resume: list[tuple[int, float]] = []
        self._complete: list[float] = []
        # Whose wires count is known when all are seen: with any judged, of those that woke alone.
        self._light: list[tuple[int, float, bool]] = []
        self._flags: list[tuple[bool, bool, bool, bool, bool]] = []
        self._failed_parts: list[tuple[int, int]] = []
        self._bios: list[int] = []
        self._wakers: set[WakeBy | None] = set()
        self._bases: Counter[LightBasis] = Counter()
        self._light_seen = self._impossible = self._wrong_bios = False
        self._uncovered: Counter[SleepKind] = Counter()
        self._counting = self._uncovered_counting = 0
        self._slept: Counter[SleepKind] = Counter()
        self._records: list[OsRecord] = []
        self._channels: set[Channel] = set()
        self._tally, self._match = Tally(), _MatchGathered()
        self._health: list[CycleHealth] = []
        self._power: list[CyclePower] = []

    def add(self, cycle: ReconciledCycle) -> None:
        """Take in a cycle."""
        outside, record = cycle.outside, cycle.record
        number, standing = outside.number, standing_of(cycle)
        self._numbers.append(number)
        self._standings.append(standing)
        self._outcomes.append(cycle.outcome)
        self._words.append(unjudged_word(cycle) or cycle.verdict.value)
        if cycle.outcome in FAILED and standing is not Standing.FAILED and not outside.ignored:
            self._off_plan.append(number)
        if cycle.is_timed and outside.outcome not in BROKEN:
            self._worst.add(number, sighting_of(cycle))
        self._add_findings(cycle)
        self._add_times(cycle)
        self._wakers.add(outside.wake_by)
        if outside.light_basis is not None:
            self._bases[outside.light_basis] += 1
        self._channels.update(outside.channels)
        self._impossible |= cycle.bios_impossible
        self._add_kind(cycle)
        self._tally.add(cycle)
        self._match.add(cycle)
        self._records += [each for each in (cycle.shutdown, record) if each is not None]
        if outside.health is not None:
            self._health.append(outside.health)
        if outside.power is not None:
            self._power.append(outside.power)

    def _add_findings(self, cycle: ReconciledCycle) -> None:
        number = cycle.outside.number
        timed = cycle.is_timed and cycle.outside.outcome not in BROKEN
        for finding in findings_of(cycle):
            self._groups.setdefault(finding.kind, []).append(CycleFinding(number, finding))
        for kind in {finding.kind for finding in cycle.findings}:
            self._wrong_bios |= kind in BIOS_IS_WRONG
            if timed:
                self._contradicted.setdefault(kind, []).append(number)
        if (hidden := hidden_bios(cycle)) is not None:
            self._hidden[number] = hidden
            if timed and cycle.record is not None and cycle.record.resume_ms is not None:
                reported = BoundedNs(cycle.record.resume_ms * NS_PER_MS, NS_PER_MS)
                self._whole.append(reported + hidden)

    def _add_times(self, cycle: ReconciledCycle) -> None:
        number, record, outside = cycle.outside.number, cycle.record, cycle.outside
        seen = sighting_of(cycle).record
        resume_ms = None if seen is None else seen.resume_ms
        self._times[RESUME].append(nan if resume_ms is None else float(resume_ms))
        press_to_light = outside.intervals.get(IntervalName.PRESS_TO_LIGHT)
        self._times[LIGHT].append(_ms(press_to_light))
        light = outside_milestones(outside).light
        self._light_seen |= light is not None
        woke = cycle.undecided and outside.outcome in CAME_BACK
        counts = cycle.is_timed or woke
        failed = cycle.judged and cycle.verdict is Verdict.FAIL
        broken = outside.outcome in FAILED
        self._flags.append((counts, cycle.timed_outside, failed, broken, outside.ignored))
        if light is not None and (counts or cycle.timed_outside):
            self._light.append((number, light.value_ns / NS_PER_MS, counts))
        if record is not None and record.bios_init_ms is not None:
            self._bios.append(record.bios_init_ms)
        if not cycle.is_timed:
            return
        if cycle.press_to_resume_complete is not None:
            self._complete.append(cycle.press_to_resume_complete.value_ns / NS_PER_MS)
        if record is not None and record.resume_ms is not None:
            self._resume.append((number, float(record.resume_ms)))
            if failed:
                self._failed_parts.append((record.bios_init_ms or 0, record.driver_init_ms or 0))

    def _add_kind(self, cycle: ReconciledCycle) -> None:
        kind = cycle.outside.asked if cycle.record is None else cycle.record.kind
        uncovered = is_uncovered(cycle)
        if kind is not None:
            self._slept[kind] += 1
            self._uncovered[kind] += uncovered
        if not (cycle.outside.ignored or slept_otherwise(cycle)):
            self._counting += 1
            self._uncovered_counting += uncovered

    def overview(self) -> Overview:
        """Return it."""
        judged = any(
            each in (Standing.PASSED, Standing.FAILED, Standing.MARGINAL)
            for each in self._standings
        )
        lit = [(number, ms) for number, ms, counts in self._light if counts or not judged]
        parts = self._failed_parts
        marks = [_marks(*flags, judged=judged) for flags in self._flags]
        return Overview(
            numbers=self._numbers,
            standings=self._standings,
            outcomes=self._outcomes,
            words=self._words,
            off_plan=tuple(self._off_plan),
            findings=in_groups(self._groups),
            contradicted={kind: tuple(numbers) for kind, numbers in self._contradicted.items()},
            hidden=self._hidden,
            with_hidden_ms={
                number: time_ms + self._hidden[number].value_ns / NS_PER_MS
                for number, time_ms in zip(self._numbers, self._times[RESUME], strict=True)
                if number in self._hidden and isfinite(time_ms)
            },
            resume_with_hidden=middle_of(self._whole) if self._whole else None,
            resume_ms=self._resume,
            light_ms=lit,
            resume=_figures([ms for _, ms in self._resume]),
            complete=_figures(self._complete),
            light=_figures([ms for _, ms in lit]),
            drawn_resume=_figures(_timed(self._times[RESUME], marks)),
            outcome_counts=Counter(self._outcomes),
            as_planned=all(each is Outcome.SLEPT_AND_WOKE for each in self._outcomes),
            failed_parts_ms=(median(b for b, _ in parts), median(d for _, d in parts))
            if parts
            else None,
            bios_ms=(min(self._bios), max(self._bios)) if self._bios else None,
            wakers=frozenset(self._wakers),
            light_bases=self._bases,
            light_seen=self._light_seen,
            uncovered={kind: n for kind, n in self._uncovered.items() if n},
            none_covered=self._counting > 0 and self._counting == self._uncovered_counting,
            bios_impossible=self._impossible,
            bios_contradicted=self._impossible or self._wrong_bios,
            slept=tuple(kind for kind, _ in self._slept.most_common()),
            records=tuple(self._records),
            channels=frozenset(self._channels),
            tally=self._tally,
            worst=self._worst.found,
            match=self._match.figures(),
            health=_health_figures(self._health),
            power=_power_figures(self._power),
            times=self._times,
            marks=marks,
        )


class _MatchGathered:
    def __init__(self) -> None:
        self._matched: list[MatchCertainty] = []
        self._unsure: list[int] = []
        self._without: list[int] = []
        self._missing: dict[CycleReason, list[int]] = {}

    def add(self, cycle: ReconciledCycle) -> None:
        number, certainty = cycle.outside.number, cycle.certainty
        if certainty is not None:
            self._matched.append(certainty)
            if certainty.level is Confidence.LOW:
                self._unsure.append(number)
        if cycle.record is None:
            self._without.append(number)
        if cycle.record_missing is not None:
            self._missing.setdefault(cycle.record_missing, []).append(number)

    def figures(self) -> MatchFigures:
        least = min(self._matched, key=lambda each: each.probability, default=None)
        missing = {reason: tuple(numbers) for reason, numbers in self._missing.items()}
        return MatchFigures(
            len(self._matched), least, tuple(self._unsure), tuple(self._without), missing
        )


def _ms(quantity: BoundedNs | None) -> float:
    return nan if quantity is None else quantity.value_ns / NS_PER_MS


def _figures(times_ms: Sequence[float]) -> Statistics | None:
    return summarise(times_ms) if times_ms else None


def _marks(
    counts: bool, timed_outside: bool, failed: bool, broken: bool, ignored: bool, *, judged: bool
) -> tuple[CycleMark, CycleMark]:
    """Return what a cycle is shown as with a time, and without one.

    A time that is in none of the campaign's figures, as that of S4 in a mix whose S3 is judged, is
    no time to compare with them.
    """
    untimed = CycleMark.BROKEN if broken else CycleMark.UNKNOWN
    counted = counts or (not judged and timed_outside)
    if ignored or not (broken or counted):
        return CycleMark.LEFT_OUT, untimed
    return CycleMark.FAILED if failed or broken else CycleMark.TIMED, untimed


def _timed(
    times_ms: Sequence[float], marks: Sequence[tuple[CycleMark, CycleMark]]
) -> Sequence[float]:
    """Return the times that count in a picture, and did not fail."""
    return [
        time_ms
        for time_ms, (timed, _) in zip(times_ms, marks, strict=True)
        if timed is CycleMark.TIMED and isfinite(time_ms)
    ]


def _spread(times_ns: Sequence[int]) -> Spread:
    return Spread(round(median(times_ns)), max(times_ns))


def _health_figures(asked: Sequence[CycleHealth]) -> HealthFigures | None:
    if not asked:
        return None
    compared = [each for each in asked if each.compared]
    back: dict[str, list[int]] = {}
    for each in compared:
        if each.answered_by_ns is not None:
            back.setdefault("shell", []).append(each.answered_by_ns)
    links: dict[str, list[int]] = {}
    for each in compared:
        for link in each.links:
            if link.up_by_ns is not None:
                links.setdefault(link.name, []).append(link.up_by_ns)
    spreads = [(name, _spread(times)) for name, times in (*back.items(), *links.items())]
    return HealthFigures(
        asked=len(asked),
        compared=len(compared),
        changed=sum(bool(each.changed) for each in compared),
        with_errors=sum(bool(each.errors) for each in compared),
        took_ns=round(median(each.took_ns for each in asked)),
        back=tuple(spreads),
    )


_PARTS: Final = (
    ("asleep", "W", "asleep_w"),
    ("awake after the resume", "W", "awake_w"),
    ("the resume", "J", "resume_j"),
)


def _power_figures(drawn: Sequence[CyclePower]) -> PowerFigures | None:
    if not drawn:
        return None
    parts = []
    for name, unit, attribute in _PARTS:
        figures = [found for each in drawn if (found := getattr(each, attribute)) is not None]
        if figures:
            middle = median(figure.value for figure in figures)
            widest = max(figure.expanded for figure in figures)
            parts.append((name, unit, PowerFigure(middle, widest), len(figures)))
    return PowerFigures(tuple(parts), sum(each.lost for each in drawn))
