"""The seams to the OS of a DUT: it is controlled, and its event log is read.

A command is begun and then asked about; nothing waits, for a DUT that goes to sleep may never
answer. What the wires show counts, and not what the command says.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from resume_rig.model.os_record import SleepKind
from resume_rig.rig.interface import Rig, RigInfo


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    Attributes:
        ok: the DUT did as it was told.
        reached: the DUT itself answered; one that goes to sleep may not come to that.
        text: what went wrong, without a full stop; empty where nothing did.
        output: what the command wrote, of one that reports.
    """

    ok: bool
    reached: bool = True
    text: str = ""
    output: bytes = b""


class DutControl(Protocol):
    """The OS of one DUT, at the other end of a shell, a program of the user's, or a simulation."""

    def prepare(self, states: Collection[SleepKind], *, reports: bool = False) -> None:
        """See, before a campaign begins, that its OS can be sent into each of the states.

        Args:
            states: that it will be sent into.
            reports: it will be asked for health reports.

        Raises:
            UsageError: it has no command for one, or none for the reports.
            RecordError: it does not answer.
        """
        ...

    def sleep(self, state: SleepKind) -> None:
        """Begin to send it into a state that it was prepared for."""
        ...

    def arm_timer(self, after_ns: int) -> None:
        """Begin to arm its clock, which then wakes it; from now, in whole seconds, rounded up."""
        ...

    def disarm_timer(self) -> None:
        """Begin to let its clock forget the wake."""
        ...

    def greet(self) -> None:
        """Begin a command that does nothing, to see whether its OS answers."""
        ...

    def report(self) -> None:
        """Begin a health report of its devices, links, counters and errors (`Ended.output`)."""
        ...

    def ended(self) -> Ended | None:
        """Return how the command ended that was begun last; None while it runs."""
        ...

    def close(self) -> None:
        """Give up what was begun; may be called twice."""
        ...


@dataclass(frozen=True, slots=True)
class DutLog:
    """A log that grows, read by offset.

    Attributes:
        name: what it is called where it comes from.
        text_from: returns the UTF-8 bytes from an offset to the present end; may raise RigError.
    """

    name: str
    text_from: Callable[[int], bytes]


def served_log(rig: Rig, info: RigInfo) -> DutLog | None:
    """Return the log that this board serves as a file; None for one that serves none."""
    name = info.dut_log
    return None if name is None else DutLog(name, partial(rig.download, name))
