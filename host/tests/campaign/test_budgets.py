"""A campaign's budgets: made of its own cycles, and the same figures as its cycles carry."""

import statistics
from collections.abc import Callable, Mapping
from math import ceil, sqrt
from pathlib import Path
from typing import Any

import pytest

from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.answer.assessment import assess, assess_capture, stored_budgets
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.store.read_back import load_campaign, timed_campaign
from resume_rig.model.budget import Budget, Scope, scoped_bound_ns
from resume_rig.model.result.cycle import Correlation, IntervalName
from resume_rig.oslog.reading import read_logs
from resume_rig.rig.capture.reading import read_capture

FIXTURES = Path(__file__).parents[3] / "fixtures"
RECONCILED = ("press_to_resume_complete", "light_after_complete", "unexplained")


@pytest.fixture
def campaign(simulated: Callable[..., Any]) -> tuple[Correlation, Mapping[str, Budget]]:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=6))
    stored = load_campaign(bench.path)
    timed = timed_campaign(stored)
    correlation = assess(stored, timed=timed)
    budgets = stored_budgets(stored, correlation, timed.calibrations)
    return correlation, {budget.name: budget for budget in budgets}


def test_every_time_that_a_cycle_has_gets_a_budget(campaign: Any) -> None:
    correlation, budgets = campaign
    measured = {name.value for cycle in correlation.cycles for name in cycle.outside.intervals}

    assert set(budgets) == measured | {f"{name}_ns" for name in RECONCILED}


def test_rows_sum_to_the_totals(campaign: Any) -> None:
    for budget in campaign[1].values():
        # No two rows of one interval of a simulated campaign have one error together.
        assert len({row.group for row in budget.rows if row.group}) == sum(
            row.group is not None for row in budget.rows
        )
        assert budget.bound_ns == sum(row.half_width_ns for row in budget.rows)
        assert budget.standard_ns == ceil(sqrt(sum(row.standard_ns**2 for row in budget.rows)))
        assert budget.standard_ns <= budget.expanded_ns <= budget.bound_ns
        assert 1.6 < budget.coverage_factor < 2.0


def test_a_budget_is_that_of_the_median_cycle_as_the_cycle_carries_it(campaign: Any) -> None:
    correlation, budgets = campaign
    counted = [cycle for cycle in correlation.cycles if not cycle.outside.ignored]
    for name in IntervalName:
        found = [c.outside.intervals[name] for c in counted if name in c.outside.intervals]
        if not found:
            continue
        median = sorted(found, key=lambda quantity: quantity.value_ns)[(len(found) - 1) // 2]
        budget = budgets[name.value]
        assert (budget.value_ns, budget.bound_ns) == (median.value_ns, median.bound_ns)
        assert budget.standard_ns == pytest.approx(median.standard_ns, abs=2)
        assert budget.expanded_ns == pytest.approx(median.expanded_ns, rel=0.01)
        shared = (scoped_bound_ns(budget.rows, scope) for scope in (Scope.RIG, Scope.CAMPAIGN))
        assert tuple(shared) == (median.rig_ns, median.campaign_ns)
        assert budget.common_ns == median.common_ns < budget.bound_ns


@pytest.mark.parametrize("name", RECONCILED)
def test_reconciled_times_have_the_same_figures_as_their_table(campaign: Any, name: str) -> None:
    correlation, budgets = campaign
    budget = budgets[f"{name}_ns"]
    quantities = [getattr(cycle, name) for cycle in correlation.cycles]
    (quantity,) = [q for q in quantities if q and q.value_ns == budget.value_ns]

    assert budget.bound_ns == pytest.approx(quantity.bound_ns, abs=3)
    assert budget.standard_ns == pytest.approx(quantity.standard_ns, rel=0.001)
    assert budget.expanded_ns == pytest.approx(quantity.expanded_ns, rel=0.02)
    assert budget.common_ns == pytest.approx(quantity.common_ns, abs=3)
    common = {row.name for row in budget.rows if row.scope is not Scope.CYCLE}
    shared = {"unobserved: PLTRST# to TSC start", "BiosInit resolution, 1 ms"}
    assert not common if name == "unexplained" else shared < common


def test_how_the_dut_scatters_stands_beside_and_not_within(campaign: Any) -> None:
    correlation, budgets = campaign
    name = IntervalName.PRESS_TO_PLTRST
    values = [c.outside.intervals[name].value_ns for c in correlation.cycles[1:]]
    budget = budgets[name.value]

    assert budget.repeated.count == 5
    assert budget.repeated.sd_ns == ceil(statistics.stdev(values))
    assert budget.repeated.mean_standard_ns == ceil(statistics.stdev(values) / sqrt(5))
    assert budget.expanded_ns < budget.repeated.mean_standard_ns
    scatter_ns = 2.7764 * statistics.stdev(values) / sqrt(5)
    assert budget.repeated.mean_expanded_ns == pytest.approx(
        scatter_ns + budget.common_ns, rel=1e-4
    )


def test_a_capture_that_is_not_ours_keeps_its_bounds() -> None:
    trace = FIXTURES / "traces" / "two-s3-cycles.vcd"
    correlation, facts = assess_capture(
        trace,
        read_capture(trace, {}),
        read_logs([FIXTURES / "logs" / "two-s3-cycles.xml"]),
        requirement=load_requirement("sysfund-0004"),
        dut=None,
        report_path=None,
    )

    for cycle in correlation.cycles:
        for quantity in cycle.outside.intervals.values():
            assert quantity.expanded_ns == quantity.bound_ns
    assert facts.budgets
    for budget in facts.budgets:
        # What nobody proves of BiosInit is no term of the instrument, and in the bound alone.
        unproven = [
            row.half_width_ns for row in budget.rows if row.name.startswith("BIOS time not in")
        ]
        assert budget.expanded_ns == budget.bound_ns - sum(unproven)
    assert all("unknown instrument" in budget.note for budget in facts.budgets)
