"""Runs one deck in ngspice, without a window, and returns what its `.meas` lines found.

A deck is text that can be run by hand. Its `.param` lines hold nominal values; a run replaces
some of them.
"""

import math
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from frontend.simulation.spread import DeckError

DECKS = Path(__file__).resolve().parents[2] / "decks"
MOST_S = 60
"""Of processor time: a deck takes one second, on a busy machine as well."""
MISSING = (
    "the decks need ngspice, and it is not there; install it (Debian, Ubuntu: apt install ngspice)"
)


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


def checked(text: str, deck: str) -> str:
    """Return a deck's text.

    Raises:
        DeckError: a parameter is defined twice, so that setting it would change one of them only.
    """
    names = re.findall(r"^\.param (\w+)=", text, re.MULTILINE)
    for name in sorted(set(names)):
        if names.count(name) > 1:
            raise DeckError(f"deck {deck}: parameter {name!r} is defined {names.count(name)} times")
    if rest := re.search(r"@\w+@", text):
        raise DeckError(f"deck {deck}: nothing stands for {rest[0]}")
    return text


def run_text(ngspice: str, text: str, names: tuple[str, ...]) -> Measures:
    """Run a deck that is given as text; it may include what lies in `hardware/decks`."""
    # ngspice takes its first line for the title when a deck comes through a pipe, too.
    done = subprocess.run(
        ["sh", "-c", f'ulimit -S -t {MOST_S}; exec "$0" -b -n', ngspice],
        input=text,
        cwd=DECKS,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == -signal.SIGXCPU:
        return Measures({}, f"not done within {MOST_S} s of processor time")
    if done.returncode != 0 or "simulation(s) aborted" in done.stderr:
        return Measures({}, f"ngspice gave up with status {done.returncode}")
    return found_measures(done.stdout, names)
