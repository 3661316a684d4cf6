"""Studies of what the front end does to a DUT, and what a wrong wire does to the front end."""

from collections.abc import Mapping

from frontend.simulation import sense
from frontend.simulation.elements import Circuit
from frontend.simulation.sense import WIRED
from frontend.simulation.spread import about, between
from frontend.simulation.study import Limit, Study

INPUT_A = 0.3
"""For nanoseconds: an input that stands 2 kV through 1.5 kOhm stands 1.3 A."""
SENSES = ("PWR_OK", "SLP_S3", "SLP_S4", "SLP_S5", "PLTRST", "LED", "LED_MINUS", "PS_ON", "BUTTON")
ON_ONE_RAIL = "\n".join(
    f"rw{number} rail {wire} 1m"
    for number, wire in enumerate(
        (
            "dut_pwr_ok",
            "dut_slp_s3",
            "dut_slp_s4",
            "dut_slp_s5",
            "dut_pltrst",
            "dut_ps_on",
            "dut_rail",
            "dut_pled",
            "dut_pled_minus",
        )
    )
)
BACK_POWER = Study(
    "back-power, all wires on one rail of 1 kOhm",
    "back-power",
    Circuit(WIRED, (*SENSES[:-1], "choices", *sense.SUPPORT), sense.WITH_RAIL),
    ("rail", "output"),
    {"MORE": ON_ONE_RAIL, "OUT": "sense_slp_s4"},
    {},
    {"vcc": about(3.3, 0.03)},
    (
        Limit("rail", -1.5e-3, 1.5e-3, "1.5 mV on a rail of 1 kOhm"),
        Limit("output", -0.1, 0.1, "a dead line reads 0"),
    ),
    10,
)


def pwr_ok(powered: bool) -> Study:
    """Return the study of what both comparators take from PWR_OK."""
    return Study(
        f"PWR_OK's load, rig {'on' if powered else 'without power'}",
        "pwr-ok-load",
        sense.circuit("PWR_OK"),
        ("taken", "supply"),
        {},
        {"rigon": float(powered)},
        {"level": between(2.4, 5.0, 5.25)},
        (
            Limit("taken", -10e-6, 10e-6, "less than 10 uA from PWR_OK, of the 200 it may give"),
            Limit("supply", -0.1, 3.5, "the rig is not fed by the DUT"),
        ),
        10,
    )


WIRES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "logic": ("SLP_S4", sense.SLP_S4),
    "PWR_OK": ("PWR_OK", sense.PWR_OK_PINS),
    "button": ("BUTTON", sense.BUTTON_PINS),
}
"""The kinds of wires, as far as protection goes."""


def discharge(wire: str, kilovolts: float, jumps: bool) -> Study:
    """Return the study of a static discharge; `jumps` where it jumps over the resistor."""
    over = ", over the resistor" if jumps else ""
    sheet, pins = WIRES[wire]
    series = {f"{sheet.lower()}_r_series": 1.0} if jumps else {}
    return Study(
        f"static discharge, {wire}, {kilovolts:+g} kV{over}",
        "static-discharge",
        Circuit(WIRED, (sheet,)),
        ("nodemax", "inputpeak", "inputlow"),
        pins,
        {"kv": kilovolts, **series},
        {},
        (
            Limit("inputpeak", -INPUT_A, INPUT_A, "a quarter of a human-body discharge of 2 kV"),
            Limit("inputlow", -INPUT_A, INPUT_A, "the same out of the input"),
            Limit("nodemax", -60.0, 60.0, "the small capacitor's 50 V, for a microsecond"),
        ),
        4,
    )


def wrong(wire: str, volts: float) -> Study:
    """Return the study of a wire on a line of the wrong voltage."""
    sheet, pins = WIRES[wire]
    return Study(
        f"wrong voltage, {wire}, {volts:+g} V",
        "wrong-voltage",
        Circuit(WIRED, (sheet,)),
        ("node", "input", "seriespower", "taken", "supply"),
        {**pins, "SERIES": f"{{{sheet.lower()}_r_series}}"},
        {"wrong": volts},
        {},
        (
            Limit("input", -1e-3, 1e-3, "1 mA into a comparator's input, for good"),
            Limit("seriespower", 0.0, 0.125, "half of the series resistor's 250 mW"),
            Limit("supply", 3.2, 3.4, "the rig is not fed"),
        ),
        4,
    )


def standby(name: str, amperes: float, volts: float) -> Study:
    """Return the study of the standby supply's monitor."""
    return Study(
        f"5VSB, {name}",
        "standby",
        Circuit(WIRED, ("standby_current",)),
        ("off", "bus", "board"),
        {},
        {"amps": amperes, "level": volts},
        {},
        (
            Limit("off", -0.01 - 0.03 * amperes, 0.01 + 0.03 * amperes, "10 mA, and 3 %"),
            Limit("bus", volts - 0.1, volts, "the bus voltage is the mainboard's"),
            Limit("board", volts - 0.1, volts, "the mainboard loses less than 0.1 V"),
        ),
        10,
    )


STUDIES = (
    BACK_POWER,
    pwr_ok(True),
    pwr_ok(False),
    *(
        discharge(wire, kilovolts, jumps)
        for wire in WIRES
        for kilovolts in (8.0, -8.0)
        for jumps in (False, True)
    ),
    *(wrong(wire, volts) for wire in WIRES for volts in (12.0, -12.0, 24.0)),
    standby("nothing flows", 0.0, 5.0),
    standby("1 A", 1.0, 5.0),
    standby("3 A", 3.0, 5.25),
)
