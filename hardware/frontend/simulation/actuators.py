"""Studies of the actuators: power button, dead-man, hold limit, finger, lid.

The photoMOS times (0.1 to 0.6 ms on, 0.1 to 0.6 ms off at these LED currents) are those of its
family; the maxima of the part itself have not been read in its data sheet.
"""

from collections.abc import Mapping

from frontend.simulation.elements import PICO, Circuit, name_of
from frontend.simulation.sense import BENCH, DRAWS, WIRED
from frontend.simulation.spread import Spread, about, between
from frontend.simulation.study import Limit, Study

NO_ACCESS = "pico-no-access"
BUTTON = Study(
    "power button",
    "press",
    Circuit(WIRED, ("power_button", "BUTTON"), known=("thresholds",)),
    ("on", "slope", "sensed", "off", "released", "firstled", "secondled", "pressed", "idle"),
    {},
    {},
    {
        "pullup": between(1e3, 10e3, 100e3),
        "vpull": between(3.1, 3.3, 5.25),
        "board": between(1e-9, 10e-9, 100e-9),
        "cnode": between(2 * PICO, 4 * PICO, 8 * PICO),
        "cstray": between(0.5 * PICO, 1.5 * PICO, 3 * PICO),
        "vcc": BENCH["vcc"],
        "thresholderror": BENCH["thresholderror"],
    },
    (
        Limit("sensed", -20e-6, 20e-6, "what the contact's slope leaves"),
        Limit("on", 0.0, 5e-3, "the contact closes"),
        Limit("off", 0.0, 35e-3, "the contact opens; 100 kOhm and 100 nF take 10 ms of it"),
        Limit("firstled", 5e-3, 20e-3, "above what the photoMOS needs, below half its rating"),
        Limit("secondled", 5e-3, 20e-3, "above what the photoMOS needs, below half its rating"),
        Limit("pressed", 0.0, 0.2, "below any logic threshold while pressed"),
        Limit("idle", 2.0, 5.3, "the sense path does not press by itself"),
    ),
    DRAWS,
    corners=(("pullup", "board"), ("pullup", "board", "slow")),
)


def dead_man(stuck_v: float) -> Study:
    """Return the study of a heartbeat that stops at a level, at its slowest rate (2.5 kHz)."""
    return Study(
        f"dead-man, heartbeat stuck at {stuck_v:g} V",
        "dead-man",
        Circuit(WIRED, ("dead_man", "power_button")),
        ("armed", "gatemin", "dropped", "pinpeak"),
        {},
        {"stuck": stuck_v},
        {"vcc": about(3.3, 0.03)},
        (
            Limit("armed", 0.0, 20e-3, "ready before a press is due"),
            Limit("gatemin", 2.0, 3.3, "the guard is on while the heart beats"),
            Limit("dropped", 0.0, 15e-3, "dead-man within 15 ms, contact included"),
            Limit("pinpeak", 0.0, 16e-3, "what an output of the MCU gives for a moment"),
        ),
        20,
    )


FORCED_OFF_S = 4.0
"""After so long a press a PC is forced off."""


def hold(name: str, long: bool, least_s: float, most_s: float) -> Study:
    """Return the study of the hold limit, without the jumper or with it."""
    jumpers = {"power_button/JP_FORCE": ("1", "2")} if long else {}
    return Study(
        f"hold limit, {name}",
        "hold-limit",
        Circuit(WIRED, ("power_button",), jumpers),
        ("limit", "again"),
        {},
        {"held": 120.0 if long else 12.0},
        {
            # What the capacitors and the gate leak: estimates.
            "rleak": between(100e6, 1e9, 10e9),
            "igate": between(-50e-9, 0.0, 50e-9),
            "vcc": about(3.3, 0.03),
        },
        (
            Limit("limit", least_s, most_s, "longer than a press, shorter than what is feared"),
            Limit("again", least_s, most_s, "the same for a press that follows another one"),
        ),
        DRAWS,
    )


# The firmware's longest press is 1 s.
HOLD = hold("as delivered", False, 1.05, 0.95 * FORCED_OFF_S)
HOLD_LONG = hold("jumper FORCE OFF", True, 12.0, 60.0)


def coil(name: str, sheet: str, circuit: Circuit, nets: Mapping[str, str], ohms: float) -> Study:
    """Return the study of a coil between its two switches."""
    spreads: dict[str, Spread] = {"supply": about(12.0, 0.05), "vcc": about(3.3, 0.03)}
    full = 12.0 / ohms
    return Study(
        name,
        "coil",
        circuit,
        (
            "full",
            "idle",
            "rise30",
            "rise90",
            "fall10",
            "closeearly",
            "closelate",
            "openearly",
            "openlate",
            "vdsmax",
            "highmin",
            "gateworst",
        ),
        {**nets, "COIL": f"vi_{name_of(f'{sheet}/L1')}", "VALUE": name_of(f"{sheet}/L1")},
        {},
        spreads,
        (
            Limit("full", 0.75 * full, 1.15 * full, "what the coil is for"),
            Limit("idle", -1e-6, 1e-6, "nothing flows without a command"),
            Limit("fall10", 0.0, 10e-3, "let go within 10 ms"),
            Limit("vdsmax", 0.0, 44.0, "80 % of the FET's 55 V"),
            Limit("highmin", -1.5, 0.5, "the diode takes what the upper end would go below ground"),
            Limit("gateworst", -9.6, -4.0, "on, and 80 % of the gate's 12 V"),
        ),
        15,
    )


LID = coil(
    "lid's coil",
    "lid_magnet",
    Circuit(WIRED, ("lid_magnet", "supply_12v")),
    {"DRIVE": "drive_lid", "LOW": "lid_low", "HIGH": "lid_high", "GATE": "lid_pg"},
    48.0,
)
FINGER = coil(
    "finger's solenoid",
    "finger",
    Circuit(NO_ACCESS, ("finger", "supply_12v")),
    {"DRIVE": "drive_button", "LOW": "finger_low", "HIGH": "finger_high", "GATE": "finger_pg"},
    16.0,
)
PILOT = Study(
    "lid's pilot",
    "pilot",
    Circuit(WIRED, ("lid_pilot",)),
    ("fall", "rise", "low", "high"),
    {},
    {},
    {"ccable": between(30 * PICO, 100 * PICO, 300 * PICO), "vcc": about(3.3, 0.03)},
    (
        Limit("fall", 0.0, 1e-6, "the pilot's edge within 1 us"),
        Limit("rise", 0.0, 3e-6, "and 3 us on its pull-up"),
        Limit("low", 0.0, 0.2, "low near the magnet"),
        Limit("high", 3.1, 3.5, "high without it"),
    ),
    8,
)
STUDIES = (BUTTON, dead_man(3.3), dead_man(0.0), HOLD, HOLD_LONG, LID, FINGER, PILOT)
