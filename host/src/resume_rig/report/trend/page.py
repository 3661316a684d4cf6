"""What the page of a lab shows, worked out; the template only places it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from resume_rig.analysis.verdict.measures import measure_words
from resume_rig.model.result.fleet import (
    Trend,
    TrendBy,
    TrendCell,
    TrendGroup,
    TrendPoint,
    TrendUnit,
)
from resume_rig.model.result.verdict import Verdict
from resume_rig.model.units import (
    capitalised,
    count_of,
)
from resume_rig.report.drawing.axis import Scale, Tick, time_axis
from resume_rig.report.parts.page import Badge, Pair, badge
from resume_rig.report.trend.terminal import (
    change_sentences,
    failed_text,
    figure_of,
    figure_text,
    group_title,
    label_of,
    point_date,
    point_noun,
    reading_sentences,
)

UNITS_MOST: Final = 200
"""Units of a product that have a row, the worst first; all are in the figures."""

POINTS_MOST: Final = 26
"""Newest builds that have a column: half a year of weeks."""

_LEFT: Final = 70
_RIGHT: Final = 1180
_TOP: Final = 26
_BOTTOM: Final = 200


@dataclass(frozen=True, slots=True)
class Mark:
    """One point in the drawing; places on it. `low` and `high` are the ends of its interval."""

    x: float
    y: float
    low: float | None
    high: float | None
    worse: bool
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """One measure over the points of a product."""

    title: str
    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]
    unit: str
    path: str
    left: int = _LEFT
    right: int = _RIGHT
    bottom: int = _BOTTOM


@dataclass(frozen=True, slots=True)
class Cell:
    """One unit at one point; `links` are addresses of reports, already quoted. None: no cycle."""

    badge: Badge
    text: str
    links: tuple[str, ...]
    hint: str


@dataclass(frozen=True, slots=True)
class UnitRow:
    """One unit."""

    name: str
    badge: Badge
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class PointHead:
    """One column."""

    label: str
    since: str
    badge: Badge
    worse: bool
    units: int
    cycles: int
    failed: str
    figures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GroupPart:
    """One product in a sleep state."""

    anchor: str
    title: str
    badge: Badge
    answer: str
    sentences: tuple[str, ...]
    drawings: tuple[Drawing, ...]
    measures: tuple[str, ...]
    heads: tuple[PointHead, ...]
    earlier: int
    rows: tuple[UnitRow, ...]
    more: int


@dataclass(frozen=True, slots=True)
class TrendPage:
    """Everything that the template of a lab's page asks for."""

    generated: str
    badge: Badge
    why: str
    subject: str
    what: str
    groups: tuple[GroupPart, ...]
    reading: tuple[str, ...]
    left_out: tuple[str, ...]
    requirement: tuple[Pair, ...]


def trend_page(
    trend: Trend, generated: str, place: Path | None, reports: str | None = None
) -> TrendPage:
    """Return the page of `trend`.

    Args:
        trend: what it shows.
        generated: when, as it is to be printed.
        place: of the page, from which its links lead; None: links are absolute.
        reports: address that reports are below, by the names of their files.
    """
    units = {(group_title(group), unit.name) for group in trend.groups for unit in group.units}
    cycles = sum(point.cycles for group in trend.groups for point in group.points)
    what = point_noun(trend.by)
    points = sum(len(group.points) for group in trend.groups)
    return TrendPage(
        generated=generated,
        badge=badge(trend.verdict),
        why=f"{capitalised(trend.why)}.",
        subject=f"{count_of(len(trend.groups), 'product')}, {count_of(points, what)}, "
        f"{count_of(len(units), 'unit')}, {count_of(cycles, 'cycle')}",
        what=what,
        groups=tuple(
            _part(number, trend, group, place, reports)
            for number, group in enumerate(trend.groups, 1)
        ),
        reading=reading_sentences(trend),
        left_out=trend.left_out,
        requirement=(
            Pair("judged against", trend.requirement),
            Pair("measures", ", ".join(measure_words(name) for name in trend.measures)),
        ),
    )


