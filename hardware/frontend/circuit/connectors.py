"""Connectors: the DUT's wires, the supplies, the loop-back plug."""

from collections.abc import Mapping

from frontend.circuit.board import Board
from frontend.circuit.catalogue import ISOLATOR, R1, R1206, TERMINAL, header

DUT, SUPPLY, LOOPBACK = "dut_wires", "usb_isolation", "loop_back"
CHOICES = "choices"
ATX = ("DUT_PWR_OK", "GND", "DUT_PS_ON")
STANDBY = ("DUT_5VSB_SUPPLY", "DUT_5VSB")
BUTTON = ("DUT_PWRBTN", "DUT_PWRBTN_GND")
LED = ("DUT_PLED", "GND", "DUT_PLED_MINUS")
PROBES = ("DUT_SLP_S3", "DUT_SLP_S4", "DUT_SLP_S5", "DUT_PLTRST", "GND", "GND")
PLUG = ("DRIVE_BUTTON", "DUT_SLP_S3", "DUT_SLP_S4", "DUT_SLP_S5", "DUT_PLTRST", "DUT_PWR_OK")


def row(nets: tuple[str, ...]) -> Mapping[str, str]:
    """Return the pins of a header whose nets are given in their order."""
    return {str(number): net for number, net in enumerate(nets, 1)}


def dut_wires(board: Board, wired_button: bool) -> None:
    """Place one connector for each cable to the DUT."""
    board.place(DUT, "J_ATX", header(3), row(ATX), "ATX", 5.3, 0.01)
    board.place(DUT, "J_STANDBY", TERMINAL, row(STANDBY), "5VSB", 5.3, 3.0)
    if wired_button:
        board.place(DUT, "J_BUTTON", header(2), row(BUTTON), "PWR_SW", 5.3, 0.1)
    board.place(DUT, "J_LED", header(3), row(LED), "PLED", 5.3, 0.01)
    board.place(DUT, "J_PROBES", header(6), row(PROBES), "PROBES", 3.4, 0.01)


def led_load(board: Board) -> None:
    """Place what stands for the LED where none is connected: else an open PLED- would read low."""
    wires = {"1": "DUT_PLED", "2": "DUT_PLED_MINUS"}
    board.place("LED_MINUS", "R_LOAD", R1206, wires, "22k", 24.0)


def choices(board: Board) -> None:
    """Place the jumpers that choose which wire a channel sees; without a jumper it reads 0.

    SLP_S3# itself, or PS_ON# inverted; the LED's anode, or its cathode inverted.
    """
    for name in ("SLP_S3", "LED"):
        idle = {"1": f"SENSE_{name}", "2": "GND"}
        board.place(CHOICES, f"R_{name}", R1, idle, "100k", 3.4)
    slp_s3 = {"1": "SLP_S3_TRUE", "2": "SENSE_SLP_S3", "3": "PS_ON_INVERTED"}
    board.place(CHOICES, "JP_SLP_S3", header(3), slp_s3, "SLP_S3 or PS_ON", 3.4, 0.001)
    led = {"1": "LED_HIGH", "2": "SENSE_LED", "3": "LED_LOW"}
    board.place(CHOICES, "JP_LED", header(3), led, "PLED+ or PLED-", 3.4, 0.001)


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
