"""The polygon against every corner of it, computed from all bounds, and not from a hull."""

from itertools import combinations, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from resume_rig.timing.hull import ROUNDING_NS, BoundHull, ClockLimits, ClockPolygon

S = 1_000_000_000
Line = tuple[float, float]  # a bound of offset + rate * away


def extent(upper: list[Line], lower: list[Line], most: float) -> list[tuple[float, float]]:
    """Return the corners (offset, rate) of the polygon of all half-planes."""
    rates = {most, -most}
    for (e, u), (d, v) in [*combinations(upper, 2), *combinations(lower, 2)]:
        if e != d:
            rates.add((u - v) / (e - d))
    for (e, u), (d, v) in product(upper, lower):
        if e != d:
            rates.add((u - v + ROUNDING_NS) / (e - d))
    corners = []
    for rate in rates:
        if abs(rate) <= most * (1 + 1e-12):
            high = min(u - rate * e for e, u in upper)
            low = max(v - rate * d for d, v in lower)
            if low <= high + ROUNDING_NS + 1e-4:
                corners += [(high, rate), (low, rate)]
    return corners


@settings(max_examples=80, deadline=None)
@given(
    points=st.lists(
        st.tuples(
            st.integers(0, 1400).map(lambda tenth: tenth * S // 10),
            st.integers(0, 400_000),
            st.integers(0, 400_000),
        ),
        min_size=2,
        max_size=9,
        unique_by=lambda point: point[0],
    ),
    drift=st.integers(0, 400),
    rate_ppm=st.integers(-80, 80),
    at_ns=st.integers(0, 140 * S),
)
def test_offset_and_rate_are_those_of_the_corners(*, points, drift, rate_ppm, at_ns) -> None:
    limits = ClockLimits(100_000, drift)
    polygon = ClockPolygon(limits)
    most, half = limits.rate, limits.drift / 2
    upper, lower = [], []
    for time_ns, above, below in sorted(points):
        true = rate_ppm * time_ns / 1e6
        polygon.add_upper(time_ns, true + above)
        polygon.add_lower(time_ns, true - below)
        away = time_ns - at_ns
        slack = min(half * away**2, 2 * most * abs(away))
        upper += [(away, true + above + slack), (0, true + above + most * abs(away))]
        lower += [(away, true - below - slack), (0, true - below - most * abs(away))]
    corners = extent(upper, lower, most)
    assume(corners)

    found = polygon.at(at_ns)

    assert found.steady
    assert found.low_ns == pytest.approx(min(x for x, _ in corners), abs=3 * ROUNDING_NS)
    assert found.high_ns == pytest.approx(max(x for x, _ in corners), abs=3 * ROUNDING_NS)
    assert found.rate_low <= min(r for _, r in corners) + 1e-12
    assert found.rate_high >= max(r for _, r in corners) - 1e-12


@pytest.mark.parametrize("step_ns", [9_000_000, -9_000_000])
def test_bounds_that_no_rate_joins_leave_the_tolerance_and_what_is_between_them(
    step_ns: int,
) -> None:
    polygon = ClockPolygon(ClockLimits(100_000, 100))
    for at_ns, offset_ns in ((0, 0), (S, step_ns)):
        polygon.add_upper(at_ns, offset_ns)
        polygon.add_lower(at_ns, offset_ns)

    found = polygon.at(S / 2)

    # 100 ppm over half a second is 50 us from either end.
    low_ns, high_ns = sorted((0, step_ns))
    assert not found.steady
    assert found.low_ns == pytest.approx(low_ns + 50_000, rel=1e-3)
    assert found.high_ns == pytest.approx(high_ns - 50_000, rel=1e-3)
    assert (found.rate_low, found.rate_high) == pytest.approx((-100e-6, 100e-6), rel=1e-3)


def test_of_bounds_at_one_time_the_closest_stays() -> None:
    hull = BoundHull(0.0)
    for bound in (7.0, 9.0, 7.0, 5.0, 6.0):
        hull.add(3.0, bound)

    assert hull.near(3.0, 1.0) == ([3.0], [5.0], 0)


def test_a_bound_on_the_line_between_its_neighbours_is_no_corner() -> None:
    hull = BoundHull(0.0)
    for time, bound in enumerate([9, 6, 3, 5, 7], start=10):
        hull.add(float(time), float(bound))

    assert hull.corners(10) == [10.0, 12.0, 14.0]


def test_what_a_hull_keeps_is_enough_and_little() -> None:
    hull = BoundHull(1e-16)
    for n in range(10_000):
        hull.add(n * S / 10, 100_000 + (n * 7919) % 50_000)

    times, bounds, before = hull.near(500 * S, 300 * S)

    assert len(hull) < 300
    assert (times, times[before - 1] < 500 * S <= times[before]) == (sorted(times), True)
    assert max(bounds) < 110_000


def test_the_corners_that_are_kept_are_the_deepest_and_the_ends() -> None:
    hull = BoundHull(0.0)
    for time, bound in enumerate([100, 50, 20, 0, 5, 40, 90]):
        hull.add(float(time), float(bound))

    assert hull.corners(3) == [0.0, 3.0, 6.0]
    assert len(hull.corners(10)) == 7
