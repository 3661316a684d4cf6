"""What the match makes of the times before it weighs anything, and how much each of them says."""

import numpy as np
import pytest
from test_match import S, os_wakes, outside, records, starts

from resume_rig.analysis.match.match import OutsideMoments
from resume_rig.analysis.match.offset_vote import Run, fitted
from resume_rig.analysis.match.offsets import (
    LONG_CAMPAIGN,
    Tracks,
    short_stretches,
    with_long_stretches,
)
from resume_rig.analysis.match.pairs import columns_of, moments_of, record_times
from resume_rig.analysis.match.times import (
    CycleTimes,
    Entries,
    arrivals_of,
    cycle_times,
    wake_entries,
)
from resume_rig.analysis.match.views import with_beat
from resume_rig.model.os_record import NO_SLEEPS


def times_of(record, awake_ns, wakes_ns) -> tuple[CycleTimes, Entries]:
    """Return what the match makes of cycles that woke then, and of a record of each."""
    n = len(awake_ns)
    told, read = columns_of(records(record, wakes_ns)), arrivals_of((), n, n)
    cycles = cycle_times(moments_of(outside(awake_ns)), read, None, by_wake=True)
    return cycles, wake_entries(record_times(told, NO_SLEEPS), read)


def test_a_cycle_was_awake_since_the_wake_before_it_where_that_is_known() -> None:
    cycles = [
        OutsideMoments(10 * S, 30 * S),
        OutsideMoments(42 * S, 60 * S),
        OutsideMoments(75 * S, None),
        OutsideMoments(90 * S, 100 * S),
        OutsideMoments(107 * S, 120 * S),
    ]

    found = cycle_times(moments_of(cycles), arrivals_of((), 0, 5), None, by_wake=True)

    assert found.index.tolist() == [0, 1, 3, 4]
    assert found.awake_s.tolist() == pytest.approx([np.nan, 12, np.nan, 7], nan_ok=True)


@pytest.mark.parametrize(
    ("jitter_s", "least", "most"),
    # Readings in whole seconds, 10 ms farther off in each cycle, or anywhere.
    [pytest.param(0.0, 0.01, 0.1, id="beat"), pytest.param(8.0, 0.7, 1.0, id="random")],
)
def test_readings_that_err_alike_say_little(record, jitter_s, least, most) -> None:
    n = 256
    generator = np.random.default_rng(31)
    awake = starts(generator, n, jitter_s, period_s=45.01)
    cycles, entries = times_of(record, awake, os_wakes(awake, 0, generator))
    middle_s = np.median(entries.at_s - cycles.at_s)
    track = Tracks(np.array([0, n]), np.array([[middle_s]]), np.zeros((1, 1)), np.zeros(1))

    says = with_beat(cycles, entries, track).information

    assert len(says) == n
    assert least <= says.mean() <= most


def test_a_crystal_that_is_far_off_is_followed_behind_a_setting(record) -> None:
    n, block = LONG_CAMPAIGN, LONG_CAMPAIGN // 4
    awake = starts(np.random.default_rng(32), n, jitter_s=8, period_s=80)
    # 7 s a day, and a clock that shows more than whole seconds.
    wakes = awake + ((awake - awake[0]) * 85e-6).astype(np.int64)
    wakes[block // 2 :] += 200 * S
    cycles, entries = times_of(record, awake, wakes)
    short = short_stretches(n)
    run = Run.of(cycles, slice(0, int(short[1])))
    middle_s = float(run.at_s[0] + run.at_s[-1]) / 2
    offset_s = np.median(entries.at_s[: short[1]] - run.at_s, keepdims=True)
    begins = fitted(entries, run, middle_s, offset_s, np.zeros(1))

    found = with_long_stretches(cycles, entries, entries.at_s, short, start=0, candidates=begins)

    # The block with the setting stays cut short; one offset explains each of the others.
    assert found.tolist() == [*range(0, block, short[1]), *range(block, n + 1, block)]
