"""Judges values against a limit, and cycles against each limit of a requirement (JCGM 106:2012).

A limit is on every cycle, or on a share of them with confidence; docs/reference/requirements.md has
the decision rules.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from resume_rig.analysis.reconcile.hidden_time import hidden_bios
from resume_rig.analysis.stats.figures import (
    beta_below,
    cycles_needed,
    failure_rate_lower,
    failure_rate_upper,
    normal_below,
)
from resume_rig.analysis.verdict.events import (
    event_words,
    happened,
    named_events,
    unchecked_of,
    unchecked_text,
)
from resume_rig.analysis.verdict.measures import (
    Side,
    Sighting,
    is_rate,
    is_time,
    measure_words,
    measured,
    shown_value,
    side_of,
    time_for_rate_ns,
)
from resume_rig.analysis.verdict.missing import TimesBeside, missing_text
from resume_rig.model.os_record import SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import SOFT_OFF, Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.judgement import LimitJudgement, Missing
from resume_rig.model.result.verdict import (
    BIOS,
    RESUME,
    WHOLE,
    Comparison,
    FindingKind,
    Limit,
    Requirement,
    Verdict,
)
from resume_rig.model.units import NS_PER_MS, TIME_UNITS_NS, UNIT_BASES, count_of, percent_up

UPPER: Final = frozenset({Comparison.AT_MOST, Comparison.BELOW})
"""Comparisons of which the smaller values conform."""

_STRICT: Final = frozenset({Comparison.BELOW, Comparison.ABOVE})
# Measured: the distribution functions of a symmetric beta of such a shape and of a normal one
# differ by 4e-5 at most.
_NORMAL_FROM_SHAPE: Final = 2_000.0


@dataclass(frozen=True, slots=True)
class Conformity:
    """One value against one limit.

    Attributes:
        conforming: probability that the true value conforms, 0..1.
        risk: probability that PASS or FAIL is wrong; of MARGINAL, that the likelier side is.
        hidden: MARGINAL because the value passes as it was reported, and does not with the BIOS
            time that clock and wires add to it.
    """

    verdict: Verdict
    conforming: float
    hidden: bool = False

    @property
    def risk(self) -> float:
        """Specific risk (9.3): the consumer's of a PASS, the producer's of a FAIL."""
        match self.verdict:
            case Verdict.PASS:
                return 1.0 - self.conforming
            case Verdict.FAIL:
                return self.conforming
            case _:
                return min(self.conforming, 1.0 - self.conforming)


def conformity(
    value: BoundedNs, limit_ns: int, comparison: Comparison, *, guard_band: bool = True
) -> Conformity:
    """Return how a value stands to a limit.

    The guard band holds 95 % of what is a cycle's own and the whole of what all cycles share
    (8.3.2, 8.3.3): a PASS or FAIL that stands outside of it is wrong with a chance of 2.5 % at
    most. An error that all cycles share is fixed in a rig; at the end of its range it would make
    every PASS of a campaign wrong at once, so no share of it is left out.

    Args:
        value: with its uncertainty.
        limit_ns: the limit.
        comparison: which side conforms, and whether the limit itself does.
        guard_band: without it the value counts as it stands.
    """
    upper = comparison in UPPER
    # How much room is left, positive where the value conforms.
    room_ns = limit_ns - value.value_ns if upper else value.value_ns - limit_ns
    guard_ns = value.guard_ns if guard_band else 0
    conforming = below_by(room_ns, value)
    least_ns, most_ns = room_ns - guard_ns, room_ns + guard_ns
    strict = comparison in _STRICT
    if strict and room_ns == value.bound_ns == 0:
        conforming = 0.0  # it is the limit itself, for certain
    # At the very edge of a guard band the truth is on the limit with a chance of nothing.
    if least_ns > 0 or (least_ns == 0 and (not strict or guard_ns > 0)):
        return Conformity(Verdict.PASS, conforming)
    if most_ns <= 0:
        return Conformity(Verdict.FAIL, conforming)
    return Conformity(Verdict.MARGINAL, conforming)


def below_by(room_ns: int, value: BoundedNs) -> float:
    """Return the probability that the truth is at most `room_ns` above the value.

    The truth is taken as a symmetric beta distribution on value +/- bound with the value's
    standard uncertainty: a rectangle where that is bound / sqrt(3), nearly a triangle where two
    equal rectangles add, a normal distribution in the limit.
    """
    bound = value.bound_ns
    if abs(room_ns) >= bound:
        return 1.0 if room_ns >= 0 else 0.0
    standard = max(value.standard_ns, bound * 1e-6)
    shape = (bound * bound / (standard * standard) - 1.0) / 2.0
    if shape > _NORMAL_FROM_SHAPE:
        return normal_below(room_ns / standard)
    return beta_below((room_ns / bound + 1.0) / 2.0, max(shape, 1e-3), max(shape, 1e-3))


def risk_of_all(parts: Iterable[Conformity], verdict: Verdict) -> float:
    """Return a bound on the probability that a verdict on all of them is wrong.

    A PASS is wrong where any value does not conform: at most the sum of their risks, however their
    errors depend on each other (Boole). A FAIL is wrong where all values that failed conform: at
    most the least of their risks.
    """
    if verdict is Verdict.PASS:
        return min(1.0, sum(1.0 - part.conforming for part in parts))
    failed = [part.risk for part in parts if part.verdict is Verdict.FAIL]
    return min(failed, default=0.0) if verdict is Verdict.FAIL else 0.0


_OF_STATE: Final = {
    OutsideState.S3: frozenset({SleepKind.S3, SleepKind.HYBRID}),
    OutsideState.S4: frozenset({SleepKind.S4, SleepKind.DOZE}),
    OutsideState.S5: frozenset({SleepKind.FAST_STARTUP, SleepKind.BOOT}),
    OutsideState.S0IX: frozenset({SleepKind.MODERN_STANDBY, SleepKind.S2IDLE}),
}
_OFF: Final = frozenset({SleepKind.S4, SleepKind.FAST_STARTUP, SleepKind.BOOT})
"""Kinds that no wire distinguishes for sure: what was asked for does."""

_ALONE: Final = {kind: frozenset({kind}) for kind in SleepKind}
_WORDS: Final = {
    Comparison.AT_MOST: "at most",
    Comparison.BELOW: "below",
    Comparison.AT_LEAST: "at least",
    Comparison.ABOVE: "above",
}
# A rate that must be high is a time that must be short.
_AS_TIME: Final = {
    Comparison.AT_LEAST: Comparison.AT_MOST,
    Comparison.ABOVE: Comparison.BELOW,
    Comparison.AT_MOST: Comparison.AT_LEAST,
    Comparison.BELOW: Comparison.ABOVE,
}
_ROUNDING: Final = 1e-9  # nine of ten are 90 %
Undecided = tuple[Sighting, frozenset[SleepKind]]
"""A cycle without evidence, and the kinds of sleep that it may have been."""

_ORDER: Final = (Verdict.FAIL, Verdict.NO_EVIDENCE, Verdict.MARGINAL)


def limit_text(limit: Limit) -> str:
    """Return a limit in words, e.g. "press to display on at most 5 s"."""
    if limit.is_event:
        return _event_text(limit)
    sentence = f"{measure_words(limit.measure)} {_WORDS[limit.comparison]} {_value_text(limit)}"
    if limit.share is None:
        return sentence
    return f"{sentence} in {limit.share * 100:g} % of cycles, shown at {limit.confidence * 100:g} %"


def _event_text(limit: Limit) -> str:
    what = "back whole" if limit.measure == WHOLE else " or ".join(named_events(limit.measure))
    if limit.share is None:
        return f"{what} in {'every' if limit.measure == WHOLE else 'no'} cycle"
    side, percent = f"at most {limit.value * 100:g} %", f"shown at {limit.confidence * 100:g} %"
    if limit.measure == WHOLE:
        side = f"at least {limit.share * 100:g} %"
    return f"{what} in {side} of cycles, {percent}"


def limit_in_unit(limit: Limit) -> float:
    """Return a limit's value in the unit of its profile."""
    if limit.is_event:
        return limit.value * 100
    return limit.value if is_rate(limit.measure) else limit.value / UNIT_BASES[limit.unit]


