"""Clocks with a rate error: forth and back."""

from hypothesis import given
from hypothesis import strategies as st

from resume_rig.rig.sim.board import RatedClock

S = 1_000_000_000


@given(
    start_ns=st.integers(-(10**12), 10**12),
    rate_ppb=st.integers(-1_000_000, 1_000_000),
    counter_ns=st.integers(0, 10**15),
)
def test_when_is_the_first_time_at_which_the_counter_is_there(
    start_ns: int, rate_ppb: int, counter_ns: int
) -> None:
    clock = RatedClock(start_ns, rate_ppb)
    world_ns = clock.when(counter_ns)
    assert clock.at(world_ns) >= counter_ns > clock.at(world_ns - 1)


def test_thirty_ppm_are_thirty_microseconds_a_second() -> None:
    assert RatedClock(5 * S, 30_000).at(6 * S) == S + 30_000
    assert RatedClock(0, -30_000).at(10 * S) == 10 * S - 300_000
