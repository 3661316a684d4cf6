"""A budget for each interval of a campaign: measured, and reconciled with the OS record.

It is made for the cycle in the middle, and has the DUT's own scatter (type A) in addition.
docs/explanation/uncertainty.md explains the tables.
"""

import statistics
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, sqrt
from typing import NamedTuple

from resume_rig.analysis.reconcile.thresholds import VALUE_BOUND_MS
from resume_rig.analysis.stats.figures import student_t_beyond
from resume_rig.model.budget import Budget, BudgetRow, Distribution, Evaluation, Repeated, Scope
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle, ReconciledCycle
from resume_rig.model.units import NS_PER_MS
from resume_rig.timing.budget import (
    COVERAGE,
    bounce_row,
    budget_of,
    hidden_row,
    reported_row,
    unproven_row,
)
from resume_rig.timing.edge_uncertainty import IntervalBounds, Moment, Witness

Rebuild = Callable[[int, Witness], OutsideCycle]
_Quantity = Callable[[ReconciledCycle], BoundedNs | None]

_UNEXPLAINED: Mapping[str, _Quantity] = {"unexplained_ns": lambda cycle: cycle.unexplained}
_REPORTED_NS = VALUE_BOUND_MS * NS_PER_MS
# A cycle's bound and that of its rows differ by roundings: 1 ns a row, assumed with room.
_ROUNDED_NS = 10
_NOT_OURS = "an unknown instrument: its terms are assumed, and 95 % is the guaranteed bound"
_MEDIAN_NOTE = (
    "what the median adds is less than what the cycle's own part in it takes away, so it counts in "
    "the bound alone; what all cycles have in common cancels, and is counted all the same"
)


def interval_budgets(
    cycles: Sequence[ReconciledCycle],
    bounds: IntervalBounds,
    rebuild: Rebuild,
    reset_to_tsc: BoundedNs,
    hidden_source: str,
) -> tuple[Budget, ...]:
    """Return the budgets, in the order of IntervalName and then of the reconciled times.

    Args:
        cycles: of the campaign; ignored ones are left out, unless there are no others.
        bounds: what is known of the instrument.
        rebuild: builds a cycle again by its number, and calls a witness with its intervals' ends.
        reset_to_tsc: PLTRST# rising to the TSC's zero.
        hidden_source: who says so.
    """
    maker = _Maker(cycles, bounds, rebuild)
    hidden = hidden_row(reset_to_tsc.bound_ns, hidden_source)
    reported = (reported_row("BiosInit", _REPORTED_NS), reported_row("DriverInit", _REPORTED_NS))
    inside = tuple(replace(row, sensitivity=-1) for row in reported)
    wanted = (
        *((name.value, name, _of_interval(name), ()) for name in IntervalName),
        (
            "press_to_resume_complete_ns",
            IntervalName.PRESS_TO_PLTRST,
            lambda cycle: cycle.press_to_resume_complete,
            (hidden, *reported),
        ),
        (
            "light_after_complete_ns",
            IntervalName.PLTRST_TO_LIGHT,
            lambda cycle: cycle.light_after_complete,
            (replace(hidden, sensitivity=-1), *inside),
        ),
    )
    maker.gather({**{name: quantity for name, _, quantity, _ in wanted}, **_UNEXPLAINED})
    found = [
        maker.budget(name, measured, others, quantity)
        for name, measured, quantity, others in wanted
    ]
    found.append(maker.unexplained(inside))
    return tuple(budget for budget in found if budget is not None)


@dataclass(frozen=True, slots=True)
class _Column:
    """A time of all cycles that have it: its nanoseconds, and the places of the cycles."""

    values_ns: list[int] = field(default_factory=list)
    places: "array[int]" = field(default_factory=lambda: array("q"))


def _of_interval(name: IntervalName) -> _Quantity:
    return lambda cycle: cycle.outside.intervals.get(name)


class _Ends(NamedTuple):
    """Who formed an interval, where it begins and ends, by how much bounces widen it."""

    bounds: IntervalBounds
    start: Moment
    end: Moment
    bounced_ns: int