def conformity_of(limit: Limit, sighting: Sighting, *, guard_band: bool) -> Conformity | None:
    """Return how one cycle stands to a limit; None where it is of another kind or not measured."""
    value = value_for(limit, sighting)
    return None if value is None else _against(limit, value, sighting, guard_band)


def value_for(limit: Limit, sighting: Sighting) -> BoundedNs | None:
    """Return the value that a limit is on; None of another kind, or where it was not measured."""
    if possible_kinds(sighting).isdisjoint(limit.kinds):
        return None
    return measured(limit.measure, sighting)


def _against(
    limit: Limit, value: BoundedNs, sighting: Sighting, guard_band: bool
) -> Conformity | None:
    if not is_rate(limit.measure):
        found = conformity(value, int(limit.value), limit.comparison, guard_band=guard_band)
        true = _with_hidden_bios(limit, value, sighting) if found.verdict is Verdict.PASS else None
        if true is None:
            return found
        # What clock and wires add is measured, so its uncertainty counts whatever the rule is.
        beyond = conformity(true, int(limit.value), limit.comparison)
        if beyond.verdict is Verdict.PASS:
            return found
        return Conformity(Verdict.MARGINAL, min(found.conforming, beyond.conforming), hidden=True)
    limit_ns = time_for_rate_ns(float(limit.value), limit.unit, sighting.record)
    if limit_ns is None:
        return None
    return conformity(value, limit_ns, _AS_TIME[limit.comparison], guard_band=guard_band)


