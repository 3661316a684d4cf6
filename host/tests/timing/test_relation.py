"""The relation of two clocks always contains the truth, and says when there is none."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resume_rig.model.edge import ClockExchange
from resume_rig.model.errors import ProtocolError, RigError, UsageError
from resume_rig.timing.relation import ClockStep, relate

S = 1_000_000_000
DELAYS_NS = st.integers(0, 200_000_000)


def exchange(host_ns: int, offset_ns: float, ppb: float, *delays_ns: int):
    """Return an exchange on a board that shows (host - offset) * (1 + ppb); up, turn, down."""
    up, turn, down = delays_ns

    def board(at_ns: int) -> int:
        return math.floor((at_ns - offset_ns) * (1 + ppb / 1e9))

    arrived, left = host_ns + up, host_ns + up + turn
    return ClockExchange(host_ns, board(arrived), board(left), left + down)


@settings(max_examples=300, deadline=None)
@given(
    delays=st.lists(st.tuples(DELAYS_NS, DELAYS_NS, DELAYS_NS), min_size=1, max_size=40),
    gaps=st.lists(st.integers(1, 600 * S), min_size=40, max_size=40),
    tolerance_ppb=st.integers(0, 100_000),
    share=st.floats(-1, 1),
    offset_s=st.integers(-100_000, 100_000),
    at_s=st.floats(-1000, 30_000),
)
def test_the_truth_is_inside_the_bound_whatever_the_delays(
    *, delays, gaps, tolerance_ppb, share, offset_s, at_s
) -> None:
    ppb, offset_ns = share * tolerance_ppb, offset_s * S
    start = 200_000 * S
    at_ns = (start + np.concatenate([[0], np.cumsum(gaps)])).astype(int).tolist()
    exchanges = [
        exchange(host, offset_ns, ppb, *delay) for host, delay in zip(at_ns, delays, strict=False)
    ]

    relation = relate(exchanges, tolerance_ppb)

    board_ns = exchanges[0].board_rx_ns + int(at_s * S)
    truth_ns = board_ns / (1 + ppb / 1e9) + offset_ns
    answer = relation.to_host_ns(board_ns)
    # Stamps are floored and the truth is a float64 near 3e14 ns; 2 ns covers both.
    assert abs(answer.value_ns - truth_ns) <= answer.bound_ns + 2


def test_the_bound_is_half_of_the_shortest_round_trip_where_the_clocks_are_exact() -> None:
    exchanges = [
        exchange(i * S, 5 * S, 0, up, 0, down)
        for i, (up, down) in enumerate([(400_000, 900_000), (300_000, 200_000), (9_000_000, 0)])
    ]

    offset = relate(exchanges, 0).offset(100 * S)

    # The tightest sides come from different exchanges: 0.3 ms up, 0 ms down.
    assert offset.value_ns == pytest.approx(5 * S - 150_000, abs=1)
    assert offset.bound_ns == pytest.approx(150_000, abs=2)


def test_the_bound_grows_with_the_distance_by_the_tolerance() -> None:
    relation = relate([exchange(0, 0, 0, 100, 0, 100)], 30_000)

    near, far = relation.offset(100), relation.offset(100 + 1000 * S)

    assert near.bound_ns == pytest.approx(100, abs=2)
    assert far.bound_ns == pytest.approx(100 + 30_000_000, rel=1e-4)


def test_later_exchanges_never_widen_what_earlier_ones_bound() -> None:
    exchanges = [exchange(i * S, 0, 10_000, 500_000, 0, 500_000 + i) for i in range(60)]

    bounds = [relate(exchanges[:n], 30_000).offset(S).bound_ns for n in range(1, 61)]

    assert bounds == sorted(bounds, reverse=True)


@pytest.mark.parametrize("step_ns", [-50_000_000, 50_000_000], ids=["back", "forward"])
def test_a_clock_step_is_named_with_its_size(step_ns: int) -> None:
    before = [exchange(i * S, 0, 0, 200_000, 10_000, 200_000) for i in range(10)]
    after = [exchange(i * S, step_ns, 0, 200_000, 10_000, 200_000) for i in range(10, 20)]

    with pytest.raises(ClockStep, match="a clock step: around board time") as caught:
        relate(before + after, 30_000)

    assert isinstance(caught.value, RigError)
    assert "30000 ppb" in str(caught.value)


def test_a_rate_beyond_the_tolerance_is_not_believed() -> None:
    exchanges = [exchange(i * 60 * S, 0, 200_000, 1000, 0, 1000) for i in range(10)]

    with pytest.raises(ClockStep):
        relate(exchanges, 30_000)


@pytest.mark.parametrize(
    ("exchanges", "tolerance_ppb", "error", "text"),
    [
        ([], 100, RigError, "no exchange"),
        ([ClockExchange(0, 0, 0, 1)], -1, UsageError, "-1 ppb"),
        ([ClockExchange(0, 9, 8, 1)], 100, ProtocolError, "a reply comes after"),
        ([ClockExchange(5, 0, 0, 4)], 100, ProtocolError, "a reply comes after"),
    ],
    ids=["none", "negative tolerance", "board backwards", "host backwards"],
)
def test_impossible_input_is_refused_in_one_sentence(exchanges, tolerance_ppb, error, text) -> None:
    with pytest.raises(error, match=text):
        relate(exchanges, tolerance_ppb)


def test_offsets_of_wall_time_keep_their_nanoseconds() -> None:
    utc_ns = 1_777_000_000_123_456_789
    relation = relate([ClockExchange(utc_ns, 1000, 1000, utc_ns)], 0)

    assert relation.to_host_ns(2000).value_ns == utc_ns + 1000
    assert relation.to_host_ns(2000).bound_ns <= 1
