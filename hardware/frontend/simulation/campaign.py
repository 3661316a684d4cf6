"""All studies, carried out side by side, and the table that is printed of them."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from frontend.simulation import actuators, light, protection, sense
from frontend.simulation.ngspice import run_deck
from frontend.simulation.study import Outcome, Study, carry_out

ALL_STUDIES: tuple[Study, ...] = (
    *sense.STUDIES,
    *actuators.STUDIES,
    *light.STUDIES,
    *protection.STUDIES,
)


def with_draws(studies: Iterable[Study], most: int) -> tuple[Study, ...]:
    """Return the studies with no more draws than `most`; 0 leaves the nominal run."""
    return tuple(replace(study, draws=min(study.draws, most)) for study in studies)


def carry_all_out(ngspice: str, studies: Sequence[Study], jobs: int) -> list[Outcome]:
    """Carry studies out, `jobs` at a time, and return what they found in their order."""

    def one(study: Study) -> Outcome:
        return carry_out(study, lambda deck, values, names: run_deck(ngspice, deck, values, names))

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, studies))


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
