"""Rules on one cycle: whether it counts, and its verdict; and says what a campaign's rests on.

A limit that a test system asks for (`answer_limit`) is ruled upon as a whole requirement is, so
that the same cycles count, and what was not measured is NO-EVIDENCE there, too. Pure.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Final

from resume_rig.analysis.findings.sleeps import state_mismatch
from resume_rig.analysis.reconcile.hidden_time import BIOS_IS_WRONG
from resume_rig.analysis.verdict.events import happened
from resume_rig.analysis.verdict.judge import (
    NOT_COVERED,
    covers,
    event_clauses,
    hybrid_lead,
    is_covered,
    limit_clauses,
    not_timed,
    resume_sentence,
    why_not_judged,
    why_not_real,
    worst_of,
)
from resume_rig.analysis.verdict.limits import (
    UPPER,
    conformity_of,
    judge_limits,
    kinds_of_wires,
    possible_kinds,
)
from resume_rig.analysis.verdict.measures import (
    Side,
    Sighting,
    measure_words,
    measured,
    side_of,
    sighting_of,
)
from resume_rig.model.os_record import TRANSITIONS, SleepKind, state_word
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    BROKEN,
    MEANINGS,
    Correlation,
    Outcome,
    OutsideCycle,
    OutsideState,
    ReconciledCycle,
)
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.packed import Derived
from resume_rig.model.result.verdict import (
    BIOS,
    RESUME,
    FindingKind,
    Limit,
    NotJudged,
    Requirement,
    Verdict,
    WhyNot,
)
from resume_rig.model.units import count_of

_UNCOVERED: Final = frozenset({WhyNot.NOT_COVERED, WhyNot.OTHER_KIND, WhyNot.OTHER_KIND_ON_WIRES})
_OTHERWISE: Final = frozenset({WhyNot.SHALLOW, WhyNot.WRONG_STATE})
COUNTED_AS: Final[Mapping[WhyNot, str]] = MappingProxyType(
    {
        WhyNot.IGNORED_FIRST: "ignored",
        WhyNot.IGNORED_BY_LISTING: "ignored",
        WhyNot.IGNORED_BY_PLAN: "ignored",
        WhyNot.NOT_COVERED: "not covered by this requirement",
        WhyNot.OTHER_KIND: "of another kind of sleep",
        WhyNot.OTHER_KIND_ON_WIRES: "of another kind of sleep",
        WhyNot.FROM_IMAGE: "not S3",
        WhyNot.NOT_BACK: "not measured",
        WhyNot.NOT_REPORTED: "not measured",
        WhyNot.NOT_TIMED: "not measured",
        WhyNot.NOT_MEASURED: "not measured",
        WhyNot.WAKES_BEFORE_SLEEP: "not measured",
        WhyNot.ABSURD_BIOS: "not measured",
        WhyNot.CONTRADICTS_ITSELF: "not measured",
        WhyNot.DOUBTED: "not measured",
        WhyNot.IMPOSSIBLE_BIOS: "impossible BIOS time",
        WhyNot.NO_RECORD: "no record",
        WhyNot.MATCH_UNCERTAIN: "match not certain",
        WhyNot.STATE_MISMATCH: "state mismatch",
        WhyNot.NO_SLEEP: "no sleep",
        WhyNot.SHALLOW: "slept shallow",
        WhyNot.WRONG_STATE: "in the wrong state",
        WhyNot.NOT_OURS: "not ours",
        WhyNot.EDGES_LOST: "invalid",
        WhyNot.POLARITY: "wrong polarity, check it",
        WhyNot.RIG_FAULT: "rig fault",
        WhyNot.INTERRUPTED: "interrupted",
    }
)
"""What stands behind a number of cycles that do not count for one reason."""


def is_uncovered(cycle: ReconciledCycle) -> bool:
    """Return whether a cycle does not count because the requirement does not cover its sleep."""
    return cycle.unjudged is not None and cycle.unjudged.reason in _UNCOVERED


def slept_otherwise(cycle: ReconciledCycle) -> bool:
    """Return whether a cycle does not count because the DUT slept in what was not asked for."""
    return cycle.unjudged is not None and cycle.unjudged.reason in _OTHERWISE


@dataclass(frozen=True, slots=True)
class Ruling:
    """The verdict on one cycle.

    Attributes:
        unjudged: why it does not count; None where it does.
        undecided: it does not count, though it woke from a sleep that the requirement covers.
        failed_by: outcomes and findings by which it fails, whatever its times.
        untimed: it fails by these alone, and its times are no evidence of any resume.
    """

    verdict: Verdict
    judged: bool
    unjudged: NotJudged | None
    undecided: bool = False
    failed_by: tuple[str, ...] = ()
    untimed: bool = False


def rule(cycle: ReconciledCycle, requirement: Requirement, no_record: NotJudged) -> Ruling:
    """Return the ruling on a cycle, by its outcome, its record and its intervals.

    Args:
        cycle: its own verdict is not looked at.
        requirement: the limits; a cycle counts where it has a value for one that is required.
        no_record: why there is no record that may be held against it, if there is none.
    """
    outside = cycle.outside
    if (other := _slept_otherwise(outside, requirement)) is not None:
        found = Ruling(Verdict.NO_EVIDENCE, False, other)
    elif outside.asked is not None and outside.asked not in requirement.kinds:
        found = Ruling(Verdict.NO_EVIDENCE, False, _other_kind(outside.asked, requirement))
    elif outside.outcome in BROKEN:
        found = Ruling(Verdict.FAIL, True, None)
    else:
        found = _by_values(cycle, requirement, no_record)
    if outside.ignored:
        return Ruling(found.verdict, False, NotJudged(WhyNot.IGNORED_BY_PLAN))
    if failed_by := _failed_by(cycle, requirement):
        untimed = not found.judged
        return Ruling(Verdict.FAIL, True, None, failed_by=failed_by, untimed=untimed)
    if not found.judged and covered_kinds(cycle, requirement):
        return replace(found, undecided=True)
    return found


def has_tried(cycle: ReconciledCycle, requirement: Requirement) -> bool:
    """Return whether a cycle tried what a requirement is about, however it ended.

    What was asked for decides; where nobody asked, what the wires or the record show, and a sleep
    that never was is of any kind.
    """
    outside = cycle.outside
    if outside.ignored or outside.outcome in (Outcome.RIG_FAULT, Outcome.INTERRUPTED):
        return False
    if outside.outcome is Outcome.INVALID:
        return bool(covered_kinds(cycle, requirement))
    if outside.asked is not None:
        return outside.asked in requirement.kinds
    kinds = possible_kinds(sighting_of(cycle))
    return not kinds or not kinds.isdisjoint(requirement.kinds)


def tried_of(cycles: Iterable[ReconciledCycle], requirement: Requirement) -> Iterator[Sighting]:
    """Yield the cycles that limits on what cycles did are on, as `judge_limits` takes them."""
    return (sighting_of(cycle) for cycle in cycles if has_tried(cycle, requirement))


def _failed_by(cycle: ReconciledCycle, requirement: Requirement) -> tuple[str, ...]:
    """Return the outcomes and findings by which a cycle fails a requirement, each once."""
    limits = [each for each in requirement.limits() if each.is_event and each.required]
    if not limits or not has_tried(cycle, requirement):
        return ()
    sighting = sighting_of(cycle)
    return tuple(dict.fromkeys(x for each in limits for x in happened(each, sighting) or ()))


def covered_kinds(cycle: ReconciledCycle, requirement: Requirement) -> frozenset[SleepKind]:
    """Return which kinds of sleep that a requirement covers a cycle may have woken from.

    None, where it did not wake, or was no trial of the requirement: an ignored one, one that
    something else woke, one that did not reach the state that was asked for. One of which edges
    were lost is taken for one that woke: that it did not was not observed. The wires show the kind,
    and a record that they do not contradict; where neither does, what the plan asked for.
    """
    outside, meaning = cycle.outside, MEANINGS[cycle.outside.outcome]
    covered, none = frozenset(requirement.kinds), frozenset[SleepKind]()
    edges_lost = outside.outcome is Outcome.INVALID
    woke = meaning.came_back and meaning.why_not is None
    if (
        not (woke or edges_lost)
        or outside.ignored
        or (outside.asked is not None and outside.asked not in covered)
    ):
        return none
    record = sighting_of(cycle).record
    if record is not None and state_mismatch(outside, record) is None:
        return covered & {record.entered_kind} if is_covered(record, requirement) else none
    if outside.state is OutsideState.NONE:
        return none if outside.asked is None else covered & {outside.asked}
    return covered & kinds_of_wires(outside)


def ruled(cycle: ReconciledCycle, ruling: Ruling) -> ReconciledCycle:
    """Return a cycle with the ruling on it."""
    return replace(
        cycle,
        verdict=ruling.verdict,
        judged=ruling.judged,
        unjudged=ruling.unjudged,
        undecided=ruling.undecided,
        failed_by=ruling.failed_by,
        untimed=ruling.untimed,
    )


def undecided_of(
    cycles: Iterable[ReconciledCycle], requirement: Requirement
) -> Iterator[tuple[Sighting, frozenset[SleepKind]]]:
    """Yield the undecided ones of cycles that were ruled upon, as `judge_limits` takes them."""
    return ((sighting_of(c), covered_kinds(c, requirement)) for c in cycles if c.undecided)


def _slept_otherwise(outside: OutsideCycle, requirement: Requirement) -> NotJudged | None:
    """Return that a DUT slept in another state than was asked for; None where it may count.

    A shallower one never counts. A deeper one is judged as what it was, where what was asked for is
    covered; where that is not, no `--kind` would make it a trial of anything.
    """
    shallow = outside.outcome is Outcome.SLEPT_SHALLOW
    covered = outside.asked is None or outside.asked in requirement.kinds
    deeper = not covered and any(f.kind is FindingKind.WRONG_STATE for f in outside.findings)
    if outside.outcome in BROKEN or not (shallow or deeper):
        return None
    if outside.asked is None or outside.state is OutsideState.NONE:
        return MEANINGS[outside.outcome].why_not
    text = f"{state_word(outside.asked)} was asked for, and the DUT slept in {outside.state}"
    return NotJudged.of(WhyNot.SHALLOW if shallow else WhyNot.WRONG_STATE, why=text)


def _other_kind(asked: SleepKind, requirement: Requirement) -> NotJudged:
    return NotJudged.of(WhyNot.OTHER_KIND, **covers(requirement), asked=state_word(asked))


def _by_values(cycle: ReconciledCycle, requirement: Requirement, no_record: NotJudged) -> Ruling:
    sighting = sighting_of(cycle)
    why_not = MEANINGS[cycle.outside.outcome].why_not or _contradiction(sighting, requirement)
    if any(f.kind is FindingKind.WRONG_POLARITY for f in cycle.outside.findings):
        why_not = NotJudged.of(WhyNot.POLARITY)
    if why_not is not None:
        return Ruling(Verdict.NO_EVIDENCE, False, why_not)
    required = [each for each in requirement.limits() if each.required and not each.is_event]
    did = any(each.required and each.is_event for each in requirement.limits())
    if did and not required and has_tried(cycle, requirement):
        return Ruling(Verdict.PASS, True, None)  # what it did is looked at after this
    parts = [
        conformity_of(limit, sighting, guard_band=requirement.guard_band) for limit in required
    ]
    verdicts = [part.verdict for part in parts if part is not None]
    if not verdicts:
        return Ruling(Verdict.NO_EVIDENCE, False, _not_measured(sighting, requirement, no_record))
    return Ruling(worst_of(verdicts), True, None)


def _contradiction(sighting: Sighting, requirement: Requirement) -> NotJudged | None:
    """Return why a cycle's record keeps it from being judged; None where it does not."""
    if sighting.record is None or sighting.cycle is None:
        return None
    mismatch = state_mismatch(sighting.cycle.outside, sighting.record)
    if mismatch is not None:
        return NotJudged.of(WhyNot.STATE_MISMATCH, why=mismatch.text)
    return why_not_judged(sighting.record, requirement)


