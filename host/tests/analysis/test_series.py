"""Drift, steps, warm-up and outliers of seeded series, where the truth is known."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.stats.trend import change_points_of, drift_of
from resume_rig.analysis.verdict.series import series_statistics

SEED = 20_260_102


def noise(generator: np.random.Generator, n: int) -> np.ndarray:
    return 900.0 + 20.0 * generator.normal(size=n)


def test_a_trend_that_is_none_is_named_as_often_as_stated() -> None:
    generator = np.random.default_rng(SEED)
    ps = [drift_of(noise(generator, 40)).p for _ in range(1_000)]

    assert 0.03 <= np.mean([p < 0.05 for p in ps]) <= 0.07
    assert np.mean([p < 0.01 for p in ps]) <= 0.02


@pytest.mark.parametrize(("n", "repeats"), [(60, 500), (1_201, 150)], ids=["all pairs", "half"])
def test_the_slope_lies_in_its_interval(n: int, repeats: int) -> None:
    generator = np.random.default_rng(SEED)
    held = []
    for _ in range(repeats):
        drift = drift_of(noise(generator, n) + 0.3 * np.arange(n))
        held.append(drift.low_ms <= 30.0 <= drift.high_ms)
        assert drift.slope_ms == pytest.approx(30.0, abs=75.0 if n < 100 else 1.0)

    assert 0.92 <= np.mean(held) <= 0.985


@given(st.lists(st.integers(0, 5), min_size=10, max_size=40))
def test_order_is_counted_as_every_pair_tells(values: list[int]) -> None:
    drift = drift_of(np.array(values, dtype=np.float64))
    rising = sum((b > a) - (b < a) for a, b in combinations(values, 2))
    backwards = drift_of(np.array(values[::-1], dtype=np.float64))

    assert drift.p == pytest.approx(backwards.p)
    assert drift.slope_ms == pytest.approx(-backwards.slope_ms)
    assert (abs(rising) <= 1) == (drift.p == 1.0)


def test_few_values_have_no_drift_and_level_ones_no_step() -> None:
    assert drift_of(np.arange(9.0)) is None
    assert drift_of(np.full(50, 900.0)).p == 1.0
    assert change_points_of(np.full(50, 900.0), list(range(50))) == ()
    assert change_points_of(np.array([]), []) == ()


def test_a_step_of_three_sigma_is_found_within_two_cycles() -> None:
    generator = np.random.default_rng(SEED)
    near = []
    for _ in range(150):
        n = int(generator.integers(40, 500))
        place = int(generator.integers(10, n - 10))
        values = noise(generator, n)
        values[place:] += 60.0
        found = change_points_of(values, list(range(1, n + 1)))
        near.append(any(abs(point.cycle - (place + 1)) <= 2 for point in found))

    assert np.mean(near) >= 0.97


@pytest.mark.parametrize(("n", "repeats"), [(60, 300), (800, 500)], ids=["permuted", "limit"])
def test_a_level_series_has_a_step_in_one_of_a_hundred(n: int, repeats: int) -> None:
    generator = np.random.default_rng(SEED)
    found = [bool(change_points_of(noise(generator, n), list(range(n)))) for _ in range(repeats)]

    assert np.mean(found) <= 0.01 + 3 * (0.01 * 0.99 / repeats) ** 0.5


def test_two_steps_are_told_with_their_levels() -> None:
    values = np.concatenate([np.tile([899.0, 901.0], 30), np.tile([949.0, 951.0], 30)])
    values = np.concatenate([values, np.tile([799.0, 801.0], 40)])

    found = change_points_of(values, list(range(1, len(values) + 1)))

    assert [point.cycle for point in found] == [61, 121]
    assert [(point.before_ms, point.after_ms) for point in found] == [(900, 950), (950, 800)]


def test_a_hundred_thousand_cycles_repeat_one_answer() -> None:
    values = np.round(noise(np.random.default_rng(SEED), 100_000))
    values[70_000:] += 3.0

    first = series_statistics("resume_ms", values.tolist(), range(1, 100_001), 1.0)
    again = series_statistics("resume_ms", values.tolist(), range(1, 100_001), 1.0)

    assert first == again
    assert len(first.change_points) == 1
    assert abs(first.change_points[0].cycle - 70_001) < 500


def test_a_warm_up_is_named_and_counted() -> None:
    values = [1500.0, 1200.0, *np.tile([899.0, 900.0, 901.0], 20)]

    found = series_statistics("resume_ms", values, range(1, len(values) + 1), 1.0)

    assert found.warm_up == (1, 2)
    assert found.outliers == ()
    assert found.figures.max_ms == 1500.0
    assert found.figures.n == len(values)


def test_what_begins_otherwise_for_long_is_a_step_and_no_warm_up() -> None:
    values = [*np.tile([1199.0, 1201.0], 15), *np.tile([899.0, 901.0], 15)]

    found = series_statistics("resume_ms", values, range(1, 61), 1.0)

    assert found.warm_up == ()
    assert [point.cycle for point in found.change_points] == [31]


def test_outliers_are_named_and_stay_in_the_figures() -> None:
    values = [*np.tile([899.0, 900.0, 901.0], 20), 5000.0, 900.0]

    found = series_statistics("resume_ms", values, range(101, 163), 1.0)

    assert found.outliers == (161,)
    assert found.figures.max_ms == 5000.0
    assert found.warm_up == ()


@given(st.lists(st.floats(0, 1e6), max_size=30))
def test_any_series_has_an_answer(values: list[float]) -> None:
    found = series_statistics("resume_ms", values, range(len(values)), 1.0)

    assert found.figures.n == len(values)
    assert set(found.warm_up).isdisjoint(found.outliers)
