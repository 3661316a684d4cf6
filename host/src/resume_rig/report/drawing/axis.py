"""Axes of pictures, and where the milestones of a cycle stand on one.

Measured and OS-reported times share an axis whose zero is the wake trigger. Neither side observes
the OS's own zero (the TSC's, shortly after PLTRST# rises): it is placed at resume complete minus
what the OS reports. Where clock and wires contradict the BIOS time, what they add stands before it.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from resume_rig.analysis.reconcile.hidden_time import hidden_bios
from resume_rig.analysis.reconcile.thresholds import inside
from resume_rig.model.channel import TRIGGER_WORDS, Actuator
from resume_rig.model.light import LightBasis
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle, ReconciledCycle
from resume_rig.model.units import NS_PER_MS, count_of

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


@dataclass(frozen=True, slots=True)
class OutsideMilestones:
    """When each line moved, counted from the wake trigger; None where it was not observed."""

    slp_s3: BoundedNs | None
    pwr_ok: BoundedNs | None
    pltrst: BoundedNs | None
    light: BoundedNs | None


@dataclass(frozen=True, slots=True)
class InsideMilestones:
    """The OS's phases, placed on the same axis.

    Attributes:
        bios_from_ns, drivers_from_ns: where the phases begin.
        complete: all devices have completed their S0 set-power IRP.
        limit_ns: where resume complete would stand if it had used the whole limit; None without a
            limit on the total resume time.
        image_from_ns: where reading a hibernation file begins; it ends where drivers begin. Equal
            to that where there is none.
        hidden: what clock and wires add to the reported BIOS time, negative where they leave less;
            None where they do not contradict it. It is in `complete`, and stands before the BIOS.
    """

    bios_from_ns: int
    drivers_from_ns: int
    complete: BoundedNs
    limit_ns: int | None
    image_from_ns: int
    hidden: BoundedNs | None = None


def outside_milestones(outside: OutsideCycle) -> OutsideMilestones:
    """Return the wake's milestones, by the most direct intervals that were formed."""
    get = outside.intervals.get
    slp_s3 = get(IntervalName.PRESS_TO_SLP_S3)
    pwr_ok = _either(get(IntervalName.PRESS_TO_PWR_OK), slp_s3, get(IntervalName.SLP_S3_TO_PWR_OK))
    pltrst = _either(get(IntervalName.PRESS_TO_PLTRST), pwr_ok, get(IntervalName.PWR_OK_TO_PLTRST))
    light = _either(get(IntervalName.PRESS_TO_LIGHT), pltrst, get(IntervalName.PLTRST_TO_LIGHT))
    return OutsideMilestones(slp_s3, pwr_ok, pltrst, light)


def inside_milestones(
    cycle: ReconciledCycle, limit_ms: int | None, reset_to_tsc: BoundedNs | None = None
) -> InsideMilestones | None:
    """Return where the OS's phases stand; None where that is not known: it is never guessed.

    Args:
        cycle: one that is reconciled.
        limit_ms: on the total resume time.
        reset_to_tsc: PLTRST# rising to the TSC's zero; with it a cycle is placed whose BIOS time
            clock and wires contradict.
    """
    record, hidden = cycle.record, hidden_bios(cycle)
    complete = cycle.press_to_resume_complete
    within = None if cycle.bios_impossible else inside(record)
    if complete is None and hidden is not None and reset_to_tsc is not None:
        power = outside_milestones(cycle.outside).pltrst
        if power is not None and within is not None:
            # The error of PLTRST# to the TSC's zero is in the hidden time already.
            zero = BoundedNs(reset_to_tsc.value_ns, 0)
            complete = power + zero + hidden + within
    if record is None or complete is None or within is None:
        return None
    bios_ns = (record.bios_init_ms or 0) * NS_PER_MS + min(0, hidden.value_ns if hidden else 0)
    drivers_from_ns = complete.value_ns - (record.driver_init_ms or 0) * NS_PER_MS
    image_from_ns = drivers_from_ns - (record.hiber_read_ms or 0) * NS_PER_MS
    bios_from_ns = image_from_ns - max(bios_ns, 0)
    limit_ns = None
    if limit_ms is not None:
        before_ns = max(0, hidden.value_ns) if hidden else 0
        limit_ns = bios_from_ns - before_ns + limit_ms * NS_PER_MS
    return InsideMilestones(
        bios_from_ns, drivers_from_ns, complete, limit_ns, image_from_ns, hidden
    )


PRESS: Final = TRIGGER_WORDS[Actuator.BUTTON]
"""What times of the wires count from, unless cycles say otherwise."""


def trigger_word(cycles: Iterable[ReconciledCycle]) -> str:
    """Return what the axis begins with: "press", "lid opening", or all where several occur.

    Where no cycle shows what woke it, as a timer's wakes, it is the trigger.
    """
    by = {cycle.outside.wake_by for cycle in cycles}
    seen = " or ".join(word for each, word in TRIGGER_WORDS.items() if each in by)
    return seen or ("trigger" if by else PRESS)


def light_words(cycles: Iterable[ReconciledCycle]) -> str:
    """Return what display on means in these cycles, in a sentence; empty where none was timed."""
    counted = Counter(cycle.outside.light_basis for cycle in cycles)
    found = [(basis, counted[basis]) for basis in LightBasis if counted[basis]]
    if not found:
        return ""
    if len(found) == 1:
        return f"Display on is {_LIGHT[found[0][0]]}."
    listed = ", ".join(f"in {count_of(count, 'cycle')} {_LIGHT[basis]}" for basis, count in found)
    return f"Display on is {listed}."


def _either(
    direct: BoundedNs | None, before: BoundedNs | None, step: BoundedNs | None
) -> BoundedNs | None:
    if direct is not None:
        return direct
    return None if before is None or step is None else before.joined(step)
