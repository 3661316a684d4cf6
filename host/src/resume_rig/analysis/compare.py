"""Base against candidate: what became slower, how sure that is, and what could have been seen.

The baseline method of Microsoft's paper on on/off transitions (measure, change one thing, measure
again), with the two questions that it leaves open: could chance have made the difference, and
could these few cycles have shown one at all. Each time is tested by its ranks; Holm's method keeps
the chance to name any difference where there is none at `alpha`, over all times together.
Components are a family of their own and decide nothing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from resume_rig.analysis.comparable import differences_of, differing_warnings, sample_warnings
from resume_rig.analysis.compare_counts import failures_of, slow_cycles_of
from resume_rig.analysis.compare_samples import (
    HEADLINES,
    ComponentKey,
    Evidence,
    Sample,
    headlines_gone,
    kinds_in,
    sample_of,
    step_ms_of,
)
from resume_rig.analysis.measures import measure_words
from resume_rig.analysis.rank_test import (
    detectable_shift,
    holm,
    rank_sum_p,
    shift_between,
)
from resume_rig.model.comparison import (
    Answer,
    Change,
    Comparison,
    Effect,
    FailureEffect,
    SampleFacts,
    SlowCycles,
)
from resume_rig.model.os_record import SleepKind
from resume_rig.model.units import count_of

ALPHA: Final = 0.05
MATTERS: Final = 0.05
"""A slow-down of this share of the base's median matters, unless the user says otherwise."""

VALUES_LEAST: Final = 4
"""With three values a side, no order of them is rarer than one in ten."""

