"""Budgets as JSON, on a page and on a terminal."""

import json
from dataclasses import replace
from typing import Any

import pytest

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.model.budget import Budget, BudgetRow, Distribution, Evaluation, Repeated, Scope
from resume_rig.report.campaign.document import correlation_pieces
from resume_rig.report.campaign.sections import budget_tables
from resume_rig.report.html import campaign_report
from resume_rig.report.text.terminal_style import TerminalStyle

ROWS = (
    BudgetRow(
        "stamp of PLTRST# rising",
        "the board's info <b>",
        Evaluation.B,
        Distribution.RECTANGLE,
        7_000,
        4_042,
        sensitivity=-1,
        group="stamp of PLTRST# rising",
        correction_ns=310,
        scope=Scope.RIG,
    ),
    BudgetRow(
        "phase of the PWM, duty 0.10",
        "docs/explanation/light.md",
        Evaluation.B,
        Distribution.PWM_PHASE,
        2_045_454,
        1_293_000,
        at_ends=0.1,
    ),
)
BUDGET = Budget(
    "pltrst_to_light_ns",
    609_000_000,
    ROWS,
    1_293_007,
    2_046_000,
    2_052_454,
    "a note\x1b[31m",
    Repeated(100, 609_100_000, 30_000_000, 3_000_000),
)


def test_the_document_has_every_row(samples: Any) -> None:
    facts = replace(samples.facts(), budgets=(BUDGET,))
    found = json.loads(
        "".join(correlation_pieces(answered_campaign(samples.four_cycles(), facts)))
    )["budgets"]

    table = found["pltrst_to_light_ns"]
    assert table["rows"][0] == {
        "name": "stamp of PLTRST# rising",
        "source": "the board's info <b>",
        "evaluation": "B",
        "distribution": "rectangle",
        "half_width": 7_000,
        "standard": 4_042,
        "sensitivity": -1,
        "group": "stamp of PLTRST# rising",
        "correction": 310,
        "scope": "rig",
    }
    assert (table["standard"], table["expanded"], table["bound"]) == (
        1_293_007,
        2_046_000,
        2_052_454,
    )
    assert table["common"] == 7_000
    assert table["coverage_factor"] == pytest.approx(1.582)
    assert table["repeated"]["standard_of_mean"] == 3_000_000


def test_the_page_has_a_table_that_opens_without_a_script(samples: Any) -> None:
    facts = replace(samples.facts(), budgets=(BUDGET, replace(BUDGET, repeated=None, note="")))
    page = campaign_report(answered_campaign(samples.four_cycles(), facts), "now")

    assert page.count("<details><summary>Terms of") == 2
    assert "Terms of PLTRST# to display on, 609.0 ms ±2.046 ms" in page
    assert "the board&#39;s info &lt;b&gt;" in page
    assert "\x1b" not in page


def test_a_campaign_without_a_budget_has_no_such_section(samples: Any) -> None:
    assert "Uncertainty budgets" not in campaign_report(
        answered_campaign(samples.four_cycles(), samples.facts()), ""
    )


@pytest.mark.parametrize("width", [60, 100, 200])
@pytest.mark.parametrize("unicode", [True, False], ids=["Unicode", "ASCII"])
def test_the_terminal_table_fits_and_says_what_it_leaves_out(width: int, unicode: bool) -> None:
    text = "".join(budget_tables((BUDGET,), TerminalStyle(unicode=unicode, width=width)))

    assert "\x1b" not in text
    assert unicode or text.isascii()
    # A term's name never gives way.
    assert "phase of the PWM, duty 0.10" in text
    assert ("Too narrow for" in text) == (width < 200)
    assert "k = 1.58" in " ".join(text.split())
    if width >= 100:
        assert max(map(len, text.splitlines())) <= width


def test_nothing_measured_is_said() -> None:
    assert "No interval was measured" in "".join(budget_tables((), TerminalStyle(width=80)))
