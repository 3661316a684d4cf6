"""`hardware/delays.toml`: what the host subtracts for each sense path, with its bounds.

All values in whole nanoseconds, counted from the DUT's pin (or the optical edge) to the MCU's
pin. Nothing here was measured: the origin of every entry is a simulation.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from frontend.simulation import actuators, light, sense
from frontend.simulation.study import Figure, Outcome, Study

NS_PER_S = 1e9
LOGIC_CHANNELS = ("SLP_S3", "SLP_S4", "SLP_S5", "PLTRST")
HEADER = """\
# From the DUT's pin to the MCU's pin: the front end's delays, which are subtracted from stamps.
# Made by `make hardware` from the decks in hardware/decks. Simulated, not measured: no board
# exists.
# One entry for a path, an edge at the DUT and, where the edge is a ramp, its length (0 to 100 %).
# half_width_ns is what no draw and no sum of the tolerances' ends leaves, standard_ns the draws'
# root mean square deviation. A path without channels is for other levels.

version = 1
"""


@dataclass(frozen=True, slots=True)
class Path:
    """One entry: which study and measure tell the delay of which channels' edge."""

    path: str
    channels: tuple[str, ...]
    edge: str
    studies: tuple[Study, ...]
    measure: str
    conditions: str
    ramp_ns: int | None = None


def both_edges(
    path: str, channels: tuple[str, ...], study: Study, conditions: str, ramp_ns: int | None = None
) -> list[Path]:
    """Return a path's entries for the rising and the falling edge."""
    return [
        Path(path, channels, edge, (study,), edge, conditions, ramp_ns) for edge in ("rise", "fall")
    ]


def slopes() -> list[Path]:
    """Return PWR_OK's entries, by its ramp."""
    return [
        entry
        for ramp_s, study in zip(sense.RAMPS_S, sense.SLOPES, strict=True)
        for entry in both_edges(
            "pwr-ok",
            ("PWR_OK",),
            study,
            f"0 to 5 V in {ramp_s * 1e6:g} us, 1 kOhm; from 2.4 V, jumper at ATX; {SPREAD}",
            round(ramp_s * NS_PER_S),
        )
    ]


def light_entry(path: str, measure: str, studies: Iterable[Study], conditions: str) -> Path:
    """Return an entry of the photodiode's amplifier."""
    return Path(path, ("LIGHT",), "rise", tuple(studies), measure, conditions)


SPREAD = "0 to 60 degrees Celsius, part tolerances, 30 to 150 pF of cable"
HEADERS = "front-panel header, 1 to 100 kOhm to 3.3 or 5 V, 1 to 100 nF; from 0.8 V at the pin"
GLOW = "step of light to 30, 250 or 500 cd/m2, threshold at a fifth of it"
EDGE = "step or fade of 1 ms, 5 to 500 cd/m2, first gain; without the converter"
FADE = "averaged over 1 ms or fading in 1 ms, 5 or 500 cd/m2, first gain; without the converter"
FINE = "averaged over 1 ms or fading in 1 ms, 5 cd/m2, second gain; without the converter"
PATHS: tuple[Path, ...] = (
    *both_edges("logic-3v3", LOGIC_CHANNELS, sense.LOGIC_3V3, f"3.3 V push-pull; {SPREAD}"),
    # No channels: they are moved here where a mainboard has these levels.
    *both_edges("logic-1v8", (), sense.LOGIC_1V8, f"1.8 V push-pull; {SPREAD}"),
    *both_edges(
        "open-drain",
        (),
        sense.OPEN_DRAIN,
        f"10 kOhm to 3.3 V; from the crossing of 0.9 V at the pin; {SPREAD}",
    ),
    *slopes(),
    *both_edges("led", ("LED",), sense.LED, f"5 V through 330 Ohm, 3.9 kOhm in series; {SPREAD}"),
    # No channels: they are moved here where their jumpers are set to these wires.
    *both_edges(
        "ps-on", (), sense.PS_ON, f"SLP_S3 from PS_ON#: rises while the wire falls; {SPREAD}"
    ),
    *both_edges(
        "led-minus", (), sense.LED_MINUS, f"LED from PLED-: rises while the wire falls; {SPREAD}"
    ),
    Path("button", ("BUTTON",), "fall", (actuators.BUTTON,), "sensed", HEADERS),
    Path("button", ("BUTTON",), "rise", (actuators.BUTTON,), "released", HEADERS),
    Path(
        "photodiode-comparator", ("BACKLIGHT",), "rise", tuple(light.FIRST.values()), "fired", GLOW
    ),
    Path(
        "photodiode-comparator", ("BACKLIGHT",), "fall", tuple(light.FIRST.values()), "gone", GLOW
    ),
    light_entry("photodiode-t10", "t10", (*light.STEPS.values(), *light.FADES.values()), EDGE),
    light_entry("photodiode-t50", "t50", light.FADES.values(), FADE),
    light_entry("photodiode-t90", "t90", light.FADES.values(), FADE),
    light_entry("photodiode-t50-second-gain", "fine50", (light.FINE,), FINE),
)


def together(figures: Sequence[Figure]) -> tuple[float, float, float]:
    """Return value, bound and standard uncertainty that hold for all figures of one measure."""
    low = min(found.nominal - found.bound for found in figures)
    high = max(found.nominal + found.bound for found in figures)
    value = figures[0].nominal if len(figures) == 1 else (low + high) / 2
    offset = max(abs(found.nominal - value) for found in figures)
    scatter = max(found.standard for found in figures)
    return value, max(high - value, value - low), math.hypot(offset, scatter)


def up(seconds: float) -> int:
    """Return a width in nanoseconds, rounded up."""
    return math.ceil(round(seconds * NS_PER_S, 2))


def entry(path: Path, figures: Sequence[Figure]) -> str:
    """Return the lines of one entry."""
    channels = ", ".join(f'"{channel}"' for channel in path.channels)
    value, bound, standard = together(figures)
    # Rounding the value moves it by half a nanosecond, which the bound takes over.
    standard_ns = up(standard)
    half_width_ns = max(up(bound + 0.5e-9), 2 * standard_ns)
    ramp = [] if path.ramp_ns is None else [f"ramp_ns = {path.ramp_ns}"]
    lines = [
        "[[delay]]",
        f'path = "{path.path}"',
        f"channels = [{channels}]",
        f'edge = "{path.edge}"',
        *ramp,
        f"value_ns = {round(value * NS_PER_S)}",
        f"half_width_ns = {half_width_ns}",
        f"standard_ns = {standard_ns}",
        'distribution = "normal"',
        f'conditions = "{path.conditions}"',
        f'deck = "hardware/decks/{path.studies[0].bench}.bench"',
        'origin = "simulation of behavioural models; not measured"',
    ]
    return "\n".join(lines) + "\n"


def toml_of(outcomes: Iterable[Outcome]) -> str:
    """Return the file's text.

    Raises:
        KeyError: a path's study is not among the outcomes, or gave no figures.
    """
    figures: Mapping[str, Mapping[str, Figure]] = {
        outcome.study.name: outcome.figures for outcome in outcomes
    }
    entries = [
        entry(path, [figures[study.name][path.measure] for study in path.studies]) for path in PATHS
    ]
    return "\n".join([HEADER, *entries])
