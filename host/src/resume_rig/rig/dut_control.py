"""The seam to the OS of a DUT: it is told to sleep, to arm its clock, or only to answer.

A command is begun and then asked about; nothing waits, for a DUT that goes to sleep may never
answer. What the wires show counts, and not what the command says.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from resume_rig.model.os_record import SleepKind


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    Attributes:
        ok: the DUT did as it was told.
        reached: the DUT itself answered; one that goes to sleep may not come to that.
        text: what went wrong, without a full stop; empty where nothing did.
    """

    ok: bool
    reached: bool = True
    text: str = ""


class DutControl(Protocol):
    """The OS of one DUT, at the other end of a shell, a program of the user's, or a simulation."""

    def prepare(self, states: Collection[SleepKind]) -> None:
        """See, before a campaign begins, that its OS can be sent into each of the states.

        Raises:
            UsageError: it has no command for one.
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

    def ended(self) -> Ended | None:
        """Return how the command ended that was begun last; None while it runs."""
        ...

    def close(self) -> None:
        """Give up what was begun; may be called twice."""
        ...
