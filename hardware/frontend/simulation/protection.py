"""Studies of what the front end does to a DUT, and what a wrong wire does to the front end."""

from collections.abc import Mapping

from frontend.simulation.sense import CELSIUS
from frontend.simulation.study import Limit, Study, between

INPUT_A = 10e-3
BACK_POWER = Study(
    "back-power, eight channels on one rail of 1 kOhm",
    "back-power",
    ("rail", "output"),
    {},
    {
        "bias": between(-50e-9, 50e-9, 50e-9),
        "celsius": CELSIUS,
        "rfb": between(0.98e6, 1e6, 1.02e6),
        "vnom": between(0.5, 1.65, 2.4),
    },
    (
        Limit("rail", -1e-3, 1e-3, "less than 1 mV on a rail of 1 kOhm"),
        Limit("output", -0.1, 0.1, "a dead line reads 0"),
    ),
    20,
)


def pwr_ok(powered: bool) -> Study:
    """Return the study of what both comparators take from PWR_OK."""
    return Study(
        f"PWR_OK's load, rig {'on' if powered else 'without power'}",
        "pwr-ok-load",
        ("taken", "supply"),
        {"rigon": float(powered)},
        {
            "celsius": CELSIUS,
            "level": between(2.4, 5.0, 5.25),
            "rbleed": between(463e3, 470e3, 477e3),
            "rfb": between(1.96e6, 2e6, 2.04e6),
            "bias": between(-50e-9, 5e-12, 50e-9),
        },
        (
            Limit("taken", -50e-6, 50e-6, "less than 50 uA from PWR_OK"),
            Limit("supply", -0.1, 3.5, "the rig is not fed by the DUT"),
        ),
        20,
    )


WIRES: Mapping[str, Mapping[str, float]] = {
    "logic": {"rseries": 3.9e3, "rin": 2.2e3},
    "button": {"rseries": 10e3, "rin": 100e3, "rbleed": 1e12, "second": 1e9},
}
"""What differs between the kinds of wires, as far as protection goes."""


def discharge(wire: str, kilovolts: float, jumps: bool) -> Study:
    """Return the study of a static discharge; `jumps` where it jumps over the resistor."""
    over = ", over the resistor" if jumps else ""
    return Study(
        f"static discharge, {wire}, {kilovolts:+g} kV{over}",
        "static-discharge",
        ("nodemax", "tvspeak", "tvspeakplus", "inputpeak", "inputlow"),
        {**WIRES[wire], "kv": kilovolts, **({"rseries": 1.0} if jumps else {})},
        {"celsius": CELSIUS, "cnode": between(3e-12, 6e-12, 9e-12)},
        (
            Limit("inputpeak", -INPUT_A, INPUT_A, "10 mA into a comparator's input"),
            Limit("inputlow", -INPUT_A, INPUT_A, "10 mA out of a comparator's input"),
            Limit("tvspeak", -20.0, 20.0, "the same of the other polarity"),
            Limit(
                "tvspeakplus", -20.0, 20.0, "a discharge of 8 kV that the TVS diode is rated for"
            ),
        ),
        5,
    )


def wrong(wire: str, volts: float) -> Study:
    """Return the study of a wire on a line of the wrong voltage."""
    rseries = WIRES[wire]["rseries"]
    return Study(
        f"wrong voltage, {wire}, {volts:+g} V",
        "wrong-voltage",
        ("node", "input", "clamp", "seriespower", "taken"),
        {**WIRES[wire], "wrong": volts},
        {"celsius": CELSIUS, "rseries": between(0.9865 * rseries, rseries, 1.0135 * rseries)},
        (
            Limit("input", -INPUT_A, INPUT_A, "10 mA into a comparator's input"),
            Limit("clamp", -10e-3, 10e-3, "the TVS diode stays cool"),
            Limit("seriespower", 0.0, 0.125, "half of the series resistor's 250 mW"),
        ),
        5,
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
)