def _with_hidden_bios(limit: Limit, value: BoundedNs, sighting: Sighting) -> BoundedNs | None:
    """Return what was reported with what clock and wires add to it; None where they do not."""
    if sighting.cycle is None or limit.measure not in (RESUME, BIOS):
        return None
    hidden = hidden_bios(sighting.cycle)
    return None if hidden is None or hidden.value_ns <= 0 else value + hidden


def possible_kinds(sighting: Sighting) -> frozenset[SleepKind]:
    """Return the kinds of sleep that a cycle can have been: by its record, else by the wires."""
    if sighting.record is not None:
        return _ALONE[sighting.record.kind]
    if sighting.cycle is None:
        return frozenset()
    return kinds_of_wires(sighting.cycle.outside)


def kinds_of_wires(outside: OutsideCycle) -> frozenset[SleepKind]:
    """Return the kinds of sleep that look so on the wires; of those without power the asked one."""
    if outside.state in SOFT_OFF and outside.asked in _OFF:
        return _ALONE[outside.asked]
    return _OF_STATE.get(outside.state, frozenset())


def judge_limits(
    requirement: Requirement,
    sightings: Iterable[Sighting],
    broken: int = 0,
    undecided: Iterable[Undecided] = (),
    tried: Iterable[Sighting] = (),
    *,
    tau: float = 1.0,
    awake: Missing | None = None,
) -> tuple[LimitJudgement, ...]:
    """Return the judgement on each limit.

    Args:
        requirement: the limits.
        sightings: the cycles whose values count; gone through once.
        broken: further cycles that failed without a value: they never woke, or stayed dark.
        undecided: further cycles that woke from a sleep that the requirement covers, and of which
            there is no evidence; gone through once.
        tried: all cycles that tried what the requirement is about, however they ended: limits on
            outcomes and findings are on them; gone through once.
        tau: cycles that count as one, by the runs in which they fail (stats/dependence.py).
        awake: of a log, how long its PC was awake after those of which there is no evidence.
    """
    limits = requirement.limits()
    judged = {
        at: _Judged(x, requirement.guard_band) for at, x in enumerate(limits) if not x.is_event
    }
    events = {at: _Events(limit) for at, limit in enumerate(limits) if limit.is_event}
    for sighting, kinds in undecided:
        for each in judged.values():
            each.add_undecided(sighting, kinds)
    for sighting in sightings:
        for each in judged.values():
            each.add(sighting)
    for sighting in tried if events else ():
        for event in events.values():
            event.add(sighting)
    found = {at: event.judged(requirement, tau) for at, event in events.items()}
    for at, each in judged.items():
        failed = broken if each.limit.required else 0
        found[at] = _judge(each, failed, requirement, tau, awake)
    return tuple(_with_cycles_min(found[at]) for at in range(len(limits)))


def _with_cycles_min(judged: LimitJudgement) -> LimitJudgement:
    """Return a judgement that is none of a PASS where there are fewer cycles than are asked for."""
    least, n = judged.limit.cycles_min, judged.n + judged.broken
    if n >= least or judged.verdict is Verdict.FAIL:
        return judged
    evidence = f"{n} of the {least} cycles that are asked for"
    why = f"{evidence}; {judged.why}"
    return replace(judged, verdict=Verdict.NO_EVIDENCE, risk=None, evidence=evidence, why=why)


