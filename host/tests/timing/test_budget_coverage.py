"""95 % means 95 %: simulated measurements, drawn from the distributions that a budget states."""

from itertools import product
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from numpy.random import Generator

from resume_rig.model.budget import BudgetRow, Distribution
from resume_rig.model.channel import Channel
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName
from resume_rig.timing.budget import (
    ErrorShape,
    budget_of,
    even_row,
    expanded_half_width_ns,
    hidden_row,
    reported_row,
)
from resume_rig.timing.edge_uncertainty import Moment, Ramp
from resume_rig.timing.light_budget import LightDefinition, LightEnd

from .conftest import by_capture, by_interrupt, by_loopback, drawn_ns

DRAWS = 20_000
MS = 1_000_000
ATX = Ramp(0, 10 * MS, "ATX T4")
INSTRUMENTS = {
    "interrupt": by_interrupt(),
    "capture": by_capture(),
    "loopback": by_loopback(),
    "slow ramp": by_interrupt(ATX),
}


def light(definition: LightDefinition, pwm_ns: int = 0, duty: float = 1.0) -> LightEnd:
    return LightEnd(definition, 20_000, MS, pwm_ns // 2, duty)


def ends(start: Channel, end: Channel, duration_ms: int, **more: object) -> tuple[Moment, Moment]:
    rises = more.pop("start_rises", start is not Channel.BUTTON)
    return Moment(start, 0, rises), Moment(end, duration_ms * MS, **more)


KINDS = {
    IntervalName.TRIGGER_TO_SLP_S3: ends(Channel.BUTTON, Channel.SLP_S3, 840, rises=False),
    IntervalName.ASLEEP: ends(Channel.SLP_S3, Channel.SLP_S3, 5_000, start_rises=False),
    IntervalName.PRESS_WIDTH: ends(Channel.BUTTON, Channel.BUTTON, 150, rises=True),
    IntervalName.PRESS_TO_SLP_S3: ends(Channel.BUTTON, Channel.SLP_S3, 64),
    IntervalName.PRESS_TO_PWR_OK: ends(Channel.BUTTON, Channel.PWR_OK, 103),
    IntervalName.SLP_S3_TO_PWR_OK: ends(Channel.SLP_S3, Channel.PWR_OK, 39),
    IntervalName.PWR_OK_TO_PLTRST: ends(Channel.PWR_OK, Channel.PLTRST, 49),
    IntervalName.PRESS_TO_PLTRST: ends(Channel.BUTTON, Channel.PLTRST, 60_000),
    IntervalName.PLTRST_TO_LIGHT: ends(Channel.PLTRST, Channel.BACKLIGHT, 609),
    IntervalName.PRESS_TO_LIGHT: ends(Channel.LID, Channel.BACKLIGHT, 2_000),
}
LIGHTS = {
    "t_first": light(LightDefinition.FIRST),
    "t_50": light(LightDefinition.HALF),
    "t_90": light(LightDefinition.NINETY),
    "PWM 1 kHz 50 %": light(LightDefinition.HALF, 500_000, 0.5),
    "PWM 220 Hz 10 %": light(LightDefinition.HALF, 4_090_909, 0.1),
    "OLED 240 Hz 90 %": light(LightDefinition.HALF, 416_667, 0.9),
}


def share_within(errors_ns: np.ndarray, half_width_ns: float) -> float:
    return float(np.mean(np.abs(errors_ns) <= half_width_ns))


@pytest.mark.parametrize("name", list(KINDS), ids=lambda name: name.value)
@pytest.mark.parametrize("how", list(INSTRUMENTS))
def test_95_percent_of_measurements_of_an_interval(
    name: IntervalName, how: str, random: Generator
) -> None:
    bounds, (start, end) = INSTRUMENTS[how], KINDS[name]
    errors_ns = drawn_ns(bounds.rows(start, end), random, DRAWS)

    found = bounds.between(start, end)

    assert 0.93 <= share_within(errors_ns, found.expanded_ns) <= 0.97
    assert np.std(errors_ns) == pytest.approx(found.standard_ns, rel=0.03)


@pytest.mark.parametrize("name", list(LIGHTS))
def test_95_percent_of_onsets_of_light(name: str, random: Generator) -> None:
    start, end = Moment(Channel.PLTRST, 0), Moment(Channel.BACKLIGHT, 600 * MS, light=LIGHTS[name])
    bounds = by_capture()
    errors_ns = drawn_ns(bounds.rows(start, end), random, DRAWS)

    found = bounds.between(start, end)

    # A PWM's phase is at its end as often as the duty says: then 95 % may be everything.
    upper = 1.0 if found.expanded_ns >= 0.97 * found.bound_ns else 0.97
    assert 0.93 <= share_within(errors_ns, found.expanded_ns) <= upper
    assert share_within(errors_ns, found.bound_ns) > 0.999


def reconciled(name: str) -> tuple[BoundedNs, tuple[BudgetRow, ...]]:
    """A reconciled time as analysis.reconcile forms it, and the terms that it is of."""
    bounds = by_interrupt()
    hidden = BoundedNs(30 * MS, 29 * MS)
    inside = BoundedNs(200 * MS, MS) + BoundedNs(700 * MS, MS)
    told = [reported_row("BiosInit", MS), reported_row("DriverInit", MS)]
    press, reset = Moment(Channel.BUTTON, 0, rises=False), Moment(Channel.PLTRST, 150 * MS)
    lit = Moment(Channel.BACKLIGHT, 760 * MS, light=LIGHTS["PWM 220 Hz 10 %"])
    if name == "press to complete":
        quantity = bounds.between(press, reset) + hidden + inside
        return quantity, (*bounds.rows(press, reset), hidden_row(29 * MS, "test"), *told)
    if name == "light after complete":
        quantity = bounds.between(reset, lit) - hidden - inside
        return quantity, (*bounds.rows(reset, lit), hidden_row(29 * MS, "test"), *told)
    return bounds.between(reset, lit) - inside, (*bounds.rows(reset, lit), *told)


@pytest.mark.parametrize("name", ["press to complete", "light after complete", "residual"])
def test_95_percent_of_reconciled_times(name: str, random: Generator) -> None:
    quantity, rows = reconciled(name)
    errors_ns = drawn_ns(rows, random, DRAWS)

    table = budget_of(name, quantity.value_ns, rows)

    assert 0.93 <= share_within(errors_ns, quantity.expanded_ns) <= 0.97
    assert quantity.expanded_ns == pytest.approx(table.expanded_ns, rel=0.03)
    assert quantity.bound_ns == table.bound_ns


@pytest.mark.parametrize("count", [3, 11, 101])
def test_95_percent_of_unexplained_times(count: int, random: Generator) -> None:
    quantity, rows = reconciled("residual")
    errors_ns = drawn_ns(rows, random, DRAWS * count).reshape(DRAWS, count)
    unexplained_ns = errors_ns[:, 0] - np.median(errors_ns, axis=1)

    found = quantity.from_median(quantity.value_ns)

    assert 0.93 <= share_within(unexplained_ns, found.expanded_ns) <= (0.97 if count > 3 else 1.0)


SIZES = (1.0, 30.0, 1_000.0)
SHAPES = [
    ErrorShape(kind, size, size / 3 if kind is Distribution.NORMAL else size / sqrt(3))
    for kind, size in product((Distribution.NORMAL, Distribution.RECTANGLE), SIZES)
]


@pytest.mark.parametrize(("first", "second"), list(product(SHAPES, SHAPES)))
def test_sums_of_quantities_need_no_convolution(first: ErrorShape, second: ErrorShape) -> None:
    scale = 1_000  # rounding to whole ns is not what this is about
    quantities = [
        BoundedNs(
            0,
            ceil(shape.half_width_ns * scale),
            round(shape.standard_ns * scale),
            round(expanded_half_width_ns([shape]) * scale),
        )
        for shape in (first, second)
    ]

    cheap = (quantities[0] + quantities[1]).expanded_ns
    exact = expanded_half_width_ns([first, second]) * scale

    assert cheap == pytest.approx(exact, rel=0.02)


def test_one_rectangle_needs_165_and_many_need_2() -> None:
    one = ErrorShape(Distribution.RECTANGLE, 1_000, 1_000 / sqrt(3))

    assert expanded_half_width_ns([one]) / one.standard_ns == pytest.approx(1.645, abs=0.001)
    many = expanded_half_width_ns([one] * 12) / (one.standard_ns * sqrt(12))
    assert many == pytest.approx(1.96, abs=0.02)


def test_normal_errors_have_the_normal_distributions_own_quantile() -> None:
    shapes = [ErrorShape(Distribution.NORMAL, 3_000, 1_000)] * 4

    half_width_ns = expanded_half_width_ns(shapes)

    assert half_width_ns / 2_000 == pytest.approx(NormalDist().inv_cdf(0.975), rel=1e-4)


def test_the_clock_is_one_error_and_not_two() -> None:
    rows = (even_row("clock", "test", 600, group="clock"),) * 2

    found = budget_of("twice", 0, rows)

    assert (found.bound_ns, found.standard_ns) == (1_200, 2 * ceil(600 / sqrt(3)))
    assert found.expanded_ns == pytest.approx(0.95 * 1_200, rel=0.001)