def _not_measured(sighting: Sighting, requirement: Requirement, no_record: NotJudged) -> NotJudged:
    limits = [each for each in requirement.limits() if each.required and not each.is_event]
    measures = [limit.measure for limit in limits]
    if sighting.cycle is not None and sighting.cycle.bios_impossible:
        return NotJudged(WhyNot.IMPOSSIBLE_BIOS)
    if sighting.record is None and any(side_of(name) is not Side.OUTSIDE for name in measures):
        return no_record
    if not possible_kinds(sighting) & frozenset(requirement.kinds):
        return NotJudged.of(WhyNot.OTHER_KIND_ON_WIRES, **covers(requirement))
    missing = " and no ".join(map(measure_words, measures))
    return not_timed(sighting.record) or NotJudged.of(WhyNot.NOT_MEASURED, missing=missing)


class Tally:
    """What clauses on a campaign's verdict count, gathered cycle by cycle."""

    def __init__(self) -> None:
        self._cycles = 0
        self._broken: Counter[Outcome] = Counter()
        self._kinds: list[SleepKind] = []
        self._contradicted = self._judged = 0
        self._reasons: Counter[WhyNot] = Counter()
        self._otherwise: dict[str, None] = {}
        self._uncovered: Counter[SleepKind] = Counter()

    def add(self, cycle: ReconciledCycle) -> None:
        """Count a cycle that was ruled upon."""
        self._cycles += 1
        if cycle.judged:
            self._judged += 1
            broken = cycle.outside.outcome in BROKEN
            # What a limit on what cycles did says is not said again.
            self._broken[cycle.outside.outcome] += broken and not cycle.failed_by
            if cycle.record is not None:
                self._kinds.append(cycle.record.kind)
            wrong = not BIOS_IS_WRONG.isdisjoint(finding.kind for finding in cycle.findings)
            self._contradicted += wrong and not broken and not cycle.untimed
        elif cycle.unjudged is not None:
            self._reasons[cycle.unjudged.reason] += 1
            if slept_otherwise(cycle):
                self._otherwise[dict(cycle.unjudged.figures)["why"]] = None
            if cycle.record is not None and is_uncovered(cycle):
                self._uncovered[cycle.record.kind] += 1

    @property
    def reasons(self) -> Mapping[WhyNot, int]:
        """How many cycles do not count, by reason."""
        return self._reasons

    def hybrid_lead(self, requirement: Requirement) -> str:
        """Return that hybrid sleeps are judged as S3, or ""."""
        return hybrid_lead(self._kinds, requirement)

    def broken(self) -> list[str]:
        """Say how many cycles failed without a time."""
        words = [MEANINGS[each].words for each in MEANINGS if self._broken[each]]
        if not words:
            return []
        how = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
        return [f"{count_of(self._broken.total(), 'cycle')} {how}"]

    def none_judged(self) -> list[str]:
        """Say that no cycle can be judged, where none can."""
        if self._judged:
            return []
        if self._cycles == 1:
            return ["the only cycle cannot be judged"]
        return [f"none of the {count_of(self._cycles, 'cycle')} can be judged"]

    def contradicted(self, limits: Sequence[LimitJudgement]) -> list[str]:
        """Say that what was judged rests on BIOS times that clock and wires contradict."""
        limited = (each.limit.measure for each in limits if each.limit.required)
        if not self._contradicted or {RESUME, BIOS}.isdisjoint(limited):
            return []
        return [f"clock and wires contradict the BIOS time of {self._contradicted} of them"]

    def left_out(self, requirement: Requirement) -> list[str]:
        """Say how many cycles do not count, by reason, and which kinds --kind would judge."""
        named: Counter[str] = Counter()
        for reason, n in self._reasons.items():
            named[COUNTED_AS[reason]] += n
        ignored = named.pop(COUNTED_AS[WhyNot.IGNORED_BY_PLAN], 0)
        parts = [f"{count_of(ignored, 'first transition')} ignored"] if ignored else []
        if named:
            listed = ", ".join(f"{n} {reason}" for reason, n in named.items())
            parts.append(f"{count_of(named.total(), 'cycle')} without evidence ({listed})")
        parts += self._otherwise
        kinds = [
            f"{n} {kind} (--kind {kind})"
            for kind, n in self._uncovered.items()
            if kind in TRANSITIONS and kind not in requirement.kinds
        ]
        return [*parts, f"{NOT_COVERED}: {', '.join(kinds)}"] if kinds else parts