class _Maker:
    """Finds median cycles, builds each again once, and makes budgets of them."""

    def __init__(
        self, cycles: Sequence[ReconciledCycle], bounds: IntervalBounds, rebuild: Rebuild
    ) -> None:
        self._cycles = cycles
        self._bounds = bounds
        self._rebuild = rebuild
        self._ends: dict[int, dict[IntervalName, _Ends]] = {}
        self._columns: dict[str, _Column] = {}

    def gather(self, wanted: Mapping[str, _Quantity]) -> None:
        """Take in the times that budgets are asked for, in one pass over the cycles."""
        all_ignored = all(cycle.outside.ignored for cycle in self._cycles)
        self._columns = {name: _Column() for name in wanted}
        columns = [(quantity, self._columns[name]) for name, quantity in wanted.items()]
        for place, cycle in enumerate(self._cycles):
            if cycle.outside.ignored and not all_ignored:
                continue
            for quantity, column in columns:
                found = quantity(cycle)
                if found is not None:
                    column.values_ns.append(found.value_ns)
                    column.places.append(place)

    def budget(
        self,
        name: str,
        measured: IntervalName,
        others: Sequence[BudgetRow],
        quantity: _Quantity | None = None,
    ) -> Budget | None:
        """Return the budget of a time that is a measured interval and `others`.

        By what the `quantity` of its cycle has a wider bound than those, BiosInit is not proven.
        """
        column = self._columns[name]
        if not column.places:
            return None
        order = sorted(range(len(column.places)), key=column.values_ns.__getitem__)
        middle = order[(len(order) - 1) // 2]
        value_ns = column.values_ns[middle]
        cycle = self._cycles[column.places[middle]]
        rows = self._rows(cycle, measured)
        if rows is None:
            return None
        note = "" if self._bounds.is_own else _NOT_OURS
        budget = budget_of(
            name, value_ns, (*rows, *others), is_evaluated=self._bounds.is_own, note=note
        )
        made = None if quantity is None or not others else quantity(cycle)
        if made is not None and made.bound_ns > budget.bound_ns + _ROUNDED_NS:
            row = unproven_row(made.bound_ns - budget.bound_ns)
            budget = replace(budget, rows=(*budget.rows, row), bound_ns=made.bound_ns)
        return replace(budget, repeated=_repeated(column.values_ns, budget.common_ns))

    def unexplained(self, inside: Sequence[BudgetRow]) -> Budget | None:
        """Return the budget of a residual less the campaign's median residual."""
        (name,) = _UNEXPLAINED
        residual = self.budget(name, IntervalName.PLTRST_TO_LIGHT, inside)
        if residual is None:
            return None
        row = _median_row(residual, len(self._columns[name].places))
        # What all cycles share cancels against their median, so that nothing left is shared.
        rows = (replace(each, scope=Scope.CYCLE) for each in (*residual.rows, row))
        budget = budget_of(
            name,
            residual.value_ns,
            rows,
            is_evaluated=self._bounds.is_own,
            note=residual.note or _MEDIAN_NOTE,
        )
        repeated = _repeated(self._columns[name].values_ns, budget.common_ns)
        return replace(budget, repeated=repeated)

    def _rows(self, cycle: ReconciledCycle, name: IntervalName) -> tuple[BudgetRow, ...] | None:
        number = cycle.outside.number
        if number not in self._ends:
            self._ends[number] = dict(_ends_of(number, self._rebuild))
        ends = self._ends[number].get(name)
        if ends is None:
            return None
        rows = ends.bounds.rows(ends.start, ends.end)
        return (*rows, bounce_row(ends.bounced_ns)) if ends.bounced_ns else rows


def _ends_of(number: int, rebuild: Rebuild) -> Iterator[tuple[IntervalName, _Ends]]:
    """Yield the ends of a cycle's intervals, which it has in the order in which they are formed.

    Whoever formed one may have corrected it, or added what a bounce leaves open.
    """
    ends: list[tuple[IntervalBounds, Moment, Moment, BoundedNs]] = []
    outside = rebuild(number, lambda *found: ends.append(found))
    if len(ends) != len(outside.intervals):
        return
    for (name, quantity), (bounds, start, end, made) in zip(
        outside.intervals.items(), ends, strict=True
    ):
        yield name, _Ends(bounds, start, end, max(quantity.bound_ns - made.bound_ns, 0))


def _median_row(residual: Budget, count: int) -> BudgetRow:
    return BudgetRow(
        f"median of {count}",
        "this campaign",
        Evaluation.B,
        Distribution.NORMAL,
        residual.bound_ns,
        0,
        sensitivity=-1,
    )


def _repeated(values_ns: Sequence[int], common_ns: int) -> Repeated | None:
    if len(values_ns) < 2:
        return None
    count, sd_ns = len(values_ns), statistics.stdev(values_ns)
    scatter_ns = sd_ns / sqrt(count)
    half_ns = student_t_beyond(1.0 - COVERAGE, count - 1) * scatter_ns + common_ns
    mean_ns = round(statistics.fmean(values_ns))
    return Repeated(count, mean_ns, ceil(sd_ns), ceil(scatter_ns), ceil(half_ns))
