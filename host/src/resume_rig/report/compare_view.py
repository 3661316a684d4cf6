"""What the page of a comparison shows, worked out; the template only places it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.model.comparison import Answer, Comparison, Effect
from resume_rig.report.compare_text import (
    EffectRow,
    components_sentence,
    counted_sentences,
    effect_rows,
    subject_sentence,
)
from resume_rig.report.page_parts import Badge, Pair
from resume_rig.report.svg_axis import Axis, time_axis

_BADGES: Final = {
    Answer.REGRESSION: Badge("REGRESSION", "fail"),
    Answer.REQUIREMENT_FAILED: Badge("REQUIREMENT FAILED", "fail"),
    Answer.SESSIONS_DIFFER: Badge("SESSIONS DIFFER", "marginal"),
    Answer.NO_REGRESSION: Badge("NO REGRESSION", "pass"),
    Answer.NO_EVIDENCE: Badge("NO EVIDENCE", "none"),
}
_LEFT: Final = 240
_RIGHT: Final = 940
_ROW: Final = 24
_TOP: Final = 40


@dataclass(frozen=True, slots=True)
class Whisker:
    """One shift with its interval, in % of the base's median; places on the drawing."""

    name: str
    y: int
    at: float
    low: float
    high: float
    text: str


@dataclass(frozen=True, slots=True)
class Forest:
    """The drawing of all shifts that have an interval; 0 stands at `zero`."""

    whiskers: tuple[Whisker, ...]
    ticks: tuple[tuple[float, str], ...]
    zero: float
    height: int
    summary: str
    left: int = _LEFT
    right: int = _RIGHT
    top: int = _TOP


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """Everything that the template of a comparison's page asks for."""

    generated: str
    badge: Badge
    why: str
    subject: str
    warnings: tuple[str, ...]
    differences: tuple[tuple[str, str, str], ...]
    forest: Forest | None
    effects: tuple[EffectRow, ...]
    counted: tuple[str, ...]
    components_told: str
    components: tuple[EffectRow, ...]
    base: tuple[Pair, ...]
    candidate: tuple[Pair, ...]
    alpha: str


def answer_badge(answer: Answer) -> Badge:
    """Return the badge of an answer."""
    return _BADGES[answer]


def comparison_page(comparison: Comparison, generated: str) -> ComparisonPage:
    """Return the page of `comparison`."""
    return ComparisonPage(
        generated=generated,
        badge=answer_badge(comparison.answer),
        why=comparison.why,
        subject=subject_sentence(comparison),
        warnings=comparison.warnings,
        differences=tuple(
            (name.replace("_", " "), ours, theirs) for name, ours, theirs in comparison.differences
        ),
        forest=_forest(comparison.effects),
        effects=effect_rows(comparison.effects),
        counted=counted_sentences(comparison),
        components_told=components_sentence(comparison),
        components=effect_rows(comparison.components),
        base=tuple(Pair(k.replace("_", " "), v) for k, v in comparison.base.identity.items()),
        candidate=tuple(
            Pair(k.replace("_", " "), v) for k, v in comparison.candidate.identity.items()
        ),
        alpha=f"{comparison.alpha * 100:g} %",
    )


def _forest(effects: Sequence[Effect]) -> Forest | None:
    drawn = [
        (effect, row, effect.low_ms, effect.high_ms)
        for effect, row in zip(effects, effect_rows(effects), strict=True)
        if effect.low_ms is not None and effect.high_ms is not None and effect.base_median_ms > 0
    ]
    if not drawn:
        return None
    ends = [
        end / effect.base_median_ms * 100
        for effect, _, low, high in drawn
        for end in (low or 0.0, high or 0.0)
    ]
    reach = max(1.0, max(abs(end) for end in ends) * 1.05)
    axis: Axis = time_axis(0.0, 2 * reach, _LEFT, _RIGHT, most=9)

    def at(share: float) -> float:
        return axis.scale.at(share + reach)

    whiskers = tuple(
        Whisker(
            name=row.name,
            y=_TOP + index * _ROW,
            at=at(effect.shift_ms / effect.base_median_ms * 100),
            low=at((low or 0.0) / effect.base_median_ms * 100),
            high=at((high or 0.0) / effect.base_median_ms * 100),
            text=f"{row.name}: {row.shift} ms, {row.interval} ms",
        )
        for index, (effect, row, low, high) in enumerate(drawn)
    )
    step = _round_step(reach)
    count = int(reach / step)
    ticks = tuple((at(i * step), f"{i * step:+g} %") for i in range(-count, count + 1))
    summary = f"Shifts of {len(drawn)} times from base to candidate, with their 95 % intervals."
    return Forest(whiskers, ticks, at(0.0), _TOP + len(drawn) * _ROW + 10, summary)


def _round_step(reach: float) -> float:
    steps = (0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000)
    return next((step for step in steps if reach / step <= 5), steps[-1])
