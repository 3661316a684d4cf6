import time
from itertools import pairwise

import pytest

from resume_rig.model.clock import Clock
from resume_rig.timing.clocks import SystemClock, VirtualClock


@pytest.fixture(params=[SystemClock, VirtualClock], ids=["system", "virtual"])
def clock(request: pytest.FixtureRequest) -> Clock:
    made: Clock = request.param()
    return made


@pytest.mark.parametrize("duration_ns", [1, 200_000, 3_000_000])
def test_sleeping_lets_at_least_that_time_pass(clock: Clock, duration_ns: int) -> None:
    before_ns = clock.now_ns()
    clock.sleep_ns(duration_ns)
    assert clock.now_ns() - before_ns >= duration_ns


def test_time_never_goes_back(clock: Clock) -> None:
    stamps = [clock.now_ns() for _ in range(1000)]
    assert stamps == sorted(stamps)


@pytest.mark.parametrize("duration_ns", [0, -1, -(10**12)])
def test_sleeping_for_nothing_returns_and_does_not_turn_time_back(
    clock: Clock, duration_ns: int
) -> None:
    before_ns = clock.now_ns()
    clock.sleep_ns(duration_ns)
    assert clock.now_ns() >= before_ns


def test_system_wall_time_is_that_of_the_machine() -> None:
    step_ns = round(time.get_clock_info("time").resolution * 10**9)
    before_ns = time.time_ns()
    found_ns = SystemClock().utc_ns()
    assert before_ns <= found_ns <= time.time_ns() + step_ns


def test_the_machines_clocks_resolve_what_a_board_does() -> None:
    clock = SystemClock()
    stamps = [(clock.now_ns(), clock.utc_ns()) for _ in range(2000)]
    for column in zip(*stamps, strict=True):
        steps = {later - sooner for sooner, later in pairwise(column)} - {0}
        assert min(steps) < 20_000


def test_the_monotonic_clock_moves_in_steps_of_its_stated_tick() -> None:
    clock = SystemClock()
    stamps = [clock.now_ns() for _ in range(2000)]
    steps = {later - sooner for sooner, later in pairwise(stamps)} - {0}
    assert clock.tick_ns < min(steps)


def test_virtual_time_moves_by_exactly_what_was_slept_and_only_then() -> None:
    clock = VirtualClock(start_utc_ns=1_000)
    clock.sleep_ns(3_600_000_000_000)
    clock.sleep_ns(-5)
    clock.sleep_ns(7)
    assert clock.now_ns() == 3_600_000_000_007
    assert clock.utc_ns() == 3_600_000_001_007


def test_two_virtual_clocks_start_alike_in_2026() -> None:
    assert VirtualClock().utc_ns() == VirtualClock().utc_ns()
    assert time.gmtime(VirtualClock().utc_ns() // 10**9)[:4] == (2026, 1, 5, 9)
