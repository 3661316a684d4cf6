"""PWR_OK: one network, two comparators, so that its slope can be told.

The upper one is at 2.4 V, as ATX has it, or at the level of the logic channels (`JP_PGOOD`).
"""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import R1
from frontend.circuit.comparison import Comparison
from frontend.circuit.logic_sense import second_resistor, series_and_clamp

SHEET = "PWR_OK"


def pwr_ok(board: Board) -> list[Comparison]:
    """Place the channel and return both comparisons; the second one ends at a pin of its own."""
    node = series_and_clamp(board, SHEET, "DUT_PWR_OK", 5.3, "3.9k")
    comparisons = []
    for name, threshold, out in (
        ("HIGH", "TH_PGOOD", "SENSE_PWR_OK"),
        ("LOW", "TH_0V81", "SENSE_PWR_OK_LOW"),
    ):
        plus = second_resistor(board, SHEET, name, node, 5.3)
        board.place(SHEET, f"R_{name}_FEEDBACK", R1, {"1": out, "2": plus}, "10M", 5.3)
        comparisons.append(Comparison(plus, threshold, out))
    return comparisons
