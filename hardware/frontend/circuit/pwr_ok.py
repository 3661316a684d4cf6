"""PWR_OK: one network, two comparators (2.4 V and 0.8 V), so that its slope can be told."""

from frontend.circuit.board import Board
from frontend.circuit.catalogue import R1, R1206, TVS
from frontend.circuit.comparison import Comparison

SHEET = "PWR_OK"


def pwr_ok(board: Board) -> list[Comparison]:
    """Place the channel and return both comparisons; the second one ends at a pin of its own."""
    board.place(SHEET, "R_SERIES", R1206, {"1": "DUT_PWR_OK", "2": "PWR_OK_NODE"}, "10k", 24.0)
    board.place(SHEET, "D_TVS", TVS, {"K": "PWR_OK_NODE", "A": "GND"}, volts=5.0)
    board.place(SHEET, "R_BLEED", R1, {"1": "DUT_PWR_OK", "2": "GND"}, "470k", 5.3)
    comparisons = []
    for name, threshold, out in (
        ("HIGH", "TH_2V40", "SENSE_PWR_OK"),
        ("LOW", "TH_0V80", "SENSE_PWR_OK_LOW"),
    ):
        plus = f"PWR_OK_{name}_IN"
        board.place(SHEET, f"R_{name}_IN", R1, {"1": "PWR_OK_NODE", "2": plus}, "2.2k", 5.3)
        board.place(SHEET, f"R_{name}_FEEDBACK", R1, {"1": out, "2": plus}, "2M", 5.3)
        comparisons.append(Comparison(plus, threshold, out))
    return comparisons
