"""Everything that comes of code: netlists, bills, schematics, wiring tables, printed parts.

SKiDL writes logs into the working folder, keeps state between circuits and talks while it is
imported, so it is used here only: in a folder of its own and in one process for each build.
"""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping

from frontend.circuit.bill import bill_of
from frontend.circuit.facts import COMPARATORS, Facts
from frontend.drawing import block_diagram_of, schematic_of
from frontend.rules import broken_rules
from frontend.wiring import DUT_KINDS, wiring_of
from frontend.wiring_picture import wiring_picture_of

MISSING = (
    "the circuits need SKiDL, and it is not there; install it with `pip install '.[hardware]'`"
)
UNPRINTED = (
    "the printed parts need manifold3d, and it is not there; install it with "
    "`pip install '.[hardware]'`"
)
UNDRAWN = (COMPARATORS, "carrier")


class CircuitError(Exception):
    """What is made of code cannot be built: SKiDL or manifold3d is not there."""


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Lead the process's error output away: SKiDL keeps hold of it from its import on."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def built() -> tuple[dict[str, str], dict[str, Facts], list[str]]:
    """Build every variant.

    Returns:
        Files by name, facts by variant, and a sentence for each rule that is broken.

    Raises:
        CircuitError: SKiDL is not installed.
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), silence():
        try:
            from frontend.circuit.front_end import VARIANTS, front_end
            from frontend.circuit.netlist import electrical_faults, netlist_of
        except ModuleNotFoundError as error:
            raise CircuitError(MISSING) from error
        files: dict[str, str] = {}
        facts: dict[str, Facts] = {}
        broken = []
        for variant in VARIANTS:
            board = front_end(variant)
            found = facts[variant.name] = board.facts()
            broken += [f"{variant.name}: {fault}" for fault in broken_rules(found)]
            broken += [f"{variant.name}: {fault}" for fault in electrical_faults(board)]
            files[f"netlists/{variant.name}.net"] = netlist_of(board)
            files[f"bills/{variant.name}.csv"] = bill_of(found)
    return files | drawings(facts) | wiring(facts), facts, broken


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
