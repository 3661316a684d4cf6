"""Studies of the sense paths: DUT's pin to MCU's pin, for each channel, level and edge.

Spreads hold over 0 to 60 degrees Celsius; those of stray capacitances and cables are estimates.
"""

from collections.abc import Mapping
from dataclasses import replace

from frontend.simulation.elements import PICO, Circuit
from frontend.simulation.spread import Spread, about, between
from frontend.simulation.study import Limit, Study

DRAWS = 24
"""A standard uncertainty from so many is known to 15 %: one part in the root of twice their
number. The bounds hang on them less, as the sum of what each tolerance does alone does not."""
WIRED = "pico-wired"
SUPPORT = ("thresholds", "level")
CHOSEN = {
    "choices/JP_SLP_S3": ("1", "2"),
    "choices/JP_LED": ("1", "2"),
    "level/JP_PGOOD": ("1", "2"),
}
"""Jumpers as they are set where a DUT has all wires: SLP_S3#, PLED+, ATX."""
OTHERS = {**CHOSEN, "choices/JP_SLP_S3": ("2", "3"), "choices/JP_LED": ("2", "3")}
"""And where PS_ON# and PLED- are watched instead."""

BENCH: Mapping[str, Spread] = {
    "cnode": between(2 * PICO, 4 * PICO, 8 * PICO),
    "cstray": between(0.5 * PICO, 1.5 * PICO, 3 * PICO),
    "cpin": between(5 * PICO, 15 * PICO, 25 * PICO),
    "ccable": between(30 * PICO, 100 * PICO, 150 * PICO),
    "vcc": about(3.3, 0.03),
    # Reference 0.2 % and 15 ppm/K, divider 0.2 %.
    "thresholderror": between(-0.005, 0.0, 0.005),
}
MICRO_SECOND = (
    Limit("rise", -0.05e-6, 1e-6, "logic sense within 1 us"),
    Limit("fall", -0.05e-6, 1e-6, "logic sense within 1 us"),
)
EDGES = ("rise", "fall", "nodemax")
NODE = Limit("nodemax", 0.0, 5.6, "the comparator's inputs stay within its rating")


def names(
    sheet: str,
    out: str,
    pin: str,
    inverts: bool = False,
    mark: str = "",
    reference: tuple[str, str] = ("th_logic", "th_0v90"),
) -> dict[str, str]:
    """Return what stands in the bench for a channel's nets and its threshold's divider."""
    up, down = ("fall", "rise") if inverts else ("rise", "fall")
    return {
        "PIN": pin,
        "NODE": f"{sheet.lower()}_node",
        "IN": f"{sheet.lower()}_{mark}in",
        "OUT": out,
        "TH": reference[0],
        "DIVIDER": reference[1],
        "UP": up,
        "DOWN": down,
        "START": "{level} 0" if inverts else "0 {level}",
    }


SLP_S3 = names("SLP_S3", "sense_slp_s3", "dut_slp_s3")
SLP_S4 = names("SLP_S4", "sense_slp_s4", "dut_slp_s4")
SLP_S5 = names("SLP_S5", "sense_slp_s5", "dut_slp_s5")
PLTRST = names("PLTRST", "sense_pltrst", "dut_pltrst")
OWN, ATX, LOW = ("th_0v90", "th_0v90"), ("th_pgood", "th_2v40"), ("th_0v81", "th_0v81")
LED_PINS = names("LED", "sense_led", "dut_pled", reference=OWN)
PWR_OK_PINS = names("PWR_OK", "sense_pwr_ok", "dut_pwr_ok", mark="high_", reference=ATX)
PWR_OK_LOW = names("PWR_OK", "sense_pwr_ok_low", "dut_pwr_ok", mark="low_", reference=LOW)
PS_ON_PINS = names("PS_ON", "sense_slp_s3", "dut_ps_on", inverts=True, reference=OWN)
LED_MINUS_PINS = names("LED_MINUS", "sense_led", "dut_pled_minus", inverts=True, reference=OWN)
BUTTON_PINS = names("BUTTON", "sense_button", "dut_pwrbtn", reference=LOW)


