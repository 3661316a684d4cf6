"""All ways through a campaign, held against a table of states made one number at a time.

Few cycles have cells of their own in place of long campaigns (`_CELLS_FINE`).
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import plain_chain
import pytest
from plain_match import cycles_at, entries_at

from resume_rig.analysis.match import chain
from resume_rig.analysis.match.chain import Chain, follow, step_cost, to_learn_from
from resume_rig.analysis.match.likelihood import Noise
from resume_rig.analysis.match.offsets import Tracks

NOISE = Noise(half_s=0.6, lost=0.2, others_hz=1 / 400, steps_per_cycle=1 / 40)


def log_prior(offset_s):
    return -np.abs(offset_s) / 90 - 6.0


def troubled(seed: int, n: int = 30):
    """Return cycles, records of a clock that is set now and then, and candidates for it."""
    random = np.random.default_rng(seed)
    pace_s = random.choice([20.0, 31.0])
    at_s = 5000 + np.cumsum(pace_s + random.uniform(-4, 4, n))
    count = 3 + 4 * (seed % 4 == 1)
    bounds = np.sort(random.choice(np.arange(2, n - 1), count, replace=False))
    first = np.array([0, *bounds, n])
    steps_s = random.choice([1.5, -22.0, 31.0, 60.0, -62.0], 4)
    clock_s = np.zeros(n)
    for at, step_s in zip(random.choice(n, 4, replace=False), steps_s, strict=True):
        clock_s[at:] += step_s
    log_s = at_s + clock_s + random.normal(0, 0.3, n)
    kept = np.flatnonzero(random.random(n) < 0.75)
    kept = kept[(kept >= n // 8) & (kept < n - n // 8)] if seed % 2 else kept
    record, log_s = kept.copy(), log_s[kept]
    # Some are of other sleeps, some have a second moment, and of two documents either has some.
    log_s += np.where(random.random(len(kept)) < 0.2, random.uniform(-15, 15, len(kept)), 0.0)
    twice = random.random(len(kept)) < 0.3
    record, log_s = np.append(record, record[twice]), np.append(log_s, log_s[twice] + 0.5)
    source = (record % 3 == 1).astype(int) if seed % 3 == 0 else np.zeros(len(record), int)
    order = np.argsort(log_s)
    half_s = np.where(random.random(len(record)) < 0.2 + 0.3 * (seed % 4 == 1), 1.8, 0.0)
    entries = entries_at(log_s[order], record=record[order], source=source[order], half_s=half_s)
    offsets_s = np.unique(clock_s)
    candidates = np.full((count + 1, 4), np.nan)
    for stretch in range(count + 1):
        some = random.permutation(np.append(offsets_s, [0.4, -7.0]))[: random.integers(1, 5)]
        candidates[stretch, : len(some)] = some + random.normal(0, 0.2, len(some))
    rate = random.uniform(-1, 1, (count + 1, 4)) * (1e-2 if seed % 4 == 1 else 1e-3)
    middle_s = np.array([at_s[low:high].mean() for low, high in pairwise(first)])
    silent = random.choice([0.0, 0.0, 0.5], n)
    return cycles_at(at_s, silent=silent), entries, Tracks(first, candidates, rate, middle_s)


def assert_same(found: Chain, plain) -> None:
    listed, evidence = plain
    likely = [each for each in listed if each[2] > 1e-5]
    got = sorted(
        zip(found.rows.tolist(), found.slots.tolist(), found.probability.tolist(), strict=True)
    )
    assert [each[:2] for each in got] == [each[:2] for each in likely]
    assert [each[2] for each in got] == pytest.approx([each[2] for each in likely], rel=1e-7)
    assert found.evidence == pytest.approx(evidence, abs=1e-9)


@pytest.mark.parametrize("seed", range(16))
def test_each_candidate_has_its_share_of_all_ways(seed) -> None:
    cycles, entries, tracks = troubled(seed)

    found = follow(cycles, entries, tracks, NOISE, log_prior)

    assert_same(found, plain_chain.followed(cycles, entries, tracks, NOISE, log_prior=log_prior))


@pytest.mark.parametrize("seed", range(4))
def test_a_log_that_was_read_meanwhile_and_a_stated_pair_are_weighed(seed) -> None:
    cycles, entries, tracks = troubled(seed, 20)
    random = np.random.default_rng(seed)
    reading = np.sort(random.integers(0, 9, 20)).astype(np.int32)
    came = reading[np.minimum(entries.record, 19)] + random.integers(0, 2, len(entries.record))
    entries = replace(entries, reading=came.astype(np.int32))
    stated = (int(entries.record[3]),) * 2 if seed % 2 else None
    cycles = replace(cycles, reading=reading, readings=8, stated_pair=stated)

    found = follow(cycles, entries, tracks, NOISE, log_prior)

    assert_same(found, plain_chain.followed(cycles, entries, tracks, NOISE, log_prior=log_prior))


@pytest.mark.parametrize("shift", [2, 3, 4, 5])
def test_a_clock_may_go_back_by_three_records_but_not_by_four(shift) -> None:
    n, at_s = 16, 20.0 * np.arange(16)
    # Each candidate explains all cycles but some; both together take records twice.
    tracks = Tracks(
        np.array([0, n]), np.array([[0.0, -20.0 * shift]]), np.zeros((1, 2)), np.zeros(1)
    )
    given = cycles_at(at_s), entries_at(at_s[: n - shift]), tracks, NOISE

    found = follow(*given, log_prior)

    assert_same(found, plain_chain.followed(*given, log_prior=log_prior))


@pytest.mark.parametrize("swapped", [False, True])
def test_what_a_clock_that_went_back_gives_up_may_stand_in_the_next_stretch(swapped) -> None:
    at_s = 20.0 * np.arange(16) + 7.0 * (np.arange(16) == 7)
    # By the second candidate cycle 7 has a record that is dated by guess, and 8 and 9 those of 5
    # and 6 once more. In the stretch behind it the candidates may stand in another order.
    # All drift apart by 4 ms a second, so that they meet where one stretch follows the other.
    rate = 4e-3
    log_s, record = np.append(at_s[:7], 87.0), np.append(np.arange(7), 20)
    log_s += rate * np.append(at_s[:7], at_s[7])
    order = np.argsort(log_s)
    entries = entries_at(
        log_s[order], record=record[order], half_s=np.where(record[order] == 20, 1.8, 0.0)
    )
    candidates = np.array([[0.0, -60.0, np.nan], [np.nan, 0.1, -60.1]])
    if swapped:
        candidates[1] = [-60.1, 0.1, np.nan]
    candidates[1] += 320 * rate
    tracks = Tracks(np.array([0, 8, 16]), candidates, np.full((2, 3), rate), np.array([0.0, 320.0]))
    given = cycles_at(at_s), entries, tracks, NOISE

    found = follow(*given, log_prior)

    assert_same(found, plain_chain.followed(*given, log_prior=log_prior))


@pytest.mark.parametrize("seed", range(8))
def test_of_long_campaigns_cycles_stand_together_but_where_the_clock_was_set(
    seed, monkeypatch
) -> None:
    monkeypatch.setattr(chain, "_CELLS_FINE", 16)
    n = 64
    cycles, entries, tracks = troubled(seed, n)
    # One stretch in eight cycles: in the middle the clock is set, at the ends it stands.
    first = np.arange(0, n + 1, 8)
    # Of two that are near each other, which one held is open beside the setting, too.
    candidates = np.tile([[0.0, 40.0, 40.6 if seed % 2 else -9.0]], (8, 1))
    candidates[6, 1:] = np.nan
    middle_s = cycles.at_s[first[:-1]]
    tracks = Tracks(first, candidates, np.zeros((8, 3)), middle_s)
    own = np.arange(n) if seed % 2 else np.flatnonzero(np.arange(n) % 5)
    log_s = cycles.at_s + np.where(np.arange(n) >= 28, 40.0 * (seed < 6), 0.0) + 0.1
    entries = entries_at(log_s[own], record=own)

    found = follow(cycles, entries, tracks, NOISE, log_prior)

    plain = plain_chain.followed(cycles, entries, tracks, NOISE, log_prior=log_prior, cells_of=4)
    best = plain_chain.best_of_each(plain[0], n)
    moved = {
        stretch + near
        for row in range(1, n)
        if abs(candidates[row // 8, best[row]] - candidates[(row - 1) // 8, best[row - 1]]) > 0.8
        for stretch in ((row - 1) // 8, row // 8)
        for near in (-1, 0, 1)
    }
    assert bool(moved) == (seed < 6)
    sizes = [1 if stretch in moved else 4 for stretch in range(8)]
    assert_same(
        found,
        plain_chain.followed(cycles, entries, tracks, NOISE, log_prior=log_prior, cells_of=sizes),
    )


@pytest.mark.parametrize(("n", "size"), [(4096, 1), (4097, 2), (8193, 3)])
def test_from_4097_cycles_on_two_stand_together(n, size) -> None:
    at_s = 20.0 * np.arange(n)
    own = np.arange(0, n, 4)
    # Only of the first stretch there is more than one candidate.
    tracks = Tracks(
        np.array([0, 24, n]), np.array([[0.3, 0.25], [0.3, np.nan]]), np.zeros((2, 2)), np.zeros(2)
    )

    found = follow(cycles_at(at_s), entries_at(at_s[own], record=own), tracks, NOISE, log_prior)

    of_first = found.probability[(found.slots == 0) & (found.rows < 24)]
    assert len(of_first) == 24
    changes = np.flatnonzero(np.diff(of_first)) + 1
    assert np.gcd.reduce(changes) == size


def test_a_step_of_the_clock_costs_more_the_larger_it_is() -> None:
    found = step_cost(np.array([-0.2, 1.0, -3600.0, np.nan]), Noise(steps_per_cycle=1 / 300))

    assert found.tolist() == pytest.approx(
        [np.log(16 * 300), np.log(16 * 300), np.log(16 * 300 * 3600), np.nan], nan_ok=True
    )


def test_a_part_of_the_ways_keeps_the_evidence() -> None:
    whole = Chain(np.arange(4), np.arange(4) + 4, np.arange(4) / 8, -7.0)

    part = whole.where(slice(1, 3))

    assert (part.rows.tolist(), part.slots.tolist()) == ([1, 2], [5, 6])
    assert (part.probability.tolist(), part.evidence) == ([0.125, 0.25], -7.0)


def learnt_from(n: int, size: int, low_s: float, high_s: float):
    """Return of which cycles is learnt where a log covers so much of stretches of `size` cycles.

    By the log's clock the middle of stretch k is at 10 * (size * k + size / 2) + k seconds.
    """
    first = np.append(np.arange(0, n, size), n)
    cycles = cycles_at(10.0 * np.arange(n))
    stretches = np.arange(len(first) - 1)
    offset_s = 7000.0 + np.stack([stretches, -9.0 * stretches], axis=1)
    rate, middle_s = stretches[:, None] * np.ones(2), 10.0 * (first[:-1] + size // 2)
    tracks = Tracks(first, offset_s, rate, middle_s)
    some, of_some = to_learn_from(cycles, entries_at([7000 + low_s, 7000 + high_s]), tracks)
    rows = some.index
    assert rows.tolist() == list(range(rows[0], rows[-1] + 1))
    assert len(of_some.middle_s) == len(of_some.first) - 1
    assert (of_some.first[0], of_some.first[-1]) == (0, len(rows))
    kept = of_some.rate[:, 0].astype(int)
    assert of_some.offset_s.tolist() == tracks.offset_s[kept].tolist()
    assert of_some.middle_s.tolist() == tracks.middle_s[kept].tolist()
    assert (of_some.first[:-1] + rows[0]).tolist() == first[kept].tolist()
    return int(rows[0]), int(rows[-1]) + 1


@pytest.mark.parametrize(
    ("n", "size", "covered_s", "first", "last"),
    [
        (16_384, 64, (0, 1e6), 0, 16_384),
        (16_384, 64, (150_000, 160_000), 0, 16_384),
        (16_385, 64, (0, 1e6), 0, 16_384),
        # The middle of 313 stretches is the 157th, which begins at 9,984.
        (20_000, 64, (0, 1e6), 9984 - 8192, 9984 + 8192),
        (20_000, 64, (1e8, 2e8), 9984 - 8192, 9984 + 8192),
        (20_000, 64, (0, 10_000), 0, 16_384),
        (20_000, 64, (190_000, 200_000), 64 * 304 - 8192, 20_000),
        # From the middle of a stretch to the middle of another, both of which are covered.
        (20_000, 64, (641 * 248 + 320, 641 * 250 + 320), 64 * 249 - 8192, 20_000),
        (20_000, 64, (641 * 249 + 320, 641 * 250 + 320), 64 * 250 - 8192, 20_000),
        # Whole stretches, and none of them cut.
        (20_000, 60, (0, 1e6), 1800, 18_240),
    ],
)
def test_of_a_long_campaign_the_middle_of_what_the_log_covers_teaches(
    n, size, covered_s, first, last
) -> None:
    assert learnt_from(n, size, *covered_s) == (first, last)
