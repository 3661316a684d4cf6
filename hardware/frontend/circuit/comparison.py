"""Comparators: functions ask for comparisons, and four of them share a TLV9034."""

from collections.abc import Sequence
from dataclasses import dataclass

from frontend.circuit.board import Board
from frontend.circuit.catalogue import C16, QUAD
from frontend.circuit.facts import COMPARATORS


@dataclass(frozen=True, slots=True)
class Comparison:
    """`out` is high while `plus` is above `minus`; all are nets."""

    plus: str
    minus: str
    out: str


def place_comparisons(board: Board, comparisons: Sequence[Comparison]) -> None:
    """Place as many TLV9034 as are needed; what is left over is tied to one level."""
    for first in range(0, len(comparisons), 4):
        tag = f"U{first // 4 + 1}"
        pins = {"V+": "+3V3", "V-": "GND"}
        for unit in range(1, 5):
            index = first + unit - 1
            if index < len(comparisons):
                one = comparisons[index]
                pins |= {f"IN{unit}+": one.plus, f"IN{unit}-": one.minus, f"OUT{unit}": one.out}
            else:
                pins |= {f"IN{unit}+": "GND", f"IN{unit}-": "TH_0V90"}
        board.place(COMPARATORS, tag, QUAD, pins, volts=3.4, amperes=0.002)
        board.place(COMPARATORS, f"{tag}_C", C16, {"1": "+3V3", "2": "GND"}, "100n", 3.4)
