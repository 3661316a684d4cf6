"""Running figures of a campaign: counts, quantiles, and when it will be over. Pure."""

from bisect import insort
from collections import Counter, deque
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from resume_rig.campaign.plan import Plan
from resume_rig.campaign.raw import CycleRaw
from resume_rig.model.cycle import IntervalName, Outcome, OutsideCycle
from resume_rig.model.outcome import NO_FAILURE

_PACE_OF: Final = 50


@dataclass(slots=True)
class Running:
    """Values in ascending order; each costs a move of those above it."""

    values: list[int] = field(default_factory=list)

    def add(self, value: int) -> None:
        """Put a value in its place."""
        insort(self.values, value)

    def quantile(self, share: float) -> int | None:
        """Return the value below or at which `share` of all lie (nearest rank); None of none."""
        if not self.values:
            return None
        return self.values[min(len(self.values) - 1, int(share * len(self.values)))]


class Tally:
    """What the cycles of a campaign came to, so far.

    Attributes:
        outcomes: how many cycles came to which, in this session.
        done: cycles of the plan that are over, earlier sessions included.
        first_failure: number and outcome of the first cycle that did not go as planned.
        light_ns: press to light; resume_ms: BIOS + drivers, as the OS says.
    """

    def __init__(self, plan: Plan, done: int) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        self.done = done
        self.first_failure: tuple[int, Outcome] | None = None
        self.light_ns = Running()
        self.resume_ms = Running()
        self._cycles = plan.cycles
        self._starts: deque[int] = deque(maxlen=_PACE_OF + 1)
        self._ended_ns = 0

    def add(self, outside: OutsideCycle, raw: CycleRaw) -> None:
        """Count a cycle that is over."""
        self.outcomes[outside.outcome] += 1
        self.done += outside.outcome is not Outcome.INTERRUPTED
        if self.first_failure is None and outside.outcome not in NO_FAILURE:
            self.first_failure = (outside.number, outside.outcome)
        light = outside.intervals.get(IntervalName.PRESS_TO_LIGHT)
        if light is not None:
            self.light_ns.add(light.value_ns)
        for record in raw.records:
            if record.resume_ms is not None:
                self.resume_ms.add(record.resume_ms)
        self._starts.append(raw.started_host_ns)
        self._ended_ns = raw.ended_host_ns

    def revise(self, before: Outcome, after: Outcome) -> None:
        """Count a cycle by what was learnt of it since."""
        self.outcomes[before] -= 1
        self.outcomes[after] += 1

    def left_ns(self) -> int | None:
        """Return how long the rest will take at the pace of the last cycles; None before any."""
        if not self._starts:
            return None
        ends = [*list(self._starts)[1:], self._ended_ns]
        paces = [end - start for start, end in zip(self._starts, ends, strict=True)]
        return round(median(paces)) * max(0, self._cycles - self.done)
