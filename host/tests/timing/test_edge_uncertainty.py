"""Intervals get their uncertainty quickly, and the same as their table says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.timing.budget import CaptureStamps, budget_of, rate_half_width_ns
from resume_rig.timing.edge_uncertainty import (
    IntervalBounds,
    Moment,
    Ramp,
    capture_bounds,
    without_delays,
)
from resume_rig.timing.light_budget import (
    LONGEST_RAMP_NS,
    LightDefinition,
    LightDoubt,
    LightEnd,
    light_end_of,
)

from .conftest import by_capture, by_interrupt, by_loopback

MS = 1_000_000
S = 1_000 * MS
CHANNELS = st.sampled_from(list(Channel))
INSTRUMENTS = st.sampled_from([by_interrupt(), by_capture(), by_loopback()])


def bound_ns(bounds: IntervalBounds, start: Channel, end: Channel, duration_ns: int) -> int:
    return bounds.between(Moment(start, 0), Moment(end, duration_ns)).bound_ns


@pytest.mark.parametrize(
    ("start", "end", "duration_ns", "expected_ns"),
    [
        (Channel.SLP_S3, Channel.PWR_OK, 0, 7_000 + 9_000),
        (Channel.PWR_OK, Channel.PLTRST, 2 * S, 9_000 + 60_000),
        (Channel.BUTTON, Channel.SLP_S3, 0, 5_000 + 20_000 + 7_000),
        (Channel.BUTTON, Channel.BUTTON, 0, 2 * (5_000 + 20_000)),
        (Channel.LID, Channel.SLP_S3, 0, 6_000_000 + 7_000),
        (Channel.PLTRST, Channel.BACKLIGHT, 0, 1_000_000),
    ],
    ids=["logic", "clock", "press", "two presses", "lid", "light"],
)
def test_half_widths_add_linearly_to_the_bound(start, end, duration_ns, expected_ns) -> None:
    edge_ns = {Channel.SLP_S3: 7_000, Channel.PWR_OK: 9_000, Channel.BUTTON: 5_000}
    bounds = IntervalBounds(rate_ppb=30_000, edge_ns=edge_ns)

    assert bound_ns(bounds, start, end, duration_ns) == expected_ns


@given(bounds=INSTRUMENTS, start=CHANNELS, end=CHANNELS, duration_ns=st.integers(0, 10**12))
def test_the_table_says_what_the_interval_says(bounds, start, end, duration_ns) -> None:
    ends = Moment(start, 0), Moment(end, duration_ns)

    quick = bounds.between(*ends)
    table = budget_of("any", duration_ns, bounds.rows(*ends))

    assert quick.bound_ns == table.bound_ns
    assert abs(quick.standard_ns - table.standard_ns) <= 1
    assert quick.expanded_ns == pytest.approx(table.expanded_ns, rel=0.005, abs=2)
    assert quick.standard_ns <= quick.expanded_ns <= quick.bound_ns


def test_a_moment_of_light_has_its_own_terms_and_its_delay_is_taken_off() -> None:
    light = LightEnd(LightDefinition.HALF, 20_000, MS)
    start, end = Moment(Channel.PLTRST, 0), Moment(Channel.BACKLIGHT, S, light=light)

    found = by_interrupt().between(start, end)

    assert found.value_ns == S - 3_550
    assert found.bound_ns < 200_000  # a comparator's definition of light alone is 1 ms
    names = [row.name for row in by_interrupt().rows(start, end)]
    assert "sampling of t_50" in names
    assert not any("BACKLIGHT" in name for name in names)


def test_two_edges_of_one_kind_share_the_front_end_and_nothing_else() -> None:
    bounds = by_interrupt(press_definition_ns=0)
    alone = bounds.rows(Moment(Channel.SLP_S3, 0), Moment(Channel.PLTRST, 0))
    same = bounds.rows(Moment(Channel.SLP_S3, 0), Moment(Channel.SLP_S3, 0))

    front_end_ns = 2 * 150
    stamps_ns = 2 * 7_000
    assert budget_of("two channels", 0, alone).bound_ns == stamps_ns + front_end_ns
    assert budget_of("one channel", 0, same).bound_ns == stamps_ns


def test_the_length_of_a_ramp_counts_where_only_its_limits_are_known() -> None:
    known = by_capture(Ramp(10_000_000, 10_000_000, "measured"))
    limited = by_capture(Ramp(0, 10_000_000, "ATX T4"))
    ends = Moment(Channel.SLP_S3, 0), Moment(Channel.PWR_OK, 0)

    assert limited.between(*ends).standard_ns > known.between(*ends).standard_ns
    assert known.delays_ns()[Channel.PWR_OK, True] == 35_000
    assert limited.delays_ns()[Channel.PWR_OK, True] == (35_000 + 380) // 2
    assert any("length" in row.name for row in limited.rows(*ends))


def test_the_clock_is_rounded_up() -> None:
    assert rate_half_width_ns(30_000, 1) == 1
    assert rate_half_width_ns(30_000, -2 * S) == 60_000


def test_an_unknown_analyser_is_trusted_less_on_a_ramp_and_keeps_its_bound() -> None:
    bounds = capture_bounds(CaptureStamps(step_ns=1_000))

    assert bound_ns(bounds, Channel.SLP_S3, Channel.PLTRST, 0) == 3_000
    assert bound_ns(bounds, Channel.PWR_OK, Channel.PLTRST, 0) > 100_000
    found = bounds.between(Moment(Channel.SLP_S3, 0), Moment(Channel.PLTRST, S))
    assert found.expanded_ns == found.bound_ns == 103_000


def test_delays_are_taken_off_by_channel_and_edge_and_the_order_is_restored() -> None:
    edges = [
        Edge(0, 100, Channel.PLTRST, 1),
        Edge(1, 120, Channel.BACKLIGHT, 1),
        Edge(2, 200, Channel.BACKLIGHT, 0),
    ]

    moved = without_delays(edges, {(Channel.BACKLIGHT, True): 50, (Channel.PLTRST, False): 9})

    assert [(edge.channel, edge.t_ns) for edge in moved] == [
        (Channel.BACKLIGHT, 70),
        (Channel.PLTRST, 100),
        (Channel.BACKLIGHT, 200),
    ]


def test_onsets_that_differ_a_little_are_of_one_kind_and_never_too_certain() -> None:
    def onset(wider_ns: int) -> LightOnset:
        return LightOnset(
            OnsetState.OK,
            first_ns=0,
            half_ns=4 * MS,
            ninety_ns=8_100_000 + wider_ns,
            resolution_ns=20_000,
            duty=0.5,
            pwm_uncertainty_ns=144_000 + wider_ns // 200,
        )

    one = light_end_of(onset(0), LightDefinition.HALF)
    other = light_end_of(onset(100_000), LightDefinition.HALF)

    assert one == other
    assert 10_125_000 <= one.ramp_ns <= 10_125_000 * 1.05
    assert 249_415 <= one.pwm_half_ns <= 249_415 * 1.05


def test_an_onset_that_tells_little_is_taken_for_the_slowest() -> None:
    end = light_end_of(LightOnset(OnsetState.UNSTABLE, first_ns=0), LightDefinition.FIRST)

    assert (end.ramp_ns, end.pwm_half_ns, end.duty) == (LONGEST_RAMP_NS, 0, 1.0)


@pytest.mark.parametrize(
    ("doubt", "waits"),
    [
        (None, 0.7),
        (LightDoubt(0, 0, average_ns=40 * MS), 1.0),
        (LightDoubt(0, 0, resolution_ns=2 * MS, average_ns=16_666_667), 1.0),
    ],
    ids=["one period", "a longer average", "points farther apart"],
)
def test_the_first_light_waits_for_a_whole_period_where_t_50_may_be_too_early(doubt, waits) -> None:
    """By its t_50, 3.5 ms after t_first, the rise is quick and waits for the dark time alone."""
    period_ns, duty = 1e9 / 60, 0.3
    onset = LightOnset(
        OnsetState.OK,
        first_ns=0,
        half_ns=3_500_000,
        ninety_ns=20 * MS,
        resolution_ns=20_000,
        pwm_hz=60.0,
        duty=duty,
        pwm_uncertainty_ns=round((1 - duty) * period_ns / 12**0.5),
    )

    end = light_end_of(onset, LightDefinition.FIRST, doubt)

    assert end.late_ns == pytest.approx(waits * period_ns / 2, rel=0.05)


def test_a_calibrated_clock_changes_the_clock_alone() -> None:
    ends = Moment(Channel.SLP_S3, 0), Moment(Channel.PLTRST, 60 * S)
    stated = by_capture()

    calibrated = stated.with_rate(100, "NTP")

    saved_ns = stated.between(*ends).bound_ns - calibrated.between(*ends).bound_ns
    assert saved_ns == 60 * 900
    assert calibrated.rows(*ends)[-1].source == "NTP"
    assert calibrated.rows(*ends)[:-1] == stated.rows(*ends)[:-1]
