"""One session a side by its cycles: error rates, intervals and power, dependent cycles or not."""

import numpy as np
import pytest

from resume_rig.analysis.stats.dependence import autocorrelation_limit, values_per_independent
from resume_rig.analysis.stats.sessions import cycle_shift

SEED = 20_260_104


def session(generator: np.random.Generator, n: int, phi: float = 0.0) -> np.ndarray:
    """Return a session of skewed times about 900 ms, autocorrelated by `phi`, float64 [n]."""
    noise = generator.normal(size=n)
    for i in range(1, n):
        noise[i] = phi * noise[i - 1] + np.sqrt(1 - phi**2) * noise[i]
    return 900 * np.exp(0.05 * noise)


@pytest.mark.parametrize("phi", [0.0, 0.6, 0.9])
@pytest.mark.parametrize(("n", "m"), [(12, 12), (20, 60), (60, 60)])
def test_no_difference_is_found_in_5_percent_at_most_however_cycles_depend(n, m, phi) -> None:
    generator = np.random.default_rng(SEED)
    draws = 600

    ps = [
        cycle_shift(session(generator, n, phi), session(generator, m, phi), 0.0).p
        for _ in range(draws)
    ]

    # 1.8 % are two deviations of a count of 30 in 600.
    assert np.mean(np.array(ps) <= 0.05) <= 0.068


@pytest.mark.parametrize(("n", "phi"), [(12, 0.0), (60, 0.0), (60, 0.8)])
def test_the_interval_holds_the_shift(n: int, phi: float) -> None:
    generator = np.random.default_rng(SEED)
    held = []
    for _ in range(400):
        found = cycle_shift(session(generator, n, phi), session(generator, n, phi) + 25.0, 0.0)
        low, high = found.interval()
        held.append(low <= 25.0 <= high)

    assert 0.93 <= np.mean(held) <= 1.0


@pytest.mark.parametrize(("n", "alpha"), [(12, 0.05), (25, 0.05), (80, 0.005)])
def test_what_is_called_detectable_is_found_in_four_of_five(n: int, alpha: float) -> None:
    generator = np.random.default_rng(SEED)

    def drawn(shift: float) -> tuple[bool, float]:
        base, candidate = generator.normal(900, 20, n), generator.normal(900 + shift, 20, n)
        found = cycle_shift(base, candidate, 0.0)
        return found.p <= alpha, found.detectable(alpha)

    middle = float(np.median([drawn(0.0)[1] for _ in range(200)]))
    shown = np.mean([drawn(middle)[0] for _ in range(300)])

    assert 0.66 <= shown <= 0.9


def test_a_wild_cycle_moves_nothing() -> None:
    generator = np.random.default_rng(SEED)
    base, candidate = session(generator, 40), session(generator, 40)
    wild = candidate.copy()
    wild[7] = 60_000.0

    assert cycle_shift(base, wild, 0.0).shift == pytest.approx(
        cycle_shift(base, candidate, 0.0).shift, abs=5.0
    )


def test_equal_values_are_as_sure_as_their_rounding() -> None:
    found = cycle_shift(np.full(8, 700.0), np.full(8, 701.0), 1 / 12**0.5)

    assert found.shift == 1.0
    assert found.error > 0.1
    assert cycle_shift(np.full(8, 700.0), np.full(8, 700.0), 0.0).p == 1.0


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_the_limit_of_the_autocorrelation_is_above_it_nearly_always(phi: float) -> None:
    generator = np.random.default_rng(SEED)
    above = [
        autocorrelation_limit([session(generator, 60, phi), session(generator, 60, phi)]) >= phi
        for _ in range(400)
    ]

    # 95 % are wanted; by 1,000 draws it is 100, 95 and 90 %.
    assert np.mean(above) >= 0.86


@pytest.mark.parametrize("phi", [0.3, 0.9])
def test_dependent_values_are_worth_what_their_mean_scatters(phi: float) -> None:
    n, generator = 40, np.random.default_rng(SEED)
    noise = generator.normal(size=(20_000, n))
    for i in range(1, n):
        noise[:, i] = phi * noise[:, i - 1] + np.sqrt(1 - phi**2) * noise[:, i]

    assert values_per_independent(phi, n) == pytest.approx(n * noise.mean(axis=1).var(), rel=0.04)
    assert values_per_independent(0.0, n) == 1.0
