"""The document of `trend --json` (schema resume-rig/trend/1)."""

from resume_rig.model.result.fleet import (
    Carrier,
    Trend,
    TrendCell,
    TrendChange,
    TrendFigure,
    TrendGroup,
    TrendPoint,
    TrendUnit,
)
from resume_rig.report.parts.document import failures_json
from resume_rig.report.text.json_text import Json, json_text, number_json, text_json, utc_json

SCHEMA = "resume-rig/trend/1"


def trend_document(trend: Trend) -> str:
    """Return the whole document, on one line."""
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "by": trend.by.value,
        "requirement": text_json(trend.requirement),
        "measures": [text_json(name) for name in trend.measures],
        "groups": [_group(group) for group in trend.groups],
        "left_out": [text_json(sentence) for sentence in trend.left_out],
        "verdict": trend.verdict.value,
        "why": text_json(trend.why),
    }
    return json_text(document) + "\n"


def _group(group: TrendGroup) -> dict[str, Json]:
    first = group.first_worse
    return {
        "traits": {trait.value: text_json(value) for trait, value in group.traits.items()},
        "verdict": group.verdict.value,
        "points": [_point(point) for point in group.points],
        "changes": [_change(change) for change in group.changes],
        "first_worse": None if first is None else text_json(first.label),
        "tested": group.tested,
        "untested": [text_json(sentence) for sentence in group.untested],
        "units": [_unit(unit) for unit in group.units],
    }


def _point(point: TrendPoint) -> dict[str, Json]:
    return {
        "label": text_json(point.label),
        "first": utc_json(point.first_utc_ns),
        "verdict": point.verdict.value,
        "campaigns": point.campaigns,
        "units": point.units,
        "cycles": point.cycles,
        "failures": failures_json(point.failures),
        "figures": [_figure(figure) for figure in point.figures],
    }


def _figure(figure: TrendFigure) -> dict[str, Json]:
    return {
        "measure": text_json(figure.measure),
        "value_ms": number_json(figure.value_ms),
        "low_ms": number_json(figure.low_ms),
        "high_ms": number_json(figure.high_ms),
        "p95_ms": number_json(figure.p95_ms),
        "max_ms": number_json(figure.max_ms),
        "repeats": figure.repeats.value,
        "n": figure.n,
        "cycles": figure.cycles,
    }


def _change(change: TrendChange) -> dict[str, Json]:
    return {
        "measure": None if change.measure is None else text_json(change.measure),
        "label": text_json(change.label),
        "since": text_json(change.since),
        "worse": change.worse,
        "before": number_json(change.before),
        "after": number_json(change.after),
        "low": number_json(change.low),
        "high": number_json(change.high),
        "p": number_json(change.p),
        "paired": change.paired,
        "moved": change.moved,
        "of": change.of,
        "units": [_carrier(each) for each in change.units],
        "drivers": [_carrier(each) for each in change.drivers],
    }


def _carrier(carrier: Carrier) -> dict[str, Json]:
    return {
        "name": text_json(carrier.name),
        "before": number_json(carrier.before),
        "after": number_json(carrier.after),
    }


def _unit(unit: TrendUnit) -> dict[str, Json]:
    return {
        "name": text_json(unit.name),
        "verdict": unit.verdict.value,
        "points": {text_json(label): _cell(cell) for label, cell in unit.cells.items()},
    }


def _cell(cell: TrendCell) -> dict[str, Json]:
    return {
        "verdict": cell.verdict.value,
        "campaigns": cell.campaigns,
        "judged": cell.judged,
        "failed": cell.failed,
        "median_ms": number_json(cell.median_ms),
        "reports": [text_json(path) for path in cell.reports],
    }
