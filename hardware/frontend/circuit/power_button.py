"""Power button: two photoMOS in series across the front-panel header.

The first one is lit while the command is high and the dead-man is armed. The second one is lit
from the command's edge on, through a capacitor, and goes dark by itself: that is the hold limit.
So no single part that fails closes the contact for longer than the hold limit.
"""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import C10U, FET, LOW_LEAK, PHOTOMOS, R1

SHEET = "power_button"


def power_button(board: Board) -> None:
    """Place both contacts and what lights them."""
    place = board.place
    place(SHEET, "R_G1", R1, {"1": "DRIVE_BUTTON", "2": "BUTTON_G1"}, "1k", 3.4)
    place(SHEET, "R_PD1", R1, {"1": "BUTTON_G1", "2": "GND"}, "100k", 3.4)
    first = {"G": "BUTTON_G1", "D": "BUTTON_K1", "S": "BUTTON_M1"}
    place(SHEET, "Q1", FET, first, volts=3.4, amperes=0.014)
    guard = {"G": "ARMED", "D": "BUTTON_M1", "S": "GND"}
    place(SHEET, "Q2", FET, guard, volts=3.4, amperes=0.014)
    place(SHEET, "R_LED1", R1, {"1": "+3V3", "2": "BUTTON_A1"}, "150", 2.2, 0.014)
    pins = {"A": "BUTTON_A1", "K": "BUTTON_K1", "O1": "DUT_PWRBTN", "O2": "BUTTON_MID"}
    place(SHEET, "K1", PHOTOMOS, pins, volts=5.3, amperes=0.014)
    place(SHEET, "R_HOLD_IN", R1, {"1": "DRIVE_BUTTON", "2": "BUTTON_HOLD"}, "1k", 3.4)
    place(SHEET, "C_HOLD", C10U, {"1": "BUTTON_HOLD", "2": "BUTTON_G3"}, "10u", 3.4)
    place(SHEET, "R_HOLD", R1, {"1": "BUTTON_G3", "2": "GND"}, "2.7M", 3.4)
    place(SHEET, "D_HOLD", LOW_LEAK, {"A": "GND", "K": "BUTTON_G3"}, volts=3.4, amperes=0.004)
    third = {"G": "BUTTON_G3", "D": "BUTTON_K2", "S": "GND"}
    place(SHEET, "Q3", FET, third, volts=3.4, amperes=0.014)
    place(SHEET, "R_LED2", R1, {"1": "+3V3", "2": "BUTTON_A2"}, "150", 2.2, 0.014)
    pins = {"A": "BUTTON_A2", "K": "BUTTON_K2", "O1": "BUTTON_MID", "O2": "DUT_PWRBTN_GND"}
    place(SHEET, "K2", PHOTOMOS, pins, volts=5.3, amperes=0.014)
