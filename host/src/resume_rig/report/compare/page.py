"""What the page of a comparison shows, worked out; the template only places it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from resume_rig.analysis.answer.comparison import comparison_headline
from resume_rig.analysis.compare.comparison import ONE_SESSION_A_SIDE
from resume_rig.analysis.verdict.measures import measure_words
from resume_rig.model.result.comparison import (
    Answer,
    Change,
    Comparison,
    Effect,
    OverLimit,
    SampleFacts,
)
from resume_rig.model.result.verdict import Comparison as LimitSide
from resume_rig.model.units import (
    NS_PER_MS,
    capitalised,
    count_of,
)
from resume_rig.report.compare.terminal import (
    EffectRow,
    causes_sentence,
    components_sentence,
    counted_sentences,
    effect_rows,
    no_difference_sentence,
    subject_sentence,
)
from resume_rig.report.drawing.axis import Axis, time_axis
from resume_rig.report.drawing.marks import Strips, StripSource, margin_of, time_strips
from resume_rig.report.parts.page import Badge, Pair, Tile, TrustBadge, identity_pairs

_BADGES: Final = {
    Answer.REGRESSION: Badge("REGRESSION", "fail"),
    Answer.REQUIREMENT_FAILED: Badge("REQUIREMENT FAILED", "fail"),
    Answer.SESSIONS_DIFFER: Badge("SESSIONS DIFFER", "marginal"),
    Answer.NO_REGRESSION: Badge("NO REGRESSION", "pass"),
    Answer.NO_EVIDENCE: Badge("NO EVIDENCE", "none"),
}
_TILES_MOST: Final = 3
_SESSIONS_MOST: Final = 20
_RIGHT: Final = 940
_ROW: Final = 24
_TOP: Final = 20
_ROWS_MOST: Final = 6
_ROOM: Final = 0.03
_TICKS_MOST: Final = 10


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
    left: int
    right: int = _RIGHT
    top: int = _TOP


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """Everything that the template of a comparison's page asks for."""

    generated: str
    badge: Badge
    why: str
    small: tuple[str, ...]
    subject: str
    trust: tuple[TrustBadge, ...]
    tiles: tuple[Tile, ...]
    strips: Strips | None
    warnings: tuple[str, ...]
    differences: tuple[tuple[str, str, str], ...]
    no_difference: str
    forest: Forest | None
    effects: tuple[EffectRow, ...]
    counted: tuple[str, ...]
    components_note: str
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
        why=comparison_headline(comparison),
        small=_small(comparison),
        subject=subject_sentence(comparison),
        trust=_trust(comparison),
        tiles=tuple(_tiles(comparison)),
        strips=_strips(comparison),
        warnings=comparison.warnings,
        differences=tuple(
            (name.replace("_", " "), ours, theirs) for name, ours, theirs in comparison.differences
        ),
        no_difference=no_difference_sentence(comparison),
        forest=_forest(comparison.effects),
        effects=effect_rows(comparison.effects),
        counted=counted_sentences(comparison),
        components_note=" ".join(
            filter(None, (components_sentence(comparison), causes_sentence(comparison)))
        ),
        components=effect_rows(comparison.components),
        base=identity_pairs(comparison.base.identity.items()),
        candidate=identity_pairs(comparison.candidate.identity.items()),
        alpha=f"{comparison.alpha * 100:g} %",
    )


def _small(comparison: Comparison) -> tuple[str, ...]:
    """Return what stands below the headline; the shifts beside it say by how much."""
    match comparison.answer:
        case Answer.REGRESSION:
            return ()
        case Answer.SESSIONS_DIFFER:
            return (ONE_SESSION_A_SIDE,)
        case _:
            return (comparison.why,)


def _trust(comparison: Comparison) -> tuple[TrustBadge, ...]:
    if not comparison.warnings:
        return ()
    words = count_of(len(comparison.warnings), "reason")
    return (TrustBadge(f"{words} why the two may not be comparable", "#warnings"),)


