"""A trend in words and cells for terminal and page, and its tables for a terminal."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from resume_rig.analysis.verdict.measures import measure_words
from resume_rig.model.os_record import state_words
from resume_rig.model.result.fleet import (
    Carrier,
    Repeats,
    Trait,
    Trend,
    TrendBy,
    TrendChange,
    TrendFigure,
    TrendGroup,
    TrendPoint,
)
from resume_rig.model.units import (
    capitalised,
    count_of,
    percent_up,
)
from resume_rig.report.parts.answer import band_lines
from resume_rig.report.text.terminal_style import Column, TerminalStyle
from resume_rig.report.text.wording import (
    MISSING,
    utc_text,
)

ROWS_MOST: Final = 40
_LABEL_CELLS: Final = 28
_NAME_CELLS: Final = 40


def group_title(group: TrendGroup) -> str:
    """Return which product in which sleep state."""
    product, state = (group.traits[trait] for trait in (Trait.PRODUCT, Trait.STATE))
    return f"{product or 'no product named'}, {state_words(state) or 'no state named'}"


def label_of(label: str, by: TrendBy) -> str:
    """Return the name of a point."""
    return label or ("no BIOS version named" if by is TrendBy.BIOS else MISSING)


def point_noun(by: TrendBy) -> str:
    """Return what a point of a trend is."""
    return "build" if by is TrendBy.BIOS else "week"


def figure_of(point: TrendPoint, measure: str) -> TrendFigure | None:
    """Return a point's figure of a measure; None without one."""
    return next((each for each in point.figures if each.measure == measure), None)


def point_date(point: TrendPoint) -> str:
    """Return the day of a point's first campaign."""
    return utc_text(point.first_utc_ns, 10)


def failed_text(point: TrendPoint) -> str:
    """Return failed of judged cycles, and the bound on the rate."""
    rate = point.failures
    if rate is None:
        return MISSING
    return f"{rate.failures} of {rate.n}, ≤ {percent_up(rate.upper)}"


def figure_text(figure: TrendFigure | None) -> str:
    """Return a figure with its 95 % interval, in ms."""
    if figure is None:
        return MISSING
    if figure.low_ms is None or figure.high_ms is None:
        return f"{figure.value_ms:.0f}"
    half = max(figure.high_ms - figure.value_ms, figure.value_ms - figure.low_ms)
    digits = 0 if half >= 1 else 1
    return f"{figure.value_ms:.{digits}f} ± {half:.{digits}f}"


def change_sentences(group: TrendGroup, by: TrendBy) -> tuple[str, ...]:
    """Return what changed, where, by how much, and what carries it; and what was not tested."""
    found: list[str] = []
    for _, changes in groupby(group.changes, key=lambda change: change.label):
        together = list(changes)
        found += [_change(change, by) for change in together]
        # Measures that change together are carried by the same units: the first names them.
        found += _carried(together[0])
        drivers = next((change.drivers for change in together if change.drivers), ())
        if drivers:
            found.append(f"Components that changed most{_carriers(drivers, failures=False)}.")
    if not group.changes and group.tested:
        found.append(
            f"No change between {point_noun(by)}s, in {count_of(group.tested, 'comparison')}."
        )
    return (*found, *(f"{capitalised(sentence)}." for sentence in group.untested))


def _change(change: TrendChange, by: TrendBy) -> str:
    label, since = (label_of(each, by) for each in (change.label, change.since))
    word = "Worse" if change.worse else "Better"
    if change.measure is None:
        return (
            f"{word} from {label} on: {change.after * 100:.2g} % of judged cycles fail, "
            f"{change.before * 100:.2g} % since {since} (p = {change.p:.2g})."
        )
    away = change.after - change.before
    interval = (
        ""
        if change.low is None or change.high is None
        else f", 95 % interval {change.low:+.0f} to {change.high:+.0f} ms"
    )
    how = "of the same units" if change.paired else "of other units"
    return (
        f"{word} from {label} on: {measure_words(change.measure)} {change.after:.0f} ms, "
        f"{change.before:.0f} ms since {since} ({away:+.0f} ms{interval}, {how}, "
        f"p = {change.p:.2g})."
    )


def _carried(change: TrendChange) -> Iterator[str]:
    named = _carriers(change.units, failures=change.measure is None)
    yield f"It shows in {change.moved} of {count_of(change.of, 'unit')}{named}."


def _carriers(carriers: Sequence[Carrier], *, failures: bool) -> str:
    named = [
        f"{each.name} ({each.before * 100:.2g} to {each.after * 100:.2g} %)"
        if failures
        else f"{each.name} ({each.before:.0f} to {each.after:.0f} ms)"
        for each in carriers
    ]
    return f": {', '.join(named)}" if named else ""


def reading_sentences(trend: Trend) -> tuple[str, ...]:
    """Return what the figures mean."""
    rests = {figure.repeats for g in trend.groups for p in g.points for figure in p.figures}
    alone = (
        "A figure of one campaign alone has the interval of its own cycles; other units may differ."
        if Repeats.CYCLES in rests
        else ""
    )
    return tuple(
        sentence
        for sentence in (
            "Times in ms: the mean of the units' medians ± its 95 % interval over units, or over "
            "campaigns where one unit was measured.",
            alone,
            f"A {point_noun(trend.by)} is compared with all since the last change; one false "
            "change in 100 such trends.",
        )
        if sentence
    )


def trend_tables(trend: Trend, style: TerminalStyle, *, show_all: bool) -> Iterator[str]:
    """Yield the whole answer of `trend`, with `show_all` every point of a long group."""
    yield from band_lines(trend.band, style)
    yield style.verdict_line(trend.verdict, trend.why)
    yield style.paragraph(f"Judged against {trend.requirement}.")
    yield from map(style.paragraph, reading_sentences(trend))
    for group in trend.groups:
        yield "\n"
        yield from _group(trend, group, style, show_all=show_all)
    if trend.left_out:
        yield "\n"
    for sentence in trend.left_out:
        yield style.paragraph(f"Left out: {sentence}.")


def _group(
    trend: Trend, group: TrendGroup, style: TerminalStyle, *, show_all: bool
) -> Iterator[str]:
    yield style.paragraph(f"{group_title(group)}: {group.verdict.value}")
    points = group.points if show_all else group.points[-ROWS_MOST:]
    if len(points) < len(group.points):
        left = len(group.points) - len(points)
        yield style.paragraph(f"... {left} earlier ones are left out; --all shows them.")
    worse = {change.label for change in group.changes if change.worse}
    columns = [
        Column(
            point_noun(trend.by),
            [style.cell(label_of(point.label, trend.by), _LABEL_CELLS) for point in points],
            right=False,
        ),
        Column("since (UTC)", [point_date(point) for point in points], right=False, drop=9),
        Column("units", [str(point.units) for point in points], drop=7),
        Column("cycles", [str(point.cycles) for point in points], drop=8),
        Column("failed", [failed_text(point) for point in points]),
    ]
    for place, measure in enumerate(trend.measures):
        cells = [style.shown(figure_text(figure_of(point, measure))) for point in points]
        if any(cell != MISSING for cell in cells):
            columns.append(
                Column(style.cell(measure_words(measure), _NAME_CELLS), cells, drop=place)
            )
    columns.append(Column("", ["worse" if p.label in worse else "" for p in points], right=False))
    yield from style.verdict_table(columns, [point.verdict for point in points])
    for sentence in change_sentences(group, trend.by):
        yield style.paragraph(sentence, indent=2)
