"""What the application is asked to open. Free of Qt, so that the command line can build it."""

import re
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path
from typing import Final

from resume_rig.model.errors import UsageError

VIEW_NAMES: Final = ("start", "bench", "campaign", "explorer", "limits", "log", "compare")
LEAST_SIDE, MOST_SIDE = 480, 8_000
_SIZE = re.compile(r"(\d{1,5})x(\d{1,5})")


@unique
class ThemeName(StrEnum):
    """Which colours."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Target:
    """What a view is to show.

    Attributes:
        paths: stores or logs.
        cycle: number of a cycle in them; None for none in particular.
        rig: URL of a rig to choose on the page; empty for what is chosen there.
    """

    paths: tuple[Path, ...] = ()
    cycle: int | None = None
    rig: str = ""


NO_TARGET = Target()


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """What somebody states of a capture, as the fields were filled in; empty: as it states it.

    Attributes:
        signals: `NAME=SIGNAL` of signals that are not named as a channel, spaces between.
        sample_rate: such as "1 MHz".
        time_column, time_unit: of a CSV capture.
        pair: "CYCLE=RECORD", two that belong together.
        dut: name or path of the DUT's profile.
    """

    signals: str = ""
    sample_rate: str = ""
    time_column: str = ""
    time_unit: str = ""
    pair: str = ""
    dut: str = ""

    @property
    def words(self) -> str:
        """What stands behind the name of the capture."""
        named = (
            ("sample rate", self.sample_rate),
            ("time column", self.time_column),
            ("time unit", self.time_unit),
            ("pair", self.pair),
            ("DUT", self.dut),
        )
        return ", ".join(f"{name} {text}" for name, text in named if text)


@dataclass(frozen=True, slots=True)
class BenchWish:
    """What is to be done with a rig as soon as the window is there.

    Attributes:
        rig: URL to connect to; empty for none.
        dut: name or path of its DUT's profile; None for the usual one.
        plan: name or path for the plan editor; None for the default plan.
        store: where a campaign goes; None for a name made of the time.
        run: start the campaign.
        press: press the button once.
    """

    rig: str = ""
    dut: str | None = None
    plan: str | None = None
    store: Path | None = None
    run: bool = False
    press: bool = False


NO_WISH = BenchWish()


@dataclass(frozen=True, slots=True)
class GuiRequest:
    """What the command line asks of the window.

    Attributes:
        view: name of the first view; None for the one that fits, or the one that was last open.
        size: of the window in device-independent pixels; None for the remembered one.
        theme: None for the remembered one.
        scale: device pixels of one device-independent pixel; None for the screen's own.
        screenshot: write the window to this PNG and end; no display is needed.
        settings: file of remembered state; None for the user's own.
    """

    target: Target = NO_TARGET
    bench: BenchWish = NO_WISH
    view: str | None = None
    size: tuple[int, int] | None = None
    theme: ThemeName | None = None
    scale: float | None = None
    screenshot: Path | None = None
    settings: Path | None = None


def parse_size(text: str) -> tuple[int, int]:
    """Read `1440x900`.

    Raises:
        UsageError: not of that form, or out of range.
    """
    found = _SIZE.fullmatch(text)
    sides = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(LEAST_SIDE <= side <= MOST_SIDE for side in sides):
        raise UsageError(
            f"--size {text!r} is not a size of a window; allowed is WIDTHxHEIGHT, each "
            f"{LEAST_SIDE} to {MOST_SIDE}, for example 1440x900"
        )
    return sides


def parse_scale(text: str) -> float:
    """Read a scale of 0.5 to 4.

    Raises:
        UsageError: not a number, or out of range.
    """
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not 0.5 <= scale <= 4:
        raise UsageError(f"--scale {text!r} is not allowed; it is a number of 0.5 to 4")
    return scale
