"""A comparison in words and cells for terminal and page, and its table for a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.answer.comparison import comparison_headline
from resume_rig.analysis.compare.comparable import names_its_dut
from resume_rig.analysis.verdict.limits import limit_text
from resume_rig.analysis.verdict.measures import is_measure, measure_words
from resume_rig.model.os_record import kind_words
from resume_rig.model.result.comparison import (
    Answer,
    Change,
    Comparison,
    Effect,
    FailureEffect,
    Unit,
)
from resume_rig.model.units import percent_up
from resume_rig.report.parts.answer import band_lines
from resume_rig.report.text.terminal_style import Column, TerminalStyle, fitting_columns
from resume_rig.report.text.terminal_text import Colour
from resume_rig.report.text.wording import MISSING

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
    return f"Failed cycles: {_counts(failures)}."


def _counts(counts: FailureEffect) -> str:
    return (
        f"base {counts.base_failed} of {counts.base_n}, candidate {counts.candidate_failed} of"
        f" {counts.candidate_n} (p = {counts.p_adjusted:.2g})"
    )


def slow_sentences(comparison: Comparison) -> tuple[str, ...]:
    """Return how often each headline time was far above the middle, where it was."""
    return tuple(
        f"Slow cycles, {measure_words(each.name)} above {each.above_ms:.0f} ms:"
        f" {_counts(each.counts)}."
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
        f"base {_share(each.base_over, each.base_n, each.base_upper)}, candidate "
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
    kind = "no common kind of sleep" if comparison.kind is None else kind_words(comparison.kind)
    sentence = (
        f"{kind}: {comparison.base.cycles} cycles of {comparison.base.path} (base) against"
        f" {comparison.candidate.cycles} of {comparison.candidate.path} (candidate)."
    )
    if comparison.unit is Unit.SESSION:
        sentence += " Sessions are compared, by their medians."
    return sentence


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


def causes_sentence(comparison: Comparison) -> str:
    """Return which parts changed most the way the headline time did; empty where none did."""
    if not comparison.causes:
        return ""
    named = "; ".join(
        f"{each.name} {_ms(each.base_ms)} -> {_ms(each.candidate_ms)}"
        f" ({each.difference_ms:+.0f} ms{'' if each.shown else ', not tested or within chance'})"
        for each in comparison.causes
    )
    return f"What changed most: {named}."


def _ms(value: float | None) -> str:
    return "absent" if value is None else f"{value:.0f} ms"


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
    """Return how many decimals a shift of a time of this size needs."""
    return 0 if base_ms >= 1_000 else 1 if base_ms >= 100 else 2


def _signed(value: float, digits: int) -> str:
    """Return a number with its sign; what is 0 as shown has none."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


_COMPONENTS = 10
_DIFFERENCES = 20
_DETECTABLE = "detectable"
_CHANGE_CELLS = 24
"""Cells of the last column, whose title is empty."""

_COLOURS = {
    Answer.REGRESSION: Colour.RED,
    Answer.REQUIREMENT_FAILED: Colour.RED,
    Answer.SESSIONS_DIFFER: Colour.YELLOW,
    Answer.NO_REGRESSION: Colour.GREEN,
    Answer.NO_EVIDENCE: Colour.MAGENTA,
}


def comparison_table(comparison: Comparison, style: TerminalStyle) -> Iterator[str]:
    """Yield the whole answer of `compare` in pieces to be written as they are."""
    yield from band_lines(comparison.band, style)
    answer = comparison.answer
    yield style.headline(answer.value, _COLOURS[answer], comparison_headline(comparison))
    yield style.paragraph(comparison.why)
    yield style.paragraph(subject_sentence(comparison))
    for warning in comparison.warnings:
        yield style.paragraph(f"Warning: {warning}")
    yield from _differences(comparison, style)
    if comparison.effects:
        yield "\n"
        columns = _columns(comparison.effects, style)
        yield style.paragraph(_legend([column.title for column in columns]))
        yield from style.table(columns, rule=_CHANGE_CELLS)
        yield "\n"
        yield from map(style.paragraph, counted_sentences(comparison))
    of_components = components_sentence(comparison)
    for sentence in filter(None, (of_components, causes_sentence(comparison))):
        yield style.paragraph(sentence)
    if comparison.components:
        columns = _columns(comparison.components[:_COMPONENTS], style)
        yield from style.table(columns, rule=_CHANGE_CELLS)
        if len(comparison.components) > _COMPONENTS:
            more = len(comparison.components) - _COMPONENTS
            yield style.paragraph(f"... and {more} more; --json and --html have them.")


def no_difference_sentence(comparison: Comparison) -> str:
    """Return what it means that nothing differs: little, where nobody says which DUT it was."""
    if names_its_dut(comparison.base.identity):
        return "DUT identity and test conditions match."
    return "Nothing that is reported differs, but neither side says which DUT it is of."


def _differences(comparison: Comparison, style: TerminalStyle) -> Iterator[str]:
    shown = comparison.differences[:_DIFFERENCES]
    if not shown:
        yield f"{no_difference_sentence(comparison)}\n"
        return
    yield "What differs:\n"
    for name, ours, theirs in shown:
        yield style.paragraph(f"{name.replace('_', ' ')}: {ours} -> {theirs}", indent=2)
    if len(comparison.differences) > len(shown):
        more = len(comparison.differences) - len(shown)
        yield style.paragraph(f"... and {more} more; --json has them.", indent=2)


def _legend(titles: Sequence[str]) -> str:
    """Say what the columns are that the terminal has room for."""
    parts = [
        "Times in ms; values of base and candidate; shift = candidate minus base with its 95 % "
        "interval, also in % of the base; p adjusted for the number of times"
    ]
    if _DETECTABLE in titles:
        parts.append(f"{_DETECTABLE} = the smallest shift that is shown with 80 % probability")
    else:
        parts.append(f"{_DETECTABLE} shifts need a wider terminal, --html or --json")
    return f"{'; '.join(parts)}."


def _columns(effects: Sequence[Effect], style: TerminalStyle) -> Sequence[Column]:
    rows = effect_rows(effects)
    columns = [
        Column("time", [style.cell(row.name, 40) for row in rows], right=False),
        Column("values", [row.values for row in rows], drop=4),
        Column("base", [row.base for row in rows], drop=2),
        Column("candidate", [row.candidate for row in rows], drop=2),
        Column("shift", [row.shift for row in rows]),
        Column("95 % interval", [row.interval for row in rows], drop=1),
        Column("in %", [row.share for row in rows]),
        Column("p", [row.p for row in rows], drop=3),
        Column(_DETECTABLE, [row.detectable for row in rows], drop=5),
        Column("", [row.change for row in rows], right=False),
    ]
    return fitting_columns(columns, style.width)
