"""Where the time of a cycle goes: measured, OS-reported and reconciled on one axis, as a picture.

A template draws the cycles that are chosen beforehand. For any other one the page's script
(templates/report.js) draws the same from `cycle_column`: a change here is a change there.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from resume_rig.analysis.reconcile.milestones import (
    InsideMilestones,
    OutsideMilestones,
    inside_milestones,
    outside_milestones,
)
from resume_rig.analysis.verdict.ruling import is_uncovered
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Outcome, ReconciledCycle
from resume_rig.model.result.series import CycleTimes
from resume_rig.model.result.verdict import Verdict
from resume_rig.model.units import NS_PER_MS
from resume_rig.report.drawing.axis import (
    Axis,
    Scale,
    time_axis,
)
from resume_rig.report.text.wording import outcome_words, quantity_text, unjudged_word

_LETTER: Final = 6.6
_LEAST_AXIS_MS: Final = 500.0
_OWN_AXIS_FROM: Final = 2.5
_ROOM: Final = 1.02
_STEP_NS: Final = 10_000
"""Times go to the script in steps of 10 us, as they are shown."""


@dataclass(frozen=True, slots=True)
class PhaseFrame:
    """Sizes of a drawing.

    Attributes:
        left, right: the ends of the axis. column: where the figures right of the plot begin.
        wires, os, reconciled: tops of the bars; bar: their height.
        base: where the plot ends.
    """

    width: int = 1160
    height: int = 196
    left: int = 104
    right: int = 912
    column: int = 940
    top: int = 26
    wires: int = 38
    os: int = 84
    reconciled: int = 130
    bar: int = 26
    base: int = 182


_FRAME: Final = PhaseFrame()
_OUTSIDE: Final = (
    ("to-slp-s3", "SLP_S3#"),
    ("to-pwr-ok", "PWR_OK"),
    ("to-pltrst", "PLTRST#"),
    ("to-light", "display on"),
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
        label: stands in it around `label_at`; empty where it is too narrow for that.
        text: the phase in words.
    """

    x: float
    width: float
    style: str
    label: str
    label_at: float
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One account of the cycle.

    Attributes:
        y: its top. note: its figure, in the column right of the plot. missing: why there is no bar.
        torn: it runs past the axis.
    """

    name: str
    y: int
    segments: tuple[Segment, ...]
    note: str
    missing: str
    torn: bool


@dataclass(frozen=True, slots=True)
class CompleteMark:
    """Resume complete with the interval that it lies in."""

    at: float
    low: float
    high: float
    text: str


@dataclass(frozen=True, slots=True)
class PhasePanel:
    """One cycle.

    Attributes:
        key: by which it is chosen, unique in its picture. choice: what to choose it by, in words.
        bars: wires, OS, reconciled. axis: theirs.
        light, complete, limit: marks; None where there is none on the axis.
        hidden: of clock and wires, and its place; "" where they do not contradict the BIOS time.
    """

    key: str
    choice: str
    number: int
    verdict: str
    bars: tuple[Bar, ...]
    axis: Axis
    light: float | None
    light_text: str
    complete: CompleteMark | None
    limit: float | None
    hidden: str
    hidden_at: float
    summary: str


@dataclass(frozen=True, slots=True)
class PhasePicture:
    """The chosen cycles, one of them shown at a time; those of about one length share their axis.

    Attributes:
        unobserved_ms: expanded uncertainty of PLTRST# to the TSC's zero; None without one.
    """

    panels: tuple[PhasePanel, ...]
    limit_label: str
    resume_limit_ms: int | None
    unobserved_ms: float | None
    trigger: str
    frame: PhaseFrame = _FRAME

    @property
    def styles(self) -> frozenset[str]:
        """What is drawn in any of them."""
        bars = (bar for panel in self.panels for bar in panel.bars)
        return frozenset(segment.style for bar in bars for segment in bar.segments)


@dataclass(frozen=True, slots=True)
class PhaseLimits:
    """What a cycle is drawn against.

    Attributes:
        resume_ms: on total resume time; light_ms: on trigger to light. None: no such limit.
        reset_to_tsc: PLTRST# rising to the TSC's zero; None where it is not stated.
    """

    resume_ms: int | None
    light_ms: float | None = None
    reset_to_tsc: BoundedNs | None = None


def phase_picture(
    chosen: Sequence[tuple[str, str, ReconciledCycle]], trigger: str, limits: PhaseLimits
) -> PhasePicture | None:
    """Return the picture; None of no cycle.

    Args:
        chosen: key, words and cycle of each panel.
        trigger: what the axis begins with.
        limits: what they are drawn against.
    """
    if not chosen:
        return None
    reaches = [_reach_ms(cycle, limits) for _, _, cycle in chosen]
    label = ""
    if limits.resume_ms is not None:
        label = f"limit {limits.resume_ms} ms from TSC start"
    elif limits.light_ms is not None:
        label = f"limit {limits.light_ms:g} ms"
    panels = tuple(
        _panel(one, limits, trigger, time_axis(0.0, end_ms, _FRAME.left, _FRAME.right, most=8))
        for one, end_ms in zip(chosen, _axis_ends_ms(reaches), strict=True)
    )
    gap = limits.reset_to_tsc
    unobserved_ms = None if gap is None else _steps_up(gap.expanded_ns) / 100
    return PhasePicture(panels, label, limits.resume_ms, unobserved_ms, trigger)


def _axis_ends_ms(reaches_ms: Sequence[float]) -> Iterator[float]:
    """Yield where the axis of each cycle ends; the first is the usual one.

    A cycle that is much longer has an axis of its own: on one axis it would leave the usual one no
    room, and torn it would not show where its time went.
    """
    usual_ms = next((reach for reach in reaches_ms if reach > 0), 0.0)
    kept = [reach for reach in reaches_ms if reach <= usual_ms * _OWN_AXIS_FROM]
    shared_ms = max([_LEAST_AXIS_MS, *(reach * _ROOM for reach in kept)])
    for reach in reaches_ms:
        yield shared_ms if reach <= usual_ms * _OWN_AXIS_FROM else reach * _ROOM


def _reach_ms(cycle: ReconciledCycle, limits: PhaseLimits) -> float:
    inside = _inside(cycle, limits)
    points = outside_milestones(cycle.outside)
    ends = [q.value_ns + q.expanded_ns for q in _in_order(points) if q]
    if inside is not None:
        ends += [inside.complete.value_ns + inside.complete.expanded_ns]
        ends += [] if inside.limit_ns is None else [inside.limit_ns]
    if limits.light_ms is not None:
        ends.append(round(limits.light_ms * NS_PER_MS))
    return max(ends, default=0) / NS_PER_MS


def _inside(cycle: ReconciledCycle, limits: PhaseLimits) -> InsideMilestones | None:
    limit_ms = None if is_uncovered(cycle) else limits.resume_ms
    return inside_milestones(cycle, limit_ms, limits.reset_to_tsc)


def _in_order(points: OutsideMilestones) -> tuple[BoundedNs | None, ...]:
    return points.slp_s3, points.pwr_ok, points.pltrst, points.light


def _panel(
    chosen: tuple[str, str, ReconciledCycle], limits: PhaseLimits, trigger: str, axis: Axis
) -> PhasePanel:
    key, choice, cycle = chosen
    scale = axis.scale
    points = outside_milestones(cycle.outside)
    inside = _inside(cycle, limits)
    complete = None if inside is None else _complete_mark(inside.complete, scale)
    lines = _outside_spans(points, trigger)
    bars = (
        _bar("Wires, light", _FRAME.wires, lines, scale, _wires_words(cycle)),
        _bar("OS reports", _FRAME.os, _os_spans(cycle, points), scale, _os_words(cycle)),
        _bar(
            "Reconciled",
            _FRAME.reconciled,
            _reconciled_spans(points, inside, limits.reset_to_tsc),
            scale,
            _whole_words(cycle, inside),
            whisker=math.inf if complete is None else complete.low,
        ),
    )
    limit_ns = None if inside is None else inside.limit_ns
    if limit_ns is None and limits.resume_ms is None and limits.light_ms is not None:
        limit_ns = round(limits.light_ms * NS_PER_MS)
    hidden = None if inside is None else inside.hidden
    after = points.pltrst.value_ns if points.pltrst is not None else 0
    return PhasePanel(
        key=key,
        choice=choice,
        number=cycle.outside.number,
        verdict=unjudged_word(cycle) or cycle.verdict.value,
        bars=bars,
        axis=axis,
        light=_mark(None if points.light is None else points.light.value_ns, scale),
        light_text="" if points.light is None else f"display on {quantity_text(points.light)} ms",
        complete=complete,
        limit=_mark(limit_ns, scale),
        hidden=_hidden_words(hidden),
        hidden_at=scale.at(after / NS_PER_MS),
        summary=". ".join(
            f"{bar.name}: {'; '.join([s.text for s in bar.segments]) or bar.missing}"
            for bar in bars
        ),
    )


def _hidden_words(hidden: BoundedNs | None) -> str:
    if hidden is None:
        return ""
    words = "hidden" if hidden.value_ns > 0 else "BIOS time too long by"
    size = BoundedNs(abs(hidden.value_ns), hidden.bound_ns, hidden.standard_ns, hidden.expanded_ns)
    return f"{words} {quantity_text(size)} ms"


def _mark(t_ns: int | None, scale: Scale) -> float | None:
    """Return the place of a mark; None where the axis does not reach it."""
    if t_ns is None or t_ns / NS_PER_MS > scale.high:
        return None
    return scale.at(t_ns / NS_PER_MS)


def _bar(
    name: str,
    y: int,
    spans: Iterable[_Span],
    scale: Scale,
    words: tuple[str, str],
    *,
    whisker: float = math.inf,
) -> Bar:
    """Return a bar; its labels keep clear of a whisker that begins at a place."""
    note, missing = words
    found = list(spans)
    torn = any(span.to_ns / NS_PER_MS > scale.high for span in found)
    shown = (span for span in found if span.from_ns / NS_PER_MS < scale.high)
    segments = tuple(_segment(span, scale, whisker) for span in shown)
    return Bar(name, y, segments, note, "" if segments else missing, torn)


def _outside_spans(points: OutsideMilestones, trigger: str) -> Iterator[_Span]:
    named = zip(_OUTSIDE, _in_order(points), strict=True)
    before, before_ns = trigger, 0
    for (style, name), point in named:
        # A line that is not wired makes the next phase longer; a negative one cannot be drawn.
        if point is None or point.value_ns < before_ns:
            continue
        text = f"{before} to {name}"
        label = text if style == "to-light" else ""
        took = BoundedNs(point.value_ns - before_ns, point.bound_ns, expanded_ns=point.expanded_ns)
        yield _Span(before_ns, point.value_ns, style, label, f"{text}: {quantity_text(took)} ms")
        before, before_ns = name, point.value_ns


def _os_spans(cycle: ReconciledCycle, points: OutsideMilestones) -> Iterator[_Span]:
    """Yield what the OS reports, counted from PLTRST#: nothing it does not report is in it."""
    record = cycle.record
    if record is None or points.pltrst is None or record.resume_ms is None:
        return
    at_ns = points.pltrst.value_ns
    parts = (
        ("bios", "BIOS", record.bios_init_ms),
        ("image", "image", record.hiber_read_ms),
        ("drivers", "device initialization", record.driver_init_ms),
    )
    for style, name, took_ms in parts:
        if took_ms is None:
            continue
        to_ns = at_ns + took_ms * NS_PER_MS
        yield _Span(at_ns, to_ns, style, name, f"{name}: {took_ms} ±1 ms")
        at_ns = to_ns


