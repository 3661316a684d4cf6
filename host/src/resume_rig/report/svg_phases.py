"""Arithmetic of the phase bars: outside and inside of each cycle on one axis; templates draw it."""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.ruling import OTHER_KIND
from resume_rig.model.cycle import Outcome, ReconciledCycle
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.verdict import Verdict
from resume_rig.report.findings import cycle_ranges
from resume_rig.report.milestones import (
    NS_PER_MS,
    InsideMilestones,
    OutsideMilestones,
    inside_milestones,
    outside_milestones,
)
from resume_rig.report.svg_axis import Axis, Scale, time_axis
from resume_rig.report.wording import outcome_words, quantity_text, unjudged_word

PANEL_ROWS: Final = 20
"""Cycles in one drawing: what fits on a printed page."""

_LETTER: Final = 6.6
_LEAST_AXIS_MS: Final = 500.0
_TORN_FROM: Final = 2.5


@dataclass(frozen=True, slots=True)
class PhaseFrame:
    """Sizes of a drawing.

    Attributes:
        left, right: the ends of the axis.
        column: where the figures beside the plot begin.
        top: the first row's place; row, bar: heights.
        inside: how much lower the inside bar stands than the outside bar.
    """

    width: int = 1040
    left: int = 108
    right: int = 850
    column: int = 864
    top: int = 30
    row: int = 52
    bar: int = 15
    inside: int = 18


_FRAME: Final = PhaseFrame()
_OUTSIDE_STYLES: Final = (
    ("to-slp-s3", "SLP_S3#"),
    ("to-pwr-ok", "PWR_OK"),
    ("to-pltrst", "PLTRST#"),
    ("to-light", "light"),
)


@dataclass(frozen=True, slots=True)
class _Span:
    """One phase before it is drawn; `name` is its label, `text` its words."""

    from_ns: int
    to_ns: int
    style: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Segment:
    """One phase of a bar.

    Attributes:
        style: names its colour or hatch.
        label: stands in it; empty where it is too narrow for that.
        text: what it says in words.
    """

    x: float
    width: float
    style: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class CompleteMark:
    """Resume complete with the interval that it lies in."""

    at: float
    low: float
    high: float
    text: str


@dataclass(frozen=True, slots=True)
class PhaseRow:
    """One cycle.

    Attributes:
        y: top of its outside bar; the inside bar stands lower by the frame's `inside`.
        outside_note, inside_note: stand in the bar's place or after it where something is missing.
        torn: tops of the bars that run past the axis.
        light_text, complete_text: the figures in the column right of the plot.
    """

    y: float
    name: str
    verdict: str
    verdict_style: str
    outside: tuple[Segment, ...]
    inside: tuple[Segment, ...]
    outside_note: Segment | None
    inside_note: Segment | None
    light: float | None
    complete: CompleteMark | None
    limit: float | None
    torn: tuple[float, ...]
    light_text: str
    complete_text: str


@dataclass(frozen=True, slots=True)
class PhasePanel:
    """Up to PANEL_ROWS cycles; all panels of a report have the same axis."""

    rows: tuple[PhaseRow, ...]
    axis: Axis
    height: int
    summary: str
    frame: PhaseFrame = _FRAME


def phase_panels(cycles: Sequence[ReconciledCycle], limit_ms: int | None) -> tuple[PhasePanel, ...]:
    """Return the drawings of `cycles`, in their order and evenly filled; empty of none.

    One cycle that took ten times as long must not squeeze all others: the axis then ends before
    it, and its bars are torn.
    """
    reaches_ms = [_reach_ms(cycle, limit_ms) for cycle in cycles]
    axis = time_axis(0.0, _axis_end_ms(reaches_ms), _FRAME.left, _FRAME.right, most=14)
    count = math.ceil(len(cycles) / PANEL_ROWS)
    size = math.ceil(len(cycles) / count) if count else 1
    return tuple(
        _panel(cycles[first : first + size], limit_ms, axis)
        for first in range(0, len(cycles), size)
    )


def _panel(cycles: Sequence[ReconciledCycle], limit_ms: int | None, axis: Axis) -> PhasePanel:
    rows = tuple(_row(cycle, index, limit_ms, axis.scale) for index, cycle in enumerate(cycles))
    numbers = cycle_ranges([cycle.outside.number for cycle in cycles], most=PANEL_ROWS)
    height = _FRAME.top + _FRAME.row * len(rows) + 4
    return PhasePanel(rows, axis, height, f"Phases of the wake, cycles {numbers}.")


def _axis_end_ms(reaches_ms: Sequence[float]) -> float:
    if not reaches_ms:
        return _LEAST_AXIS_MS
    most, usual = max(reaches_ms), statistics.median_high(reaches_ms)
    kept = [reach for reach in reaches_ms if reach <= usual * _TORN_FROM]
    torn = usual > 0 and len(kept) < len(reaches_ms)
    # Past the longest whole bar a torn one still has to be seen to go on.
    return max((max(kept) * 1.1 if torn else most * 1.02), _LEAST_AXIS_MS)


def _reach_ms(cycle: ReconciledCycle, limit_ms: int | None) -> float:
    inside = inside_milestones(cycle, _own_limit(cycle, limit_ms))
    ends = [q.value_ns + q.expanded_ns for q in _in_order(outside_milestones(cycle.outside)) if q]
    if inside is not None:
        ends += [inside.complete.value_ns + inside.complete.expanded_ns]
        ends += [] if inside.limit_ns is None else [inside.limit_ns]
    return max(ends, default=0) / NS_PER_MS


