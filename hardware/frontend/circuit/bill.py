"""The bill of materials: one line for each maker's number."""

import csv
import io
from collections.abc import Mapping

from frontend.circuit.catalogue import maker_number
from frontend.circuit.facts import Facts

COLUMNS = (
    "quantity",
    "references",
    "value",
    "manufacturer",
    "number",
    "footprint",
    "where",
    "rating",
    "alternatives",
    "unread",
)
PRICED = ("each_eur", "together_eur", "price_from", "sold_by")


def rating(volts: float, amperes: float, watts: float) -> str:
    """Return ratings as text, those that there are."""
    told = [
        f"{value:g} {unit}" for value, unit in ((volts, "V"), (amperes, "A"), (watts, "W")) if value
    ]
    return ", ".join(told)


def bill_of(
    facts: Facts, prices_eur: Mapping[str, float] | None = None, sold_by: Mapping[str, str] = {}
) -> str:
    """Return the bill as CSV. `unread` tells what nobody has compared with the data sheet.

    Args:
        facts: the circuit.
        prices_eur: what one of a kind costs, by the kind's name; none: a bill without prices.
        sold_by: where a kind is sold.

    Raises:
        KeyError: a kind has no price, or is sold nowhere.
    """
    lines: dict[tuple[str, str, str], list[str]] = {}
    kinds = {}
    for part in facts.parts:
        if part.kind.prefix == "TP":
            continue
        key = (maker_number(part.kind, part.value), part.value, part.where)
        lines.setdefault(key, []).append(part.ref)
        kinds[key] = part.kind
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS if prices_eur is None else COLUMNS + PRICED)
    for key in sorted(lines):
        kind = kinds[key]
        priced: tuple[str, ...] = ()
        if prices_eur is not None:
            each, many = prices_eur[kind.name], len(lines[key])
            priced = (f"{each:.2f}", f"{each * many:.2f}", "assumed", sold_by[kind.name])
        writer.writerow(
            (
                len(lines[key]),
                " ".join(lines[key]),
                key[1],
                kind.maker,
                key[0],
                kind.footprint,
                key[2],
                rating(kind.rated_v, kind.rated_a, kind.rated_w),
                kind.alternatives,
                kind.unread,
                *priced,
            )
        )
    return out.getvalue()
