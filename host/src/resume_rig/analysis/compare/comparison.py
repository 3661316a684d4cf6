"""Base against candidate: what became slower, how sure that is, and what would have been shown.

A store or a log is one session, and a difference has to stand out from the scatter between sessions
of one build (analysis/stats/sessions.py); with one session a side the answer is on these two.
`alpha` holds over all times and counts together; components are a family of their own.
docs/reference/compare.md has the methods.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from resume_rig.analysis.compare.comparable import (
    differences_of,
    differing_warnings,
    identity_of,
    not_cancelled_ms,
    other_kinds_warnings,
    sample_warnings,
    session_warnings,
)
from resume_rig.analysis.compare.effects import (
    VALUES_LEAST,
    failures_of,
    family_of,
    newly_failed,
    over_limits_of,
    slow_cycles_of,
    times_of,
)
from resume_rig.analysis.compare.samples import (
    HEADLINES,
    ComponentKey,
    Evidence,
    Sample,
    headlines_gone,
    kinds_in,
    sample_of,
)
from resume_rig.analysis.stats.sessions import FEW, PHI_OF_FEW, SESSIONS_LEAST, sessions_needed
from resume_rig.analysis.verdict.judge import worst_of
from resume_rig.analysis.verdict.limits import limit_text
from resume_rig.analysis.verdict.measures import measure_words
from resume_rig.model.os_record import NO_SLEEPS, SleepKind
from resume_rig.model.result.comparison import (
    Answer,
    Cause,
    Change,
    Comparison,
    Effect,
    FailureEffect,
    OverLimit,
    SampleFacts,
    SessionFacts,
    SlowCycles,
    Unit,
)
from resume_rig.model.units import count_of

SESSIONS_ADVISED: Final = 5
"""Sessions a side from which on all divisions of them are counted; where sessions
scatter by 3 % they show 10 % nearly always (benchmarks/compare_errors.py --power)."""

# Assumed: names that a sentence holds; the document has all.
_NAMED_MOST: Final = 5

# The usual level; of a family of tests, by Holm. benchmarks/compare_errors.py holds it.
ALPHA: Final = 0.05
MATTERS: Final = 0.05
"""A slow-down of this share of the base's median matters, unless the user says otherwise.
Assumed."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        kind: of sleep; None = the commonest that both have.
        alpha: chance to name any difference where there is none.
        matters: the smallest slow-down that matters, as a share of the base's median.
        one_session_is_enough: a difference between one session a side is taken for one between
            the builds.
        requirement: id of what the evidence was judged against.
    """

    kind: SleepKind | None = None
    alpha: float = ALPHA
    matters: float = MATTERS
    one_session_is_enough: bool = False
    requirement: str = ""


ONE_SESSION_A_SIDE: Final = (
    "One session a side cannot separate a build from a day: measure each in "
    f"{SESSIONS_ADVISED} sessions or more, in turn, or say --one-session-is-enough."
)
"""What to do about two sessions that differ."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the tests found, all that the answer rests on.

    Attributes:
        gone: headline times that the candidate lost.
        newly_failed: limits that the candidate exceeds and the base meets.
        tests: in the family.
    """

    question: Question
    unit: Unit
    kind: SleepKind | None
    effects: Sequence[Effect]
    failures: FailureEffect | None
    slow: Sequence[SlowCycles]
    gone: Sequence[str]
    newly_failed: Sequence[OverLimit]
    tests: int


def answer_of(found: Found) -> tuple[Answer, str]:
    """Return the answer, and why it is that."""
    slower = [effect for effect in found.effects if effect.change is Change.SLOWER]
    worse = _worse(found)
    alone = found.unit is Unit.CYCLE and not found.question.one_session_is_enough
    if (slower or worse) and not alone:
        return Answer.REGRESSION, f"Worse, beyond chance: {_named(slower, worse)}."
    if found.newly_failed:
        return Answer.REQUIREMENT_FAILED, _why_failed(found, slower, worse)
    if slower or worse:
        return Answer.SESSIONS_DIFFER, (
            f"These two sessions differ: {_named(slower, worse)}. {ONE_SESSION_A_SIDE}"
        )
    return _none_worse(found, alone=alone)


def _none_worse(found: Found, *, alone: bool) -> tuple[Answer, str]:
    if found.kind is None or not found.effects:
        return Answer.NO_EVIDENCE, "There is no kind of sleep of which both have a time."
    if found.gone:
        names = ", ".join(map(measure_words, found.gone))
        return Answer.NO_EVIDENCE, (
            f"{_none_shown(found)}, but the base has {names}, and the candidate has none."
        )
    needed = [effect for effect in found.effects if effect.headline] or list(found.effects)
    weak = [effect for effect in needed if not effect.powerful]
    if weak:
        return Answer.NO_EVIDENCE, _why_weak(weak[0], found)
    names = ", ".join(
        f"{effect.detectable_ms or 0.0:.3g} ms ({_percent(effect.detectable_ms or 0.0, effect)}) "
        f"of {measure_words(effect.name)}"
        for effect in needed
    )
    text = (
        f"{_none_shown(found)}, and the smallest that would have been, with a probability of "
        f"80 %, is {names}."
    )
    if alone:
        text += " This holds for these two sessions; how sessions scatter is not known."
    return Answer.NO_REGRESSION, text


def share_of(effect: Effect) -> float:
    """Return a shift as a share of the base's median."""
    return effect.shift_ms / max(effect.base_median_ms, 1e-9)


