"""A study: a bench around a circuit, with nominal parts, extreme parts and drawn parts.

The circuit and its values come from the circuit itself; a tolerance of the bench that changes
nothing is a failure.

A figure's bound is the larger of two: the sum of what each tolerance does alone at its worse
end, and the largest deviation of any draw. A draw that did not converge is a failure, never
left out.
"""

import math
import random
import re
import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from frontend.circuit.facts import Facts
from frontend.simulation.elements import CARDS, Circuit, Fault, lines_of, spreads_of
from frontend.simulation.ngspice import DECKS, Measures, checked, with_parameters
from frontend.simulation.spread import Spread, between

Run = Callable[[str, Mapping[str, float], tuple[str, ...]], Measures]
"""Runs a deck, given as text, with parameters and returns the named measures."""
CELSIUS = between(0.0, 27.0, 60.0)
"""What the models themselves make of temperature: diodes and FETs."""
NOTHING = 1e-6
"""Share of a measure below which a tolerance changes nothing."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What a measure must keep to in every draw."""

    measure: str
    low: float
    high: float
    why: str


@dataclass(frozen=True, slots=True)
class Study:
    """A bench around a circuit, under one condition."""

    name: str
    bench: str
    circuit: Circuit
    measures: tuple[str, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    """What stands in the bench for words between two @: nets, and lines of its own."""
    fixed: Mapping[str, float] = field(default_factory=dict)
    spreads: Mapping[str, Spread] = field(default_factory=dict)
    """Of the bench; those of the circuit's parts and models come from the circuit."""
    limits: tuple[Limit, ...] = ()
    draws: int = 0
    bounds: Mapping[str, float] = field(default_factory=dict)
    """How wide a measure's bound may be; held only against a study with draws."""
    corners: tuple[tuple[str, ...], ...] = ()
    """Parameters that are taken to their high ends together, as their product counts."""

    def all_spreads(self, facts: Facts) -> dict[str, Spread]:
        """Return the spreads of circuit and bench; what is fixed has none."""
        found = spreads_of(facts, self.circuit) | dict(self.spreads)
        return {name: spread for name, spread in found.items() if name not in self.fixed}


def cards(given: Mapping[str, float]) -> list[str]:
    """Return the models' lines; that of the clamp only where its voltage is given."""
    needs = ("vclamp", "npngain")
    return [
        line
        for line in CARDS.splitlines()
        if all(f"{{{name}}}" not in line or name in given for name in needs)
    ]


def deck_of(study: Study, facts: Facts, fault: Fault | None = None) -> str:
    """Return a study's deck: the bench, and the circuit with its values.

    Raises:
        DeckError: bench and circuit do not fit each other.
    """
    bench = (DECKS / f"{study.bench}.bench").read_text("utf-8")
    for word, text in {"MORE": "", **study.names}.items():
        bench = bench.replace(f"@{word}@", text)
    title, rest = bench.split("\n", 1)
    spreads = {"celsius": CELSIUS, **study.all_spreads(facts)}
    in_bench = set(re.findall(r"^\.param (\w+)=", rest, re.MULTILINE))
    given = {name: spread.nominal for name, spread in spreads.items()} | dict(study.fixed)
    lines = [
        title,
        ".include models.inc",
        *(f".param {name}={given[name]:.9g}" for name in sorted(set(given) - in_bench)),
        ".temp {celsius}",
        *(cards(given) if study.circuit.sheets else []),
        *lines_of(facts, study.circuit, fault),
        rest.rstrip("\n"),
        ".end",
    ]
    text = checked("\n".join(lines) + "\n", study.name)
    inside = {name: value for name, value in given.items() if name in in_bench}
    return with_parameters(text, inside, study.name)


@dataclass(frozen=True, slots=True)
class Figure:
    """What a study found of one measure, in the unit of the measure."""

    nominal: float
    low: float
    high: float
    bound: float
    """Half-width about the nominal value that no draw and no sum of worst ends leaves."""
    standard: float
    """Root mean square of the draws' deviations from the nominal value."""
    worst: str
    """The parameter that does most."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that a study found."""

    study: Study
    figures: Mapping[str, Figure]
    runs: int
    failures: tuple[str, ...]
    """Runs that gave no figures, and limits that were left, one sentence each."""
    counts: frozenset[str]
    """The tolerances that change something."""


def drawn(name: str, spreads: Mapping[str, Spread], index: int) -> dict[str, float]:
    """Return the parameters of one draw; the same ones for the same study and index."""
    found = {}
    for parameter, spread in spreads.items():
        share = random.Random(f"{name}/{index}/{parameter}").random()
        found[parameter] = spread.low + (spread.high - spread.low) * share
    return found


def plan(study: Study, spreads: Mapping[str, Spread]) -> list[tuple[str, dict[str, float]]]:
    """Return the runs of a study with what each is called: nominal, ends, draws."""
    nominal = {name: spread.nominal for name, spread in spreads.items()}
    runs = [("nominal", nominal)]
    if study.draws:
        for name, spread in spreads.items():
            for end, value in (("low", spread.low), ("high", spread.high)):
                if value != spread.nominal:
                    runs.append((f"{name} {end}", nominal | {name: value}))
        for names in study.corners:
            high = {name: spreads[name].high for name in names}
            runs.append((f"{' and '.join(names)} high", nominal | high))
        runs.extend(
            (f"draw {index}", drawn(study.name, spreads, index)) for index in range(study.draws)
        )
    return runs


def broken_limits(study: Study, name: str, values: Mapping[str, float]) -> list[str]:
    """Return a sentence for each limit that a run left."""
    return [
        f"{study.name}, {name}: {limit.measure} is {values[limit.measure]:.4g}; "
        f"allowed are {limit.low:.4g} to {limit.high:.4g} ({limit.why})"
        for limit in study.limits
        if not limit.low <= values[limit.measure] <= limit.high
    ]


def effects_of(
    measure: str, names: Iterable[str], found: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    """Return what each tolerance does alone to a measure, at its worse end."""
    centre = found["nominal"][measure]
    return {
        name: max(
            abs(found[run][measure] - centre)
            for run in (f"{name} low", f"{name} high", "nominal")
            if run in found
        )
        for name in names
    }


def figure(measure: str, names: Iterable[str], found: Mapping[str, Mapping[str, float]]) -> Figure:
    """Return a measure's figure from the runs that succeeded, the nominal one among them."""
    centre = found["nominal"][measure]
    effects = effects_of(measure, names, found)
    values = [values[measure] for values in found.values()]
    draws = [values[measure] for run, values in found.items() if run.startswith("draw")]
    deviations = [abs(value - centre) for value in values]
    squares = [(value - centre) ** 2 for value in draws]
    return Figure(
        nominal=centre,
        low=min(values),
        high=max(values),
        bound=max([*deviations, sum(effects.values())]),
        standard=math.sqrt(statistics.fmean(squares)) if squares else 0.0,
        worst=max(effects, key=lambda name: effects[name]) if effects else "",
    )


def counted(
    study: Study, spreads: Mapping[str, Spread], found: Mapping[str, Mapping[str, float]]
) -> frozenset[str]:
    """Return the tolerances that change some measure of a study."""
    return frozenset(
        name
        for measure in study.measures
        for name, effect in effects_of(measure, spreads, found).items()
        if effect > NOTHING * abs(found["nominal"][measure])
    )


def carry_out(study: Study, facts: Facts, run: Run) -> Outcome:
    """Carry a study out.

    Args:
        study: what to simulate.
        facts: the circuit that it is about.
        run: runs one deck.

    Returns:
        Its figures; none where even the nominal run failed.

    Raises:
        DeckError: bench and circuit do not fit each other.
    """
    found: dict[str, Mapping[str, float]] = {}
    failures = []
    deck = deck_of(study, facts)
    spreads = {"celsius": CELSIUS, **study.all_spreads(facts)}
    runs = plan(study, spreads)
    for name, parameters in runs:
        measures = run(deck, parameters, study.measures)
        if measures.failure is not None:
            failures.append(f"{study.name}, {name}: {measures.failure}")
            continue
        found[name] = measures.values
        failures.extend(broken_limits(study, name, measures.values))
    if "nominal" not in found:
        return Outcome(study, {}, len(runs), tuple(failures), frozenset())
    figures = {measure: figure(measure, spreads, found) for measure in study.measures}
    counts: frozenset[str] = frozenset()
    if study.draws:
        counts = counted(study, spreads, found)
        failures.extend(
            f"{study.name}: the tolerance of {name} changes nothing"
            for name in sorted(set(study.spreads) - counts)
        )
        failures.extend(
            f"{study.name}: the bound of {measure} is {figures[measure].bound:.4g}; allowed is "
            f"{allowed:.4g}"
            for measure, allowed in study.bounds.items()
            if figures[measure].bound > allowed
        )
    return Outcome(study, figures, len(runs), tuple(failures), counts)
