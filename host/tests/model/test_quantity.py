"""Arithmetic of times with their uncertainty."""

from math import ceil, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.quantity import BoundedNs, factor_of, kurtosis_of

BOUNDS = st.integers(0, 10**12)
QUANTITIES = st.builds(
    lambda value, bound, a, b: BoundedNs(value, bound, min(a, bound), min(max(a, b), bound)),
    st.integers(-(10**13), 10**13),
    BOUNDS,
    BOUNDS,
    BOUNDS,
)


def test_a_bound_alone_is_a_rectangle() -> None:
    found = BoundedNs(0, 1_000_000)

    assert found.standard_ns == ceil(1_000_000 / sqrt(3))
    assert found.expanded_ns == 950_000


@pytest.mark.parametrize(
    ("widths", "word"),
    [
        ((-1, 0, 0), "bound_ns"),
        ((10, 11, 5), "standard_ns"),
        ((10, 5, 11), "expanded_ns"),
        ((10, -5, 5), "standard_ns"),
    ],
    ids=["negative bound", "standard above bound", "expanded above bound", "negative standard"],
)
def test_a_width_above_the_bound_is_refused(widths: tuple[int, int, int], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        BoundedNs(0, *widths)


@given(QUANTITIES, QUANTITIES)
def test_bounds_add_linearly_and_standards_in_squares(a: BoundedNs, b: BoundedNs) -> None:
    for found, value_ns in ((a + b, a.value_ns + b.value_ns), (a - b, a.value_ns - b.value_ns)):
        assert found.value_ns == value_ns
        assert found.bound_ns == a.bound_ns + b.bound_ns
        exact = sqrt(a.standard_ns**2 + b.standard_ns**2)
        assert found.standard_ns == pytest.approx(min(exact, found.bound_ns), rel=1e-9, abs=1)
        assert found.expanded_ns <= found.bound_ns


@given(QUANTITIES)
def test_adding_what_is_certain_changes_the_value_alone(a: BoundedNs) -> None:
    found = a + BoundedNs(5, 0)

    assert (found.value_ns, found.bound_ns) == (a.value_ns + 5, a.bound_ns)
    assert abs(found.standard_ns - a.standard_ns) <= 1


@given(QUANTITIES, QUANTITIES)
def test_intervals_that_share_an_edge_never_get_better(a: BoundedNs, b: BoundedNs) -> None:
    joined, apart = a.joined(b), a + b

    assert joined.value_ns == apart.value_ns
    assert joined.bound_ns == apart.bound_ns
    assert joined.standard_ns >= apart.standard_ns - 1


@given(st.floats(-2, 0))
def test_a_coverage_factor_tells_its_kurtosis(kurtosis: float) -> None:
    assert kurtosis_of(factor_of(kurtosis)) == pytest.approx(kurtosis, abs=1e-9)
    assert 1.0 <= factor_of(kurtosis) <= 1.96


@given(value=QUANTITIES, other=QUANTITIES)
def test_what_cycles_share_adds_linearly_and_is_within_the_bound(
    value: BoundedNs, other: BoundedNs
) -> None:
    for both in (value + other, value - other, value.joined(other)):
        assert both.common_ns == value.common_ns + other.common_ns <= both.bound_ns
    assert value.expanded_ns <= value.guard_ns <= value.bound_ns


def test_of_a_bound_alone_all_may_be_shared_and_of_a_bounce_nothing() -> None:
    assert BoundedNs(0, 10).common_ns == 10
    assert BoundedNs(0, 10, rig_ns=4).campaign_ns == 6
    assert BoundedNs(0, 10, campaign_ns=0).common_ns == 0
    with pytest.raises(ValueError, match="rig_ns is 6 and campaign_ns 5"):
        BoundedNs(0, 10, rig_ns=6, campaign_ns=5)


def test_a_guard_band_holds_all_that_is_shared_and_95_percent_of_the_rest() -> None:
    assert BoundedNs(0, 1_000, 200, 400, rig_ns=50, campaign_ns=50).guard_ns == 500
    assert BoundedNs(0, 1_000, 577, 950).guard_ns == 1_000
