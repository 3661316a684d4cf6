"""The beta distribution against closed forms and exact sums."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.stats.figures import (
    beta_below,
    beta_quantile,
    binomial_at_most,
    normal_below,
    student_t_beyond,
)


@given(part=st.integers(0, 2**30), a=st.floats(0.1, 500), b=st.floats(0.1, 500))
def test_both_tails_are_one(part: int, a: float, b: float) -> None:
    x = part / 2**30  # so that 1 - x is exact

    assert beta_below(x, a, b) + beta_below(1 - x, b, a) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("x", [-1.0, 0.0, 0.1, 0.5, 0.9, 1.0, 2.0])
def test_closed_forms(x: float) -> None:
    inside = min(1.0, max(0.0, x))
    assert beta_below(x, 1, 1) == pytest.approx(inside)
    assert beta_below(x, 3, 1) == pytest.approx(inside**3)
    assert beta_below(x, 0.5, 0.5) == pytest.approx(2 / math.pi * math.asin(math.sqrt(inside)))


@given(n=st.integers(1, 60), data=st.data())
def test_the_binomial_is_the_sum_of_its_terms(n: int, data: st.DataObject) -> None:
    k, share = data.draw(st.integers(0, n)), data.draw(st.fractions(0, 1, max_denominator=50))
    terms = [math.comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(k + 1)]

    assert binomial_at_most(k, n, float(share)) == pytest.approx(
        float(sum(terms, Fraction(0))), abs=1e-10
    )


@given(share=st.floats(0.001, 0.999), a=st.floats(0.5, 1e5), b=st.floats(0.5, 1e5))
def test_a_quantile_is_the_inverse(share: float, a: float, b: float) -> None:
    assert beta_below(beta_quantile(share, a, b), a, b) == pytest.approx(share, abs=1e-6)


def test_the_normal_distribution() -> None:
    assert normal_below(-1.959964) == pytest.approx(0.025, abs=1e-6)


@pytest.mark.parametrize(
    ("chance", "freedom", "expected"),
    [
        # Tables of Student's t, and the closed forms of one and of two degrees of freedom.
        (0.05, 10, 2.2281),
        (0.001, 5, 6.8688),
        (0.01, 1, 1 / math.tan(math.pi * 0.005)),
        (1e-9, 2, (1 - 1e-9) / math.sqrt(1e-9 * (2 - 1e-9) / 2)),
        # With many it is the normal distribution.
        (0.05, 1_000_000, 1.959966),
        (1e-9, 1_000_000, 6.1094),
    ],
)
def test_students_t(chance: float, freedom: int, expected: float) -> None:
    assert student_t_beyond(chance, freedom) == pytest.approx(expected, rel=1e-4)
