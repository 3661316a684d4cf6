"""What was made quicker in the match says what the plain way says, to the last bit."""

import numpy as np
import plain_match
import pytest
from hypothesis import given
from hypothesis import strategies as st
from match_campaigns import BRUTAL, OFFSETS, PACES, REALISTIC, Score, campaign
from test_match import S, os_wakes, outside, records, starts

from resume_rig.analysis.match.likelihood import NEVER, Gains, near
from resume_rig.analysis.match.match import Match, match

pytestmark = pytest.mark.slow

TENTHS = st.lists(st.integers(0, 200), min_size=1, max_size=40)


def seconds(tenths: list[int]) -> np.ndarray:
    return np.sort(np.array(tenths, dtype=np.float64)) / 10


@given(TENTHS, TENTHS, st.integers(0, 30))
def test_what_is_near_is_found_as_in_a_table(entries, predicted, reach) -> None:
    at_s, predicted_s = seconds(entries), np.array(predicted) / 10

    found, plain = (way(at_s, predicted_s, reach / 10 + 1e-6) for way in (near, plain_match.near))

    for one, other in zip(found, plain, strict=True):
        assert one.tolist() == other.tolist()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-40, 40)), max_size=18))
def test_a_list_of_gains_is_weighed_as_a_table_is(listed) -> None:
    of = np.sort(np.array([row for row, _ in listed], dtype=np.int64))
    gain = np.array([worth / 4 for _, worth in listed])
    lost = np.linspace(-3.0, 0.0, 6)
    table = np.full((6, 19), NEVER)
    for place, (row, worth) in enumerate(zip(of.tolist(), gain.tolist(), strict=True)):
        table[row, place] = worth
    nothing = np.zeros(len(of))
    found = Gains(of, np.arange(len(of)), gain, nothing, nothing.astype(np.int32))

    best = found.best(6)

    top = np.maximum(lost, table.max(axis=1))
    total = np.exp(lost - top) + np.exp(table - top[:, None]).sum(axis=1)
    assert found.either(lost) == pytest.approx(np.log(total) + top, abs=1e-12)
    some = table.max(axis=1) > NEVER
    assert best.tolist() == np.where(some, table.argmax(axis=1), -1).tolist()


def told(found: Match) -> tuple[object, ...]:
    return (
        found.pairs, found.probability, found.steps, found.equal_offsets,
        found.cycle_reasons, found.record_reasons,
    )  # fmt: skip


def plainly(monkeypatch) -> None:
    """Let the match go the plain way from here on."""
    at = "resume_rig.analysis."
    monkeypatch.setattr(at + "match.likelihood.near", plain_match.near)
    monkeypatch.setattr(at + "match.offset_vote.fullest_windows", plain_match.fullest_windows)
    monkeypatch.setattr(at + "match.offset_vote.residuals", plain_match.residuals)


@pytest.mark.parametrize("troubles", [REALISTIC, BRUTAL])
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_campaign_is_matched_as_the_plain_way_does(monkeypatch, troubles, seed) -> None:
    made = campaign(seed, 60, PACES[seed % 5], OFFSETS[seed % 4], troubles)
    quick = told(match(made.cycles, made.records))

    plainly(monkeypatch)

    assert told(match(made.cycles, made.records)) == quick


def test_a_long_campaign_that_was_read_live_is_matched_as_the_plain_way_does(
    monkeypatch, record
) -> None:
    generator = np.random.default_rng(19)
    n = 4300
    awake = starts(generator, n, jitter_s=0.02)
    stepped = awake + np.where(np.arange(n) >= 2000, 90 * S, 0)
    wakes = os_wakes(stepped, 3600 * S, generator)
    kept = np.flatnonzero(generator.random(n) >= 0.03)
    given_records = records(record, wakes[kept])
    quick = told(match(outside(awake), given_records, arrived_at=kept.tolist()))

    plainly(monkeypatch)

    assert told(match(outside(awake), given_records, arrived_at=kept.tolist())) == quick


# Cycles that have a record, and how many of them were matched when this was written: none wrong.
# Pairs are fewer where a cycle stands alone beside a setting of the clock, or among lost ones.
MATCHED = (
    (REALISTIC, 30, 98, 98),
    (REALISTIC, 31, 47, 47),
    (REALISTIC, 32, 96, 96),
    (REALISTIC, 33, 99, 99),
    (REALISTIC, 34, 94, 91),
    (REALISTIC, 35, 97, 97),
    (REALISTIC, 36, 100, 99),
    (REALISTIC, 37, 96, 96),
    (REALISTIC, 38, 96, 94),
    (REALISTIC, 39, 99, 97),
    (BRUTAL, 30, 68, 60),
    (BRUTAL, 31, 72, 64),
    (BRUTAL, 32, 70, 66),
    (BRUTAL, 33, 67, 62),
    (BRUTAL, 34, 68, 64),
    (BRUTAL, 35, 71, 66),
    (BRUTAL, 36, 35, 29),
    (BRUTAL, 37, 68, 58),
    (BRUTAL, 38, 68, 59),
    (BRUTAL, 39, 70, 63),
)


@pytest.mark.parametrize(("troubles", "seed", "records", "matched"), MATCHED)
def test_of_seeded_campaigns_no_less_is_matched_and_nothing_wrong(
    troubles, seed, records, matched
) -> None:
    made = campaign(seed, 100, PACES[seed % 5], OFFSETS[seed % 4], troubles)
    score = Score()

    score.add(made, match(made.cycles, made.records, both_utc=seed % 3 != 0))

    assert score.matchable == records
    assert score.pairs >= matched
    assert score.wrong == 0
