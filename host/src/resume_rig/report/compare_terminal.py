"""The table of `compare` for a terminal."""

from collections.abc import Iterator, Sequence

from resume_rig.model.comparison import Answer, Comparison, Effect
from resume_rig.report.compare_text import (
    components_sentence,
    counted_sentences,
    effect_rows,
    subject_sentence,
)
from resume_rig.report.terminal_style import (
    Column,
    TerminalStyle,
    fitting_columns,
    table_lines,
)

_COMPONENTS = 10
_DIFFERENCES = 20
_DETECTABLE = "detectable"
_COLOURS = {
    Answer.REGRESSION: "\x1b[1;31m",
    Answer.REQUIREMENT_FAILED: "\x1b[1;31m",
    Answer.SESSIONS_DIFFER: "\x1b[1;33m",
    Answer.NO_REGRESSION: "\x1b[1;32m",
    Answer.NO_EVIDENCE: "\x1b[1;35m",
}


def comparison_table(
    comparison: Comparison, *, colour: bool = False, unicode: bool = True, width: int = 120
) -> Iterator[str]:
    """Yield the whole answer of `compare` in pieces to be written as they are.

    Args:
        comparison: what to show.
        colour: the answer may be coloured.
        unicode: more than ASCII may be written.
        width: of the terminal, in cells; columns give way where it is short.
    """
    style = TerminalStyle(colour, unicode, width)
    yield style.paragraph(subject_sentence(comparison))
    for warning in comparison.warnings:
        yield style.paragraph(f"Warning: {warning}")
    yield from _differences(comparison, style)
    if comparison.effects:
        yield "\n"
        columns = _columns(comparison.effects, style)
        yield style.paragraph(_legend([column.title for column in columns]))
        yield from _table(columns, style)
        yield "\n"
        for sentence in counted_sentences(comparison):
            yield style.paragraph(sentence)
    told = components_sentence(comparison)
    if told:
        yield style.paragraph(told)
    if comparison.components:
        yield from _table(_columns(comparison.components[:_COMPONENTS], style), style)
        if len(comparison.components) > _COMPONENTS:
            more = len(comparison.components) - _COMPONENTS
            yield style.paragraph(f"... and {more} more; --json and --html have them.")
    plain = style.paragraph(f"{comparison.answer.value}: {comparison.why}")
    word = comparison.answer.value
    front = f"{_COLOURS[comparison.answer]}{word}\x1b[0m" if colour else word
    yield front + plain.removeprefix(word)


def _differences(comparison: Comparison, style: TerminalStyle) -> Iterator[str]:
    shown = comparison.differences[:_DIFFERENCES]
    if not shown:
        yield "DUT identity and test conditions match.\n"
        return
    yield "What differs:\n"
    for name, ours, theirs in shown:
        yield style.paragraph(f"{name.replace('_', ' ')}: {ours} -> {theirs}", indent=2)
    if len(comparison.differences) > len(shown):
        more = len(comparison.differences) - len(shown)
        yield style.paragraph(f"... and {more} more; --json has them.", indent=2)


def _legend(titles: Sequence[str]) -> str:
    """Say what the columns are that the terminal has room for."""
    parts = ["Times in ms; shift = candidate minus base with its 95 % interval; p over all times"]
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
        Column("share", [row.share for row in rows]),
        Column("p", [row.p for row in rows], drop=3),
        Column(_DETECTABLE, [row.detectable for row in rows], drop=5),
        Column("", [row.change for row in rows], right=False),
    ]
    return fitting_columns(columns, style.width)


def _table(columns: Sequence[Column], style: TerminalStyle) -> Iterator[str]:
    for index, line in enumerate(table_lines(columns)):
        yield f"{line}\n"
        if index == 0:
            yield style.rule(len(line) + 24)
