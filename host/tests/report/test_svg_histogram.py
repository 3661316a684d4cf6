from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.report.drawing.histogram import Histogram, histogram


def drawn(times_ms: list[float], limit_ms: float = 2_000) -> Histogram:
    figure = histogram(times_ms, limit_ms)
    assert figure is not None
    return figure


def test_no_times_give_no_drawing() -> None:
    assert histogram([], 2_000) is None


@given(st.lists(st.integers(0, 10**7).map(float), min_size=1, max_size=60), st.integers(1, 10**5))
def test_every_time_is_counted_once_inside_the_frame(times: list[float], limit: int) -> None:
    figure = drawn(times, limit)
    frame = figure.frame
    assert sum(bar.count for bar in figure.bars) == len(times)
    assert sum(b.count for b in figure.bars if b.over) == sum(1 for t in times if t > limit)
    assert frame.left <= figure.limit_at <= frame.right
    for bar in figure.bars:
        assert frame.left <= bar.x < bar.x + bar.width <= frame.right + 0.01
        assert frame.top <= bar.y < frame.base
    assert all(frame.left <= at <= frame.right for at in figure.rug)
    edges = sorted((bar.x, bar.x + bar.width) for bar in figure.bars)
    assert all(a[1] <= b[0] + 0.02 for a, b in pairwise(edges))


def test_a_time_on_the_limit_is_within_it() -> None:
    assert [bar.over for bar in drawn([2_000.0]).bars] == [False]
    assert [bar.over for bar in drawn([2_001.0]).bars] == [True]


@pytest.mark.parametrize(
    "times", [[1_200.0], [1_197.0, 1_227.0], [3_604.0], [1_999.5], [1_990.0, 2_010.0]]
)
def test_the_limit_is_always_drawn_away_from_the_edge(times: list[float]) -> None:
    figure = drawn(times)
    assert figure.frame.left + 5 < figure.limit_at < figure.frame.right - 5
    assert figure.limit_label == "limit 2000 ms"


def test_a_far_outlier_does_not_flatten_the_others() -> None:
    figure = drawn([1_200.0 + n for n in range(100)] + [12_511.0])
    assert figure.times.scale.high < 3_500
    last = figure.bars[-1]
    assert (last.text, last.count, last.over) == (figure.beyond_text, 1, True)
    assert figure.beyond_text == "1 past the axis, at 12511 ms"
    assert all(tick.at <= last.x for tick in figure.times.ticks)


def test_slow_units_are_drawn_to_scale() -> None:
    figure = drawn([2_323.0, 2_964.0, 3_604.0])
    assert figure.beyond_text is None
    assert len(figure.bars) == 3


def test_a_single_cycle_is_seen_beside_thousands() -> None:
    figure = drawn([1_200.0] * 5_000 + [2_100.0])
    assert min(bar.height for bar in figure.bars) >= 3
    assert figure.rug == ()


def test_the_drawing_is_told_in_words() -> None:
    assert drawn([1_200.0, 2_500.0]).summary == (
        "2 cycles between 1200 and 2500 ms; 1 above the limit of 2000 ms."
    )


def test_a_single_time_has_a_bar_of_a_millisecond_and_ticks_that_are_times() -> None:
    figure = histogram([9_044.0], None)
    assert figure is not None
    (bar,) = figure.bars
    assert bar.text == "above 9043 to 9044 ms: 1 cycle"
    assert all(tick.label.isdigit() for tick in figure.times.ticks)
