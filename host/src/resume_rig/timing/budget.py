"""Makes a budget of rows: totals by convolution, differences in which common errors cancel."""

from collections.abc import Iterable
from dataclasses import replace
from math import ceil

from resume_rig.model.budget import (
    Budget,
    BudgetRow,
    by_group,
    combined_standard_ns,
    summed_bound_ns,
)
from resume_rig.timing.budget_coverage import ErrorShape, expanded_half_width_ns


def budget_of(
    name: str, value_ns: int, rows: Iterable[BudgetRow], *, known: bool = True, note: str = ""
) -> Budget:
    """Return the budget of `rows`; those that are 0 are left out.

    Args:
        name: of the interval.
        value_ns: the duration that the rows are for.
        rows: in the order in which they are shown.
        known: False where the rows are assumptions about an unknown instrument; the 95 % interval
            is then the guaranteed one.
        note: what a reader has to know.
    """
    kept = tuple(row for row in rows if row.half_width_ns)
    bound_ns = summed_bound_ns(kept)
    standard_ns = combined_standard_ns(kept)
    expanded_ns = bound_ns
    if known and standard_ns:
        expanded_ns = min(ceil(expanded_half_width_ns(shapes_of(kept))), bound_ns)
    return Budget(name, value_ns, kept, standard_ns, expanded_ns, bound_ns, note)


def difference(name: str, minuend: Budget, subtrahend: Budget) -> Budget:
    """Return the budget of a difference: rows of one group cancel, others add."""
    turned = tuple(replace(row, sensitivity=-row.sensitivity) for row in subtrahend.rows)
    return budget_of(name, minuend.value_ns - subtrahend.value_ns, (*minuend.rows, *turned))


def shapes_of(rows: tuple[BudgetRow, ...]) -> list[ErrorShape]:
    """Return the independent errors of rows: each group is one, with what it sums to."""
    shapes: list[ErrorShape] = []
    for group in by_group(rows).values():
        first = group[0]
        half_ns = abs(sum(row.sensitivity * row.half_width_ns for row in group))
        standard_ns = abs(sum(row.contribution_ns for row in group))
        shapes.append(ErrorShape(first.distribution, half_ns, standard_ns, first.at_ends))
    return shapes
