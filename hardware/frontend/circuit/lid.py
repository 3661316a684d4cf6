"""Lid: an electromagnet over the DUT's hall sensor with a fast clamp, or a servo with a magnet.

A hall switch beside the magnet is the time stamp. The electromagnet lets go without a heartbeat
and without power; the servo goes back without a heartbeat, and stays where it is without power.
"""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import (
    C16,
    FET,
    HALL,
    PHOTOMOS,
    R1,
    SCHOTTKY,
    TIMER,
    plug_socket,
)
from frontend.circuit.coil_drive import (
    coil,
    gate_resistors,
    lower_switch,
    small_fet,
    upper_switch,
)
from frontend.circuit.off_board import COIL, MAGNET, SERVO, SERVO_ADAPTER

COIL_SHEET, SERVO_SHEET, PILOT = "lid_magnet", "lid_servo", "lid_pilot"


def lid_magnet(board: Board) -> None:
    """Place the coil's switches: the upper one by command and dead-man, the lower one by command.

    The heart always beats, so a coil wire at ground must find the upper switch open as well.
    Each switch has gate resistors of its own: a lower FET that shorts from drain to gate would
    else hold the upper one on with the coil's current, and so the lid closed for good.
    """
    lower = gate_resistors(board, COIL_SHEET, "LID", "DRIVE_LID")
    upper = gate_resistors(board, COIL_SHEET, "LID", "DRIVE_LID", 2)
    lower_switch(board, COIL_SHEET, "Q1", lower, "LID_LOW", "GND")
    small_fet(board, COIL_SHEET, "Q2", upper, "LID_PULL", "LID_M")
    small_fet(board, COIL_SHEET, "Q3", "ARMED", "LID_M", "GND")
    upper_switch(board, COIL_SHEET, "LID", "LID_PULL")
    coil(board, COIL_SHEET, "LID", COIL, "48")


def lid_servo(board: Board) -> None:
    """Place a timer that makes the servo's pulses: 1.9 ms, and 1.0 ms while the lid is driven.

    The board's output is a level. A photoMOS, dark when nothing is driven, shortens the pulse.
    """
    place = board.place
    place(SERVO_SHEET, "R_G", R1, {"1": "DRIVE_LID", "2": "SERVO_G"}, "1k", 3.4)
    place(SERVO_SHEET, "R_PD", R1, {"1": "SERVO_G", "2": "GND"}, "100k", 3.4)
    switch = {"G": "SERVO_G", "D": "SERVO_K", "S": "SERVO_M"}
    place(SERVO_SHEET, "Q1", FET, switch, volts=3.4, amperes=0.011)
    guard = {"G": "ARMED", "D": "SERVO_M", "S": "GND"}
    place(SERVO_SHEET, "Q2", FET, guard, volts=3.4, amperes=0.011)
    place(SERVO_SHEET, "R_LED", R1, {"1": "+3V3", "2": "SERVO_A"}, "220", 2.4, 0.011)
    pins = {"A": "SERVO_A", "K": "SERVO_K", "O1": "SERVO_MID", "O2": "SERVO_DISCH"}
    place(SERVO_SHEET, "K1", PHOTOMOS, pins, volts=6.2, amperes=0.011)
    place(SERVO_SHEET, "R_SHORT", R1, {"1": "SERVO_6V", "2": "SERVO_MID"}, "13k", 6.2)
    place(SERVO_SHEET, "R_LONG", R1, {"1": "SERVO_MID", "2": "SERVO_DISCH"}, "12k", 6.2)
    place(SERVO_SHEET, "D_PULSE", SCHOTTKY, {"A": "SERVO_DISCH", "K": "SERVO_T"}, volts=6.2)
    place(SERVO_SHEET, "R_PAUSE", R1, {"1": "SERVO_T", "2": "SERVO_DISCH"}, "270k", 6.2)
    place(SERVO_SHEET, "C_T", C16, {"1": "SERVO_T", "2": "GND"}, "100n", 6.2)
    pins = {
        "GND": "GND", "TRIG": "SERVO_T", "OUT": "SERVO_OUT", "RESET": "SERVO_6V",
        "THRES": "SERVO_T", "DISCH": "SERVO_DISCH", "VDD": "SERVO_6V",
    }  # fmt: skip
    place(SERVO_SHEET, "U1", TIMER, pins, volts=6.2, amperes=0.002)
    place(SERVO_SHEET, "C_U1", C16, {"1": "SERVO_6V", "2": "GND"}, "100n", 6.2)
    place(SERVO_SHEET, "R_SIGNAL", R1, {"1": "SERVO_OUT", "2": "SERVO_SIGNAL"}, "1k", 6.2)
    place(SERVO_SHEET, "R_SIGNAL_PD", R1, {"1": "SERVO_SIGNAL", "2": "GND"}, "100k", 6.2)
    wires = {"1": "SERVO_SIGNAL", "2": "SERVO_6V", "3": "GND"}
    place(SERVO_SHEET, "J_SERVO", plug_socket(3), wires, "SERVO", 6.2, 0.8)
    pins = {"SIGNAL": "SERVO_SIGNAL", "V+": "SERVO_6V", "V-": "GND"}
    place(SERVO_SHEET, "M1", SERVO, pins, volts=6.0, amperes=0.8, where="arm")
    place(SERVO_SHEET, "MAGNET", MAGNET, {}, where="arm")
    place(SERVO_SHEET, "ADAPTER", SERVO_ADAPTER, {}, where="cable")


def lid_pilot(board: Board) -> None:
    """Place the pilot hall switch on its cable; it pulls SENSE_LID low near the magnet."""
    place = board.place
    wires = {"1": "+3V3", "2": "GND", "3": "LID_PILOT", "4": "GND"}
    place(PILOT, "J_PILOT", plug_socket(4), wires, "PILOT", 3.4, 0.005)
    pins = {"VCC": "+3V3", "OUT": "LID_PILOT", "GND": "GND"}
    place(PILOT, "U1", HALL, pins, volts=3.4, amperes=0.003, where="arm")
    place(PILOT, "R_PU", R1, {"1": "+3V3", "2": "LID_PILOT"}, "4.7k", 3.4)
    place(PILOT, "R_SERIES", R1, {"1": "LID_PILOT", "2": "SENSE_LID"}, "1k", 3.4)
    place(PILOT, "C1", C16, {"1": "+3V3", "2": "GND"}, "100n", 3.4)
