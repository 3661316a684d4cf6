"""A time of a clock that was set may come twice; what stands twice is doubled all the same."""

from dataclasses import replace

import pytest
from match_campaigns import os_record

from resume_rig.analysis.reconcile.norms import history_of
from resume_rig.model.os_record import Figure

S = 1_000_000_000
STEP = (Figure("clock_steps", 1), Figure("clock_stepped_us", -60_000_000))
AFTER_WAKE = (*STEP, Figure("clock_stepped_after_wake_us", -60_000_000))
FIRST = os_record(
    record_id=1, source=0, wake_time_utc_ns=1_000 * S, sleep_time_utc_ns=900 * S, driver_init_ms=800
)


@pytest.mark.parametrize(
    ("first", "wake_s", "second", "doubled"),
    [
        ((), 1_000.4, (), True),
        ((), 1_001.0, (), False),
        # Set between the two wakes, whichever of the records tells of it.
        ((), 1_000.4, STEP, False),
        (AFTER_WAKE, 1_000.4, (), False),
        # Set before both of them.
        (STEP, 1_000.4, (), True),
        # Word for word the same.
        (AFTER_WAKE, 1_000.0, (), True),
        ((), 1_000.0, AFTER_WAKE, True),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_two_accounts_of_one_wake(first, wake_s, second, doubled, turned) -> None:
    one = replace(FIRST, figures=first)
    slept_s = 900 if wake_s == 1_000.0 else 890
    other = replace(
        FIRST,
        record_id=2,
        wake_time_utc_ns=round(wake_s * S),
        sleep_time_utc_ns=slept_s * S,
        figures=second,
    )
    if turned:
        # The clock went back: what was written later has the earlier time.
        one, other = (
            replace(each, wake_time_utc_ns=2_000 * S - (each.wake_time_utc_ns or 0))
            for each in (one, other)
        )

    history = history_of([one, other], [])

    assert (history.double_of(one) is other) == doubled
    assert (history.double_of(other) is one) == doubled
