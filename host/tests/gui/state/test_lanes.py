"""What is drawn of wires: complete where it can be seen, bounded where it cannot."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.gui.state.lanes import MOST_DRAWN, MOST_EDGES, Lane, wires_of
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge

MS = 1_000_000


def lane_of(times: list[int]) -> Lane:
    return Lane(1).plus(times, [(place + 1) % 2 for place in range(1, len(times) + 1)])


def test_a_line_begins_at_the_level_before_it_and_ends_at_the_newest() -> None:
    t_ns, levels = lane_of([10, 20, 30]).steps(5, 25)
    assert t_ns.tolist() == [5, 10, 10, 20, 20, 25]
    assert levels.tolist() == [1, 1, 0, 0, 1, 1]


def test_nothing_is_drawn_from_before_the_wire_was_known() -> None:
    lane = Lane(1, since_ns=100)
    assert lane.steps(0, 200)[0].tolist() == [100, 200]
    assert lane.steps(0, 50)[0].tolist() == []


@given(
    st.lists(st.integers(0, 10_000), unique=True).map(sorted),
    st.integers(0, 10_000),
    st.integers(0, 10_000),
)
def test_a_drawn_line_has_the_level_of_every_moment(times: list[int], one: int, other: int) -> None:
    lane, (low, high) = lane_of(times), sorted((one, other))
    t_ns, levels = lane.steps(low, high)
    assert t_ns[0] == low
    assert t_ns[-1] == high
    assert (np.diff(t_ns) >= 0).all()
    for at in {low, high, (low + high) // 2}:
        place = int(np.searchsorted(t_ns, at, side="right")) - 1
        before = sum(time <= at for time in times)
        assert levels[place] == (1 + before) % 2


def test_more_edges_than_can_be_seen_are_thinned_and_their_ends_kept() -> None:
    times = list(range(0, 20_000 * MS, MS))
    t_ns, levels = lane_of(times).steps(0, 20_000 * MS)
    assert len(t_ns) <= 2 * (2 * MOST_DRAWN) + 2
    assert t_ns[-1] == 20_000 * MS
    assert levels[-1] == lane_of(times).level


def test_memory_is_bounded_and_the_level_before_follows() -> None:
    wires = wires_of({Channel.PWR_OK: 1, Channel.LID: 1}, 0)
    count = MOST_EDGES + 1001
    edges = [Edge(n, n * MS + 1, Channel.PWR_OK, n % 2) for n in range(count)]
    lane = wires.plus_edges(edges).lanes[Channel.PWR_OK]
    assert len(lane.t_ns) == MOST_EDGES
    assert lane.before == edges[count - MOST_EDGES - 1].level
    assert lane.since_ns == edges[count - MOST_EDGES - 1].t_ns


def test_the_newest_whole_press_has_its_width() -> None:
    wires = wires_of({Channel.BUTTON: 1}, 0)
    down = wires.plus_edges([Edge(0, 10 * MS, Channel.BUTTON, 0)])
    assert down.press is None
    up = down.plus_edges([Edge(1, 161 * MS, Channel.BUTTON, 1)])
    assert up.press == (161 * MS, 151 * MS)
