"""When the faults of a plan are due; the same plan and seed give the same instants."""

import heapq
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from resume_rig.model.fault_plan import FaultKind, FaultPlan, ScheduledFault


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


def tell_nobody(t_ns: int, fault: ScheduledFault) -> None:
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
        on_due: OnDue = tell_nobody,
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
