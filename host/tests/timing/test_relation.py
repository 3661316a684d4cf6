"""The relation of two clocks always contains the truth, and names where there is none."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resume_rig.model.edge import ClockExchange
from resume_rig.model.errors import ProtocolError, UsageError
from resume_rig.timing.hull import ClockLimits, board_limits
from resume_rig.timing.relation import BreakKind, ClockRelation, relate

S = 1_000_000_000
DELAYS_NS = st.integers(0, 200_000_000)


def exchange(host_ns: int, offset_ns: float, ppb: float, *delays_ns: int):
    """Return an exchange on a board that shows (host - offset) * (1 + ppb); up, turn, down."""
    up, turn, down = delays_ns

    def board(at_ns: int) -> int:
        return math.floor((at_ns - offset_ns) * (1 + ppb / 1e9))

    arrived, left = host_ns + up, host_ns + up + turn
    return ClockExchange(host_ns, board(arrived), board(left), left + down)


def limits(tolerance_ppb: int, drift_ppb_per_s: int = 0) -> ClockLimits:
    return ClockLimits(tolerance_ppb, drift_ppb_per_s, tick_ns=1)


@settings(max_examples=120, deadline=None)
@given(
    delays=st.lists(st.tuples(DELAYS_NS, DELAYS_NS, DELAYS_NS), min_size=2, max_size=40),
    gaps=st.lists(st.integers(S, 600 * S), min_size=40, max_size=40),
    tolerance_ppb=st.integers(0, 100_000),
    drift=st.integers(0, 1_000),
    share=st.floats(-0.999, 0.999),
    offset_s=st.integers(-100_000, 100_000),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_the_truth_is_inside_the_bound_whatever_the_delays(
    *, delays, gaps, tolerance_ppb, drift, share, offset_s, ends
) -> None:
    ppb, offset_ns = share * tolerance_ppb, offset_s * S
    start = 200_000 * S
    at_ns = (start + np.concatenate([[0], np.cumsum(gaps)])).astype(int).tolist()
    exchanges = [
        exchange(host, offset_ns, ppb, *delay) for host, delay in zip(at_ns, delays, strict=False)
    ]

    relation = relate(exchanges, limits(tolerance_ppb, drift))

    assert relation.breaks == []
    first, last = exchanges[0].board_rx_ns, exchanges[-1].board_tx_ns
    boards = sorted(first + int(end * (last - first)) for end in ends)
    truths = [board_ns / (1 + ppb / 1e9) + offset_ns for board_ns in boards]
    for board_ns, truth_ns in zip(boards, truths, strict=True):
        answer = relation.to_host_ns(board_ns)
        assert answer is not None
        # The truth is a float64 near 3e14 ns; 1 ns covers it.
        assert abs(answer.value_ns - truth_ns) <= answer.bound_ns + 1
        back = relation.to_board_ns(round(truth_ns))
        assert back is None or abs(back.value_ns - board_ns) <= back.bound_ns + 2
    rates = relation.rates(*boards)
    assert rates is not None
    assert rates.low - 1e-12 <= 1 / (1 + ppb / 1e9) - 1 <= rates.high + 1e-12


def test_the_bound_is_half_of_the_shortest_delays_where_the_clocks_are_exact() -> None:
    exchanges = [
        exchange(i * S, 5 * S, 0, up, 0, down)
        for i, (up, down) in enumerate([(400_000, 900_000), (300_000, 200_000), (9_000_000, 0)])
    ]

    host = relate(exchanges, limits(0)).to_host_ns(-4 * S)

    # The tightest sides come from different exchanges: 0.3 ms up, 0 ms down.
    assert host is not None
    assert host.value_ns == pytest.approx(S - 150_000, abs=1)
    assert host.bound_ns == pytest.approx(150_000, abs=3)


def test_many_exchanges_tell_the_rate_and_with_it_a_gap_between_them() -> None:
    offsets = [*range(30), *range(60, 90)]
    exchanges = [exchange(i * S, 0, 40_000, 100_000, 0, 100_000) for i in offsets]

    relation = relate(exchanges, limits(100_000))
    gap = relation.to_host_ns(45 * S)
    rates = relation.rates(44 * S, 46 * S)

    # The tolerance alone would allow 15 s * 100 ppm = 1.5 ms in the middle of the gap.
    assert gap is not None
    assert rates is not None
    assert gap.bound_ns < 110_000
    assert rates.low == pytest.approx(-40e-6, abs=5e-6)
    assert rates.high == pytest.approx(-40e-6, abs=5e-6)


def test_a_rate_that_may_drift_bounds_less_than_one_that_may_not() -> None:
    exchanges = [exchange(i * S, 0, 0, 200_000, 0, 200_000) for i in range(61)]

    found = [relate(exchanges, limits(100_000, drift)).rates(S, 60 * S) for drift in (0, 100, 1000)]

    widths = [each.high - each.low for each in found if each is not None]
    assert widths == sorted(widths)
    assert 10e-6 < widths[1] < 40e-6


@pytest.mark.parametrize("booted_s", [-5_000, 5_000])
def test_when_the_board_booted_changes_no_rate_and_no_interval(booted_s: int) -> None:
    delays = [(i * 37 % 100) * 1_000 for i in range(61)]
    exchanges = [exchange(i * S, 0, 20_000, d, 1_000, 99_000 - d) for i, d in enumerate(delays)]
    shift_ns = booted_s * S
    shifted = [
        ClockExchange(
            e.host_tx_ns, e.board_rx_ns + shift_ns, e.board_tx_ns + shift_ns, e.host_rx_ns
        )
        for e in exchanges
    ]

    here, there = relate(exchanges, limits(100_000, 100)), relate(shifted, limits(100_000, 100))

    start, end = 10 * S, 50 * S
    one, other = here.rates(start, end), there.rates(start + shift_ns, end + shift_ns)
    assert one is not None
    assert other is not None
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-9)
    assert one.high - one.low < 60e-6, "far less than the tolerance of 200 ppm"
    assert here.to_host_ns(start) == there.to_host_ns(start + shift_ns)


def test_later_exchanges_never_widen_what_earlier_ones_bound() -> None:
    exchanges = [exchange(i * S, 0, 10_000, 500_000, 0, 500_000 + i) for i in range(60)]

    found = [relate(exchanges[:n], limits(30_000, 100)).to_host_ns(S) for n in range(3, 61)]

    bounds = [each.bound_ns for each in found if each is not None]
    assert len(bounds) == 58
    assert bounds == sorted(bounds, reverse=True)


@pytest.mark.parametrize(
    ("step_ns", "kind"),
    [
        (-50_000_000, BreakKind.HOST_STOOD_STILL),
        (-7200 * S, BreakKind.HOST_STOOD_STILL),
        (50_000_000, BreakKind.BOARD_STOOD_STILL),
    ],
    ids=["host stopped", "host suspended", "board stopped"],
)
def test_a_step_ends_a_segment_and_is_named_with_its_size(step_ns: int, kind: BreakKind) -> None:
    start = 10_000 * S
    before = [exchange(start + i * S, 0, 0, 200_000, 10_000, 200_000) for i in range(10)]
    # A host that stood still counts less than the board: the same moments have earlier stamps.
    after = [
        ClockExchange(e.host_tx_ns + step_ns, e.board_rx_ns, e.board_tx_ns, e.host_rx_ns + step_ns)
        for e in [
            exchange(start + i * S + max(0, -step_ns), 0, 0, 200_000, 10_000, 200_000)
            for i in range(10, 20)
        ]
    ]

    relation = relate(before + after, limits(30_000, 100))

    (found,) = relation.breaks
    assert found.kind is kind
    # At least: what the tolerance allows in the meantime is not counted.
    assert found.size_ns == pytest.approx(abs(step_ns), rel=1e-4, abs=1_000_000)
    assert found.size_ns <= abs(step_ns)
    assert relation.to_host_ns(start + 5 * S) is not None
    between = (before[-1].board_tx_ns + after[0].board_rx_ns) // 2
    assert relation.to_host_ns(between) is None
    later = after[5].board_rx_ns
    host = relation.to_host_ns(later)
    assert host is not None
    assert abs(host.value_ns - (later + step_ns)) <= host.bound_ns
    assert relation.rates(start + 5 * S, later) is None


def test_a_board_that_was_reset_is_named_and_its_times_are_not_mixed() -> None:
    before = [exchange(i * S, 0, 0, 200_000, 0, 200_000) for i in range(10)]
    after = [exchange(i * S, 12 * S, 0, 200_000, 0, 200_000) for i in range(12, 40)]

    relation = relate(before + after, limits(30_000))

    assert [each.kind for each in relation.breaks] == [BreakKind.BOARD_RESET]
    assert "reset" in relation.breaks[0].text
    assert relation.to_host_ns(5 * S) is None  # both boots had such a time
    only = relation.to_host_ns(20 * S)
    assert only is not None
    assert abs(only.value_ns - 32 * S) <= only.bound_ns
    back = relation.to_board_ns(15 * S)
    assert back is not None
    assert abs(back.value_ns - 3 * S) <= back.bound_ns


def test_an_exchange_in_which_the_host_slept_bounds_nothing() -> None:
    whole = [exchange(i * S, 0, 0, 200_000, 0, 200_000) for i in range(5)]
    torn = ClockExchange(5 * S, 5 * S, 9 * S, 5 * S + 1000)
    rest = [
        ClockExchange(e.host_tx_ns - 4 * S, e.board_rx_ns, e.board_tx_ns, e.host_rx_ns - 4 * S)
        for e in [exchange(i * S, 0, 0, 200_000, 0, 200_000) for i in range(10, 15)]
    ]

    relation = relate([*whole, torn, *rest], limits(30_000))

    assert [each.kind for each in relation.breaks] == [BreakKind.HOST_STOOD_STILL]
    assert relation.to_host_ns(7 * S) is None
    host = relation.to_host_ns(12 * S)
    assert host is not None
    assert host.value_ns == pytest.approx(8 * S, abs=300_000)


def test_every_break_that_is_found_is_kept_in_order() -> None:
    steady = [exchange(i * S, 0, 0, 200_000, 0, 200_000) for i in range(40)]
    torn = ClockExchange(5 * S, 5 * S, 9 * S, 5 * S + 1000)

    def earlier(made: ClockExchange, by_ns: int) -> ClockExchange:
        sent, came = made.host_tx_ns - by_ns, made.host_rx_ns - by_ns
        return ClockExchange(sent, made.board_rx_ns, made.board_tx_ns, came)

    slept = [earlier(each, 4 * S) for each in steady[10:20]]
    slept_again = [earlier(each, 9 * S) for each in steady[25:30]]
    booted = [exchange(i * S, 12 * S, 0, 200_000, 0, 200_000) for i in range(30, 35)]
    relation = ClockRelation(limits(30_000))

    found = [relation.add(each) for each in (*steady[:5], torn, *slept, *slept_again, *booted)]

    shown = [each for each in found if each is not None]
    assert [each.kind for each in shown] == [
        BreakKind.HOST_STOOD_STILL,
        BreakKind.HOST_STOOD_STILL,
        BreakKind.BOARD_RESET,
    ]
    assert relation.breaks == shown
    assert len(relation.segments) == 4
    relation.keep_newest(1)
    assert relation.breaks == shown[-1:]
    assert relation.to_host_ns(20 * S) is not None, "the board's new time"


def test_a_rate_beyond_the_tolerance_is_named_and_not_believed() -> None:
    exchanges = [exchange(i * 60 * S, 0, 200_000, 1000, 0, 1000) for i in range(10)]

    relation = relate(exchanges, limits(30_000))

    assert {each.kind for each in relation.breaks} == {BreakKind.RATE}
    assert relation.to_host_ns(90 * S) is None


def test_a_drift_beyond_what_is_assumed_leaves_the_tolerance_in_force() -> None:
    rates = [0, 60_000]  # the rate jumps by 60 ppm, within the tolerance of 100 ppm
    offset = 0.0
    exchanges = []
    for i in range(60):
        exchanges.append(exchange(i * S, offset, 0, 1000, 0, 1000))
        offset += rates[i >= 30]

    relation = relate(exchanges, limits(100_000, 10))
    found = relation.rates(20 * S, 40 * S)

    assert relation.breaks == []
    assert found is not None
    assert not found.steady
    assert found.low <= 0
    assert found.high >= 60e-6


@pytest.mark.parametrize("board_ns", [-1, 20 * S], ids=["before", "after"])
def test_beyond_the_exchanges_there_is_no_host_time(board_ns: int) -> None:
    relation = relate([exchange(i * S, 0, 0, 100, 0, 100) for i in range(10)], limits(30_000))

    assert relation.to_host_ns(board_ns) is None
    assert relation.to_board_ns(board_ns) is None


def test_without_an_exchange_nothing_is_related() -> None:
    relation = relate([], limits(30_000))

    assert relation.to_host_ns(0) is None
    assert relation.rates(0, 1) is None


@pytest.mark.parametrize(
    "made", [ClockExchange(0, 9, 8, 1), ClockExchange(5, 0, 0, 4)], ids=["board", "host"]
)
def test_a_reply_before_its_request_is_refused_in_one_sentence(made: ClockExchange) -> None:
    with pytest.raises(ProtocolError, match="a reply comes after"):
        relate([made], limits(100))


@pytest.mark.parametrize("values", [(-1, 0, 0), (10**9, 0, 0), (0, -1, 0), (0, 0, -1)])
def test_limits_that_are_none_are_refused(values: tuple[int, int, int]) -> None:
    with pytest.raises(UsageError, match="allowed are"):
        ClockLimits(*values)


def test_an_rc_oscillator_is_not_taken_for_a_crystal() -> None:
    crystal, rc = board_limits(30_000, 1_000_000), board_limits(40_000_000, 1_000_000)

    assert crystal.drift_ppb_per_s < rc.drift_ppb_per_s
    assert crystal.tolerance_ppb > 30_000  # the host's own crystal counts as well
    assert crystal.tick_ns == 1_000


def test_offsets_of_wall_time_keep_their_nanoseconds() -> None:
    utc_ns = 1_777_000_000_123_456_789
    relation = relate([ClockExchange(utc_ns, 1000, 3000, utc_ns + 2000)], ClockLimits(0))

    found = relation.to_host_ns(2000)

    assert found is not None
    assert found.value_ns == utc_ns + 1000
    assert found.bound_ns <= 1


def test_a_segment_holds_its_first_and_its_last_stamp_and_nothing_beyond() -> None:
    first, last = exchange(S, 0, 0, 1000, 40, 1000), exchange(9 * S, 0, 0, 1000, 40, 1000)
    reset = exchange(99 * S, 90 * S, 0, 1000, 40, 1000)  # shows 9 s again, which tells which boot
    for exchanges in ([first, last], [first, last, reset]):
        relation = relate(exchanges, limits(30_000))
        for board_ns, within in [
            (first.board_rx_ns - 1, False),
            (first.board_rx_ns, True),
            (first.board_tx_ns, True),
            (last.board_rx_ns - 1, True),
        ]:
            assert (relation.to_host_ns(board_ns) is not None) is within
    alone = relate([first, last], limits(30_000))
    assert alone.to_host_ns(last.board_tx_ns) is not None
    assert alone.to_host_ns(last.board_tx_ns + 1) is None
    both = relate([first, last, reset], limits(30_000))
    assert [both.to_host_ns(at) for at in (last.board_rx_ns, last.board_tx_ns)] == [None, None]


@pytest.mark.parametrize("quick", [0, 1, 2])
def test_the_size_of_a_break_counts_from_the_best_bounds_before_it(quick: int) -> None:
    """The host stood still for 100 ms; of what came before, one exchange alone was quick."""
    allowed = limits(100_000)
    turn_ns, back_ns = 400_000, 100_000_000
    ups_ns = [0 if i == quick else 600_000 for i in range(3)]
    before = [exchange(i * S, 0, 0, up, turn_ns, 600_000) for i, up in enumerate(ups_ns)]
    plain = exchange(3 * S, 0, 0, 600_000, turn_ns, 0)
    after = ClockExchange(
        plain.host_tx_ns - back_ns,
        plain.board_rx_ns,
        plain.board_tx_ns,
        plain.host_rx_ns - back_ns,
    )

    (found,) = relate([*before, after], allowed).breaks

    # The offset was at least 0 when the quick request arrived, and may have gone down since then.
    since_ns = after.board_tx_ns - before[quick].board_rx_ns
    assert found.kind is BreakKind.HOST_STOOD_STILL
    assert found.size_ns == pytest.approx(back_ns - allowed.rate * since_ns - 1, abs=2)


@pytest.mark.parametrize(("turn_ns", "sizes_ns"), [(999, []), (1000, []), (1001, []), (1002, [1])])
def test_a_host_stood_still_from_the_first_nanosecond_that_is_missing(turn_ns, sizes_ns) -> None:
    """A nanosecond is rounding: 1000 of the host's are less than 1001."""
    relation = relate([ClockExchange(0, 5 * S, 5 * S + turn_ns, 1000)], ClockLimits(0, 0))

    assert [each.size_ns for each in relation.breaks] == sizes_ns
    assert {each.kind for each in relation.breaks} <= {BreakKind.HOST_STOOD_STILL}
