"""A warm-up is found and left out, and the same cycles of each session are compared."""

import numpy as np
import pytest

from resume_rig.analysis.stats.sessions import same_cycles, warm_up_of

SEED = 20_261_122


def session(generator, n: int, warm: float) -> np.ndarray:
    slower = 1 + warm * np.exp(-np.arange(n) / 5)
    return 900 * slower * np.exp(0.03 * generator.normal(size=n))


def test_a_warm_up_is_left_out_and_little_else() -> None:
    generator = np.random.default_rng(SEED)

    warm = [warm_up_of(session(generator, 60, 0.3)) for _ in range(100)]
    level = [warm_up_of(session(generator, 60, 0.0)) for _ in range(100)]

    assert 6 <= np.median(warm) <= 14
    assert np.median(level) <= 1
    assert max(*warm, *level) <= 20


def test_one_wild_cycle_late_is_no_warm_up() -> None:
    generator = np.random.default_rng(SEED)
    values = session(generator, 60, 0.0)
    values[15] = 60_000.0

    assert warm_up_of(values) <= 3


@pytest.mark.parametrize("n", [0, 1, 4, 11])
def test_few_values_keep_all(n: int) -> None:
    assert warm_up_of(np.linspace(2_000.0, 900.0, n)) == 0


def test_sessions_of_different_length_are_compared_over_the_same_cycles() -> None:
    generator = np.random.default_rng(SEED)
    long, short = session(generator, 60, 0.3), session(generator, 20, 0.3)

    start, end = same_cycles([long, short])

    assert 3 <= start <= 10
    assert end == 20
