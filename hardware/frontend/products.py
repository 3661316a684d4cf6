"""Everything that comes of code: netlists, bills, schematics, wiring tables, printed parts."""

from collections.abc import Mapping

from frontend.circuit.bill import bill_of
from frontend.circuit.facts import Facts
from frontend.circuit.front_end import VARIANTS, front_end
from frontend.circuit.netlist import netlist_of
from frontend.circuit.small_start import PRICES_EUR, SMALL_START, SOLD_BY, small_start
from frontend.drawing import block_diagram_of
from frontend.finding_picture import finding_pictures
from frontend.mechanics.actuator_margins import broken_margins, margins, table_of_margins
from frontend.rules import RULES, SMALL_RULES, broken_rules
from frontend.schematic import schematic_of
from frontend.wiring import DUT_KINDS, wiring_of
from frontend.wiring_picture import wiring_picture_of

UNPRINTED = (
    "the printed parts need manifold3d, and it is not there; install it with "
    "`pip install '.[hardware]'`"
)
UNDRAWN = ("beside",)


class CircuitError(Exception):
    """What is made of code cannot be built: manifold3d is not there."""


def circuits() -> dict[str, Facts]:
    """Return every circuit by its variant."""
    facts = {variant.name: front_end(variant).facts() for variant in VARIANTS}
    return facts | {SMALL_START: small_start().facts()}


def built() -> tuple[dict[str, str], dict[str, Facts], list[str]]:
    """Build every variant.

    Returns:
        Files by name, facts by variant, and a sentence for each rule, and each limit of an
        actuator, that is broken.
    """
    files: dict[str, str] = {}
    facts = circuits()
    broken = []
    for name, found in facts.items():
        rules = SMALL_RULES if name == SMALL_START else RULES
        broken += [f"{name}: {fault}" for fault in broken_rules(found, rules)]
        files[f"netlists/{name}.net"] = netlist_of(found)
        priced = (PRICES_EUR, SOLD_BY) if name == SMALL_START else ()
        files[f"bills/{name}.csv"] = bill_of(found, *priced)
    moved = facts["pico-no-access"]
    broken += broken_margins(margins(moved))
    files["actuators.md"] = table_of_margins(moved)
    return files | drawings(facts) | wiring(facts) | finding_pictures(), facts, broken


def printed() -> tuple[dict[str, str], dict[str, bytes], list[str]]:
    """Build the printed parts.

    Returns:
        Drawings and meshes by file name, and a sentence for each fault of a part.

    Raises:
        CircuitError: manifold3d is not installed.
    """
    try:
        from frontend.mechanics import products
    except ModuleNotFoundError as error:
        raise CircuitError(UNPRINTED) from error
    return products.printed()


def drawings(facts: Mapping[str, Facts]) -> dict[str, str]:
    """Return the schematics: those of the first variant, and what only another one has."""
    files: dict[str, str] = {}
    for name, found in facts.items():
        for sheet in dict.fromkeys(part.sheet for part in found.parts):
            path = f"schematics/{sheet}.svg"
            if sheet not in UNDRAWN and path not in files:
                files[path] = schematic_of(found, sheet)
        files[f"schematics/blocks-{name}.svg"] = block_diagram_of(found)
    return files


def wiring(facts: Mapping[str, Facts]) -> dict[str, str]:
    """Return the wiring tables, and a picture of each that has wires."""
    files = {f"wiring/{kind.name}.md": wiring_of(kind, facts[kind.variant]) for kind in DUT_KINDS}
    return files | {
        f"wiring/{kind.name}.svg": wiring_picture_of(kind, facts[kind.variant])
        for kind in DUT_KINDS
        if kind.wires
    }
