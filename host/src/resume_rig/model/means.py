"""What starts a sleep or a wake beside the rig's own actuators."""

from enum import StrEnum, unique
from typing import TypeAlias

from resume_rig.model.channel import Actuator


@unique
class SleepMeans(StrEnum):
    """Ways to sleep in which the rig moves nothing."""

    IDLE = "IDLE"
    """Nobody touches the DUT until its own time-out puts it to sleep."""
    COMMAND = "COMMAND"
    """The DUT's OS is told to."""


@unique
class WakeMeans(StrEnum):
    """Ways to wake in which the rig moves nothing until the dwell is over."""

    TIMER = "TIMER"
    """The DUT's own clock wakes it, armed before the sleep."""
    NONE = "NONE"
    """Nothing is to wake it; after the dwell the rig does, for the next cycle."""


SleepBy: TypeAlias = Actuator | SleepMeans
WakeBy: TypeAlias = Actuator | WakeMeans
