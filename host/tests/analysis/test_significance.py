"""Fisher's test against published tables; Holm's adjustment by what it promises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.stats.trend import fisher_p, holm


@pytest.mark.parametrize(
    ("counts", "p"),
    # Fisher's tea tasting, and a table whose p R's fisher.test gives as 0.003691.
    [
        ((1, 4, 3, 4), 34 / 70),
        ((1, 10, 9, 12), 0.003691),
        ((0, 50, 0, 50), 1.0),
        ((5, 5, 0, 5), 2 / 252),
    ],
)
def test_fishers_exact_test(counts, p) -> None:
    assert fisher_p(*counts) == pytest.approx(p, abs=1e-6)


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_keeps_order_and_never_helps(ps: list[float]) -> None:
    adjusted = holm(ps)

    assert all(a >= p for a, p in zip(adjusted, ps, strict=True))
    assert all(a <= min(1.0, len(ps) * p) + 1e-12 for a, p in zip(adjusted, ps, strict=True))
    order = sorted(range(len(ps)), key=ps.__getitem__)
    assert [adjusted[i] for i in order] == sorted(adjusted)
