"""The document of `fleet --json` (schema resume-rig/fleet/1)."""

from resume_rig.model.result.fleet import (
    Fleet,
    FleetCampaign,
    FleetGroup,
    GroupTimes,
    OutlyingUnit,
    TimesOf,
)
from resume_rig.report.parts.document import (
    common_json,
    failures_json,
    quantile_json,
    requirement_json,
)
from resume_rig.report.text.json_text import Json, json_text, number_json, text_json, utc_json

SCHEMA = "resume-rig/fleet/1"


def fleet_document(fleet: Fleet) -> str:
    """Return the whole document, on one line."""
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "requirement": requirement_json(fleet.requirement),
        "by": [trait.value for trait in fleet.by],
        "groups": [_group(group) for group in fleet.groups],
        "unread": [{"path": text_json(e.path), "why": text_json(e.why)} for e in fleet.unread],
        "copies": [{"path": text_json(p), "of": text_json(of)} for p, of in fleet.copies],
        "verdict": fleet.verdict.value,
        "why": text_json(fleet.why),
        "headline": text_json(fleet.headline),
    }
    return json_text(document) + "\n"


def _group(group: FleetGroup) -> dict[str, Json]:
    return {
        "traits": {trait.value: text_json(value) for trait, value in group.traits.items()},
        "verdict": group.verdict.value,
        "units": group.units,
        "failures": failures_json(group.failures),
        "units_failed": group.units_failed,
        "units_failing": failures_json(group.units_share),
        "times": [_group_times(times) for times in group.times],
        "odd": [_outlier(outlier) for outlier in group.outliers],
        "campaigns": [_campaign(campaign) for campaign in group.campaigns],
    }


def _group_times(times: GroupTimes) -> dict[str, Json]:
    return {
        "measure": text_json(times.name),
        "units": times.units,
        "median_ms": number_json(times.median_ms),
        "low_ms": number_json(times.low_ms),
        "high_ms": number_json(times.high_ms),
        "next_within": times.next_within,
        "between_ms": number_json(times.between_ms),
        "within_ms": number_json(times.within_ms),
        **common_json(times.common),
    }


def _outlier(outlier: OutlyingUnit) -> dict[str, Json]:
    return {
        "unit": text_json(outlier.unit),
        "measure": None if outlier.measure is None else text_json(outlier.measure),
        "value": number_json(outlier.value),
        "others": number_json(outlier.others),
        "p": number_json(outlier.p),
    }


def _campaign(campaign: FleetCampaign) -> dict[str, Json]:
    return {
        "path": text_json(campaign.path),
        "unit": text_json(campaign.unit),
        "traits": {trait.value: text_json(value) for trait, value in campaign.traits.items()},
        "begun": utc_json(campaign.begun_utc_ns),
        "running": campaign.running,
        "simulated": campaign.simulated,
        "marks": [text_json(mark) for mark in campaign.marks],
        "cycles": campaign.cycles,
        "verdict": campaign.verdict.value,
        "why": text_json(campaign.why),
        "failures": failures_json(campaign.failures),
        "undecided": campaign.undecided,
        "outcomes": dict(campaign.outcomes),
        "findings": dict(sorted(campaign.findings.items())),
        "times": [_times(times) for times in campaign.times.values()],
        "log": campaign.log or None,
        "kinds": {kind.value: count for kind, count in campaign.kinds.items()},
    }


def _times(times: TimesOf) -> dict[str, Json]:
    return {
        "measure": text_json(times.name),
        "n": times.n,
        "median_ms": number_json(times.median_ms),
        "p95_ms": number_json(times.p95_ms),
        "max_ms": number_json(times.max_ms),
        "spread_ms": number_json(times.spread_ms),
        "median_interval": None if times.median is None else quantile_json(times.median),
        "p95_interval": None if times.p95 is None else quantile_json(times.p95),
        **common_json(times.common),
    }
