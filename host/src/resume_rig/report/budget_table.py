"""Budgets for a terminal: `correlate --budget`."""

from collections.abc import Iterator, Sequence
from typing import Final

from resume_rig.model.budget import Budget
from resume_rig.report.budget_view import BUDGET_HEADINGS, BudgetTable, budget_views
from resume_rig.report.terminal_style import Column, TerminalStyle, fitting_columns, table_lines

_WIDEST: Final = {"term": 44, "source": 46}
# What gives way first where the terminal is short.
_DROP: Final = {"source": 5, "correction": 4, "type": 3, "distribution": 2, "sensitivity": 1}


def budget_tables(budgets: Sequence[Budget], *, unicode: bool, width: int) -> Iterator[str]:
    """Yield a table for each budget, in pieces to be written as they are.

    Args:
        budgets: what to show.
        unicode: more than ASCII may be written.
        width: of the terminal, in cells; columns give way where it is short.
    """
    style = TerminalStyle(False, unicode, width)
    if not budgets:
        yield "No interval was measured, so there is no uncertainty budget.\n\n"
    dropped: set[str] = set()
    for table in budget_views(budgets):
        columns = _columns(table, style)
        kept = fitting_columns(columns, style.width - 2)
        dropped |= {column.title for column in columns if column not in kept}
        yield from _lines(table, kept, style)
    if dropped:
        names = ", ".join(title for title in BUDGET_HEADINGS if title in dropped)
        yield style.paragraph(
            f"Columns left out for want of width: {names}. --json and the HTML report have them."
        )
        yield "\n"


def _columns(table: BudgetTable, style: TerminalStyle) -> list[Column]:
    return [
        Column(
            title,
            [style.cell(row[place], _WIDEST.get(title, 40)) for row in table.rows],
            right=title in ("half-width", "standard", "sensitivity", "correction"),
            drop=_DROP.get(title, 0),
        )
        for place, title in enumerate(BUDGET_HEADINGS)
    ]


def _lines(table: BudgetTable, columns: Sequence[Column], style: TerminalStyle) -> Iterator[str]:
    yield style.paragraph(f"Uncertainty of {table.name}, {table.value}:")
    if table.rows:
        for line in table_lines(columns):
            yield f"  {line}\n"
    for text in (table.totals, table.repeated, table.note):
        if text:
            yield style.paragraph(text, indent=2)
    yield "\n"
