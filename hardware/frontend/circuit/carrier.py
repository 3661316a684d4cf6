"""MCU carrier: a header for each connector of the board that the front end uses, by the pin map."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from frontend.circuit.board import Board
from frontend.circuit.catalogue import header

SHEET = "carrier"
PINMAP = Path(__file__).resolve().parents[2] / "pinmap.csv"
BOARDS = ("rpi_pico", "nucleo_h743zi", "nucleo_f767zi")


@dataclass(frozen=True, slots=True)
class MappedPin:
    """One line of the pin map, as far as wires go."""

    board: str
    name: str
    net: str
    mcu_pin: str
    connector: str
    position: str


def mapped_pins(board: str) -> list[MappedPin]:
    """Return a board's lines of the pin map in their order."""
    with PINMAP.open(newline="", encoding="utf-8") as stream:
        return [
            MappedPin(
                row["board"],
                row["name"],
                row["net"],
                row["mcu_pin"],
                row["connector"],
                row["position"],
            )
            for row in csv.DictReader(stream)
            if row["board"] == board
        ]


def carrier(board: Board, pins: Sequence[MappedPin]) -> None:
    """Place one header for the MCU board's pins, in the pin map's order, and one for its supply."""
    nets = {str(number): pin.net for number, pin in enumerate(pins, 1)}
    board.place(SHEET, "J_MCU", header(len(pins)), nets, "MCU", 3.4, 0.02)
    supply = {"1": "+3V3", "2": "GND", "3": "+5V", "4": "USB_DM", "5": "USB_DP"}
    board.place(SHEET, "J_SUPPLY", header(5), supply, "SUPPLY", 5.3, 0.3)
