"""Finger: a push solenoid presses a key that has no wires; a contact in its tip tells when.

Three FETs in series carry its current: by command, by the dead-man, and by a hold limit like that
of the wired button. Its spring lifts it without power.
"""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import C10U, CLAMP, COIL_FET, LOW_LEAK, R1, header
from frontend.circuit.comparison import Comparison

SHEET = "finger"


def finger(board: Board) -> Comparison:
    """Place the solenoid's switches and the tip's contact, which takes the place of BUTTON's."""
    place = board.place
    place(SHEET, "R_G1", R1, {"1": "DRIVE_BUTTON", "2": "FINGER_G1"}, "1k", 3.4)
    place(SHEET, "R_PD1", R1, {"1": "FINGER_G1", "2": "GND"}, "100k", 3.4)
    place(SHEET, "R_HOLD_IN", R1, {"1": "DRIVE_BUTTON", "2": "FINGER_HOLD"}, "1k", 3.4)
    place(SHEET, "C_HOLD", C10U, {"1": "FINGER_HOLD", "2": "FINGER_G3"}, "10u", 3.4)
    place(SHEET, "R_HOLD", R1, {"1": "FINGER_G3", "2": "GND"}, "2.7M", 3.4)
    place(SHEET, "D_HOLD", LOW_LEAK, {"A": "GND", "K": "FINGER_G3"}, volts=3.4, amperes=0.004)
    chain = (
        ("Q1", "FINGER_G1", "FINGER_LOW", "FINGER_M1"),
        ("Q3", "FINGER_G3", "FINGER_M1", "FINGER_M2"),
        ("Q2", "ARMED", "FINGER_M2", "GND"),
    )
    for tag, gate, drain, source in chain:
        pins = {"G": gate, "D": drain, "S": source}
        place(SHEET, tag, COIL_FET, pins, volts=42.0, amperes=0.61)
        # A clamp over each FET: a single one to ground, shorted, would press for ever.
        clamp = {"K": drain, "A": source}
        place(SHEET, f"D_{tag}", CLAMP, clamp, volts=42.0, amperes=0.61)
    place(SHEET, "J_COIL", header(2), {"1": "+12V", "2": "FINGER_LOW"}, "COIL", 42.0, 0.61)
    place(SHEET, "J_TIP", header(2), {"1": "FINGER_TIP", "2": "GND"}, "TIP", 3.4, 0.001)
    place(SHEET, "R_PU", R1, {"1": "+3V3", "2": "FINGER_TIP"}, "10k", 3.4)
    place(SHEET, "R_IN", R1, {"1": "FINGER_TIP", "2": "FINGER_IN"}, "10k", 3.4)
    place(SHEET, "R_FEEDBACK", R1, {"1": "SENSE_BUTTON", "2": "FINGER_IN"}, "2M", 3.4)
    return Comparison("FINGER_IN", "TH_0V80", "SENSE_BUTTON")
