"""The answer of a comparison, and the sentence that it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.limits import limit_text
from resume_rig.analysis.measures import measure_words
from resume_rig.analysis.session_test import SESSIONS_LEAST, sessions_needed
from resume_rig.model.comparison import (
    Answer,
    Change,
    Effect,
    FailureEffect,
    OverLimit,
    SlowCycles,
    Unit,
)
from resume_rig.model.os_record import SleepKind
from resume_rig.model.units import count_of

SESSIONS_ADVISED: Final = 5
"""Sessions a side from which on all divisions of them are counted (session_test.py); where sessions
scatter by 3 % they show 10 % nearly always (benchmarks/compare_errors.py --power)."""

_NAMED_MOST: Final = 5


@dataclass(frozen=True, slots=True)
class Found:
    """What the tests found, all that the answer rests on.

    Attributes:
        gone: headline times that the candidate lost.
        newly_failed: limits that the candidate exceeds and the base meets.
        sessions: of base and candidate.
        tests: in the family.
    """

    unit: Unit
    kind: SleepKind | None
    effects: Sequence[Effect]
    failures: FailureEffect | None
    slow: Sequence[SlowCycles]
    gone: Sequence[str]
    newly_failed: Sequence[OverLimit]
    sessions: tuple[int, int]
    tests: int
    alpha: float
    matters: float
    one_session_is_enough: bool
    requirement: str


def answer_of(found: Found) -> tuple[Answer, str]:
    """Return the answer, and why it is that."""
    slower = [effect for effect in found.effects if effect.change is Change.SLOWER]
    worse = _worse(found)
    alone = found.unit is Unit.CYCLE and not found.one_session_is_enough
    if (slower or worse) and not alone:
        return Answer.REGRESSION, f"Worse, beyond chance: {_named(slower, worse)}."
    if found.newly_failed:
        return Answer.REQUIREMENT_FAILED, _why_failed(found, slower, worse)
    if slower or worse:
        return Answer.SESSIONS_DIFFER, (
            f"These two sessions differ: {_named(slower, worse)}. One session a side cannot tell a "
            f"build from a day: measure each in {SESSIONS_ADVISED} sessions or more, in turn, or "
            "say --one-session-is-enough."
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
    names = ", ".join(measure_words(effect.name) for effect in needed)
    text = (
        f"{_none_shown(found)}, and one of {found.matters * 100:g} % would have been, with a "
        f"probability of 80 % or more, in {names}."
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
        if counts.more and counts.p_adjusted <= found.alpha
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
    text = (
        f"The candidate fails {found.requirement or 'its requirement'}, the base does not: {over}."
    )
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
    name, matters = measure_words(effect.name), f"{found.matters * 100:g} %"
    text = f"No slow-down that matters is shown, but {name} has too few "
    if found.unit is Unit.SESSION:
        text += (
            f"sessions ({effect.base_sessions} and {effect.candidate_sessions}) to show one of "
            f"{matters}"
        )
        if effect.detectable_ms is None or not effect.session_sd_ms:
            return f"{text}: it takes {SESSIONS_LEAST} of both sides together to show any."
        needed = sessions_needed(
            effect.session_sd_ms, effect.matters_ms, max(1, found.tests), found.alpha
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
