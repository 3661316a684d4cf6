"""Judges cycles against each limit of a requirement: every cycle, or a share with confidence."""

from array import array
from collections.abc import Iterable, Sequence
from typing import Final

from resume_rig.analysis.conformity import Conformity, conformity, risk_of_all
from resume_rig.analysis.hidden_bios import hidden_bios
from resume_rig.analysis.measures import (
    TIME_UNITS_NS,
    Sighting,
    is_rate,
    measure_words,
    measured,
    rate_of,
    time_for_rate_ns,
)
from resume_rig.analysis.statistics import (
    cycles_needed,
    failure_rate_lower,
    failure_rate_upper,
)
from resume_rig.model.cycle import OutsideState
from resume_rig.model.judgement import LimitJudgement
from resume_rig.model.os_record import SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.requirement import BIOS, RESUME, Comparison, Limit, Requirement
from resume_rig.model.units import count_of, percent_up
from resume_rig.model.verdict import Verdict

_OF_STATE: Final = {
    OutsideState.S3: frozenset({SleepKind.S3, SleepKind.HYBRID}),
    OutsideState.S4: frozenset({SleepKind.S4, SleepKind.DOZE}),
    OutsideState.S0IX: frozenset({SleepKind.MODERN_STANDBY, SleepKind.S2IDLE}),
}
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
_ORDER: Final = (Verdict.FAIL, Verdict.NO_EVIDENCE, Verdict.MARGINAL)


def limit_text(limit: Limit) -> str:
    """Return a limit as it is said, e.g. "press to light at most 5 s"."""
    said = f"{measure_words(limit.measure)} {_WORDS[limit.comparison]} {_value_text(limit)}"
    if limit.share is None:
        return said
    return f"{said} in {limit.share * 100:g} % of cycles, shown at {limit.confidence * 100:g} %"


def limit_in_unit(limit: Limit) -> float:
    """Return a limit's value in the unit that its profile says it in."""
    return limit.value if is_rate(limit.measure) else limit.value / TIME_UNITS_NS[limit.unit]


def conformity_of(limit: Limit, seen: Sighting, *, guard_band: bool) -> Conformity | None:
    """Return how one cycle stands to a limit; None where it is of another kind or not measured."""
    value = _value_for(limit, seen)
    return None if value is None else _against(limit, value, seen, guard_band)


def _value_for(limit: Limit, seen: Sighting) -> BoundedNs | None:
    if kinds_seen(seen).isdisjoint(limit.kinds):
        return None
    return measured(limit.measure, seen)


def _against(limit: Limit, value: BoundedNs, seen: Sighting, guard_band: bool) -> Conformity | None:
    if not is_rate(limit.measure):
        found = conformity(value, int(limit.value), limit.comparison, guard_band=guard_band)
        true = _with_hidden_bios(limit, value, seen) if found.verdict is Verdict.PASS else None
        if true is None:
            return found
        # What clock and wires add is measured, so its uncertainty counts whatever the rule is.
        beyond = conformity(true, int(limit.value), limit.comparison)
        if beyond.verdict is Verdict.PASS:
            return found
        return Conformity(Verdict.MARGINAL, min(found.conforming, beyond.conforming), hidden=True)
    limit_ns = time_for_rate_ns(float(limit.value), limit.unit, seen.record)
    if limit_ns is None:
        return None
    return conformity(value, limit_ns, _AS_TIME[limit.comparison], guard_band=guard_band)


def _with_hidden_bios(limit: Limit, value: BoundedNs, seen: Sighting) -> BoundedNs | None:
    """Return what was reported with what clock and wires add to it; None where they do not."""
    if seen.cycle is None or limit.measure not in (RESUME, BIOS):
        return None
    hidden = hidden_bios(seen.cycle)
    return None if hidden is None or hidden.value_ns <= 0 else value + hidden


def kinds_seen(seen: Sighting) -> frozenset[SleepKind]:
    """Return the kinds of sleep that a cycle can have been: by its record, else by the wires."""
    if seen.record is not None:
        return _ALONE[seen.record.kind]
    if seen.cycle is None:
        return frozenset()
    return _OF_STATE.get(seen.cycle.outside.state, frozenset())


