"""One table of columns: what is in it is in each document, export and page, and on its page."""

import json
from pathlib import Path
from typing import Any

import pytest

from resume_rig.acceptance.assessment import Assessed, assess_store
from resume_rig.analysis.verdict.columns import CYCLE, INSIDE, OUTSIDE, RECONCILED, placed
from resume_rig.analysis.verdict.measures import is_measure
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.store.read_back import overview_of
from resume_rig.campaign.store.store import Store
from resume_rig.cli.main import main
from resume_rig.gui.explorer.state import cycle_table
from resume_rig.model.result.cycle import IntervalName
from resume_rig.report.campaign.document import correlation_pieces
from resume_rig.report.export.table import cycle_columns, cycles_table

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def assessed(tmp_path_factory: pytest.TempPathFactory) -> Assessed:
    """A campaign whose BIOS reports less than it takes: complete is known by the wires alone."""
    store = tmp_path_factory.mktemp("columns") / "short.rrs"
    words = ["--rig", "sim:clock=virtual,seed=2", "--dut", "bios-under-reports", "--cycles", "3"]
    main(["run", *words, "--out", str(store)])
    return assess_store(store, load_requirement("sysfund-0004"), report=None)


@pytest.fixture(scope="module")
def cycles(assessed: Assessed) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads("".join(correlation_pieces(assessed.campaign)))[
        "cycles"
    ]
    return found


def test_names_are_unique_and_each_is_explained() -> None:
    columns = cycle_columns()
    assert len({each.name for each in columns}) == len(columns)
    assert all(each.explained for each in columns)
    assert {each.name for each in OUTSIDE} == set(IntervalName)
    assert all(is_measure(each.name) for each in (*INSIDE, *OUTSIDE))


def test_json_and_exports_have_every_column_with_the_same_value(
    assessed: Assessed, cycles: list[dict[str, Any]]
) -> None:
    gap = assessed.facts.reset_to_tsc
    table = cycles_table(assessed.correlation, reset_to_tsc=gap)
    names = [column.name for column in table.columns]
    rows = zip(table.rows, cycles, placed(assessed.correlation.cycles, gap), strict=True)
    for values, written, row in rows:
        exported = dict(zip(names, values, strict=True))
        for each in CYCLE:
            assert exported[each.name] == written[each.name] == each.get(row.cycle)
        for each in INSIDE:
            assert exported[each.name] == written["inside"][each.name]
        for group, times in (("outside", OUTSIDE), ("reconciled", RECONCILED)):
            for time in times:
                quantity = written[group][time.name]
                assert exported[time.name] == (quantity and quantity["value"])
                bound = exported[f"{time.name.removesuffix('_ns')}_bound_ns"]
                assert bound == (quantity and quantity["bound"])


def test_complete_is_in_the_export_where_wires_contradict_the_bios(assessed: Assessed) -> None:
    gap = assessed.facts.reset_to_tsc
    table = cycles_table(assessed.correlation, reset_to_tsc=gap)
    place = [column.name for column in table.columns].index("press_to_resume_complete_ns")
    contradicted = [cycle.press_to_resume_complete is None for cycle in assessed.correlation.cycles]
    assert any(contradicted)
    assert all(row[place] is not None for row in table.rows)


def test_the_explorer_has_each_column_that_has_a_title(assessed: Assessed) -> None:
    assert assessed.store is not None
    with Store.open(assessed.store) as store:
        overview = overview_of(store)
    table = cycle_table(assessed.correlation, overview, assessed.facts.reset_to_tsc)
    shown = {column.title for column in table.columns}
    titles = {each.title for each in (*INSIDE, *OUTSIDE, *RECONCILED) if each.title}
    assert {f"{title}, ms" for title in titles} <= shown


def test_the_reference_page_lists_every_column_of_cycles() -> None:
    page = (ROOT / "docs" / "reference" / "exports.md").read_text("utf-8")
    _, _, rest = page.partition("### Columns of `cycles`\n")
    listed = [line for line in rest.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    words = {int: "whole number", str: "text", bool: "true or false"}
    assert listed == [
        f"| `{each.name}` | {words[each.type]} | {each.explained} |" for each in cycle_columns()
    ]
