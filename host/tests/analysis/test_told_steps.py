"""What a log says of its clock keeps a record that no cycle has from being called lost."""

from pathlib import Path

import pytest
from findings_truth import CASES
from match_campaigns import os_record
from numpy.random import default_rng
from played_campaign import play

from resume_rig.analysis.told_steps import beside_told_steps
from resume_rig.model.component import Figure
from resume_rig.model.match import CycleReason
from resume_rig.model.os_record import OsRecord
from resume_rig.model.verdict import FindingKind

STEP = (Figure("clock_steps", 1), Figure("clock_stepped_us", 9_000_000))


def log(count: int, *stepped: int) -> list[OsRecord]:
    return [os_record(record_id=n, figures=STEP if n in stepped else ()) for n in range(count)]


@pytest.mark.parametrize(
    ("lost", "pairs", "records", "expected"),
    [
        # Between two matched cycles stands a record, and the clock was set.
        ([2], [(0, 0), (1, 1), (3, 3)], log(4, 3), [2]),
        ([2], [(0, 0), (1, 1), (3, 3)], log(4, 2), [2]),
        # Nothing says that the clock was set there, or no record is free: it is lost.
        ([2], [(0, 0), (1, 1), (3, 3)], log(4, 1), []),
        ([2], [(0, 0), (1, 1), (3, 3)], log(4), []),
        ([2], [(0, 0), (1, 1), (3, 2)], log(3, 2), []),
        # Before and behind all that is matched, as many records count as cycles are there.
        ([0, 1], [(2, 7), (3, 8)], log(9, 7), [0, 1]),
        ([0, 1], [(2, 7), (3, 8)], log(9, 4), []),
        ([2, 3], [(0, 0), (1, 1)], log(4, 2), [2, 3]),
        ([2, 3], [(0, 0), (1, 1)], log(9, 8), []),
        ([0], [], log(3, 1), []),
    ],
)
def test_a_record_that_may_be_of_a_lost_cycle(
    lost: list[int], pairs: list[tuple[int, int]], records: list[OsRecord], expected: list[int]
) -> None:
    assert beside_told_steps(lost, pairs, records) == frozenset(expected)


@pytest.mark.parametrize("number", [2, 10])
def test_cycles_beside_a_step_that_the_log_tells_of_have_lost_nothing(
    tmp_path: Path, number: int
) -> None:
    """Campaigns of which one or two short runs are left alone by the match."""
    (place, case), *_ = ((n, c) for n, c in enumerate(CASES) if c.kind is FindingKind.CLOCK_STEP)
    random = default_rng(1100 + place)
    for _ in range(number):
        spoilt = case.make(random)
    answer = play(spoilt.profile, 50, 11_000 + number, tmp_path, by=spoilt.by, spoil=spoilt.spoil)
    kinds = [finding.kind for cycle in answer.cycles for finding in cycle.findings]
    assert FindingKind.RECORD_MISSING not in kinds
    assert FindingKind.CLOCK_STEP in kinds
    alone = [cycle for cycle in answer.cycles if cycle.record is None]
    assert alone
    assert {cycle.record_missing for cycle in alone} == {CycleReason.AMBIGUOUS}
