"""Faults of a schedule, injected into a simulated bench at their exact instants."""

from collections import Counter
from typing import Final, Protocol

from resume_rig.model.fault_plan import FaultKind
from resume_rig.rig.sim.fault_schedule import Due, FaultSchedule
from resume_rig.rig.sim.faults import SimFault

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
