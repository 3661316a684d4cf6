"""Studies of the sense paths: DUT's pin to MCU's pin, for each level and edge.

Spreads hold over 0 to 60 degrees Celsius. Those of the comparator, the TVS diode and the stray
capacitance are estimates; `docs/reference/front-end.md` says which figures nobody has read in a
data sheet.
"""

from collections.abc import Mapping

from frontend.simulation.study import Limit, Spread, Study, about, between

PICO = 1e-12
CELSIUS = between(0.0, 27.0, 60.0)
"""What the decks themselves make of temperature: diodes and FETs."""
DRAWS = 40

PARTS: Mapping[str, Spread] = {
    "celsius": CELSIUS,
    "rseries": about(3.9e3, 0.0135),  # 1 %, and 100 ppm/K over 35 K
    "rfb": about(1e6, 0.0135),
    "rbleed": about(470e3, 0.0135),
    "cnode": between(3 * PICO, 6 * PICO, 9 * PICO),  # stray of a hand-wired board
    "ctvs": between(2.2 * PICO, 2.9 * PICO, 3.6 * PICO),
    "cin": between(1 * PICO, 2 * PICO, 4 * PICO),
    "cpin": between(5 * PICO, 15 * PICO, 25 * PICO),
    "ccable": between(30 * PICO, 100 * PICO, 150 * PICO),
    "thresholderror": between(-0.005, 0.0, 0.005),  # reference 0.2 % and 15 ppm/K, divider 0.2 %
    "vos": between(-3e-3, 0.0, 3e-3),
    "slow": between(0.7, 1.0, 1.35),
    "vcc": about(3.3, 0.03),
}
POWER_GOOD = {**PARTS, "rseries": about(10e3, 0.0135), "rfb": about(2e6, 0.0135)}
MICRO_SECOND = (
    Limit("rise", 0.0, 1e-6, "logic sense within 1 us"),
    Limit("fall", 0.0, 1e-6, "logic sense within 1 us"),
)
EDGES = ("rise", "fall", "nodemax")
NODE = Limit("nodemax", 0.0, 5.5, "the comparator's inputs stay within its rating")


def logic(name: str, level: float, threshold: float, bound: float, **fixed: float) -> Study:
    """Return the study of a logic level, in volts, with fast edges; the bound in seconds."""
    return Study(
        name,
        "logic-sense",
        EDGES,
        {"level": level, "vnom": threshold, **fixed},
        PARTS,
        (*MICRO_SECOND, NODE),
        DRAWS,
        {"rise": bound, "fall": bound},
    )


def slope(ramp_s: float) -> Study:
    """Return the study of PWR_OK with a ramp from 0 to 5 V, at its first comparator (2.4 V)."""
    flat_s = max(20e-6, ramp_s / 4)
    return Study(
        f"pwr-ok, ramp {ramp_s * 1e6:g} us",
        "logic-sense",
        EDGES,
        {"level": 5.0, "vnom": 2.4, "rsource": 1e3, "tedge": ramp_s, "tflat": flat_s},
        POWER_GOOD,
        (NODE,) if ramp_s > 2e-6 else (*MICRO_SECOND, NODE),
        DRAWS,
    )


LOGIC_3V3 = logic("logic, 3.3 V", 3.3, 1.65, 0.1e-6)
LOGIC_1V8 = logic("logic, 1.8 V", 1.8, 0.9, 0.1e-6)
OPEN_DRAIN = logic("open drain, 10 kOhm to 3.3 V", 3.3, 1.65, 0.1e-6, rsource=10e3)
LED = Study(
    "power LED, 5 V",
    "logic-sense",
    EDGES,
    {"level": 5.0, "vnom": 1.65, "rsource": 330.0},
    {**PARTS, "rseries": about(47e3, 0.0135), "rfb": about(10e6, 0.06)},
    (
        Limit("rise", 0.0, 1.2e-6, "what the board states"),
        Limit("fall", 0.0, 1.2e-6, "what the board states"),
        NODE,
    ),
    DRAWS,
)


def inverted(name: str, fixed: Mapping[str, float], spreads: Mapping[str, Spread]) -> Study:
    """Return the study of a channel whose comparator inverts."""
    return Study(name, "inverted-sense", EDGES, fixed, spreads, (*MICRO_SECOND, NODE), DRAWS)


PS_ON = inverted("PS_ON#, 1 kOhm to 5 V", {}, {**POWER_GOOD, "rth": about(10e3, 0.0135)})
LED_MINUS = inverted(
    "power LED, cathode",
    {"rsource": 330.0},
    {**PS_ON.spreads, "rseries": about(47e3, 0.0135)},
)
RAMPS_S = (1e-6, 100e-6, 1e-3, 10e-3)
SLOPES = tuple(slope(ramp_s) for ramp_s in RAMPS_S)
LOW_COMPARATOR = Study(
    "pwr-ok, second comparator, ramp 1000 us",
    "logic-sense",
    EDGES,
    {"level": 5.0, "vnom": 0.8, "rsource": 1e3, "tedge": 1e-3, "tflat": 250e-6},
    POWER_GOOD,
    (NODE,),
    DRAWS,
)
STUDIES = (LOGIC_3V3, LOGIC_1V8, OPEN_DRAIN, LED, PS_ON, LED_MINUS, *SLOPES, LOW_COMPARATOR)
