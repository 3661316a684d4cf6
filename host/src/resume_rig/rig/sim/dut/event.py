"""What a simulated DUT is made of: its events, the agenda of what it does next, and its faults.

Events are what the world sees of it, wires and light, and the moments that its OS may log. All
times are world time: nanoseconds since the bench was made, on the host's clock.
"""

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum, unique
from typing import NamedTuple

from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind


@unique
class WakeCause(Enum):
    """Who woke the DUT."""

    BUTTON = "button"
    LID = "lid"
    DEVICE = "device"
    DOZE = "doze"
    TIMER = "timer"
    KEYBOARD = "keyboard"
    CONTACT = "contact"
    LAN = "network"


@unique
class SleepCause(Enum):
    """Who asked for a sleep."""

    USER = "button or lid"
    COMMAND = "an application"
    IDLE = "nobody for a while"


class WireChange(NamedTuple):
    """A line changed at the rig's input."""

    t_ns: int
    channel: Channel
    level: int


@dataclass(frozen=True, slots=True)
class PanelChange:
    """The panel's light was switched on or off; it ramps from there."""

    t_ns: int
    lit: bool


@dataclass(frozen=True, slots=True)
class _Moment:
    t_ns: int


@dataclass(frozen=True, slots=True)
class SleepBegan:
    """The OS accepted a sleep request (SleepTime).

    Attributes:
        kind: what the DUT will really do.
        image_ns: of the way there, writing a hibernation image.
        cause: who asked for it.
    """

    t_ns: int
    kind: SleepKind = SleepKind.S3
    image_ns: int = 0
    cause: SleepCause = SleepCause.USER


class DisplayOff(_Moment):
    """The OS ended the display session on its way to sleep."""


class SleepEntered(_Moment):
    """The OS has sent its devices to sleep; it writes Kernel-Power 42."""


class OsFrozen(_Moment):
    """The OS wrote SLP_TYP; its clock stops here."""


@dataclass(frozen=True, slots=True)
class OsResumed:
    """The firmware handed over to the waking vector; the OS clock runs from here.

    Attributes:
        bios_ns: TSC at the waking vector. driver_ns, user_ns: what the OS will now take.
        image_ns: reading the hibernation image took so long.
    """

    t_ns: int
    cause: WakeCause
    bios_ns: int
    driver_ns: int
    user_ns: int
    image_ns: int = 0


class DriversReady(_Moment):
    """Every device has its S0 power."""


class WakeEnded(_Moment):
    """Devices and user are back (WakeTime)."""


class RecordDue(_Moment):
    """The OS would now write its record of the last cycle."""


class PowerLost(_Moment):
    """The button was held until the chipset cut the power; the OS never knew."""


@dataclass(frozen=True, slots=True)
class OsBooted:
    """The OS kernel started from cold.

    Attributes:
        clean: it had been shut down.
    """

    t_ns: int
    clean: bool = False


OsMoment = (
    SleepBegan
    | DisplayOff
    | SleepEntered
    | OsFrozen
    | OsResumed
    | DriversReady
    | WakeEnded
    | RecordDue
    | PowerLost
    | OsBooted
)
DutEvent = WireChange | PanelChange | OsMoment


Action = Callable[[int], None]


@unique
class Thread(Enum):
    """Plans that are dropped together."""

    __hash__ = object.__hash__  # there is one of each, and that of Enum is slow

    ALWAYS = "always"
    POWER = "power"
    DISPLAY = "display"
    RECORD = "record"
    BUTTON = "button"
    LID = "lid"
    IDLE = "idle"
    TIMER = "timer"
    CONTACT = "contact"


class _Planned(NamedTuple):
    """Sorts by time, then by number, of which no two are equal."""

    t_ns: int
    number: int
    thread: Thread
    generation: int
    action: Action


class Agenda:
    """Actions by time; those of the same time are done in the order in which they were planned."""

    def __init__(self) -> None:
        self._heap: list[_Planned] = []
        self._count = 0
        self._generation = dict.fromkeys(Thread, 0)

    def plan(self, t_ns: int, action: Action, thread: Thread = Thread.POWER) -> None:
        """Do `action(t_ns)` at `t_ns`, unless its thread is dropped before."""
        self._count += 1
        planned = _Planned(t_ns, self._count, thread, self._generation[thread], action)
        heapq.heappush(self._heap, planned)

    def drop(self, thread: Thread) -> None:
        """Forget what is planned on `thread`."""
        self._generation[thread] += 1

    def next_ns(self) -> int | None:
        """Return when the next action is due, None when there is none."""
        heap = self._heap
        while heap:
            first = heap[0]
            if first.generation == self._generation[first.thread]:
                return first.t_ns
            heapq.heappop(heap)
        return None

    def run(self, until_ns: int) -> None:
        """Do everything due up to and including `until_ns`, also what is planned meanwhile."""
        heap, generation = self._heap, self._generation
        while heap and heap[0].t_ns <= until_ns:
            planned = heapq.heappop(heap)
            if planned.generation == generation[planned.thread]:
                planned.action(planned.t_ns)


@unique
class SimFault(StrEnum):
    """One misbehaviour of a simulated DUT; it holds for every cycle while it is set."""

    NEVER_SLEEPS = "never-sleeps"
    NEVER_WAKES = "never-wakes"
    DARK = "dark"
    WAKES_ALONE = "wakes-alone"
    NO_RECORD = "no-record"
    ZERO_RECORD = "zero-record"
    NOISY_LINE = "noisy-line"


def parse_faults(names: Iterable[str]) -> frozenset[SimFault]:
    """Return the faults of these names.

    Raises:
        UsageError: a name is not one of SimFault's.
    """
    kinds = {str(fault.value): fault for fault in SimFault}
    faults: set[SimFault] = set()
    for name in names:
        if name not in kinds:
            raise UsageError(
                f'Cannot simulate fault "{name}": it is not known; allowed are {", ".join(kinds)}.'
            )
        faults.add(kinds[name])
    return frozenset(faults)
