"""Cycles that depend on one another: intervals, bounds and names hold what they say."""

import math

import numpy as np
import pytest

from resume_rig.analysis.compare.fleet import OwnReach, outlying_medians
from resume_rig.analysis.stats.dependence import (
    pooled_tau,
    slope_per_independent,
    tau_of,
    tau_of_counts,
    tau_of_failures,
)
from resume_rig.analysis.stats.figures import failure_rate, failure_rate_upper, quantile_interval
from resume_rig.analysis.stats.sessions import cycle_shift, same_cycles
from resume_rig.analysis.stats.trend import higher_by_chance, later_by_chance
from resume_rig.analysis.verdict.series import series_statistics, two_groups


def autoregression(random: np.random.Generator, phi: float, n: int) -> np.ndarray:
    steps = random.normal(size=n)
    found = np.empty(n)
    found[0] = steps[0]
    for i in range(1, n):
        found[i] = phi * found[i - 1] + math.sqrt(1 - phi * phi) * steps[i]
    return found


@pytest.mark.parametrize(("phi", "n"), [(0.0, 60), (0.6, 40), (0.6, 150)])
def test_intervals_of_dependent_cycles_hold_the_truth(phi: float, n: int) -> None:
    random = np.random.default_rng(1)
    series = 250
    held = [0, 0]
    widths = []
    for _ in range(series):
        values = 800.0 + 40.0 * autoregression(random, phi, n)
        found = series_statistics("x", values.tolist(), range(n), 0.01)
        for place, one in enumerate((found.median, found.mean)):
            low = -math.inf if one is None or one.low_ms is None else one.low_ms
            high = math.inf if one is None or one.high_ms is None else one.high_ms
            held[place] += low <= 800.0 <= high
        plain = quantile_interval(sorted(values), 0.5)
        if found.median.high_ms is not None and found.median.low_ms is not None:
            assert plain.high_ms is not None
            assert plain.low_ms is not None
            widths.append(
                (found.median.high_ms - found.median.low_ms) / (plain.high_ms - plain.low_ms)
            )

    # 95 % less three standard deviations of a count.
    assert min(held) >= series * 0.93 - 3 * math.sqrt(series * 0.07 * 0.93)
    if phi == 0.0:
        assert np.median(widths) <= 1.15


def test_failures_in_runs_count_for_their_runs_and_single_ones_for_themselves() -> None:
    run = [place % 100 < 10 for place in range(600)]
    single = [place % 10 == 0 for place in range(600)]

    assert tau_of_failures(run) == pytest.approx(10 * 0.9 / 1.1)
    assert tau_of_failures(single) == 1.0
    assert tau_of_failures([False] * 50) == tau_of_failures([True] * 50) == 1.0
    assert tau_of_failures([]) == 1.0


def test_runs_with_gaps_show_in_blocks() -> None:
    night = [600 <= place < 700 and place % 2 == 0 for place in range(1000)]

    assert tau_of_failures(night) > 5


def test_failures_at_random_are_rarely_taken_for_runs() -> None:
    random = np.random.default_rng(3)
    taus = [tau_of_failures((random.random(400) < 0.05).tolist()) for _ in range(200)]

    assert np.median(taus) <= 1.15


def test_the_limit_holds_the_rate_of_failures_in_runs() -> None:
    random = np.random.default_rng(4)
    logs, n, run = 200, 900, 10
    held = plainly = 0
    for _ in range(logs):
        flags = np.zeros(n + 2 * run, dtype=bool)
        for start in np.flatnonzero(random.random(n + run) < 0.004):
            flags[start : start + run] = True
        failed = flags[run : run + n].tolist()
        truth = 1 - (1 - 0.004) ** run
        held += failure_rate_upper(sum(failed), n, tau=tau_of_failures(failed)) >= truth
        plainly += failure_rate_upper(sum(failed), n) >= truth

    assert held >= 0.9 * logs
    assert plainly < 0.85 * logs  # what it is there for


def test_without_a_failure_the_limit_says_what_it_would_be_in_runs() -> None:
    clean, failing = failure_rate(0, 120), failure_rate(10, 120, tau=8.0)
    assert clean is not None
    assert failing is not None

    assert clean.upper == pytest.approx(1 - 0.05 ** (1 / 120))
    assert clean.upper_in_runs == pytest.approx(1 - 0.05 ** (1 / 12))
    assert failing.upper_in_runs > failing.upper > failure_rate_upper(10, 120)


def test_units_that_fail_unlike_make_the_limit_of_all_wider() -> None:
    alike = [[failure_rate(2, 100)] for _ in range(6)]
    unlike = [[failure_rate(failed, 100)] for failed in (0, 0, 0, 0, 0, 12)]

    assert pooled_tau(alike) == 1.0
    assert pooled_tau(unlike) > 5
    assert tau_of_counts([(1, 50)]) == 1.0
    assert tau_of_counts([(0, 0), (3, 50), (2, 50)]) == 1.0


def test_alternating_and_constant_series_are_worth_all_their_values() -> None:
    assert tau_of(np.tile([1.0, 2.0], 30)) == 1.0
    assert tau_of(np.full(30, 7.0)) == 1.0
    assert tau_of(np.arange(60.0)) > 20


