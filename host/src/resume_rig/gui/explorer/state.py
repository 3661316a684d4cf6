"""A store for the explorer: its table of cycles, one cycle, and when to read again. Free of Qt.

What the runner knew of each cycle is read at once; what is derived of the whole store comes later.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto, unique
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.answer.campaign import AnsweredCampaign, answered_campaign
from resume_rig.analysis.findings.groups import (
    findings_of,
)
from resume_rig.analysis.reconcile.milestones import InsideMilestones, inside_milestones
from resume_rig.analysis.verdict.columns import (
    INSIDE,
    OUTSIDE,
    RECONCILED,
    Column,
    Placed,
    Time,
    in_order,
    placed,
)
from resume_rig.campaign.answer.assessment import assess, facts_of, reset_to_tsc_of
from resume_rig.campaign.store.disk import is_being_written
from resume_rig.campaign.store.raw import CycleRaw
from resume_rig.campaign.store.read_back import Overview, load_campaign, overview_of
from resume_rig.campaign.store.store import Store
from resume_rig.gui.state.lanes import Evidence, asleep_ns_of, evidence_of
from resume_rig.gui.state.table import Column as Cells
from resume_rig.gui.state.table import (
    NumberCells,
    Rows,
    Table,
    WordCells,
    number_column,
    word_column,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.answer import Answer
from resume_rig.model.result.cycle import Correlation, ReconciledCycle
from resume_rig.model.result.packed import PackedSequence
from resume_rig.model.result.verdict import Finding, Requirement, Verdict
from resume_rig.model.units import NS_PER_MS, NS_PER_S
from resume_rig.report.campaign.page import FirstScreen, first_screen
from resume_rig.report.text.wording import outcome_words

_LATE_CYCLES: Final = 3
"""A record that came late is in one of the next cycles."""


@dataclass(frozen=True, slots=True)
class Quick:
    """What is there at once."""

    overview: Overview
    table: Table
    requirement: Requirement


@dataclass(frozen=True, slots=True)
class Explored:
    """All that is derived of a store.

    Attributes:
        verdict, text: of the campaign: that no PC was measured, headline and why.
        cycles: in the order of the table's rows.
        outliers: rows of the table that are worth a look, int64 [k], ascending.
        first: the first screen of its report.
        first_wrong: number of the cycle to begin with; None where none is judged.
        most_light: counts of the brightest moment of all cycles; 0 where no board reported one.
    """

    verdict: Verdict
    text: str
    cycles: PackedSequence[ReconciledCycle]
    table: Table
    outliers: NDArray[np.int64]
    first: FirstScreen
    first_wrong: int | None
    most_light: int


@dataclass(frozen=True, slots=True)
class Detail:
    """One cycle, outside and inside.

    Attributes:
        cycle: None while nothing is derived yet.
        inside: the OS's phases on the outside's axis; None where they cannot be placed.
        records: the OS records that came with it, with their original text, hostile.
    """

    evidence: Evidence
    cycle: ReconciledCycle | None
    inside: InsideMilestones | None
    records: tuple[OsRecord, ...]


_NOT_PLANNED: Final = ("", "", "")

ALIASES: Final[Mapping[str, str]] = {
    "t_50": "display on",
    "light": "display on",
    "to light": "display on",
    "total": "resume",
    "unexplained": "residual",
    "wake": "wake by",
    "sleep": "sleep by",
    "number": "cycle",
}
"""Other names of columns, for filters."""


def quick_table(overview: Overview) -> Table:
    """Return what there is before anything is derived: enough to find a cycle that went wrong."""
    return Table(
        (
            number_column("cycle", overview.numbers.tolist()),
            word_column("outcome", map(outcome_words, overview.outcomes)),
            word_column("state", (state for state, _, _ in overview.planned), "By the plan"),
            word_column("sleep by", (sleep for _, sleep, _ in overview.planned)),
            word_column("wake by", (wake for _, _, wake in overview.planned)),
            number_column("took, s", overview.took_ns / NS_PER_S, "Beginning to end", 1),
        )
    )


def cycle_table(
    correlation: Correlation, overview: Overview, reset_to_tsc: BoundedNs | None
) -> Table:
    """Return a row for each cycle; times in ms, as in the report.

    Args:
        correlation: the whole answer.
        overview: of the same store; a campaign that runs may have written more since.
        reset_to_tsc: PLTRST# rising to the TSC's zero; with it resume complete can be placed also
            where the BIOS under-reports.
    """
    planned = dict(zip(overview.numbers.tolist(), overview.planned, strict=True))
    columns = [make() for make, _ in _SHOWN]
    # One pass: the cycles of a long campaign are made anew in each, and none is kept.
    for row in placed(correlation.cycles, reset_to_tsc):
        cell = _Row(
            row, planned.get(row.cycle.outside.number, _NOT_PLANNED), findings_of(row.cycle)
        )
        for column, (_, get) in zip(columns, _SHOWN, strict=True):
            column.add(get(cell))
    return Table(tuple(column.column() for column in columns))


def outliers(campaign: AnsweredCampaign) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the rows that are worth a look, int64 [k]: failures, and times far from the middle."""
    worth = set(campaign.answer.counts.wrong)
    worth.update(number for one in campaign.correlation.series for number in one.outliers)
    rows = [row for row, number in enumerate(campaign.overview.numbers) if number in worth]
    return np.array(rows, np.int64)


