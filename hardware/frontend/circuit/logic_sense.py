"""Logic sense: series resistor, two TVS diodes, a second resistor, a comparator.

Nothing here leads from a DUT's wire to a supply: an unpowered DUT is not fed, an unpowered rig
does not load. And no single part, shorted, moves a wire: the diodes to ground are two in series,
and what else leads to ground or to an output is behind both resistors. The second one is large,
so a small capacitor over it takes fast edges past it.
"""

from dataclasses import dataclass

from frontend.circuit.board import Board
from frontend.circuit.catalogue import CNP0, R1, R1206, TVS
from frontend.circuit.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Sense:
    """One channel: the DUT's net, the threshold's net and the MCU's net, and its level."""

    sheet: str
    dut: str
    threshold: str
    out: str
    level_v: float
    series: str = "3.9k"


def series_and_clamp(board: Board, sheet: str, dut: str, level_v: float, series: str) -> str:
    """Place what meets the DUT's wire first, and return the node behind it."""
    node, middle = f"{sheet}_NODE", f"{sheet}_CLAMP"
    board.place(sheet, "R_SERIES", R1206, {"1": dut, "2": node}, series, 24.0)
    board.place(sheet, "D_TVS1", TVS, {"K": node, "A": middle}, volts=level_v / 2)
    board.place(sheet, "D_TVS2", TVS, {"K": middle, "A": "GND"}, volts=level_v / 2)
    return node


def second_resistor(board: Board, sheet: str, name: str, node: str, level_v: float) -> str:
    """Place what leads from the clamped node to a comparator's input, and return that input."""
    mark = f"{name}_" if name else ""
    pin = f"{sheet}_{mark}IN"
    both = {"1": node, "2": pin}
    board.place(sheet, f"R_{mark}IN", R1, both, "100k", level_v)
    board.place(sheet, f"C_{mark}FAST", CNP0, both, "47p", level_v)
    board.place(sheet, f"R_{mark}BLEED", R1, {"1": pin, "2": "GND"}, "4.7M", level_v)
    return pin


def logic_sense(board: Board, sense: Sense) -> Comparison:
    """Place one channel and return its comparison."""
    node = series_and_clamp(board, sense.sheet, sense.dut, sense.level_v, sense.series)
    plus = second_resistor(board, sense.sheet, "", node, sense.level_v)
    board.place(sense.sheet, "R_FEEDBACK", R1, {"1": sense.out, "2": plus}, "10M", 5.3)
    return Comparison(plus, sense.threshold, sense.out)


def inverted_sense(board: Board, sense: Sense) -> Comparison:
    """Place one channel whose output is high while the DUT's wire is low."""
    node = series_and_clamp(board, sense.sheet, sense.dut, sense.level_v, sense.series)
    minus = second_resistor(board, sense.sheet, "", node, sense.level_v)
    plus = f"{sense.sheet}_TH"
    board.place(sense.sheet, "R_TH", R1, {"1": sense.threshold, "2": plus}, "10k", 3.4)
    board.place(sense.sheet, "R_FEEDBACK", R1, {"1": sense.out, "2": plus}, "2M", 5.3)
    return Comparison(plus, minus, sense.out)
