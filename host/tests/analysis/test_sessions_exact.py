"""Sessions and cycles compared, against the same figures counted in plain lists."""

import math
from itertools import combinations
from statistics import fmean as mean

import numpy as np
import pytest

from resume_rig.analysis.stats.dependence import (
    autocorrelation_limit,
    values_per_independent,
)
from resume_rig.analysis.stats.figures import student_t_beyond, student_t_tails
from resume_rig.analysis.stats.sessions import (
    CycleShift,
    SessionColumn,
    cycle_shift,
    same_cycles,
    session_shifts,
    sessions_needed,
    warm_up_of,
)
from resume_rig.analysis.stats.trend import (
    errors_shown,
    holm,
    ranks_of,
)


def drawn(seed: int, *sizes: int) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [np.round(900 + 30 * generator.normal(size=n), 1) for n in sizes]


def plain_warm_up(values: np.ndarray) -> int:
    ranks = ranks_of(values).tolist()
    n = len(ranks)
    # The square of the standard error of the mean of what is left, but for a common factor.
    errors = []
    for left_out in range(n // 3 + 1):
        kept = ranks[left_out:]
        errors.append(sum((rank - mean(kept)) ** 2 for rank in kept) / len(kept) ** 2)
    return errors.index(min(errors))


@pytest.mark.parametrize("n", [12, 13, 30, 41])
@pytest.mark.parametrize("slower", [0, 3, 9, 40])
def test_a_warm_up_is_what_leaves_the_mean_surest_when_left_out(n: int, slower: int) -> None:
    (values,) = drawn(n + slower, n)
    values[:slower] += np.linspace(200.0, 20.0, len(values[:slower]))

    assert warm_up_of(values) == plain_warm_up(values)


def test_a_warm_up_is_a_third_at_most_and_needs_twelve_values() -> None:
    falling = np.array([9.0] * 4 + [1.0] * 8)

    assert warm_up_of(falling) == 4
    assert warm_up_of(falling[:11]) == 0
    assert warm_up_of(np.array([9.0] * 5 + [1.0] * 8)) <= 4
    assert warm_up_of(np.full(30, 7.0)) == 0


def test_the_same_cycles_are_from_the_longest_warm_up_to_the_shortest_end() -> None:
    level, warm = np.full(15, 5.0), np.array([9.0] * 6 + [1.0, 2.0] * 8)

    assert same_cycles([level]) == (0, 15)
    assert same_cycles([level, warm]) == (warm_up_of(warm), 15)
    assert warm_up_of(warm) == 6
    # Half of the shortest stays in any case.
    assert same_cycles([warm, level[:9]]) == (4, 9)


def trimmed(values: np.ndarray) -> tuple[float, list[float], float]:
    """Return the mean of the middle 60 %, all values drawn in to it, and its share."""
    cut = int(0.2 * len(values))
    middle = sorted(values.tolist())[cut : len(values) - cut]
    drawn_in = [min(max(value, middle[0]), middle[-1]) for value in values.tolist()]
    return mean(middle), drawn_in, len(middle) / len(values)


@pytest.mark.parametrize(("n", "m"), [(9, 10), (12, 31), (60, 60)])
@pytest.mark.parametrize("whole", [(), (40, 50)])
@pytest.mark.parametrize("least", [0.0, 25.0])
def test_a_shift_of_cycles_is_that_of_trimmed_means(n, m, whole, least) -> None:
    base, candidate, *longer = drawn(n * m, n, m, *whole)
    sides = [trimmed(base), trimmed(candidate)]
    phi = autocorrelation_limit(
        [np.array(trimmed(each)[1]) for each in longer or (base, candidate)]
    )
    taus = [values_per_independent(phi, k) for k in (n, m)]
    squares = sum((v - mean(values)) ** 2 for _, values, _ in sides for v in values)
    spread = max(squares / (n + m - sum(taus)), least**2)
    error = math.sqrt(
        spread * sum(t / k / s[2] ** 2 for t, k, s in zip(taus, (n, m), sides, strict=True))
    )

    found = cycle_shift(base, candidate, least, longer)

    assert found.shift == pytest.approx(sides[1][0] - sides[0][0])
    assert found.error == pytest.approx(error)
    assert found.effective_n == pytest.approx((n / taus[0], m / taus[1]))
    freedom = sum(k / t * s[2] for t, k, s in zip(taus, (n, m), sides, strict=True)) - 2
    assert found.freedom == pytest.approx(max(1.0, freedom))


def test_a_shift_of_cycles_has_students_chance_interval_and_power() -> None:
    found = CycleShift(shift=-6.0, error=2.0, freedom=8.0, effective_n=(5.0, 5.0))

    assert found.p == student_t_tails(3.0, 8.0)
    # t(0.975, 8) of the tables.
    assert found.interval() == pytest.approx((-6 - 2 * 2.3060, -6 + 2 * 2.3060), abs=1e-3)
    assert found.detectable(0.01) == 2.0 * errors_shown(student_t_beyond(0.01, 8.0), 8.0)


@pytest.mark.parametrize(
    ("shift", "error", "p"), [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 2.0, 1.0)]
)
def test_a_shift_without_scatter_is_sure_and_none_is_none(shift, error, p) -> None:
    assert CycleShift(shift, error, 3.0, (2.0, 2.0)).p == p