def circuit(
    sheet: str, jumpers: Mapping[str, tuple[str, str]] = CHOSEN, support: bool = True
) -> Circuit:
    """Return a channel's part of the circuit, with what makes its threshold or without."""
    sheets: tuple[str, ...] = (sheet,)
    if sheet in ("SLP_S3", "LED", "PS_ON", "LED_MINUS"):
        sheets += ("choices",)
    if support:
        return Circuit(WIRED, sheets + SUPPORT, jumpers)
    return Circuit(WIRED, sheets, jumpers, ("thresholds",))


def logic(
    name: str,
    pins: Mapping[str, str],
    sheet: str = "SLP_S4",
    level: float = 3.3,
    bound: float = 0.1e-6,
    draws: int = DRAWS,
    **fixed: float,
) -> Study:
    """Return the study of a logic level, in volts, with fast edges; the bound in seconds."""
    return Study(
        name,
        "sense",
        circuit(sheet, support=False),
        EDGES,
        pins,
        {"level": level, **fixed},
        BENCH,
        (*MICRO_SECOND, NODE),
        draws,
        {"rise": bound, "fall": bound},
    )


def slope(ramp_s: float) -> Study:
    """Return the study of PWR_OK with a ramp from 0 to 5 V, at its first comparator (2.4 V)."""
    flat_s = max(20e-6, ramp_s / 4)
    spreads = (
        BENCH if ramp_s <= 100e-6 else {name: BENCH[name] for name in ("vcc", "thresholderror")}
    )
    return Study(
        f"pwr-ok, ramp {ramp_s * 1e6:g} us",
        "sense",
        circuit("PWR_OK", support=False),
        EDGES,
        PWR_OK_PINS,
        {"level": 5.0, "vnom": 2.4, "rsource": 1e3, "tedge": ramp_s, "tflat": flat_s},
        spreads,
        (NODE,) if ramp_s > 2e-6 else (*MICRO_SECOND, NODE),
        DRAWS,
    )


LOGIC_3V3 = logic("logic, 3.3 V", SLP_S4)
LOGIC_1V8 = logic("logic, 1.8 V", SLP_S4, level=1.8)
OPEN_DRAIN = logic("open drain, 10 kOhm to 3.3 V", SLP_S4, bound=0.5e-6, rsource=10e3)
CHANNELS = tuple(
    logic(f"{sheet}, 3.3 V", pins, sheet, draws=0)
    for sheet, pins in (("SLP_S3", SLP_S3), ("SLP_S5", SLP_S5), ("PLTRST", PLTRST))
)
"""The other channels of the same kind: nominal, so that a wrong part of theirs is noticed."""
LED = replace(
    logic("power LED, 5 V", LED_PINS, "LED", 5.0, bound=0.2e-6, rsource=330.0),
    limits=(
        *(Limit(edge, -0.05e-6, 0.5e-6, "by C_FAST, not by R_IN alone") for edge in EDGES[:2]),
        NODE,
    ),
)


def inverted(name: str, sheet: str, pins: Mapping[str, str], rsource: float) -> Study:
    """Return the study of a channel whose comparator inverts."""
    return Study(
        name,
        "sense",
        circuit(sheet, OTHERS, support=False),
        EDGES,
        pins,
        {"level": 5.0, "rsource": rsource},
        BENCH,
        (*MICRO_SECOND, NODE),
        DRAWS,
    )


