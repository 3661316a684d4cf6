"""What a simulated DUT really did, for whoever checks what others say of it.

Nothing that measures or judges may read it: it is written from the DUT's own deeds, in world time,
before the board, the wires and the OS log have had a part in them.
"""

from collections import deque
from dataclasses import dataclass
from typing import Protocol

from resume_rig.model.channel import Channel
from resume_rig.rig.sim.dut_event import (
    DutEvent,
    OsBooted,
    OsResumed,
    PanelChange,
    WakeCause,
    WireChange,
)

_RAIL = (Channel.SLP_S3, Channel.PLTRST)


@dataclass(frozen=True, slots=True)
class Deeds:
    """What a DUT did in a span of time.

    Attributes:
        slept: it cut its power.
        woke: it asked for its power again.
        resets: how often it left its reset.
        resumed_by: who woke it, where its OS went on; None where it did not.
        booted: its OS started from cold.
        lit: its panel was lit after it woke.
    """

    slept: bool
    woke: bool
    resets: int
    resumed_by: WakeCause | None
    booted: bool
    lit: bool


class DutDiary(Protocol):
    """Told what a DUT really does."""

    def take(self, event: DutEvent) -> None:
        """Note an event."""
        ...


class Diary:
    """Deeds of one simulated DUT, oldest first; those that were asked for are forgotten."""

    def __init__(self) -> None:
        self._events: deque[DutEvent] = deque()

    def take(self, event: DutEvent) -> None:
        """Note an event, where it is one of those that make a cycle."""
        rail = isinstance(event, WireChange) and event.channel in _RAIL
        if rail or isinstance(event, OsResumed | OsBooted | PanelChange):
            self._events.append(event)

    def until(self, end_ns: int) -> Deeds:
        """Return what was done up to a world time since this was asked last."""
        slept = woke = booted = lit = False
        resets = 0
        resumed_by: WakeCause | None = None
        while self._events and self._events[0].t_ns <= end_ns:
            match self._events.popleft():
                case WireChange(channel=Channel.SLP_S3, level=level):
                    slept = slept or not level
                    woke = woke or (slept and bool(level))
                case WireChange(channel=Channel.PLTRST, level=1):
                    resets += 1
                case OsResumed(cause=cause):
                    resumed_by = cause
                case OsBooted():
                    booted = True
                case PanelChange(lit=switched_on):
                    lit = switched_on and woke
        return Deeds(slept, woke, resets, resumed_by, booted, lit)
