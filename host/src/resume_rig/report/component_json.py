"""Components, figures, ranking and advice as parts of the documents of `log` and `correlate`."""

import math
from collections.abc import Sequence
from heapq import nlargest
from typing import Final

from resume_rig.analysis.advice import Advice
from resume_rig.analysis.hibernate import hibernate_rates
from resume_rig.analysis.ranking import Ranked
from resume_rig.model.component import Component
from resume_rig.model.os_record import OsRecord
from resume_rig.report.code_names import code_name
from resume_rig.report.hostile_text import bounded, encodable
from resume_rig.report.json_text import Json, number_json

COMPONENTS_LIMIT: Final = 500
"""Components of one cycle in the document: the longest ones, in the account's order."""

SLOWEST_LIMIT: Final = 500
_TEXT_LIMIT: Final = 300
_FIGURES_LIMIT: Final = 500


def components_json(record: OsRecord | None) -> dict[str, Json]:
    """Return the keys that a cycle has of its components and figures; empty without a record."""
    components = () if record is None else record.components
    figures = () if record is None else record.figures
    chosen = _longest(components)
    return {
        "components": [_component(component) for component in chosen],
        "components_left_out": len(components) - len(chosen),
        "figures": {
            _text(figure.name): number_json(figure.value) for figure in figures[:_FIGURES_LIMIT]
        },
        "codes": {
            figure.name: meaning
            for figure in figures[:_FIGURES_LIMIT]
            if (meaning := code_name(figure)) is not None
        },
    }


def hibernate_json(record: OsRecord) -> dict[str, Json]:
    """Return the rates of a cycle's hibernation file beyond the one that the contract names."""
    rates = hibernate_rates(record)
    values = (
        (None, None, None)
        if rates is None
        else (rates.read_mb_per_s, rates.write_pages_per_ms, rates.write_mb_per_s)
    )
    names = ("hiber_read_mb_per_s", "hiber_write_pages_per_ms", "hiber_write_mb_per_s")
    return {
        name: None if value is None else round(value, 3)
        for name, value in zip(names, values, strict=True)
    }


def slowest_json(ranked: Sequence[Ranked]) -> list[Json]:
    """Return the ranking, the longest first; at most SLOWEST_LIMIT."""
    return [
        {
            "moment": one.moment,
            "kind": one.kind.value,
            "name": _text(one.name),
            "phase": _text(one.phase),
            "count": one.count,
            "not_ended": one.not_ended,
            "median_ms": _rounded(one.median_ms),
            "worst_ms": _rounded(one.worst_ms),
            "own_ms": _rounded(one.own_ms),
            "held_ms": _rounded(one.held_ms),
            "share": _rounded(one.share, 4),
            "group": _text(one.group),
            "detail": _text(one.detail),
        }
        for one in ranked[:SLOWEST_LIMIT]
    ]


def advice_json(found: Sequence[Advice]) -> list[Json]:
    """Return the advice."""
    return [
        {
            "topic": advice.topic,
            "text": advice.text,
            "source": advice.source,
            "names": [_text(name) for name in advice.names],
            "count": advice.count,
        }
        for advice in found
    ]


def identity_json(identity: Sequence[tuple[str, str]]) -> dict[str, Json]:
    """Return what a source says of the DUT."""
    return {_text(name): _text(value) for name, value in identity}


def _longest(components: Sequence[Component]) -> Sequence[Component]:
    if len(components) <= COMPONENTS_LIMIT:
        return components
    order = nlargest(
        COMPONENTS_LIMIT,
        range(len(components)),
        key=lambda index: _length_ms(components[index]),
    )
    return [components[index] for index in sorted(order)]


def _length_ms(component: Component) -> float:
    """What had not ended is longer than anything that had."""
    return math.inf if component.duration_ms is None else component.duration_ms


def _component(component: Component) -> dict[str, Json]:
    return {
        "kind": component.kind.value,
        "name": _text(component.name),
        "phase": _text(component.phase),
        "duration_ms": _rounded(component.duration_ms),
        "start_ms": _rounded(component.start_ms),
        "own_ms": _rounded(component.own_ms),
        "held_ms": _rounded(component.held_ms),
        "group": _text(component.group),
        "detail": _text(component.detail),
    }


def _text(text: str) -> str:
    return encodable(bounded(text, _TEXT_LIMIT))


def _rounded(value: float | None, digits: int = 3) -> float | None:
    finite = number_json(value)
    return None if finite is None else round(finite, digits)
