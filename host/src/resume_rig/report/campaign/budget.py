"""Uncertainty budgets as text, on a page and on a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.verdict.measures import measure_words
from resume_rig.model.budget import Budget, BudgetRow, Distribution
from resume_rig.model.units import seconds_text
from resume_rig.report.text.terminal_style import (
    Column,
    TerminalStyle,
    fitting_columns,
    table_lines,
)

BUDGET_HEADINGS: Final = (
    "term",
    "source",
    "type",
    "distribution",
    "scope",
    "half-width",
    "standard",
    "sensitivity",
    "correction",
)


@dataclass(frozen=True, slots=True)
class BudgetTable:
    """One interval's budget as texts.

    Attributes:
        name: of the interval, as it is said. rows: in the order of BUDGET_HEADINGS.
        totals: a sentence, and one about what all cycles share. repeated: how the DUT scatters;
            empty below two cycles.
    """

    name: str
    value: str
    expanded: str
    factor: str
    bound: str
    largest: str
    scatter: str
    rows: tuple[tuple[str, ...], ...]
    totals: str
    repeated: str
    note: str


def budget_views(budgets: Sequence[Budget]) -> tuple[BudgetTable, ...]:
    """Return the tables in the order of `budgets`."""
    return tuple(_table(budget) for budget in budgets)


def _table(budget: Budget) -> BudgetTable:
    factor = f"{budget.coverage_factor:.2f}"
    largest = max(budget.rows, key=lambda row: row.standard_ns, default=None)
    repeated = budget.repeated
    return BudgetTable(
        name=measure_words(budget.name),
        value=seconds_text(budget.value_ns),
        expanded=seconds_text(budget.expanded_ns),
        factor=factor,
        bound=seconds_text(budget.bound_ns),
        largest="" if largest is None else largest.name,
        scatter="" if repeated is None else seconds_text(repeated.mean_standard_ns),
        rows=tuple(_row(row) for row in budget.rows),
        totals=f"Standard uncertainty {seconds_text(budget.standard_ns)}; expanded uncertainty "
        f"{seconds_text(budget.expanded_ns)} (95 %, k = {factor}); worst-case bound "
        f"{seconds_text(budget.bound_ns)}.{_common(budget)}",
        repeated=""
        if repeated is None
        else f"Type A, for comparison: standard deviation of {repeated.count} cycles"
        f" {seconds_text(repeated.sd_ns)}"
        f" (s); mean {seconds_text(repeated.mean_ns)},"
        f" standard uncertainty {seconds_text(repeated.mean_standard_ns)} (s/√n), expanded with the"
        f" terms common to all cycles {seconds_text(repeated.mean_expanded_ns)} (95 %).",
        note=f"{budget.note[:1].upper()}{budget.note[1:]}." if budget.note else "",
    )


def _common(budget: Budget) -> str:
    if not budget.common_ns:
        return ""
    return (
        f" Up to {seconds_text(budget.common_ns)} of it is common to all cycles (scope"
        " campaign or rig); more cycles do not reduce it."
    )


def _row(row: BudgetRow) -> tuple[str, ...]:
    return (
        row.name,
        row.source,
        row.evaluation.value,
        distribution_words(row.distribution),
        row.scope.value,
        seconds_text(row.half_width_ns),
        seconds_text(row.standard_ns),
        f"{row.sensitivity:+d}",
        seconds_text(row.correction_ns) if row.correction_ns else "-",
    )


def distribution_words(distribution: Distribution) -> str:
    """Return a distribution's name as the GUM has it."""
    return _DISTRIBUTIONS[distribution]


_DISTRIBUTIONS: Final = {
    Distribution.NORMAL: "normal",
    Distribution.RECTANGLE: "rectangular",
    Distribution.PWM_PHASE: "PWM phase",
}
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
            f"Too narrow for the columns {names}; --json and the HTML report show them."
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
