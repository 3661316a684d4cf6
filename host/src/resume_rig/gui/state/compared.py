"""Several stores or logs against one base: what a job brings back. Free of Qt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.compare import Question, compare
from resume_rig.analysis.compare_samples import Evidence, sample_of
from resume_rig.analysis.measures import is_measure, measure_words
from resume_rig.campaign.compare_evidence import load_evidence
from resume_rig.gui.state.columns import number_column, word_column
from resume_rig.gui.state.table import Column, Table
from resume_rig.model.comparison import Change, Comparison, Effect
from resume_rig.report.compare_text import change_words

Floats: TypeAlias = NDArray[np.float64]
_SMALL_P: Final = 0.001


@dataclass(frozen=True, slots=True)
class Compared:
    """All comparisons with one base.

    Attributes:
        evidence: of every file, by its path, in the order that they were opened in.
        base: which of them is the base.
        comparisons: of each other one, by its path.
    """

    evidence: dict[Path, Evidence]
    base: Path
    comparisons: dict[Path, Comparison]

    def times_ms(self, path: Path, name: str, candidate: Path) -> Floats:
        """Return the sorted times [ms] of a file that were compared; empty where there are none.

        Args:
            path: whose times.
            name: what was timed.
            candidate: which comparison's kind of sleep.
        """
        kind = self.comparisons[candidate].kind
        if kind is None:
            return np.zeros(0)
        return np.sort(
            np.asarray(sample_of(self.evidence[path], kind).times_ms.get(name, []), np.float64)
        )


def compare_files(
    told: Callable[[int, int], None],
    paths: Sequence[Path],
    known: dict[Path, Evidence] | None,
    base: Path,
    question: Question,
) -> Compared:
    """Return what each file is against the base.

    Args:
        told: gets how many files are read, of how many, before each.
        paths: of the files.
        known: what was read of them before; None to read them.
        base: which of them is the base.
        question: what is asked.

    Raises:
        RecordError: one cannot be read.
    """
    evidence: dict[Path, Evidence] = {} if known is None else known
    if known is None:
        for done, path in enumerate(paths):
            told(done, len(paths))
            evidence[path] = load_evidence(path)
    others = [path for path in evidence if path != base]
    return Compared(
        evidence,
        base,
        {path: compare([evidence[base]], [evidence[path]], question) for path in others},
    )


def cumulative(times_ms: Floats) -> tuple[Floats, Floats]:
    """Return the steps of the share of values at or below each time, [n + 1] and [n].

    The shape is what a plot with centred steps takes: one more edge than levels.
    """
    n = len(times_ms)
    if not n:
        return np.zeros(0), np.zeros(0)
    edges = np.append(times_ms, times_ms[-1])
    return edges, np.arange(1, n + 1) / n * 100


def effect_name(effect: Effect) -> str:
    """Return what was timed, as it is said; the name of a component as it stands."""
    return measure_words(effect.name) if is_measure(effect.name) else effect.name


def effects_table(effects: Sequence[Effect]) -> Table:
    """Return a row for each time, in their order: regressions first."""
    shares = [
        e.shift_ms / e.base_median_ms * 100 if e.base_median_ms > 0 else None for e in effects
    ]
    return Table(
        (
            word_column("time", map(effect_name, effects)),
            word_column("result", (change_words(e.change) for e in effects)),
            number_column("base, ms", (e.base_median_ms for e in effects), "Its median", 1),
            number_column("candidate, ms", (e.candidate_median_ms for e in effects), "Median", 1),
            number_column(
                "shift, ms",
                (e.shift_ms for e in effects),
                "From base to candidate; more is slower",
                2,
            ),
            number_column("from, ms", (e.low_ms for e in effects), "95 % interval", 2),
            number_column("to, ms", (e.high_ms for e in effects), "95 % interval", 2),
            number_column("shift, %", shares, "Of the base's median", 2),
            _p_column(effects),
            number_column(
                "visible from, ms",
                (e.detectable_ms for e in effects),
                "The smallest shift that these samples show with 80 % probability",
                2,
            ),
            number_column("base, n", (e.base_n for e in effects), "Values"),
            number_column("candidate, n", (e.candidate_n for e in effects), "Values"),
        )
    )


def _p_column(effects: Sequence[Effect]) -> Column:
    explained = "Student's t on effectively independent cycles, after Holm over all times"
    column = number_column("p", (e.p_adjusted for e in effects), explained, 4)

    def text(value: object) -> str:
        small = isinstance(value, float) and value < _SMALL_P
        return f"<{_SMALL_P:g}" if small else column.text(value)

    return replace(column, text=text)


def differences_table(comparison: Comparison) -> Table:
    """Return what the identities of the two disagree in."""
    rows = comparison.differences
    return Table(
        (
            word_column("what", (name.replace("_", " ") for name, _, _ in rows)),
            word_column("base", (ours for _, ours, _ in rows)),
            word_column("candidate", (theirs for _, _, theirs in rows)),
        )
    )


def changed_first(effects: Sequence[Effect]) -> int:
    """Return the row that is worth looking at first: the worst regression, else the first."""
    worse = (row for row, e in enumerate(effects) if e.change is Change.SLOWER)
    return next(worse, 0)
