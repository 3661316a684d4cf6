"""Long campaigns are matched in long stretches, and as honestly as short ones."""

import numpy as np
import pytest
from match_campaigns import BRUTAL, OFFSETS, PACES, Score, campaign
from test_match import UTC_NS, S, os_wakes, outside, records, starts

from resume_rig.analysis.match.match import match
from resume_rig.model.result.match import HIGH_CONFIDENCE

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("step_s", [0.0, -1800.0])
def test_a_long_campaign_is_matched_like_a_short_one(record, step_s) -> None:
    generator = np.random.default_rng(16)
    n = 4500
    awake = starts(generator, n, jitter_s=8)
    slow = UTC_NS + ((awake - UTC_NS) * (1 + 30e-6)).astype(np.int64)
    stepped = slow + np.where(np.arange(n) >= 2500, round(step_s * S), 0)
    kept = np.flatnonzero(generator.random(n) >= 0.03)
    told = records(record, os_wakes(stepped, 0, generator)[kept])

    found = match(outside(awake), told)

    truth = dict(zip(kept.tolist(), range(len(kept)), strict=True))
    assert all(truth.get(cycle) == place for cycle, place in found.pairs)
    assert len(found.pairs) >= 0.99 * len(kept)
    assert [round(ns / S) for _, _, ns in found.steps] == ([round(step_s)] if step_s else [])


def test_a_long_even_campaign_that_nothing_ties_is_ambiguous(record) -> None:
    generator = np.random.default_rng(17)
    n = 4200
    awake = starts(generator, n, jitter_s=0.02)
    wakes = os_wakes(awake, 3600 * S, generator)
    wakes = np.where(generator.random(n) < 0.03, wakes + 20 * S, wakes)

    found = match(outside(awake), records(record, wakes))

    assert not any(probability >= HIGH_CONFIDENCE for probability in found.probability)


def test_a_pace_that_is_even_in_most_runs_is_tied_by_the_others(record) -> None:
    generator = np.random.default_rng(18)
    n = 8000
    uneven = np.arange(n) // 200 % 5 == 0
    wide_s = np.where(uneven, 8.0, 0.02)
    awake = UTC_NS + (np.cumsum(45 + generator.uniform(-wide_s, wide_s)) * S).astype(np.int64)
    slow = UTC_NS + ((awake - UTC_NS) * (1 + 20e-6)).astype(np.int64)
    wakes = os_wakes(slow, 3600 * S, generator)
    moved = generator.random(n) < 0.03

    found = match(outside(awake), records(record, np.where(moved, wakes + 20 * S, wakes)))

    assert all(cycle == place for cycle, place in found.pairs)
    assert len(found.pairs) >= 0.995 * (n - moved.sum())
    assert found.steps == ()


@pytest.mark.parametrize("seed", [10, 25, 79, 170, 269, 285])
def test_a_short_run_between_two_steps_is_not_given_away_for_certain(seed) -> None:
    # Brutal campaigns of `benchmarks/matching.py` with steps of nearly a whole number of paces,
    # or of a few cycles.
    random = np.random.default_rng((seed, 77))
    n = min(round(20 * 100 ** random.random()), 400)
    pace, offset = PACES[seed % len(PACES)], OFFSETS[seed // len(PACES) % len(OFFSETS)]
    score = Score()
    made = campaign(seed, n, pace, offset, BRUTAL)

    score.add(made, match(made.cycles, made.records, both_utc=seed % 3 != 0))

    assert score.high_wrong == 0
    assert score.pairs >= 0.5 * score.matchable


@pytest.mark.parametrize("seed", [736, 760, 922])
def test_a_pair_that_an_unseen_setting_explains_is_not_certain(seed) -> None:
    # Brutal campaigns of `benchmarks/matching.py`: a setting that was not found in a gap, or just
    # before a stretch ended, and a pair beside it that fits by chance.
    n = round(20 * 100 ** np.random.default_rng((seed, 77)).random())
    pace, offset = PACES[seed % len(PACES)], OFFSETS[seed // len(PACES) % len(OFFSETS)]
    score = Score()
    made = campaign(seed, n, pace, offset, BRUTAL)

    score.add(made, match(made.cycles, made.records, both_utc=seed % 3 != 0))

    assert score.high_wrong == 0
    assert score.wrong == 0
    assert score.high >= (0.75 * score.matchable if seed != 736 else 0.6 * score.matchable)