PS_ON = inverted("PS_ON#, 1 kOhm to 5 V", "PS_ON", PS_ON_PINS, 1e3)
LED_MINUS = inverted("power LED, cathode", "LED_MINUS", LED_MINUS_PINS, 330.0)
RAMPS_S = (1e-6, 100e-6, 1e-3, 10e-3)
SLOPES = tuple(slope(ramp_s) for ramp_s in RAMPS_S)
LOW_COMPARATOR = Study(
    "pwr-ok, second comparator, ramp 1000 us",
    "sense",
    circuit("PWR_OK", support=False),
    EDGES,
    PWR_OK_LOW,
    {"level": 5.0, "vnom": 0.8, "rsource": 1e3, "tedge": 1e-3, "tflat": 250e-6},
    {name: BENCH[name] for name in ("vcc", "thresholderror")},
    (NODE,),
    DRAWS,
)


def threshold(
    name: str,
    sheet: str,
    pins: Mapping[str, str],
    middle_v: float,
    level: float = 3.3,
    jumpers: Mapping[str, tuple[str, str]] = CHOSEN,
    more: str = "",
    reads: int = 0,
) -> Study:
    """Return the study of where a channel switches: its middle, and the hysteresis about it.

    Args:
        name: of the study.
        sheet: the channel's function.
        pins: its nets.
        middle_v: where it is to switch.
        level: the wire's high level.
        jumpers: how they are set.
        more: lines of the bench.
        reads: what an open wire reads, 0 or 1.
    """
    # 2 % of bleeder, 0.5 % of reference and divider, 1 % of resistors; half of 34 mV; the offset.
    off = 0.04 * middle_v + 0.022
    return Study(
        f"threshold of {name}",
        "threshold",
        circuit(sheet, jumpers),
        ("up", "down", "width", "open"),
        {**pins, "MORE": more, "WIDTH": ".meas tran width param='up-down'"},
        {"level": level},
        {"vcc": BENCH["vcc"]},
        (
            Limit("up", middle_v, middle_v + off + 0.015, "switches above its threshold"),
            Limit("down", middle_v - off, middle_v + off, "and back below that"),
            Limit("width", 0.01, 0.06, "hysteresis"),
            Limit("open", 3.0 * reads - 0.1, 3.5 * reads + 0.1, "what a low wire reads"),
        ),
        8,
    )


RAIL = "vrail dut_rail 0 1.8"
WITH_RAIL = {**CHOSEN, "level/JP_LEVEL": ("1", "2")}
THRESHOLDS = (
    threshold("SLP_S3", "SLP_S3", SLP_S3, 0.9),
    threshold("SLP_S4", "SLP_S4", SLP_S4, 0.9),
    threshold("SLP_S5", "SLP_S5", SLP_S5, 0.9),
    threshold("PLTRST", "PLTRST", PLTRST, 0.9),
    threshold("LED", "LED", LED_PINS, 0.9, 5.0),
    threshold("PS_ON", "PS_ON", PS_ON_PINS, 0.9, 5.0, OTHERS, reads=1),
    threshold("LED_MINUS", "LED_MINUS", LED_MINUS_PINS, 0.9, 5.0, OTHERS, reads=1),
    threshold("PWR_OK, ATX", "PWR_OK", PWR_OK_PINS, 2.4, 5.0),
    threshold("PWR_OK, no jumper", "PWR_OK", PWR_OK_PINS, 0.9, 1.8, {}),
    threshold("PWR_OK, second comparator", "PWR_OK", PWR_OK_LOW, 0.808, 5.0),
    threshold("BUTTON", "BUTTON", BUTTON_PINS, 0.808),
    threshold("SLP_S4, half of a rail of 1.8 V", "SLP_S4", SLP_S4, 0.9, 1.8, WITH_RAIL, RAIL),
    threshold(
        "SLP_S4, half of a rail of 1.05 V",
        "SLP_S4",
        SLP_S4,
        0.558,
        1.05,
        WITH_RAIL,
        RAIL.replace("1.8", "1.05"),
    ),
)
STUDIES = (
    LOGIC_3V3,
    LOGIC_1V8,
    OPEN_DRAIN,
    *CHANNELS,
    LED,
    PS_ON,
    LED_MINUS,
    *SLOPES,
    LOW_COMPARATOR,
    *THRESHOLDS,
)
