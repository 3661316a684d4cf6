"""Runs one deck in ngspice, without a window, and returns what its `.meas` lines found.

A deck is a file that can be run by hand. Its first `.param` lines hold nominal values; a run
replaces some of them.
"""

import math
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DECKS = Path(__file__).resolve().parents[2] / "decks"
TIMEOUT_S = 60
MISSING = (
    "the decks need ngspice, and it is not there; install it (Debian, Ubuntu: apt install ngspice)"
)


class DeckError(Exception):
    """A deck that cannot be run: no ngspice, no such deck, no such parameter."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What one run found."""

    values: Mapping[str, float]
    """The figures of the `.meas` lines by name, in SI units; empty where the run failed."""
    failure: str | None = None
    """Why there are no figures."""


def find_ngspice() -> str:
    """Return the program's path.

    Raises:
        DeckError: it is not installed.
    """
    found = shutil.which("ngspice")
    if found is None:
        raise DeckError(MISSING)
    return found


def with_parameters(text: str, parameters: Mapping[str, float], deck: str) -> str:
    """Return a deck's text with other values behind the names of its `.param` lines.

    Raises:
        DeckError: a name that the deck does not have.
    """
    for name, value in parameters.items():
        line = re.compile(rf"^(\.param {re.escape(name)}=)\S+", re.MULTILINE)
        text, times = line.subn(rf"\g<1>{value:.9g}", text, count=1)
        if times == 0:
            raise DeckError(f"deck {deck}: no parameter {name!r} to set")
    return text


def found_measures(output: str, names: tuple[str, ...]) -> Measures:
    """Return the figures in ngspice's output, or which of them is missing."""
    values = {}
    for name in names:
        found = re.search(rf"^{name}\s+=\s+(\S+)", output, re.MULTILINE | re.IGNORECASE)
        value = float(found[1]) if found and re.match(r"[-+.\d]", found[1]) else math.nan
        if not math.isfinite(value):
            return Measures({}, f"{name} was not found")
        values[name] = value
    return Measures(values)


def run_deck(
    ngspice: str, deck: str, parameters: Mapping[str, float], names: tuple[str, ...]
) -> Measures:
    """Run a deck once.

    Args:
        ngspice: path of the program.
        deck: name of a file in `hardware/decks`, without its suffix.
        parameters: values in SI units for some of its `.param` names.
        names: the measures that are wanted, all of them.

    Raises:
        DeckError: the deck has no such parameter.
    """
    text = with_parameters((DECKS / f"{deck}.cir").read_text("utf-8"), parameters, deck)
    return run_text(ngspice, text, names)


def run_text(ngspice: str, text: str, names: tuple[str, ...]) -> Measures:
    """Run a deck that is given as text; it may include what lies in `hardware/decks`."""
    # ngspice takes its first line for the title when a deck comes through a pipe, too.
    try:
        done = subprocess.run(
            [ngspice, "-b", "-n"],
            input=text,
            cwd=DECKS,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Measures({}, f"not done within {TIMEOUT_S} s")
    if done.returncode != 0 or "simulation(s) aborted" in done.stderr:
        return Measures({}, f"ngspice gave up with status {done.returncode}")
    return found_measures(done.stdout, names)
