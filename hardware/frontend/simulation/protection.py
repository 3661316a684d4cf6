"""Studies of what the front end does to a DUT, and what a wrong wire does to the front end."""

from frontend.simulation.study import Limit, Study, between

INPUT_A = 10e-3
BACK_POWER = Study(
    "back-power, eight channels on one rail of 1 kOhm",
    "back-power",
    ("rail", "output"),
    {},
    {
        "bias": between(-50e-9, 50e-9, 50e-9),
        "rfb": between(1.96e6, 2e6, 2.04e6),
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


def discharge(kilovolts: float, jumps: bool) -> Study:
    """Return the study of a static discharge; `jumps` where it jumps over the resistor."""
    name = f"static discharge, {kilovolts:+g} kV{', over the resistor' if jumps else ''}"
    return Study(
        name,
        "static-discharge",
        ("nodemax", "tvspeak", "tvspeakplus", "inputpeak"),
        {"kv": kilovolts, "rseries": 1.0 if jumps else 10e3},
        {},
        (
            Limit("inputpeak", -INPUT_A, INPUT_A, "10 mA into a comparator's input"),
            Limit(
                "tvspeakplus", -20.0, 20.0, "a discharge of 8 kV that the TVS diode is rated for"
            ),
        ),
    )


def wrong(volts: float) -> Study:
    """Return the study of a wire on a line of the wrong voltage."""
    return Study(
        f"wrong voltage, {volts:+g} V",
        "wrong-voltage",
        ("node", "input", "clamp", "seriespower", "taken"),
        {"wrong": volts},
        {},
        (
            Limit("input", -INPUT_A, INPUT_A, "10 mA into a comparator's input"),
            Limit("clamp", -10e-3, 10e-3, "the TVS diode stays cool"),
            Limit("seriespower", 0.0, 0.0625, "half of the series resistor's 125 mW"),
        ),
    )


STUDIES = (
    BACK_POWER,
    pwr_ok(True),
    pwr_ok(False),
    *(discharge(kilovolts, jumps) for kilovolts in (8.0, -8.0) for jumps in (False, True)),
    *(wrong(volts) for volts in (12.0, -12.0, 24.0)),
)
