"""5VSB current: shunts in the 24-pin extension; it corroborates, it does not decide.

Two shunts are in parallel, so that one that breaks does not take the DUT's standby supply away;
each end of each has a sense resistor of its own, and the monitor sees the mean. The bus voltage
has a resistor of its own, too: what that input takes must not flow where the current is measured.
"""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import C16, CURRENT, R1, R1206, SHUNT, TERMINAL

SHEET = "standby_current"
SUPPLY, LOAD = "DUT_5VSB_SUPPLY", "DUT_5VSB"


def standby_current(board: Board) -> None:
    """Place terminals, shunts and monitor; its bus goes to the MCU board."""
    place = board.place
    place(SHEET, "J_5VSB", TERMINAL, {"1": SUPPLY, "2": LOAD}, "5VSB", 5.3, 3.0)
    for number in (1, 2):
        ends = {"1": SUPPLY, "2": LOAD}
        place(SHEET, f"R_SHUNT{number}", SHUNT, ends, "40m", 0.06, 1.6)
        for side, net in (("P", SUPPLY), ("N", LOAD)):
            to = {"1": net, "2": f"STANDBY_{side}"}
            place(SHEET, f"R_{side}{number}", R1206, to, "470", 5.3)
    for side in "PN":
        place(SHEET, f"C_{side}", C16, {"1": f"STANDBY_{side}", "2": "GND"}, "100n", 5.3)
    place(SHEET, "R_BUS", R1206, {"1": LOAD, "2": "STANDBY_BUS"}, "1k", 5.3)
    place(SHEET, "C_BUS", C16, {"1": "STANDBY_BUS", "2": "GND"}, "100n", 5.3)
    pins = {
        "A1": "GND", "A0": "GND", "ALERT": "STANDBY_ALERT", "SDA": "STANDBY_SDA",
        "SCL": "STANDBY_SCL", "VS": "+3V3", "GND": "GND", "VBUS": "STANDBY_BUS",
        "IN-": "STANDBY_N", "IN+": "STANDBY_P",
    }  # fmt: skip
    place(SHEET, "U1", CURRENT, pins, volts=5.3, amperes=0.001)
    place(SHEET, "C1", C16, {"1": "+3V3", "2": "GND"}, "100n", 3.4)
    for line in ("ALERT", "SDA", "SCL"):
        place(SHEET, f"R_{line}", R1, {"1": "+3V3", "2": f"STANDBY_{line}"}, "4.7k", 3.4)
