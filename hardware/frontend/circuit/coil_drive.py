"""A coil between two switches: one to its supply, one to ground.

So a coil wire that touches ground, or the supply, moves nothing by itself. What the coil still
holds when both open goes through a diode to its upper end and a clamp at its lower one.
"""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import (
    BULK,
    C16,
    CLAMP,
    COIL_FET,
    FET,
    FUSE,
    HIGH_FET,
    POWER_DIODE,
    R1,
    SUPPLY_CLAMP,
    TERMINAL,
    Kind,
    plug_socket,
)

CLAMPED_V = 42.0


def supply_entry(board: Board, sheet: str, rail: str, label: str, volts: float) -> None:
    """Place a supply's terminal, with its fuse and a diode that stops a reversed one."""
    raw, fused = f"{rail}_IN", f"{rail}_FUSED"
    place = board.place
    place(sheet, "J_SUPPLY", TERMINAL, {"1": raw, "2": "GND"}, label, volts, 0.8)
    place(sheet, "F1", FUSE, {"1": raw, "2": fused}, volts=volts, amperes=0.8)
    place(sheet, "D_REVERSE", POWER_DIODE, {"A": fused, "K": rail}, volts=volts, amperes=0.8)
    place(sheet, "C_BULK", BULK, {"+": rail, "-": "GND"}, "100u", volts)
    place(sheet, "C_SUPPLY", C16, {"1": rail, "2": "GND"}, "100n", volts)
    place(sheet, "D_SURGE", SUPPLY_CLAMP, {"K": rail, "A": "GND"}, volts=volts)


def upper_switch(board: Board, sheet: str, name: str, low: str) -> None:
    """Place the P-channel FET, which is on while `low` is pulled to ground."""
    place = board.place
    gate, high = f"{name}_PG", f"{name}_HIGH"
    place(sheet, "R_PG_UP", R1, {"1": "+12V", "2": gate}, "10k", 6.5)
    place(sheet, "R_PG", R1, {"1": gate, "2": low}, "10k", 6.5)
    place(sheet, "Q_HIGH", HIGH_FET, {"G": gate, "S": "+12V", "D": high}, volts=13.5, amperes=0.8)
    place(sheet, "D_FREE", POWER_DIODE, {"A": "GND", "K": high}, volts=13.5, amperes=0.8)


def lower_switch(board: Board, sheet: str, tag: str, gate: str, drain: str, source: str) -> None:
    """Place one N-channel FET of the lower side with a clamp over it."""
    pins = {"G": gate, "D": drain, "S": source}
    board.place(sheet, tag, COIL_FET, pins, volts=CLAMPED_V, amperes=0.8)
    clamp = {"K": drain, "A": source}
    board.place(sheet, f"D_{tag}", CLAMP, clamp, volts=CLAMPED_V, amperes=0.8)


def gate_resistors(board: Board, sheet: str, name: str, drive: str, number: int = 1) -> str:
    """Place the resistors of a gate that the MCU drives, and return its net."""
    gate = f"{name}_G{number}"
    board.place(sheet, f"R_G{number}", R1, {"1": drive, "2": gate}, "1k", 3.4)
    board.place(sheet, f"R_PD{number}", R1, {"1": gate, "2": "GND"}, "100k", 3.4)
    return gate


def small_fet(board: Board, sheet: str, tag: str, gate: str, drain: str, source: str) -> None:
    """Place one FET that pulls the upper switch's gate."""
    pins = {"G": gate, "D": drain, "S": source}
    board.place(sheet, tag, FET, pins, volts=13.5, amperes=0.001)


def coil(board: Board, sheet: str, name: str, kind: Kind, ohms: str) -> None:
    """Place the coil's connector, and the coil on its cable."""
    wires = {"1": f"{name}_HIGH", "2": f"{name}_LOW"}
    board.place(sheet, "J_COIL", plug_socket(2), wires, "COIL", CLAMPED_V, 0.8)
    board.place(sheet, "L1", kind, wires, ohms, 12.6, 0.0, where="cable")
