"""Channels that a rig observes and actuators that it drives.

Levels are electrical (docs/glossary.md): SLP_S3, SLP_S4, SLP_S5 and PLTRST are active low as on
the mainboard, BUTTON is 0 while pressed, LID is 0 while closed, PWR_OK, LED and BACKLIGHT are 1
when on.
"""

from enum import StrEnum, unique


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


@unique
class Actuator(StrEnum):
    """One driven line."""

    __hash__ = str.__hash__

    BUTTON = "BUTTON"
    LID = "LID"
