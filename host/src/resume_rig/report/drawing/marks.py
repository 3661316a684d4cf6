"""Pictures in which every cycle is a mark: one campaign over its cycles, many as strips.

A dot is a cycle with a time, a cross one that did not sleep and wake as planned, a diamond one
without evidence. Dots that fall on one place are one, so that the size of a picture is bounded.
"""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from resume_rig.model.result.series import CycleMark, CycleTimes, SeriesStatistics
from resume_rig.model.units import count_of
from resume_rig.report.drawing.axis import (
    Axis,
    Scale,
    Tick,
    date_axis,
    multiples,
    nice_step,
    time_axis,
)

_FAR: Final = 1.6
_LEAST_SPAN_MS: Final = 1.0
_MARGIN: Final = 0.08
_HALF_DIGIT: Final = 4.0
"""Half of what a digit of an axis takes at most, in the picture's units."""
_GRID: Final = 0.5
"""Dots nearer to one another than this, in the picture's units, are one."""


@dataclass(frozen=True, slots=True)
class MarksFrame:
    """The drawing's size, and the plot in it: cycles run from left to right, times upwards.

    Attributes:
        crosses, diamonds: the lanes of cycles without a time.
    """

    width: int = 720
    height: int = 250
    left: int = 52
    right: int = 708
    top: int = 40
    base: int = 190
    crosses: int = 26
    diamonds: int = 202


_FRAME: Final = MarksFrame()


