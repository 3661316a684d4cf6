"""Faces paint the answer: they count nothing, pick no median, add no numbers.

`MAY` lists the functions that do all the same, each with its reason. What is new there belongs into
`resume_rig.analysis.answer`, where it is worked out once for every face.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import resume_rig

PACKAGE = Path(resume_rig.__file__).parent
PAINTERS = ("report", "gui", "cli", "robot", "pytest_rig")
COUNTING = frozenset({"sum", "max", "min", "median", "Counter", "mean", "quantile", "fmean"})
# What a cycle is counted by.
VERDICTS = frozenset({"verdict", "judged", "outcome", "undecided"})

MAY = {
    "cli.bench.progress:_middle_and_high": "progress, before anything is judged",
    "cli.bench.verb_doctor:_lines": "checks of a preparation",
    "cli.offline.verb_store:_facts": "cycles of a store that is not judged",
    "gui.bench.view:_identity": "channels of a rig",
    "gui.campaign.answer:draw": "ends of axes of live plots",
    "gui.explorer.capture:_stamp_bounds": "widths of edges",
    "gui.explorer.measured:_moment_ns": "edges before a mark",
    "gui.limits.state:parts_of": "shares of an uncertainty budget's terms",
    "gui.limits.view:draw": "shares of an uncertainty budget's terms",
    "gui.widgets.first_screen:show_first": "one tuple of labels out of two",
    "gui.widgets.page:resizeEvent": "widths of widgets",
    "gui.worker.campaign_state:histogram_of": "bins of live plots",
    "report.campaign.page:_finding_sections": "findings that a table leaves out",
    "report.campaign.progress:status_lines": "progress, before anything is judged",
    "report.campaign.terminal:_cells": "widths of columns",
    "report.compare.page:_strips": "ends of axes of a comparison",
    "report.drawing.histogram:_summary": "bins and heights of a picture",
    "report.drawing.histogram:histogram": "bins and heights of a picture",
    "report.drawing.marks:_levels": "places of marks",
    "report.drawing.marks:_summary": "places of marks",
    "report.drawing.marks:_trend": "places of marks",
    "report.drawing.wave:_stretches": "places of lines",
    "report.drawing.wave:_ticks": "places of lines",
    "report.export.pwrtest:left_out_count": "records that the format has no place for",
    "report.fleet.page:_failures_note": "the parts of a fleet's table",
    "report.fleet.page:_tiles": "the parts of a fleet's table",
    "report.fleet.page:_trust": "the parts of a fleet's table",
    "report.fleet.terminal:nouns_of": "the parts of a fleet's table",
    "report.fleet.terminal:subject_sentence": "the parts of a fleet's table",
    "report.parts.components:figure_rows": "rates of hibernation files, ranks of components",
    "report.text.findings:cycle_ranges": "numbers that are left out of a range of numbers",
    "report.text.hostile_text:display_width": "widths of characters",
    "report.text.terminal_style:fitting_columns": "widths of columns",
    "report.text.terminal_style:verdict_table": "widths of columns",
    "report.trend.page:trend_page": "ends of axes of a trend",
}


def modules() -> dict[str, Path]:
    found = (path for name in PAINTERS for path in (PACKAGE / name).rglob("*.py"))
    return {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in found}


def counted(source: str) -> Iterator[str]:
    """Yield the functions of a source that count or pick of results, "" outside of any."""
    for place, node in _placed(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[argument, *_]) if name in COUNTING:
                if name in {"sum", "median", "Counter", "mean", "fmean"} or _of_results(argument):
                    yield place
            case ast.Call(func=ast.Attribute(attr=name)) if name in {"median", "quantile"}:
                yield place
            case ast.Compare(left=ast.Call(func=ast.Name(id="len"), args=[argument])):
                if _of_results(argument):
                    yield place


def _placed(node: ast.AST, place: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Yield every node with the name of the function that it is in."""
    for child in ast.iter_child_nodes(node):
        inside = child.name if isinstance(child, ast.FunctionDef) else place
        yield inside, child
        yield from _placed(child, inside)


def _of_results(node: ast.AST) -> bool:
    """Return whether an expression goes over cycles by what became of them."""
    loops = (ast.GeneratorExp, ast.ListComp, ast.SetComp)
    attributes = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    return isinstance(node, loops) and bool(attributes & VERDICTS)


def counting() -> set[str]:
    return {
        f"{name}:{function}"
        for name, path in modules().items()
        for function in counted(path.read_text("utf-8"))
    }


def test_a_painter_counts_nothing() -> None:
    found = counting() - set(MAY)
    assert found == set(), "analysis/answer works out what faces show, once for all of them"


def test_what_is_listed_counts_something() -> None:
    assert set(MAY) - counting() == set(), "these count nothing any more: take them off the list"


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("n = sum(c.judged for c in cycles)", True),
        ("m = median(times)", True),
        ("m = statistics.median(times)", True),
        ("c = Counter(c.outcome for c in cycles)", True),
        ("w = max(c.verdict for c in cycles)", True),
        ("x = len([c for c in cycles if c.judged]) > 3", True),
        ("x = len(lines) > 3", False),
        ("w = max(widths)", False),
    ],
)
def test_the_check_itself_sees_who_counts(source: str, *, seen: bool) -> None:
    assert bool(list(counted(source))) is seen