def _verdict(cycle: ReconciledCycle) -> str:
    if cycle.outside.ignored:
        return "ignored"
    return cycle.verdict.value if cycle.judged else "not judged"


def _ms(quantity: BoundedNs | None) -> float | None:
    return None if quantity is None else quantity.value_ns / NS_PER_MS


def _asleep_s(cycle: ReconciledCycle) -> float | None:
    asleep_ns = asleep_ns_of(cycle.outside)
    return None if asleep_ns is None else asleep_ns / NS_PER_S


class _Row(NamedTuple):
    """A cycle, what was planned of it (state, sleep, wake), and its findings."""

    row: Placed
    planned: tuple[str, str, str]
    findings: tuple[Finding, ...]

    @property
    def cycle(self) -> ReconciledCycle:
        return self.row.cycle


_Shown: TypeAlias = tuple[Callable[[], NumberCells | WordCells], Callable[[_Row], Any]]


def _numbers(
    title: str, get: Callable[[_Row], float | None], explained: str = "", decimals: int = 0
) -> _Shown:
    return partial(NumberCells, title, explained, decimals), get


def _words(title: str, get: Callable[[_Row], str], explained: str = "") -> _Shown:
    return partial(WordCells, title, explained), get


def _time(time: Time) -> _Shown:
    return _numbers(
        f"{time.title}, ms", lambda of: _ms(time.get(of.row)), time.explained, time.decimals
    )


def _reported(column: Column[OsRecord]) -> _Shown:
    def get(of: _Row) -> Any:
        return None if of.cycle.record is None else column.get(of.cycle.record)

    return _numbers(f"{column.title}, ms", get, column.explained)


_SHOWN: Final[tuple[_Shown, ...]] = tuple(
    in_order(
        """cycle verdict resume_ms press_to_light_ns press_to_resume_complete_ns bios_init_ms
        driver_init_ms finding outcome state sleep_by wake_by press_to_slp_s3_ns press_to_pwr_ok_ns
        press_to_pltrst_ns pltrst_to_light_ns trigger_to_slp_s3_ns asleep unexplained_ns record
        findings""",
        {
            "cycle": _numbers("cycle", lambda of: of.cycle.outside.number),
            "verdict": _words("verdict", lambda of: _verdict(of.cycle)),
            "finding": _words(
                "finding", lambda of: ", ".join(dict.fromkeys(f.kind.value for f in of.findings))
            ),
            "outcome": _words("outcome", lambda of: outcome_words(of.cycle.outcome)),
            "state": _words(
                "state", lambda of: of.cycle.outside.state.value, "As the signals show it"
            ),
            "sleep_by": _words("sleep by", lambda of: of.planned[1], "By the plan"),
            "wake_by": _words("wake by", lambda of: of.planned[2], "By the plan"),
            "asleep": _numbers(
                "asleep, s", lambda of: _asleep_s(of.cycle), "SLP_S3# low, or as S4 looks", 2
            ),
            "record": _numbers(
                "record",
                lambda of: None if of.cycle.record is None else of.cycle.record.record_id,
                "Of the OS log",
            ),
            "findings": _numbers("findings", lambda of: len(of.findings)),
            **{each.name: _time(each) for each in (*OUTSIDE, *RECONCILED) if each.title},
            **{each.name: _reported(each) for each in INSIDE if each.title},
        }.items(),
    ).values()
)
"""The columns: all of `analysis/verdict/columns.py` that have a title, and what is shown here."""
USUAL: Final = (
    *("cycle", "verdict", "resume, ms", "display on, ms", "complete, ms"),
    *("BIOS, ms", "device init, ms", "finding"),
)
"""Titles of the columns that are shown before somebody asks for all."""


