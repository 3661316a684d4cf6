"""The reference, the thresholds that are divided from it, and the one from the DUT's own rail."""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import C16, R01, R1, R1206, REFERENCE, header

SHEET, LEVEL = "thresholds", "level"
DIVIDERS = {
    "TH_2V40": ("649", "10k"),
    "TH_0V90": ("17.8k", "10k"),
    "TH_0V81": ("10.7k", "5.11k"),
}
"""Upper and lower resistor of each; they give 2.348, 0.899 and 0.808 V from 2.5 V. At the
wire it is 2 % more, by what the bleeders take: 2.400 V, as ATX has it."""


def thresholds(board: Board) -> None:
    """Place the reference (2.5 V, 0.2 %, 15 ppm/K) and one divider for each threshold."""
    pins = {"IN": "+3V3", "OUT": "VREF", "GND": "GND"}
    board.place(SHEET, "REF", REFERENCE, pins, volts=3.4, amperes=0.002)
    board.place(SHEET, "C_IN", C16, {"1": "+3V3", "2": "GND"}, "100n", 3.4)
    board.place(SHEET, "C_REF", C16, {"1": "VREF", "2": "GND"}, "100n", 2.5)
    for net, (upper, lower) in DIVIDERS.items():
        board.place(SHEET, f"{net}_U", R01, {"1": "VREF", "2": net}, upper, 2.5)
        board.place(SHEET, f"{net}_L", R01, {"1": net, "2": "GND"}, lower, 2.5)
        board.place(SHEET, f"{net}_C", C16, {"1": net, "2": "GND"}, "100n", 2.5)


def level(board: Board) -> None:
    """Place what sets the logic channels' threshold, and the way to read it back.

    0.9 V without a jumper: that is half of 1.8 V and well within 3.3 V. With `JP_LEVEL` it is half
    of the rail that the DUT's cable brings. `JP_PGOOD` sets PWR_OK's: 2.4 V, or that of logic;
    0.9 V without a jumper.
    """
    place = board.place
    place(LEVEL, "R_RAIL", R1206, {"1": "DUT_RAIL", "2": "RAIL_HALF"}, "100k", 24.0)
    place(LEVEL, "R_RAIL_L", R1, {"1": "RAIL_HALF", "2": "GND"}, "100k", 5.3)
    place(LEVEL, "C_RAIL", C16, {"1": "RAIL_HALF", "2": "GND"}, "100n", 5.3)
    place(LEVEL, "JP_LEVEL", header(2), {"1": "RAIL_HALF", "2": "TH_LOGIC"}, "RAIL", 5.3, 0.001)
    place(LEVEL, "R_LEVEL", R1, {"1": "TH_0V90", "2": "TH_LOGIC"}, "470k", 2.5)
    place(LEVEL, "C_LEVEL", C16, {"1": "TH_LOGIC", "2": "GND"}, "100n", 2.5)
    place(LEVEL, "R_READ", R1, {"1": "TH_LOGIC", "2": "SENSE_LEVEL"}, "100k", 2.5)
    good = {"1": "TH_2V40", "2": "TH_PGOOD", "3": "TH_LOGIC"}
    place(LEVEL, "JP_PGOOD", header(3), good, "ATX or LOGIC", 2.5, 0.001)
    place(LEVEL, "R_PGOOD", R1, {"1": "TH_0V90", "2": "TH_PGOOD"}, "470k", 2.5)
    place(LEVEL, "C_PGOOD", C16, {"1": "TH_PGOOD", "2": "GND"}, "100n", 2.5)
