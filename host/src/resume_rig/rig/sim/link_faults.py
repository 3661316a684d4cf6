"""What is injected between host and board: damaged bytes both ways, and a cable that is out."""

import math
import random
from collections import deque
from collections.abc import Callable
from enum import StrEnum, unique
from functools import partial
from typing import Final

from resume_rig.model.fault_plan import ON_THE_CABLE, FaultKind, FaultPlan, WireShares
from resume_rig.rig.sim.diary import FaultDiary
from resume_rig.rig.sim.schedule import FaultSchedule, FaultWatch, ignore_fault

_NEVER: Final = 2**63


@unique
class WireFault(StrEnum):
    """What happened to a byte, or to a packet (late)."""

    LOST = "lost"
    DOUBLED = "doubled"
    FLIPPED = "flipped"
    LATE = "late"


OnFault = Callable[[int, WireFault, int], None]
"""Told world time [ns], what, and which byte of the direction, counted from 0."""


class FaultyWire:
    """One direction of a wire; what is held up keeps its place.

    Args:
        shares: of what happens.
        seed: of when; equal seeds and bytes have equal faults.
        on_fault: told of each.
    """

    def __init__(self, shares: WireShares, seed: str, on_fault: OnFault) -> None:
        self._shares = shares
        self._random = random.Random(seed)
        self._on_fault = on_fault
        self._passed = 0
        self._next = self._gap()
        self._held: deque[tuple[int, bytes]] = deque()

    def due_ns(self) -> int | None:
        """Return when what is held up comes out; None where nothing is."""
        return self._held[0][0] if self._held else None

    def put(self, data: bytes, now_ns: int) -> None:
        """Let bytes into the wire at a world time."""
        if not data:
            return
        out_ns = now_ns if not self._held else max(now_ns, self._held[-1][0])
        if self._shares.late and self._random.random() < self._shares.late:
            self._on_fault(now_ns, WireFault.LATE, self._passed)
            out_ns = max(out_ns, now_ns + self._shares.late_ns)
        self._held.append((out_ns, self._damaged(data, now_ns)))

    def take(self, now_ns: int) -> bytes:
        """Return what has come out by a world time."""
        out = bytearray()
        while self._held and self._held[0][0] <= now_ns:
            out += self._held.popleft()[1]
        return bytes(out)

    def drop(self) -> None:
        """Lose what is held up."""
        self._held.clear()

    def _damaged(self, data: bytes, now_ns: int) -> bytes:
        end = self._passed + len(data)
        out = bytearray()
        done = 0
        while self._next < end:
            at = self._next - self._passed
            out += data[done:at] + self._struck(data[at], now_ns)
            done = at + 1
            self._next += 1 + self._gap()
        self._passed = end
        return bytes(out + data[done:])

    def _struck(self, byte: int, now_ns: int) -> bytes:
        shares = self._shares
        drawn = self._random.random() * shares.of_bytes
        if drawn < shares.lost:
            kind, left = WireFault.LOST, b""
        elif drawn < shares.lost + shares.doubled:
            kind, left = WireFault.DOUBLED, bytes((byte, byte))
        else:
            kind, left = WireFault.FLIPPED, bytes((byte ^ 1 << self._random.randrange(8),))
        self._on_fault(now_ns, kind, self._next)
        return left

    def _gap(self) -> int:
        """Return how many bytes pass before the next one is struck."""
        share = self._shares.of_bytes
        if share <= 0:
            return _NEVER
        return int(math.log(1 - self._random.random()) / math.log(1 - share))


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
        on_due = ignore_fault if diary is None else diary.fault
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
