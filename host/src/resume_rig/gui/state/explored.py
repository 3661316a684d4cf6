"""A store for the explorer: what jobs read of it. Free of Qt."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from resume_rig.campaign.assess import assess
from resume_rig.campaign.overview import Overview, overview_of
from resume_rig.campaign.raw import CycleRaw
from resume_rig.campaign.store import Store
from resume_rig.campaign.stored import load_campaign
from resume_rig.gui.state.cycle_table import cycle_table, outliers, quick_table
from resume_rig.gui.state.evidence import Evidence, evidence_of
from resume_rig.gui.state.table import Table
from resume_rig.model.cycle import ReconciledCycle
from resume_rig.model.os_record import OsRecord
from resume_rig.model.packed_sequence import PackedSequence
from resume_rig.model.requirement import Requirement
from resume_rig.model.verdict import Verdict
from resume_rig.report.milestones import InsideMilestones, inside_milestones

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
        verdict, why: of the campaign.
        cycles: in the order of the table's rows.
        outliers: rows of the table that are worth a look, int64 [k], ascending.
    """

    verdict: Verdict
    why: str
    cycles: PackedSequence[ReconciledCycle]
    table: Table
    outliers: NDArray[np.int64]


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


def read_quick(path: Path) -> Quick:
    """Read what is there at once.

    Raises:
        RecordError: the store cannot be read.
    """
    with Store.open(path) as store:
        overview, requirement = overview_of(store), store.identity.requirement
    return Quick(overview, quick_table(overview), requirement)


def explore(told: Callable[[int, int], None], path: Path, overview: Overview) -> Explored:
    """Derive everything of a store.

    Args:
        told: gets how many cycles are read, of how many; what it raises ends the work.
        path: of the store.
        overview: read before.

    Raises:
        RecordError: the store cannot be read.
    """
    stored = load_campaign(path)
    counted = dataclasses.replace(stored, cycles=_Counted(stored.cycles, told))
    correlation = assess(counted)
    return Explored(
        correlation.verdict,
        correlation.why,
        # Packed anew, with all that a cycle refers to: the records of the others stay behind.
        PackedSequence(correlation.cycles),
        cycle_table(correlation, overview),
        outliers(correlation),
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
        evidence = evidence_of(store, number)
        known = [n for n in range(number, number + _LATE_CYCLES) if store.has_cycle(n)]
        found = [r for raw in store.cycles(known, with_light=False) for r in raw.records]
    wanted = None if cycle is None or cycle.record is None else cycle.record.record_id
    own = [r for r in found if wanted is None or r.record_id == wanted]
    return Detail(
        evidence=evidence,
        cycle=cycle,
        inside=None if cycle is None else inside_milestones(cycle, limit_ms),
        records=tuple(own),
    )


class _Counted(Sequence[CycleRaw]):
    """The cycles of a store; tells how far a pass over them is."""

    def __init__(self, cycles: Sequence[CycleRaw], told: Callable[[int, int], None]) -> None:
        self._cycles = cycles
        self._told = told

    def __len__(self) -> int:
        return len(self._cycles)

    def __iter__(self) -> Iterator[CycleRaw]:
        of = len(self._cycles)
        for done, cycle in enumerate(self._cycles):
            self._told(done, of)
            yield cycle

    @overload
    def __getitem__(self, place: int) -> CycleRaw: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[CycleRaw]: ...

    def __getitem__(self, place: int | slice) -> CycleRaw | Sequence[CycleRaw]:
        return self._cycles[place]