def plain_t(base: list[float], candidate: list[float], least: float) -> tuple[float, float]:
    """Return Student's t with pooled variance, and the standard deviation."""
    both = [x - middle for side in (base, candidate) for middle in [mean(side)] for x in side]
    sd = max(math.sqrt(sum(x * x for x in both) / (len(both) - 2)), least)
    error = sd * math.sqrt(1 / len(base) + 1 / len(candidate))
    shift = mean(candidate) - mean(base)
    return (shift / error if error else math.inf if shift else 0.0), sd


@pytest.mark.parametrize(("k", "m"), [(1, 2), (2, 1), (2, 2), (3, 4), (1, 60)])
@pytest.mark.parametrize("least", [0.0, 60.0])
def test_few_sessions_are_compared_by_t_and_holms_steps(k: int, m: int, least: float) -> None:
    table = [SessionColumn(*drawn(10 * k + m + time, k, m), least) for time in range(3)]

    found = session_shifts(table, 0.05)

    assert [each.p_adjusted for each in found] == holm([each.p for each in found])
    for each, column in zip(found, table, strict=True):
        base, candidate = column.base.tolist(), column.candidate.tolist()
        t, sd = plain_t(base, candidate, least)
        error = sd * math.sqrt(1 / k + 1 / m)
        half = student_t_beyond(0.05, k + m - 2) * error
        assert (each.base_sessions, each.candidate_sessions, each.tested) == (k, m, True)
        assert each.shift == pytest.approx(mean(candidate) - mean(base))
        assert (each.low, each.high) == pytest.approx((each.shift - half, each.shift + half))
        assert each.sd == pytest.approx(sd)
        assert each.p == pytest.approx(student_t_tails(t, k + m - 2))
        shown = errors_shown(student_t_beyond(0.05 / 3, k + m - 2), k + m - 2)
        assert each.detectable == pytest.approx(shown * error)


@pytest.mark.parametrize(
    ("base", "candidate", "shift"),
    [([], [5.0], 0.0), ([], [5.0, 6.0, 7.0], 0.0), ([4.0, 5.0, 6.0], [], 0.0), ([4.0], [7.0], 3.0)],
)
def test_too_few_sessions_are_not_tested(base, candidate, shift) -> None:
    (found,) = session_shifts([SessionColumn(np.array(base), np.array(candidate), 0.1)], 0.05)

    assert (found.base_sessions, found.candidate_sessions) == (len(base), len(candidate))
    assert (found.shift, found.low, found.high, found.sd) == (shift, None, None, None)
    assert (found.p, found.p_adjusted, found.detectable, found.tested) == (1.0, 1.0, None, False)


def test_what_is_not_tested_is_no_test_of_the_family() -> None:
    absent = SessionColumn(np.full(3, math.nan), np.array([1.0, 2.0, 3.0]), 0.1)
    there = SessionColumn(*drawn(1, 3, 3), 0.1)

    missing, found = session_shifts([absent, there], 0.05)

    assert not missing.tested
    assert found == session_shifts([there], 0.05)[0]
    assert found.p_adjusted == found.p


