"""Signals of a capture, and which of them is which channel, in the spellings of many tools.

A name on a schematic is that of the wire: `SLP_S3#`, `SLP_S3_N`, `nSLP_S3` and `SLP_S3` are one
wire, which is low in the sleep. Nothing is inverted for a `#`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError

_SPELLINGS: Final[Mapping[Channel, tuple[str, ...]]] = {
    Channel.PWR_OK: ("PWROK", "POWEROK", "PWRGOOD", "PWRGD", "POWERGOOD", "ATXPWROK"),
    Channel.SLP_S3: ("SLPS3", "PMSLPS3", "PCHSLPS3"),
    Channel.SLP_S4: ("SLPS4", "PMSLPS4", "PCHSLPS4"),
    Channel.SLP_S5: ("SLPS5", "PMSLPS5", "PCHSLPS5"),
    Channel.SLP_S0: ("SLPS0", "PMSLPS0", "PCHSLPS0"),
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
# These are high when on; a name that is marked as low means that the wire is their inverse.
_HIGH_WHEN_ON: Final = (Channel.PWR_OK, Channel.LED, Channel.BACKLIGHT)
_BIT: Final = re.compile(r"\s*\[0(?::0)?\]$")
_LOW_AT_END: Final = re.compile(r"(?:#|\*|[_-][NLB]|\(L\))$")
_LOW_AT_START: Final = re.compile(r"^(?:/|N[_-])")
_BETWEEN: Final = re.compile(r"[\s_.-]+")


def channel_of_name(name: str) -> Channel | None:
    """Return the channel that a signal's name means; None where it means none for sure.

    A name that marks a line as active low, such as `PWR_OK#`, is none of a channel that is
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


_INVERTING = ("~", "!")


def channel_map_of(assignments: Iterable[str]) -> dict[Channel, tuple[str, bool]]:
    """Read `NAME=SIGNAL` and `NAME=~SIGNAL` as channel -> (signal, inverted).

    `!` inverts, too, but an interactive bash takes it for its history. NAME may be spelled as on
    a schematic: SLP_S3#, PWRBTN#.

    Raises:
        UsageError: an assignment is not of that form, or names no channel, or one twice.
    """
    found: dict[Channel, tuple[str, bool]] = {}
    for text in assignments:
        name, equals, signal = text.partition("=")
        inverted = signal.startswith(_INVERTING)
        if not equals or not signal[inverted:]:
            raise UsageError(f"--channel {text!r} is not of the form NAME=SIGNAL or NAME=~SIGNAL")
        channel = channel_of_word(name)
        if channel is None:
            raise UsageError(
                f"--channel {text!r} names no channel; allowed are {', '.join(Channel)}"
            )
        if channel in found:
            raise UsageError(f"--channel {text!r} maps {channel} a second time")
        found[channel] = (signal[inverted:], inverted)
    return found


def schematic_name(channel: Channel) -> str:
    """Return a channel's name as a schematic has it."""
    return _SCHEMATIC.get(channel, channel.value)


_SCHEMATIC: Final = {
    Channel.SLP_S3: "SLP_S3#",
    Channel.SLP_S4: "SLP_S4#",
    Channel.SLP_S5: "SLP_S5#",
    Channel.SLP_S0: "SLP_S0#",
    Channel.PLTRST: "PLTRST#",
    Channel.BUTTON: "PWRBTN#",
}


_LISTED_SIGNALS: Final = 24
_LISTED_CHARACTERS: Final = 60


