"""Several sessions a side: error rates and power as stated, shares, absent times."""

import math
from itertools import combinations

import numpy as np
import pytest

from resume_rig.analysis.stats.sessions import SessionColumn, session_shifts, sessions_needed
from resume_rig.analysis.stats.trend import errors_shown

SEED = 20_261_122


def columns(generator, k: int, m: int, slower: float = 0.0, times: int = 5) -> list[SessionColumn]:
    """Return sessions that scatter by 3 %, partly together; `slower` concerns the first time."""
    together = generator.normal(size=(k + m, 1))
    own = generator.normal(size=(k + m, times))
    values = 900 * np.exp(0.03 * (0.8 * together + 0.6 * own))
    values[k:, 0] *= 1 + slower
    return [SessionColumn(values[:k, i], values[k:, i], 0.3) for i in range(times)]


@pytest.mark.parametrize(("k", "m"), [(2, 2), (1, 4), (4, 4), (5, 5), (3, 7)])
def test_alike_sessions_differ_in_5_percent_at_most_over_all_times(k: int, m: int) -> None:
    generator = np.random.default_rng(SEED)
    draws = 500

    named = sum(
        any(each.p_adjusted <= 0.05 for each in session_shifts(columns(generator, k, m), 0.05))
        for _ in range(draws)
    )

    # 2 % are two deviations of a count of 25 in 500.
    assert named / draws <= 0.07


@pytest.mark.parametrize("k", [3, 4, 6])
def test_what_is_called_detectable_is_found_in_four_of_five(k: int) -> None:
    generator = np.random.default_rng(SEED)

    def drawn(slower: float):
        return session_shifts(columns(generator, k, k, slower), 0.05)[0]

    middle = float(np.median([drawn(0.0).detectable for _ in range(200)])) / 900
    shown = np.mean([drawn(middle).p_adjusted <= 0.05 for _ in range(200)])

    # By simulation with 400 draws it is 74 to 78 %.
    assert 0.66 <= shown <= 0.9


def test_the_interval_of_a_shift_is_students() -> None:
    base, candidate = np.array([100.0, 102.0, 104.0]), np.array([110.0, 112.0, 114.0])

    (found,) = session_shifts([SessionColumn(base, candidate, 0.0)], 0.05)

    # t(0.975, 4) = 2.776; sd 2, standard error 2 * sqrt(2 / 3).
    assert found.sd == pytest.approx(2.0)
    assert (found.shift, found.low, found.high) == pytest.approx(
        (10.0, 10 - 2.7764 * 1.63299, 10 + 2.7764 * 1.63299), abs=1e-3
    )


def test_the_greatest_t_is_that_of_all_divisions() -> None:
    generator = np.random.default_rng(SEED)
    table = columns(generator, 5, 5, 0.04, times=3)

    found = session_shifts(table, 0.05)

    values = np.column_stack([np.concatenate([c.base, c.candidate]) for c in table])

    def greatest(chosen: tuple[int, ...]) -> np.ndarray:
        theirs, ours = values[list(chosen)], np.delete(values, chosen, axis=0)
        sd = np.sqrt((theirs.var(axis=0, ddof=1) + ours.var(axis=0, ddof=1)) / 2)
        return np.abs(theirs.mean(axis=0) - ours.mean(axis=0)) / (sd * math.sqrt(0.4))

    all_of_them = [greatest(c).max() for c in combinations(range(10), 5)]
    expected = [np.mean(np.array(all_of_them) >= t - 1e-9) for t in greatest((5, 6, 7, 8, 9))]
    assert [each.p_adjusted for each in found] == pytest.approx(expected)
    # 5 % of all divisions and no more reach this |t| in some time, the own one and its mirror, too.
    critical = sorted(all_of_them)[math.ceil(0.95 * len(all_of_them)) + 2]
    reach = errors_shown(critical, 8) * math.sqrt(0.4)
    assert [each.detectable for each in found] == pytest.approx([reach * each.sd for each in found])


def test_two_sessions_show_nothing_and_an_absent_time_is_left_out() -> None:
    one = SessionColumn(np.array([100.0]), np.array([300.0]), 0.3)
    absent = SessionColumn(np.array([100.0, math.nan, 101.0]), np.array([140.0, 141.0, 142.0]), 0.3)

    (alone,) = session_shifts([one], 0.05)
    (found,) = session_shifts([absent], 0.05)

    assert not alone.tested
    assert (found.base_sessions, found.candidate_sessions) == (2, 3)
    assert found.p_adjusted < 0.001


def test_a_share_that_is_0_and_then_1_everywhere_is_shown() -> None:
    share = SessionColumn(np.zeros(3), np.ones(3), math.sqrt(0.25 / 59))

    (found,) = session_shifts([share], 0.05)

    assert found.p_adjusted < 0.001


def test_sessions_needed_are_those_that_show_it() -> None:
    assert sessions_needed(27.0, 90.0, 5, 0.05) == 5
    assert sessions_needed(27.0, 45.0, 5, 0.05) > 8
    assert sessions_needed(900.0, 0.1, 5, 0.05) is None
