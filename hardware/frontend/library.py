"""KiCad's symbols and footprints, as an independent source of what pin is what.

`hardware/kicad-library.csv` keeps what KiCad's libraries say of each kind, so that the check needs
no KiCad; `python -m frontend.library` makes it anew where KiCad is installed.
"""

import csv
import io
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from frontend.circuit.catalogue import Kind
from frontend.circuit.facts import Facts

SYMBOLS = Path("/usr/share/kicad/symbols")
FOOTPRINTS = Path("/usr/share/kicad/footprints")
KEPT = Path(__file__).resolve().parents[1] / "kicad-library.csv"
COLUMNS = ("kind", "symbol", "footprint", "number", "pin", "pad")
SAME = {
    # Ours: KiCad's. Amplifiers and comparators have units in KiCad; see UNITS.
    "VDD": ("V+", "VCC"), "VSS": ("V-", "GND"), "VCC": ("VCC", "V+"), "V-": ("-", "V-"),
    "V+": ("+", "V+"), "ALERT": ("~{Alert}",), "VBUS": ("Vbus",), "IN-": ("Vin-", "-"),
    "IN+": ("Vin+", "+"), "TRIG": ("TR",), "OUT": ("Q", "OUT", "VOUT"), "RESET": ("R",),
    "CONT": ("CV",), "THRES": ("THR",), "DISCH": ("DIS",), "SIGNAL": ("PWM",), "+": ("+", "~"),
    "-": ("-", "~"),
}  # fmt: skip
NAMELESS = ("~", "")
UNIT = re.compile(r"(IN|OUT)[1-4A-D]([+-]?)$")


def kinds_of(circuits: Iterable[Facts]) -> dict[str, Kind]:
    """Return every kind that has a symbol, by its name."""
    found = {part.kind.name: part.kind for facts in circuits for part in facts.parts}
    return {name: kind for name, kind in sorted(found.items()) if kind.symbol}


def block(text: str, name: str) -> str:
    """Return a symbol's text; that of the symbol that it extends where it has no pins itself.

    Raises:
        KeyError: the library has no such symbol.
    """
    found = re.search(
        rf'\n  \(symbol "{re.escape(name)}"(.*?)(?=\n  \(symbol |\n\)\s*$)', text, re.S
    )
    if found is None:
        raise KeyError(name)
    more = re.match(r' \(extends "([^"]+)"', found[1])
    return block(text, more[1]) if more else found[1]


def pins_of(symbol: str) -> dict[str, str]:
    """Return the pins of one of KiCad's symbols: name by number."""
    library, name = symbol.split(":")
    text = block((SYMBOLS / f"{library}.kicad_sym").read_text("utf-8"), name)
    return {
        number: pin
        for pin, number in re.findall(
            r'\(pin \w+ \w+.*?\(name "([^"]*)".*?\(number "([^"]*)"', text, re.S
        )
    }


def pads_of(footprint: str) -> set[str]:
    """Return the numbers of a footprint's pads."""
    library, name = footprint.split(":")
    text = (FOOTPRINTS / f"{library}.pretty" / f"{name}.kicad_mod").read_text("utf-8")
    return {pad for pad in re.findall(r'\(pad "?([^"\s]*)"? ', text) if pad}


def extract(circuits: Iterable[Facts]) -> str:
    """Return what KiCad's libraries say of every kind, as a table."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, kind in kinds_of(circuits).items():
        pins = pins_of(kind.symbol)
        pads = pads_of(kind.footprint) if ":" in kind.footprint else set(pins)
        for number in sorted(pins, key=lambda text: (len(text), text)):
            row = (name, kind.symbol, kind.footprint, number, pins[number])
            writer.writerow((*row, number if number in pads else ""))
    return out.getvalue()


def agrees(ours: str, kicads: str) -> bool:
    """Whether two names can be those of the same pin."""
    if kicads.startswith("Pin_"):
        return True
    if kicads in NAMELESS:
        return UNIT.match(ours) is None or ours.startswith("OUT") or ours.isdigit()
    unit = UNIT.match(ours)
    if unit:
        return kicads == unit[2]
    return ours == kicads or kicads in SAME.get(ours, ())


def disagreements(kinds: Iterable[Kind], table: str) -> Iterator[str]:
    """Yield a sentence for each pin, pad or kind that KiCad's libraries know otherwise."""
    rows = list(csv.DictReader(io.StringIO(table)))
    for kind in kinds:
        own = [row for row in rows if row["kind"] == kind.name]
        if not own or {(row["symbol"], row["footprint"]) for row in own} != {
            (kind.symbol, kind.footprint)
        }:
            yield f"{kind.name}: {KEPT.name} does not have {kind.symbol} and {kind.footprint}"
            continue
        theirs = {row["number"]: row["pin"] for row in own}
        ours = {number: pin for number, pin, _type in kind.pins}
        if set(ours) != set(theirs):
            yield f"{kind.name}: pins {sorted(ours)}; KiCad's {kind.symbol} has {sorted(theirs)}"
        for number, pin in ours.items():
            if number in theirs and not agrees(pin, theirs[number]):
                yield f"{kind.name}: pin {number} is {pin}; KiCad's is {theirs[number]}"
        for row in own:
            if not row["pad"] and kind.footprint:
                yield f"{kind.name}: {kind.footprint} has no pad {row['number']}"


def main() -> int:
    """Write the table anew from KiCad's libraries."""
    from frontend.products import circuits

    KEPT.write_text(extract(circuits().values()), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
