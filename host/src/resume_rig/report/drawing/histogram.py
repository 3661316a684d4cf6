"""Arithmetic of histograms of times, against a limit or without; templates draw them."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from resume_rig.report.drawing.axis import Axis, count_axis, nice_step, time_axis

_BINS: Final = 36
_RUG_MOST: Final = 500
_TICKS_MOST: Final = 7
_FAR: Final = 1.6
_LEAST_BIN_MS: Final = 1.0
"""The OS reports whole milliseconds, and times of wires spread wider."""

_LEAST_HEIGHT: Final = 3.0
"""A single cycle stays visible beside hundreds."""


@dataclass(frozen=True, slots=True)
class HistogramFrame:
    """The drawing's size, and the plot in it: bars stand on `base` and reach up to `top`."""

    width: int = 560
    height: int = 250
    left: int = 44
    right: int = 548
    top: int = 34
    base: int = 186


_FRAME: Final = HistogramFrame()


@dataclass(frozen=True, slots=True)
class Bar:
    """One bin.

    Attributes:
        over: it counts times above the limit.
        beyond: it gathers everything that lies past the axis.
        text: what the bar says in words.
    """

    x: float
    y: float
    width: float
    height: float
    count: int
    over: bool
    beyond: bool
    text: str


@dataclass(frozen=True, slots=True)
class Histogram:
    """A drawing.

    Attributes:
        rug: places of the single times under the bars; empty where there are too many.
        limit_at: place of the limit; None without one.
        limit_label_end: the limit's label stands left of the line, not right of it.
        beyond_text: what the last bar gathers; None where nothing lies past the axis.
        summary: the picture in one sentence, for those who do not see it.
    """

    bars: tuple[Bar, ...]
    rug: tuple[float, ...]
    times: Axis
    counts: Axis
    limit_at: float | None
    limit_label: str
    limit_label_end: bool
    beyond_text: str | None
    summary: str
    frame: HistogramFrame = _FRAME


@dataclass(frozen=True, slots=True)
class NamedHistogram:
    """A drawing; `id` is unique on its page, `what` its axis, and `note` stands beside it."""

    id: str
    title: str
    what: str
    note: str
    picture: Histogram


@dataclass(frozen=True, slots=True)
class _Bins:
    """Bin i holds limit + i * step < t <= limit + (i + 1) * step; without a limit, from 0."""

    limit_ms: float
    step_ms: float
    limited: bool

    def index_of(self, time_ms: float) -> int:
        # 1e-9 keeps a time on an edge, up to rounding, in the lower bin.
        return math.ceil((time_ms - self.limit_ms) / self.step_ms - 1e-9) - 1

    def edge_ms(self, index: int) -> float:
        return self.limit_ms + index * self.step_ms


def histogram(times_ms: Sequence[float], limit_ms: float | None) -> Histogram | None:
    """Return the drawing; None of no times, or without a limit on them.

    Bins are closed above and aligned to the limit, so that a time equal to the limit is counted
    as within it and no bar holds both sides. The axis always holds the limit; times far past it
    are gathered in one last bar instead of flattening all others.
    """
    return None if not times_ms or limit_ms is None else _drawn(times_ms, limit_ms)


def distribution(times_ms: Sequence[float]) -> Histogram | None:
    """Return the drawing of times that nothing limits; None of no times."""
    return _drawn(times_ms, None) if times_ms else None


