"""Studies of the actuators: power button, dead-man, hold limit, lid.

The photoMOS times (0.1 to 0.6 ms on, 0.1 to 0.6 ms off at these LED currents) are those of its
family; the maxima of the part itself have not been read in its data sheet.
"""

from frontend.simulation.sense import CELSIUS, DRAWS, PICO
from frontend.simulation.study import Limit, Spread, Study, about, between

PHOTOMOS: dict[str, Spread] = {
    "celsius": CELSIUS,
    "on": between(5.0, 10.0, 20.0),
    "slow": between(0.5, 1.0, 3.0),
    "vth": between(0.8, 1.15, 1.5),
    "rled": about(150.0, 0.0135),
    "vcc": about(3.3, 0.03),
}
BUTTON = Study(
    "power button",
    "button",
    ("on", "slope", "sensed", "off", "released", "ledcurrent", "pressed", "idle"),
    {},
    {
        **PHOTOMOS,
        "on2": between(5.0, 10.0, 20.0),
        "slow2": between(0.5, 1.0, 3.0),
        "pullup": between(1e3, 10e3, 100e3),
        "vpull": between(3.1, 3.3, 5.25),
        "board": between(1e-9, 10e-9, 100e-9),
        "rfb": about(22e6, 0.06),
        "rseries": about(10e3, 0.0135),
        "rin": about(100e3, 0.0135),
        "rbleed": about(4.7e6, 0.0135),
        "cnode": between(3 * PICO, 6 * PICO, 9 * PICO),
        "ctvs": between(2.2 * PICO, 2.9 * PICO, 3.6 * PICO),
        "cin": between(1 * PICO, 2 * PICO, 4 * PICO),
        "thresholderror": between(-0.005, 0.0, 0.005),
        "vos": between(-3e-3, 0.0, 3e-3),
        "cmpslow": between(0.7, 1.0, 1.35),
    },
    (
        Limit("sensed", 0.0, 1e-6, "a press is sensed within 1 us"),
        Limit("on", 0.0, 5e-3, "the contact closes"),
        Limit("off", 0.0, 30e-3, "the contact opens; 100 kOhm and 100 nF take 10 ms of it"),
        Limit("ledcurrent", 5e-3, 20e-3, "above what the photoMOS needs, below half its rating"),
        Limit("pressed", 0.0, 0.2, "below any logic threshold while pressed"),
        Limit("idle", 2.0, 5.3, "the sense path does not press by itself"),
    ),
    DRAWS,
    # What the press loses against 0.8 V is within 1 us with all tolerances at their worse ends.
    bounds={"sensed": 0.55e-6},
    corners=(("pullup", "board"), ("pullup", "board", "slow", "slow2")),
)


def dead_man(stuck_v: float) -> Study:
    """Return the study of a heartbeat that stops at a level, at its slowest rate (2.5 kHz)."""
    return Study(
        f"dead-man, heartbeat stuck at {stuck_v:g} V",
        "dead-man",
        ("armed", "gatemin", "ledmin", "dark", "dropped"),
        {"stuck": stuck_v},
        {
            **PHOTOMOS,
            "cpump": about(47e-9, 0.12),
            "chold": about(100e-9, 0.12),
            "rhold": about(56e3, 0.0135),
        },
        (
            Limit("armed", 0.0, 20e-3, "ready before a press is due"),
            Limit("ledmin", 5e-3, 20e-3, "the contact stays closed while the heart beats"),
            Limit("dark", 0.0, 15e-3, "dead-man within 15 ms"),
            Limit("dropped", 0.0, 15e-3, "dead-man within 15 ms, contact included"),
        ),
        20,
    )


HOLD = Study(
    "hold limit",
    "hold-limit",
    ("limit", "again"),
    {},
    {
        "celsius": CELSIUS,
        "on": PHOTOMOS["on"],
        "slow": PHOTOMOS["slow"],
        "vth": PHOTOMOS["vth"],
        "vcc": PHOTOMOS["vcc"],
        "chold": between(8e-6, 10e-6, 12e-6),
        "rhold": about(2.7e6, 0.0135),
        "rleak": between(20e6, 50e6, 1e9),
        "igate": between(-100e-9, 0.0, 100e-9),
    },
    (
        Limit(
            "limit", 12.0, 60.0, "longer than the firmware's longest press, shorter than a minute"
        ),
        Limit("again", 12.0, 60.0, "the same for a press that follows another one"),
    ),
    DRAWS,
)


def coil(name: str, supply_v: float, rcoil_ohm: float, lcoil_h: float) -> Study:
    """Return the study of an electromagnet with its clamp."""
    return Study(
        f"lid, {name}",
        "lid-coil",
        (
            "full",
            "rise30",
            "rise90",
            "fall10",
            "closeearly",
            "closelate",
            "openearly",
            "openlate",
            "vdsmax",
            "clampenergy",
        ),
        {},
        {
            "celsius": CELSIUS,
            "supply": about(supply_v, 0.05),
            "rcoil": about(rcoil_ohm, 0.1),
            "lcoil": about(lcoil_h, 0.2),
            "vclamp": between(36.7, 38.6, 40.6),
            "ron": between(0.125, 0.157, 0.21),
        },
        (
            Limit("vdsmax", 0.0, 44.0, "80 % of the FET's 55 V"),
            Limit("full", 0.0, 1.0, "half of the FET's 2.1 A"),
            Limit("clampenergy", 0.0, 0.2, "far below what a 400 W TVS diode takes in 10 ms"),
        ),
        20,
    )


LID = coil("12 V, 24 Ohm, 0.25 H", 12.0, 24.0, 0.25)
STUDIES = (
    BUTTON,
    dead_man(3.3),
    dead_man(0.0),
    HOLD,
    LID,
    coil("24 V, 58 Ohm, 1 H", 24.0, 58.0, 1.0),
    coil("5 V, 8 Ohm, 20 mH", 5.0, 8.0, 0.02),
)
