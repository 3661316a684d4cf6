"""The slowest components, hibernation files and advice of `log`, for a terminal."""

from collections.abc import Iterator
from typing import Final

from resume_rig.analysis.advice import advise
from resume_rig.analysis.ranking import rank
from resume_rig.model.os_record import LogReading
from resume_rig.report.code_view import code_rows
from resume_rig.report.component_view import (
    HIBERNATE_NOTE,
    OVERLAP_NOTE,
    HibernateRow,
    RankedTable,
    advised_for,
    figure_rows,
    hibernate_rows,
    ranked_tables,
)
from resume_rig.report.row_choice import TERMINAL_ROWS, row_choice
from resume_rig.report.terminal_style import Column, TerminalStyle, fitting_columns, table_lines

_ROWS_A_KIND: Final = 5
_NAME_CELLS: Final = 40
_PHASE_CELLS: Final = 30
_DETAIL_CELLS: Final = 44
_ADVICE_NAMES_LIMIT: Final = 200


def component_lines(reading: LogReading, style: TerminalStyle, *, show_all: bool) -> Iterator[str]:
    """Yield the sections that a reading gives cause for, each after an empty line."""
    yield from _hibernate(hibernate_rows(reading.records), style, show_all=show_all)
    tables = ranked_tables(rank(reading.records), None if show_all else _ROWS_A_KIND)
    if tables:
        yield "\n"
        yield style.paragraph(f"Slowest parts. {OVERLAP_NOTE}")
    for table in tables:
        yield from _ranked(table, style)
    if show_all:
        yield from _figures(reading, style)
        yield from _codes(reading, style)
    found = advise(reading)
    if found:
        yield "\n"
    for advice in found:
        names = style.shown(advised_for(advice), _ADVICE_NAMES_LIMIT)
        yield style.paragraph(f"Advice: {names}: {advice.text} ({advice.source})")


def _hibernate(
    rows: tuple[HibernateRow, ...], style: TerminalStyle, *, show_all: bool
) -> Iterator[str]:
    if not rows:
        return
    choice = row_choice(len(rows), None if show_all else TERMINAL_ROWS)
    shown = (*rows[: choice.head], *rows[len(rows) - choice.tail :])
    yield "\n"
    yield style.paragraph(f"Hibernation files. {HIBERNATE_NOTE}")
    columns = (
        Column("Record", [row.record for row in shown], drop=2),
        Column("Kind", [row.kind for row in shown], right=False),
        Column("Pages", [row.pages for row in shown]),
        Column("Write ms", [row.write for row in shown], drop=1),
        Column("pages/ms", [row.write_pages for row in shown]),
        Column("MB/s", [row.write_mb for row in shown]),
        Column("Read ms", [row.read for row in shown], drop=1),
        Column("pages/ms", [row.read_pages for row in shown]),
        Column("MB/s", [row.read_mb for row in shown]),
    )
    for line in table_lines(fitting_columns(columns, style.width)):
        yield f"{line}\n"
    if choice.left_out:
        yield style.paragraph(
            f"... {choice.left_out} of {len(rows)} are left out here; --all shows them all ..."
        )


def _figures(reading: LogReading, style: TerminalStyle) -> Iterator[str]:
    rows = figure_rows(reading.records)
    if not rows:
        return
    columns = (
        Column("Kind", [row.kind for row in rows], right=False),
        Column("Figure", [style.cell(row.name, _NAME_CELLS) for row in rows], right=False),
        Column("n", [row.count for row in rows], drop=1),
        Column("Least", [row.least for row in rows], drop=2),
        Column("Median", [row.median for row in rows]),
        Column("Greatest", [row.greatest for row in rows], drop=3),
    )
    yield "\n"
    for line in table_lines(fitting_columns(columns, style.width)):
        yield f"{line}\n"


def _codes(reading: LogReading, style: TerminalStyle) -> Iterator[str]:
    rows = code_rows(reading.records)
    if not rows:
        return
    columns = (
        Column("Kind", [row.kind for row in rows], right=False),
        Column("Told", [style.cell(row.name, _NAME_CELLS) for row in rows], right=False),
        Column("Code", [row.code for row in rows]),
        Column("Meaning", [row.meaning for row in rows], right=False),
        Column("n", [row.count for row in rows], drop=1),
    )
    yield "\n"
    for line in table_lines(fitting_columns(columns, style.width)):
        yield f"{line}\n"


def _ranked(table: RankedTable, style: TerminalStyle) -> Iterator[str]:
    rows = table.rows
    columns = (
        Column("Worst", [row.worst for row in rows]),
        Column("Median", [row.median for row in rows], drop=2),
        Column("Own", [row.own for row in rows], drop=3),
        Column("Share", [row.share for row in rows], drop=1),
        Column("n", [row.count for row in rows], drop=4),
        Column(table.title, [style.cell(r.name, _NAME_CELLS) for r in rows], right=False),
        Column("Phase", [style.cell(r.phase, _PHASE_CELLS) for r in rows], right=False, drop=5),
        Column("", [style.cell(r.detail, _DETAIL_CELLS) for r in rows], right=False, drop=6),
    )
    yield "\n"
    for line in table_lines(fitting_columns(columns, style.width)):
        yield f"{line}\n"
    if table.left_out:
        yield style.paragraph(f"... {table.left_out} more; --all shows them all ...")
