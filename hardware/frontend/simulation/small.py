"""Studies of the small start: button, hold limit, light, power LED, PWR_OK."""

from frontend.circuit.small_start import SHEET, SMALL_START
from frontend.simulation.actuators import FORCED_OFF_S
from frontend.simulation.elements import Circuit
from frontend.simulation.spread import about, between
from frontend.simulation.study import Limit, Study

WHOLE = Circuit(SMALL_START, (SHEET,))
PRESS = Study(
    "small start, button",
    "small-press",
    WHOLE,
    ("on", "sensed", "off", "released", "firstled", "secondled", "pressed", "idle", "silent"),
    {},
    {},
    {
        "pullup": between(1e3, 10e3, 47e3),
        "vpull": between(3.1, 3.3, 5.25),
        "board": between(1e-9, 10e-9, 100e-9),
        "rpin": between(25.0, 40.0, 60.0),
        "vcc": about(3.3, 0.03),
    },
    (
        Limit("on", 0.0, 5e-3, "the contact closes"),
        Limit("sensed", -50e-6, 50e-6, "the sense sees it"),
        Limit("off", 0.0, 30e-3, "the contact opens"),
        Limit("released", -100e-6, 100e-6, "and the sense sees that"),
        Limit("firstled", 4e-3, 20e-3, "above what the photoMOS needs"),
        Limit("secondled", 4e-3, 20e-3, "above what the photoMOS needs"),
        Limit("pressed", 0.0, 0.2, "below any logic threshold while pressed"),
        Limit("idle", 2.0, 5.3, "the sense path does not press by itself"),
        Limit("silent", -0.1, 0.4, "released reads as released"),
    ),
    15,
)
HOLD = Study(
    "small start, hold limit",
    "small-hold",
    WHOLE,
    ("limit", "again"),
    {},
    {},
    {"rleak": between(100e6, 1e9, 10e9), "vcc": about(3.3, 0.03)},
    (
        Limit("limit", 1.1, 0.95 * FORCED_OFF_S, "longer than a press, before a forced power-off"),
        Limit("again", 1.1, 0.95 * FORCED_OFF_S, "the same for a press that follows another one"),
    ),
    15,
)
LIGHT = Study(
    "small start, light and LED",
    "small-light",
    WHOLE,
    ("t10", "t50", "t90", "settled", "ledon", "ledoff"),
    {},
    {},
    {"vcc": about(3.3, 0.03), "level": between(3.0, 5.0, 5.25)},
    (
        Limit("t50", 0.0, 30e-6, "half of the light within 30 us"),
        Limit("settled", 0.9, 1.1, "seen, and not at the module's end"),
        Limit("ledon", 0.0, 50e-6, "the LED's edge"),
        Limit("ledoff", 0.0, 100e-6, "and back"),
    ),
    10,
)
FADE = Study(
    "small start, fade of 1 ms",
    "small-light",
    Circuit(SMALL_START, (SHEET,)),
    ("t50",),
    {},
    {"fade": 1e-3},
    {},
    (Limit("t50", 0.0, 30e-6, "half of the light within 30 us"),),
    6,
)
POWER_GOOD = Study(
    "small start, PWR_OK",
    "small-power-good",
    WHOLE,
    ("up", "down", "early", "high", "low", "load"),
    {},
    {},
    {"vcc": about(3.3, 0.03)},
    (
        Limit("up", 0.6, 1.4, "the transistor's threshold"),
        Limit("down", 0.6, 1.4, "and back"),
        Limit("early", 0.0, 3.6e-3, "what the overlay states, before ATX's 2.4 V"),
        Limit("high", 2.9, 3.5, "low reads as low"),
        Limit("low", 0.0, 0.4, "high reads as high"),
        Limit("load", -15e-6, -5e-6, "PWR_OK gives 200 uA"),
    ),
    15,
)
STUDIES = (PRESS, HOLD, LIGHT, FADE, POWER_GOOD)
