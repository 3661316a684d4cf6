"""Logic sense: series resistor, TVS diode to ground, comparator with a little hysteresis.

Nothing here leads from a DUT's wire to a supply: an unpowered DUT is not fed, an unpowered rig
does not load.
"""

from dataclasses import dataclass

from frontend.circuit.board import Board
from frontend.circuit.catalogue import R1, TVS
from frontend.circuit.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Sense:
    """One channel: the DUT's net, the threshold's net and the MCU's net, and its resistors."""

    sheet: str
    dut: str
    threshold: str
    out: str
    level_v: float
    series: str = "10k"
    feedback: str = "2M"
    bleed: str = "470k"


def logic_sense(board: Board, sense: Sense, bleed_at_node: bool = False) -> Comparison:
    """Place one channel and return its comparison.

    Args:
        board: where to place it.
        sense: what it looks at.
        bleed_at_node: the bleeding resistor is behind the series resistor, so that no single
            short pulls the DUT's wire to ground.
    """
    sheet, node, plus = sense.sheet, f"{sense.sheet}_NODE", f"{sense.sheet}_IN"
    level = sense.level_v
    board.place(sheet, "R_SERIES", R1, {"1": sense.dut, "2": node}, sense.series, 24.0)
    board.place(sheet, "D_TVS", TVS, {"K": node, "A": "GND"}, volts=min(level, 5.0))
    bled = node if bleed_at_node else sense.dut
    board.place(sheet, "R_BLEED", R1, {"1": bled, "2": "GND"}, sense.bleed, level)
    board.place(sheet, "R_IN", R1, {"1": node, "2": plus}, "2.2k", level)
    board.place(sheet, "R_FEEDBACK", R1, {"1": sense.out, "2": plus}, sense.feedback, 5.3)
    return Comparison(plus, sense.threshold, sense.out)