def _drawn(times_ms: Sequence[float], limit_ms: float | None) -> Histogram:
    held = () if limit_ms is None else (limit_ms,)
    cut_ms = _cut_ms(times_ms, held)
    within = [time for time in times_ms if time <= cut_ms]
    beyond = len(times_ms) - len(within)
    bins = _bins([*within, *held], limit_ms)
    end = bins.index_of(max([*within, *held])) + (4 if beyond else 2)
    start_ms = _axis_start_ms(bins, min([*within, *held]))
    end_ms = bins.edge_ms(end)
    most = min(_TICKS_MOST, max(round(end_ms - start_ms), 1))  # a tick is a whole millisecond
    times = time_axis(start_ms, end_ms, _FRAME.left, _FRAME.right, most=most)
    counts_of = Counter(bins.index_of(time) for time in within)
    counts = count_axis(max([*counts_of.values(), beyond]), _FRAME.base, _FRAME.top)
    bars = [_bar(index, counts_of[index], bins, times, counts) for index in sorted(counts_of)]
    beyond_text = None
    if beyond:
        up_to = "at" if beyond == 1 else "up to"
        beyond_text = f"{beyond} past the axis, {up_to} {max(times_ms):.0f} ms"
        left = times.scale.at(bins.edge_ms(end - 2))
        bars.append(
            _beyond_bar(beyond, beyond_text, left, times.scale.end, counts, over=bins.limited)
        )
        # No tick may stand under the last bar: it is not in scale.
        times = replace(times, ticks=tuple(t for t in times.ticks if t.at <= left))
    limit_at = None if limit_ms is None else times.scale.at(limit_ms)
    return Histogram(
        bars=tuple(bars),
        rug=tuple(times.scale.at(t) for t in within) if len(within) <= _RUG_MOST else (),
        times=times,
        counts=counts,
        limit_at=limit_at,
        limit_label="" if limit_ms is None else f"limit {limit_ms:.0f} ms",
        limit_label_end=limit_at is not None and limit_at > (_FRAME.left + _FRAME.right) / 2,
        beyond_text=beyond_text,
        summary=_summary(times_ms, limit_ms),
    )


def _bins(held: Sequence[float], limit_ms: float | None) -> _Bins:
    span_ms, anchor_ms = max(held) - min(held), limit_ms or 0.0
    step_ms = max(nice_step(max(span_ms, anchor_ms / 10, 1.0), _BINS), _LEAST_BIN_MS)
    return _Bins(anchor_ms, step_ms, limited=limit_ms is not None)


def _axis_start_ms(bins: _Bins, low_ms: float) -> float:
    """Return one bin before the first time, or that time's own bin where zero is nearer."""
    first = bins.index_of(low_ms)
    before_ms = bins.edge_ms(first - 1)
    return before_ms if before_ms >= 0 else bins.edge_ms(first)


def _cut_ms(times_ms: Sequence[float], held: Sequence[float]) -> float:
    """Return the time past which the last bar gathers; the greatest time where nothing does."""
    ordered = sorted(times_ms)
    most = ordered[-1]
    # The bulk: all but the slowest twentieth, and at least all but one.
    bulk = ordered[max(min(math.ceil(len(ordered) * 0.95), len(ordered) - 1) - 1, 0)]
    reach = max([bulk, *held]) * _FAR
    if most <= reach:
        return most
    return max(time for time in [*ordered, *held] if time <= reach)


def _bar(index: int, count: int, bins: _Bins, times: Axis, counts: Axis) -> Bar:
    low, high = bins.edge_ms(index), bins.edge_ms(index + 1)
    left, right, top = times.scale.at(low), times.scale.at(high), _top(count, counts)
    return Bar(
        x=left,
        y=top,
        width=round(right - left, 2),
        height=round(_FRAME.base - top, 2),
        count=count,
        over=bins.limited and index >= 0,
        beyond=False,
        text=f"above {low:g} to {high:g} ms: {_cycles(count)}",
    )


def _beyond_bar(
    count: int, text: str, left: float, right: float, counts: Axis, *, over: bool
) -> Bar:
    top = _top(count, counts)
    return Bar(
        x=left,
        y=top,
        width=round(right - left, 2),
        height=round(_FRAME.base - top, 2),
        count=count,
        over=over,
        beyond=True,
        text=text,
    )


def _top(count: int, counts: Axis) -> float:
    return min(counts.scale.at(count), _FRAME.base - _LEAST_HEIGHT)


def _summary(times_ms: Sequence[float], limit_ms: float | None) -> str:
    least, most = f"{min(times_ms):.0f}", f"{max(times_ms):.0f}"
    span = f"at {least} ms" if least == most else f"between {least} and {most} ms"
    if limit_ms is None:
        return f"{_cycles(len(times_ms))} {span}."
    over = sum(1 for time in times_ms if time > limit_ms)
    return (
        f"{_cycles(len(times_ms))} {span}; {over or 'none'} above the limit of {limit_ms:.0f} ms."
    )


def _cycles(count: int) -> str:
    return "1 cycle" if count == 1 else f"{count} cycles"
