"""All studies, carried out side by side, and the table that is printed of them."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from frontend.circuit.facts import Facts
from frontend.simulation import actuators, light, protection, sense, small
from frontend.simulation.elements import spreads_of
from frontend.simulation.ngspice import Measures, run_text, with_parameters
from frontend.simulation.study import Outcome, Run, Study, carry_out

ALL_STUDIES: tuple[Study, ...] = (
    *sense.STUDIES,
    *actuators.STUDIES,
    *light.STUDIES,
    *protection.STUDIES,
    *small.STUDIES,
)


def with_draws(studies: Iterable[Study], most: int) -> tuple[Study, ...]:
    """Return the studies with no more draws than `most`; 0 leaves the nominal run."""
    return tuple(replace(study, draws=min(study.draws, most)) for study in studies)


def one_run(ngspice: str) -> Run:
    """Return what runs a deck in ngspice."""

    def run(deck: str, parameters: Mapping[str, float], names: tuple[str, ...]) -> Measures:
        return run_text(ngspice, with_parameters(deck, parameters, "run"), names)

    return run


def carry_all_out(
    ngspice: str, studies: Sequence[Study], facts: Mapping[str, Facts], jobs: int
) -> list[Outcome]:
    """Carry studies out, `jobs` at a time, and return what they found in their order."""
    run = one_run(ngspice)
    with ThreadPoolExecutor(jobs) as pool:
        return list(
            pool.map(lambda study: carry_out(study, facts[study.circuit.variant], run), studies)
        )


def idle_tolerances(outcomes: Sequence[Outcome], facts: Mapping[str, Facts]) -> list[str]:
    """Return the tolerances of parts and models that change nothing in any study that has them."""
    drawn = [outcome for outcome in outcomes if outcome.study.draws]
    have: set[str] = set()
    for outcome in drawn:
        study = outcome.study
        have |= set(spreads_of(facts[study.circuit.variant], study.circuit)) - set(study.fixed)
    known = {
        name
        for outcome in drawn
        for name, spread in spreads_of(
            facts[outcome.study.circuit.variant], outcome.study.circuit
        ).items()
        if spread.low == spread.high
    }
    return sorted(have - known - {name for outcome in drawn for name in outcome.counts})


def table_of(outcomes: Sequence[Outcome]) -> str:
    """Return what was found as a table, one line for each measure, in SI units."""
    lines = [
        f"{'study':<46} {'measure':<13} {'nominal':>10} {'least':>10} {'most':>10} {'bound':>9}"
    ]
    for outcome in outcomes:
        lines.extend(
            f"{outcome.study.name:<46} {measure:<13} {found.nominal:10.3g} {found.low:10.3g} "
            f"{found.high:10.3g} {found.bound:9.2g}"
            for measure, found in outcome.figures.items()
        )
    runs = sum(outcome.runs for outcome in outcomes)
    failures = [failure for outcome in outcomes for failure in outcome.failures]
    lines.append(f"{len(outcomes)} studies, {runs} runs, {len(failures)} failures")
    return "\n".join([*lines, *failures])
