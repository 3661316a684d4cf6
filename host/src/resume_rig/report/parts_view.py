"""Hibernation files, the slowest parts and advice, as the pages of logs and campaigns show them."""

from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.advice import advise
from resume_rig.analysis.ranking import rank
from resume_rig.model.os_record import LogReading
from resume_rig.report.code_view import CodeRow, code_rows
from resume_rig.report.component_view import (
    HIBERNATE_NOTE,
    OVERLAP_NOTE,
    FigureRow,
    HibernateRow,
    RankedTable,
    advised_for,
    figure_rows,
    hibernate_rows,
    ranked_tables,
)
from resume_rig.report.row_choice import PAGE_ROWS

_ROWS_A_KIND: Final = 25
"""Components of one kind on a page."""


@dataclass(frozen=True, slots=True)
class AdviceRow:
    """One piece of advice, what it is for and where it is from."""

    names: str
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class PartsSection:
    """What a reading tells beyond its transitions' times; the command `document` has all of it."""

    hibernate: tuple[HibernateRow, ...]
    hibernate_note: str
    slowest: tuple[RankedTable, ...]
    slowest_note: str
    document: str
    advice: tuple[AdviceRow, ...]
    figures: tuple[FigureRow, ...]
    codes: tuple[CodeRow, ...]


def parts_section(reading: LogReading, document: str) -> PartsSection:
    """Return the section of a reading; its parts are empty where there is nothing to show.

    Args:
        reading: what the section is of.
        document: the command that tells all of it, as in "log --json".
    """
    files = hibernate_rows(reading.records)
    shown = files[:PAGE_ROWS]
    note = HIBERNATE_NOTE
    if len(shown) < len(files):
        note += f" The first {len(shown)} of {len(files)} are shown; {document} has them all."
    return PartsSection(
        hibernate=shown,
        hibernate_note=note,
        slowest=ranked_tables(rank(reading.records), _ROWS_A_KIND),
        slowest_note=OVERLAP_NOTE,
        document=document,
        figures=figure_rows(reading.records),
        codes=code_rows(reading.records),
        advice=tuple(
            AdviceRow(advised_for(advice), advice.text, advice.source) for advice in advise(reading)
        ),
    )
