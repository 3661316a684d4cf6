"""Power button: two photoMOS in series across the front-panel header.

The first one is lit while the command is high and the dead-man is armed. The second one is lit
from the command's edge on, through a capacitor, and goes dark by itself: that is the hold limit.
It comes before the 4 s after which a PC is forced off. A jumper makes it longer, for whoever wants
just that. So no single part that fails closes the contact for longer than the hold limit.
"""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import C2U2, C22U, FET, LOW_LEAK, PHOTOMOS, R1, header

SHEET = "power_button"


def hold_limit(board: Board, sheet: str, name: str) -> str:
    """Place the capacitor that keeps a gate up for a while, and return that gate's net."""
    drive, gate = f"{name}_HOLD", f"{name}_G3"
    place = board.place
    place(sheet, "R_HOLD_IN", R1, {"1": "DRIVE_BUTTON", "2": drive}, "1k", 3.4)
    place(sheet, "C_HOLD", C2U2, {"1": drive, "2": gate}, "2.2u", 3.4)
    place(sheet, "R_HOLD", R1, {"1": gate, "2": "GND"}, "1M", 3.4)
    place(sheet, "D_HOLD", LOW_LEAK, {"A": "GND", "K": gate}, volts=3.4, amperes=0.004)
    long = f"{name}_LONG"
    place(sheet, "C_LONG", C22U, {"1": drive, "2": long}, "22u", 3.4)
    place(sheet, "JP_FORCE", header(2), {"1": long, "2": gate}, "FORCE OFF", 3.4, 0.001)
    return gate


def power_button(board: Board) -> None:
    """Place both contacts and what lights them."""
    place = board.place
    place(SHEET, "R_G1", R1, {"1": "DRIVE_BUTTON", "2": "BUTTON_G1"}, "1k", 3.4)
    place(SHEET, "R_PD1", R1, {"1": "BUTTON_G1", "2": "GND"}, "100k", 3.4)
    first = {"G": "BUTTON_G1", "D": "BUTTON_K1", "S": "BUTTON_M1"}
    place(SHEET, "Q1", FET, first, volts=3.4, amperes=0.011)
    guard = {"G": "ARMED", "D": "BUTTON_M1", "S": "GND"}
    place(SHEET, "Q2", FET, guard, volts=3.4, amperes=0.011)
    place(SHEET, "R_LED1", R1, {"1": "+3V3", "2": "BUTTON_A1"}, "220", 2.4, 0.011)
    pins = {"A": "BUTTON_A1", "K": "BUTTON_K1", "O1": "DUT_PWRBTN", "O2": "BUTTON_MID"}
    place(SHEET, "K1", PHOTOMOS, pins, volts=5.3, amperes=0.011)
    gate = hold_limit(board, SHEET, "BUTTON")
    third = {"G": gate, "D": "BUTTON_K2", "S": "GND"}
    place(SHEET, "Q3", FET, third, volts=3.4, amperes=0.011)
    place(SHEET, "R_LED2", R1, {"1": "+3V3", "2": "BUTTON_A2"}, "220", 2.4, 0.011)
    pins = {"A": "BUTTON_A2", "K": "BUTTON_K2", "O1": "BUTTON_MID", "O2": "DUT_PWRBTN_GND"}
    place(SHEET, "K2", PHOTOMOS, pins, volts=5.3, amperes=0.011)
