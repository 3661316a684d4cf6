"""Budgets as text, the same on a page and on a terminal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.model.budget import Budget, BudgetRow
from resume_rig.model.units import seconds_text

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
        name=budget.name.removesuffix("_ns").replace("_", " "),
        value=seconds_text(budget.value_ns),
        expanded=seconds_text(budget.expanded_ns),
        factor=factor,
        bound=seconds_text(budget.bound_ns),
        largest="" if largest is None else largest.name,
        scatter="" if repeated is None else seconds_text(repeated.mean_standard_ns),
        rows=tuple(_row(row) for row in budget.rows),
        totals=f"Standard uncertainty {seconds_text(budget.standard_ns)}; 95 % within "
        f"{seconds_text(budget.expanded_ns)} (k = {factor}); certainly within "
        f"{seconds_text(budget.bound_ns)}.{_common(budget)}",
        repeated=""
        if repeated is None
        else f"Type A beside it: {repeated.count} cycles scatter by {seconds_text(repeated.sd_ns)}"
        f" (s); their mean {seconds_text(repeated.mean_ns)} by"
        f" {seconds_text(repeated.mean_standard_ns)} (s/√n), and with what all cycles share it is"
        f" within {seconds_text(repeated.mean_expanded_ns)} (95 %).",
        note=f"{budget.note[:1].upper()}{budget.note[1:]}." if budget.note else "",
    )


def _common(budget: Budget) -> str:
    if not budget.common_ns:
        return ""
    return (
        f" Up to {seconds_text(budget.common_ns)} of that is the same in every cycle (scope"
        " campaign or rig), and more cycles do not make it less."
    )


def _row(row: BudgetRow) -> tuple[str, ...]:
    return (
        row.name,
        row.source,
        row.evaluation.value,
        row.distribution.value,
        row.scope.value,
        seconds_text(row.half_width_ns),
        seconds_text(row.standard_ns),
        f"{row.sensitivity:+d}",
        seconds_text(row.correction_ns) if row.correction_ns else "-",
    )
