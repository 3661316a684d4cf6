"""Builds against one base, each of one session or several, and tables of that. Free of Qt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.compare.comparison import Question, compare
from resume_rig.analysis.compare.samples import Evidence, sample_of
from resume_rig.analysis.verdict.measures import is_measure, measure_words
from resume_rig.campaign.answer.compare import check_sides, find_sessions, load_sessions
from resume_rig.gui.state.table import Column, Table, number_column, word_column
from resume_rig.model.result.comparison import Change, Comparison, Effect
from resume_rig.model.result.verdict import Requirement
from resume_rig.model.units import count_of
from resume_rig.report.compare.terminal import change_words

Floats: TypeAlias = NDArray[np.float64]
Build: TypeAlias = tuple[Path, ...]
"""Where the sessions of a build are: campaign stores, OS logs and folders of them."""

_SMALL_P: Final = 0.001


@dataclass(frozen=True, slots=True)
class Compared:
    """All comparisons with one base.

    Attributes:
        evidence: of every build's sessions.
        base: which of them is the base.
        comparisons: of each other one with it.
    """

    evidence: dict[Build, tuple[Evidence, ...]]
    base: Build
    comparisons: dict[Build, Comparison]

    def times_ms(self, build: Build, name: str, candidate: Build) -> Floats:
        """Return the sorted times [ms] of all sessions of a build; empty where there are none.

        Args:
            build: whose times.
            name: what was timed.
            candidate: which comparison's kind of sleep.
        """
        kind = self.comparisons[candidate].kind
        if kind is None:
            return np.zeros(0)
        sessions = (sample_of(each, kind) for each in self.evidence[build])
        return np.sort(
            np.asarray([ms for each in sessions for ms in each.times_ms.get(name, [])], np.float64)
        )


def build_names(builds: Sequence[Build]) -> tuple[str, ...]:
    """Return what each build is called: its first file or folder, and how many more there are."""
    names = [build[0].name if build else "" for build in builds]
    return tuple(
        _build_name(build, with_folder=names.count(name) > 1)
        for build, name in zip(builds, names, strict=True)
    )


def _build_name(build: Build, *, with_folder: bool) -> str:
    if not build:
        return "no session yet"
    parts = build[0].resolve().parts[-2 if with_folder else -1 :]
    first = str(Path(*parts))
    return first if len(build) == 1 else f"{first} and {len(build) - 1} more"


def compare_builds(
    progress: Callable[[int, int], None],
    builds: Sequence[Build],
    read_before: dict[Build, tuple[Evidence, ...]] | None,
    question: Question,
    requirement: Requirement,
) -> Compared:
    """Return what each build is against the first one, the base.

    Args:
        progress: gets how many builds are read, of how many, before each.
        builds: what is compared, the base first.
        read_before: what was read of them before; None to read them.
        question: what is asked.
        requirement: what each session is judged against.

    Raises:
        RecordError: a session cannot be read.
        UsageError: a file is in the base and in another build.
    """
    sessions = {build: find_sessions(build) for build in builds}
    base, *others = builds
    for build in others:
        check_sides(sessions[base], sessions[build])
    evidence = {} if read_before is None else read_before
    if read_before is None:
        for done, build in enumerate(builds):
            progress(done, len(builds))
            evidence[build] = load_sessions(sessions[build], requirement)
    comparisons = {build: compare(evidence[base], evidence[build], question) for build in others}
    return Compared(evidence, base, comparisons)


def sessions_table(comparison: Comparison) -> Table:
    """Return a row for each session of both sides."""
    sides = (("base", comparison.base), ("candidate", comparison.candidate))
    rows = [(side, each) for side, facts in sides for each in facts.sessions]
    return Table(
        (
            word_column("side", (side for side, _ in rows)),
            word_column("session", (each.path for _, each in rows)),
            number_column("cycles", (each.cycles for _, each in rows), "Compared"),
            word_column("verdict", (each.verdict.value for _, each in rows)),
        )
    )


def sessions_words(comparison: Comparison) -> str:
    """Return how many sessions each side has."""
    base, candidate = len(comparison.base.sessions), len(comparison.candidate.sessions)
    return f"{count_of(base, 'session')} against {candidate}"


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
    """Return what was timed, in words; the name of a component as it stands."""
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
