"""Base against candidate: what became slower, how sure that is, and what could have been seen.

The baseline method of Microsoft's paper on on/off transitions (measure, change one thing, measure
again), with the questions that it leaves open: could chance have made the difference, could the
day have made it, and could these measurements have shown one at all.

A store or a log is one session. A build differs from another where its sessions do: a difference
has to stand out from the scatter between sessions of one build (analysis/session_test.py). With one
session a side that scatter is unknown; then cycles are compared (analysis/cycle_test.py), and the
answer is on these two sessions. The chance to name any difference where there is none is `alpha`,
over all times and counts together. Components are a family of their own and decide nothing.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.comparable import (
    differences_of,
    differing_warnings,
    identity_of,
    not_cancelled_ms,
    other_kinds_warnings,
    sample_warnings,
    session_warnings,
)
from resume_rig.analysis.compare_answer import Found, answer_of, share_of
from resume_rig.analysis.compare_counts import (
    failures_of,
    newly_failed,
    over_limits_of,
    slow_cycles_of,
)
from resume_rig.analysis.compare_effects import VALUES_LEAST, family_of, times_of
from resume_rig.analysis.compare_samples import (
    ComponentKey,
    Evidence,
    Sample,
    headlines_gone,
    kinds_in,
    sample_of,
)
from resume_rig.analysis.judge import worst_of
from resume_rig.model.comparison import (
    Change,
    Comparison,
    Effect,
    SampleFacts,
    SessionFacts,
    SlowCycles,
    Unit,
)
from resume_rig.model.os_record import SleepKind
from resume_rig.model.units import count_of

ALPHA: Final = 0.05
MATTERS: Final = 0.05
"""A slow-down of this share of the base's median matters, unless the user says otherwise."""

_COMPONENTS_MOST: Final = 400
_COMPONENTS_SHOWN: Final = 50
_ORDER: Final = (
    Change.SLOWER,
    Change.SLIGHTLY_SLOWER,
    Change.FASTER,
    Change.NOT_SHOWN,
    Change.TOO_FEW,
)


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
    over = over_limits_of(base, candidate)
    facts, candidate_facts = _facts(base, samples), _facts(candidate, candidate_samples)
    found = Found(
        unit=unit,
        kind=kind,
        effects=effects,
        failures=failed,
        slow=slow_found,
        gone=headlines_gone(samples, candidate, candidate_samples, VALUES_LEAST),
        newly_failed=newly_failed(facts.verdict, candidate_facts.verdict, over, question.alpha),
        sessions=(len(base), len(candidate)),
        tests=len(times) + len(counts),
        alpha=question.alpha,
        matters=question.matters,
        one_session_is_enough=question.one_session_is_enough,
        requirement=question.requirement,
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
    )


def _common_kind(ours: Counter[SleepKind], theirs: Counter[SleepKind]) -> SleepKind | None:
    common = {kind: min(ours[kind], theirs[kind]) for kind in ours if kind in theirs}
    return max(common, key=lambda kind: common[kind]) if common else None


def _samples(side: Sequence[Evidence], kind: SleepKind | None) -> list[Sample]:
    return [Sample(0) if kind is None else sample_of(each, kind) for each in side]


def _facts(side: Sequence[Evidence], samples: Sequence[Sample]) -> SampleFacts:
    sessions = tuple(
        SessionFacts(each.path, sample.cycles, each.verdict)
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
        [{_component_name(key): s.components_ms.get(key, []) for key in chosen} for s in side]
        for side in (base, candidate)
    ]
    times = times_of(sides[0], sides[1])
    effects, _ = family_of(times, [], unit, alpha=question.alpha, matters=question.matters)
    changed = [each for each in effects if each.change not in (Change.NOT_SHOWN, Change.TOO_FEW)]
    changed.sort(key=lambda each: -each.shift_ms)
    return tuple(changed[:_COMPONENTS_SHOWN]), len(chosen)


def _longest_ms(side: Sequence[Sample]) -> dict[ComponentKey, float]:
    """Return how long each component took at most, of those with values enough to be compared."""
    counts: Counter[ComponentKey] = Counter()
    longest: dict[ComponentKey, float] = {}
    for sample in side:
        for key, values in sample.components_ms.items():
            counts[key] += len(values)
            longest[key] = max(longest.get(key, 0.0), *values)
    return {key: most for key, most in longest.items() if counts[key] >= VALUES_LEAST}


def _component_name(key: ComponentKey) -> str:
    moment, kind, name, phase = key
    return f"{kind.value} {name}" + (f" in {phase}" if phase else "") + f" ({moment})"
