"""What a running campaign emits, and what comes of it: a tally, a provisional verdict. Pure.

Observers show and forward; they decide nothing. The judged campaign has more: which record is of
which cycle, what clock and wires contradict, how uncertain a time is. So the provisional verdict is
never MARGINAL. Times are of the board's clock unless their name has another.
"""

from bisect import insort
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

from resume_rig.analysis.verdict.events import not_whole
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.store.raw import CycleRaw, Recovery
from resume_rig.model.channel import Channel
from resume_rig.model.dut import RecoveryStep
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.cycle import (
    BROKEN,
    CAME_BACK,
    MEANINGS,
    NO_ANSWER,
    NO_FAILURE,
    TRIED,
    IntervalName,
    Outcome,
    OutsideCycle,
)
from resume_rig.model.result.verdict import RESUME, WHOLE, Comparison, Limit, Requirement, Verdict
from resume_rig.model.units import NS_PER_MS


@dataclass(frozen=True, slots=True)
class CampaignBegan:
    """A run or a resume begins.

    Attributes:
        session: 1 for a run, more for a resume.
        done: cycles of the plan that earlier sessions did.
        simulated: no PC is measured.
    """

    path: Path
    plan: Plan
    session: int
    done: int
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class HostMaySleep:
    """Nothing keeps the host awake while the campaign runs."""

    why: str


@dataclass(frozen=True, slots=True)
class CycleStarted:
    """A cycle begins; `done` of the plan's `cycles` are over."""

    number: int
    done: int
    cycles: int
    levels: Mapping[Channel, int] | None = None


@dataclass(frozen=True, slots=True)
class Asleep:
    """The wires show that the DUT sleeps; `after_ns` the start of the trigger.

    `levels` are those of the wired channels then; None where they were not read.
    """

    number: int
    after_ns: int
    levels: Mapping[Channel, int] | None = None


@dataclass(frozen=True, slots=True)
class Woke:
    """The wires show every sign of a wake; `after_ns` sleep entry."""

    number: int
    after_ns: int
    levels: Mapping[Channel, int] | None = None


@dataclass(frozen=True, slots=True)
class CycleDone:
    """A cycle is over and on the disk."""

    raw: CycleRaw


@dataclass(frozen=True, slots=True)
class LogUnreadable:
    """The OS log could not be read; the campaign goes on and tries again a cycle later."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Recovering:
    """The DUT is not as a cycle needs it; a step of its ladder follows."""

    after_cycle: int
    why: str
    step: RecoveryStep


@dataclass(frozen=True, slots=True)
class RigLost:
    """The rig does not answer, or started anew; it is waited for. The cycle in flight is void."""

    after_cycle: int
    text: str


@dataclass(frozen=True, slots=True)
class RigBack:
    """The same rig answers; `boot_id` shows whether its board started anew."""

    after_cycle: int
    boot_id: int


@dataclass(frozen=True, slots=True)
class LinkReported:
    """What the link to the rig lost and damaged in this session; all counts."""

    repeated: int
    stale: int
    damaged: int


CampaignEvent = (
    CampaignBegan
    | HostMaySleep
    | CycleStarted
    | Asleep
    | Woke
    | CycleDone
    | LogUnreadable
    | Recovering
    | Recovery
    | RigLost
    | RigBack
    | LinkReported
)
Observer = Callable[[CampaignEvent], None]


def note_text(event: HostMaySleep | LogUnreadable) -> str:
    """Return in a sentence what the campaign goes on in spite of."""
    match event:
        case HostMaySleep(why=why):
            return f"this host may fall asleep, and the campaign would stop: {why}"
        case LogUnreadable(number=number, text=text):
            return f"cycle {number}: {text}"


def ignore(event: CampaignEvent) -> None:
    """Listen to nothing."""
    del event


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
    """What the cycles of a running campaign came to.

    Attributes:
        outcomes: how many cycles came to which, in this session.
        done: cycles of the plan that are over, earlier sessions included.
        first_failure: number and outcome of the first cycle that did not go as planned.
        light_ns: press to light; resume_ms: total resume time, OS-reported.
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


_WIRES: Final = {name.value: name for name in IntervalName}


class ProvisionalVerdict:
    """What the judged cycles of a session came to.

    Required limits on every cycle count, of the resume and of the wires.
    """

    def __init__(self, requirement: Requirement) -> None:
        self._kinds = requirement.kinds
        self._limits = tuple(
            limit
            for limit in requirement.limits()
            if limit.required
            and limit.share is None
            and limit.comparison in (Comparison.AT_MOST, Comparison.BELOW)
            and (limit.measure == RESUME or limit.measure in _WIRES)
        )
        # What a share of cycles must keep is shown by many, and decided when all are judged.
        self._open = any(limit.required and limit.share for limit in requirement.limits())
        self._whole = any(
            limit.measure == WHOLE and limit.required and limit.share is None
            for limit in requirement.limits()
        )
        self._evidence_min = requirement.evidence_min
        self._within = [0] * len(self._limits)
        self._undecided = [0] * len(self._limits)
        self._failed = 0
        self._kept = 0

    def add(
        self, plan: Plan, index: int, outside: OutsideCycle, records: Iterable[OsRecord]
    ) -> None:
        """Count a cycle, before which `index` of the plan were done, with the records that came."""
        if index < plan.warm_up or plan.state not in self._kinds:
            return
        if self._whole and outside.outcome not in NO_ANSWER and not_whole(outside, outside.outcome):
            self._failed += 1
            return
        if outside.outcome not in TRIED:
            return
        if outside.outcome in BROKEN:
            self._failed += 1
            return
        judged = [record for record in records if record.kind in self._kinds]
        kept = [_is_kept(limit, outside, judged) for limit in self._limits]
        if False in kept:
            self._failed += 1
            return
        self._kept += bool(kept) and None not in kept
        woke = outside.outcome in CAME_BACK and MEANINGS[outside.outcome].why_not is None
        for place, each in enumerate(kept):
            self._within[place] += each is True
            self._undecided[place] += each is None and woke

    @property
    def counts(self) -> tuple[int, int]:
        """Failed cycles, and those that either failed or kept every limit."""
        return self._failed, self._failed + self._kept

    @property
    def verdict(self) -> Verdict:
        """FAIL by any cycle; PASS by enough where each has to keep the limits; else NO-EVIDENCE."""
        if self._failed:
            return Verdict.FAIL
        counts = list(zip(self._within, self._undecided, strict=True))
        enough = all(n >= self._evidence_min * (n + undecided) for n, undecided in counts)
        shown = any(self._within) and enough and not self._open
        return Verdict.PASS if shown else Verdict.NO_EVIDENCE


def _is_kept(limit: Limit, outside: OutsideCycle, records: Iterable[OsRecord]) -> bool | None:
    """Return whether a cycle keeps a limit; None where it has no value for it."""
    if limit.measure == RESUME:
        values = [r.resume_ms * NS_PER_MS for r in records if r.resume_ms is not None]
    else:
        quantity = outside.intervals.get(_WIRES[limit.measure])
        values = [] if quantity is None else [quantity.value_ns]
    if not values:
        return None
    below = limit.comparison is Comparison.BELOW
    return all(value < limit.value if below else value <= limit.value for value in values)
