"""When the faults of a plan are due, and how they reach the simulated bench and its host."""

import heapq
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from resume_rig.model.errors import RecordError
from resume_rig.model.fault_plan import ON_THE_HOST, FaultKind, FaultPlan, ScheduledFault
from resume_rig.rig.dut_os import DutLog
from resume_rig.rig.sim.dut.faults import SimFault


@dataclass(frozen=True, slots=True, order=True)
class Due:
    """A fault that begins, or one that ends, at an instant [ns of world time].

    Attributes:
        number: tells the entries of the plan apart.
        begins: False where a span is over.
    """

    t_ns: int
    number: int
    begins: bool
    fault: ScheduledFault


OnDue = Callable[[int, ScheduledFault], None]
"""Told world time [ns] and which fault begins."""


def ignore_fault(t_ns: int, fault: ScheduledFault) -> None:
    """Note nothing."""
    del t_ns, fault


class FaultSchedule:
    """The faults of a plan that are still to come, of some kinds, in time order.

    Args:
        plan: what is to happen.
        seed: of the bench, where the plan has none of its own.
        kinds: which of them are wanted.
        on_due: told of each that begins, when it is taken.
    """

    def __init__(
        self,
        plan: FaultPlan,
        seed: int,
        kinds: frozenset[FaultKind],
        on_due: OnDue = ignore_fault,
    ) -> None:
        self._on_due = on_due
        self._seed = seed if plan.seed is None else plan.seed
        self._faults = plan.faults
        self._queue: list[tuple[Due, int]] = []
        for number, fault in enumerate(plan.faults):
            if fault.kind in kinds:
                self._plan(number, 0)

    def next_ns(self) -> int | None:
        """Return when the next one is due; None: never."""
        return self._queue[0][0].t_ns if self._queue else None

    def take(self, now_ns: int) -> Due | None:
        """Return the earliest one that is due by `now_ns`, once."""
        if not self._queue or self._queue[0][0].t_ns > now_ns:
            return None
        due, turn = heapq.heappop(self._queue)
        if due.begins:
            self._on_due(due.t_ns, due.fault)
            if due.fault.for_ns:
                end = Due(due.t_ns + due.fault.for_ns, due.number, False, due.fault)
                heapq.heappush(self._queue, (end, turn))
            self._plan(due.number, turn + 1)
        return due

    def _plan(self, number: int, turn: int) -> None:
        fault = self._faults[number]
        t_ns = self._instant(fault, number, turn)
        if t_ns is not None:
            heapq.heappush(self._queue, (Due(t_ns, number, True, fault), turn))

    def _instant(self, fault: ScheduledFault, number: int, turn: int) -> int | None:
        if fault.every_ns is None:
            return fault.at_ns[turn] if turn < len(fault.at_ns) else None
        chance = random.Random(f"{self._seed}/{number}/{turn}")
        return turn * fault.every_ns + chance.randrange(fault.every_ns)


class FaultWatch:
    """Which faults of a schedule are under way, for who asks now and then.

    Args:
        schedule: taken from here alone.
        now_ns: world time.
    """

    def __init__(self, schedule: FaultSchedule, now_ns: Callable[[], int]) -> None:
        self._schedule = schedule
        self._now_ns = now_ns
        self._begun: Counter[FaultKind] = Counter()
        self._until_ns: dict[FaultKind, int] = {}

    def begun(self, kind: FaultKind) -> int:
        """Return how many of a kind have begun so far."""
        while (due := self._schedule.take(self._now_ns())) is not None:
            if due.begins:
                until_ns = due.t_ns + due.fault.for_ns
                self._begun[due.fault.kind] += 1
                self._until_ns[due.fault.kind] = max(
                    until_ns, self._until_ns.get(due.fault.kind, 0)
                )
        return self._begun[kind]

    def left_ns(self, kind: FaultKind) -> int:
        """Return how long one of a kind still lasts; 0 where none is under way."""
        return max(0, self._until_ns[kind] - self._now_ns()) if self.begun(kind) else 0


_OF_DUT: Final = {FaultKind(fault.value): fault for fault in SimFault}


