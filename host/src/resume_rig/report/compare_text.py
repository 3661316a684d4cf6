"""A comparison in words and cells, the same on a terminal and on a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.measures import is_measure, measure_words
from resume_rig.model.comparison import Change, Comparison, Effect, FailureEffect
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


def failures_sentence(failures: FailureEffect | None) -> str:
    """Return how often cycles failed on both sides."""
    if failures is None:
        return "Logs alone do not tell of cycles that failed, so failures are not compared."
    return (
        f"Failed cycles: {failures.base_failed} of {failures.base_n}, then"
        f" {failures.candidate_failed} of {failures.candidate_n}"
        f" (p = {failures.p_adjusted:.2g})."
    )


def subject_sentence(comparison: Comparison) -> str:
    """Return what was compared with what."""
    kind = "no common kind of sleep" if comparison.kind is None else comparison.kind.value
    return (
        f"{kind}: {comparison.base.cycles} cycles of {comparison.base.path} (base) against"
        f" {comparison.candidate.cycles} of {comparison.candidate.path} (candidate)."
    )


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
    interval = MISSING
    if effect.low_ms is not None and effect.high_ms is not None:
        interval = f"{_signed(effect.low_ms)} to {_signed(effect.high_ms)}"
    return EffectRow(
        name=measure_words(effect.name) if is_measure(effect.name) else effect.name,
        values=f"{effect.base_n}, {effect.candidate_n}",
        base=_plain(base),
        candidate=_plain(effect.candidate_median_ms),
        shift=_signed(effect.shift_ms),
        interval=interval,
        share=f"{effect.shift_ms / base * 100:+.1f} %" if base > 0 else MISSING,
        p="<0.0001" if effect.p_adjusted < 0.0001 else f"{effect.p_adjusted:.4f}",
        detectable=MISSING if effect.detectable_ms is None else _plain(effect.detectable_ms),
        change=_CHANGE_WORDS[effect.change],
    )


def _plain(value_ms: float) -> str:
    return f"{value_ms:.0f}" if value_ms >= 1000 else f"{value_ms:.1f}"


def _signed(value_ms: float) -> str:
    return f"{value_ms:+.0f}" if abs(value_ms) >= 1000 else f"{value_ms:+.1f}"
