"""The table of a campaign's cycles: at once what the runner saw, then all that is derived.

Free of Qt.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np

from resume_rig.campaign.overview import Overview
from resume_rig.gui.state.columns import (
    NumberCells,
    WordCells,
    number_column,
    word_column,
)
from resume_rig.gui.state.table import Table
from resume_rig.model.cycle import Correlation, IntervalName, ReconciledCycle
from resume_rig.model.quantity import BoundedNs
from resume_rig.report.failure_view import is_failure
from resume_rig.report.findings import findings_of
from resume_rig.report.wording import outcome_words

_NS_PER_MS: Final = 1e6
_NS_PER_S: Final = 1e9
_NOT_PLANNED: Final = ("", "", "")

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
    planned = dict(zip(overview.numbers.tolist(), overview.planned, strict=True))
    columns = [make() for make in _COLUMNS]
    # One pass: the cycles of a long campaign are made anew in each, and none is kept.
    for cycle in correlation.cycles:
        row = _row(cycle, planned.get(cycle.outside.number, _NOT_PLANNED))
        for column, value in zip(columns, row, strict=True):
            column.add(value)
    return Table(tuple(column.column() for column in columns))


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


def _ms(quantity: BoundedNs | None) -> float | None:
    return None if quantity is None else quantity.value_ns / _NS_PER_MS


def _asleep_s(cycle: ReconciledCycle) -> float | None:
    begin, end = cycle.outside.asleep_from_ns, cycle.outside.awake_from_ns
    return None if begin is None or end is None else (end - begin) / _NS_PER_S


def _row(cycle: ReconciledCycle, planned: tuple[str, str, str]) -> tuple[Any, ...]:
    """Return a cell for each of `_COLUMNS`."""
    outside, record, found = cycle.outside, cycle.record, findings_of(cycle)
    _, sleep_by, wake_by = planned
    return (
        outside.number,
        outcome_words(cycle.outcome),
        _verdict(cycle),
        outside.state.value,
        sleep_by,
        wake_by,
        *(_ms(outside.intervals.get(name)) for _, name, _ in _INTERVALS),
        _asleep_s(cycle),
        None if record is None else record.bios_init_ms,
        None if record is None else record.driver_init_ms,
        None if record is None else record.resume_ms,
        _ms(cycle.press_to_resume_complete),
        _ms(cycle.unexplained),
        None if record is None else record.record_id,
        len(found),
        ", ".join(dict.fromkeys(finding.kind.value for finding in found)),
    )


def _numbers(title: str, explained: str = "", decimals: int = 0) -> Callable[[], NumberCells]:
    return partial(NumberCells, title, explained, decimals)


def _words(title: str, explained: str = "") -> Callable[[], WordCells]:
    return partial(WordCells, title, explained)


_COLUMNS: Final[tuple[Callable[[], NumberCells | WordCells], ...]] = (
    _numbers("cycle"),
    _words("outcome"),
    _words("verdict"),
    _words("state", "As the wires show it"),
    _words("sleep by", "By the plan"),
    _words("wake by", "By the plan"),
    *(_numbers(title, explained, 2) for title, _, explained in _INTERVALS),
    _numbers("asleep, s", "SLP_S3# low, or as S4 looks", 2),
    _numbers("BIOS, ms", "BiosInit"),
    _numbers("drivers, ms", "DriverInit"),
    _numbers("resume, ms", "BIOS + drivers"),
    _numbers("complete, ms", "Press to resume complete: outside + inside", 1),
    _numbers("unexplained, ms", "Off this platform's own constant", 1),
    _numbers("record", "Of the OS log"),
    _numbers("findings"),
    _words("which findings"),
)
"""In the order of `_row`."""