def _worse(found: Found) -> list[str]:
    """Say which counts are higher, beyond chance."""
    named = [] if found.failures is None else [("failed cycles", found.failures)]
    named += [
        (f"cycles with {measure_words(each.name)} above {each.above_ms:.0f} ms", each.counts)
        for each in found.slow
    ]
    return [
        f"{name} {counts.candidate_failed} of {counts.candidate_n} instead of "
        f"{counts.base_failed} of {counts.base_n}"
        for name, counts in named
        if counts.more and counts.p_adjusted <= found.question.alpha
    ]


def _named(slower: Sequence[Effect], worse: list[str]) -> str:
    parts = [
        f"{measure_words(effect.name)} {effect.shift_ms:+.1f} ms ({share_of(effect) * 100:+.1f} %)"
        for effect in sorted(slower, key=share_of, reverse=True)[:_NAMED_MOST]
    ]
    if len(slower) > _NAMED_MOST:
        parts.append(count_of(len(slower) - _NAMED_MOST, "more time"))
    return ", ".join([*parts, *worse])


def _why_failed(found: Found, slower: Sequence[Effect], worse: list[str]) -> str:
    over = "; ".join(
        f"{limit_text(each.limit)} is not met in {each.candidate_over} of {each.candidate_n} "
        f"instead of {each.base_over} of {each.base_n}"
        for each in found.newly_failed
    )
    requirement = found.question.requirement or "its requirement"
    text = f"The candidate fails {requirement}, the base does not: {over}."
    if slower or worse:
        text += f" Between these sessions: {_named(slower, worse)}."
    return text


def _none_shown(found: Found) -> str:
    slight = [effect for effect in found.effects if effect.change is Change.SLIGHTLY_SLOWER]
    if not slight:
        return "No slow-down is shown"
    effect = max(slight, key=share_of)
    return (
        f"No slow-down that matters is shown (the most is {measure_words(effect.name)} "
        f"{effect.shift_ms:+.1f} ms)"
    )


def _why_weak(effect: Effect, found: Found) -> str:
    name, matters = measure_words(effect.name), f"{found.question.matters * 100:g} %"
    text = f"No slow-down that matters is shown, but {name} has too few "
    if found.unit is Unit.SESSION:
        text += (
            f"sessions ({effect.base_sessions} and {effect.candidate_sessions}) to show one of "
            f"{matters}"
        )
        if effect.detectable_ms is None or not effect.session_sd_ms:
            return f"{text}: it takes {SESSIONS_LEAST} of both sides together to show any."
        needed = sessions_needed(
            effect.session_sd_ms, effect.matters_ms, max(1, found.tests), found.question.alpha
        )
        many = "more than 1000" if needed is None else f"about {needed}"
        return (
            f"{text}: they scatter by {effect.session_sd_ms:.3g} ms "
            f"({_percent(effect.session_sd_ms, effect)}) and would show "
            f"{effect.detectable_ms:.3g} ms ({_percent(effect.detectable_ms, effect)}); it takes "
            f"{many} sessions each."
        )
    few = min(effect.base_n, effect.candidate_n)
    text += f"cycles ({effect.base_n} and {effect.candidate_n}) to show one of {matters}"
    if effect.detectable_ms is None:
        return f"{text}: {count_of(few, 'value')} cannot show any."
    needed = int(few * (effect.detectable_ms / effect.matters_ms) ** 2) + 1
    return (
        f"{text}: they would show {effect.detectable_ms:.3g} ms "
        f"({_percent(effect.detectable_ms, effect)}); it takes about {needed} cycles each."
    )


