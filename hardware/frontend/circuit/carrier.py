"""MCU carrier: two sockets that the Pico is plugged into, by the pin map."""

import csv
from dataclasses import dataclass
from pathlib import Path

from frontend.circuit.board import Board
from frontend.circuit.catalogue import C16, socket
from frontend.circuit.off_board import (
    ISOLATOR,
    JUMPER,
    PICO,
    PLUG,
    RIBBON,
    WALL_ADAPTER,
)

SHEET = "carrier"
PINMAP = Path(__file__).resolve().parents[2] / "pinmap.csv"
PICO_PINS = (
    "GP0", "GP1", "GND3", "GP2", "GP3", "GP4", "GP5", "GND8", "GP6", "GP7", "GP8", "GP9", "GND13",
    "GP10", "GP11", "GP12", "GP13", "GND18", "GP14", "GP15",
    "GP16", "GP17", "GND23", "GP18", "GP19", "GP20", "GP21", "GND28", "GP22", "RUN", "GP26",
    "GP27", "AGND", "GP28", "ADC_VREF", "3V3", "3V3_EN", "GND38", "VSYS", "VBUS",
)  # fmt: skip
"""The Pico's pins 1 to 40 (its data sheet, figure 2)."""
FIXED = {"3V3": "+3V3", "VBUS": "+5V", "AGND": "GND"}


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
    """Return a board's lines of the pin map in their order, without those that have no net."""
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
            if row["board"] == board and row["net"]
        ]


def carrier(board: Board) -> None:
    """Place the Pico's two sockets: pins 1 to 20, and 21 to 40."""
    nets = {pin.mcu_pin: pin.net for pin in mapped_pins("rpi_pico")} | FIXED
    nets |= {pin: "GND" for pin in PICO_PINS if pin.startswith("GND")}
    for tag, names in (("J_LEFT", PICO_PINS[:20]), ("J_RIGHT", PICO_PINS[20:])):
        pins = {name: nets[name] for name in names if name in nets}
        board.place(SHEET, tag, socket(names), pins, f"Pico {tag[2:].lower()}", 5.3, 0.3)
    board.place(SHEET, "C_3V3", C16, {"1": "+3V3", "2": "GND"}, "1u", 3.4)


def accessories(board: Board, jumpers: int, coil: bool) -> None:
    """List what has to be bought beside parts: the Pico, its isolator, cables, jumpers."""
    sheet = "beside"
    board.place(sheet, "PICO", PICO, {}, where="socket")
    board.place(sheet, "ISOLATOR", ISOLATOR, {}, where="USB cable")
    board.place(sheet, "CABLE", RIBBON, {}, where="cable")
    board.place(sheet, "PLUG", PLUG, {}, where="drawer")
    for number in range(1, jumpers + 1):
        board.place(sheet, f"JUMPER{number}", JUMPER, {}, where="jumper")
    if coil:
        board.place(sheet, "ADAPTER", WALL_ADAPTER, {}, where="cable")
