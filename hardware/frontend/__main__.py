"""Builds what comes of the front end's sources: `python -m frontend OUT [--quick]`.

Exit status 0 where all is within its limits, 1 where something is not, 2 where a program or a
package is missing.
"""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from frontend.circuit.facts import Facts
from frontend.fault_table import table_of_faults, unsafe
from frontend.faults import (
    WAYS,
    Effect,
    effect_of,
    faults_of,
    miswires_of,
    moved_wires,
    parts_of,
    wire_faults,
)
from frontend.products import CircuitError, built, printed
from frontend.simulation.campaign import (
    ALL_STUDIES,
    carry_all_out,
    idle_tolerances,
    table_of,
    with_draws,
)
from frontend.simulation.delay_table import toml_of
from frontend.simulation.elements import Fault
from frontend.simulation.ngspice import find_ngspice
from frontend.simulation.spread import DeckError


def fault_tree(ngspice: str, facts: Facts, way: str, jobs: int) -> tuple[list[Effect], list[str]]:
    """Return what every single fault does, and a sentence for each that must not be so."""
    faults: list[Fault | None] = [None, *miswires_of(way)]
    faults += [fault for part in parts_of(facts, way) for fault in faults_of(part)]
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda fault: effect_of(ngspice, facts, fault, way), faults))
    effects = [effect for effect, _why in found if effect is not None]
    failed = [
        f"fault {fault}: {why}"
        for fault, (effect, why) in zip(faults, found, strict=True)
        if effect is None
    ]
    return effects, failed + unsafe(effects)


def wire_tree(ngspice: str, facts: Facts, jobs: int) -> tuple[int, list[str]]:
    """Return how many faults were tried, and a sentence for each that moves a wire of the DUT."""
    faults: list[Fault | None] = [None, *wire_faults(facts)]
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda fault: moved_wires(ngspice, facts, fault), faults))
    problems = []
    for fault, (moved, why) in zip(faults, found, strict=True):
        name = f"{fault.tag}, {fault.what}" if fault else "no fault"
        problems += [f"{name}: {sentence}" for sentence in moved]
        problems += [f"{name}: {why}"] if why else []
    return len(faults) - 1, problems


def build(out: Path, quick: bool, jobs: int) -> list[str]:
    """Build into a folder and return a sentence for each thing that is not as it must be.

    Raises:
        DeckError: ngspice is missing.
        CircuitError: manifold3d is missing.
    """
    ngspice = find_ngspice()
    files, facts, problems = built()
    print(f"{len(facts)} circuits, {len(problems)} broken rules")
    drawn, meshes, faults = printed()
    print(f"{len(meshes)} printed parts, {len(faults)} faults")
    files |= drawn
    problems += faults
    studies = with_draws(ALL_STUDIES, 0) if quick else ALL_STUDIES
    outcomes = carry_all_out(ngspice, studies, facts, jobs)
    print(table_of(outcomes))
    problems += [failure for outcome in outcomes for failure in outcome.failures]
    if not quick:
        print("tolerances that change nothing:", *idle_tolerances(outcomes, facts))
        trees = {}
        for way, one in WAYS.items():
            trees[way], failed = fault_tree(ngspice, facts[one.variant], way, jobs)
            print(f"{len(trees[way])} faults of the {way}, {len(failed)} not as they must be")
            problems += failed
        tried, moved = wire_tree(ngspice, facts["pico-wired"], jobs)
        print(f"{tried} faults of what the DUT's wires meet, {len(moved)} not as they must be")
        problems += moved
        files["faults.md"] = table_of_faults(trees, tried, moved)
        if not problems:
            files["delays.toml"] = toml_of(outcomes)
    written = {name: text.encode("utf-8") for name, text in files.items()} | meshes
    for name, content in written.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return problems


def main() -> int:
    """Build into the folder that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m frontend", description=__doc__)
    parser.add_argument("out", type=Path, help="folder for what is made")
    parser.add_argument("--quick", action="store_true", help="nominal runs only, no delay table")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    try:
        problems = build(options.out, options.quick, options.jobs)
    except (DeckError, CircuitError) as error:
        print(f"make hardware: {error}", file=sys.stderr)
        return 2
    for problem in problems:
        print(f"make hardware: {problem}", file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
