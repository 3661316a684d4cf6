"""Lid: an electromagnet over the DUT's hall sensor with a fast clamp, or a servo with a magnet.

A hall switch beside the magnet is the time stamp. The electromagnet lets go without a heartbeat
and without power; the servo goes back without a heartbeat, and stays where it is without power.
"""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import (
    C16,
    CLAMP,
    COIL_FET,
    FET,
    HALL,
    PHOTOMOS,
    R1,
    SCHOTTKY,
    SERVO,
    TIMER,
    header,
)

MAGNET, SERVO_SHEET, PILOT = "lid_magnet", "lid_servo", "lid_pilot"


def lid_magnet(board: Board) -> None:
    """Place the coil's switch, in series with a switch that the dead-man arms, and its clamp."""
    place = board.place
    place(MAGNET, "R_G", R1, {"1": "DRIVE_LID", "2": "LID_G"}, "1k", 3.4)
    place(MAGNET, "R_PD", R1, {"1": "LID_G", "2": "GND"}, "100k", 3.4)
    switch = {"G": "LID_G", "D": "COIL_LOW", "S": "LID_M"}
    place(MAGNET, "Q1", COIL_FET, switch, volts=42.0, amperes=0.61)
    guard = {"G": "ARMED", "D": "LID_M", "S": "GND"}
    place(MAGNET, "Q2", COIL_FET, guard, volts=42.0, amperes=0.61)
    # A clamp over each FET, not one from the coil to ground: that one, shorted, would hold the lid.
    for tag, low, source in (("D_CLAMP1", "COIL_LOW", "LID_M"), ("D_CLAMP2", "LID_M", "GND")):
        place(MAGNET, tag, CLAMP, {"K": low, "A": source}, volts=42.0, amperes=0.61)
    place(MAGNET, "J_COIL", header(2), {"1": "+12V", "2": "COIL_LOW"}, "COIL", 42.0, 0.61)


def lid_servo(board: Board) -> None:
    """Place a timer that makes the servo's pulses: 1.9 ms, and 1.0 ms while the lid is driven.

    The board's output is a level. A photoMOS, dark when nothing is driven, shortens the pulse.
    """
    place = board.place
    place(SERVO_SHEET, "R_G", R1, {"1": "DRIVE_LID", "2": "SERVO_G"}, "1k", 3.4)
    place(SERVO_SHEET, "R_PD", R1, {"1": "SERVO_G", "2": "GND"}, "100k", 3.4)
    switch = {"G": "SERVO_G", "D": "SERVO_K", "S": "SERVO_M"}
    place(SERVO_SHEET, "Q1", FET, switch, volts=3.4, amperes=0.014)
    guard = {"G": "ARMED", "D": "SERVO_M", "S": "GND"}
    place(SERVO_SHEET, "Q2", FET, guard, volts=3.4, amperes=0.014)
    place(SERVO_SHEET, "R_LED", R1, {"1": "+3V3", "2": "SERVO_A"}, "150", 2.2, 0.014)
    pins = {"A": "SERVO_A", "K": "SERVO_K", "O1": "SERVO_MID", "O2": "SERVO_DISCH"}
    place(SERVO_SHEET, "K1", PHOTOMOS, pins, volts=5.3, amperes=0.014)
    place(SERVO_SHEET, "R_SHORT", R1, {"1": "SERVO_5V", "2": "SERVO_MID"}, "15k", 5.3)
    place(SERVO_SHEET, "R_LONG", R1, {"1": "SERVO_MID", "2": "SERVO_DISCH"}, "13k", 5.3)
    place(SERVO_SHEET, "D_PULSE", SCHOTTKY, {"A": "SERVO_DISCH", "K": "SERVO_T"}, volts=5.3)
    place(SERVO_SHEET, "R_PAUSE", R1, {"1": "SERVO_T", "2": "SERVO_DISCH"}, "270k", 5.3)
    place(SERVO_SHEET, "C_T", C16, {"1": "SERVO_T", "2": "GND"}, "100n", 5.3)
    pins = {
        "GND": "GND", "TRIG": "SERVO_T", "OUT": "SERVO_OUT", "RESET": "SERVO_5V",
        "THRES": "SERVO_T", "DISCH": "SERVO_DISCH", "VDD": "SERVO_5V",
    }  # fmt: skip
    place(SERVO_SHEET, "U1", TIMER, pins, volts=5.3, amperes=0.002)
    place(SERVO_SHEET, "C_U1", C16, {"1": "SERVO_5V", "2": "GND"}, "100n", 5.3)
    place(SERVO_SHEET, "R_SIGNAL", R1, {"1": "SERVO_OUT", "2": "SERVO_SIGNAL"}, "1k", 5.3)
    place(SERVO_SHEET, "R_SIGNAL_PD", R1, {"1": "SERVO_SIGNAL", "2": "GND"}, "100k", 5.3)
    pins = {"SIGNAL": "SERVO_SIGNAL", "V+": "SERVO_5V", "GND": "GND"}
    place(SERVO_SHEET, "M1", SERVO, pins, volts=5.3, amperes=0.7)


def lid_pilot(board: Board) -> None:
    """Place the pilot hall switch; it pulls SENSE_LID low near the magnet."""
    place = board.place
    pins = {"VCC": "+3V3", "OUT": "SENSE_LID", "GND": "GND"}
    place(PILOT, "U1", HALL, pins, volts=3.4, amperes=0.001)
    place(PILOT, "R_PU", R1, {"1": "+3V3", "2": "SENSE_LID"}, "4.7k", 3.4)
    place(PILOT, "C1", C16, {"1": "+3V3", "2": "GND"}, "100n", 3.4)