def _reconciled_spans(
    points: OutsideMilestones, inside: InsideMilestones | None, reset_to_tsc: BoundedNs | None
) -> Iterator[_Span]:
    if inside is None:
        return
    hidden_ns = 0 if inside.hidden is None else max(0, inside.hidden.value_ns)
    zero_ns = inside.bios_from_ns - hidden_ns
    if points.pltrst is not None and points.pltrst.value_ns < zero_ns:
        size = _with_bound(zero_ns - points.pltrst.value_ns, reset_to_tsc)
        text = f"unobserved, PLTRST# to TSC start: {size} ms"
        yield _Span(points.pltrst.value_ns, zero_ns, "unknown", "", text)
    if hidden_ns:
        text = f"hidden, not in BiosInit: {quantity_text(inside.hidden)} ms"
        yield _Span(zero_ns, inside.bios_from_ns, "hidden", "", text)
    parts = (
        ("bios", "BIOS", inside.bios_from_ns, inside.image_from_ns),
        ("image", "image", inside.image_from_ns, inside.drivers_from_ns),
        ("drivers", "device initialization", inside.drivers_from_ns, inside.complete.value_ns),
    )
    for style, name, from_ns, to_ns in parts:
        if to_ns > from_ns:
            size = f"{_ms(to_ns - from_ns)} ±1"
            if style == "bios" and inside.hidden is not None and inside.hidden.value_ns < 0:
                size = _with_bound(to_ns - from_ns, inside.hidden)
            yield _Span(from_ns, to_ns, style, name, f"{name}: {size} ms")


