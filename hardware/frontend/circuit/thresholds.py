"""The reference and the thresholds that are divided from it."""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import C16, R01, REFERENCE, header

SHEET = "thresholds"
DIVIDERS = {
    "TH_2V40": ("412", "10k"),
    "TH_1V65": ("6.2k", "12k"),
    "TH_0V90": ("17.8k", "10k"),
    "TH_0V81": ("10.7k", "5.11k"),
    "TH_0V80": ("17.4k", "8.2k"),
}
"""Upper and lower resistor of each; they give 2.401, 1.648, 0.899, 0.808 and 0.801 V from 2.5 V."""


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


def level_jumper(board: Board) -> None:
    """Place the jumper that takes 1.65 V, or 0.9 V for a level of 1.8 V, to the logic channels."""
    pins = {"1": "TH_1V65", "2": "TH_LOGIC", "3": "TH_0V90"}
    board.place(SHEET, "JP_LEVEL", header(3), pins, "LEVEL", 2.5, 0.001)
