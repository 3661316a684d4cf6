"""The OS clock is placed against the host's within a bound that holds the truth."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resume_rig.analysis.reconcile.os_account import ClockReading, os_clock, with_segments
from resume_rig.model.quantity import BoundedNs

S = 1_000_000_000
UTC_NS = 1_777_000_000 * S


def readings(seed: int, n: int, offset_s: float, ppm: float, period_s: float):
    """Return wakes of an OS whose RTC counts whole seconds."""
    generator = np.random.default_rng(seed)
    found = []
    for i in range(n):
        host_ns = UTC_NS + round((i * period_s + generator.uniform(0, 2)) * S)
        error_ns = int(generator.integers(-20_000_000, 20_000_001))
        rtc_ns = host_ns + round(offset_s * S + (host_ns - UTC_NS) * ppm / 1e6)
        found.append(
            ClockReading(BoundedNs(host_ns + error_ns, 20_000_000), rtc_ns // S * S + S // 2)
        )
    return found


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 60),
    offset_s=st.floats(-90_000, 90_000),
    ppm=st.floats(-90, 90),
    period_s=st.floats(10, 600),
)
def test_the_offset_in_the_middle_is_inside_the_bound(seed, n, offset_s, ppm, period_s) -> None:
    told = readings(seed, n, offset_s, ppm, period_s)

    clock = os_clock(told)

    middle_ns = (told[0].host.value_ns + told[-1].host.value_ns) / 2 - UTC_NS
    truth_s = offset_s + middle_ns * ppm / 1e15
    assert abs(clock.os_minus_host_s - truth_s) <= clock.bound_s + 1e-5
    # No wider than the nearest reading alone: 20 ms of the host, 515 ms of the OS, 100 ppm between.
    away_s = min(abs(each.host.value_ns - UTC_NS - middle_ns) for each in told) / 1e9
    assert clock.bound_s <= 0.535 + away_s * 100e-6 + 1e-6


def test_many_readings_narrow_what_one_leaves_open() -> None:
    bounds = [os_clock(readings(1, n, 3.3, 0, 60)).bound_s for n in (1, 10, 100)]

    assert bounds == sorted(bounds, reverse=True)
    assert bounds[2] < 0.15


def test_a_step_of_the_os_clock_widens_the_bound_to_hold_both_sides() -> None:
    told = readings(2, 10, 0, 0, 60) + readings(2, 4, 30, 0, 60)

    clock = os_clock(told)

    assert abs(clock.os_minus_host_s - 0) <= clock.bound_s
    assert abs(clock.os_minus_host_s - 30) <= clock.bound_s


@pytest.mark.parametrize(
    ("n", "period_s", "told"),
    [(9, 3600.0, False), (10, 3600.0, True), (10, 60.0, False), (400, 60.0, True)],
)
def test_drift_is_told_where_the_readings_can_tell_it(n, period_s, told) -> None:
    clock = os_clock(readings(3, n, 1.0, 40.0, period_s))

    assert (clock.drift_ppm is not None) is told
    if clock.drift_ppm is not None:
        assert clock.drift_ppm == pytest.approx(40, abs=60)


def test_no_reading_is_no_clock() -> None:
    assert os_clock([]) is None


@given(seed=st.integers(0, 10_000), step_s=st.floats(-5000, 5000), ahead=st.integers(1, 29))
@example(seed=0, step_s=-0.5, ahead=1)
def test_a_setting_of_the_clock_makes_two_segments_each_with_its_own_bound(
    seed, step_s, ahead
) -> None:
    before = readings(seed, 30, 2.0, 0, 60)
    after = readings(seed + 1, 30, 2.0 + step_s, 0, 60)
    told = [replace(r, cycle=n) for n, r in enumerate(before[:ahead] + after[ahead:], start=1)]

    clock = with_segments(told, {ahead + 1})

    assert [(s.first_cycle, s.last_cycle) for s in clock.segments] == [(1, ahead), (ahead + 1, 30)]
    for segment, truth_s in zip(clock.segments, (2.0, 2.0 + step_s), strict=True):
        assert abs(segment.os_minus_host_s - truth_s) <= segment.bound_s + 1e-5
        assert segment.bound_s <= 0.54
        assert abs(clock.os_minus_host_s - truth_s) <= clock.bound_s + 1e-5


def test_a_clock_that_was_not_set_has_no_segments() -> None:
    assert with_segments(readings(1, 10, 0, 0, 60), set()).segments == ()
