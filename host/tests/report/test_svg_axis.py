import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.report.drawing.axis import Scale, count_axis, multiples, nice_step, time_axis


@pytest.mark.parametrize(
    ("span", "most", "step"),
    [(10, 10, 1), (11, 10, 2), (2_400, 14, 200), (0.3, 3, 0.1), (1, 1, 1), (70, 10, 10)],
    ids=["exact", "next", "phases", "fraction", "one", "rounding"],
)
def test_steps_are_nice(span: float, most: int, step: float) -> None:
    assert nice_step(span, most) == pytest.approx(step)


@given(st.floats(1e-6, 1e9), st.integers(1, 50))
def test_a_step_is_one_two_or_five_and_no_finer_than_asked(span: float, most: int) -> None:
    step = nice_step(span, most)
    mantissa = step / 10 ** math.floor(math.log10(step * (1 + 1e-9)))
    assert min(abs(mantissa - nice) for nice in (1, 2, 5, 10)) < 1e-6
    assert span / step <= most * (1 + 1e-6)


@pytest.mark.parametrize(("span", "most"), [(0, 5), (-1, 5), (1, 0), (math.nan, 5)])
def test_a_span_that_is_none_is_refused(span: float, most: int) -> None:
    with pytest.raises(ValueError, match="above 0"):
        nice_step(span, most)


def test_multiples_hold_both_ends() -> None:
    assert multiples(-1, 1, 0.5) == [-1, -0.5, 0, 0.5, 1]


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_scale_keeps_order_and_stays_in_the_picture(a: float, b: float) -> None:
    scale = Scale(-1_000, 1_000, 50, 950)
    low, high = sorted((a, b))
    assert 50 <= scale.at(low) <= scale.at(high) <= 950


def test_a_time_axis_is_labelled_in_milliseconds_and_a_long_one_in_seconds() -> None:
    short = time_axis(0, 2_400, 0, 100)
    assert (short.unit, short.ticks[-1].label) == ("ms", "2000")
    long = time_axis(0, 30_000, 0, 100)
    assert (long.unit, long.ticks[1].label) == ("s", "5")


def test_ticks_below_one_keep_their_decimals_and_zero_has_no_sign() -> None:
    axis = time_axis(-0.2, 0.2, 0, 100, most=4)
    assert [tick.label for tick in axis.ticks] == ["-0.2", "-0.1", "0.0", "0.1", "0.2"]


@pytest.mark.parametrize("high", [0, 1, 2, 7, 116, 99_999])
def test_counts_have_whole_ticks_from_zero_to_at_least_the_highest(high: int) -> None:
    axis = count_axis(high, 200, 0)
    labels = [int(tick.label) for tick in axis.ticks]
    assert labels[0] == 0
    assert labels[-1] >= high
    assert len(labels) == len(set(labels)) <= 7
    assert axis.scale.at(0) > axis.scale.at(axis.scale.high)