@dataclass(frozen=True, slots=True)
class Level:
    """A line through the cycles: the median between two steps, or the trend where there is one."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class MarksPicture:
    """A drawing of one campaign; what is `Markup` is made of numbers alone, as SVG writes paths.

    Attributes:
        timed, failed, left_out: dots. broken: crosses. unknown: diamonds. beyond: triangles where
            a time lies past the axis.
        hidden: small rings where a time would be with what clock and wires add to it.
        summary: the picture in one sentence, for those who do not see it.
    """

    timed: Markup
    failed: Markup
    left_out: Markup
    broken: Markup
    unknown: Markup
    beyond: Markup
    hidden: Markup
    levels: tuple[Level, ...]
    cycles: Axis
    times: Axis
    limit_at: float | None
    limit_label: str
    summary: str
    frame: MarksFrame = _FRAME


def marks_picture(
    shown: CycleTimes,
    series: SeriesStatistics | None,
    limit_ms: float | None,
    hidden_ms: Mapping[int, float] | None = None,
) -> MarksPicture | None:
    """Return the drawing; None of no cycle.

    Args:
        shown: every cycle.
        series: where the level steps or drifts; None where nobody computed it.
        limit_ms: always within the axis.
        hidden_ms: by number of the cycle, its time with what clock and wires add to it.
    """
    if not shown.marks:
        return None
    points = list(zip(shown.numbers, shown.times_ms, shown.marks, strict=True))
    times_ms = [time_ms for _, time_ms, _ in points if math.isfinite(time_ms)]
    added = [] if hidden_ms is None else list(hidden_ms.items())
    axis = _times_axis([*times_ms, *(time_ms for _, time_ms in added)], limit_ms)
    across = Scale(0.5, max(shown.numbers) + 0.5, _FRAME.left, _FRAME.right)

    def dots(*marks: CycleMark) -> Markup:
        chosen = ((n, t) for n, t, mark in points if mark in marks and t <= axis.scale.high)
        return dot_path((across.at(n), axis.scale.at(t)) for n, t in chosen)

    def lane(mark: CycleMark, y: float, shape: str) -> Markup:
        return _shapes(((across.at(n), y) for n, _, each in points if each == mark), shape)

    far = ((across.at(n), _FRAME.top - 2.0) for n, t, _ in points if t > axis.scale.high)
    return MarksPicture(
        timed=dots(CycleMark.TIMED),
        failed=dots(CycleMark.FAILED),
        left_out=dots(CycleMark.LEFT_OUT),
        broken=lane(CycleMark.BROKEN, _FRAME.crosses, _CROSS),
        unknown=lane(CycleMark.UNKNOWN, _FRAME.diamonds, _DIAMOND),
        beyond=_shapes(far, _TRIANGLE),
        hidden=dot_path((across.at(n), axis.scale.at(t)) for n, t in added),
        levels=_levels(shown, series, across, axis.scale),
        cycles=_cycle_axis(across),
        times=axis,
        limit_at=None if limit_ms is None else axis.scale.at(limit_ms),
        limit_label="" if limit_ms is None else f"limit {limit_ms:g} ms",
        summary=_summary(shown, series, limit_ms, len(added), axis.scale.high),
    )


_CROSS: Final = "m-3.5-3.5l7 7m0-7l-7 7"
_DIAMOND: Final = "m0-4.5l4.5 4.5l-4.5 4.5l-4.5-4.5z"
_TRIANGLE: Final = "m-4 4h8l-4-8z"


def dot_path(places: Iterable[tuple[float, float]]) -> Markup:
    """Return dots as a path of strokes without length, which a round cap makes round."""
    return _shapes(places, "h0")


def _shapes(places: Iterable[tuple[float, float]], shape: str) -> Markup:
    """Return a shape at each place; those that fall on one place once."""
    at = dict.fromkeys((_on_grid(x), _on_grid(y)) for x, y in places)
    return Markup("".join(f"M{x:g} {y:g}{shape}" for x, y in at))


def _on_grid(place: float) -> float:
    return round(place / _GRID) * _GRID


def _times_axis(times_ms: Sequence[float], limit_ms: float | None) -> Axis:
    """Return an axis that holds the limit; a few far times are cut, they would flatten all others.

    Without a time it runs to the limit, and without that one to one second.
    """
    limit = () if limit_ms is None else (limit_ms,)
    if not times_ms:
        return time_axis(0.0, max([*limit, 1_000.0]) * 1.1, _FRAME.base, _FRAME.top, most=4)
    ordered = sorted(times_ms)
    bulk_ms = ordered[max(len(ordered) * 95 // 100 - 1, 0)]
    high_ms = min(ordered[-1], max(bulk_ms * _FAR, *limit, 0.0))
    held = [ordered[0], high_ms, *limit]
    span_ms = max(max(held) - min(held), _LEAST_SPAN_MS)
    low_ms = max(0.0, min(held) - _MARGIN * span_ms)
    return time_axis(low_ms, max(held) + _MARGIN * span_ms, _FRAME.base, _FRAME.top, most=4)


def _levels(
    shown: CycleTimes, of_series: SeriesStatistics | None, across: Scale, upwards: Scale
) -> tuple[Level, ...]:
    series = [
        (number, time_ms)
        for number, time_ms, mark in zip(shown.numbers, shown.times_ms, shown.marks, strict=True)
        if mark in _COUNTED
    ]
    if of_series is None or len(series) < 2:
        return ()
    if of_series.drift is not None and of_series.drift.shown and not of_series.change_points:
        return (_trend(series, of_series.drift.slope_ms, across, upwards),)
    starts = [series[0][0], *(step.cycle for step in of_series.change_points)]
    ends = [*starts[1:], series[-1][0] + 1]
    found = []
    for start, end in zip(starts, ends, strict=True):
        times_ms = [time for number, time in series if start <= number < end]
        if times_ms:
            y = upwards.at(statistics.median(times_ms))
            found.append(Level(across.at(start), y, across.at(end - 1), y))
    return tuple(found)


def _trend(
    series: Sequence[tuple[int, float]], slope_ms: float, across: Scale, upwards: Scale
) -> Level:
    """Return the line through the middle of the series; `slope_ms` is a change in 100 cycles."""
    first, last = series[0][0], series[-1][0]
    rise_ms = slope_ms * (last - first) / 100
    middle_ms = statistics.median(time for _, time in series)
    return Level(
        across.at(first),
        upwards.at(middle_ms - rise_ms / 2),
        across.at(last),
        upwards.at(middle_ms + rise_ms / 2),
    )


def _cycle_axis(across: Scale) -> Axis:
    step = max(1.0, nice_step(across.high - across.low, 10))
    numbers = (n for n in multiples(across.low, across.high, step) if n)
    ticks = (Tick(min(across.at(n), _last_place(f"{n:.0f}")), f"{n:.0f}") for n in numbers)
    return Axis(across, tuple(ticks), "")


def _last_place(label: str) -> float:
    """Return the rightmost middle of a label that is still whole in the drawing."""
    return _FRAME.width - len(label) * _HALF_DIGIT


_COUNTED: Final = frozenset({CycleMark.TIMED, CycleMark.FAILED})


def _summary(
    shown: CycleTimes,
    of_series: SeriesStatistics | None,
    limit_ms: float | None,
    rings: int,
    high_ms: float,
) -> str:
    """Describe what is drawn, each kind of mark with its number; figures are of what counts."""
    times_ms = [
        time_ms
        for time_ms, mark in zip(shown.times_ms, shown.marks, strict=True)
        if mark in _COUNTED and math.isfinite(time_ms)
    ]
    text = count_of(len(shown.marks), "cycle")
    if out := shown.count(CycleMark.LEFT_OUT):
        text += ", not counted (pale)" if out == len(shown.marks) else f", {out} not counted (pale)"
    if times_ms:
        least, most = f"{min(times_ms):.0f}", f"{max(times_ms):.0f}"
        text += f": {least} ms" if least == most else f": {least} to {most} ms"
    if limit_ms is not None and times_ms:
        over = sum(time_ms > limit_ms for time_ms in times_ms)
        text += f"; {over or 'none'} above the limit of {limit_ms:g} ms"
    if past := sum(time_ms > high_ms for time_ms in shown.times_ms):
        text += f"; {past} past the axis (▲)"
    if broken := shown.count(CycleMark.BROKEN):
        text += f"; {broken} did not sleep and wake as planned (✕)"
    if unknown := shown.count(CycleMark.UNKNOWN):
        text += f"; {unknown} without a time (◇)"
    if of_series is not None and of_series.change_points:
        text += f"; {count_of(len(of_series.change_points), 'step')} of the level"
    elif of_series is not None and of_series.drift is not None and of_series.drift.shown:
        text += f"; a drift of {of_series.drift.slope_ms:+.3g} ms in 100 cycles"
    elif of_series is not None and of_series.drift is not None:
        text += "; no drift and no step beyond chance"
    return f"{text}.{' A ring is the time with what is hidden.' if rings else ''}"


ROW: Final = 26
_HALF: Final = 8
_TOP: Final = 30
_TOP_BARE: Final = 10
_RIGHT: Final = 830
_RIGHT_BARE: Final = 910
_LETTER: Final = 6.8
_LEAST_LEFT: Final = 70
_NAME_MOST: Final = 34


@dataclass(frozen=True, slots=True)
class StripSource:
    """One strip before it is drawn.

    Attributes:
        name: of the campaign, session or kind; may be hostile.
        places: of its values on the axis, in their order; NaN is none.
        median, p95: marked on the strip; None where they are not.
        broken, unknown: cycles without a value.
        text: the strip in words.
        failed, left_out: whether each value is a failure's, or does not count; empty: none.
    """

    name: str
    places: Sequence[float]
    median: float | None = None
    p95: float | None = None
    broken: int = 0
    unknown: int = 0
    text: str = ""
    failed: Sequence[bool] = ()
    left_out: Sequence[bool] = ()


@dataclass(frozen=True, slots=True)
class Strip:
    """One strip: its dots run from top to bottom in their order."""

    name: str
    y: int
    dots: Markup
    failed: Markup
    left_out: Markup
    median: float | None
    p95: float | None
    broken: int
    unknown: int
    text: str


@dataclass(frozen=True, slots=True)
class Strips:
    """Campaigns, sessions or kinds below one another on one axis."""

    strips: tuple[Strip, ...]
    ticks: tuple[Tick, ...]
    unit: str
    limit: float | None
    limit_label: str
    height: int
    summary: str
    top: int
    left: int
    right: int


def time_strips(
    sources: Sequence[StripSource], limit_ms: float | None, summary: str
) -> Strips | None:
    """Return strips of times in ms from 0 on, with a limit; None of no strip."""
    if not sources:
        return None
    values = [ms for each in sources for ms in each.places if math.isfinite(ms)]
    values += [ms for each in sources for ms in (each.median, each.p95) if ms is not None]
    high_ms = max([*values, limit_ms or 0.0, 1.0]) * 1.02
    axis = time_axis(0.0, high_ms, *_sides(sources), most=8)
    limit = None if limit_ms is None else axis.scale.at(limit_ms)
    label = "" if limit_ms is None else f"limit {limit_ms:g} ms"
    return _strips(sources, axis, limit, label, summary)


def date_strips(sources: Sequence[StripSource], summary: str) -> Strips | None:
    """Return strips of moments, seconds since 1970 in UTC; None where there is no moment."""
    moments = [at for each in sources for at in each.places if math.isfinite(at)]
    if not moments:
        return None
    axis = date_axis(min(moments), max(moments), *_sides(sources))
    return _strips(sources, axis, None, "", summary, spread=0)


def _strips(
    sources: Sequence[StripSource],
    axis: Axis,
    limit: float | None,
    label: str,
    summary: str,
    *,
    spread: int = _HALF,
) -> Strips:
    at = axis.scale.at
    top = _TOP if label else _TOP_BARE
    strips = tuple(
        _strip(source, top + ROW // 2 + row * ROW, at, spread) for row, source in enumerate(sources)
    )
    height = top + ROW * len(strips)
    sides = _sides(sources)
    return Strips(strips, axis.ticks, axis.unit, limit, label, height, summary, top, *sides)


def _sides(sources: Sequence[StripSource]) -> tuple[int, int]:
    """Return where the plot begins and ends: names and counts take what they need."""
    right = _RIGHT if any(each.broken or each.unknown for each in sources) else _RIGHT_BARE
    return margin_of(_short(each.name) for each in sources), right


def margin_of(names: Iterable[str]) -> int:
    """Return how much room names take left of a plot, in the picture's units."""
    return max(_LEAST_LEFT, round(max(map(len, names), default=0) * _LETTER) + 14)


def _short(name: str) -> str:
    return name if len(name) <= _NAME_MOST else f"...{name[-_NAME_MOST:]}"


def _strip(source: StripSource, y: int, at: Callable[[float], float], spread: int) -> Strip:
    """Return a strip; its dots run from `spread` above its middle to as much below."""
    last = max(len(source.places) - 1, 1)
    top = y - spread if len(source.places) > 1 else y
    places = [
        (at(value) if math.isfinite(value) else 0.0, top + 2 * spread * order / last)
        for order, value in enumerate(source.places)
    ]
    nothing = [False] * len(places)
    flags = list(zip(source.failed or nothing, source.left_out or nothing, strict=True))

    def dots(*wanted: bool) -> Markup:
        return dot_path(
            place
            for place, flag, value in zip(places, flags, source.places, strict=True)
            if flag == wanted and math.isfinite(value)
        )

    return Strip(
        name=_short(source.name),
        y=y,
        dots=dots(False, False),
        failed=dots(True, False),
        left_out=dots(False, True),
        median=None if source.median is None else at(source.median),
        p95=None if source.p95 is None else at(source.p95),
        broken=source.broken,
        unknown=source.unknown,
        text=source.text,
    )
