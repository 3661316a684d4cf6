"""What a stream has published is never moved; it keeps the order of stamps, and the truth."""

import numpy as np
import pytest
from clock_sessions import TICK_NS, S, campaign_exchanges, crystal, usb_link
from hypothesis import given, settings
from hypothesis import strategies as st

from resume_rig.model.edge import ClockExchange
from resume_rig.timing.clock_limits import ClockLimits, board_limits
from resume_rig.timing.clock_segment import BreakKind
from resume_rig.timing.clock_stream import ClockStream

LIMITS = ClockLimits(150_000, tick_ns=1)
DELAY_NS = st.integers(0, 5_000_000)


def plain(at_ns: int, up_ns: int = 1000, down_ns: int = 1000, ahead_ns: int = 0) -> ClockExchange:
    board_ns = at_ns + up_ns + ahead_ns
    return ClockExchange(at_ns, board_ns, board_ns, at_ns + up_ns + down_ns)


@settings(max_examples=80, deadline=None)
@given(
    delays=st.lists(st.tuples(DELAY_NS, DELAY_NS, st.integers(0, 10 * S)), min_size=3, max_size=25),
    steps=st.dictionaries(st.integers(1, 24), st.sampled_from([-3 * S, 2 * S]), max_size=2),
    asked=st.lists(st.floats(0, 1), min_size=1, max_size=60),
)
def test_what_was_published_is_never_moved(*, delays, steps, asked) -> None:
    stream = ClockStream(LIMITS)
    published: dict[int, object] = {}
    now_ns = ahead_ns = 0
    first_ns = None
    for number, (up_ns, down_ns, pause_ns) in enumerate(delays):
        ahead_ns += steps.get(number, 0)
        now_ns += pause_ns + 4 * S  # so that no step takes the board's clock back over a stamp
        made = plain(now_ns, up_ns, down_ns, ahead_ns)
        now_ns = made.host_rx_ns
        stream.add(made)
        first_ns = made.board_rx_ns if first_ns is None else first_ns
        for share in asked[number :: len(delays)]:
            board_ns = first_ns + int(share * (made.board_tx_ns - first_ns))
            answer = stream.publish(board_ns)
            if answer is not None:
                published.setdefault(board_ns, answer)
        for board_ns, answer in published.items():
            assert stream.publish(board_ns) == answer
    times = [stream.publish(board_ns) for board_ns in sorted(published)]
    if not steps:
        values = [each.value_ns for each in times if each is not None]
        assert values == sorted(values)


@pytest.mark.parametrize("seed", range(6))
def test_published_times_hold_the_truth(seed: int) -> None:
    random = np.random.default_rng(seed)
    clock, link = crystal(random, 40.0), usb_link(random)
    stream = ClockStream(board_limits(50_000, S // TICK_NS))
    made = [each for cycle in campaign_exchanges(clock, link, 40.0) for each in cycle]
    before_ns = made[0].board_rx_ns
    for each in made:
        stream.add(each)
        for board_ns in random.integers(before_ns, each.board_tx_ns, 3).tolist():
            answer = stream.publish(board_ns)
            assert answer is not None
            assert abs(answer.value_ns - clock.host(board_ns)) <= answer.bound_ns
        before_ns = each.board_rx_ns


def test_a_stamp_waits_for_the_exchange_behind_it() -> None:
    stream = ClockStream(LIMITS)
    stream.add(plain(S))

    before = stream.publish(2 * S)
    stream.add(plain(3 * S))

    assert before is None
    assert stream.publish(2 * S) is not None


def test_after_a_reset_the_stamps_are_those_of_the_new_boot() -> None:
    stream = ClockStream(LIMITS)
    for at in range(10, 20):
        stream.add(plain(at * S))
    old = stream.publish(15 * S)
    found = [stream.add(plain(at * S, ahead_ns=-20 * S)) for at in range(30, 50)]

    new = stream.publish(15 * S)

    assert found[0] is not None
    assert found[0].kind is BreakKind.BOARD_RESET
    assert old is not None
    assert new is not None
    assert (old.value_ns // S, new.value_ns // S) == (15, 35)


def test_memory_is_bounded_and_what_is_forgotten_has_no_time_any_more() -> None:
    stream = ClockStream(LIMITS, most_published=10)
    answers = {}
    for at in range(1, 2000):
        stream.add(plain(at * S))
        answers[at * S] = stream.publish(at * S)

    assert stream.publish(1999 * S) is not None
    assert [stream.publish(at * S) for at in (1, 500, 1989)] == [None] * 3
    assert [stream.publish(at * S) == answers[at * S] for at in range(1990, 2000)] == [True] * 10