def _part(
    number: int, trend: Trend, group: TrendGroup, place: Path | None, reports: str | None
) -> GroupPart:
    points = group.points[-POINTS_MOST:]
    shown = [
        measure
        for measure in trend.measures
        if any(figure.measure == measure for point in points for figure in point.figures)
    ]
    worse = {change.label for change in group.changes if change.worse}
    first = group.first_worse
    what = point_noun(trend.by)
    drawings = (_drawing(measure, points, group, trend.by) for measure in shown[:2])
    return GroupPart(
        anchor=f"product-{number}",
        title=group_title(group),
        badge=badge(group.verdict),
        answer=f"No {what} is worse than those before it."
        if first is None
        else f"First worse {what}: {label_of(first.label, trend.by)}.",
        sentences=change_sentences(group, trend.by),
        drawings=tuple(drawing for drawing in drawings if drawing is not None),
        measures=tuple(measure_words(measure) for measure in shown),
        heads=tuple(_head(point, shown, trend.by, worse=point.label in worse) for point in points),
        earlier=len(group.points) - len(points),
        rows=tuple(_row(unit, points, place, reports) for unit in group.units[:UNITS_MOST]),
        more=max(0, len(group.units) - UNITS_MOST),
    )


def _head(point: TrendPoint, measures: Sequence[str], by: TrendBy, *, worse: bool) -> PointHead:
    return PointHead(
        label=label_of(point.label, by),
        since=point_date(point),
        badge=badge(point.verdict),
        worse=worse,
        units=point.units,
        cycles=point.cycles,
        failed=failed_text(point),
        figures=tuple(figure_text(figure_of(point, measure)) for measure in measures),
    )


def _row(
    unit: TrendUnit, points: Sequence[TrendPoint], place: Path | None, reports: str | None
) -> UnitRow:
    cells = tuple(
        None if point.label not in unit.cells else _cell(unit.cells[point.label], place, reports)
        for point in points
    )
    return UnitRow(unit.name, badge(unit.verdict), cells)


def _cell(cell: TrendCell, place: Path | None, reports: str | None) -> Cell:
    failed = f"{cell.failed} of {cell.judged} failed"
    median = "" if cell.median_ms is None else f"{cell.median_ms:.0f} ms"
    return Cell(
        badge=badge(cell.verdict),
        text=failed if cell.verdict is Verdict.FAIL or not median else median,
        links=tuple(link_of(report, place, reports) for report in cell.reports),
        hint=f"{count_of(cell.campaigns, 'campaign')}, {failed}{median and f', median {median}'}",
    )


def link_of(report: str, place: Path | None, reports: str | None = None) -> str:
    """Return the address of a report, quoted so that a path can name no scheme and no script."""
    path = Path(report)
    if reports is not None:
        return f"{reports.rstrip('/')}/{quote(path.name, safe='')}"
    if place is None:
        return f"file://{quote(report)}"
    try:
        relative = os.path.relpath(path, place.absolute().parent)
    except ValueError:  # on another drive
        return f"file:///{quote(path.as_posix())}"
    # A first part with a colon would be read as a scheme: quote spells it out.
    return quote(Path(relative).as_posix())


def _drawing(
    measure: str, points: Sequence[TrendPoint], group: TrendGroup, by: TrendBy
) -> Drawing | None:
    found = [
        (at, figure) for at, point in enumerate(points) if (figure := figure_of(point, measure))
    ]
    if not found:
        return None
    lows = [figure.value_ms if figure.low_ms is None else figure.low_ms for _, figure in found]
    highs = [figure.value_ms if figure.high_ms is None else figure.high_ms for _, figure in found]
    room = max(1.0, (max(highs) - min(lows)) * 0.1)
    axis = time_axis(max(0.0, min(lows) - room), max(highs) + room, _BOTTOM, _TOP, most=6)
    across = Scale(-0.5, max(len(points) - 0.5, 0.5), _LEFT, _RIGHT)
    worse = {each.label for each in group.changes if each.worse and each.measure == measure}
    every = max(1, len(points) // 12)
    marks = tuple(
        Mark(
            x=across.at(at),
            y=axis.scale.at(figure.value_ms),
            low=None if figure.low_ms is None else axis.scale.at(figure.low_ms),
            high=None if figure.high_ms is None else axis.scale.at(figure.high_ms),
            worse=points[at].label in worse,
            label=_short(label_of(points[at].label, by)) if at % every == 0 else "",
            text=f"{label_of(points[at].label, by)}: {figure_text(figure)} ms, "
            f"{count_of(figure.n, figure.repeats.value.removesuffix('s'))}, "
            f"p95 {figure.p95_ms:.0f} ms, longest {figure.max_ms:.0f} ms",
        )
        for at, figure in found
    )
    path = "M" + "L".join(f"{mark.x} {mark.y}" for mark in marks)
    return Drawing(capitalised(measure_words(measure)), marks, axis.ticks, axis.unit, path)


def _short(text: str, most: int = 12) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
