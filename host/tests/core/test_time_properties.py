"""rig_time against Python's unbounded integers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resume_rig._core import ffi, lib


def start(bits: int, hz: int = 1_000_000, raw: int = 0):
    time = ffi.new("struct rig_time *")
    assert lib.rig_time_init(time, bits, hz, raw) == 0
    return time


@settings(deadline=None)
@given(
    bits=st.integers(8, 64),
    begin=st.integers(0, 100),
    steps=st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), max_size=40),
)
def test_ticks_are_those_of_an_unbounded_counter(
    bits: int, begin: int, steps: list[tuple[int, int]]
) -> None:
    """Steps: how far the counter goes on, and how old a late stamp is, in percent of half a lap.

    It begins at a percentage of the first lap; what is older than that is as old as that.
    """
    lap = 2**bits
    first = newest = (lap - 1) * begin // 100
    time = start(bits, raw=first)
    for onward, age in steps:
        newest = min(newest + (lap // 2 - 1) * onward // 100, 2**64 - 1)
        assert lib.rig_time_extend(time, newest % lap) == newest

        late = newest - (lap // 2 - 1) * age // 100
        assert lib.rig_time_extend(time, late % lap) == max(late, first)
        assert time.ticks == newest


@settings(deadline=None)
@given(ticks=st.integers(0, 2**64 - 1), hz=st.integers(1, 2**32 - 1))
def test_nanoseconds_are_exact_and_rounded_down(ticks: int, hz: int) -> None:
    expected = ticks * 1_000_000_000 // hz
    if expected < 2**64:
        assert lib.rig_time_ns(start(64, hz), ticks) == expected


@pytest.mark.parametrize("bits", [0, 7, 65, 2**32 - 1])
def test_a_width_that_no_counter_has_is_refused(bits: int) -> None:
    assert lib.rig_time_init(ffi.new("struct rig_time *"), bits, 1, 0) < 0