class Strikable(Protocol):
    """What can be done to a bench; times are world time [ns]."""

    def advance_to(self, t_ns: int) -> None:
        """Let board and DUT do what is due by a world time."""
        ...

    def misbehave(self, faults: frozenset[SimFault]) -> None:
        """Let DUT and log misbehave in these ways from here on."""
        ...

    def reset_board(self, t_ns: int) -> None:
        """Pull the reset pin of the board."""
        ...

    def overrun_ring(self, t_ns: int) -> None:
        """Let a line flutter by more edges than the board's ring holds; it ends as it was."""
        ...

    def step_os_clock(self, t_ns: int, by_ns: int) -> None:
        """Set the OS clock of the DUT."""
        ...

    def wrap_log(self) -> None:
        """Overwrite what stands in the DUT's log and nobody has read."""
        ...

    def hold_log(self, *, held: bool) -> None:
        """Show nothing of what the DUT logs from here on, until it is let go."""
        ...


class Injected:
    """What is injected into board, DUT and log.

    Args:
        schedule: of the faults, taken from here alone.
        always: misbehaviours that do not come from the schedule.
        bench: that is struck.
    """

    def __init__(
        self, schedule: FaultSchedule, always: frozenset[SimFault], bench: Strikable
    ) -> None:
        self._schedule = schedule
        self._always = always
        self._bench = bench
        self._under_way: Counter[FaultKind] = Counter()

    def next_ns(self, otherwise_ns: int) -> int:
        """Return the world time of the next fault, or the one that is given."""
        next_ns = self._schedule.next_ns()
        return otherwise_ns if next_ns is None else next_ns

    def advance(self, now_ns: int) -> None:
        """Inject what is due by a world time, each at its instant."""
        while (due := self._schedule.take(now_ns)) is not None:
            self._bench.advance_to(due.t_ns)
            self._strike(due)

    def stand_by(self, always: frozenset[SimFault]) -> None:
        """Let these misbehaviours hold from now on, beside those of the schedule."""
        self._always = always
        self._misbehave()

    def _strike(self, due: Due) -> None:
        kind = due.fault.kind
        self._under_way[kind] += 1 if due.begins else -1
        match kind:
            case FaultKind.BOARD_RESET:
                self._bench.reset_board(due.t_ns)
            case FaultKind.RING_OVERRUN:
                self._bench.overrun_ring(due.t_ns)
            case FaultKind.CLOCK_STEP:
                self._bench.step_os_clock(due.t_ns, due.fault.by_ns)
            case FaultKind.LOG_WRAPPED:
                self._bench.wrap_log()
            case FaultKind.LOG_LATE if self._under_way[kind] <= 1:
                self._bench.hold_log(held=due.begins)
            case _ if kind in _OF_DUT:
                self._misbehave()

    def _misbehave(self) -> None:
        scheduled = {fault for kind, fault in _OF_DUT.items() if self._under_way[kind] > 0}
        self._bench.misbehave(self._always | scheduled)


class HostFaults:
    """The machine on which a campaign runs.

    Args:
        plan: what is injected.
        seed: of the bench.
        now_ns: world time.
    """

    def __init__(self, plan: FaultPlan, seed: int, now_ns: Callable[[], int]) -> None:
        self._watch = FaultWatch(FaultSchedule(plan, seed, ON_THE_HOST), now_ns)

    def pause_left_ns(self) -> int:
        """Return how long the process does nothing from now on."""
        return self._watch.left_ns(FaultKind.HOST_PAUSE)

    def disk_is_full(self) -> bool:
        """Return whether the disk of the store has no room."""
        return self._watch.left_ns(FaultKind.DISK_FULL) > 0

    def reached(self, log: DutLog) -> DutLog:
        """Return a log that cannot be read while the way to it is cut."""

        def text_from(offset: int) -> bytes:
            if self._watch.left_ns(FaultKind.LOG_CUT):
                raise RecordError(
                    f"could not read the log {log.name} of the DUT: the way to it is cut (a fault "
                    "that is injected); it is tried again"
                )
            return log.text_from(offset)

        return DutLog(log.name, text_from)
