"""Arithmetic of the drawing of a time over the cycles of a campaign; templates draw it.

Up to some hundred cycles each is a dot; of more, so many neighbours share a column, from their
least time to their greatest, with a mark at their middle. The picture's size has a bound.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.model.series import SeriesStatistics
from resume_rig.model.units import count_of
from resume_rig.report.svg_axis import Axis, Scale, Tick, multiples, nice_step, time_axis

DOTS_MOST: Final = 400
COLUMNS_MOST: Final = 220
FAILED_MOST: Final = 200
_FAR: Final = 1.6
_LEAST_SPAN_MS: Final = 1.0
_MARGIN: Final = 0.08


@dataclass(frozen=True, slots=True)
class DriftFrame:
    """The drawing's size, and the plot in it: cycles run from left to right, times upwards."""

    width: int = 960
    height: int = 250
    left: int = 64
    right: int = 944
    top: int = 26
    base: int = 190


_FRAME: Final = DriftFrame()


@dataclass(frozen=True, slots=True)
class Column:
    """One cycle, or neighbours: from the least time to the greatest; `beyond` lie past the axis."""

    x: float
    top: float
    bottom: float
    middle: float
    beyond: bool


@dataclass(frozen=True, slots=True)
class Level:
    """A line through the cycles: the median between two steps, or the trend where there is one."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class DriftPicture:
    """A drawing.

    Attributes:
        single: each column is one cycle.
        failed: places of cycles that went wrong, under the plot.
        limit_at: None without a limit, or where it lies far from all times.
        summary: the picture in one sentence, for those who do not see it.
    """

    columns: tuple[Column, ...]
    single: bool
    levels: tuple[Level, ...]
    failed: tuple[float, ...]
    cycles: Axis
    times: Axis
    limit_at: float | None
    limit_label: str
    summary: str
    frame: DriftFrame = _FRAME


def drift_picture(
    series: Sequence[tuple[int, float]],
    statistics_of: SeriesStatistics | None,
    failed: Sequence[int],
    limit_ms: float | None,
    last: int,
) -> DriftPicture | None:
    """Return the drawing; None of fewer than two times.

    Args:
        series: number of the cycle and its time [ms], in the order of the cycles.
        statistics_of: where its level steps or drifts; None where that is not known.
        failed: numbers of the cycles that went wrong, in order.
        limit_ms: drawn where it lies near the times.
        last: number of the campaign's last cycle.
    """
    if len(series) < 2:
        return None
    times_ms = [time for _, time in series]
    limit_near = limit_ms is not None and limit_ms <= max(times_ms) * _FAR
    low_ms, high_ms = _range_ms(times_ms, limit_ms if limit_near else None)
    across = Scale(0.5, max(last, series[-1][0]) + 0.5, _FRAME.left, _FRAME.right)
    upwards = time_axis(low_ms, high_ms, _FRAME.base, _FRAME.top, most=5)
    return DriftPicture(
        columns=_columns(series, across, upwards.scale),
        single=len(series) <= DOTS_MOST,
        levels=_levels(series, statistics_of, across, upwards.scale),
        failed=_places(failed, across),
        cycles=_cycle_axis(across),
        times=upwards,
        limit_at=upwards.scale.at(limit_ms) if limit_ms is not None and limit_near else None,
        limit_label="" if limit_ms is None else f"limit {limit_ms:.0f} ms",
        summary=_summary(times_ms, statistics_of, len(failed)),
    )


def _range_ms(times_ms: Sequence[float], limit_ms: float | None) -> tuple[float, float]:
    """Return the ends of the axis: a few far times are cut, as they would flatten all others."""
    ordered = sorted(times_ms)
    bulk_ms = ordered[max(len(ordered) * 95 // 100 - 1, 0)]
    high_ms = min(ordered[-1], max(bulk_ms * _FAR, limit_ms or 0.0))
    held = [ordered[0], high_ms, *(() if limit_ms is None else (limit_ms,))]
    span_ms = max(max(held) - min(held), _LEAST_SPAN_MS)
    return max(0.0, min(held) - _MARGIN * span_ms), max(held) + _MARGIN * span_ms


def _columns(
    series: Sequence[tuple[int, float]], across: Scale, upwards: Scale
) -> tuple[Column, ...]:
    each = 1 if len(series) <= DOTS_MOST else -(-len(series) // COLUMNS_MOST)
    groups = (series[at : at + each] for at in range(0, len(series), each))
    return tuple(_column(group, across, upwards) for group in groups)


def _column(group: Sequence[tuple[int, float]], across: Scale, upwards: Scale) -> Column:
    times_ms = [time for _, time in group]
    return Column(
        x=across.at((group[0][0] + group[-1][0]) / 2),
        top=upwards.at(max(times_ms)),
        bottom=upwards.at(min(times_ms)),
        middle=upwards.at(statistics.median(times_ms)),
        beyond=max(times_ms) > upwards.high,
    )


def _levels(
    series: Sequence[tuple[int, float]],
    known: SeriesStatistics | None,
    across: Scale,
    upwards: Scale,
) -> tuple[Level, ...]:
    if known is None:
        return ()
    if known.drift is not None and known.drift.shown and not known.change_points:
        return (_trend(series, known.drift.slope_ms, across, upwards),)
    starts = [series[0][0], *(step.cycle for step in known.change_points)]
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


def _places(failed: Sequence[int], across: Scale) -> tuple[float, ...]:
    """Return where failures stand; of many only as many as can be told apart."""
    places = sorted({round(across.at(number)) for number in failed})
    each = -(-len(places) // FAILED_MOST) or 1
    return tuple(float(place) for place in places[::each])


def _cycle_axis(across: Scale) -> Axis:
    step = max(1.0, nice_step(across.high - across.low, 10))
    ticks = (Tick(across.at(n), f"{n:.0f}") for n in multiples(across.low, across.high, step) if n)
    return Axis(across, tuple(ticks), "")


def _summary(times_ms: Sequence[float], known: SeriesStatistics | None, failed: int) -> str:
    text = f"{count_of(len(times_ms), 'cycle')}, {min(times_ms):.0f} to {max(times_ms):.0f} ms"
    if known is not None and known.change_points:
        text += f"; {count_of(len(known.change_points), 'step')} of the level"
    elif known is not None and known.drift is not None and known.drift.shown:
        text += f"; a drift of {known.drift.slope_ms:+.3g} ms in 100 cycles"
    elif known is not None and known.drift is not None:
        text += "; no drift and no step beyond chance"
    return f"{text}; {count_of(failed, 'cycle')} went wrong."
