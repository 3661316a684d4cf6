"""Parts that the JSON documents of logs and campaigns share: verdict, statistics, components."""

import math
from collections.abc import Iterable, Sequence
from heapq import nlargest
from typing import Final

from resume_rig.analysis.findings.advice import Advice, Ranked
from resume_rig.analysis.verdict.columns import Column, Row
from resume_rig.analysis.verdict.limits import limit_in_unit, limit_text
from resume_rig.analysis.verdict.measures import hibernate_rates, measure_words
from resume_rig.model.os_record import Component, OsRecord, WakeSource
from resume_rig.model.result.judgement import LimitJudgement, Missing
from resume_rig.model.result.series import (
    ChangePoint,
    CommonTerm,
    Drift,
    FailureRate,
    MeanInterval,
    QuantileInterval,
    SeriesStatistics,
    TwoGroups,
)
from resume_rig.model.result.verdict import Limit, Requirement
from resume_rig.report.parts.components import code_name
from resume_rig.report.text.hostile_text import bounded, encodable
from resume_rig.report.text.json_text import Json, number_json, statistics_json, text_json

COMPONENTS_LIMIT: Final = 500
"""Components of one cycle in the document: the longest ones, in the account's order."""

SLOWEST_LIMIT: Final = 500
_TEXT_LIMIT: Final = 300
_FIGURES_LIMIT: Final = 500


def columns_json(columns: Iterable[Column[Row]], row: Row | None) -> dict[str, Json]:
    """Return the columns of a row by their names; None where there is no row."""
    found = {column.name: None if row is None else column.get(row) for column in columns}
    return {
        name: text_json(value) if isinstance(value, str) else value for name, value in found.items()
    }


def ending_json(record: OsRecord | None) -> dict[str, Json]:
    """Return whose sleep a record is of, how it ended, and what is odd about it."""
    ending = None if record is None else record.ending
    return {
        "computer": (text_json(record.computer) or None) if record is not None else None,
        "ending": None if ending is None else ending.value,
        "notes": None if record is None else [text_json(note) for note in record.notes],
    }


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


def wake_source_json(source: WakeSource) -> dict[str, Json]:
    """Return the OS-reported wake source."""
    return {
        "type": source.type,
        "name": text_json(source.name),
        "text": text_json(source.text),
        "timer_owner": text_json(source.timer_owner),
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
            "owner": advice.owner.value,
            "section": advice.section,
            "command": advice.command,
            "names": [_text(name) for name in advice.names],
            "count": advice.count,
        }
        for advice in found
    ]


def identity_json(identity: Sequence[tuple[str, str]]) -> dict[str, Json]:
    """Return what a log states of the DUT."""
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


_NUMBERS_MOST = 1_000
"""Outliers that are named; `outliers` counts all of them."""


def requirement_json(requirement: Requirement) -> dict[str, Json]:
    """Write the profile's name, version and limits."""
    return {
        "id": requirement.id,
        "version": requirement.version,
        "limits": {
            "resume_limit_ms": requirement.resume_limit_ms,
            "bios_advised_ms": requirement.bios_advised_ms,
        },
        "all_limits": [_limit(limit) for limit in requirement.limits()],
        "rule": {
            "ignore_first": requirement.ignore_first,
            "limit_fails": requirement.limit_fails,
            "guard_band": requirement.guard_band,
            "back_whole": requirement.back_whole,
        },
        "evidence": "real" if requirement.real_only else "any",
        "evidence_min": requirement.evidence_min,
    }


def limits_judged_json(judgements: Sequence[LimitJudgement]) -> list[Json]:
    """Write each limit with its verdict and what that rests on."""
    return [
        {
            **_limit(each.limit),
            "title": measure_words(each.limit.measure),
            "verdict": each.verdict.value,
            "n": each.n,
            "failed": each.failed,
            "marginal": each.marginal,
            "hidden": each.hidden,
            "broken": each.broken,
            "undecided": each.undecided,
            "missing": None if each.missing is None else _missing(each.missing),
            "did": dict(each.did),
            "worst": number_json(each.worst),
            "risk": number_json(each.risk),
            "share_shown": number_json(each.shown),
            "needed": each.needed,
            "why": text_json(each.why),
        }
        for each in judgements
    ]


