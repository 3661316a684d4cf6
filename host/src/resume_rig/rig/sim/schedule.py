"""Injects the faults of a plan into a simulated bench, its cable and its host; and keeps a diary.

A schedule has the faults of some kinds in time order; each of the three takes its own. The diary is
the truth: what was injected and what the DUT did, in world time, before the board, the wires and
the OS log have had a part in it. So nothing that measures or judges may read it.
"""

import heapq
import json
import math
import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum, unique
from functools import partial
from typing import Final, Protocol, TextIO

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError
from resume_rig.model.fault_plan import (
    ON_THE_CABLE,
    ON_THE_HOST,
    FaultKind,
    FaultPlan,
    ScheduledFault,
    WireShares,
)
from resume_rig.rig.interface import DutLog
from resume_rig.rig.sim.dut.event import DutEvent, OsBooted, OsResumed, SimFault, WireChange


@dataclass(frozen=True, slots=True, order=True)
class Due:
    """A fault that begins, or one that ends, at an instant [ns of world time].

    Attributes:
        number: of the entry in the plan.
        begins: False where a span is over.
    """

    t_ns: int
    number: int
    begins: bool
    fault: ScheduledFault


OnDue = Callable[[int, ScheduledFault], None]
"""Takes world time [ns] and which fault begins."""

_NEVER: Final = 2**63


class FaultSchedule:
    """The faults of a plan that are still to come, of some kinds, in time order.

    Args:
        plan: what is to happen.
        seed: of the bench, where the plan has none of its own.
        kinds: which of them are wanted.
        on_due: called for each that begins, when it is taken; None for nothing.
    """

    def __init__(
        self,
        plan: FaultPlan,
        seed: int,
        kinds: frozenset[FaultKind],
        on_due: OnDue | None = None,
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
            if self._on_due is not None:
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
        """Return how many of a kind have begun by now."""
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


class FaultyBench(Protocol):
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


class FaultInjector:
    """Injects faults into board, DUT and log.

    Args:
        schedule: of the faults, taken from here alone.
        always: misbehaviours that do not come from the schedule.
        bench: to inject into.
    """

    def __init__(
        self, schedule: FaultSchedule, always: frozenset[SimFault], bench: FaultyBench
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
            self._inject(due)

    def stand_by(self, always: frozenset[SimFault]) -> None:
        """Let these misbehaviours hold from now on, besides those of the schedule."""
        self._always = always
        self._misbehave()

    def _inject(self, due: Due) -> None:
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


@unique
class WireFault(StrEnum):
    """What happened to a byte, or to a packet (late)."""

    LOST = "lost"
    DOUBLED = "doubled"
    FLIPPED = "flipped"
    LATE = "late"


OnFault = Callable[[int, WireFault, int], None]
"""Takes world time [ns], what, and which byte of the direction, counted from 0."""


class FaultyWire:
    """One direction of a wire; what is held up keeps its place.

    Args:
        shares: of what happens.
        seed: of when; equal seeds and bytes have equal faults.
        on_fault: called for each.
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
            out += data[done:at] + self._damaged_byte(data[at], now_ns)
            done = at + 1
            self._next += 1 + self._gap()
        self._passed = end
        return bytes(out + data[done:])

    def _damaged_byte(self, byte: int, now_ns: int) -> bytes:
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
        """Return how many bytes pass before the next one is damaged."""
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
        diary: takes each fault; None for no diary.
    """

    def __init__(
        self,
        plan: FaultPlan,
        seed: int,
        now_ns: Callable[[], int],
        diary: "FaultDiary | None" = None,
    ) -> None:
        self._now_ns = now_ns
        self._diary = diary
        on_due = None if diary is None else diary.fault
        self._watch = FaultWatch(FaultSchedule(plan, seed, ON_THE_CABLE, on_due), now_ns)
        used = seed if plan.seed is None else plan.seed
        self._to_board, self._to_host = (
            FaultyWire(plan.wire, f"{used}/{towards}", partial(self._note, towards))
            for towards in ("board", "host")
        )

    def times_cut(self) -> int:
        """Return how often the cable has gone out; a port that was open then is gone."""
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


class DutDiary(Protocol):
    """Takes what a DUT really does."""

    def take(self, event: DutEvent) -> None:
        """Note an event."""
        ...


class FaultDiary:
    """Writes a line for each fault, and for each time that the DUT slept, woke or booted.

    Args:
        out: where to.
        utc_of: wall time [ns since 1970 UTC] of a world time.
    """

    def __init__(self, out: TextIO, utc_of: Callable[[int], int]) -> None:
        self._out = out
        self._utc_of = utc_of

    def fault(self, t_ns: int, fault: ScheduledFault) -> None:
        """Note a fault of the schedule that begins."""
        spans = {"for_ns": fault.for_ns, "by_ns": fault.by_ns}
        more = {name: value for name, value in spans.items() if value}
        self._write(t_ns, "fault", str(fault.kind), **more)

    def wire(self, t_ns: int, kind: str, towards: str, byte: int) -> None:
        """Note a fault of the wire; `byte` counts those of its direction from 0."""
        self._write(t_ns, "wire", kind, towards=towards, byte=byte)

    def take(self, event: DutEvent) -> None:
        """Note what the DUT did, where it is one of those that make a cycle."""
        match event:
            case WireChange(channel=Channel.SLP_S3, level=level):
                self._write(event.t_ns, "dut", "wakes" if level else "sleeps")
            case OsResumed(cause=cause):
                self._write(event.t_ns, "dut", "resumed", cause=cause.value)
            case OsBooted():
                self._write(event.t_ns, "dut", "booted")

    def _write(self, t_ns: int, what: str, name: str, **more: str | int) -> None:
        line = {"t_ns": t_ns, "utc_ns": self._utc_of(t_ns), what: name, **more}
        self._out.write(json.dumps(line, separators=(",", ":")) + "\n")
        self._out.flush()
