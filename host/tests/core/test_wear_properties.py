"""What a DUT may see of presses without force-off: the cap of driven time, against every window."""

from itertools import pairwise

import cbor2
from hypothesis import given, settings
from hypothesis import strategies as st
from resume_rig._core import lib

MS = 1_000_000
S = 1_000 * MS
RELEASE_NS, WINDOW_NS, DRIVEN_NS = 100 * MS, 5 * S, 2 * S
BUTTON = ("BUTTON", "press", S, 12 * S, RELEASE_NS, WINDOW_NS, DRIVEN_NS)
DURATIONS = st.one_of(st.integers(1, S), st.sampled_from([1, 10 * MS, 700 * MS, S]))


def driven_in(spells: list[tuple[int, int]], begin_ns: int) -> int:
    """Return for how long spells last in the window that begins then."""
    end_ns = begin_ns + WINDOW_NS
    return sum(max(0, min(end, end_ns) - max(start, begin_ns)) for start, end in spells)


@settings(deadline=None, max_examples=60)
@given(
    presses=st.lists(
        st.tuples(DURATIONS, st.integers(0, 300 * MS), st.sampled_from([0, 0, 0, MS, 400 * MS])),
        min_size=5,
        max_size=80,
    )
)
def test_no_window_holds_more_than_its_share_and_the_time_left_is_enough(
    make_board, presses: list[tuple[int, int, int]]
) -> None:
    board = make_board(actuators=(BUTTON,))
    board.now_ns = S
    spells: list[tuple[int, int]] = []
    for token, (duration_ns, pause_ns, late_ns) in enumerate(presses):
        request = cbor2.dumps({"act": 0, "dur": duration_ns, "tok": token, "boot": 7})
        reply = board.request(lib.RIG_CMD_PRESS, request, write=True)
        waited_ns = 0
        while reply.error:
            assert reply.error in {lib.RIG_ERR_TOO_SOON, lib.RIG_ERR_TOO_MUCH}
            left_ns = reply.fields["left"]
            # A nanosecond less is not enough.
            board.tick(board.now_ns + left_ns - 1)
            assert board.request(lib.RIG_CMD_PRESS, request, write=True).error == reply.error
            board.tick(board.now_ns + 1)
            again = board.request(lib.RIG_CMD_PRESS, request, write=True)
            assert again.error != reply.error
            reply, waited_ns = again, waited_ns + left_ns
        assert waited_ns <= WINDOW_NS
        start_ns = board.now_ns
        planned = [*spells, (start_ns, start_ns + duration_ns)]
        board.tick(start_ns + duration_ns + late_ns)
        spells.append((start_ns, board.now_ns))
        assert driven_in(planned, planned[-1][1] - WINDOW_NS) <= DRIVEN_NS
        board.tick(board.now_ns + pause_ns)
    assert all(after[0] - before[1] >= RELEASE_NS for before, after in pairwise(spells))
