"""What a circuit holds, as plain facts."""

from collections.abc import Mapping
from dataclasses import dataclass

from frontend.circuit.catalogue import Kind

SUPPLIES = ("+3V3", "+5V", "+12V", "SERVO_6V", "VREF")
GROUND = "GND"
COMPARATORS = "comparators"
"""The sheet of the comparators, which several functions share."""
BOARD = "board"
"""Where a part is that stands on the board itself."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A part in its place."""

    ref: str
    tag: str
    sheet: str
    kind: Kind
    value: str
    nets: Mapping[str, str]
    """Net of each connected pin, by the pin's name."""
    volts: float = 0.0
    """Greatest voltage over it that is meant to be, in volts."""
    amperes: float = 0.0
    """Greatest current that is meant to be, in amperes."""
    where: str = BOARD
    """The board, or what its cable leads to."""

    def others(self, net: str) -> list[str]:
        """Return the other nets of a part with a pin on `net`."""
        return [other for other in self.nets.values() if other != net]

    def by_number(self) -> dict[str, str]:
        """Return the net of each connected pin, by the pin's number."""
        return {number: self.nets[pin] for number, pin, _type in self.kind.pins if pin in self.nets}


@dataclass(frozen=True, slots=True)
class Facts:
    """All parts of a circuit, in the order in which they were placed."""

    parts: tuple[Placed, ...]

    def nets(self) -> list[str]:
        """Return the names of all nets, sorted."""
        return sorted({net for part in self.parts for net in part.nets.values()})

    def on(self, net: str) -> list[Placed]:
        """Return the parts with a pin on a net."""
        return [part for part in self.parts if net in part.nets.values()]

    def of_sheet(self, sheet: str) -> list[Placed]:
        """Return the parts of a function."""
        return [part for part in self.parts if part.sheet == sheet]

    def on_board(self) -> list[Placed]:
        """Return what is soldered to the board."""
        return [part for part in self.parts if part.where == BOARD]