@pytest.mark.parametrize(("phi", "n"), [(0.0, 9), (0.5, 9), (0.9, 40)])
def test_the_slope_of_an_autoregression_is_as_uncertain_as_said(phi: float, n: int) -> None:
    t = np.arange(n) - (n - 1) / 2
    between = phi ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    expected = 1.0 if phi == 0.0 else float(t @ between @ t / (t @ t))

    assert slope_per_independent(phi, n) == pytest.approx(expected)


@pytest.mark.parametrize("drift", [4.0, 9.0])
def test_a_shift_over_a_drift_is_found(drift: float) -> None:
    random = np.random.default_rng(6)
    found = 0
    for _ in range(30):
        base, candidate = (
            np.rint(1100 + add + drift * np.arange(28) + random.normal(0, 25, 28))
            for add in (0, 800)
        )
        start, end = same_cycles([base, candidate])
        shift = cycle_shift(
            base[start:end], candidate[start:end], 0.3, [base[start:], candidate[start:]]
        )
        found += shift.p < 0.005 and abs(shift.shift - 800) < 60

    assert found >= 28


@pytest.mark.parametrize("phi", [0.0, 0.6, 0.9])
@pytest.mark.parametrize("n", [3, 8, 30])
def test_dependent_sessions_without_a_shift_are_rarely_called_different(phi: float, n: int) -> None:
    random = np.random.default_rng(n)
    pairs = 400
    wrong = 0
    for _ in range(pairs):
        base, candidate = (900 + 30 * autoregression(random, phi, n) for _ in range(2))
        wrong += cycle_shift(base, candidate, 0.3).p < 0.05

    assert wrong <= pairs * 0.05 + 3 * math.sqrt(pairs * 0.05)


def test_three_values_a_side_carry_a_shift_far_beyond_their_scatter() -> None:
    base, candidate = np.array([41000.0, 41030, 41055]), np.array([48000.0, 48041, 48020])

    found = cycle_shift(base, candidate, 0.3)

    low, high = found.interval()
    assert found.p < 0.001
    assert low < 6992 < high
    assert cycle_shift(base, base + 30, 0.3).p > 0.2


@pytest.mark.parametrize("kind", ["t", "lognormal"])
def test_equal_units_of_few_heavy_tailed_cycles_have_no_odd_one(kind: str) -> None:
    random = np.random.default_rng(8)
    fleets = 150
    named = 0
    for _ in range(fleets):
        medians, reaches = {}, {}
        for unit in range(40):
            tail = random.standard_t(2, 4) if kind == "t" else np.exp(random.normal(size=4))
            values = 700 + 60 * tail
            own = quantile_interval(sorted(values), 0.5)
            middle = medians[str(unit)] = float(np.median(values))
            reaches[str(unit)] = OwnReach(own.low_ms, own.high_ms, float(values.max()) - middle)
        named += bool(outlying_medians({"x": medians}, 0.05, {"x": reaches}))

    assert named <= 0.03 * fleets


def test_a_unit_is_odd_where_its_own_cycles_show_it() -> None:
    medians = {str(unit): 700.0 + unit for unit in range(12)} | {"slow": 2100.0}
    tight = dict.fromkeys(medians, OwnReach(None, None, 90.0))
    tight_alone = tight | {"slow": OwnReach(2080.0, 2130.0, 90.0)}
    wide = tight | {"slow": OwnReach(690.0, 2500.0, 900.0), "0": OwnReach(None, None, 1900.0)}

    for own, named in ((tight, True), (tight_alone, True), (wide, False)):
        found = outlying_medians({"x": medians}, 0.05, {"x": own})
        assert [each.unit for each in found] == (["slow"] if named else [])


def test_two_groups_are_named_and_none_of_them_is_an_outlier() -> None:
    random = np.random.default_rng(9)
    is_high = random.random(80) < 0.3
    values = np.where(is_high, 2300.0, 1200.0) + random.normal(0, 12, 80)

    found = series_statistics("x", values.tolist(), range(80), 1.0)

    assert found.groups is not None
    assert found.groups.low_n + found.groups.high_n == 80
    assert found.groups.high_ms == pytest.approx(2300, abs=10)
    assert found.warm_up == ()
    assert len(found.outliers) <= 2


@pytest.mark.parametrize("kind", ["normal", "uniform", "exponential", "step", "one slow"])
def test_one_group_a_tail_and_a_step_are_no_two_groups(kind: str) -> None:
    random = np.random.default_rng(10)
    for _ in range(60):
        values = {
            "normal": random.normal(900, 30, 60),
            "uniform": random.uniform(500, 1500, 60),
            "exponential": random.exponential(900, 60),
            "step": np.r_[random.normal(900, 9, 30), random.normal(1500, 9, 30)],
            "one slow": np.r_[random.normal(900, 9, 59), 4000.0],
        }[kind]
        assert two_groups(values, 1.0) is None


def test_ranks_and_counts_of_few_are_exact() -> None:
    assert later_by_chance(np.array([9.0, 8.0]), np.array([1.0, 2.0, 3.0])) == pytest.approx(0.1)
    assert later_by_chance(np.array([1.0]), np.array([2.0, 3.0])) == 1.0
    assert higher_by_chance(2, 2, 0, 8) == pytest.approx(1 / 45)
    assert higher_by_chance(0, 3, 1, 9) == 1.0
