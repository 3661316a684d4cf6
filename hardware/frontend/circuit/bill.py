"""The bill of materials: one line for each maker's number."""

import csv
import io

from frontend.circuit.catalogue import maker_number
from frontend.circuit.facts import Facts

COLUMNS = (
    "quantity",
    "references",
    "value",
    "manufacturer",
    "number",
    "footprint",
    "rating",
    "alternatives",
    "unread",
)


def rating(volts: float, amperes: float, watts: float) -> str:
    """Return ratings as text, those that there are."""
    told = [
        f"{value:g} {unit}" for value, unit in ((volts, "V"), (amperes, "A"), (watts, "W")) if value
    ]
    return ", ".join(told)


def bill_of(facts: Facts) -> str:
    """Return the bill as CSV. `unread` tells what nobody has compared with the data sheet."""
    lines: dict[tuple[str, str], list[str]] = {}
    kinds = {}
    for part in facts.parts:
        key = (maker_number(part.kind, part.value), part.value)
        lines.setdefault(key, []).append(part.ref)
        kinds[key] = part.kind
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for key in sorted(lines):
        kind = kinds[key]
        writer.writerow(
            (
                len(lines[key]),
                " ".join(lines[key]),
                key[1],
                kind.maker,
                key[0],
                kind.footprint,
                rating(kind.rated_v, kind.rated_a, kind.rated_w),
                kind.alternatives,
                kind.unread,
            )
        )
    return out.getvalue()
