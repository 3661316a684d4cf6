"""A time over the cycles: all of it is drawn, within its frame, in a bounded size."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.series import series_statistics
from resume_rig.report.svg_drift import (
    COLUMNS_MOST,
    DOTS_MOST,
    FAILED_MOST,
    DriftPicture,
    drift_picture,
)

TIMES = st.lists(st.integers(0, 10**6).map(float), min_size=2, max_size=900)


def drawn(
    times_ms: list[float], limit_ms: float | None = None, failed: list[int] | None = None
) -> DriftPicture:
    series = list(enumerate(times_ms, 1))
    known = series_statistics("resume_ms", times_ms, [n for n, _ in series], 1.0)
    picture = drift_picture(series, known, failed or [], limit_ms, len(times_ms))
    assert picture is not None
    return picture


@pytest.mark.parametrize("times", [[], [(1, 900.0)]])
def test_fewer_than_two_times_make_no_drawing(times: list[tuple[int, float]]) -> None:
    assert drift_picture(times, None, [], 2_000, 9) is None


@given(TIMES, st.none() | st.integers(1, 10**6).map(float))
def test_nothing_leaves_the_frame_and_the_size_is_bounded(
    times: list[float], limit: float | None
) -> None:
    picture = drift_picture(list(enumerate(times, 1)), None, [], limit, len(times))
    assert picture is not None
    frame = picture.frame
    assert len(picture.columns) <= max(DOTS_MOST, COLUMNS_MOST)
    for column in picture.columns:
        assert frame.left <= column.x <= frame.right
        assert frame.top <= column.top <= column.middle <= column.bottom <= frame.base
    assert all(a.x < b.x for a, b in pairwise(picture.columns))
    assert picture.limit_at is None or frame.top <= picture.limit_at <= frame.base


def test_the_least_and_the_greatest_time_of_many_are_drawn() -> None:
    times = [900.0 + n % 7 for n in range(5_000)]
    times[1_234], times[4_321] = 880.0, 930.0
    picture = drawn(times)
    assert not picture.single
    scale = picture.times.scale
    assert min(c.top for c in picture.columns) == scale.at(930.0)
    assert max(c.bottom for c in picture.columns) == scale.at(880.0)


def test_a_far_time_flattens_no_other_and_is_marked() -> None:
    picture = drawn([900.0 + n % 5 for n in range(99)] + [25_000.0])
    assert picture.times.scale.high < 2_000
    assert [column.beyond for column in picture.columns] == [False] * 99 + [True]


def test_a_step_is_drawn_as_two_levels_at_its_cycle() -> None:
    picture = drawn([900.0 + n % 5 for n in range(100)] + [950.0 + n % 5 for n in range(100)])
    first, second = picture.levels
    across, up = picture.cycles.scale, picture.times.scale
    assert (first.x2, second.x1) == (across.at(100), across.at(101))
    assert (first.y1, second.y1) == (up.at(902), up.at(952))
    assert "1 step of the level" in picture.summary


def test_a_drift_is_drawn_as_its_line() -> None:
    times = [900.0 + n / 4 + n * 7 % 5 for n in range(120)]
    numbers = list(range(1, 121))
    known = series_statistics("resume_ms", times, numbers, 1.0)
    assert known.drift is not None
    series = list(zip(numbers, times, strict=True))
    picture = drift_picture(series, replace(known, change_points=()), [], None, 120)
    assert picture is not None
    (level,) = picture.levels
    scale = picture.times.scale
    rise = (level.y1 - level.y2) / (scale.start - scale.end) * (scale.high - scale.low)
    assert rise == pytest.approx(known.drift.slope_ms * 119 / 100, rel=0.01)
    assert "a drift of +" in picture.summary


def test_a_limit_is_drawn_where_it_is_near() -> None:
    near, far = drawn([900.0, 1_900.0], 2_000), drawn([900.0, 910.0], 2_000)
    assert near.limit_at is not None
    assert far.limit_at is None
    assert far.limit_label == "limit 2000 ms"


def test_failures_stand_under_their_cycles_and_stay_countable() -> None:
    picture = drawn([900.0] * 20, failed=[3, 17])
    assert picture.failed == tuple(float(round(picture.cycles.scale.at(n))) for n in (3, 17))
    assert "2 cycles went wrong" in picture.summary
    many = drawn([900.0] * 3_000, failed=list(range(1, 3_001)))
    assert 0 < len(many.failed) <= FAILED_MOST


def test_ticks_are_whole_cycles() -> None:
    for count in (2, 3, 10, 47, 1_000, 100_000):
        series = [(1, 900.0), (count, 901.0)]
        picture = drift_picture(series, None, [], None, count)
        assert picture is not None
        labels = [int(tick.label) for tick in picture.cycles.ticks]
        assert labels
        assert all(1 <= label <= count for label in labels)