def _with_bound(time_ns: int, bounded: BoundedNs | None) -> str:
    """Return a time with the uncertainty of another; alone without that one."""
    if bounded is None:
        return _ms(time_ns)
    return quantity_text(BoundedNs(time_ns, bounded.bound_ns, expanded_ns=bounded.expanded_ns))


def _ms(time_ns: int) -> str:
    return f"{time_ns / NS_PER_MS:.0f}"


def _segment(span: _Span, scale: Scale, whisker: float) -> Segment:
    left, right = scale.at(span.from_ns / NS_PER_MS), scale.at(span.to_ns / NS_PER_MS)
    took_ms = _ms(span.to_ns - span.from_ns)
    free = min(right, max(whisker, left)) - left
    candidates = (f"{span.name} {took_ms}", took_ms) if span.name else ()
    label = next((one for one in candidates if len(one) * _LETTER + 8 <= free), "")
    at = round(left + free / 2, 2)
    return Segment(left, round(right - left, 2), span.style, label, at, span.text)


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


def _wires_words(cycle: ReconciledCycle) -> tuple[str, str]:
    """Return the figure of the wires, and what stands in place of their bar."""
    light = outside_milestones(cycle.outside).light
    outcome = cycle.outcome
    fault = "" if outcome is Outcome.SLEPT_AND_WOKE else outcome_words(outcome)
    if light is not None:
        return f"display on {quantity_text(light)} ms", ""
    return fault or "no light timed", fault or "no trigger seen"


