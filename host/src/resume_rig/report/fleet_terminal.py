"""The tables of `fleet` for a terminal."""

from collections.abc import Iterator, Sequence
from typing import Final

from resume_rig.model.fleet import Fleet, FleetGroup
from resume_rig.report.fleet_text import (
    FleetRow,
    common_folder,
    fleet_rows,
    group_sentences,
    group_title,
    left_out_sentences,
    subject_sentence,
)
from resume_rig.report.terminal_style import (
    Column,
    TerminalStyle,
    fitting_columns,
    padded,
    table_lines,
)
from resume_rig.report.wording import requirement_sentence

ROWS_MOST: Final = 20
"""Campaigns of a group that are shown unless all are asked for; the worst stand first."""

_STORE_CELLS: Final = 44
_UNIT_CELLS: Final = 24
_FINDINGS_CELLS: Final = 40
_VERDICT_CELLS: Final = 11


def fleet_table(
    fleet: Fleet, *, everything: bool, colour: bool = False, unicode: bool = True, width: int = 120
) -> Iterator[str]:
    """Yield the whole answer of `fleet` in pieces to be written as they are.

    Args:
        fleet: what to show.
        everything: every campaign of a long group.
        colour: verdicts may be coloured.
        unicode: more than ASCII may be written.
        width: of the terminal, in cells; columns give way where it is short.
    """
    style = TerminalStyle(colour, unicode, width)
    yield style.paragraph(subject_sentence(fleet))
    yield style.paragraph(requirement_sentence(fleet.requirement))
    yield style.paragraph(
        "Times in ms: resume is the median of BIOS + drivers, light of press to light."
    )
    folder = common_folder(fleet)
    for group in fleet.groups:
        yield "\n"
        yield from _group(group, folder, style, everything=everything)
    if fleet.unread or fleet.copies:
        yield "\n"
    for sentence in left_out_sentences(fleet):
        yield style.paragraph(sentence)
    yield "\n"
    yield style.verdict_line(fleet.verdict, fleet.why)


def _group(
    group: FleetGroup, folder: str, style: TerminalStyle, *, everything: bool
) -> Iterator[str]:
    yield style.paragraph(f"{group_title(group)}: {group.verdict.value}")
    rows = fleet_rows(group, folder)
    shown = rows if everything else rows[:ROWS_MOST]
    columns = fitting_columns(_columns(shown, style), style.width - _VERDICT_CELLS - 2)
    wide = sum(column.width + 2 for column in columns)
    title, *lines = table_lines(columns)
    yield f"{padded(title, wide, right=False)}verdict\n"
    yield style.rule(wide + _VERDICT_CELLS)
    for line, row in zip(lines, shown, strict=True):
        yield f"{padded(line, wide, right=False)}{style.verdict(row.verdict)}\n"
    if len(shown) < len(rows):
        yield style.paragraph(f"... and {len(rows) - len(shown)} more; --all shows them.")
    for sentence in group_sentences(group, folder):
        yield style.paragraph(sentence, indent=2)


def _columns(rows: Sequence[FleetRow], style: TerminalStyle) -> Sequence[Column]:
    told = len({row.unit for row in rows}) == 1 or all(row.unit == row.store for row in rows)
    columns = [
        Column("store", [style.cell(row.store, _STORE_CELLS) for row in rows], right=False),
        Column("unit", [style.cell(row.unit, _UNIT_CELLS) for row in rows], right=False, drop=4),
        Column("begun (UTC)", [row.begun for row in rows], right=False, drop=6),
        Column("cycles", [row.cycles for row in rows], drop=3),
        Column("judged", [row.judged for row in rows]),
        Column("failed", [row.failed for row in rows]),
        Column("resume", [row.median for row in rows]),
        Column("p95", [row.p95 for row in rows], drop=2),
        Column("worst", [row.worst for row in rows], drop=1),
        Column("light", [row.light for row in rows], drop=5),
        Column(
            "findings",
            [style.cell(row.findings, _FINDINGS_CELLS) for row in rows],
            right=False,
            drop=7,
        ),
        Column("", [style.cell(row.notes, _UNIT_CELLS) for row in rows], right=False, drop=8),
    ]
    empty = {"unit"} if told else set()
    return [c for c in columns if c.title not in empty and any(c.cells)]
