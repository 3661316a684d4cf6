"""PASS and FAIL outside of the guard band, and the risk of a wrong one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.verdict.limits import below_by, conformity, risk_of_all
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.verdict import Comparison, Verdict

LIMIT_NS = 2_000_000_000
AT_MOST, AT_LEAST = Comparison.AT_MOST, Comparison.AT_LEAST
BELOW, ABOVE = Comparison.BELOW, Comparison.ABOVE


@given(
    value_ns=st.integers(1_000_000_000, 3_000_000_000),
    bound_ns=st.integers(0, 400_000_000),
    comparison=st.sampled_from(Comparison),
)
def test_a_decided_verdict_is_wrong_in_2_5_percent_at_most(value_ns, bound_ns, comparison) -> None:
    found = conformity(BoundedNs(value_ns, bound_ns), LIMIT_NS, comparison)

    assert 0.0 <= found.conforming <= 1.0
    if found.verdict is Verdict.MARGINAL:
        assert abs(value_ns - LIMIT_NS) <= bound_ns
    else:
        assert found.risk <= 0.0255
    if abs(value_ns - LIMIT_NS) > bound_ns:
        assert found.risk == 0.0


@given(value_ns=st.integers(1_900_000_000, 2_100_000_000), bound_ns=st.integers(1, 90_000_000))
def test_a_limit_from_below_is_one_from_above_in_a_mirror(value_ns, bound_ns) -> None:
    for comparison, mirrored in ((AT_MOST, AT_LEAST), (BELOW, ABOVE)):
        found = conformity(BoundedNs(value_ns, bound_ns), LIMIT_NS, comparison)
        mirror = conformity(BoundedNs(2 * LIMIT_NS - value_ns, bound_ns), LIMIT_NS, mirrored)
        assert found.verdict is mirror.verdict
        assert found.conforming == pytest.approx(mirror.conforming)


@pytest.mark.parametrize(
    ("value_ns", "comparison", "verdict"),
    [
        (LIMIT_NS, AT_MOST, Verdict.PASS),
        (LIMIT_NS, BELOW, Verdict.FAIL),
        (LIMIT_NS, AT_LEAST, Verdict.PASS),
        (LIMIT_NS, ABOVE, Verdict.FAIL),
        (LIMIT_NS - 1, BELOW, Verdict.PASS),
        (LIMIT_NS + 1, AT_MOST, Verdict.FAIL),
    ],
)
@pytest.mark.parametrize("guard_band", [True, False])
def test_an_exact_value_has_no_guard_band(value_ns, comparison, verdict, guard_band) -> None:
    exact = BoundedNs(value_ns, 0)

    assert conformity(exact, LIMIT_NS, comparison, guard_band=guard_band).verdict is verdict


def test_without_a_guard_band_the_value_counts_and_its_risk_is_told() -> None:
    near = BoundedNs(LIMIT_NS - 1_000_000, 2_000_000)

    found = conformity(near, LIMIT_NS, AT_MOST, guard_band=False)

    assert found.verdict is Verdict.PASS
    assert 0.1 < found.risk < 0.5
    assert conformity(near, LIMIT_NS, AT_MOST).verdict is Verdict.MARGINAL


def test_a_value_of_which_only_the_bound_is_known_is_a_rectangle() -> None:
    value = BoundedNs(0, 1_000_000)

    assert [below_by(room, value) for room in (-1_000_000, -500_000, 0, 500_000, 1_000_000)] == (
        pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0], abs=1e-5)
    )


def test_the_stated_risk_is_how_often_the_truth_is_beyond() -> None:
    generator = np.random.default_rng(20_260_103)
    errors = generator.uniform(-1e6, 1e6, (200_000, 2)).sum(axis=1)
    two = BoundedNs(0, 1_000_000) + BoundedNs(0, 1_000_000)
    standard = two.standard_ns
    # Two rectangles make a triangle where they add as independent, a rectangle as a bound alone.
    slack = 0.02 if standard < 0.9e6 else 0.15

    for room_ns in (-1_500_000, -600_000, 0, 900_000):
        assert below_by(room_ns, two) == pytest.approx(np.mean(errors <= room_ns), abs=slack)
    assert np.mean(np.abs(errors) <= two.expanded_ns) >= 0.94


def test_the_risk_of_many_is_bounded_by_their_sum_and_of_a_fail_by_the_surest() -> None:
    near = conformity(
        BoundedNs(LIMIT_NS - 1_990_000, 2_000_000), LIMIT_NS, AT_MOST, guard_band=False
    )
    far = conformity(BoundedNs(LIMIT_NS // 2, 2_000_000), LIMIT_NS, AT_MOST)
    over = conformity(BoundedNs(2 * LIMIT_NS, 2_000_000), LIMIT_NS, AT_MOST)

    assert risk_of_all([near, near, far], Verdict.PASS) == pytest.approx(2 * near.risk)
    assert risk_of_all([far] * 1_000, Verdict.PASS) == 0.0
    assert risk_of_all([near, over], Verdict.FAIL) == 0.0


def test_an_error_that_all_cycles_share_counts_to_its_end() -> None:
    """At 149 of 150 ms each cycle of a campaign would be beyond a limit that it seems to keep."""
    common, own = BoundedNs(0, 150_000_000), BoundedNs(0, 150_000_000, campaign_ns=0)
    value = BoundedNs(LIMIT_NS - 145_000_000, 0)

    assert conformity(value + common, LIMIT_NS, AT_MOST).verdict is Verdict.MARGINAL
    assert conformity(value + own, LIMIT_NS, AT_MOST).verdict is Verdict.PASS
