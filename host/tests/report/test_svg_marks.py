"""Every cycle is a mark: within its frame, in a bounded size, and those without a time, too."""

import math
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.verdict.series import series_statistics
from resume_rig.model.result.series import CycleTimes
from resume_rig.report.drawing.marks import (
    MarksPicture,
    StripSource,
    date_strips,
    marks_picture,
    time_strips,
)

TIMES = st.lists(st.integers(0, 10**6).map(float) | st.just(math.nan), min_size=1, max_size=900)
PLACE = re.compile(r"M([\d.e+]+) ([\d.e+]+)")


def cycles(times_ms: list[float], marks: str | None = None) -> CycleTimes:
    told = marks or "".join("o" if math.isnan(ms) else "." for ms in times_ms)
    return CycleTimes("resume_ms", range(1, len(times_ms) + 1), times_ms, told)


def drawn(shown: CycleTimes, limit_ms: float | None = None) -> MarksPicture:
    timed = [
        (n, t) for n, t in zip(shown.numbers, shown.times_ms, strict=True) if not math.isnan(t)
    ]
    known = series_statistics("resume_ms", [t for _, t in timed], [n for n, _ in timed], 1.0)
    picture = marks_picture(shown, known, limit_ms)
    assert picture is not None
    return picture


def places(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in PLACE.findall(path)]


def test_no_cycle_makes_no_drawing() -> None:
    assert marks_picture(cycles([]), None, 2_000) is None


@given(TIMES, st.none() | st.integers(1, 10**6).map(float))
def test_nothing_leaves_the_frame(times: list[float], limit: float | None) -> None:
    picture = marks_picture(cycles(times), None, limit)
    assert picture is not None
    frame = picture.frame
    dots = [*places(picture.timed), *places(picture.unknown), *places(picture.beyond)]
    assert len(dots) <= len(times)
    assert dots
    for x, y in dots:
        assert frame.left - 1 <= x <= frame.right + 1
        assert 0 <= y <= frame.height
    assert picture.limit_at is None or frame.top <= picture.limit_at <= frame.base


def test_the_limit_is_always_in_the_picture() -> None:
    picture = drawn(cycles([900.0, 910.0]), 2_000)
    assert picture.times.scale.low < 900
    assert picture.times.scale.high > 2_000
    assert (picture.limit_label, picture.limit_at) == (
        "limit 2000 ms",
        picture.times.scale.at(2_000),
    )


def test_a_hundred_thousand_cycles_have_a_bounded_picture() -> None:
    times = [900.0 + n * 7919 % 100 for n in range(100_000)]
    picture = marks_picture(cycles(times), None, 2_000)
    assert picture is not None
    assert len(picture.timed) < 1_000_000
    # Every height is there: dots are one only where they fall on one another.
    assert len({y for _, y in places(picture.timed)}) > 20


def test_cycles_without_a_time_are_crosses_and_diamonds_over_their_numbers() -> None:
    picture = drawn(cycles([900.0, math.nan, 910.0, math.nan], ".x.o"))
    across = picture.cycles.scale
    assert [x for x, _ in places(picture.broken)] == [pytest.approx(across.at(2), abs=0.5)]
    assert [x for x, _ in places(picture.unknown)] == [pytest.approx(across.at(4), abs=0.5)]
    assert "1 did not sleep and wake as planned (✕); 1 without a time (◇)" in picture.summary


def test_a_campaign_whose_cycles_never_woke_is_all_crosses() -> None:
    picture = marks_picture(cycles([math.nan] * 3, "xxx"), None, 2_000)
    assert picture is not None
    assert len(places(picture.broken)) == 3
    assert picture.timed == ""
    assert picture.limit_at is not None


def test_a_far_time_flattens_no_other_and_is_marked() -> None:
    picture = drawn(cycles([900.0 + n % 5 for n in range(99)] + [25_000.0]))
    assert picture.times.scale.high < 2_000
    assert len(places(picture.beyond)) == 1


def test_hidden_time_is_a_ring_above_its_dot() -> None:
    shown = cycles([900.0, 950.0])
    picture = marks_picture(shown, None, 2_000, {1: 1_130.0, 2: 1_180.0})
    assert picture is not None
    for (x, y), (ring_x, ring_y) in zip(places(picture.timed), places(picture.hidden), strict=True):
        assert ring_x == x
        assert ring_y < y


