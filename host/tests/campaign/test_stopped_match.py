"""A campaign that was stopped in a cycle and goes on: every record is still its own cycle's."""

from typing import Any

import pytest

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.run.events import CycleDone
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.match import Confidence

MS = 1_000_000
S = 1_000_000_000
CYCLES = 7


class StruckClock:
    """A clock at which Ctrl-C strikes once, at a time."""

    def __init__(self, clock: Any) -> None:
        self.inner = clock
        self.strike_ns: int | None = None

    tick_ns = 0

    def now_ns(self) -> int:
        return int(self.inner.now_ns())

    def utc_ns(self) -> int:
        return int(self.inner.utc_ns())

    def sleep_ns(self, duration_ns: int) -> None:
        self.inner.sleep_ns(duration_ns)
        if self.strike_ns is not None and self.now_ns() >= self.strike_ns:
            self.strike_ns = None
            raise KeyboardInterrupt


def strike(bench: Any, after_cycle: int, delay_ns: int) -> None:
    """Let Ctrl-C strike so long after the end of a cycle."""
    bench.clock = clock = StruckClock(bench.clock)

    class Told(list[object]):
        def append(self, event: object) -> None:
            super().append(event)
            if isinstance(event, CycleDone) and event.raw.number == after_cycle:
                clock.strike_ns = clock.now_ns() + delay_ns

    bench.events = Told()


# A cycle of this bench takes 9 to 10 s: into the press, falling asleep, asleep, woken, settling.
@pytest.mark.parametrize("delay_ms", [0, 300, 1500, 3000, 5500, 6300, 7000, 8500, 9500])
def test_stopped_at_any_phase_of_a_cycle(simulated: Any, delay_ms: int) -> None:
    plan = override(default_plan(), cycles=CYCLES)
    first = simulated()
    strike(first, 3, delay_ms * MS)
    first.begin(plan)
    later = simulated(start_utc_ns=first.clock.utc_ns() + 60 * S)
    later.go_on()

    stored = load_campaign(first.path)
    answer = assess(stored)

    cut = [c for c in answer.cycles if c.outside.outcome is Outcome.INTERRUPTED]
    whole = [c for c in answer.cycles if c.outside.outcome is Outcome.SLEPT_AND_WOKE]
    assert (len(cut) <= 1, len(whole)) == (True, CYCLES)
    assert all(c.certainty.level is Confidence.HIGH for c in whole if c.certainty is not None)
    # What came while a cycle ran is of it: the simulated OS writes its record within the cycle.
    seen = {record: raw.number for raw in stored.cycles for record in raw.records}
    told = [(c.outside.number, c.record and seen.get(c.record)) for c in whole]
    assert told == [(c.outside.number, c.outside.number) for c in whole]
