"""A comparison in words and cells, the same on a terminal and on a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.limits import limit_text
from resume_rig.analysis.measures import is_measure, measure_words
from resume_rig.model.comparison import Change, Comparison, Effect, FailureEffect, Unit
from resume_rig.model.units import percent_up
from resume_rig.report.wording import MISSING

_CHANGE_WORDS: Final = {
    Change.SLOWER: "SLOWER",
    Change.SLIGHTLY_SLOWER: "slower, too little to matter",
    Change.FASTER: "faster",
    Change.NOT_SHOWN: "no difference shown",
    Change.TOO_FEW: "too few values",
}


@dataclass(frozen=True, slots=True)
class EffectRow:
    """One time of a comparison; times in ms."""

    name: str
    values: str
    base: str
    candidate: str
    shift: str
    interval: str
    share: str
    p: str
    detectable: str
    change: str


def effect_rows(effects: Sequence[Effect]) -> tuple[EffectRow, ...]:
    """Return the rows of a table of effects, in their order."""
    return tuple(_row(effect) for effect in effects)


def change_words(change: Change) -> str:
    """Return what became of a time."""
    return _CHANGE_WORDS[change]


def failures_sentence(failures: FailureEffect | None) -> str:
    """Return how often cycles failed on both sides."""
    if failures is None:
        return "Logs alone do not report cycles that failed, so failures are not compared."
    return (
        f"Failed cycles: {failures.base_failed} of {failures.base_n}, then"
        f" {failures.candidate_failed} of {failures.candidate_n}"
        f" (p = {failures.p_adjusted:.2g})."
    )


def slow_sentences(comparison: Comparison) -> tuple[str, ...]:
    """Return how often each headline time was far above the middle, where it was."""
    return tuple(
        f"Slow cycles, {measure_words(each.name)} above {each.above_ms:.0f} ms:"
        f" {each.counts.base_failed} of {each.counts.base_n}, then"
        f" {each.counts.candidate_failed} of {each.counts.candidate_n}"
        f" (p = {each.counts.p_adjusted:.2g})."
        for each in comparison.slow
    )


def counted_sentences(comparison: Comparison) -> tuple[str, ...]:
    """Return what was counted: cycles over the limit, that failed, that were slow; and the unit."""
    return (
        *over_limit_sentences(comparison),
        failures_sentence(comparison.failures),
        *slow_sentences(comparison),
        *warm_up_sentences(comparison),
    )


def over_limit_sentences(comparison: Comparison) -> tuple[str, ...]:
    """Return how many values are beyond each limit of the requirement on both sides."""
    return tuple(
        f"Over the limit ({comparison.requirement}: {limit_text(each.limit)}): "
        f"{_share(each.base_over, each.base_n, each.base_upper)}, then "
        f"{_share(each.candidate_over, each.candidate_n, each.candidate_upper)}."
        for each in comparison.over
    )


def warm_up_sentences(comparison: Comparison) -> tuple[str, ...]:
    """Return what was left out as warm-up; empty where nothing was."""
    cut = {
        measure_words(each.name): each.warm_up
        for each in comparison.effects
        if each.warm_up and each.headline
    }
    if not cut:
        return ()
    named = ", ".join(f"{n} of {name}" for name, n in cut.items())
    return (f"Left out as warm-up, the first values of each session: {named}.",)


def subject_sentence(comparison: Comparison) -> str:
    """Return what was compared with what, and what the unit of its tests is."""
    kind = "no common kind of sleep" if comparison.kind is None else comparison.kind.value
    told = (
        f"{kind}: {comparison.base.cycles} cycles of {comparison.base.path} (base) against"
        f" {comparison.candidate.cycles} of {comparison.candidate.path} (candidate)."
    )
    if comparison.unit is Unit.SESSION:
        told += " Sessions are compared, by their medians."
    return told


def _share(over: int, n: int, upper: float | None) -> str:
    if upper is None:
        return "none judged"
    return f"{over} of {n} (upper 95 % limit {percent_up(upper)})"


def components_sentence(comparison: Comparison) -> str:
    """Return what became of the parts of the transitions; empty where none was compared."""
    if not comparison.components_compared:
        return ""
    changed = len(comparison.components)
    return (
        f"Components: {comparison.components_compared} compared, {changed or 'none'} changed beyond"
        " chance; they explain, and do not decide."
    )


def _row(effect: Effect) -> EffectRow:
    base = effect.base_median_ms
    digits = _decimals(base)
    interval = MISSING
    if effect.low_ms is not None and effect.high_ms is not None:
        interval = f"{_signed(effect.low_ms, digits)} to {_signed(effect.high_ms, digits)}"
    detectable = effect.detectable_ms
    return EffectRow(
        name=measure_words(effect.name) if is_measure(effect.name) else effect.name,
        values=f"{effect.base_n}, {effect.candidate_n}",
        base=f"{base:.{digits}f}",
        candidate=f"{effect.candidate_median_ms:.{digits}f}",
        shift=_signed(effect.shift_ms, digits),
        interval=interval,
        share=f"{_signed(effect.shift_ms / base * 100, 1)} %" if base > 0 else MISSING,
        p="<0.0001" if effect.p_adjusted < 0.0001 else f"{effect.p_adjusted:.4f}",
        detectable=MISSING if detectable is None else f"{detectable:.{digits}f}",
        change=change_words(effect.change),
    )


def _decimals(base_ms: float) -> int:
    """Return how many decimals tell a shift of a time of this size."""
    return 0 if base_ms >= 1_000 else 1 if base_ms >= 100 else 2


def _signed(value: float, digits: int) -> str:
    """Return a number with its sign; what is 0 as shown has none."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text