NOT_YET: Final = "not yet"
"""Stands in columns of words where nothing is derived yet."""


def with_newer(judged: Table, provisional: Table) -> Table:
    """Return the judged cycles, and those that are newer with what the runner made of them.

    Args:
        judged: with all columns; the first one is the cycle's number, ascending.
        provisional: of the same store, read later; its columns are found by their titles.
    """
    numbers = provisional.columns[0].values
    numbers_judged = judged.columns[0].values
    newer = (
        np.flatnonzero(numbers > numbers_judged[-1])
        if len(numbers_judged)
        else np.arange(len(numbers))
    )
    if not len(newer):
        return judged
    by_title = {column.title: column for column in provisional.columns}
    return Table(tuple(_longer(each, by_title.get(each.title), newer) for each in judged.columns))


def _longer(column: Cells, source: Cells | None, rows: Rows) -> Cells:
    if column.words is None:
        more = np.full(len(rows), np.nan) if source is None else source.values[rows]
        return dataclasses.replace(column, values=np.concatenate((column.values, more)))
    texts = [NOT_YET] * len(rows) if source is None else [source.cell(int(row)) for row in rows]
    words = tuple(sorted({*column.words, *texts}))
    code_of = {word: code for code, word in enumerate(words)}
    renewed = np.array([code_of[word] for word in column.words], np.int32)
    codes = renewed[column.values] if len(column.values) else np.zeros(0, np.int32)
    added = np.array([code_of[text] for text in texts], np.int32)
    return dataclasses.replace(column, values=np.concatenate((codes, added)), words=words)


def read_quick(path: Path) -> Quick:
    """Read what is there at once.

    Raises:
        RecordError: the store cannot be read.
    """
    with Store.open(path) as store:
        overview, requirement = overview_of(store), store.identity.requirement
    return Quick(overview, quick_table(overview), requirement)


def answer_text(answer: Answer) -> str:
    """Return what stands beside the verdict; a simulated PC is named before anything else."""
    return f"{answer.band}. {answer.text}" if answer.band else answer.text


def begin_with(answer: Answer) -> int | None:
    """Return the cycle to begin with: the first failure, else the worst of those judged."""
    first = answer.counts.first_wrong
    return first if first is not None or answer.limit is None else answer.limit.worst_at


def explore(progress: Callable[[int, int], None], path: Path, overview: Overview) -> Explored:
    """Derive everything of a store.

    Args:
        progress: gets how many cycles are read, of how many; what it raises ends the work.
        path: of the store.
        overview: read before.

    Raises:
        RecordError: the store cannot be read.
    """
    stored = load_campaign(path)
    counted = _Counted(stored.cycles, progress)
    correlation = assess(dataclasses.replace(stored, cycles=counted))
    campaign = answered_campaign(correlation, facts_of(stored, cycles=correlation.cycles))
    return Explored(
        campaign.answer.verdict,
        answer_text(campaign.answer),
        # Packed anew, with all that a cycle refers to: the records of the others stay behind.
        PackedSequence(correlation.cycles),
        cycle_table(correlation, overview, reset_to_tsc_of(stored.identity.dut)),
        outliers(campaign),
        first_screen(campaign, scripted=False),
        begin_with(campaign.answer),
        counted.most_light,
    )


def read_detail(
    path: Path, number: int, cycle: ReconciledCycle | None, limit_ms: int | None
) -> Detail:
    """Read one cycle with its wires, light and the text of its records.

    Args:
        path: of the store.
        number: of the cycle.
        cycle: what was derived of it; None while nothing is.
        limit_ms: on BIOS + drivers.

    Raises:
        RecordError: the store cannot be read, or has no such cycle.
    """
    with Store.open(path) as store:
        evidence, reset_to_tsc = evidence_of(store, number), reset_to_tsc_of(store.identity.dut)
        numbers = [n for n in range(number, number + _LATE_CYCLES) if store.has_cycle(n)]
        found = [r for raw in store.cycles(numbers, with_light=False) for r in raw.records]
    wanted = None if cycle is None or cycle.record is None else cycle.record.record_id
    own = [r for r in found if wanted is None or r.record_id == wanted]
    return Detail(
        evidence=evidence,
        cycle=cycle,
        inside=None if cycle is None else inside_milestones(cycle, limit_ms, reset_to_tsc),
        records=tuple(own),
    )


