"""Channels that a rig observes, actuators that it drives, and other sources of sleep and wake.

Levels are electrical (docs/glossary.md): SLP_S0, SLP_S3, SLP_S4, SLP_S5 and PLTRST are active low
as on the mainboard, BUTTON is 0 while pressed, LID is 0 while closed, PWR_OK, LED and BACKLIGHT are
1 when on.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum, unique
from types import MappingProxyType
from typing import Final, TypeAlias


@unique
class Channel(StrEnum):
    """One observed line."""

    # That of Enum is Python and takes ten times as long; a cycle looks up hundreds.
    __hash__ = str.__hash__

    PWR_OK = "PWR_OK"
    SLP_S3 = "SLP_S3"
    SLP_S4 = "SLP_S4"
    SLP_S5 = "SLP_S5"
    PLTRST = "PLTRST"
    BACKLIGHT = "BACKLIGHT"
    LED = "LED"
    BUTTON = "BUTTON"
    LID = "LID"
    SLP_S0 = "SLP_S0"


ACTIVE_LOW: Final = frozenset(
    {Channel.SLP_S0, Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5, Channel.PLTRST}
)

CONTACTS: Final = (Channel.BUTTON, Channel.LID)
"""Lines that contacts close, which bounce."""


def line_name(channel: Channel) -> str:
    """Return a channel's name as a mainboard's schematic writes it."""
    return f"{channel}#" if channel in ACTIVE_LOW else str(channel)


def line_names(channels: Iterable[Channel]) -> str:
    """Return channels as a sentence lists them, with commas between."""
    return ", ".join(map(line_name, channels))


@unique
class Actuator(StrEnum):
    """One driven line."""

    __hash__ = str.__hash__

    BUTTON = "BUTTON"
    LID = "LID"
    KEYBOARD = "KEYBOARD"
    """One key of a USB keyboard that the board is to the DUT."""
    CONTACT = "CONTACT"
    """A dry contact: the supply of an AC adapter, or the plug of a dock."""


SLEEPERS: Final = (Actuator.BUTTON, Actuator.LID)
"""What puts a DUT to sleep; the others only wake it."""


@unique
class SleepMeans(StrEnum):
    """Ways to sleep in which the rig moves nothing."""

    IDLE = "IDLE"
    """Nobody touches the DUT until its own time-out puts it to sleep."""
    COMMAND = "COMMAND"
    """The DUT's OS is commanded to."""


@unique
class WakeMeans(StrEnum):
    """Ways to wake in which the rig moves nothing."""

    TIMER = "TIMER"
    """The DUT's own clock wakes it, armed before the sleep."""
    NONE = "NONE"
    """Nothing is to wake it; after the dwell the rig does, for the next cycle."""
    LAN = "LAN"
    """The host sends a magic packet."""


SleepBy: TypeAlias = Actuator | SleepMeans
WakeBy: TypeAlias = Actuator | WakeMeans

COMMANDED: Final[frozenset[WakeBy]] = frozenset(
    {Actuator.KEYBOARD, Actuator.CONTACT, WakeMeans.LAN}
)
"""Wakes of which no wire shows the trigger: the command's own time stands for it."""

TRIGGER_WORDS: Final[Mapping[WakeBy, str]] = MappingProxyType(
    {
        Actuator.BUTTON: "press",
        Actuator.LID: "lid opening",
        Actuator.KEYBOARD: "key press",
        Actuator.CONTACT: "closing of the contact",
        WakeMeans.LAN: "magic packet",
    }
)
"""What starts a wake, in words."""