def campaign_why(
    cycles: Iterable[ReconciledCycle],
    requirement: Requirement,
    limits: Sequence[LimitJudgement],
    further: Sequence[str] = (),
) -> str:
    """Return what the verdict on a campaign rests on, in one sentence.

    Args:
        cycles: all of them, ruled upon; gone through once.
        requirement: what they were judged against.
        limits: the judgement on each limit.
        further: clauses about what the evidence itself is worth.
    """
    tally = Tally()
    for cycle in cycles:
        tally.add(cycle)
    parts = [
        *event_clauses(limits, failed=True),
        *tally.broken(),
        *resume_sentence(limits, requirement),
        *tally.none_judged(),
        *limit_clauses(limits),
        *event_clauses(limits, failed=False),
        *tally.contradicted(limits),
        *tally.left_out(requirement),
        *further,
    ]
    text = tally.hybrid_lead(requirement) + "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def refused_unless_real(
    correlation: Correlation, requirement: Requirement, *, simulated: bool | None
) -> Correlation:
    """Return an answer; one without a verdict where the requirement refuses such evidence.

    Args:
        correlation: the answer.
        requirement: what it was judged against.
        simulated: whether no PC was measured; None where nobody states it, which is not enough.
    """
    why = why_not_real(requirement, simulated)
    if not why:
        return correlation
    why = f"{why}; {correlation.why}"
    return replace(correlation, verdict=Verdict.NO_EVIDENCE, why=why)