@dataclass(frozen=True, slots=True)
class Signal:
    """One line of a capture.

    Attributes:
        name: dotted path from the outermost scope, e.g. "top.power.SLP_S3"; a plain name in CSV.
        key: what the file's values refer to (VCD identifier code, CSV column); signals that are
            the same line share it.
    """

    name: str
    key: str

    @property
    def leaf(self) -> str:
        """Return the name without its scopes."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Tap:
    """A signal taken as a channel; an inverted one shows the complement of the level."""

    channel: Channel
    key: str
    inverted: bool


@dataclass(frozen=True, slots=True)
class Chosen:
    """The taps of a capture, and sentences about what was not taken."""

    taps: tuple[Tap, ...]
    notes: tuple[str, ...] = ()


def choose_taps(
    signals: Sequence[Signal], channel_map: Mapping[Channel, tuple[str, bool]], what: str
) -> Chosen:
    """Return the taps of a capture: the map's, and signals that are named as a channel.

    Args:
        signals: what the capture has.
        channel_map: channel -> (signal by leaf or dotted path, inverted).
        what: the beginning of a sentence, for errors.

    Raises:
        UsageError: a mapped signal is not there or not unique, a name means several signals, or no
            channel is left.
    """
    index = _Index(signals)
    taps: list[Tap] = []
    for channel in Channel:
        wanted = channel_map.get(channel)
        if wanted is None:
            found = index.meant(channel)
            name, inverted = channel.value, False
        else:
            name, inverted = wanted
            found = index.named(name)
        keys = {signal.key for signal in found}
        if len(keys) > 1:
            raise UsageError(
                f"{what}: {channel} is to be {name!r}, which is the name of several signals; "
                f"allowed are {_listed(signal.name for signal in found)}; `--channel"
                f" {channel}=SIGNAL` chooses one."
            )
        if wanted is not None and not keys:
            raise UsageError(
                f"{what}: {channel} is to be {name!r}, which is not in it; "
                f"the signals are {_listed(signal.name for signal in signals)}."
            )
        taps += [Tap(channel, key, inverted) for key in keys]
    if not taps:
        raise UsageError(
            f"{what}: no signal is named as a channel ({', '.join(Channel)}) and none was mapped; "
            f"the signals are {_listed(signal.name for signal in signals)}."
        )
    return Chosen(tuple(taps), _unused(signals, {tap.key for tap in taps}))


class _Index:
    """Signals by their names, of which a simulator's capture may have a hundred thousand."""

    def __init__(self, signals: Sequence[Signal]) -> None:
        self._by_form: tuple[dict[str, list[Signal]], ...] = ({}, {}, {}, {})
        self._by_channel: dict[Channel, list[Signal]] = {}
        for signal in signals:
            name, leaf = signal.name, signal.leaf
            forms = (name, leaf, name.casefold(), leaf.casefold())
            for by_form, form in zip(self._by_form, forms, strict=True):
                by_form.setdefault(form, []).append(signal)
            meant = channel_of_name(leaf)
            if meant is not None:
                self._by_channel.setdefault(meant, []).append(signal)

    def named(self, name: str) -> list[Signal]:
        """Return the signals of a name: as it is written, else whatever its capitals."""
        forms = (name, name, name.casefold(), name.casefold())
        found = (by_form.get(form) for by_form, form in zip(self._by_form, forms, strict=True))
        return next(filter(None, found), [])

    def meant(self, channel: Channel) -> list[Signal]:
        """Return the signals that are a channel by their names."""
        return self.named(channel) or self._by_channel.get(channel, [])


def _unused(signals: Sequence[Signal], taken: set[str]) -> tuple[str, ...]:
    names = list(dict.fromkeys(signal.name for signal in signals if signal.key not in taken))
    if not names:
        return ()
    return (f"Signals that were not used: {_listed(names)}; --channel NAME=SIGNAL takes one.",)


def _listed(names: Iterable[str]) -> str:
    """Return names of a capture for a sentence: few, short, printable."""
    every = list(dict.fromkeys(names))
    shown = [repr(name[:_LISTED_CHARACTERS]) for name in every[:_LISTED_SIGNALS]]
    rest = len(every) - len(shown)
    return (", ".join(shown) or "none") + (f" and {rest} more" if rest else "")
