"""A log that comes late, as one that is copied from the DUT does: no record is left behind."""

from collections.abc import Callable
from typing import Any

import pytest

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.dut.log_source import OsLogSource
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.model.clock import Clock
from resume_rig.model.os_record import LogSource, OsRecord
from resume_rig.model.result.verdict import Verdict


class LateLog:
    """Hands out what another source found, so much later."""

    record_wait_ns = 3_000_000_000

    def __init__(self, source: OsLogSource, clock: Clock, delay_ns: int) -> None:
        self._source = source
        self._clock = clock
        self._delay_ns = delay_ns
        self._held: list[tuple[int, OsRecord]] = []

    def new_records(self) -> tuple[OsRecord, ...]:
        now_ns = self._clock.now_ns()
        self._held += [(now_ns + self._delay_ns, record) for record in self._source.new_records()]
        due = tuple(record for at_ns, record in self._held if at_ns <= now_ns)
        self._held = [(at_ns, record) for at_ns, record in self._held if at_ns > now_ns]
        return due

    def describe(self) -> LogSource:
        return self._source.describe()

    def close(self) -> None:
        self._source.close()


@pytest.mark.parametrize("delay_ns", [0, 4_000_000_000, 6_500_000_000], ids=["now", "4 s", "6.5 s"])
def test_the_last_record_is_waited_for_however_late_the_log_is(
    simulated: Callable[..., Any], delay_ns: int
) -> None:
    bench = simulated()
    bench.log = LateLog(bench.log, bench.clock, delay_ns)
    bench.begin(override(default_plan(), cycles=6))

    stored = load_campaign(bench.path)
    assert len(stored.reading.records) == 6
    correlation = assess(stored)
    assert correlation.verdict is Verdict.PASS
    assert [cycle.record for cycle in correlation.cycles] == list(stored.reading.records)