def test_a_step_is_drawn_as_two_levels_at_its_cycle() -> None:
    picture = drawn(
        cycles([900.0 + n % 5 for n in range(100)] + [950.0 + n % 5 for n in range(100)])
    )
    first, second = picture.levels
    across, up = picture.cycles.scale, picture.times.scale
    assert (first.x2, second.x1) == (across.at(100), across.at(101))
    assert (first.y1, second.y1) == (up.at(902), up.at(952))
    assert "1 step of the level" in picture.summary


def test_a_drift_is_drawn_as_its_line() -> None:
    times = [900.0 + n / 4 + n * 7 % 5 for n in range(120)]
    known = series_statistics("resume_ms", times, list(range(1, 121)), 1.0)
    assert known.drift is not None
    picture = marks_picture(cycles(times), replace(known, change_points=()), None)
    assert picture is not None
    (level,) = picture.levels
    scale = picture.times.scale
    rise = (level.y1 - level.y2) / (scale.start - scale.end) * (scale.high - scale.low)
    assert rise == pytest.approx(known.drift.slope_ms * 119 / 100, rel=0.01)
    assert "a drift of +" in picture.summary


def test_ticks_are_whole_cycles() -> None:
    for count in (2, 3, 10, 47, 1_000, 100_000):
        shown = CycleTimes("resume_ms", [1, count], [900.0, 901.0], "..")
        picture = marks_picture(shown, None, None)
        assert picture is not None
        labels = [int(tick.label) for tick in picture.cycles.ticks]
        assert labels
        assert all(1 <= label <= count for label in labels)


def test_a_strip_without_a_time_has_its_row_and_its_counts() -> None:
    sources = [
        StripSource("fast", [900.0, 910.0, math.nan], 905.0, 910.0, failed=[False, True, False]),
        StripSource("dead", [], broken=12),
    ]
    found = time_strips(sources, 2_000, "Two.")
    assert found is not None
    fast, dead = found.strips
    assert (len(places(fast.dots)), len(places(fast.failed))) == (1, 1)
    assert (dead.name, dead.dots, dead.broken) == ("dead", "", 12)
    assert dead.y > fast.y


@pytest.mark.parametrize("span_s", [0.0, 40.0, 3_600.0, 1e6, 3e7, 2e9], ids=str)
def test_a_timeline_labels_days_or_hours_and_few_of_them(span_s: float) -> None:
    found = date_strips([StripSource("S3", [1.7e9, 1.7e9 + span_s])], "One kind.")
    assert found is not None
    assert 1 <= len(found.ticks) <= 9
    assert all(found.left <= tick.at <= found.right for tick in found.ticks)
    assert len({tick.label for tick in found.ticks}) == len(found.ticks)
    form = r"\d{4}-\d\d-\d\d( \d\d:\d\d)?" if span_s > 60 else r"\d\d:\d\d:\d\d"
    assert all(re.fullmatch(form, tick.label) for tick in found.ticks)
    halves = [len(tick.label) * 3.6 for tick in found.ticks]
    gaps = [b.at - a.at for a, b in pairwise(found.ticks)]
    assert all(gap > sum(two) for gap, two in zip(gaps, pairwise(halves), strict=True))


def test_names_take_no_more_room_than_they_need() -> None:
    named = [StripSource("base", [1.0]), StripSource("x" * 60, [1.0])]
    short, long = (time_strips([source], None, "One.") for source in named)
    assert short is not None
    assert long is not None
    assert short.left < 100
    assert 240 < long.left < 280
    assert len(long.strips[0].name) * 6.8 < long.left


def test_a_strip_without_a_dot_still_has_its_median_on_the_axis() -> None:
    found = time_strips([StripSource("S4", [], 5_358.0, 5_399.0)], None, "One.")
    assert found is not None
    (strip,) = found.strips
    assert strip.median is not None
    assert strip.p95 is not None
    assert found.left < strip.median < strip.p95 < found.right


def test_a_cycle_that_does_not_count_is_a_pale_dot_of_its_strip() -> None:
    source = StripSource("mix", [900.0, 2_500.0, 910.0], left_out=[False, True, False])
    found = time_strips([source], 2_000, "One.")
    assert found is not None
    assert (len(places(found.strips[0].dots)), len(places(found.strips[0].left_out))) == (2, 1)
