"""The table of a campaign's cycles: at once what the runner saw, then all that is derived.

Free of Qt.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from resume_rig.campaign.overview import Overview
from resume_rig.gui.state.columns import number_column, word_column
from resume_rig.gui.state.table import Table
from resume_rig.model.cycle import Correlation, IntervalName, ReconciledCycle
from resume_rig.model.quantity import BoundedNs
from resume_rig.report.failure_view import is_failure
from resume_rig.report.findings import findings_of
from resume_rig.report.wording import outcome_words

_NS_PER_MS: Final = 1e6
_NS_PER_S: Final = 1e9

ALIASES: Final[Mapping[str, str]] = {
    "t_50": "to light",
    "light": "to light",
    "press to light": "to light",
    "bios + drivers": "resume",
    "wake": "wake by",
    "sleep": "sleep by",
    "number": "cycle",
}
"""Other names of columns, as filters may say them."""

_INTERVALS: Final = (
    ("to light, ms", IntervalName.PRESS_TO_LIGHT, "Press (or lid) to t_50 of the light"),
    ("to SLP_S3#, ms", IntervalName.PRESS_TO_SLP_S3, "Press (or lid) to SLP_S3# rising"),
    ("to PWR_OK, ms", IntervalName.PRESS_TO_PWR_OK, "Press (or lid) to PWR_OK rising"),
    ("to PLTRST#, ms", IntervalName.PRESS_TO_PLTRST, "Press (or lid) to PLTRST# rising"),
    ("PLTRST# to light, ms", IntervalName.PLTRST_TO_LIGHT, "PLTRST# rising to t_50"),
    ("trigger to sleep, ms", IntervalName.TRIGGER_TO_SLP_S3, "Sleep trigger to SLP_S3# falling"),
)


def quick_table(overview: Overview) -> Table:
    """Return what is known before anything is derived: enough to find a cycle that went wrong."""
    return Table(
        (
            number_column("cycle", overview.numbers.tolist()),
            word_column("outcome", map(outcome_words, overview.outcomes)),
            word_column("state", (state for state, _, _ in overview.planned), "By the plan"),
            word_column("sleep by", (sleep for _, sleep, _ in overview.planned)),
            word_column("wake by", (wake for _, _, wake in overview.planned)),
            number_column("took, s", overview.took_ns / _NS_PER_S, "Beginning to end", 1),
        )
    )


def cycle_table(correlation: Correlation, overview: Overview) -> Table:
    """Return a row for each cycle; times in ms, as in the report.

    Args:
        correlation: the whole answer.
        overview: of the same store; a campaign that runs may have written more since.
    """
    cycles = correlation.cycles
    planned = dict(zip(overview.numbers.tolist(), overview.planned, strict=True))
    names = [planned.get(cycle.outside.number, ("", "", "")) for cycle in cycles]
    return Table(
        (
            number_column("cycle", (c.outside.number for c in cycles)),
            word_column("outcome", (outcome_words(c.outcome) for c in cycles)),
            word_column("verdict", map(_verdict, cycles)),
            word_column("state", (c.outside.state.value for c in cycles), "As the wires show it"),
            word_column("sleep by", (sleep for _, sleep, _ in names), "By the plan"),
            word_column("wake by", (wake for _, _, wake in names), "By the plan"),
            *(
                number_column(title, _interval(cycles, name), explained, 2)
                for title, name, explained in _INTERVALS
            ),
            number_column("asleep, s", map(_asleep_s, cycles), "SLP_S3# low, or as S4 looks", 2),
            number_column("BIOS, ms", map(_of_record("bios_init_ms"), cycles), "BiosInit"),
            number_column("drivers, ms", map(_of_record("driver_init_ms"), cycles), "DriverInit"),
            number_column("resume, ms", map(_of_record("resume_ms"), cycles), "BIOS + drivers"),
            number_column(
                "complete, ms",
                (_ms(c.press_to_resume_complete) for c in cycles),
                "Press to resume complete: outside + inside",
                1,
            ),
            number_column(
                "unexplained, ms",
                (_ms(c.unexplained) for c in cycles),
                "Off this platform's own constant",
                1,
            ),
            number_column("record", map(_of_record("record_id"), cycles), "Of the OS log"),
            number_column("findings", (len(findings_of(c)) for c in cycles)),
            word_column("which findings", map(_findings, cycles)),
        )
    )


def outliers(correlation: Correlation) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the rows that are worth a look, int64 [k]: failures, and times far from the middle."""
    far = {number for one in correlation.series for number in one.outliers}
    rows = [
        row
        for row, cycle in enumerate(correlation.cycles)
        if is_failure(cycle) or cycle.outside.number in far
    ]
    return np.array(rows, np.int64)


def _verdict(cycle: ReconciledCycle) -> str:
    if cycle.outside.ignored:
        return "ignored"
    return cycle.verdict.value if cycle.judged else "not judged"


def _interval(cycles: Sequence[ReconciledCycle], name: IntervalName) -> Iterable[float | None]:
    return (_ms(cycle.outside.intervals.get(name)) for cycle in cycles)


def _ms(quantity: BoundedNs | None) -> float | None:
    return None if quantity is None else quantity.value_ns / _NS_PER_MS


def _asleep_s(cycle: ReconciledCycle) -> float | None:
    begin, end = cycle.outside.asleep_from_ns, cycle.outside.awake_from_ns
    return None if begin is None or end is None else (end - begin) / _NS_PER_S


def _of_record(name: str) -> Callable[[ReconciledCycle], int | None]:
    def value(cycle: ReconciledCycle) -> int | None:
        found: int | None = None if cycle.record is None else getattr(cycle.record, name)
        return found

    return value


def _findings(cycle: ReconciledCycle) -> str:
    return ", ".join(dict.fromkeys(finding.kind.value for finding in findings_of(cycle)))