_COMPONENTS_MOST: Final = 400
_COMPONENTS_SHOWN: Final = 50
_NAMED_MOST: Final = 5
# A value that is rounded to a step is off by step / sqrt(12) as a standard deviation.
_STEPS_PER_SIGMA: Final = 12**0.5


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        kind: of sleep; None = the commonest that both have.
        alpha: chance to name any difference where there is none.
        matters: the smallest slow-down that matters, as a share of the base's median.
    """

    kind: SleepKind | None = None
    alpha: float = ALPHA
    matters: float = MATTERS


def compare(base: Evidence, candidate: Evidence, question: Question) -> Comparison:
    """Return what candidate is against base."""
    kinds = (kinds_in(base), kinds_in(candidate))
    kind = question.kind or _common_kind(*kinds)
    base_sample = Sample(0) if kind is None else sample_of(base, kind)
    candidate_sample = Sample(0) if kind is None else sample_of(candidate, kind)
    failures = failures_of(base, candidate)
    slow = slow_cycles_of(base_sample, candidate_sample, question.matters)
    effects = _effects(
        base_sample.times_ms,
        candidate_sample.times_ms,
        question,
        others=len(slow) + (failures is not None),
    )
    counted = [*([] if failures is None else [failures]), *(each.counts for each in slow)]
    effects, counted = _adjusted(effects, counted, question)
    failures = counted[0] if failures is not None else None
    slow = tuple(
        replace(each, counts=counts)
        for each, counts in zip(slow, counted[len(counted) - len(slow) :], strict=True)
    )
    components, compared = _components(base_sample, candidate_sample, question)
    worse = _worse(failures, slow, question)
    gone = headlines_gone(base_sample, candidate, candidate_sample, VALUES_LEAST)
    answer, why = _answer(effects, worse, kind, question, gone)
    return Comparison(
        base=SampleFacts(base.path, base_sample.cycles, base.identity),
        candidate=SampleFacts(candidate.path, candidate_sample.cycles, candidate.identity),
        kind=kind,
        effects=tuple(sorted(effects, key=_by_share)),
        failures=failures,
        slow=slow,
        components=components,
        components_compared=compared,
        differences=differences_of(base, candidate),
        warnings=(
            *differing_warnings(base, candidate),
            *sample_warnings(base, kinds[0], base_sample, kind),
            *sample_warnings(candidate, kinds[1], candidate_sample, kind),
        ),
        alpha=question.alpha,
        answer=answer,
        why=why,
    )


def _common_kind(ours: Counter[SleepKind], theirs: Counter[SleepKind]) -> SleepKind | None:
    common = {kind: min(ours[kind], theirs[kind]) for kind in ours if kind in theirs}
    return max(common, key=lambda kind: common[kind]) if common else None


def _effects(
    base: Mapping[str, Sequence[float]],
    candidate: Mapping[str, Sequence[float]],
    question: Question,
    others: int,
) -> list[Effect]:
    """Return the effects, not yet adjusted; `others` is how many more tests their family has."""
    names = [name for name in base if name in candidate]
    tested = sum(min(len(base[n]), len(candidate[n])) >= VALUES_LEAST for n in names) + others
    # Holm asks this much of the first of them: what is detectable there is so anywhere.
    alpha_each = question.alpha / max(1, tested)
    return [
        _effect(
            name, base[name], candidate[name], step_ms_of(name), question, alpha_each=alpha_each
        )
        for name in names
    ]


def _effect(
    name: str,
    base_ms: Sequence[float],
    candidate_ms: Sequence[float],
    step_ms: float,
    question: Question,
    *,
    alpha_each: float,
) -> Effect:
    base, candidate = np.sort(np.asarray(base_ms)), np.sort(np.asarray(candidate_ms))
    shift, low, high = shift_between(base, candidate)
    enough = min(len(base), len(candidate)) >= VALUES_LEAST
    # What was rounded to a step can have been half a step away.
    half = step_ms / 2
    base_median, base_mean = float(np.median(base)), float(base.mean())
    return Effect(
        name=name,
        base_n=len(base),
        candidate_n=len(candidate),
        base_median_ms=base_median,
        candidate_median_ms=float(np.median(candidate)),
        shift_ms=shift,
        low_ms=None if low is None else low - half,
        high_ms=None if high is None else high + half,
        mean_ratio=float(candidate.mean()) / base_mean if base_mean > 0 else None,
        p=rank_sum_p(base, candidate) if enough else 1.0,
        p_adjusted=1.0,
        detectable_ms=(
            detectable_shift(base, candidate, alpha_each, step_ms / _STEPS_PER_SIGMA)
            if enough
            else None
        ),
        matters_ms=max(question.matters * base_median, step_ms),
        change=Change.NOT_SHOWN if enough else Change.TOO_FEW,
        headline=name in HEADLINES,
    )


def _adjusted(
    effects: list[Effect], counted: list[FailureEffect], question: Question
) -> tuple[list[Effect], list[FailureEffect]]:
    """Return one family with p values after Holm, and what they mean."""
    tested = [effect for effect in effects if effect.change is not Change.TOO_FEW]
    adjusted = iter(holm([*(effect.p for effect in tested), *(each.p for each in counted)]))
    found = {e.name: _judged(e, next(adjusted), question.alpha) for e in tested}
    counts = [replace(each, p_adjusted=next(adjusted)) for each in counted]
    return [found.get(effect.name, effect) for effect in effects], counts


def _judged(effect: Effect, p_adjusted: float, alpha: float) -> Effect:
    if p_adjusted > alpha:
        return replace(effect, p_adjusted=p_adjusted)
    if effect.shift_ms < 0 or (effect.shift_ms == 0 and (effect.mean_ratio or 1.0) < 1.0):
        change = Change.FASTER
    elif effect.high_ms is not None and effect.high_ms < effect.matters_ms:
        change = Change.SLIGHTLY_SLOWER
    else:
        change = Change.SLOWER
    return replace(effect, p_adjusted=p_adjusted, change=change)


def _by_share(effect: Effect) -> tuple[int, float]:
    order = (Change.SLOWER, Change.SLIGHTLY_SLOWER, Change.FASTER, Change.NOT_SHOWN, Change.TOO_FEW)
    return order.index(effect.change), -abs(effect.shift_ms) / max(effect.base_median_ms, 1e-9)


def _components(
    base: Sample, candidate: Sample, question: Question
) -> tuple[tuple[Effect, ...], int]:
    """Return the components that changed, and how many were compared: the longest common ones."""
    ours, theirs = base.components_ms, candidate.components_ms
    common = [
        key
        for key in ours
        if key in theirs and min(len(ours[key]), len(theirs[key])) >= VALUES_LEAST
    ]
    common.sort(key=lambda key: -max(*ours[key], *theirs[key]))
    chosen = common[:_COMPONENTS_MOST]
    effects = _effects(
        {_component_name(key): ours[key] for key in chosen},
        {_component_name(key): theirs[key] for key in chosen},
        question,
        others=0,
    )
    adjusted, _ = _adjusted(effects, [], question)
    changed = [each for each in adjusted if each.change not in (Change.NOT_SHOWN, Change.TOO_FEW)]
    changed.sort(key=lambda each: -each.shift_ms)
    return tuple(changed[:_COMPONENTS_SHOWN]), len(chosen)


def _component_name(key: ComponentKey) -> str:
    moment, kind, name, phase = key
    return f"{kind.value} {name}" + (f" in {phase}" if phase else "") + f" ({moment})"


def _worse(
    failures: FailureEffect | None, slow: Sequence[SlowCycles], question: Question
) -> list[str]:
    """Say which counts are higher, beyond chance."""
    named = [] if failures is None else [("failed cycles", failures)]
    named += [
        (f"cycles with {measure_words(each.name)} above {each.above_ms:.0f} ms", each.counts)
        for each in slow
    ]
    return [
        f"{name} {counts.candidate_failed} of {counts.candidate_n} instead of "
        f"{counts.base_failed} of {counts.base_n}"
        for name, counts in named
        if counts.more and counts.p_adjusted <= question.alpha
    ]


def _answer(
    effects: Sequence[Effect],
    worse: list[str],
    kind: SleepKind | None,
    question: Question,
    gone: Sequence[str],
) -> tuple[Answer, str]:
    slower = [effect for effect in effects if effect.change is Change.SLOWER]
    if slower or worse:
        return Answer.REGRESSION, _why_regression(slower, worse)
    if kind is None or not effects:
        return Answer.NO_EVIDENCE, "There is no kind of sleep of which both have a time."
    if gone:
        names = ", ".join(map(measure_words, gone))
        return Answer.NO_EVIDENCE, (
            f"{_none_shown(effects)}, but the base has {names}, and the candidate has none."
        )
    needed = [effect for effect in effects if effect.headline] or list(effects)
    weak = [effect for effect in needed if not effect.powerful]
    if weak:
        return Answer.NO_EVIDENCE, _why_weak(weak, question)
    names = ", ".join(measure_words(effect.name) for effect in needed)
    return Answer.NO_REGRESSION, (
        f"{_none_shown(effects)}, and one of {question.matters * 100:g} % would have been, with a "
        f"probability of 80 % or more, in {names}."
    )


def _none_shown(effects: Sequence[Effect]) -> str:
    slight = [effect for effect in effects if effect.change is Change.SLIGHTLY_SLOWER]
    if not slight:
        return "No slow-down is shown"
    effect = min(slight, key=_by_share)
    return (
        f"No slow-down that matters is shown (the most is {measure_words(effect.name)} "
        f"{effect.shift_ms:+.1f} ms)"
    )


def _why_regression(slower: Sequence[Effect], worse: list[str]) -> str:
    parts = [
        f"{measure_words(effect.name)} {effect.shift_ms:+.1f} ms "
        f"({effect.shift_ms / max(effect.base_median_ms, 1e-9) * 100:+.1f} %)"
        for effect in sorted(slower, key=_by_share)[:_NAMED_MOST]
    ]
    if len(slower) > _NAMED_MOST:
        parts.append(count_of(len(slower) - _NAMED_MOST, "more time"))
    return f"Worse, beyond chance: {', '.join([*parts, *worse])}."


def _why_weak(weak: Sequence[Effect], question: Question) -> str:
    effect = weak[0]
    few = min(effect.base_n, effect.candidate_n)
    text = (
        f"No slow-down that matters is shown, but {measure_words(effect.name)} has too few cycles "
    )
    text += (
        f"({effect.base_n} and {effect.candidate_n}) to show one of {question.matters * 100:g} %"
    )
    if effect.detectable_ms is None:
        return f"{text}: {count_of(few, 'value')} cannot show any."
    share = effect.detectable_ms / max(effect.base_median_ms, 1e-9)
    needed = int(few * (effect.detectable_ms / effect.matters_ms) ** 2) + 1
    return (
        f"{text}: they would show {effect.detectable_ms:.3g} ms ({share * 100:.2g} %); it takes "
        f"about {needed} cycles each."
    )
