"""Arithmetic of histograms of times, against a limit or without; templates draw them.

Bins are aligned to the limit and closed above: a time equal to the limit is within it, and no bar
holds both sides. A few times far past the axis are one last bar, or they would flatten all others.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from resume_rig.model.units import count_of
from resume_rig.report.drawing.axis import Axis, count_axis, nice_step, time_axis

_BINS: Final = 36
_RUG_MOST: Final = 500
_TICKS_MOST: Final = 7
_FAR: Final = 1.6
_LEAST_BIN_MS: Final = 1.0
"""The OS reports whole milliseconds, and times of wires spread wider."""

_LEAST_HEIGHT: Final = 3.0
"""A single cycle stays visible among hundreds."""


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
        text: the bar in words.
    """

    x: float
    y: float
    width: float
    height: float
    count: int
    over: bool
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
    """A drawing; `id` is unique on its page, `what` names its axis, `note` its contents."""

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
    """Return the drawing, its axis with the limit where there is one; None of no times."""
    if not times_ms:
        return None
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
    bars = [
        _bar(
            count,
            times.scale.at(bins.edge_ms(index)),
            times.scale.at(bins.edge_ms(index + 1)),
            counts,
            over=bins.limited and index >= 0,
            text=f"above {bins.edge_ms(index):g} to {bins.edge_ms(index + 1):g} ms: "
            f"{count_of(count, 'cycle')}",
        )
        for index, count in sorted(counts_of.items())
    ]
    beyond_text = None
    if beyond:
        up_to = "at" if beyond == 1 else "up to"
        beyond_text = f"{beyond} past the axis, {up_to} {max(times_ms):.0f} ms"
        left = times.scale.at(bins.edge_ms(end - 2))
        over = bins.limited
        bars.append(_bar(beyond, left, times.scale.end, counts, over=over, text=beyond_text))
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


def _bar(count: int, left: float, right: float, counts: Axis, *, over: bool, text: str) -> Bar:
    top = min(counts.scale.at(count), _FRAME.base - _LEAST_HEIGHT)
    width, height = round(right - left, 2), round(_FRAME.base - top, 2)
    return Bar(left, top, width, height, count, over, text)


def _summary(times_ms: Sequence[float], limit_ms: float | None) -> str:
    cycles = count_of(len(times_ms), "cycle")
    least, most = f"{min(times_ms):.0f}", f"{max(times_ms):.0f}"
    span = f"at {least} ms" if least == most else f"between {least} and {most} ms"
    if limit_ms is None:
        return f"{cycles} {span}."
    over = sum(1 for time in times_ms if time > limit_ms)
    return f"{cycles} {span}; {over or 'none'} above the limit of {limit_ms:.0f} ms."