@pytest.mark.parametrize(("shift", "p"), [(0.0, 1.0), (1.0, 0.0)])
def test_sessions_that_do_not_scatter_are_sure(shift: float, p: float) -> None:
    for k in (3, 5):
        column = SessionColumn(np.full(k, 4.0), np.full(k, 4.0 + shift), 0.0)
        other = SessionColumn(*drawn(k, k, k), 0.0)

        found = session_shifts([column, other], 0.05)[0]

        assert (found.p, found.low, found.high) == (p, shift, shift)
        assert k == 5 or found.detectable == 0.0
        # Of 252 ways to divide them the own one and its mirror image are as far from each other.
        assert found.p_adjusted == (p if k == 3 or not shift else 2 / 252)


def divided(table: list[SessionColumn]) -> tuple[list[float], list[float]]:
    """Return each |t| and the greatest one of every way to divide the sessions."""
    k, m = len(table[0].base), len(table[0].candidate)
    columns = [[*column.base.tolist(), *column.candidate.tolist()] for column in table]

    def t_of(column: list[float], least: float, chosen: tuple[int, ...]) -> float:
        sides: tuple[list[float], list[float]] = ([], [])
        for place, value in enumerate(column):
            if not math.isnan(value):
                sides[place in chosen].append(value)
        if not all(sides):
            return 0.0
        return abs(plain_t(*sides, least)[0])

    leasts = [column.least for column in table]
    greatest = [
        max(t_of(column, least, chosen) for column, least in zip(columns, leasts, strict=True))
        for chosen in combinations(range(k + m), m)
    ]
    own = tuple(range(k, k + m))
    return [t_of(c, least, own) for c, least in zip(columns, leasts, strict=True)], greatest


@pytest.mark.parametrize(("k", "m", "absent"), [(4, 5, True), (1, 99, False), (14, 2, True)])
@pytest.mark.parametrize("least", [0.0, 40.0])
def test_a_hundred_divisions_and_more_are_counted(k, m, absent, least) -> None:
    table = [SessionColumn(*drawn(k + time, k, m), least) for time in range(2)]
    if absent:
        table[0].base[0] = table[1].base[1] = table[1].candidate[1] = math.nan
    own, greatest = divided(table)
    for alpha in (0.05, 0.2, 1e-9):
        found = session_shifts(table, alpha)

        expected = [sum(t >= each - 1e-9 for t in greatest) / len(greatest) for each in own]
        assert [each.p_adjusted for each in found] == expected
        # The own one stands among those that reach it, and its mirror image, where it has one.
        own_ones = 2 if k == m else 1
        place = min(len(greatest) - 1, math.ceil((1 - alpha) * len(greatest)) + own_ones)
        for each in found:
            n, others = each.base_sessions, each.candidate_sessions
            error = each.sd * math.sqrt(1 / n + 1 / others)
            reach = errors_shown(sorted(greatest)[place], n + others - 2)
            assert each.detectable == pytest.approx(reach * error)


def test_of_more_divisions_than_ten_thousand_some_are_drawn() -> None:
    base, candidate = drawn(5, 8, 12)
    far = SessionColumn(base, candidate + 1000.0, 0.3)
    near = SessionColumn(base, candidate + 30.0, 0.3)

    first, second = session_shifts([far, near], 0.05)

    # The own one is among them; of 125,970 no other is as far.
    assert first.p_adjusted == 1 / 10_000
    # As the seeded draws have it; Holm's step is 0.0485.
    assert second.p_adjusted == 0.0462
    assert 2 * second.p == pytest.approx(0.0485, abs=1e-4)
    assert session_shifts([far, near], 0.05) == [first, second]


def test_sessions_needed_are_the_fewest_that_show_it() -> None:
    def shown(count: int) -> float:
        freedom = 2 * count - 2
        return errors_shown(student_t_beyond(0.05 / 3, freedom), freedom) * math.sqrt(2 / count)

    for count in (2, 3, 17, 1_000):
        assert sessions_needed(4.0, 4.0 * shown(count) * (1 + 1e-9), 3, 0.05) == count
        more = sessions_needed(4.0, 4.0 * shown(count) * (1 - 1e-9), 3, 0.05)
        assert more == (count + 1 if count < 1_000 else None)
