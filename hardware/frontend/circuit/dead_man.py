"""Dead-man: a charge pump that only a heartbeat keeps charged; its output arms the actuators."""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import C16, R1, SCHOTTKY

SHEET = "dead_man"


def dead_man(board: Board) -> None:
    """Place the charge pump from HEARTBEAT to ARMED."""
    place = board.place
    place(SHEET, "R_PUMP", R1, {"1": "HEARTBEAT", "2": "PUMP_IN"}, "220", 3.4)
    place(SHEET, "C_PUMP", C16, {"1": "PUMP_IN", "2": "PUMP"}, "47n", 3.4)
    place(SHEET, "D_CLAMP", SCHOTTKY, {"A": "GND", "K": "PUMP"}, volts=3.4, amperes=0.034)
    place(SHEET, "D_PUMP", SCHOTTKY, {"A": "PUMP", "K": "ARMED"}, volts=3.4, amperes=0.034)
    place(SHEET, "C_ARMED", C16, {"1": "ARMED", "2": "GND"}, "100n", 3.4)
    place(SHEET, "R_ARMED", R1, {"1": "ARMED", "2": "GND"}, "56k", 3.4)
