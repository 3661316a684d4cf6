"""When the faults of a plan are due; the same plan and seed give the same instants."""

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from resume_rig.model.fault_plan import FaultKind, FaultPlan, ScheduledFault

BENCH_KINDS: Final = frozenset({FaultKind.BOARD_RESET})
"""What the bench itself does; the others happen between it and the host, or on the host."""


@dataclass(frozen=True, slots=True, order=True)
class Due:
    """A fault at its instant [ns of world time]; `number` tells entries of the plan apart."""

    t_ns: int
    number: int
    kind: FaultKind
    for_ns: int


OnDue = Callable[[int, FaultKind, int], None]
"""Told world time [ns], what, and for how long [ns]."""


def _tell_nobody(t_ns: int, kind: FaultKind, for_ns: int) -> None:
    del t_ns, kind, for_ns


class FaultSchedule:
    """The faults of a plan that are still to come, of some kinds, in time order.

    Args:
        plan: what is to happen.
        seed: of the bench, where the plan has none of its own.
        kinds: which of them are wanted.
        on_due: told of each that is taken.
    """

    def __init__(
        self,
        plan: FaultPlan,
        seed: int,
        kinds: frozenset[FaultKind],
        on_due: OnDue = _tell_nobody,
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
        self._plan(due.number, turn + 1)
        self._on_due(due.t_ns, due.kind, due.for_ns)
        return due

    def _plan(self, number: int, turn: int) -> None:
        fault = self._faults[number]
        t_ns = self._instant(fault, number, turn)
        if t_ns is not None:
            heapq.heappush(self._queue, (Due(t_ns, number, fault.kind, fault.for_ns), turn))

    def _instant(self, fault: ScheduledFault, number: int, turn: int) -> int | None:
        if fault.every_ns is None:
            return fault.at_ns[turn] if turn < len(fault.at_ns) else None
        chance = random.Random(f"{self._seed}/{number}/{turn}")
        return turn * fault.every_ns + chance.randrange(fault.every_ns)
