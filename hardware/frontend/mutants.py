"""Mutants: each part of a circuit changed, and who notices; `python -m frontend.mutants OUT`.

A value ten times as large and a tenth, two pins swapped, a diode reversed, a part left out. The
rules look first, then the studies that have the part, with nominal parts only. The committed
netlist does not count: it would notice any change and says nothing of whether one is right.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from frontend.circuit.facts import COMPARATORS, Facts, Placed
from frontend.products import circuits
from frontend.rules import RULES, SMALL_RULES, broken_rules
from frontend.simulation.campaign import ALL_STUDIES, one_run, with_draws
from frontend.simulation.elements import number
from frontend.simulation.ngspice import find_ngspice
from frontend.simulation.spread import DeckError
from frontend.simulation.study import Study, carry_out

LEAST_SHARE = 0.95
UNITS = ((1e-12, "p"), (1e-9, "n"), (1e-6, "u"), (1e-3, "m"), (1.0, ""), (1e3, "k"), (1e6, "M"))
SMALL = "small-start"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one part."""

    variant: str
    tag: str
    what: str

    def __str__(self) -> str:
        """Return it as the table has it."""
        return f"{self.variant} {self.tag}: {self.what}"


def written(value: float) -> str:
    """Return a value as it is printed on a part."""
    scale, letter = next(unit for unit in reversed(UNITS) if value >= 0.9999999 * unit[0])
    return f"{value / scale:.6g}{letter}"


def changes_of(part: Placed) -> Iterator[tuple[str, Placed | None]]:
    """Yield every change of a part; None leaves it out."""
    if part.kind.prefix in ("R", "C", "RV", "L"):
        for what, factor in (("x 10", 10.0), ("/ 10", 0.1)):
            yield f"value {what}", replace(part, value=written(number(part.value) * factor))
    yield "left out", None
    pins = list(part.nets)
    if part.kind.prefix in ("D", "Q", "T", "K", "U") or part.kind.name == "C_BULK":
        pairs = [(pins[at], pins[(at + 1) % len(pins)]) for at in range(len(pins))]
        if len(pins) == 2:
            pairs = pairs[:1]
        for first, second in pairs:
            if part.nets[first] != part.nets[second]:
                nets = {**part.nets, first: part.nets[second], second: part.nets[first]}
                yield f"{first} and {second} swapped", replace(part, nets=nets)


EQUAL = {
    # Why a change changes nothing, by what tells it.
    "O1 and O2 swapped": "a photoMOS conducts both ways",
    "O2 and O1 swapped": "a photoMOS conducts both ways",
    "A1 and A0 swapped": "both are at ground",
}


def mutants_of(facts: Facts, variant: str) -> Iterator[tuple[Mutant, Facts]]:
    """Yield every mutant of a circuit; what changes nothing by its nature is no mutant."""
    for place, part in enumerate(facts.parts):
        if not part.kind.pins or part.kind.name == "PICO_H":
            continue
        for what, changed in changes_of(part):
            if what in EQUAL:
                continue
            parts = list(facts.parts)
            if changed is None:
                del parts[place]
            else:
                parts[place] = changed
            yield Mutant(variant, part.tag, what), Facts(tuple(parts))


def studies_with(part: Placed, variant: str, facts: Facts) -> list[Study]:
    """Return the studies that a part is in, the quick ones first."""
    near = set(part.nets.values())
    found = []
    for study in with_draws(ALL_STUDIES, 0):
        circuit = study.circuit
        if circuit.variant != variant:
            continue
        if part.sheet in (*circuit.sheets, *circuit.known):
            found.append(study)
        elif part.sheet == COMPARATORS and circuit.sheets:
            own = {n for p in facts.parts if p.sheet in circuit.sheets for n in p.nets.values()}
            if near & {net for net in own if not net.startswith(("TH_", "GND", "+3V3"))}:
                found.append(study)
    slow = ("pwr-ok, ramp", "static", "hold limit", "dead-man")
    return sorted(found, key=lambda study: study.name.startswith(slow))


