"""A study: one deck under one condition, with nominal parts, extreme parts and drawn parts.

A figure's bound is the larger of two: the sum of what each tolerance does alone at its worse
end, and the largest deviation of any draw. A draw that did not converge is a failure, never
left out.
"""

import math
import random
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from frontend.simulation.ngspice import DeckError, Measures

Run = Callable[[str, Mapping[str, float], tuple[str, ...]], Measures]
"""Runs a deck with parameters and returns the named measures."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Where a parameter may lie, over tolerance and temperature; drawn evenly between its ends."""

    nominal: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Limit:
    """What a measure must keep to in every draw."""

    measure: str
    low: float
    high: float
    why: str


@dataclass(frozen=True, slots=True)
class Study:
    """A deck under one condition."""

    name: str
    deck: str
    measures: tuple[str, ...]
    fixed: Mapping[str, float] = field(default_factory=dict)
    spreads: Mapping[str, Spread] = field(default_factory=dict)
    limits: tuple[Limit, ...] = ()
    draws: int = 0
    bounds: Mapping[str, float] = field(default_factory=dict)
    """How wide a measure's bound may be; held only against a study with draws."""
    corners: tuple[tuple[str, ...], ...] = ()
    """Parameters that are taken to their high ends together, as their product counts."""


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


def between(low: float, nominal: float, high: float) -> Spread:
    """Return a spread from its ends in ascending order.

    Raises:
        DeckError: they are not.
    """
    if not low <= nominal <= high:
        raise DeckError(f"a spread from {low} over {nominal} to {high} is not in ascending order")
    return Spread(nominal, low, high)


def about(nominal: float, share: float) -> Spread:
    """Return a spread of a share to both sides, for example 0.01 for 1 %."""
    return Spread(nominal, nominal - abs(nominal) * share, nominal + abs(nominal) * share)


def drawn(study: Study, index: int) -> dict[str, float]:
    """Return the parameters of one draw; the same ones for the same study and index."""
    source = random.Random(f"{study.name}/{index}")
    return {
        name: spread.low + (spread.high - spread.low) * source.random()
        for name, spread in study.spreads.items()
    }


def plan(study: Study) -> list[tuple[str, dict[str, float]]]:
    """Return the runs of a study with what each is called: nominal, ends, draws."""
    nominal = {name: spread.nominal for name, spread in study.spreads.items()}
    runs = [("nominal", nominal)]
    if study.draws:
        for name, spread in study.spreads.items():
            runs.append((f"{name} low", nominal | {name: spread.low}))
            runs.append((f"{name} high", nominal | {name: spread.high}))
        for names in study.corners:
            high = {name: study.spreads[name].high for name in names}
            runs.append((f"{' and '.join(names)} high", nominal | high))
        runs.extend((f"draw {index}", drawn(study, index)) for index in range(study.draws))
    return runs


def broken_limits(study: Study, name: str, values: Mapping[str, float]) -> list[str]:
    """Return a sentence for each limit that a run left."""
    return [
        f"{study.name}, {name}: {limit.measure} is {values[limit.measure]:.4g}; "
        f"allowed are {limit.low:.4g} to {limit.high:.4g} ({limit.why})"
        for limit in study.limits
        if not limit.low <= values[limit.measure] <= limit.high
    ]


def figure(study: Study, measure: str, found: Mapping[str, Mapping[str, float]]) -> Figure:
    """Return a measure's figure from the runs that succeeded, the nominal one among them."""
    centre = found["nominal"][measure]
    effects = {
        name: max(
            abs(found[run][measure] - centre)
            for run in (f"{name} low", f"{name} high", "nominal")
            if run in found
        )
        for name in study.spreads
    }
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


def carry_out(study: Study, run: Run) -> Outcome:
    """Carry a study out.

    Args:
        study: what to simulate.
        run: runs one deck.

    Returns:
        Its figures; none where even the nominal run failed.
    """
    found: dict[str, Mapping[str, float]] = {}
    failures = []
    runs = plan(study)
    for name, parameters in runs:
        measures = run(study.deck, {**study.fixed, **parameters}, study.measures)
        if measures.failure is not None:
            failures.append(f"{study.name}, {name}: {measures.failure}")
            continue
        found[name] = measures.values
        failures.extend(broken_limits(study, name, measures.values))
    figures = {}
    if "nominal" in found:
        figures = {measure: figure(study, measure, found) for measure in study.measures}
    if study.draws:
        failures.extend(
            f"{study.name}: the bound of {measure} is {figures[measure].bound:.4g}; allowed is "
            f"{allowed:.4g}"
            for measure, allowed in study.bounds.items()
            if measure in figures and figures[measure].bound > allowed
        )
    return Outcome(study, figures, len(runs), tuple(failures))
