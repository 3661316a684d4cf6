"""A pair at the edge of a campaign is doubted where another run of the clock explains more."""

import numpy as np
import pytest
from test_match import S, outside, records, starts

from resume_rig.analysis.match.likelihood import Noise
from resume_rig.analysis.match.order import Choice
from resume_rig.analysis.match.pairs import columns_of, moments_of, record_times
from resume_rig.analysis.match.rivals import Edges
from resume_rig.analysis.match.times import arrivals_of, cycle_times, wake_entries
from resume_rig.model.os_record import NO_SLEEPS

CYCLES = 24
AWAKE_NS = starts(np.random.default_rng(5), CYCLES, jitter_s=15)
LENGTHS_NS = np.diff(AWAKE_NS).tolist()
NO_CUTS = np.empty(0, dtype=np.int64)


def certainty(record, *, first: int, own: list[int], set_at: slice, set_ns: int) -> list[float]:
    """Return how certain pairs of cycles in a row are, were these all that were found.

    Args:
        record: makes a record.
        first: the first of the cycles that have one.
        own: the record of each of them.
        set_at: the cycles at which the OS clock stood elsewhere.
        set_ns: by how much.
    """
    wakes = AWAKE_NS + 6 * S // 10
    wakes[set_at] += set_ns
    read = arrivals_of((), CYCLES, CYCLES)
    cycles = cycle_times(moments_of(outside(AWAKE_NS)), read, None, by_wake=True)
    entries = wake_entries(record_times(columns_of(records(record, wakes)), NO_SLEEPS), read)
    entry = np.array([int(np.flatnonzero(entries.record == each)[0]) for each in own])
    rows = np.arange(first, first + len(own))
    difference_s = entries.at_s[entry] - cycles.at_s[rows]
    offset_s = np.full(len(rows), np.median(difference_s))
    likely = Choice(
        rows, np.array(own), entry, np.ones(len(rows)), offset_s, difference_s - offset_s
    )
    return Edges(likely, cycles, entries, Noise()).certainty(NO_CUTS).tolist()


def test_the_first_pair_may_be_of_a_run_before_it(record) -> None:
    # Before cycle 3 the clock was set: the record of cycle 1 stands where that of cycle 2 would.
    own = [1, *range(3, CYCLES)]
    chance, *others = certainty(record, first=2, own=own, set_at=slice(3), set_ns=LENGTHS_NS[1])

    assert chance < 0.1
    assert others == pytest.approx([1.0] * len(others), abs=0.02)
    assert max(others) <= 1.0


def test_the_last_pair_may_be_of_a_run_behind_it(record) -> None:
    # Before cycle 21: the record of cycle 22 stands where that of cycle 21 would.
    own = [*range(CYCLES - 3), 22]
    *others, chance = certainty(
        record, first=0, own=own, set_at=slice(21, None), set_ns=-LENGTHS_NS[21]
    )

    assert chance < 0.1
    assert others == pytest.approx([1.0] * len(others), abs=0.02)
    assert max(others) <= 1.0


def test_pairs_that_nothing_else_explains_are_certain(record) -> None:
    own = list(range(CYCLES))
    found = certainty(record, first=0, own=own, set_at=slice(0), set_ns=0)

    assert found == pytest.approx([1.0] * CYCLES, abs=1e-6)