def _tiles(comparison: Comparison) -> Iterator[Tile]:
    """Yield the shifts of the headline times, and the failures of both sides."""
    effects = [effect for effect in comparison.effects if effect.headline][:_TILES_MOST]
    for effect, row in zip(effects, effect_rows(effects), strict=True):
        detail = f"{effect.base_median_ms:.0f} to {effect.candidate_median_ms:.0f} ms"
        detail += f"; 95 % interval {row.interval} ms" if effect.low_ms is not None else ""
        yield Tile(f"Shift of {row.name}", f"{row.shift} ms", detail)
    found = comparison.failures
    if found is not None:
        base = f"{found.base_failed} of {found.base_n}"
        value = f"{base} · {found.candidate_failed} of {found.candidate_n}"
        yield Tile("Failed cycles", value, "base · candidate")


def _strips(comparison: Comparison) -> Strips | None:
    """Draw every cycle of both sides, by the first headline time that both have."""
    sides = (("base", comparison.base), ("candidate", comparison.candidate))
    names = [_names_of(side) for _, side in sides]
    name = next((each for each in names[0] if each in names[1]), None)
    if name is None:
        return None
    words = measure_words(name)
    sources = [
        StripSource(
            name=f"{side}: {session.path}" if len(facts.sessions) > 1 else side,
            places=session.times_ms.get(name, ()),
            median=median(session.times_ms[name]) if session.times_ms.get(name) else None,
            broken=session.broken,
            text=f"{side}, {session.path}: {count_of(session.cycles, 'cycle')}",
        )
        for side, facts in sides
        for session in facts.sessions[:_SESSIONS_MOST]
    ]
    summary = f"{capitalised(words)} of every cycle, the first on top; the line is the"
    summary += " median. ✕ counts cycles that failed."
    limit_ms = next(
        (each.limit.value / NS_PER_MS for each in comparison.over if _is_on(each, name)), None
    )
    return time_strips(sources, limit_ms, summary)


def _is_on(over: OverLimit, name: str) -> bool:
    limit = over.limit
    is_upper = limit.comparison is LimitSide.AT_MOST and limit.share is None
    return limit.measure == name and limit.required and is_upper


def _names_of(facts: SampleFacts) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in facts.sessions for name in each.times_ms))


def _forest(effects: Sequence[Effect]) -> Forest | None:
    bounded = [
        (effect, row, effect.low_ms, effect.high_ms)
        for effect, row in zip(effects, effect_rows(effects), strict=True)
        if effect.low_ms is not None and effect.high_ms is not None and effect.base_median_ms > 0
    ]
    if not bounded:
        return None
    # What matters is in sight with the answer; the table has all.
    weighed = sorted(bounded, key=lambda one: _matters(one[0]), reverse=True)[:_ROWS_MOST]
    drawn = [one for one in bounded if one in weighed]
    ends = [
        end / effect.base_median_ms * 100
        for effect, _, low, high in drawn
        for end in (low or 0.0, high or 0.0)
    ]
    # 0 is in sight, with room for the marks at both ends.
    least, most = min(*ends, -1.0), max(*ends, 1.0)
    room = (most - least) * _ROOM
    least, span = least - room, most - least + 2 * room
    left = margin_of(row.name for _, row, _, _ in drawn)
    axis: Axis = time_axis(0.0, span, left, _RIGHT, most=9)

    def at(share: float) -> float:
        return axis.scale.at(share - least)

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
    step = _round_step(span)
    first, last = math.ceil(least / step), math.floor((least + span) / step)
    shares = (i * step for i in range(first, last + 1))
    ticks = tuple((at(share), f"{share:+g} %" if share else "0 %") for share in shares)
    summary = f"Shifts of {count_of(len(drawn), 'time')} from base to candidate, with their 95 %"
    summary += " intervals."
    if more := len(bounded) - len(drawn):
        summary += f" The table has {more} more."
    return Forest(whiskers, ticks, at(0.0), _TOP + len(drawn) * _ROW + 10, summary, left)


def _matters(effect: Effect) -> tuple[bool, bool, float]:
    """Return by what a shift comes before another: named, asked for, greater."""
    named = effect.change in (Change.SLOWER, Change.SLIGHTLY_SLOWER, Change.FASTER)
    return named, effect.headline, abs(effect.shift_ms / effect.base_median_ms)


def _round_step(span: float) -> float:
    steps = (0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000)
    return next((step for step in steps if span / step <= _TICKS_MOST), steps[-1])