class _Counted(Sequence[CycleRaw]):
    """The cycles of a store; reports how far a pass over them is, and keeps the most light."""

    def __init__(self, cycles: Sequence[CycleRaw], progress: Callable[[int, int], None]) -> None:
        self._cycles = cycles
        self._progress = progress
        self.most_light = 0

    def __len__(self) -> int:
        return len(self._cycles)

    def __iter__(self) -> Iterator[CycleRaw]:
        of = len(self._cycles)
        for done, cycle in enumerate(self._cycles):
            self._progress(done, of)
            if cycle.onset is not None and cycle.onset.peak_counts is not None:
                self.most_light = max(self.most_light, cycle.onset.peak_counts)
            yield cycle

    @overload
    def __getitem__(self, place: int) -> CycleRaw: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[CycleRaw]: ...

    def __getitem__(self, place: int | slice) -> CycleRaw | Sequence[CycleRaw]:
        return self._cycles[place]


Stamp: TypeAlias = tuple[tuple[int, int], ...]
"""Of the store and what waits to go into it: moment of the last change [ns], size."""

_READ_LEAST_MS: Final = 1_000
_READ_SHARE: Final = 10
_DERIVE_LEAST_MS: Final = 3_000
_DERIVE_SHARE: Final = 3


@dataclass(frozen=True, slots=True)
class StoreLook:
    """A look at a store from outside.

    Attributes:
        stamp: another one after each cycle that is committed.
        writing: somebody has the store's write lock.
    """

    stamp: Stamp
    writing: bool


@unique
class Due(Enum):
    """What is to be done next."""

    NOTHING = auto()
    READ = auto()
    DERIVE = auto()
    END = auto()


def look_at(path: Path) -> StoreLook:
    """Look at a store; nothing of it is read."""
    # The lock first: what is written after the look has another stamp at the next one.
    writing = is_being_written(path)
    return StoreLook(
        tuple(_stamp(path.with_name(path.name + end)) for end in ("", "-wal")), writing
    )


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


@dataclass(slots=True)
class _Work:
    """Work of one kind: on which state of the store it was done last, and how long that took."""

    least_ms: int
    share: int
    stamp: Stamp | None = None
    begun_ms: int = 0
    ended_ms: int = 0
    running: bool = False

    def begin(self, stamp: Stamp | None, now_ms: int) -> None:
        self.stamp, self.begun_ms, self.running = stamp, now_ms, True

    def end(self, now_ms: int) -> None:
        self.ended_ms, self.running = now_ms, False

    def rested(self, now_ms: int) -> bool:
        """Return whether it may be done again: it is to take a small share of the time alone."""
        pause_ms = max(self.least_ms, self.share * (self.ended_ms - self.begun_ms))
        return now_ms - self.ended_ms >= pause_ms


class Pace:
    """Keeps reading and deriving to a share of the time, however long each takes.

    What is quick, the runner's view of each cycle, is read again soon; what is derived of the
    whole store follows when what it takes has gone by some times. Once nobody writes any more,
    both are done for a last time.
    """

    def __init__(self) -> None:
        self.reading = _Work(_READ_LEAST_MS, _READ_SHARE)
        self.deriving = _Work(_DERIVE_LEAST_MS, _DERIVE_SHARE)
        self._derives = True

    def give_up_deriving(self) -> None:
        """Derive nothing any more: somebody cancelled it, or it failed."""
        self._derives = False

    def due(self, look: StoreLook, now_ms: int) -> Due:
        """Return what is to be done now.

        Args:
            look: the newest.
            now_ms: of any clock that does not go back.
        """
        if self.reading.running:
            return Due.NOTHING
        if look.stamp != self.reading.stamp:
            may = not look.writing or self.reading.rested(now_ms)
            return Due.READ if may else Due.NOTHING
        if not self._derives:
            return Due.NOTHING if look.writing else Due.END
        if self.deriving.running:
            return Due.NOTHING
        if self.deriving.stamp != self.reading.stamp:
            may = not look.writing or self.deriving.rested(now_ms)
            return Due.DERIVE if may else Due.NOTHING
        return Due.NOTHING if look.writing else Due.END
