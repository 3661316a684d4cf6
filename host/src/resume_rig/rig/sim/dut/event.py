"""What a simulated DUT shows to the world: wires, light, and moments that its OS can tell of.

All times are world time: nanoseconds since the bench was made, on the host's clock.
"""

from dataclasses import dataclass
from enum import Enum, unique
from typing import NamedTuple

from resume_rig.model.channel import Channel
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


@dataclass(frozen=True, slots=True)
class DisplayOff:
    """The OS ended the display session on its way to sleep."""

    t_ns: int


@dataclass(frozen=True, slots=True)
class SleepEntered:
    """The OS has told its devices to sleep; it writes Kernel-Power 42."""

    t_ns: int


@dataclass(frozen=True, slots=True)
class OsFrozen:
    """The OS wrote SLP_TYP; its clock stops here."""

    t_ns: int


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


@dataclass(frozen=True, slots=True)
class DriversReady:
    """Every device has its S0 power."""

    t_ns: int


@dataclass(frozen=True, slots=True)
class WakeEnded:
    """Devices and user are back (WakeTime)."""

    t_ns: int


@dataclass(frozen=True, slots=True)
class RecordDue:
    """The OS would now write its record of the last cycle."""

    t_ns: int


@dataclass(frozen=True, slots=True)
class PowerLost:
    """The button was held until the chipset cut the power; the OS never knew."""

    t_ns: int


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
