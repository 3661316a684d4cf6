"""What a simulated DUT did and what was injected, a line each.

Nothing that measures or judges may read it: it is written from the DUT's own deeds, in world time,
before the board, the wires and the OS log have had a part in them.
"""

import json
from collections.abc import Callable
from typing import Protocol, TextIO

from resume_rig.model.channel import Channel
from resume_rig.model.fault_plan import ScheduledFault
from resume_rig.rig.sim.dut.event import (
    DutEvent,
    OsBooted,
    OsResumed,
    WireChange,
)


class DutDiary(Protocol):
    """Told what a DUT really does."""

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
