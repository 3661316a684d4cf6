"""Finger: a push solenoid presses a key that has no wires; a contact in its tip tells when.

Its lower end is switched by command and dead-man, its upper end by a hold limit like that of the
wired button. Its spring lifts it without power.
"""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import R1, plug_socket
from frontend.circuit.coil_drive import (
    coil,
    gate_resistors,
    lower_switch,
    small_fet,
    upper_switch,
)
from frontend.circuit.comparison import Comparison
from frontend.circuit.off_board import SOLENOID, TIP
from frontend.circuit.power_button import hold_limit

SHEET = "finger"


def finger(board: Board) -> Comparison:
    """Place the solenoid's switches and the tip's contact, which takes the place of BUTTON's."""
    place = board.place
    command = gate_resistors(board, SHEET, "FINGER", "DRIVE_BUTTON")
    lower_switch(board, SHEET, "Q1", command, "FINGER_LOW", "FINGER_M1")
    lower_switch(board, SHEET, "Q2", "ARMED", "FINGER_M1", "GND")
    held = hold_limit(board, SHEET, "FINGER")
    small_fet(board, SHEET, "Q3", held, "FINGER_PULL", "GND")
    upper_switch(board, SHEET, "FINGER", "FINGER_PULL")
    coil(board, SHEET, "FINGER", SOLENOID, "16")
    tip = {"1": "FINGER_TIP", "2": "GND"}
    place(SHEET, "J_TIP", plug_socket(3), tip, "TIP", 3.4, 0.001)
    place(SHEET, "S1", TIP, tip, volts=3.4, amperes=0.001, where="finger")
    place(SHEET, "R_PU", R1, {"1": "+3V3", "2": "FINGER_TIP"}, "10k", 3.4)
    place(SHEET, "R_INPUT", R1, {"1": "FINGER_TIP", "2": "FINGER_IN"}, "10k", 3.4)
    place(SHEET, "R_FEEDBACK", R1, {"1": "SENSE_BUTTON", "2": "FINGER_IN"}, "2M", 3.4)
    return Comparison("FINGER_IN", "TH_0V81", "SENSE_BUTTON")