def failures_json(failures: FailureRate | None) -> dict[str, Json] | None:
    """Write how often cycles fail; null without a judged cycle."""
    if failures is None:
        return None
    return {
        "failures": failures.failures,
        "n": failures.n,
        "low_95": failures.low,
        "high_95": failures.high,
        "upper_95": failures.upper,
        "needed_for_1_percent": failures.needed_for_1_percent,
        "undecided": failures.undecided,
        "cycles_per_independent": failures.tau,
        "upper_95_in_runs": failures.upper_in_runs,
    }


def series_json(series: Sequence[SeriesStatistics]) -> list[Json]:
    """Write what each series shows."""
    return [
        {
            "measure": text_json(one.name),
            "title": text_json(measure_words(one.name)),
            "judged": one.judged,
            **statistics_json(one.figures),
            "median_interval": quantile_json(one.median),
            "p95_interval": quantile_json(one.p95),
            "mean_interval": None if one.mean is None else _mean(one.mean),
            **common_json(one.common),
            "drift": None if one.drift is None else _drift(one.drift),
            "change_points": [_change(point) for point in one.change_points],
            "warm_up": list(one.warm_up),
            "cycles_per_independent": one.tau,
            "two_groups": None if one.groups is None else _groups(one.groups),
            "outliers": len(one.outliers),
            "outlier_cycles": list(one.outliers[:_NUMBERS_MOST]),
        }
        for one in series
    ]


def _groups(groups: TwoGroups) -> dict[str, Json]:
    return {
        "low_n": groups.low_n,
        "low_ms": number_json(groups.low_ms),
        "high_n": groups.high_n,
        "high_ms": number_json(groups.high_ms),
        "above_ms": number_json(groups.above_ms),
    }


def _missing(missing: Missing) -> dict[str, Json]:
    return {
        "reason": missing.reason.value,
        "measure": text_json(missing.measure),
        "n": missing.n,
        "slow": missing.slow,
        "beyond": missing.beyond,
        "middle_ms": number_json(missing.middle_ms),
        "usual_ms": number_json(missing.usual_ms),
        "worst_ms": number_json(missing.worst_ms),
        "p": number_json(missing.p),
    }


def common_json(common: CommonTerm) -> dict[str, Json]:
    """Write the uncertainty that all cycles share, and how much of it differs elsewhere."""
    return {
        "common_ms": number_json(common.common_ms),
        "common_rig_ms": number_json(common.rig_ms),
        "common_campaign_ms": number_json(common.campaign_ms),
    }


def _limit(limit: Limit) -> dict[str, Json]:
    return {
        "measure": limit.measure,
        "text": text_json(limit_text(limit)),
        "comparison": limit.comparison.value,
        "value": limit_in_unit(limit),
        "unit": limit.unit,
        "demand": "required" if limit.required else "advised",
        "share": limit.share,
        "confidence": None if limit.share is None else limit.confidence,
        "kinds": [kind.value for kind in limit.kinds],
    }


def quantile_json(interval: QuantileInterval) -> dict[str, Json]:
    """Write an interval of a quantile; null on a side that too few values leave open."""
    return {
        "low_ms": number_json(interval.low_ms),
        "high_ms": number_json(interval.high_ms),
        "confidence": interval.confidence,
        "needed": interval.needed,
    }


def _mean(interval: MeanInterval) -> dict[str, Json]:
    return {
        "low_ms": number_json(interval.low_ms),
        "high_ms": number_json(interval.high_ms),
        "confidence": interval.confidence,
        "standard_ms": number_json(interval.standard_ms),
    }


def _drift(drift: Drift) -> dict[str, Json]:
    return {
        "ms_per_100_cycles": number_json(drift.slope_ms),
        "low_ms": number_json(drift.low_ms),
        "high_ms": number_json(drift.high_ms),
        "p": number_json(drift.p),
    }


def _change(point: ChangePoint) -> dict[str, Json]:
    return {
        "cycle": point.cycle,
        "before_ms": number_json(point.before_ms),
        "after_ms": number_json(point.after_ms),
        "p": number_json(point.p),
    }
