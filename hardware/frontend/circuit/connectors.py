"""Connectors: the DUT's wires, the supplies, the loop-back plug."""

from collections.abc import Mapping

from frontend.circuit.board import Board
from frontend.circuit.catalogue import ISOLATOR, TERMINAL, header

DUT, SUPPLY, LOOPBACK = "dut_wires", "usb_isolation", "loop_back"
ATX = ("DUT_PWR_OK", "GND")
STANDBY = ("DUT_5VSB_SUPPLY", "DUT_5VSB")
BUTTON = ("DUT_PWRBTN", "DUT_PWRBTN_GND")
LED = ("DUT_PLED", "GND")
PROBES = ("DUT_SLP_S3", "DUT_SLP_S4", "DUT_SLP_S5", "DUT_PLTRST", "GND", "GND")
PLUG = ("DRIVE_BUTTON", "DUT_SLP_S3", "DUT_SLP_S4", "DUT_SLP_S5", "DUT_PLTRST", "DUT_PWR_OK")


def row(nets: tuple[str, ...]) -> Mapping[str, str]:
    """Return the pins of a header whose nets are given in their order."""
    return {str(number): net for number, net in enumerate(nets, 1)}


def dut_wires(board: Board, wired_button: bool) -> None:
    """Place one connector for each cable to the DUT."""
    board.place(DUT, "J_ATX", header(2), row(ATX), "ATX", 5.3, 0.01)
    board.place(DUT, "J_STANDBY", TERMINAL, row(STANDBY), "5VSB", 5.3, 3.0)
    if wired_button:
        board.place(DUT, "J_BUTTON", header(2), row(BUTTON), "PWR_SW", 5.3, 0.1)
    board.place(DUT, "J_LED", header(2), row(LED), "PLED", 5.3, 0.01)
    board.place(DUT, "J_PROBES", header(6), row(PROBES), "PROBES", 3.4, 0.01)


def usb_isolation(board: Board, coil: bool, servo: bool) -> None:
    """Place the isolator between host and board: rig ground is the DUT's ground, not the host's.

    Coils and servos have supplies of their own, which have to float as well.
    """
    pins = {"VBUS2": "+5V", "GND2": "GND", "D-": "USB_DM", "D+": "USB_DP"}
    board.place(SUPPLY, "A1", ISOLATOR, pins, volts=250.0, amperes=0.08)
    if coil:
        board.place(SUPPLY, "J_12V", TERMINAL, row(("+12V", "GND")), "12V", 13.0, 1.3)
    if servo:
        board.place(SUPPLY, "J_SERVO", TERMINAL, row(("SERVO_5V", "GND")), "5V", 5.3, 0.8)


def loop_back(board: Board) -> None:
    """Place the header of the self-test: an output of the board beside the channels' wires."""
    board.place(LOOPBACK, "J_PLUG", header(6), row(PLUG), "SELFTEST", 5.3, 0.01)