def _percent(value_ms: float, effect: Effect) -> str:
    return f"{value_ms / max(effect.base_median_ms, 1e-9) * 100:.2g} %"


# Each one tested makes the others harder to show; the longest come first. Assumed: decides which
# short ones are not compared.
_COMPONENTS_MOST: Final = 400
# Assumed: rows that a page holds.
_COMPONENTS_SHOWN: Final = 50
_ORDER: Final = (
    Change.SLOWER,
    Change.SLIGHTLY_SLOWER,
    Change.FASTER,
    Change.NOT_SHOWN,
    Change.TOO_FEW,
)


def compare(
    base: Sequence[Evidence], candidate: Sequence[Evidence], question: Question
) -> Comparison:
    """Return what candidate is against base.

    Args:
        base: one session or more.
        candidate: one session or more.
        question: what is asked.
    """
    kinds = [[kinds_in(each) for each in side] for side in (base, candidate)]
    kind = question.kind or _common_kind(*(sum(side, Counter()) for side in kinds))
    samples, candidate_samples = _samples(base, kind), _samples(candidate, kind)
    unit = Unit.CYCLE if len(base) == len(candidate) == 1 else Unit.SESSION
    times = times_of(
        [s.times_ms for s in samples],
        [s.times_ms for s in candidate_samples],
        not_cancelled_ms(base, candidate, samples, candidate_samples),
    )
    failures = failures_of(base, candidate)
    slow = slow_cycles_of(times, question.matters)
    counts = ([] if failures is None else [failures]) + [count for _, _, count in slow]
    effects, counted = family_of(
        times, counts, unit, alpha=question.alpha, matters=question.matters
    )
    failed = None if failures is None else counted.pop(0)
    slow_found = tuple(
        SlowCycles(name, above_ms, count)
        for (name, above_ms, _), count in zip(slow, counted, strict=True)
    )
    components, compared = _components(samples, candidate_samples, unit, question)
    shown = {each.name for each in components}
    causes = _causes(effects, samples, candidate_samples, shown)
    over = over_limits_of(base, candidate)
    facts, candidate_facts = _facts(base, samples), _facts(candidate, candidate_samples)
    found = Found(
        question=question,
        unit=unit,
        kind=kind,
        effects=effects,
        failures=failed,
        slow=slow_found,
        gone=headlines_gone(samples, candidate, candidate_samples, VALUES_LEAST),
        newly_failed=newly_failed(facts.verdict, candidate_facts.verdict, over, question.alpha),
        tests=len(times) + len(counts),
    )
    answer, why = answer_of(found)
    return Comparison(
        base=facts,
        candidate=candidate_facts,
        kind=kind,
        effects=tuple(sorted(effects, key=_by_share)),
        failures=failed,
        slow=slow_found,
        components=components,
        components_compared=compared,
        differences=differences_of(base, candidate),
        warnings=(
            *differing_warnings(base, candidate),
            *session_warnings(base, candidate, times),
            *_few_warning(effects, unit),
            *other_kinds_warnings(base, kinds[0], kind),
            *other_kinds_warnings(candidate, kinds[1], kind),
            *sample_warnings(base, samples, unit),
            *sample_warnings(candidate, candidate_samples, unit),
        ),
        alpha=question.alpha,
        answer=answer,
        why=why,
        requirement=question.requirement,
        over=over,
        unit=unit,
        causes=causes,
    )


def _few_warning(effects: Sequence[Effect], unit: Unit) -> list[str]:
    """Say what a test of very few values rests on."""
    few = [e for e in effects if e.headline and e.change is not Change.TOO_FEW]
    least = min((min(e.base_n, e.candidate_n) for e in few), default=FEW)
    if unit is Unit.SESSION or least >= FEW:
        return []
    return [
        f"With {least} values a side the tests rest on assumptions: normal values, each as like the"
        f" one before it as a correlation of {PHI_OF_FEW:g} makes."
    ]


def _common_kind(ours: Counter[SleepKind], theirs: Counter[SleepKind]) -> SleepKind | None:
    common = {kind: min(ours[kind], theirs[kind]) for kind in ours if kind in theirs}
    sleeps = {kind: n for kind, n in common.items() if kind not in NO_SLEEPS}
    chosen = sleeps or common  # boots in a log of sleeps are asked for by name
    return max(chosen, key=lambda kind: chosen[kind]) if chosen else None


def _samples(side: Sequence[Evidence], kind: SleepKind | None) -> list[Sample]:
    return [Sample(0) if kind is None else sample_of(each, kind) for each in side]


