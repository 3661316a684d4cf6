"""Logic sense: series resistor, TVS diode to ground, comparator with a little hysteresis.

Nothing here leads from a DUT's wire to a supply: an unpowered DUT is not fed, an unpowered rig
does not load.
"""

from dataclasses import dataclass

from frontend.circuit.board import Board
from frontend.circuit.catalogue import R1, R1206, TVS
from frontend.circuit.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Sense:
    """One channel: the DUT's net, the threshold's net and the MCU's net, and its resistors."""

    sheet: str
    dut: str
    threshold: str
    out: str
    level_v: float
    series: str = "3.9k"
    inner: str = "2.2k"
    feedback: str = "1M"
    bleed: str = "470k"


def series_and_clamp(board: Board, sense: Sense) -> str:
    """Place what meets the DUT's wire first, and return the node behind it."""
    sheet, node = sense.sheet, f"{sense.sheet}_NODE"
    board.place(sheet, "R_SERIES", R1206, {"1": sense.dut, "2": node}, sense.series, 24.0)
    level = min(sense.level_v, 5.0)
    board.place(sheet, "D_TVS", TVS, {"K": node, "A": "GND"}, volts=level)
    bleed = {"1": sense.dut, "2": "GND"}
    board.place(sheet, "R_BLEED", R1, bleed, sense.bleed, sense.level_v)
    return node


def logic_sense(board: Board, sense: Sense) -> Comparison:
    """Place one channel and return its comparison."""
    node, plus = series_and_clamp(board, sense), f"{sense.sheet}_IN"
    board.place(sense.sheet, "R_IN", R1, {"1": node, "2": plus}, sense.inner, sense.level_v)
    feedback = {"1": sense.out, "2": plus}
    board.place(sense.sheet, "R_FEEDBACK", R1, feedback, sense.feedback, 5.3)
    return Comparison(plus, sense.threshold, sense.out)


def inverted_sense(board: Board, sense: Sense) -> Comparison:
    """Place one channel whose output is high while the DUT's wire is low."""
    node, minus, plus = series_and_clamp(board, sense), f"{sense.sheet}_IN", f"{sense.sheet}_TH"
    board.place(sense.sheet, "R_IN", R1, {"1": node, "2": minus}, sense.inner, sense.level_v)
    board.place(sense.sheet, "R_TH", R1, {"1": sense.threshold, "2": plus}, "10k", 3.4)
    feedback = {"1": sense.out, "2": plus}
    board.place(sense.sheet, "R_FEEDBACK", R1, feedback, sense.feedback, 5.3)
    return Comparison(plus, minus, sense.out)


def guarded_sense(board: Board, sense: Sense) -> Comparison:
    """Place a channel on a wire that no single part, shorted, may pull to ground.

    Two TVS diodes are in series, and what else leads to ground is behind both resistors.
    """
    sheet, node, middle = sense.sheet, f"{sense.sheet}_NODE", f"{sense.sheet}_CLAMP"
    level, plus = sense.level_v, f"{sense.sheet}_IN"
    board.place(sheet, "R_SERIES", R1206, {"1": sense.dut, "2": node}, sense.series, 24.0)
    board.place(sheet, "D_TVS1", TVS, {"K": node, "A": middle}, volts=level / 2)
    board.place(sheet, "D_TVS2", TVS, {"K": middle, "A": "GND"}, volts=level / 2)
    board.place(sheet, "R_IN", R1, {"1": node, "2": plus}, sense.inner, level)
    board.place(sheet, "R_BLEED", R1, {"1": plus, "2": "GND"}, sense.bleed, level)
    board.place(sheet, "R_FEEDBACK", R1, {"1": sense.out, "2": plus}, sense.feedback, 5.3)
    return Comparison(plus, sense.threshold, sense.out)
