"""The lists that an assembler asks for, in the columns of JLCPCB's: bill and placement."""

import csv
import io
from collections.abc import Mapping, Sequence

from frontend.circuit.catalogue import maker_number
from frontend.circuit.facts import Facts
from frontend.layout.geometry import Spot

BILL_COLUMNS = ("Comment", "Designator", "Footprint", "Manufacturer", "MPN", "Quantity")
PLACEMENT_COLUMNS = ("Designator", "Mid X", "Mid Y", "Layer", "Rotation")
BARE = ("TP",)
"""Prefixes of what is only copper."""


def table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def bill(facts: Facts) -> str:
    """Return the bill of what is soldered to the board, one line for each maker's number."""
    lines: dict[tuple[str, str], list[str]] = {}
    kinds = {}
    for part in facts.on_board():
        if part.kind.prefix not in BARE:
            key = (maker_number(part.kind, part.value), part.value)
            lines.setdefault(key, []).append(part.ref)
            kinds[key] = part.kind
    rows = [
        (
            key[1],
            ",".join(refs),
            kinds[key].footprint.split(":")[1],
            kinds[key].maker,
            key[0],
            str(len(refs)),
        )
        for key, refs in sorted(lines.items())
    ]
    return table(BILL_COLUMNS, rows)


def placement(facts: Facts, spots: Mapping[str, Spot], height_mm: float) -> str:
    """Return the placement list: from the lower left corner, y upwards, as assemblers count."""
    rows = [
        (
            part.ref,
            f"{spots[part.tag].x:.3f}mm",
            f"{height_mm - spots[part.tag].y:.3f}mm",
            "Top",
            f"{spots[part.tag].degrees % 360:g}",
        )
        for part in facts.on_board()
        if part.kind.prefix not in BARE
    ]
    return table(PLACEMENT_COLUMNS, rows)