def _facts(side: Sequence[Evidence], samples: Sequence[Sample]) -> SampleFacts:
    sessions = tuple(
        SessionFacts(
            each.path,
            sample.cycles,
            each.verdict,
            {name: sample.times_ms[name] for name in HEADLINES if name in sample.times_ms},
            sum(each.failed or ()),
            sample.training,
            each.simulated,
        )
        for each, sample in zip(side, samples, strict=True)
    )
    path = side[0].path
    if len(side) > 1:
        path = f"{count_of(len(side), 'session')} ({path} and {len(side) - 1} more)"
    return SampleFacts(
        path,
        sum(sample.cycles for sample in samples),
        identity_of(side),
        sessions,
        worst_of([each.verdict for each in side]),
    )


def _by_share(effect: Effect) -> tuple[int, float]:
    return _ORDER.index(effect.change), -abs(share_of(effect))


def _components(
    base: Sequence[Sample], candidate: Sequence[Sample], unit: Unit, question: Question
) -> tuple[tuple[Effect, ...], int]:
    """Return the components that changed, and how many were compared: the longest common ones."""
    ours, theirs = _longest_ms(base), _longest_ms(candidate)
    common = sorted(
        (key for key in ours if key in theirs), key=lambda key: -max(ours[key], theirs[key])
    )
    chosen = common[:_COMPONENTS_MOST]
    sides = [
        [
            {
                _component_name(key, holds_up=holds_up): _parts(s, holds_up=holds_up).get(key, [])
                for key, holds_up in chosen
            }
            for s in side
        ]
        for side in (base, candidate)
    ]
    times = times_of(sides[0], sides[1])
    effects, _ = family_of(times, [], unit, alpha=question.alpha, matters=question.matters)
    changed = [each for each in effects if each.change not in (Change.NOT_SHOWN, Change.TOO_FEW)]
    changed.sort(key=lambda each: -each.shift_ms)
    return tuple(changed[:_COMPONENTS_SHOWN]), len(chosen)


_Part = tuple[ComponentKey, bool]
"""A component, and whether it is the time that others had to wait for it."""


def _parts(sample: Sample, *, holds_up: bool) -> Mapping[ComponentKey, list[float]]:
    return sample.held_ms if holds_up else sample.components_ms


def _longest_ms(side: Sequence[Sample]) -> dict[_Part, float]:
    """Return how long each component took at most, of those with values enough to be compared."""
    found = _values_ms(side)
    return {part: max(values) for part, values in found.items() if len(values) >= VALUES_LEAST}


def _values_ms(side: Sequence[Sample]) -> dict[_Part, list[float]]:
    found: defaultdict[_Part, list[float]] = defaultdict(list)
    for sample in side:
        for holds_up in (True, False):
            for key, values in _parts(sample, holds_up=holds_up).items():
                found[key, holds_up] += values
    return found


def _component_name(key: ComponentKey, *, holds_up: bool) -> str:
    moment, kind, name, phase = key
    what = "hold-up (prePendTime) by " if holds_up else ""
    return f"{what}{kind.value} {name}" + (f" in {phase}" if phase else "") + f" ({moment})"


# Assumed: causes that a sentence holds; one of less than a tenth of the whole explains nothing.
_CAUSES_MOST: Final = 5
_CAUSE_SHARE: Final = 0.1


def _causes(
    effects: Sequence[Effect],
    base: Sequence[Sample],
    candidate: Sequence[Sample],
    shown: Collection[str],
) -> tuple[Cause, ...]:
    """Return the parts that changed most the way the headline time did.

    Of one transition a side nothing is tested, and the arithmetic is there all the same.
    """
    moved = [e for e in effects if e.headline and abs(e.shift_ms) >= e.matters_ms]
    if not moved:
        return ()
    shift_ms = max((effect.shift_ms for effect in moved), key=abs)
    sides = [
        {part: float(np.median(values)) for part, values in _values_ms(side).items()}
        for side in (base, candidate)
    ]
    found = []
    for part in dict.fromkeys([*sides[0], *sides[1]]):
        name = _component_name(part[0], holds_up=part[1])
        cause = Cause(name, part[1], sides[0].get(part), sides[1].get(part), name in shown)
        away_ms = math.copysign(1.0, shift_ms) * cause.difference_ms
        if away_ms >= max(1.0, _CAUSE_SHARE * abs(shift_ms)):
            found.append(cause)
    found.sort(key=lambda cause: (-abs(cause.difference_ms), not cause.holds_up, cause.name))
    return tuple(found[:_CAUSES_MOST])
