"""kill -9 in the middle of a campaign: at most the cycle in flight is lost."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.store.store import Store
from resume_rig.model.result.cycle import Outcome

pytestmark = [pytest.mark.slow, pytest.mark.windows]

CHILD = Path(__file__).with_name("campaign_to_be_killed.py")
DAY_NS = 86_400_000_000_000


@pytest.mark.parametrize(
    ("cycles", "more_s"), [(1, 0.0), (2, 0.013), (5, 0.0), (5, 0.007), (9, 0.019)]
)
def test_kill_9_loses_at_most_the_cycle_in_flight_and_the_campaign_goes_on(
    simulated: Callable[..., Any], cycles: int, more_s: float
) -> None:
    bench = simulated(seed=8, start_utc_ns=1_767_603_600_000_000_000 + DAY_NS)
    with subprocess.Popen(
        [sys.executable, str(CHILD), str(bench.path), "60"], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        told = [int(child.stdout.readline()) for _ in range(cycles)]
        time.sleep(more_s)
        child.kill()
        told += [int(line) for line in child.stdout.read().split()]

    connection = sqlite3.connect(bench.path)
    (integrity,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    with Store.open(bench.path) as store:
        kept = [(raw.number, raw.outcome) for raw in store.cycles()]

    assert integrity == "ok"
    assert [number for number, _ in kept] == list(range(1, len(kept) + 1))
    assert told[-1] <= len(kept) <= told[-1] + 1
    assert len(kept) < 60
    assert bench.go_on().outcomes == {Outcome.SLEPT_AND_WOKE: 60}
