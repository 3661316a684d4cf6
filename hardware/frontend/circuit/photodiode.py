"""Photodiode in its hood: amplifier of two gains for the converter, comparator for first light."""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import (
    AMPLIFIER,
    C16,
    CNP0,
    PHOTODIODE,
    R1,
    TRIMMER,
    header,
    plug_socket,
)
from frontend.circuit.comparison import Comparison

SHEET = "photodiode"


def photodiode(board: Board) -> Comparison:
    """Place the amplifier; a jumper takes the first or the second gain to SENSE_LIGHT.

    The second gain has a pin of its own, too, which the firmware does not read yet.
    """
    place = board.place
    # On a shielded cable of 0.5 m at most: the shield is ground.
    cable = {"1": "LIGHT_SUM", "2": "LIGHT_ZERO", "3": "GND"}
    place(SHEET, "J_HOOD", plug_socket(3), cable, "HOOD", 0.2, 0.001)
    diode = {"K": "LIGHT_SUM", "A": "LIGHT_ZERO"}
    place(SHEET, "D1", PHOTODIODE, diode, volts=0.1, where="hood")
    place(SHEET, "R_F", R1, {"1": "LIGHT_SUM", "2": "LIGHT_OUT"}, "150k", 3.4)
    place(SHEET, "C_F", CNP0, {"1": "LIGHT_SUM", "2": "LIGHT_OUT"}, "22p", 3.4)
    place(SHEET, "R_ZERO_U", R1, {"1": "VREF", "2": "LIGHT_REF"}, "24k", 2.5)
    place(SHEET, "R_ZERO_L", R1, {"1": "LIGHT_REF", "2": "GND"}, "1k", 2.5)
    place(SHEET, "C_ZERO", C16, {"1": "LIGHT_REF", "2": "GND"}, "100n", 2.5)
    # The diode's and the second gain's current flow into LIGHT_ZERO: an amplifier holds it.
    pins = {
        "VDD": "+3V3", "VSS": "GND", "INA+": "LIGHT_ZERO", "INA-": "LIGHT_SUM",
        "OUTA": "LIGHT_OUT", "INB+": "LIGHT_OUT", "INB-": "LIGHT_BACK", "OUTB": "LIGHT_FINE_OUT",
        "INC+": "LIGHT_REF", "INC-": "LIGHT_ZERO", "OUTC": "LIGHT_ZERO",
        "IND+": "LIGHT_REF", "IND-": "LIGHT_SPARE", "OUTD": "LIGHT_SPARE",
    }  # fmt: skip
    place(SHEET, "U1", AMPLIFIER, pins, volts=3.4, amperes=0.006)
    place(SHEET, "C_SUPPLY", C16, {"1": "+3V3", "2": "GND"}, "100n", 3.4)
    place(SHEET, "R_BACK", R1, {"1": "LIGHT_ZERO", "2": "LIGHT_BACK"}, "1k", 3.4)
    place(SHEET, "R_GAIN", R1, {"1": "LIGHT_BACK", "2": "LIGHT_FINE_OUT"}, "21k", 3.4)
    place(SHEET, "C_GAIN", CNP0, {"1": "LIGHT_BACK", "2": "LIGHT_FINE_OUT"}, "47p", 3.4)
    gains = (
        ("FIRST", "LIGHT_FIRST", "LIGHT_OUT"),
        ("SECOND", "SENSE_LIGHT_FINE", "LIGHT_FINE_OUT"),
    )
    for gain, net, out in gains:
        place(SHEET, f"R_{gain}", R1, {"1": out, "2": net}, "1k", 3.4)
        place(SHEET, f"C_{gain}", CNP0, {"1": net, "2": "GND"}, "1n", 3.4)
    jumper = {"1": "LIGHT_FIRST", "2": "SENSE_LIGHT", "3": "SENSE_LIGHT_FINE"}
    place(SHEET, "JP_GAIN", header(3), jumper, "GAIN", 3.4, 0.001)
    place(SHEET, "R_TRIM_U", R1, {"1": "VREF", "2": "LIGHT_TRIM"}, "10k", 2.5)
    trim = {"1": "LIGHT_TRIM", "2": "LIGHT_THRESHOLD", "3": "LIGHT_ZERO"}
    place(SHEET, "RV1", TRIMMER, trim, "10k", 2.5, 0.001)
    place(SHEET, "C_TRIM", C16, {"1": "LIGHT_THRESHOLD", "2": "GND"}, "100n", 2.5)
    place(SHEET, "R_CMP", R1, {"1": "LIGHT_OUT", "2": "LIGHT_CMP"}, "10k", 3.4)
    place(SHEET, "R_HYST", R1, {"1": "SENSE_BACKLIGHT", "2": "LIGHT_CMP"}, "2M", 3.4)
    return Comparison("LIGHT_CMP", "LIGHT_THRESHOLD", "SENSE_BACKLIGHT")