def _os_words(cycle: ReconciledCycle) -> tuple[str, str]:
    record = cycle.record
    if record is None:
        return "", "no OS record"
    if record.resume_ms is None:
        parts = (("BIOS init", record.bios_init_ms), ("device init", record.driver_init_ms))
        durations = [f"{name} {ms} ms" for name, ms in parts if ms is not None]
        return (
            "",
            f"{' and '.join(durations)} alone" if durations else "record without a measurement",
        )
    claim = f"reports {record.resume_ms} ms"
    if outside_milestones(cycle.outside).pltrst is None:
        why = "no trigger" if cycle.outside.trigger_ns is None else "PLTRST# not seen"
        return claim, f"{claim}; not placed: {why}"
    return claim, f"{claim}, counted from PLTRST#"


def _whole_words(cycle: ReconciledCycle, inside: InsideMilestones | None) -> tuple[str, str]:
    if inside is not None:
        return f"complete {quantity_text(inside.complete)} ms", ""
    if cycle.record is None:
        return "", "needs an OS record"
    if cycle.bios_impossible:
        return "", "BIOS time impossible: wires and clock leave no room for it"
    if cycle.record.resume_ms is None:
        return "", "needs the total resume time"
    if cycle.certainty is not None and cycle.press_to_resume_complete is None:
        why = "PLTRST# not seen, or the match is not certain"
        return "", f"not placed: {'no trigger' if cycle.outside.trigger_ns is None else why}"
    return "", "not placed"


def verdict_style(verdict: Verdict) -> str:
    """Return the name that style sheets know a verdict by."""
    return verdict.value.lower()


@dataclass(frozen=True, slots=True)
class CycleColumn:
    """Every cycle as the script reads it.

    Attributes:
        rows: a line of numbers a cycle, in base 36; made of nothing else.
        words: what rows name by its place, separated by "|"; our own words.
    """

    rows: Markup
    words: str