def noticed_by(
    ngspice: str, mutant: Mutant, changed: Facts, sound: Mapping[str, Facts]
) -> str | None:
    """Return who notices a mutant, or None."""
    rules = SMALL_RULES if mutant.variant == SMALL else RULES
    try:
        broken = broken_rules(changed, rules)
    except (KeyError, IndexError, StopIteration) as error:
        return f"a rule stops at {error!r}"
    if broken:
        return f"rule {broken[0].split(':')[0]}"
    part = next(p for p in sound[mutant.variant].parts if p.tag == mutant.tag)
    run = one_run(ngspice)
    for study in studies_with(part, mutant.variant, sound[mutant.variant]):
        try:
            outcome = carry_out(study, changed, run)
        except (DeckError, KeyError):
            return f"study {study.name}: its bench does not fit any more"
        if outcome.failures:
            return f"study {study.name}"
    return None


def known(path: Path) -> dict[str, str]:
    """Return the reasons for mutants that nobody can notice, by the mutant."""
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return dict(line.split(" | ", 1) for line in lines if " | " in line and line[0] != "#")


def all_mutants(sound: Mapping[str, Facts]) -> list[tuple[Mutant, Facts]]:
    """Return every mutant; what the second variant has like the first is looked at once."""
    seen: set[tuple[str, str]] = set()
    found = []
    for variant, facts in sound.items():
        for mutant, changed in mutants_of(facts, variant):
            if (mutant.tag, mutant.what) not in seen:
                found.append((mutant, changed))
        seen |= {(mutant.tag, mutant.what) for mutant, _changed in found}
    return found


def page_of(results: Sequence[tuple[Mutant, str | None]], reasons: Mapping[str, str]) -> str:
    """Return the table of who noticed what, and each that nobody did with its reason."""
    missed = [mutant for mutant, who in results if who is None]
    by = Counter((who or "nobody").split(":")[0] for _mutant, who in results)
    share = 1 - len(missed) / len(results)
    lines = [
        "# Mutants of the circuits",
        "",
        "Made by `make hardware-mutants`: each part with ten times and a tenth of its value, with",
        "two pins swapped, reversed, left out. Rules and nominal studies look; the committed",
        "netlist does not count.",
        "",
        f"{len(results)} mutants, {len(results) - len(missed)} noticed: {100 * share:.1f} %.",
        "",
        "| who | mutants noticed first |",
        "|---|---|",
        *(f"| {who} | {count} |" for who, count in sorted(by.items(), key=lambda c: (-c[1], c[0]))),
        "",
        "## Nobody notices",
        "",
        *(f"- {mutant} - {reasons.get(str(mutant), 'no reason is known')}" for mutant in missed),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Look at all mutants."""
    parser = argparse.ArgumentParser(prog="python -m frontend.mutants", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    ngspice, sound = find_ngspice(), circuits()
    mutants = all_mutants(sound)
    with ThreadPoolExecutor(options.jobs) as pool:
        who = list(pool.map(lambda one: noticed_by(ngspice, one[0], one[1], sound), mutants))
    results = [(mutant, found) for (mutant, _changed), found in zip(mutants, who, strict=True)]
    reasons = known(Path(__file__).resolve().parents[1] / "mutants-equal.txt")
    page = page_of(results, reasons)
    options.out.write_text(page, "utf-8")
    missed = [mutant for mutant, found in results if found is None]
    print(page.split("\n\n")[2])
    unexplained = [mutant for mutant in missed if str(mutant) not in reasons]
    for mutant in unexplained:
        print(f"nobody notices {mutant}", file=sys.stderr)
    return int(1 - len(missed) / len(results) < LEAST_SHARE or bool(unexplained))


if __name__ == "__main__":
    sys.exit(main())