@dataclass(frozen=True, slots=True)
class LimitAnswer:
    """What cycles are against one limit.

    Attributes:
        judgement: over all cycles that count.
        worst: the cycle whose value is nearest to, or farthest beyond, the limit; None of none.
        value: its value.
        failed: numbers of the cycles that fail, those without a value among them.
        why_not: of each cycle that does not count, its number and why.
    """

    judgement: LimitJudgement
    worst: ReconciledCycle | None
    value: BoundedNs | None
    failed: tuple[int, ...]
    why_not: tuple[tuple[int, NotJudged], ...]


def answer_limit(cycles: Collection[ReconciledCycle], limit: Limit) -> LimitAnswer:
    """Return what `cycles` are against `limit`, by which alone they are ruled upon.

    Args:
        cycles: of one campaign, matched and reconciled; gone through twice, and not kept.
        limit: required, on a time; `kinds` names the kinds of sleep that it is for.
    """
    alone = Requirement(
        id="this limit",
        version=1,
        title="",
        source="",
        kinds=limit.kinds,
        resume_limit_ms=None,
        bios_advised_ms=None,
        further=(limit,),
        back_whole=False,
    )
    judged = Derived(cycles, partial(_ruled, requirement=alone))
    worst: ReconciledCycle | None = None
    value: BoundedNs | None = None
    failed: list[int] = []
    why_not: list[tuple[int, NotJudged]] = []
    broken = 0
    for cycle in judged:
        if cycle.unjudged is not None:
            why_not.append((cycle.outside.number, cycle.unjudged))
            continue
        if cycle.verdict is Verdict.FAIL:
            failed.append(cycle.outside.number)
        if cycle.outside.outcome in BROKEN:
            broken += 1
            continue
        found = measured(limit.measure, sighting_of(cycle))
        if found is not None and (value is None or _is_farther(found, value, limit)):
            worst, value = cycle, found
    timed = (sighting_of(c) for c in judged if c.judged and c.outside.outcome not in BROKEN)
    undecided = undecided_of(judged, alone)
    return LimitAnswer(
        judgement=judge_limits(alone, timed, broken, undecided)[0],
        worst=worst,
        value=value,
        failed=tuple(failed),
        why_not=tuple(why_not),
    )


def _is_farther(value: BoundedNs, than: BoundedNs, limit: Limit) -> bool:
    above = value.value_ns - than.value_ns
    return above > 0 if limit.comparison in UPPER else above < 0


_NONE_TO_HOLD: Final = NotJudged.of(
    WhyNot.NO_RECORD, why="there is none that may be held against it"
)


def _ruled(cycle: ReconciledCycle, requirement: Requirement) -> ReconciledCycle:
    return ruled(cycle, rule(cycle, requirement, _NONE_TO_HOLD))
