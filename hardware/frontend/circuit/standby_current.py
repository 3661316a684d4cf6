"""5VSB current: a shunt in the 24-pin extension; it corroborates, it does not decide."""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import C16, CURRENT, R1, SHUNT, TVS, header

SHEET = "standby_current"


def standby_current(board: Board) -> None:
    """Place shunt and monitor; its bus goes to a header and to the MCU board."""
    place = board.place
    place(SHEET, "R_SHUNT", SHUNT, {"1": "DUT_5VSB_SUPPLY", "2": "DUT_5VSB"}, "20m", 0.06, 3.0)
    for side, net in (("P", "DUT_5VSB_SUPPLY"), ("N", "DUT_5VSB")):
        place(SHEET, f"R_{side}", R1, {"1": net, "2": f"STANDBY_{side}"}, "330", 5.3)
        place(SHEET, f"D_{side}", TVS, {"K": f"STANDBY_{side}", "A": "GND"}, volts=5.0)
    pins = {
        "A1": "GND", "A0": "GND", "ALERT": "STANDBY_ALERT", "SDA": "STANDBY_SDA",
        "SCL": "STANDBY_SCL", "VS": "+3V3", "GND": "GND", "VBUS": "STANDBY_N",
        "IN-": "STANDBY_N", "IN+": "STANDBY_P",
    }  # fmt: skip
    place(SHEET, "U1", CURRENT, pins, volts=5.3, amperes=0.001)
    place(SHEET, "C1", C16, {"1": "+3V3", "2": "GND"}, "100n", 3.4)
    for line in ("ALERT", "SDA", "SCL"):
        place(SHEET, f"R_{line}", R1, {"1": "+3V3", "2": f"STANDBY_{line}"}, "4.7k", 3.4)
    bus = {"1": "GND", "2": "STANDBY_SDA", "3": "STANDBY_SCL", "4": "STANDBY_ALERT"}
    place(SHEET, "J_BUS", header(4), bus, "I2C", 3.4, 0.003)
