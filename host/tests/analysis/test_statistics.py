"""Figures of times, and bounds on failure rates."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.stats.figures import (
    CYCLES_MOST,
    cycles_needed,
    failure_rate,
    failure_rate_lower,
    failure_rate_upper,
    mean_interval,
    quantile_interval,
    summarise,
    values_for_quantile,
)
from resume_rig.model.result.series import CommonTerm


def test_nothing_has_no_figures() -> None:
    statistics = summarise([])

    assert statistics.n == 0
    assert statistics.median_ms is statistics.mean_ms is statistics.p95_ms is None
    assert statistics.min_ms is statistics.max_ms is None


def test_the_percentile_interpolates_linearly() -> None:
    statistics = summarise([40.0, 10.0, 20.0, 30.0, 100.0])

    assert (statistics.n, statistics.min_ms, statistics.max_ms) == (5, 10.0, 100.0)
    assert (statistics.median_ms, statistics.mean_ms) == (30.0, 40.0)
    assert statistics.p95_ms == pytest.approx(40 + 0.8 * 60)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50))
def test_figures_are_in_order(values) -> None:
    statistics = summarise(values)

    assert statistics.min_ms <= statistics.median_ms <= statistics.max_ms
    assert statistics.median_ms <= statistics.p95_ms + 1e-9 <= statistics.max_ms + 1e-6


@pytest.mark.parametrize(
    ("failures", "n", "expected"),
    [
        (0, 1, 0.95),
        (0, 10, 1 - 0.05 ** (1 / 10)),
        (0, 59, 1 - 0.05 ** (1 / 59)),
        (0, 1000, 1 - 0.05 ** (1 / 1000)),
        (9, 10, 0.95 ** (1 / 10)),
        (3, 3, 1.0),
        # Tables of the binomial distribution: P(X <= 1; 10, 0.3942) = 0.05 and so on.
        (1, 10, 0.39416),
        (2, 20, 0.28262),
        (5, 100, 0.10225),
    ],
)
def test_the_upper_bound_agrees_with_tables(failures, n, expected) -> None:
    assert failure_rate_upper(failures, n) == pytest.approx(expected, abs=2e-5)


def test_a_bound_without_a_trial_says_nothing() -> None:
    assert failure_rate_upper(0, 0) == 1.0


@given(n=st.integers(1, 400), data=st.data(), confidence=st.floats(0.5, 0.999))
def test_at_the_bound_so_few_failures_have_the_stated_chance(n, data, confidence) -> None:
    failures = data.draw(st.integers(0, n - 1))

    upper = failure_rate_upper(failures, n, confidence)

    chance = math.fsum(
        math.comb(n, k) * upper**k * (1 - upper) ** (n - k) for k in range(failures + 1)
    )
    assert chance == pytest.approx(1 - confidence, rel=1e-6)
    assert failures / n < upper <= 1


def test_a_million_trials_are_no_trouble() -> None:
    upper = failure_rate_upper(100_000, 1_000_000)

    # The normal approximation is good to a few ppm here.
    assert upper == pytest.approx(0.1 + 1.6449 * np.sqrt(0.09 / 1e6), abs=3e-6)


@pytest.mark.parametrize("bound", [failure_rate_lower, failure_rate_upper])
@pytest.mark.parametrize(
    ("failures", "n", "confidence"),
    [(-1, 3, 0.95), (4, 3, 0.95), (0, 3, 1.0), (3, 3, 1.0), (0, 3, 0.0), (3, 3, 0.0)],
)
def test_nonsense_is_refused(bound, failures, n, confidence) -> None:
    with pytest.raises(ValueError, match="no bound"):
        bound(failures, n, confidence)


@pytest.mark.parametrize(
    ("failures", "n", "low", "high"),
    # Clopper and Pearson's two-sided 95 % intervals, as tables have them.
    [
        (0, 10, 0.0, 0.30850),
        (1, 10, 0.00253, 0.44502),
        (5, 10, 0.18709, 0.81291),
        (3, 3, 0.29240, 1),
    ],
)
def test_a_failure_rate_has_two_sides(failures, n, low, high) -> None:
    rate = failure_rate(failures, n)

    assert rate is not None
    assert (rate.low, rate.high) == (pytest.approx(low, abs=2e-5), pytest.approx(high, abs=2e-5))
    assert rate.upper == failure_rate_upper(failures, n)
    assert failure_rate(0, 0) is None


@pytest.mark.parametrize(
    ("rate", "failures", "needed"),
    [(0.05, 0, 59), (0.01, 0, 299), (0.001, 0, 2995), (0.01, 1, 473), (0.05, 2, 124)],
)
def test_how_many_cycles_show_a_rate(rate, failures, needed) -> None:
    assert cycles_needed(rate, failures=failures) == needed
    assert failure_rate_upper(failures, needed) <= rate < failure_rate_upper(failures, needed - 1)


@pytest.mark.parametrize(
    ("rate", "confidence", "failures"),
    [(0.0, 0.95, 0), (1.0, 0.95, 0), (1.0, 0.95, 1), (0.1, 0.0, 0), (0.1, 1.0, 0), (0.1, 0.95, -1)],
)
def test_no_count_of_cycles_is_made_up(rate, confidence, failures) -> None:
    with pytest.raises(ValueError, match="no count"):
        cycles_needed(rate, confidence, failures)


@pytest.mark.parametrize("failures", [0, 1])
def test_a_count_that_nobody_runs_is_refused(failures) -> None:
    assert 99_000_000 < cycles_needed(3.02e-8) < CYCLES_MOST
    with pytest.raises(ValueError, match="more than 100000000 cycles would be needed"):
        cycles_needed(1e-12, failures=failures)


@pytest.mark.parametrize("share", [0.5, 0.95])
@pytest.mark.parametrize("n", [40, 75, 400])
def test_a_quantile_interval_holds_the_truth_often_enough(share, n) -> None:
    generator = np.random.default_rng(20_260_101)
    truth = math.exp(0.3 * {0.5: 0.0, 0.95: 1.6448536}[share])
    held = []
    for _ in range(1_000):
        found = quantile_interval(sorted(np.exp(0.3 * generator.normal(size=n))), share)
        low = -math.inf if found.low_ms is None else found.low_ms
        high = math.inf if found.high_ms is None else found.high_ms
        held.append(low <= truth <= high)

    # At least 95 %, more where ranks are coarse; 2 % are three deviations of the count.
    assert 0.93 <= np.mean(held) <= 0.995


@pytest.mark.parametrize(("share", "needed"), [(0.5, 6), (0.95, 72), (0.05, 72), (0.99, 368)])
def test_too_few_values_have_no_interval(share, needed) -> None:
    assert values_for_quantile(share) == needed
    whole = quantile_interval([float(i) for i in range(needed)], share)
    short = quantile_interval([float(i) for i in range(needed - 1)], share)

    assert None not in (whole.low_ms, whole.high_ms)
    assert None in (short.low_ms, short.high_ms)
    assert short.needed == needed


def test_nothing_has_no_quantile() -> None:
    found = quantile_interval([], 0.5)

    assert (found.value_ms, found.low_ms, found.high_ms) == (None, None, None)


def test_the_interval_of_a_mean_is_students_and_what_all_values_share() -> None:
    found = mean_interval([98.0, 100.0, 102.0, 104.0], CommonTerm(rig_ms=0.25, campaign_ms=0.5))

    # t(0.975, 3) = 3.1824; the values' standard deviation is sqrt(20 / 3).
    half_ms = 3.18245 * math.sqrt(20 / 3) / 2 + 0.75
    assert found is not None
    assert found.value_ms == 101.0
    assert found.standard_ms == pytest.approx(math.sqrt(20 / 3) / 2)
    assert (found.low_ms, found.high_ms) == pytest.approx((101 - half_ms, 101 + half_ms), abs=1e-4)
    assert mean_interval([98.0], CommonTerm()) is None
    assert mean_interval([98.0, 98.0], CommonTerm(rig_ms=1.0)) is not None
