"""What is injected between host and board: damaged bytes both ways, and a cable that is out."""

from collections.abc import Callable
from functools import partial

from resume_rig.model.fault_plan import ON_THE_CABLE, FaultKind, FaultPlan
from resume_rig.rig.sim.fault_diary import FaultDiary
from resume_rig.rig.sim.fault_schedule import FaultSchedule, FaultWatch, tell_nobody
from resume_rig.rig.sim.wire_faults import FaultyWire, WireFault


class LinkFaults:
    """The cable of a simulated bench.

    Args:
        plan: what is injected.
        seed: of the bench.
        now_ns: world time.
        diary: told of each fault; None for nobody.
    """

    def __init__(
        self,
        plan: FaultPlan,
        seed: int,
        now_ns: Callable[[], int],
        diary: FaultDiary | None = None,
    ) -> None:
        self._now_ns = now_ns
        self._diary = diary
        on_due = tell_nobody if diary is None else diary.fault
        self._watch = FaultWatch(FaultSchedule(plan, seed, ON_THE_CABLE, on_due), now_ns)
        used = seed if plan.seed is None else plan.seed
        self._to_board, self._to_host = (
            FaultyWire(plan.wire, f"{used}/{towards}", partial(self._note, towards))
            for towards in ("board", "host")
        )

    def times_cut(self) -> int:
        """Return how often the cable went out so far; a port that was open then is gone."""
        return self._watch.begun(FaultKind.UNPLUG)

    def unplugged(self) -> bool:
        """Return whether the cable is out; what was on it is then lost."""
        if not self._watch.left_ns(FaultKind.UNPLUG):
            return False
        self.drop()
        return True

    def drop(self) -> None:
        """Lose what is on the cable."""
        self._to_board.drop()
        self._to_host.drop()

    def due_ns(self) -> int | None:
        """Return the world time at which something comes out of the cable; None: nothing will."""
        found = (self._to_board.due_ns(), self._to_host.due_ns())
        return min((t_ns for t_ns in found if t_ns is not None), default=None)

    def send_to_board(self, data: bytes) -> None:
        """Let the host's bytes into the cable."""
        self._to_board.put(data, self._now_ns())

    def to_board(self) -> bytes:
        """Return what has come out at the board."""
        return self._to_board.take(self._now_ns())

    def send_to_host(self, data: bytes) -> None:
        """Let the board's bytes into the cable."""
        self._to_host.put(data, self._now_ns())

    def to_host(self) -> bytes:
        """Return what has come out at the host."""
        return self._to_host.take(self._now_ns())

    def _note(self, towards: str, t_ns: int, what: WireFault, byte: int) -> None:
        if self._diary is not None:
            self._diary.wire(t_ns, str(what), towards, byte)
