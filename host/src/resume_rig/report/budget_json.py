"""The budgets of `correlate --json` and `run --json`: a table for each interval, in ns."""

from collections.abc import Sequence

from resume_rig.model.budget import Budget, BudgetRow, Repeated
from resume_rig.report.json_text import Json, text_json


def budgets_json(budgets: Sequence[Budget]) -> dict[str, Json]:
    """Return the budgets by the names of their intervals."""
    return {budget.name: _budget(budget) for budget in budgets}


def _budget(budget: Budget) -> dict[str, Json]:
    return {
        "value": budget.value_ns,
        "standard": budget.standard_ns,
        "coverage_factor": round(budget.coverage_factor, 3),
        "expanded": budget.expanded_ns,
        "bound": budget.bound_ns,
        "common": budget.common_ns,
        "rows": [_row(row) for row in budget.rows],
        "note": text_json(budget.note),
        "repeated": _repeated(budget.repeated),
    }


def _row(row: BudgetRow) -> dict[str, Json]:
    return {
        "name": text_json(row.name),
        "source": text_json(row.source),
        "evaluation": row.evaluation.value,
        "distribution": row.distribution.value,
        "half_width": row.half_width_ns,
        "standard": row.standard_ns,
        "sensitivity": row.sensitivity,
        "group": None if row.group is None else text_json(row.group),
        "correction": row.correction_ns,
        "scope": row.scope.value,
    }


def _repeated(repeated: Repeated | None) -> dict[str, Json] | None:
    if repeated is None:
        return None
    return {
        "n": repeated.count,
        "mean": repeated.mean_ns,
        "sd": repeated.sd_ns,
        "standard_of_mean": repeated.mean_standard_ns,
        "expanded_of_mean": repeated.mean_expanded_ns,
    }
