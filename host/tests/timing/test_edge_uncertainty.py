"""The bound of an interval is the sum of its terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.timing.edge_uncertainty import (
    IntervalBounds,
    capture_bounds,
    edge_half_width_ns,
    rate_half_width_ns,
    without_delays,
)

CHANNELS = st.sampled_from(list(Channel))


@pytest.mark.parametrize(
    ("start", "end", "duration_ns", "expected_ns"),
    [
        (Channel.SLP_S3, Channel.PWR_OK, 0, 7_000 + 9_000),
        (Channel.PWR_OK, Channel.PLTRST, 2_000_000_000, 9_000 + 60_000),
        (Channel.BUTTON, Channel.SLP_S3, 0, 5_000 + 20_000 + 7_000),
        (Channel.BUTTON, Channel.BUTTON, 0, 2 * (5_000 + 20_000)),
        (Channel.LID, Channel.SLP_S3, 0, 4_000_000 + 7_000),
        (Channel.PLTRST, Channel.BACKLIGHT, 0, 1_000_000),
    ],
    ids=["logic", "clock", "press", "press width", "lid", "light"],
)
def test_terms_add_linearly(start, end, duration_ns, expected_ns) -> None:
    edge_ns = {Channel.SLP_S3: 7_000, Channel.PWR_OK: 9_000, Channel.BUTTON: 5_000}
    bounds = IntervalBounds(rate_ppb=30_000, edge_ns=edge_ns)

    assert bounds.bound_ns(start, end, duration_ns) == expected_ns


@given(start=CHANNELS, end=CHANNELS, duration_ns=st.integers(0, 10**12))
def test_the_budget_sums_to_the_bound(start, end, duration_ns) -> None:
    bounds = IntervalBounds(rate_ppb=30_000, default_edge_ns=4_000)

    rows = bounds.terms(start, end, duration_ns)

    assert sum(row.half_width_ns for row in rows) == bounds.bound_ns(start, end, duration_ns)
    assert all(row.half_width_ns > 0 for row in rows)


def test_half_a_tick_and_half_a_nanosecond_are_rounded_up() -> None:
    assert edge_half_width_ns(4_000, 1_001, calibrated=False) == 4_501


def test_the_uncertainty_of_a_calibrated_channel_has_the_resolution_in_it_already() -> None:
    assert edge_half_width_ns(4_000, 1_001, calibrated=True) == 4_000
    assert rate_half_width_ns(30_000, 1) == 1
    assert rate_half_width_ns(30_000, -2_000_000_000) == 60_000


def test_an_unknown_analyser_is_trusted_less_on_a_ramp() -> None:
    bounds = capture_bounds(resolution_ns=1_000)

    logic = bounds.bound_ns(Channel.SLP_S3, Channel.PLTRST, 0)
    ramp = bounds.bound_ns(Channel.PWR_OK, Channel.PLTRST, 0)

    assert logic == 4_000
    assert ramp > 100_000


def test_front_end_delays_are_taken_off_and_the_order_is_restored() -> None:
    edges = [Edge(0, 100, Channel.PLTRST, 1), Edge(1, 120, Channel.BACKLIGHT, 1)]

    moved = without_delays(edges, {Channel.BACKLIGHT: 50})

    assert [(edge.channel, edge.t_ns) for edge in moved] == [
        (Channel.BACKLIGHT, 70),
        (Channel.PLTRST, 100),
    ]
