"""Connectors: the DUT's cable with the self-test's wire, the jumpers, the test points."""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import BOX_HEADER, R1, R1206, TEST_POINT, header

DUT, LOOPBACK, CHOICES, TESTS = "dut_wires", "self_test", "choices", "test_points"
CABLE = (
    "GND", "DUT_PWR_OK", "GND", "DUT_PS_ON", "GND", "DUT_SLP_S3", "GND", "DUT_SLP_S4", "GND",
    "DUT_SLP_S5", "GND", "DUT_PLTRST", "GND", "DUT_RAIL", "DUT_PLED", "DUT_PLED_MINUS",
    "DUT_PWRBTN", "DUT_PWRBTN_GND", "GND", "SELFTEST",
)  # fmt: skip
"""One keyed plug for all wires of the DUT: the self-test's plug takes its place, so that the
drive of the self-test and a DUT are never there together."""
PROBED = ("+3V3", "GND", "VREF", "TH_LOGIC", "TH_PGOOD", "TH_0V81", "ARMED", "LIGHT_OUT")


def dut_wires(board: Board, wired_button: bool) -> None:
    """Place the connector of the DUT's cable."""
    button = ("DUT_PWRBTN", "DUT_PWRBTN_GND")
    nets = {
        str(number): net for number, net in enumerate(CABLE, 1) if wired_button or net not in button
    }
    board.place(DUT, "J_DUT", BOX_HEADER, nets, "DUT", 5.3, 0.1)


def self_test(board: Board) -> None:
    """Place the resistor through which the board's output gets to the self-test's wire."""
    wire = {"1": "DRIVE_BUTTON", "2": "SELFTEST"}
    board.place(LOOPBACK, "R_SELFTEST", R1206, wire, "1k", 5.3)


def led_load(board: Board) -> None:
    """Place what stands for the LED where none is connected: else an open PLED- would read low."""
    sheet = "LED_MINUS"
    board.place(sheet, "R_LOAD1", R1206, {"1": "DUT_PLED", "2": "LED_LOAD"}, "10k", 12.0)
    board.place(sheet, "R_LOAD2", R1206, {"1": "LED_LOAD", "2": "DUT_PLED_MINUS"}, "10k", 12.0)


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


def test_points(board: Board) -> None:
    """Place a pad for each net that the acceptance test of a built board measures."""
    for net in PROBED:
        board.place(TESTS, f"TP_{net.strip('+')}", TEST_POINT, {"1": net}, net, 5.3, 0.001)