def _own_limit(cycle: ReconciledCycle, limit_ms: int | None) -> int | None:
    """Return the limit; None for a cycle of a kind that it is not for."""
    return None if (cycle.why_not or "").startswith(OTHER_KIND) else limit_ms


def _in_order(points: OutsideMilestones) -> tuple[BoundedNs | None, ...]:
    return points.slp_s3, points.pwr_ok, points.pltrst, points.light


def _row(cycle: ReconciledCycle, index: int, limit_ms: int | None, scale: Scale) -> PhaseRow:
    points = outside_milestones(cycle.outside)
    inside = inside_milestones(cycle, _own_limit(cycle, limit_ms))
    outside_bar = tuple(_segment(span, scale) for span in _outside_spans(points))
    inside_bar: tuple[Segment, ...] = ()
    if inside is not None:
        inside_bar = tuple(_segment(span, scale) for span in _inside_spans(points, inside))
    after = outside_bar[-1].x + outside_bar[-1].width if outside_bar else scale.start
    y = float(_FRAME.top + 8 + index * _FRAME.row)
    light_ns = None if points.light is None else points.light.value_ns
    complete_ns = None if inside is None else inside.complete.value_ns
    return PhaseRow(
        y=y,
        name=f"cycle {cycle.outside.number}",
        verdict=unjudged_word(cycle) or cycle.verdict.value,
        verdict_style=verdict_style(cycle.verdict) if cycle.judged else "none",
        outside=outside_bar,
        inside=inside_bar,
        outside_note=_note(_outside_note(cycle), after),
        inside_note=None if inside is not None else _note(_inside_note(cycle, points), _FRAME.left),
        light=_mark(light_ns, scale),
        complete=None if inside is None else _complete_mark(inside.complete, scale),
        limit=None if inside is None else _mark(inside.limit_ns, scale),
        torn=tuple(
            top
            for top, end_ns in ((y, light_ns), (y + _FRAME.inside, complete_ns))
            if end_ns is not None and end_ns / NS_PER_MS > scale.high
        ),
        light_text="" if points.light is None else f"light {quantity_text(points.light)} ms",
        complete_text="" if inside is None else f"complete {quantity_text(inside.complete)} ms",
    )


def _mark(t_ns: int | None, scale: Scale) -> float | None:
    """Return the place of a mark; None where the axis does not reach it."""
    if t_ns is None or t_ns / NS_PER_MS > scale.high:
        return None
    return scale.at(t_ns / NS_PER_MS)


def _outside_spans(points: OutsideMilestones) -> Iterator[_Span]:
    named = zip(_OUTSIDE_STYLES, _in_order(points), strict=True)
    before, before_ns = "trigger", 0
    for (style, name), point in named:
        # A line that is not wired makes the next phase longer; a negative one cannot be drawn.
        if point is None or point.value_ns < before_ns:
            continue
        yield _Span(before_ns, point.value_ns, style, f"to {name}", f"{before} to {name}")
        before, before_ns = name, point.value_ns


def _inside_spans(points: OutsideMilestones, inside: InsideMilestones) -> Iterator[_Span]:
    zero_ns, complete_ns = inside.bios_from_ns, inside.complete.value_ns
    if points.pltrst is not None and points.pltrst.value_ns < zero_ns:
        text = "PLTRST# to the OS's time zero, which neither side sees"
        yield _Span(points.pltrst.value_ns, zero_ns, "unknown", "", text)
    yield _Span(zero_ns, inside.drivers_from_ns, "bios", "BIOS", "BIOS")
    yield _Span(inside.drivers_from_ns, complete_ns, "drivers", "drivers", "drivers")


def _segment(span: _Span, scale: Scale) -> Segment:
    left, right = scale.at(span.from_ns / NS_PER_MS), scale.at(span.to_ns / NS_PER_MS)
    took_ms = f"{(span.to_ns - span.from_ns) / NS_PER_MS:.0f}"
    width = round(right - left, 2)
    candidates = (f"{span.name} {took_ms}", took_ms) if span.name else ()
    label = next((one for one in candidates if len(one) * _LETTER + 8 <= width), "")
    return Segment(left, width, span.style, label, f"{span.text}: {took_ms} ms")


def _complete_mark(complete: BoundedNs, scale: Scale) -> CompleteMark | None:
    at = _mark(complete.value_ns, scale)
    if at is None:
        return None
    return CompleteMark(
        at=at,
        low=scale.at((complete.value_ns - complete.expanded_ns) / NS_PER_MS),
        high=scale.at((complete.value_ns + complete.expanded_ns) / NS_PER_MS),
        text=f"resume complete {quantity_text(complete)} ms after the trigger",
    )


def _note(text: str, x: float) -> Segment | None:
    if not text:
        return None
    return Segment(round(x + 6, 2), 0.0, "note", text, text)


def _outside_note(cycle: ReconciledCycle) -> str:
    outcome = cycle.outcome
    return "" if outcome is Outcome.SLEPT_AND_WOKE else outcome_words(outcome)


def _inside_note(cycle: ReconciledCycle, points: OutsideMilestones) -> str:
    if cycle.record is None:
        return "no OS record"
    if cycle.record.resume_ms is None:
        return "OS record without a measurement"
    if cycle.outside.trigger_ns is None:
        return f"OS reports {cycle.record.resume_ms} ms; not placed, as no trigger started the wake"
    if points.pltrst is None:
        return f"OS reports {cycle.record.resume_ms} ms; not placed, PLTRST# was not seen"
    return f"OS reports {cycle.record.resume_ms} ms; not placed"


def verdict_style(verdict: Verdict) -> str:
    """Return the name that style sheets know a verdict by."""
    return verdict.value.lower()