def judge_limits(
    requirement: Requirement, sightings: Iterable[Sighting], broken: int = 0
) -> tuple[LimitJudgement, ...]:
    """Return the judgement on each limit.

    Args:
        requirement: the limits.
        sightings: the cycles that count; gone through once.
        broken: further cycles that failed without a value: they never woke, or stayed dark.
    """
    seen_by = [_Judged(limit, requirement.guard_band) for limit in requirement.limits()]
    for seen in sightings:
        for each in seen_by:
            each.add(seen)
    return tuple(_judge(each, broken if each.limit.required else 0) for each in seen_by)


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
    """One limit and what the cycles are against it, so far."""

    def __init__(self, limit: Limit, guard_band: bool) -> None:
        self.limit = limit
        self.parts: list[Conformity] = []
        self.values = array("d")
        self._guard_band = guard_band

    def add(self, seen: Sighting) -> None:
        value = _value_for(self.limit, seen)
        found = None if value is None else _against(self.limit, value, seen, self._guard_band)
        if value is not None and found is not None:
            self.parts.append(found)
            self.values.append(_shown_value(self.limit, value, seen))


def _judge(judged: _Judged, broken: int) -> LimitJudgement:
    limit, parts, values = judged.limit, judged.parts, judged.values
    failed = sum(part.verdict is Verdict.FAIL for part in parts)
    marginal = sum(part.verdict is Verdict.MARGINAL for part in parts)
    hidden = sum(part.hidden for part in parts)
    upper = limit.comparison in (Comparison.AT_MOST, Comparison.BELOW)
    worst = None if not values else max(values) if upper else min(values)
    needed = shown = None
    if limit.share is None:
        verdict = _of_every_cycle(len(parts), failed + broken, marginal)
        why = _why_every(limit, len(parts), failed, marginal, broken) + _why_broken(broken)
    else:
        n = len(parts) + broken
        needed = cycles_needed(1.0 - limit.share, limit.confidence)
        verdict = _of_share(limit, n, failed + broken, marginal, needed)
        shown = 1.0 - failure_rate_upper(failed + broken + marginal, n, limit.confidence)
        why = _why_share(limit, verdict, n, failed + broken, marginal)
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


def _of_share(limit: Limit, n: int, failed: int, marginal: int, needed: int) -> Verdict:
    allowed = 1.0 - (limit.share or 0.0)
    if failure_rate_upper(failed + marginal, n, limit.confidence) <= allowed:
        return Verdict.PASS
    if failure_rate_lower(failed, n, limit.confidence) > allowed:
        return Verdict.FAIL
    return Verdict.NO_EVIDENCE if n < needed else Verdict.MARGINAL


def _why_every(limit: Limit, n: int, failed: int, marginal: int, broken: int) -> str:
    if n == 0:
        return f"{limit_text(limit)}: not measured in any judged cycle"
    if not failed and not marginal:
        text = f"{limit_text(limit)}: {n} of {count_of(n, 'cycle')} within it"
        if broken:
            return text
        upper = percent_up(failure_rate_upper(0, n, 0.95))
        return f"{text}; with 95 % confidence at most {upper} of cycles are not"
    text = f"{limit_text(limit)}: {failed} of {count_of(n, 'cycle')} "
    text += "does not conform" if failed == 1 else "do not conform"
    return f"{text}, {marginal} undecided" if marginal else text


def _why_broken(broken: int) -> str:
    """Tell of the cycles that failed without a value; beside a FAIL they may be all its reason."""
    return f"; {count_of(broken, 'cycle')} failed without a value" if broken else ""


def _why_share(limit: Limit, verdict: Verdict, n: int, failed: int, marginal: int) -> str:
    text = f"{limit_text(limit)}: {failed} of {count_of(n, 'cycle')} beyond it"
    if marginal:
        text += f", {marginal} undecided"
    if verdict is Verdict.PASS:
        return f"{text}, so it is shown"
    if verdict is Verdict.FAIL:
        return f"{text}, so the contrary is shown"
    with_these = cycles_needed(1.0 - (limit.share or 0.0), limit.confidence, failed + marginal)
    beyond = percent_up(failure_rate_upper(failed + marginal, n, limit.confidence))
    return (
        f"{text}, which leaves up to {beyond} of cycles beyond it; {with_these} cycles with no "
        "more of them would show it"
    )


def _shown_value(limit: Limit, value: BoundedNs, seen: Sighting) -> float:
    if is_rate(limit.measure):
        return rate_of(value, limit.unit, seen.record) or 0.0
    return value.value_ns / TIME_UNITS_NS[limit.unit]


def _value_text(limit: Limit) -> str:
    return f"{limit_in_unit(limit):g} {limit.unit}"