def verdict_of_limits(judgements: Sequence[LimitJudgement]) -> Verdict:
    """Return the verdict on a requirement: the worst of its required limits.

    A required limit that nothing was measured for leaves it without evidence, whatever the others
    say, unless one of them failed.
    """
    verdicts = {each.verdict for each in judgements if each.limit.required}
    if not verdicts:
        return Verdict.NO_EVIDENCE
    return next((verdict for verdict in _ORDER if verdict in verdicts), Verdict.PASS)


class _Judged:
    """One limit and what the cycles that were added are against it."""

    def __init__(self, limit: Limit, guard_band: bool) -> None:
        self.limit = limit
        self.parts: list[Conformity] = []
        self.values = array("d")
        self.undecided = self.unread = 0
        self.by_wires = False
        self._guard_band = guard_band
        self._beside = TimesBeside()

    def add(self, sighting: Sighting) -> None:
        value = value_for(self.limit, sighting)
        found = None if value is None else _against(self.limit, value, sighting, self._guard_band)
        if value is not None and found is not None:
            self.by_wires |= sighting.cycle is not None
            self.parts.append(found)
            self.values.append(shown_value(self.limit, value, sighting.record))
            if self.undecided and self._is_compared:
                self._beside.add(sighting, recorded=True)
        else:
            self.add_undecided(sighting, possible_kinds(sighting))

    def add_undecided(self, sighting: Sighting, kinds: frozenset[SleepKind]) -> None:
        """Count a cycle without a value, where the limit is for such a one."""
        if not kinds.isdisjoint(self.limit.kinds) and _may_have(self.limit.measure, sighting):
            self.undecided += 1
            if self._is_compared:
                self._beside.add(sighting, recorded=False)
            void = sighting.cycle is not None and sighting.cycle.outside.outcome is Outcome.INVALID
            self.unread += sighting.record is None and not void

    @property
    def _is_compared(self) -> bool:
        """Whether a PASS would hide what became of the others; of a share, they count as failed."""
        return self.limit.required and self.limit.share is None

    def missing(self, further: Missing | None) -> Missing | None:
        """Return what becomes of the cycles without a value, by what there is of them."""
        limit = self.limit
        room_ms = None
        if self.values and limit.comparison in UPPER and is_time(limit.measure):
            middle_ns = float(np.median(self.values)) * TIME_UNITS_NS[limit.unit]
            room_ms = (limit.value - middle_ns) / NS_PER_MS
        further = further if self.undecided and self._is_compared else None
        return self._beside.missing(room_ms, limit.measure, further)


