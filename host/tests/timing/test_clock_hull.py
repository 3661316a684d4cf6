"""Which corners of a hull are left where there are too many."""

from hypothesis import given
from hypothesis import strategies as st

from resume_rig.timing.hull import BoundHull

POINTS = st.lists(
    st.tuples(st.integers(1, 1_000), st.integers(-1_000_000, 1_000_000)), min_size=1, max_size=40
)


def hull_of(points: list[tuple[int, int]]) -> BoundHull:
    hull = BoundHull(0.5)
    at = 0
    for step, bound in points:
        at += step
        hull.add(float(at), float(bound))
    return hull


def least_telling(times: list[float], heights: dict[float, float]) -> int:
    """Return the corner that is the least below the chord of its neighbours."""

    def below(i: int) -> float:
        before, here, after = times[i - 1 : i + 2]
        share = (here - before) / (after - before)
        return heights[before] + share * (heights[after] - heights[before]) - heights[here]

    return min(range(1, len(times) - 1), key=below)


@given(POINTS, st.integers(2, 6))
def test_the_corners_that_tell_least_are_left_out_one_by_one(
    points: list[tuple[int, int]], most: int
) -> None:
    hull = hull_of(points)
    times = hull.corners(len(hull))
    bounds = dict(zip(*hull.near(times[0], 1e9)[:2], strict=True))
    heights = {at: bound + 0.25 * at * at for at, bound in bounds.items()}
    if len(heights) < len(times):
        return  # what is near a time is bounded, too

    while len(times) > most:
        del times[least_telling(times, heights)]

    assert hull.corners(most) == times
