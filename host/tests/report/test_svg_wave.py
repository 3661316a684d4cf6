"""The waveform of a cycle: every edge where it was, pauses folded, nothing beside the picture."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge, LightBlock
from resume_rig.model.result.judgement import RecordedCycle
from resume_rig.report.drawing.wave import Lane, WavePicture, wave_picture

MS = 1_000_000
S = 1_000_000_000


def cycle(
    times_ns: list[int], zero_ns: int | None = None, light: tuple[LightBlock, ...] = ()
) -> RecordedCycle:
    edges = [Edge(n, t, Channel.SLP_S3, n % 2) for n, t in enumerate(sorted(times_ns))]
    return RecordedCycle(
        number=5,
        edges=tuple(edges),
        initial_levels={Channel.SLP_S3: 1, Channel.PWR_OK: 0},
        light=light,
        zero_ns=zero_ns or 0,
        has_trigger=zero_ns is not None,
        zero_utc_ns=None,
        zero_utc_bound_ns=0,
        started_utc_ns=0,
    )


def picture(*args: object, **named: object) -> WavePicture:
    found = wave_picture(cycle(*args, **named))  # type: ignore[arg-type]
    assert found is not None
    return found


def places(lane: Lane) -> list[float]:
    return [float(x) for x in re.findall(r"H([\d.]+)V", lane.path)]


def test_a_cycle_without_an_edge_has_no_picture() -> None:
    assert wave_picture(cycle([])) is None


def test_lanes_are_in_the_order_of_the_channels_and_begin_at_their_levels() -> None:
    high, low = picture([10 * MS]).lanes
    assert (high.name, low.name) == ("PWR_OK", "SLP_S3#")
    assert places(high) == []
    assert len(places(low)) == 1


def test_a_long_sleep_is_folded_and_says_how_long_it_was() -> None:
    folded = picture([0, 100 * MS, 3_600 * S, 3_600 * S + 100 * MS], 3_600 * S)
    (fold,) = folded.folds
    assert fold.label == "3599.8 s"
    before, after = places(folded.lanes[1])[1:3]
    assert before < fold.at < after
    # The two stretches are alike, and so are their widths.
    a, b, c, d = places(folded.lanes[1])
    assert abs((b - a) - (d - c)) < 1


def test_a_pause_that_is_not_long_is_drawn_to_scale() -> None:
    straight = picture([0, 100 * MS, 300 * MS])
    a, b, c = places(straight.lanes[1])
    assert straight.folds == ()
    assert (c - b) / (b - a) == pytest.approx(2, abs=0.01)


def test_light_is_drawn_from_minimum_to_maximum_where_the_axis_is() -> None:
    blocks = tuple(LightBlock(n, n * MS, 5, 50, 100 if n > 60 else 10) for n in range(120))
    outline = picture([0, 100 * MS], light=blocks).light
    ys = [float(point.split(",")[1]) for point in outline.split()]
    assert max(ys) - min(ys) > 30
    assert picture([0, 100 * MS]).light == ""


@given(
    st.lists(st.integers(0, 10**14), min_size=1, max_size=40, unique=True),
    st.none() | st.integers(0, 10**14),
)
def test_edges_keep_their_order_and_stay_in_the_picture(
    times_ns: list[int], zero_ns: int | None
) -> None:
    found = picture(times_ns, zero_ns)
    at = places(found.lanes[1])
    assert at == sorted(at)
    assert all(found.left <= x <= found.right for x in at)
    assert len(at) == len(times_ns)
    assert all(found.left <= tick.at <= found.right for tick in found.ticks)
    assert all(a.at < b.at for a, b in pairwise(found.ticks))
    if zero_ns is not None:
        assert found.zero is not None
        assert found.left <= found.zero <= found.right


def test_no_label_of_the_axis_lies_over_what_it_counts() -> None:
    found = picture([0, 150 * MS])
    assert [tick.label for tick in found.ticks if tick.at < found.left + 16] == [""]
    assert found.ticks[1].label


def dark(full_scale: int | None = 4095, *, lit_ns: int | None = None) -> WavePicture:
    """A resume whose edges end after 200 ms, with 10 s of light that is noise."""
    light = tuple(LightBlock(n, n * MS, 30, 40, 30 + n % 20) for n in range(10_000))
    waked = cycle([100 * MS, 200 * MS], 50 * MS, light)
    edges = waked.edges
    if lit_ns is not None:
        edges = (*edges, Edge(2, lit_ns, Channel.BACKLIGHT, 1))
    found = wave_picture(replace(waked, edges=edges, light_full_scale=full_scale))
    assert found is not None
    return found


def test_a_display_that_stays_dark_is_drawn_as_long_as_it_was_waited_for() -> None:
    waited = [float(tick.label) for tick in dark().ticks if tick.label]

    assert max(waited) > 2_000
    assert dark().folds == ()
    assert max(float(tick.label) for tick in dark(lit_ns=300 * MS).ticks if tick.label) < 400


def test_the_noise_of_a_dark_display_does_not_fill_its_lane() -> None:
    def height(found: WavePicture) -> float:
        ys = [float(point.split(",")[1]) for point in found.light.split()]
        return (found.base - min(ys)) / (found.base - found.light_y) / 2

    assert height(dark()) < 0.3
    assert height(dark(None)) > 0.8


def test_the_name_of_the_trigger_covers_no_fold() -> None:
    folded = picture([0, 100 * MS, 3_600 * S, 3_600 * S + 100 * MS], 3_600 * S)
    (fold,) = folded.folds
    assert folded.zero is not None

    assert folded.zero_anchor == ("start" if folded.zero - fold.at < 70 else "middle")
    assert picture([0, 100 * MS], 50 * MS).zero_anchor == "middle"
