"""Which channel a signal's name means, in the spellings of schematics and of other tools. Pure.

A name on a schematic is that of the wire: `SLP_S3#`, `SLP_S3_N`, `nSLP_S3` and `SLP_S3` are one
wire, which is low in the sleep. Nothing is inverted for a `#`.
"""

import re
from collections.abc import Mapping
from typing import Final

from resume_rig.model.channel import Channel

_SPELLINGS: Final[Mapping[Channel, tuple[str, ...]]] = {
    Channel.PWR_OK: ("PWROK", "POWEROK", "PWRGOOD", "PWRGD", "POWERGOOD", "ATXPWROK"),
    Channel.SLP_S3: ("SLPS3", "PMSLPS3", "PCHSLPS3"),
    Channel.SLP_S4: ("SLPS4", "PMSLPS4", "PCHSLPS4"),
    Channel.SLP_S5: ("SLPS5", "PMSLPS5", "PCHSLPS5"),
    Channel.PLTRST: ("PLTRST", "PLTRESET", "PLATFORMRESET", "PCHPLTRST"),
    Channel.BACKLIGHT: ("BACKLIGHT", "BKLT", "BKLTEN", "BACKLIGHTEN"),
    Channel.LED: ("LED", "PWRLED", "POWERLED"),
    Channel.BUTTON: (
        "BUTTON",
        "PWRBTN",
        "PWRBUTTON",
        "POWERBTN",
        "POWERBUTTON",
        "PWRSW",
        "POWERSW",
        "POWERSWITCH",
    ),
    Channel.LID: ("LID", "LIDSW", "LIDSWITCH"),
}
_BY_SPELLING: Final = {word: channel for channel, words in _SPELLINGS.items() for word in words}
# These are high when on; a name that says "low" says that the wire is their inverse.
_HIGH_WHEN_ON: Final = (Channel.PWR_OK, Channel.LED, Channel.BACKLIGHT)
_BIT: Final = re.compile(r"\s*\[0(?::0)?\]$")
_LOW_AT_END: Final = re.compile(r"(?:#|\*|[_-][NLB]|\(L\))$")
_LOW_AT_START: Final = re.compile(r"^(?:/|N[_-])")
_BETWEEN: Final = re.compile(r"[\s_.-]+")


def channel_of_name(name: str) -> Channel | None:
    """Return the channel that a signal's name means; None where it means none for sure.

    A name that says that a line is active low, such as `PWR_OK#`, is none of a channel that is
    high when on.
    """
    upper = _BIT.sub("", name.strip()).upper()
    bare = _LOW_AT_END.sub("", _LOW_AT_START.sub("", upper))
    word = _BETWEEN.sub("", bare)
    low = bare != upper
    if word not in _BY_SPELLING:
        # nSLP_S3 and SLP_S3n have no mark between the letter and the name.
        shorter = (word[1:] if word.startswith("N") else "", word[:-1] if word[-1:] == "N" else "")
        word, low = next((each for each in shorter if each in _BY_SPELLING), ""), True
    channel = _BY_SPELLING.get(word)
    return None if low and channel in _HIGH_WHEN_ON else channel


def channel_of_word(word: str) -> Channel | None:
    """Return the channel that a user names, in any of its spellings; None where there is none."""
    return Channel(word) if word in list(Channel) else channel_of_name(word)


def schematic_name(channel: Channel) -> str:
    """Return a channel's name as a schematic has it."""
    return _SCHEMATIC.get(channel, channel.value)


_SCHEMATIC: Final = {
    Channel.SLP_S3: "SLP_S3#",
    Channel.SLP_S4: "SLP_S4#",
    Channel.SLP_S5: "SLP_S5#",
    Channel.PLTRST: "PLTRST#",
    Channel.BUTTON: "PWRBTN#",
}
