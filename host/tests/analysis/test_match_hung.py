"""Cycles that hung are given to the match as cycles that likely have no record: never for certain.

Wherever they stand, the healthy cycles keep their records, and none goes to a cycle that hung.
"""

from collections.abc import Collection

import numpy as np
import pytest
from hung_campaigns import DARK, HUNG, hung, some_of
from match_campaigns import BRUTAL, OFFSETS, PACES, REALISTIC, Campaign, Score, Troubles, campaign

from resume_rig.analysis.match.match import Match, match
from resume_rig.model.result.match import HIGH_CONFIDENCE

NO_TROUBLES = Troubles(
    lost=0, extra=0, doubled=0, zero=0, doze=0, steps=0, died=0, wrapped=0, before=0
)
CYCLES = 12
PLACES = {
    "start": {0},
    "two at the start": {0, 1},
    "middle": {5},
    "three in the middle": {5, 6, 7},
    "five in the middle": {3, 4, 5, 6, 7},
    "end": {11},
    "two at the end": {10, 11},
    "four at the end": {8, 9, 10, 11},
    "start and end": {0, 1, 10, 11},
    "each second": {1, 3, 5, 7, 9, 11},
    "all but four": {0, 1, 2, 3, 5, 6, 8, 9},
}


def found_in(made: Campaign, **told: object) -> Match:
    return match(made.cycles, made.records, **told)


def certain(found: Match) -> dict[int, int]:
    pairs = zip(found.pairs, found.probability, strict=True)
    return dict(pair for pair, likely in pairs if likely >= HIGH_CONFIDENCE)


def clean(seed: int, pace: str = "random", n: int = CYCLES) -> Campaign:
    return campaign(seed, n, pace, "near", NO_TROUBLES)


@pytest.mark.parametrize("silent", [HUNG, DARK])
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_healthy_cycles_keep_their_records(place: set[int], silent: float) -> None:
    for seed in range(3):
        made = hung(clean(seed), place, silent=silent)
        assert certain(found_in(made)) == made.truth


@pytest.mark.parametrize("pace", ["even", "random"])
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_log_that_was_read_meanwhile_tells_the_rest(place: set[int], pace: str) -> None:
    made = hung(clean(4, pace), place)
    arrived_at = {record: cycle for cycle, record in made.truth.items()}
    seen = [arrived_at[record] for record in range(len(made.records))]
    assert certain(found_in(made, arrived_at=seen)) == made.truth


def test_where_all_hung_nothing_is_matched() -> None:
    for seed in range(4):
        made = hung(clean(seed), range(CYCLES))
        assert found_in(made).pairs == ()


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_cycle_that_hung_and_wrote_its_record_has_it(place: set[int]) -> None:
    """The wires may be wrong about it; the times of many records are not."""
    made = hung(clean(5, n=40), place, wrote=place)
    assert certain(found_in(made)) == made.truth


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_prior_alone_makes_no_pair_certain(count: int) -> None:
    """At an even pace a log that begins late looks as one of which the last cycles hung."""
    for seed in range(6):
        made, last = clean(seed, "even", 10), range(10 - count, 10)
        late = hung(hung(made, range(count), silent=0.0), last, wrote=last)
        found = certain(found_in(late, both_utc=False))
        assert all(late.truth.get(cycle) == record for cycle, record in found.items())


def test_what_hung_is_not_taken_for_records_that_were_lost() -> None:
    """Nine of ten hung: the log is whole all the same, so the one that is left is certain."""
    place = [cycle for cycle in range(60) if cycle % 10 != 3]
    made = hung(clean(7, n=60), place)
    assert certain(found_in(made)) == made.truth


# Every combination of trouble and pace, and a bit; the others are statistics.
QUICK = 8
SEEDS = [*range(QUICK), *(pytest.param(n, marks=pytest.mark.slow) for n in range(QUICK, 24))]


@pytest.mark.parametrize("wrote", ["some", "all", "half"])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_wrong_pair_is_certain(seed: int, wrote: str) -> None:
    random = np.random.default_rng((seed, 5))
    troubles = (BRUTAL, REALISTIC, NO_TROUBLES)[seed % 3]
    count = int(random.integers(5, 70))
    made = campaign(9_000 + seed, count, PACES[seed % 5], OFFSETS[seed // 5 % 4], troubles)
    some = some_of(random, made, float(random.choice([0.05, 0.2, 0.5])))
    told: dict[str, tuple[Collection[int], float]] = {
        "some": ({cycle for cycle in some if random.random() < 1 - HUNG}, HUNG),
        "all": (some, HUNG),
        "half": ({cycle for cycle in some if random.random() < DARK}, DARK),
    }
    those, silent = told[wrote]
    spoilt = hung(made, some, wrote=those, silent=silent)
    score = Score()
    score.add(spoilt, found_in(spoilt, both_utc=seed % 3 != 0))
    assert score.high_wrong == 0
