"""Pairs in the order of the records, held against all pairs compared with each other."""

from itertools import combinations

import numpy as np
import plain_match
import pytest
from plain_match import contradict, cycles_at, entries_at, one_of_two

from resume_rig.analysis.match import order
from resume_rig.analysis.match.order import Choice, aligned, doubted_by_order, in_order


def chosen(rows, records, probability) -> Choice:
    """Return a choice in which the entry of a record bears its number."""
    rows, records = np.array(rows, int), np.array(records, int)
    nothing = np.arange(len(rows)) / 8
    return Choice(rows, records, records, np.array(probability, float), nothing, -nothing)


def longest_ascent(ranks) -> int:
    best: list[int] = []
    for at, rank in enumerate(ranks):
        best.append(1 + max((best[k] for k in range(at) if ranks[k] < rank), default=0))
    return max(best, default=0)


@pytest.mark.parametrize("seed", range(40))
def test_as_few_pairs_as_need_be_give_way_and_leave_their_doubt(seed) -> None:
    random = np.random.default_rng(seed)
    n, far = (int(random.integers(1, 24)), 9) if seed % 2 else (60, int(random.choice([12, 30])))
    ranks = np.arange(n) * 2
    moved = random.random(n) < random.choice([0.1, 0.4, 1.0])
    ranks[moved] += random.integers(-far, far, int(moved.sum()))
    ranks -= ranks.min()
    given = chosen(np.arange(n) * 3, ranks, random.uniform(0.3, 1, n))

    found = in_order(given, entries_at(np.zeros(200)))

    likely = [at for at in range(n) if given.probability[at] > 0.5]
    kept = [at for at in likely if 3 * at in found.rows]
    dropped = [at for at in likely if at not in kept]
    assert sorted(found.rows.tolist()) == [3 * at for at in range(n) if at not in dropped]
    assert all(ranks[one] < ranks[other] for one, other in combinations(kept, 2))
    assert len(kept) == longest_ascent([ranks[at] for at in likely])
    expected = given.probability.copy()
    contrary = {
        at: [k for k in kept if contradict((k, ranks[k]), (at, ranks[at]))] for at in dropped
    }
    against = {k: sum(k in each for each in contrary.values()) for k in kept}
    for at in dropped:
        for k in contrary[at]:
            # One pair against many that agree with each other is wrong itself.
            if len(contrary[at]) <= 2 * against[k] + 2:
                expected[k] = one_of_two(expected[k], given.probability[at])
    assert found.probability == pytest.approx(expected[found.rows // 3], abs=1e-12)
    assert found.offset_s.tolist() == (found.rows / 24).tolist()
    assert found.residual_s.tolist() == (-found.rows / 24).tolist()
    assert found.entry.tolist() == ranks[found.rows // 3].tolist()


def test_what_is_no_likelier_than_not_gives_way_to_nothing() -> None:
    given = chosen([0, 1, 2], [2, 1, 0], [0.5, 0.9, 0.5])

    assert in_order(given, entries_at(np.zeros(3))).probability.tolist() == [0.5, 0.9, 0.5]


def test_of_two_certain_pairs_that_exclude_each_other_none_is_likely() -> None:
    found = in_order(chosen([0, 1], [1, 1], [1.0, 1.0]), entries_at(np.zeros(2)))

    assert (len(found.rows), found.probability.tolist()) == (1, [0.0])


@pytest.mark.parametrize("seed", range(24))
def test_unlikely_records_of_other_cycles_leave_their_doubt(seed) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 25)) * (4 if seed % 3 == 0 else 1)
    rows = np.sort(random.integers(0, n, n))
    far = 30 if n > 24 else 3
    moved = random.integers(-far, far + 1, n) * (random.random(n) < random.choice([0.1, 0.4]))
    records = np.clip(rows + moved, 0, n - 1)
    pairs = sorted({*zip(rows.tolist(), records.tolist(), strict=True)})
    share = random.choice([0.02, 0.05, 0.06, 0.3, 0.5, 0.51, 0.9], len(pairs))
    options = chosen(*zip(*pairs, strict=True), share)
    best = [at for at in range(len(pairs)) if random.random() < 0.7]

    found = doubted_by_order(options.where(np.array(best, int)), options, entries_at(np.zeros(n)))

    mixed = [
        at
        for at, (_, record) in enumerate(pairs)
        if share[at] > 0.05
        and (
            any(record <= other for _, other in pairs[:at])
            or any(record >= other for _, other in pairs[at + 1 :])
        )
    ]
    contrary = {at: [] for at in range(len(pairs))}
    for (place, one), (other_place, other) in combinations(enumerate(mixed), 2):
        if other_place - place <= 24 and contradict(pairs[one], pairs[other]):
            contrary[one].append(other)
            contrary[other].append(one)
    outvoted = [sum(share[k] > 0.5 for k in contrary[at]) >= 3 for at in range(len(pairs))]
    doubt = [
        max((share[k] for k in contrary[at] if share[k] <= 0.5 and not outvoted[k]), default=0.0)
        for at in range(len(pairs))
    ]
    expected = [share[at] * (1 - doubt[at]) for at in best]
    assert found.probability == pytest.approx(expected, abs=1e-12)
    assert found.rows.tolist() == [pairs[at][0] for at in best]


@pytest.mark.parametrize(("likely", "is_heard"), [(0, True), (2, True), (3, False)])
def test_an_option_is_heard_24_places_away_unless_three_likely_ones_outvote_it(
    likely, is_heard
) -> None:
    share = np.full(41, 0.3)
    share[0] = 0.4
    share[30 : 30 + likely] = 0.9
    share[5 : 5 + likely] = 0.9
    # The first of them would be of the record of the cycle behind the last.
    options = chosen(np.arange(41), [41, *range(1, 41)], share)

    found = doubted_by_order(options, options, entries_at(np.zeros(42)))

    doubted = share[1:25] * (0.6 if is_heard else 1.0)
    assert found.probability[1:25] == pytest.approx(doubted)
    assert found.probability[25:].tolist() == share[25:].tolist()
    assert found.probability[0] == pytest.approx(0.4 * 0.7)


def test_the_last_record_of_a_cycle_is_not_the_first_of_the_next() -> None:
    options = chosen([0, 1], [2, 0], [0.4, 0.3])

    found = doubted_by_order(options, options, entries_at(np.zeros(3)))

    assert found.probability.tolist() == pytest.approx([0.4 * 0.7, 0.3 * 0.6])


def test_without_options_nothing_is_doubted() -> None:
    nothing = chosen([], [], [])

    assert len(doubted_by_order(nothing, nothing, entries_at([0.0])).rows) == 0
    assert len(in_order(nothing, entries_at([0.0])).rows) == 0


def set_often(seed: int, n: int):
    """Return cycles and records of a clock that was set twice; some are lost, some of others."""
    random = np.random.default_rng(seed)
    at_s = np.cumsum(random.uniform(20, 70, n))
    log_s = at_s + random.uniform(-0.4, 0.4, n) + 40.0 * (np.arange(n) >= n // 3)
    log_s -= 3000.0 * (np.arange(n) >= 2 * n // 3)
    kept = random.random(n) < 0.8
    others = random.uniform(0, 60, n)[~kept] + log_s[~kept]
    log_s = np.where(kept, log_s, 0.0)
    log_s[~kept] = others
    keep = random.random(n) < 0.9
    half_s = random.choice([0.0, 0.0, 1.0], int(keep.sum()))
    silent = random.choice([0.0, 0.5], n)
    return cycles_at(at_s, silent=silent), entries_at(log_s[keep], half_s=half_s)


@pytest.mark.parametrize("seed", range(6))
def test_the_assignment_in_order_that_explains_most_is_found(seed) -> None:
    cycles, entries = set_often(seed, 26)

    found = aligned(cycles, entries)

    rows, columns = (
        np.array(each) for each in zip(*plain_match.aligned_pairs(cycles, entries), strict=True)
    )
    assert found.rows.tolist() == rows.tolist()
    assert found.offset_s.tolist() == (entries.at_s[columns] - cycles.at_s[rows]).tolist()


def test_a_record_is_aligned_by_its_likelier_moment() -> None:
    at_s = np.array([0.0, 45.0, 97.0, 160.0])
    # In the order of their times; the doubtful moments stand 10 s before.
    log_s, record = np.sort(np.append(at_s + 100.0, at_s + 90.0)), np.repeat(np.arange(4), 2)
    log_weight = np.tile(np.log([0.15, 0.85]), 4)

    found = aligned(cycles_at(at_s), entries_at(log_s, record=record, log_weight=log_weight))

    assert found.rows.tolist() == [0, 1, 2, 3]
    assert found.offset_s.tolist() == [100.0] * 4


def test_a_record_of_two_moments_is_of_one_cycle() -> None:
    entries = entries_at([0.0, 10.0], record=[0, 0], log_weight=np.log([0.85, 0.15]))

    found = aligned(cycles_at([0.0, 10.0]), entries)

    assert (found.rows.tolist(), found.offset_s.tolist()) == ([0], [0.0])


@pytest.mark.parametrize(("others", "is_crossed"), [(0, True), (7, True), (8, False)])
def test_a_gap_is_crossed_where_the_run_before_it_is_worth_it(others, is_crossed) -> None:
    """Two intervals say 16.0, each record between the runs takes 1, a step 16.7 less 8.2."""
    at_s = np.cumsum([0.0, 31.0, 47.0, 22.0, 53.0, 39.0, 64.0, 28.0])
    between_s = -1e6 * np.arange(1, others + 1)
    log_s = np.concatenate([at_s[:3], between_s, at_s[3:] + 500.0])
    order_of_time = np.argsort(log_s)

    found = aligned(cycles_at(at_s), entries_at(log_s[order_of_time], record=order_of_time))

    assert found.rows.tolist() == list(range(0 if is_crossed else 3, 8))


def test_intervals_that_differ_by_two_readings_are_of_two_runs() -> None:
    assert aligned(cycles_at([0.0, 1.2]), entries_at([0.0, 2.4])).rows.tolist() == [0]
    assert aligned(cycles_at([0.0, 1.2]), entries_at([0.0, 2.39])).rows.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("lost", "silent", "is_crossed"),
    [(3, 0.0, True), (4, 0.0, False), (12, 0.5, True), (13, 0.5, False), (40, 0.95, True)],
)
def test_a_gap_costs_what_cycles_in_it_have_lost(lost, silent, is_crossed) -> None:
    """Of the 16.0 that two intervals say, each takes 2.3, or 0.6 where its OS may have hung."""
    n = 3 + lost + 5
    at_s = np.cumsum(np.random.default_rng(1).uniform(20, 60, n))
    shares = np.where((np.arange(n) >= 3) & (np.arange(n) < 3 + lost), silent, 0.0)
    own = np.r_[0:3, 3 + lost : n]

    found = aligned(cycles_at(at_s, silent=shares), entries_at(at_s[own] + 500.0 * (own >= 3)))

    assert found.rows.tolist() == (own if is_crossed else own[3:]).tolist()


def test_records_are_aligned_in_the_order_of_their_writing() -> None:
    at_s = np.array([0.0, 45.0, 97.0, 160.0])
    # The clock went back by 120 s after two: by time the last records come first.
    log_s = at_s + np.array([0.0, 0.0, -120.0, -120.0])
    order_of_time = np.argsort(log_s)

    found = aligned(cycles_at(at_s), entries_at(log_s[order_of_time], record=order_of_time))

    assert found.rows.tolist() == [0, 1]
    assert found.offset_s.tolist() == [0.0, 0.0]


def test_a_table_that_is_too_large_is_not_made(monkeypatch) -> None:
    too_many = entries_at(45.0 * np.arange(2001))

    nothing = aligned(cycles_at(45.0 * np.arange(4000)), too_many)
    assert (nothing.rows.tolist(), nothing.offset_s.tolist()) == ([], [])
    assert np.issubdtype(nothing.rows.dtype, np.integer)
    at_s = [0.0, 45.0, 97.0]
    for cells, count in ((9, 3), (8, 0)):
        monkeypatch.setattr(order, "_CELLS_MOST", cells)
        assert len(aligned(cycles_at(at_s), entries_at(at_s)).rows) == count
