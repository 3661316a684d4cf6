"""Requirement, judged limits and statistics as parts of both JSON documents."""

from collections.abc import Sequence

from resume_rig.analysis.limits import limit_in_unit, limit_text
from resume_rig.model.judgement import LimitJudgement
from resume_rig.model.requirement import Limit, Requirement
from resume_rig.model.series import (
    ChangePoint,
    CommonTerm,
    Drift,
    FailureRate,
    MeanInterval,
    QuantileInterval,
    SeriesStatistics,
)
from resume_rig.report.json_text import Json, number_json, statistics_json, text_json

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
        },
        "evidence_min": requirement.evidence_min,
    }


def limits_judged_json(judgements: Sequence[LimitJudgement]) -> list[Json]:
    """Write each limit with its verdict and what that rests on."""
    return [
        {
            **_limit(each.limit),
            "verdict": each.verdict.value,
            "n": each.n,
            "failed": each.failed,
            "marginal": each.marginal,
            "hidden": each.hidden,
            "broken": each.broken,
            "undecided": each.undecided,
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
    }


def series_json(series: Sequence[SeriesStatistics]) -> list[Json]:
    """Write what each series shows."""
    return [
        {
            "measure": text_json(one.name),
            "judged": one.judged,
            **statistics_json(one.figures),
            "median_interval": quantile_json(one.median),
            "p95_interval": quantile_json(one.p95),
            "mean_interval": None if one.mean is None else _mean(one.mean),
            **common_json(one.common),
            "drift": None if one.drift is None else _drift(one.drift),
            "change_points": [_change(point) for point in one.change_points],
            "warm_up": list(one.warm_up),
            "outliers": len(one.outliers),
            "outlier_cycles": list(one.outliers[:_NUMBERS_MOST]),
        }
        for one in series
    ]


def common_json(common: CommonTerm) -> dict[str, Json]:
    """Write what all cycles have wrong alike at most, and of it what is another one elsewhere."""
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