def cycle_column(
    cycles: Iterable[ReconciledCycle], shown: CycleTimes, limits: PhaseLimits
) -> CycleColumn:
    """Return what the script draws any cycle from.

    A row has, empty where there is none: number, mark, time shown; from the trigger on SLP_S3#,
    PWR_OK, PLTRST#, light and the expanded uncertainty of light; BIOS, image and drivers as
    reported; reconciled BIOS from, hidden and its expanded uncertainty, that of complete; which
    word stands for the wires, the OS and the whole, for the verdict; 1 where the limit on the
    resume is drawn; expanded uncertainty of SLP_S3#, PWR_OK and PLTRST#. Moments are in 10 us,
    what the OS reports in ms.
    """
    words: dict[str, int] = {}

    def word(text: str) -> int:
        return words.setdefault(text, len(words))

    rows = (
        _row(cycle, mark, time_ms, limits, word)
        for cycle, mark, time_ms in zip(cycles, shown.marks, shown.times_ms, strict=True)
    )
    text = Markup(";".join(rows))
    return CycleColumn(text, "|".join(words))


def _row(
    cycle: ReconciledCycle,
    mark: str,
    time_ms: float,
    limits: PhaseLimits,
    word: Callable[[str], int],
) -> str:
    points, inside = outside_milestones(cycle.outside), _inside(cycle, limits)
    record = cycle.record
    hidden = None if inside is None else inside.hidden
    light = points.light
    numbers: list[int | None] = [_value_steps(point) for point in _in_order(points)]
    numbers.append(_expanded_steps(light))
    if record is not None and record.resume_ms is not None:
        numbers += [record.bios_init_ms, record.hiber_read_ms, record.driver_init_ms]
    else:
        numbers += [None, None, None]
    numbers.append(None if inside is None else _steps(inside.bios_from_ns))
    numbers += [_value_steps(hidden), _expanded_steps(hidden)]
    numbers.append(None if inside is None else _expanded_steps(inside.complete))
    reported = record is not None and record.resume_ms is not None and points.pltrst is not None
    note, missing = _wires_words(cycle)
    texts = [
        "" if light is not None else note if any(_in_order(points)) else missing,
        "" if reported else _os_words(cycle)[1],
        _whole_words(cycle, inside)[1],
        unjudged_word(cycle) or cycle.verdict.value,
    ]
    shown = _steps(round(time_ms * NS_PER_MS)) if math.isfinite(time_ms) else None
    limited = None if inside is None or inside.limit_ns is None else 1
    wires = (_expanded_steps(point) for point in (points.slp_s3, points.pwr_ok, points.pltrst))
    fields = [cycle.outside.number, shown, *numbers, *map(word, texts), limited, *wires]
    return mark + ",".join("" if value is None else base36(value) for value in fields)


def _value_steps(quantity: BoundedNs | None) -> int | None:
    return None if quantity is None else _steps(quantity.value_ns)


def _expanded_steps(quantity: BoundedNs | None) -> int | None:
    return None if quantity is None else _steps_up(quantity.expanded_ns)


def _steps_up(width_ns: int) -> int:
    return -(-width_ns // _STEP_NS)


def _steps(time_ns: int) -> int:
    """Return a time in the steps in which it is shown, rounded as it is shown."""
    return (time_ns + _STEP_NS // 2) // _STEP_NS


_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def base36(value: int) -> str:
    """Return a number as JavaScript's parseInt(text, 36) reads it."""
    if value < 0:
        return f"-{base36(-value)}"
    text = _DIGITS[value % 36]
    while value >= 36:
        value //= 36
        text = _DIGITS[value % 36] + text
    return text


def choices_of(shown: CycleTimes, first_failure: int | None) -> Mapping[str, int]:
    """Return the places of the cycles to begin with, by key: median, slowest, first failure."""
    timed = [
        (time_ms, place)
        for place, time_ms in enumerate(shown.times_ms)
        if math.isfinite(time_ms) and shown.marks[place] != "-"
    ]
    found: dict[str, int] = {}
    if timed:
        ordered = sorted(timed)
        found["median"] = ordered[(len(ordered) - 1) // 2][1]
        found["slowest"] = max(timed, key=lambda one: (one[0], -one[1]))[1]
    if first_failure is not None:
        found["failure"] = first_failure
    if not found and shown.marks:
        found["first"] = 0
    return found
