"""Axes of pictures, and where the milestones of a cycle stand on one.

Measured and OS-reported times share an axis whose zero is the wake trigger. Neither side observes
the OS's own zero (the TSC's, shortly after PLTRST# rises): it is placed at resume complete minus
what the OS reports. Where clock and wires contradict the BIOS time, what they add stands before it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from resume_rig.model.light import LightBasis
from resume_rig.model.units import count_of

SECONDS_FROM_MS = 20_000
"""An axis that reaches this far is labelled in seconds: five digits are hard to compare."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight way from values to places.

    Attributes:
        low, high: values at the ends; different from each other.
        start, end: places at the ends, in the picture's units; `end` may be the smaller.
    """

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the place of `value`, to a hundredth; values outside are set to the ends."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)


@dataclass(frozen=True, slots=True)
class Tick:
    """One labelled place of an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale with its ticks and the unit that their labels are in."""

    scale: Scale
    ticks: tuple[Tick, ...]
    unit: str


def nice_step(span: float, most: int) -> float:
    """Return the least of 1, 2 and 5 times a power of ten that fits in `span` at most `most` times.

    Raises:
        ValueError: `span` is not above 0 or `most` is below 1.
    """
    if not span > 0 or most < 1:
        raise ValueError(f"a step for a span of {span} in {most} parts; both have to be above 0")
    raw = span / most
    power = 10.0 ** math.floor(math.log10(raw))
    # 1e-9: a raw step that is nice up to rounding must not be pushed to the next one.
    factor = next(f for f in (1, 2, 5, 10) if f * power >= raw * (1 - 1e-9))
    return factor * power


def multiples(low: float, high: float, step: float) -> list[float]:
    """Return the multiples of `step` from `low` to `high`, both included."""
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]


def time_axis(low_ms: float, high_ms: float, start: float, end: float, most: int = 10) -> Axis:
    """Return an axis of times that runs from `low_ms` to `high_ms`."""
    scale = Scale(low_ms, high_ms, start, end)
    step_ms = nice_step(high_ms - low_ms, most)
    in_seconds = max(abs(low_ms), abs(high_ms)) >= SECONDS_FROM_MS
    shown_step = step_ms / 1_000 if in_seconds else step_ms
    ticks = tuple(
        Tick(scale.at(value), tick_label(value / 1_000 if in_seconds else value, shown_step))
        for value in multiples(low_ms, high_ms, step_ms)
    )
    return Axis(scale, ticks, "s" if in_seconds else "ms")


_DATE_STEPS_S: Final = (
    *(15, 60, 300, 900, 3_600, 4 * 3_600, 12 * 3_600),
    *(86_400, 2 * 86_400, 7 * 86_400, 30 * 86_400, 91 * 86_400, 365 * 86_400),
)
_DAY_S: Final = 86_400


def date_axis(low_s: float, high_s: float, start: float, end: float, most: int = 7) -> Axis:
    """Return an axis of moments, in seconds since 1970, labelled in UTC.

    Steps of a month and more are of 30, 91 and 365 days, as labels name whole days.
    """
    margin_s = max(0.02 * (high_s - low_s), 30.0)
    scale = Scale(low_s - margin_s, high_s + margin_s, start, end)
    span_s = scale.high - scale.low
    # Labels with date and time of day are long.
    step_s = next(
        (
            step
            for step in _DATE_STEPS_S
            if span_s / step <= (most - 2 if 60 <= step < _DAY_S else most)
        ),
        None,
    )
    if step_s is None:
        step_s = math.ceil(span_s / most / (365 * _DAY_S)) * 365 * _DAY_S
    form = "%Y-%m-%d" if step_s >= _DAY_S else "%Y-%m-%d %H:%M" if step_s >= 60 else "%H:%M:%S"
    ticks = tuple(
        Tick(scale.at(at_s), datetime.fromtimestamp(at_s, UTC).strftime(form))
        for at_s in multiples(scale.low, scale.high, step_s)
    )
    return Axis(scale, ticks, "UTC")


_COUNTS_MOST: Final = 5


def count_axis(high: int, start: float, end: float) -> Axis:
    """Return an axis of counts from 0 to at least `high`, with whole ticks."""
    step = max(nice_step(max(high, 1), _COUNTS_MOST), 1.0)
    top = math.ceil(max(high, 1) / step) * step
    scale = Scale(0, top, start, end)
    ticks = tuple(Tick(scale.at(value), f"{value:.0f}") for value in multiples(0, top, step))
    return Axis(scale, ticks, "")


def tick_label(value: float, step: float) -> str:
    """Return a label with the decimals that ticks `step` apart need, and no more."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


_LIGHT = {
    LightBasis.HALF: "t_50, when the panel's light is at half of its settled level",
    LightBasis.BLOCKS: "t_50 (half of the panel's settled level), found in blocks of 1 ms",
    LightBasis.LARGEST_STEP: "t_50 of the largest step, where light came in several steps",
    LightBasis.COMPARATOR: "the edge of the photodiode's comparator",
}


def light_words(bases: Mapping[LightBasis, int]) -> str:
    """Return what display on means in cycles, in a sentence; empty where none was timed.

    Args:
        bases: in how many cycles display on is what.
    """
    found = [(basis, bases[basis]) for basis in LightBasis if bases.get(basis)]
    if not found:
        return ""
    if len(found) == 1:
        return f"Display on is {_LIGHT[found[0][0]]}."
    listed = ", ".join(f"in {count_of(count, 'cycle')} {_LIGHT[basis]}" for basis, count in found)
    return f"Display on is {listed}."
