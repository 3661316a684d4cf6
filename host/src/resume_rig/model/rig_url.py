"""The URL of a rig: one that a user typed, and one that stood in a file, which opens nothing.

Opening a URL may run a program (`native:`), call a host (`socket:`, `rfc2217:`) or read a file
(`faults=`). So what a store names is a type of its own that nothing can open, and becomes a URL
only by `url_to_go_on`.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NewType

from resume_rig.model.errors import UsageError, shell_word

RigUrl = NewType("RigUrl", str)
"""A URL that the user named: typed, chosen, or written in a configuration of the user's own."""

NOT_NAMED: Final = RigUrl("")
"""The user named no rig."""


@dataclass(frozen=True, slots=True)
class StoredRigUrl:
    """A URL as a store has it, to be shown and compared; whoever sent the store wrote it."""

    text: str

    def __str__(self) -> str:
        return self.text


# Names that the system gives to serial ports: no folder above, no link below, no terminal in use.
_DEVICE: Final = re.compile(
    r"(?:\\\\\.\\)?COM[0-9]{1,3}"
    r"|/dev/(?:tty|cu)[A-Za-z.][A-Za-z0-9._-]{0,79}"
    r"|/dev/serial/by-(?:id|path)/[A-Za-z0-9][A-Za-z0-9._:+@-]{0,199}"
)
# What a simulated bench is made of in this process alone; `faults=` names a file.
_SIM_OPTION: Final = re.compile(
    r"clock=(?:virtual|real)|seed=[0-9]{1,18}|dut=loopback|light=none|power=ina226"
)


def url_to_go_on(typed: RigUrl | None, stored: StoredRigUrl, path: Path) -> RigUrl:
    """Return the URL that a stored campaign goes on with; pure.

    What the user typed is taken, a simulated bench with the store's seed unless it has one. Without
    it the store's own is taken where it can do no harm: a serial port by its plain name, or a
    simulated bench without files.

    Args:
        typed: None or empty where the user named no rig.
        stored: of the store.
        path: of the store, for the sentence; it is not read.

    Raises:
        UsageError: the store names what only a user may name; nothing was opened.
    """
    if typed:
        seed = seed_of(stored.text)
        if seed is None or not typed.startswith("sim:") or seed_of(typed) is not None:
            return typed
        return RigUrl(f"{typed}{'' if typed.endswith((':', ',')) else ','}seed={seed}")
    if _is_harmless(stored.text):
        return RigUrl(stored.text)
    raise UsageError(
        f"could not go on with {path} at the rig that the store names, {stored.text!r:.120}: of a "
        "file's URLs only serial: with a plain port and sim: without files are opened; name your "
        f"rig yourself by `resume-rig run --resume {shell_word(path)} --rig URL`, or in the window "
        "by Resume a store on the rig above"
    )


def command_to_go_on(path: Path, url: StoredRigUrl) -> str:
    """Return the command that goes on with the campaign of a store, for the user who ran it.

    Args:
        path: of the store.
        url: that this user opened the rig by.
    """
    named = "" if _is_harmless(url.text) else f" --rig {shell_word(url.text)}"
    return f"resume-rig run --resume {shell_word(path)}{named}"


def seed_of(url: str) -> int | None:
    """Return the seed in the URL of a simulated bench; None where there is none."""
    scheme, _, options = url.partition(":")
    seeds = (each.removeprefix("seed=") for each in options.split(",") if each.startswith("seed="))
    digits = next(seeds, "") if scheme in ("sim", "native") else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 18 else None


def _is_harmless(text: str) -> bool:
    scheme, colon, rest = text.partition(":")
    if scheme == "serial":
        return ".." not in rest and _DEVICE.fullmatch(rest) is not None
    options = [option for option in rest.split(",") if option]
    return (
        scheme == "sim" and bool(colon) and all(_SIM_OPTION.fullmatch(option) for option in options)
    )
