"""Lines of columns are those of single edges, and what a capture can be too busy with is named."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.cycles import levels
from resume_rig.analysis.cycles.levels import (
    busy_channels,
    settled,
    storms,
    without_flicker,
)
from resume_rig.model.channel import Channel
from resume_rig.model.edge import CODE_OF, Edge, EdgeColumns

MS = 1_000_000
GAPS_NS = st.one_of(
    st.integers(0, 70_000), st.integers(59_990, 60_010), st.integers(1, 40 * MS), st.just(16 * MS)
)


def columns(channel: Channel, t_ns: list[int], initial: int = 1) -> EdgeColumns:
    n = len(t_ns)
    return EdgeColumns(
        np.array(t_ns, np.int64),
        np.full(n, CODE_OF[channel], np.uint8),
        ((np.arange(n) + 1 + initial) % 2).astype(np.uint8),
    )


@given(
    lines=st.dictionaries(
        st.sampled_from(list(Channel)),
        st.tuples(st.integers(0, 1), st.lists(GAPS_NS, max_size=30)),
        min_size=1,
    )
)
def test_columns_and_single_edges_make_the_same_lines(
    lines: dict[Channel, tuple[int, list[int]]],
) -> None:
    edges = [
        (t_ns, channel, (n + 1 + initial) % 2)
        for channel, (initial, gaps) in lines.items()
        for n, t_ns in enumerate(accumulate(gaps))
    ]
    edges.sort(key=lambda edge: edge[0])
    single = [Edge(n, *edge) for n, edge in enumerate(edges)]
    initial = {channel: level for channel, (level, _) in lines.items()}
    expected = levels.lines_of(single, initial)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels, "_FEW", 0)
        assert levels.lines_of_columns(EdgeColumns.of(single), initial) == expected


@given(st.lists(GAPS_NS, max_size=200), st.data())
def test_columns_are_a_sequence_as_a_tuple_is(gaps: list[int], data: st.DataObject) -> None:
    edges = columns(Channel.LED, list(accumulate(gaps)))
    every = tuple(edges)
    start = data.draw(st.integers(0, len(every)))
    end = data.draw(st.integers(start, len(every)))

    assert edges == every
    assert edges[start:end] == every[start:end]
    assert [edges[place] for place in range(len(every))] == list(every)
    after = {Channel.BUTTON: 1} | {edge.channel: edge.level for edge in every}
    assert edges.levels_after({Channel.BUTTON: 1}) == after


def test_a_dimmed_display_is_lit_and_a_dark_one_is_dark() -> None:
    """PWM at 200 Hz for 5 s, dark for 20 s, and PWM again."""
    periods = [k * 5 * MS for k in range(1_000)]
    lit = [t_ns + high for t_ns in periods for high in (0, 3 * MS)]
    edges = columns(Channel.BACKLIGHT, [*lit, *(t_ns + 25_000 * MS for t_ns in lit)], initial=0)
    found = [(edge.t_ns, edge.level) for edge in without_flicker(edges)]

    assert found == [(0, 1), (lit[-1], 0), (25_000 * MS, 1), (25_000 * MS + lit[-1], 0)]


def test_a_clock_is_too_busy_and_a_burst_is_a_storm() -> None:
    clock = columns(Channel.PLTRST, [k * MS for k in range(levels.CHANGES_MAX + 1)])
    burst = columns(Channel.PLTRST, [k * 1_000 for k in range(levels.CHANGES_MAX + 1)])

    assert list(busy_channels(clock)) == [(Channel.PLTRST, levels.CHANGES_MAX + 1)]
    assert list(storms(clock)) == []
    assert list(busy_channels(burst)) == []
    assert list(storms(burst)) == [(Channel.PLTRST, levels.CHANGES_MAX)]
    assert [edge.level for edge in settled(burst, {Channel.PLTRST: 1})] == [0]
