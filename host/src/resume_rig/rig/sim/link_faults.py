"""What is injected between host and board: damaged bytes both ways, and a cable that is out."""

from collections.abc import Callable
from functools import partial
from typing import Final

from resume_rig.model.fault_plan import FaultKind, FaultPlan
from resume_rig.rig.sim.fault_diary import FaultDiary, schedule_of
from resume_rig.rig.sim.wire_faults import FaultyWire, WireFault

_KINDS: Final = frozenset({FaultKind.UNPLUG})


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
        self._schedule = schedule_of(plan, seed, _KINDS, diary)
        self._out_until_ns = 0
        used = seed if plan.seed is None else plan.seed
        self._to_board, self._to_host = (
            FaultyWire(plan.wire, f"{used}/{towards}", partial(self._note, towards))
            for towards in ("board", "host")
        )

    def unplugged(self) -> bool:
        """Return whether the cable is out; what was on it is then lost."""
        now_ns = self._now_ns()
        while (due := self._schedule.take(now_ns)) is not None:
            self._out_until_ns = max(self._out_until_ns, due.t_ns + due.for_ns)
        if now_ns >= self._out_until_ns:
            return False
        self._to_board.drop()
        self._to_host.drop()
        return True

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