class _Events:
    """One limit on what cycles did, and what those that were added did of it."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._n = self._failed = self._undecided = 0
        self._names: Counter[str] = Counter()
        self._unchecked: Counter[str] = Counter()
        self._of_log = True

    def add(self, sighting: Sighting) -> None:
        """Count a cycle."""
        found = happened(self._limit, sighting)
        self._of_log &= sighting.cycle is None
        if found is None:
            self._undecided += 1
            return
        self._n += 1
        self._failed += bool(found)
        self._names.update(found)
        self._unchecked.update(unchecked_of(self._limit, sighting))

    def judged(self, requirement: Requirement, tau: float) -> LimitJudgement:
        """Return the judgement on the limit; `tau` as in `judge_limits`."""
        limit, n, failed, undecided = self._limit, self._n, self._failed, self._undecided
        evidence, shown, needed = self._evidence(requirement), None, None
        if limit.share is None:
            verdict = _of_every_cycle(n, failed, 0)
        else:
            needed = cycles_needed(1.0 - limit.share, limit.confidence)
            verdict = _of_share(
                limit, n, failed, open_ones=undecided, undecided=undecided, needed=needed, tau=tau
            )
            worst = failure_rate_upper(failed + undecided, n + undecided, limit.confidence, tau)
            shown = 1.0 - worst
        why = self._why(verdict)
        if evidence and verdict is not Verdict.FAIL:
            verdict, why = Verdict.NO_EVIDENCE, f"{evidence}; {why}"
        else:
            evidence = ""
        return LimitJudgement(
            limit=limit,
            verdict=verdict,
            n=n,
            failed=failed,
            marginal=0,
            broken=0,
            worst=None,
            risk=0.0 if verdict in (Verdict.PASS, Verdict.FAIL) else None,
            shown=shown,
            needed=needed,
            why=why,
            undecided=undecided,
            evidence=evidence,
            of_log=self._of_log,
            did=tuple(self._names.items()),
            tau=tau,
        )

    def _evidence(self, requirement: Requirement) -> str:
        n, tried = self._n, self._n + self._undecided
        if not n or n >= requirement.evidence_min * tried - _ROUNDING:
            return ""
        needs = f"{requirement.id} needs {requirement.evidence_min * 100:g} %"
        return f"{n} of {count_of(tried, 'cycle')} {_do(n, 'show', 'shows')} it; {needs}"

    def _why(self, verdict: Verdict) -> str:
        n, failed, text = self._n, self._failed, limit_text(self._limit)
        if not n:
            return f"{text}: not checked in any cycle"
        of_all = f"of {count_of(n, 'cycle')}"
        did = ", ".join(f"{count} {event_words(name)}" for name, count in self._names.items())
        if self._limit.measure != WHOLE:
            text = f"{text}: {failed} {of_all}"
        elif failed:
            text = f"{text}: {failed} {of_all} {_do(failed, 'were', 'was')} not ({did})"
        else:
            text = f"{text}: {n} {of_all} {_do(n, 'were', 'was')}"
        text += f", {self._undecided} undecided" if self._undecided else ""
        if self._limit.share is not None and verdict not in (Verdict.PASS, Verdict.FAIL):
            with_these = cycles_needed(
                1.0 - self._limit.share, self._limit.confidence, failed + self._undecided
            )
            text += f"; {with_these} cycles without a further one would demonstrate it"
        unchecked = [f"{unchecked_text(what)}" for what in self._unchecked]
        return f"{text}; not checked: {', '.join(unchecked)}" if unchecked else text


def _may_have(measure: str, sighting: Sighting) -> bool:
    """Return whether a cycle could have a value: nothing counts from a press where none was."""
    if sighting.cycle is None or not measure.startswith("press_"):
        return True
    outside = sighting.cycle.outside
    unclear = any(found.kind is FindingKind.TRIGGER_UNCLEAR for found in outside.findings)
    return outside.trigger_ns is not None or outside.wake_by is not None or unclear


def _evidence_text(judged: _Judged, requirement: Requirement) -> str:
    """Say that too few cycles have a value; nothing where they are enough, or none has."""
    n, woke = len(judged.parts), len(judged.parts) + judged.undecided
    if not n or n >= requirement.evidence_min * woke - _ROUNDING:
        return ""
    needs = f"{requirement.id} needs {requirement.evidence_min * 100:g} %"
    if not judged.by_wires:
        return f"{n} of {count_of(woke, 'record')} {_do(n, 'report')} the time; {needs}"
    by_record = side_of(judged.limit.measure) is not Side.OUTSIDE
    only_unread = by_record and judged.unread == judged.undecided
    what = f"{_do(n, 'have', 'has')} a record" if only_unread else "can be judged"
    return f"{n} of {count_of(woke, 'cycle')} that woke {what}; {needs}"


def _do(n: int, many: str, one: str | None = None) -> str:
    return (one or f"{many}s") if n == 1 else many


def _judge(
    judged: _Judged, broken: int, requirement: Requirement, tau: float, awake: Missing | None
) -> LimitJudgement:
    limit, parts, values = judged.limit, judged.parts, judged.values
    undecided, missing = judged.undecided, judged.missing(awake)
    lacks = (_evidence_text(judged, requirement), missing_text(missing) if parts else "")
    evidence = "; ".join(filter(None, lacks))
    failed = sum(part.verdict is Verdict.FAIL for part in parts)
    marginal = sum(part.verdict is Verdict.MARGINAL for part in parts)
    hidden = sum(part.hidden for part in parts)
    upper = limit.comparison in UPPER
    worst = None if not values else max(values) if upper else min(values)
    needed = shown = None
    if limit.share is None:
        verdict = _of_every_cycle(len(parts), failed + broken, marginal)
        why = _why_every(
            limit, len(parts), failed, marginal, broken=broken, undecided=undecided, tau=tau
        )
        # Of a FAIL they may be all the reason.
        why += f"; {count_of(broken, 'cycle')} failed without a value" if broken else ""
    else:
        n = len(parts) + broken
        needed = cycles_needed(1.0 - limit.share, limit.confidence)
        open_ones = marginal + undecided
        verdict = _of_share(
            limit,
            n,
            failed + broken,
            open_ones=open_ones,
            undecided=undecided,
            needed=needed,
            tau=tau,
        )
        shown = 1.0 - failure_rate_upper(
            failed + broken + open_ones, n + undecided, limit.confidence, tau
        )
        why = _why_share(limit, verdict, n + undecided, failed + broken, open_ones, tau=tau)
    if evidence and verdict is not Verdict.FAIL:
        verdict, why = Verdict.NO_EVIDENCE, f"{evidence}; {why}"
    else:
        evidence = ""
    decided = verdict in (Verdict.PASS, Verdict.FAIL)
    risk = _risk(limit, parts, verdict, broken) if decided else None
    return LimitJudgement(
        limit=limit,
        verdict=verdict,
        n=len(parts),
        failed=failed,
        marginal=marginal,
        broken=broken,
        worst=worst,
        risk=risk,
        shown=shown,
        needed=needed,
        why=why,
        hidden=hidden,
        undecided=undecided,
        evidence=evidence,
        missing=missing,
        tau=tau,
    )


def _risk(limit: Limit, parts: Sequence[Conformity], verdict: Verdict, broken: int) -> float:
    if limit.share is None:
        # A cycle that never woke needs no value to have failed.
        return 0.0 if broken else risk_of_all(parts, verdict)
    # Marginal values count as failed in a PASS, as met in a FAIL: only decided ones can mislead.
    return min(1.0, sum(part.risk for part in parts if part.verdict is verdict))


def _of_every_cycle(n: int, failed: int, marginal: int) -> Verdict:
    if failed:
        return Verdict.FAIL
    if n == 0:
        return Verdict.NO_EVIDENCE
    return Verdict.MARGINAL if marginal else Verdict.PASS


def _of_share(
    limit: Limit,
    n: int,
    failed: int,
    *,
    open_ones: int,
    undecided: int,
    needed: int,
    tau: float,
) -> Verdict:
    """A FAIL rests on the `n` judged cycles: what is missing cannot undo it."""
    allowed = 1.0 - (limit.share or 0.0)
    if failure_rate_upper(failed + open_ones, n + undecided, limit.confidence, tau) <= allowed:
        return Verdict.PASS
    if failure_rate_lower(failed, n, limit.confidence, tau) > allowed:
        return Verdict.FAIL
    return Verdict.NO_EVIDENCE if n < needed else Verdict.MARGINAL


def _why_every(
    limit: Limit,
    n: int,
    failed: int,
    marginal: int,
    *,
    broken: int,
    undecided: int,
    tau: float,
) -> str:
    if n == 0:
        return f"{limit_text(limit)}: not measured in any judged cycle"
    if not failed and not marginal:
        text = f"{limit_text(limit)}: {n} of {count_of(n, 'cycle')} within it"
        if broken:
            return text
        upper = percent_up(failure_rate_upper(undecided, n + undecided, 0.95, tau))
        counted = f" ({undecided} without evidence counted as failed)" if undecided else ""
        return f"{text}; at most {upper} of cycles are beyond it (95 % confidence){counted}"
    text = f"{limit_text(limit)}: {failed} of {count_of(n, 'cycle')} "
    text += "does not conform" if failed == 1 else "do not conform"
    return f"{text}, {marginal} undecided" if marginal else text


def _why_share(
    limit: Limit, verdict: Verdict, n: int, failed: int, marginal: int, *, tau: float
) -> str:
    text = f"{limit_text(limit)}: {failed} of {count_of(n, 'cycle')} beyond it"
    if marginal:
        text += f", {marginal} undecided"
    if verdict is Verdict.PASS:
        return f"{text}, so it is shown"
    if verdict is Verdict.FAIL:
        return f"{text}, so the contrary is shown"
    with_these = cycles_needed(1.0 - (limit.share or 0.0), limit.confidence, failed + marginal)
    beyond = percent_up(failure_rate_upper(failed + marginal, n, limit.confidence, tau))
    return (
        f"{text}, which leaves up to {beyond} of cycles beyond it; {with_these} cycles "
        "without a further one would demonstrate it"
    )


def _value_text(limit: Limit) -> str:
    return f"{limit_in_unit(limit):g} {limit.unit}"
