"""Questions to a lake, as Ibis expressions: one text for every engine.

Engines count, filter and order integers, and take quantiles within one campaign; what follows from
that is decided by the code that decides for stores (analysis/compare). So engines differ in no
printed digit: no sum of theirs depends on an order, and a quantile is rounded to 1 us, a thousand
times what two ways to interpolate differ by.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from resume_rig.analysis.compare.samples import HEADLINES
from resume_rig.campaign.answer.fleet import unit_of
from resume_rig.lake.engine import Engine
from resume_rig.lake.facts import HEADLINE_COLUMNS, digest_of
from resume_rig.model.result.fleet import (
    SIMULATED_MARK,
    FleetCampaign,
    SessionTimes,
    TimesOf,
    Trait,
    TrendBy,
    TrendSession,
    UnitBy,
    UnreadStore,
)
from resume_rig.model.result.series import CommonTerm, FailureRate, QuantileInterval
from resume_rig.model.result.verdict import Requirement, Verdict
from resume_rig.model.units import NS_PER_S, NS_PER_US

_WEEK_NS: Final = 7 * 24 * 3600 * NS_PER_S
# 1970 began on a Thursday: so long after a Monday.
_MONDAY_NS: Final = 3 * 24 * 3600 * NS_PER_S
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def fleet_campaigns(
    engine: Engine, requirement: Requirement, unit_by: UnitBy
) -> tuple[tuple[FleetCampaign, ...], tuple[UnreadStore, ...]]:
    """Return the campaigns of a lake as `fleet` has those of stores, and those that it leaves out.

    Args:
        engine: with the lake's tables.
        requirement: campaigns that were judged against another one are left out.
        unit_by: what distinguishes units.
    """
    times = _times_by_load(engine)
    cycle, finding = engine.table("cycles"), engine.table("findings")
    outcomes: defaultdict[int, dict[str, int]] = defaultdict(dict)
    counted = cycle.group_by("load_id", "outcome").agg(n=cycle.count(), first=cycle.cycle.min())
    for row in sorted(engine.rows(counted), key=lambda row: (row["load_id"], row["first"])):
        outcomes[row["load_id"]][row["outcome"]] = row["n"]
    findings: defaultdict[int, dict[str, int]] = defaultdict(dict)
    kinds = finding.select("load_id", "cycle", "kind").distinct()
    for row in engine.rows(kinds.group_by("load_id", "kind").agg(n=kinds.count())):
        findings[row["load_id"]][row["kind"]] = row["n"]
    found, others = [], []
    digest = digest_of(requirement)
    for row in _campaigns(engine):
        if row["requirement_digest"] != digest:
            others.append(UnreadStore(row["store_path"], _other_requirement(row, requirement)))
            continue
        load = row["load_id"]
        traits = {trait: row[trait.value] for trait in Trait}
        found.append(
            FleetCampaign(
                path=row["store_path"],
                unit=unit_of(Path(row["store_path"]), unit_by, row["dut"]),
                traits=traits,
                begun_utc_ns=row["begun_ns"],
                running=False,
                marks=tuple(map(str, json.loads(row["marks"]))),
                cycles=row["cycles"],
                verdict=Verdict(row["verdict"]),
                why=row["why"],
                failures=_failures(row),
                outcomes=outcomes.get(load, {}),
                findings=findings.get(load, {}),
                times=times.get(load, {}),
                undecided=row["undecided"],
                evidence_lacks=row["evidence_lacks"],
            )
        )
    return tuple(found), tuple(others)


_TEXTS: Final = (
    *(trait.value for trait in Trait),
    *("store_path", "verdict", "why", "marks", "requirement_id", "requirement_digest"),
)
_NUMBERS: Final = ("load_id", "begun_ns", "cycles", "judged", "undecided")


def _campaigns(engine: Engine) -> list[dict[str, Any]]:
    rows = engine.rows(engine.table("campaigns"))
    for row in rows:
        for names, kind in ((_TEXTS, str), (_NUMBERS, int)):
            for name in names:
                if not isinstance(row[name], kind):
                    raise TypeError(f"{name} of a campaign is {row[name]!r:.40}")
    return sorted(rows, key=lambda row: (row["store_path"], row["load_id"]))


def _other_requirement(row: Mapping[str, Any], requirement: Requirement) -> str:
    same_id = row["requirement_id"] == requirement.id
    judged = f"{row['requirement_id']}, version {row['requirement_version']}"
    return (
        f"could not count {row['store_path']}: it was judged against {judged}"
        f"{' with other limits' if same_id else ''}, not {requirement.id}, version "
        f"{requirement.version}; ask with that requirement, or add the campaign again"
    )


def _failures(row: Mapping[str, Any]) -> FailureRate | None:
    """Return the rate with the bounds that were found when the campaign was judged."""
    if not row["judged"]:
        return None
    return FailureRate(
        failures=row["failures"],
        n=row["judged"],
        low=row["failures_low"],
        high=row["failures_high"],
        upper=row["failures_upper"],
        needed_for_1_percent=row["failures_needed"],
        undecided=row["undecided"],
        tau=row["failures_tau"],
        upper_in_runs=row["failures_upper_in_runs"],
    )


def _times_by_load(engine: Engine) -> Mapping[int, Mapping[str, TimesOf]]:
    found: defaultdict[int, dict[str, TimesOf]] = defaultdict(dict)
    rows = engine.rows(engine.table("measures"))
    for row in sorted(rows, key=lambda row: (row["load_id"], row["place"])):
        found[row["load_id"]][row["measure"]] = TimesOf(
            name=row["measure"],
            n=row["n"],
            median_ms=row["median_ms"],
            p95_ms=row["p95_ms"],
            max_ms=row["max_ms"],
            spread_ms=row["spread_ms"],
            median=_quantile(row, "median", 0.5),
            p95=_quantile(row, "p95", 0.95),
            common=CommonTerm(row["rig_ms"], row["campaign_ms"]),
        )
    return found


def _quantile(row: Mapping[str, Any], which: str, share: float) -> QuantileInterval | None:
    if row[f"{which}_confidence"] is None:
        return None
    return QuantileInterval(
        share=share,
        value_ms=row[f"{which}_estimate_ms"],
        low_ms=row[f"{which}_low_ms"],
        high_ms=row[f"{which}_high_ms"],
        confidence=row[f"{which}_confidence"],
        needed=row[f"{which}_needed"],
    )


@dataclass(frozen=True, slots=True)
class TrendFacts:
    """What a trend is made of.

    Attributes:
        sessions: by product and state. requirement: that all were judged against.
        left_out: a sentence for each campaign that is not among them.
    """

    sessions: Mapping[tuple[str, str], Sequence[TrendSession]]
    requirement: str
    left_out: tuple[str, ...]


def trend_sessions(
    engine: Engine,
    by: TrendBy,
    unit_by: UnitBy,
    requirement: Requirement,
    measures: Sequence[str] = HEADLINES,
) -> TrendFacts:
    """Return what each campaign shows at each point, from its cycles.

    Args:
        engine: with the lake's tables.
        by: builds, or weeks; a campaign that goes over a week's end is of two points.
        unit_by: what distinguishes units.
        requirement: campaigns that were judged against another one are left out.
        measures: to be looked at.
    """
    digest = digest_of(requirement)
    campaigns, left_out = [], []
    for row in _campaigns(engine):
        if row["requirement_digest"] == digest:
            campaigns.append(row)
        else:
            left_out.append(_other_requirement(row, requirement))
    stored = _times_by_load(engine)
    shares = {
        row["load_id"]: _whole(row, stored.get(row["load_id"], {}), measures) for row in campaigns
    }
    weeks = _weeks(engine, shares, measures) if by is TrendBy.WEEK else {}
    sessions: defaultdict[tuple[str, str], list[TrendSession]] = defaultdict(list)
    for row in campaigns:
        load = row["load_id"]
        points = weeks.get(load, {}) if by is TrendBy.WEEK else {row["bios"]: shares[load]}
        sessions[row["product"], row["state"]].extend(
            TrendSession(
                load_id=load,
                path=row["store_path"],
                report=row["report_path"],
                unit=unit_of(Path(row["store_path"]), unit_by, row["dut"]),
                point=point,
                begun_utc_ns=row["begun_ns"],
                verdict=Verdict(row["verdict"]),
                cycles=share.cycles,
                judged=share.judged,
                failed=share.failed,
                undecided=share.undecided,
                times=share.times,
                simulated=SIMULATED_MARK in json.loads(row["marks"]),
            )
            for point, share in points.items()
            if share.cycles
        )
    requirement_name = f"{requirement.id}, version {requirement.version}"
    return TrendFacts(dict(sessions), requirement_name, tuple(left_out))


@dataclass(frozen=True, slots=True)
class _Share:
    """What a campaign adds to one point: all of it, or its cycles of one week."""

    cycles: int
    judged: int
    failed: int
    undecided: int
    times: Mapping[str, SessionTimes]


def _whole(
    row: Mapping[str, Any], stored: Mapping[str, TimesOf], measures: Sequence[str]
) -> _Share:
    """Return all of a campaign, as it was found when it was judged: no cycle is read for it."""
    return _Share(
        cycles=row["cycles"],
        judged=row["judged"],
        failed=row["failures"],
        undecided=row["undecided"],
        times={
            name: SessionTimes(
                n=times.n,
                median_ms=round(times.median_ms, 3),
                p95_ms=round(times.p95_ms, 3),
                max_ms=round(times.max_ms, 3),
                low_ms=None if times.median is None else times.median.low_ms,
                high_ms=None if times.median is None else times.median.high_ms,
                common=times.common,
            )
            for name in measures
            if (times := stored.get(name)) is not None
        },
    )


def _weeks(
    engine: Engine, wholes: Mapping[int, _Share], measures: Sequence[str]
) -> Mapping[int, Mapping[str, _Share]]:
    """Return the shares of campaigns in weeks; cycles are read where one goes over a week's end."""
    cycle = engine.table("cycles")
    since = cycle.started_ns + _MONDAY_NS
    # Whole numbers alone: Spark divides them as floats, and this quotient is exact.
    cycle = cycle.filter(cycle.started_ns.notnull()).mutate(
        week=((since - since % _WEEK_NS) / _WEEK_NS).cast("int64")
    )
    spans = engine.rows(
        cycle.group_by("load_id").agg(first=cycle.week.min(), last=cycle.week.max())
    )
    complete = [row for row in spans if row["load_id"] in wholes]
    found: dict[int, Mapping[str, _Share]] = {
        row["load_id"]: {week_text(row["first"]): wholes[row["load_id"]]}
        for row in complete
        if row["first"] == row["last"]
    }
    cut = sorted(row["load_id"] for row in complete if row["first"] != row["last"])
    if not cut:
        return found
    over = cycle.filter(cycle.load_id.isin(cut))
    times = _cycle_times(engine, over, wholes, measures)
    failed = over.judged & (over.verdict != Verdict.PASS.value)
    counts = over.group_by("load_id", "week").agg(
        cycles=over.count(),
        judged=over.judged.cast("int64").sum(),
        failed=failed.cast("int64").sum(),
        undecided=over.undecided.cast("int64").sum(),
    )
    parts: defaultdict[int, dict[str, _Share]] = defaultdict(dict)
    for row in sorted(engine.rows(counts), key=lambda row: (row["load_id"], row["week"])):
        # DuckDB sums in 128 bits, which come as decimals.
        parts[row["load_id"]][week_text(row["week"])] = _Share(
            cycles=row["cycles"],
            judged=int(row["judged"] or 0),
            failed=int(row["failed"] or 0),
            undecided=int(row["undecided"] or 0),
            times=times.get((row["load_id"], row["week"]), {}),
        )
    return {**found, **parts}


def _cycle_times(
    engine: Engine, cycle: Any, wholes: Mapping[int, _Share], measures: Iterable[str]
) -> Mapping[tuple[int, int], Mapping[str, SessionTimes]]:
    """Return the times of campaigns in each week; a measure a question, to bound memory."""
    found: defaultdict[tuple[int, int], dict[str, SessionTimes]] = defaultdict(dict)
    there = {name for whole in wholes.values() for name in whole.times}
    for name in (name for name in measures if name in there):
        values = cycle.filter(cycle[HEADLINE_COLUMNS[name]].notnull())
        column = values[HEADLINE_COLUMNS[name]]
        asked = values.group_by("load_id", "week").agg(
            n=column.count(),
            median=column.quantile(0.5),
            p95=column.quantile(0.95),
            most=column.max(),
        )
        for row in engine.rows(asked):
            whole = wholes.get(row["load_id"])
            if whole is not None and name in whole.times:
                found[row["load_id"], row["week"]][name] = SessionTimes(
                    n=row["n"],
                    median_ms=_ms(row["median"]),
                    p95_ms=_ms(row["p95"]),
                    max_ms=_ms(row["most"]),
                    common=whole.times[name].common,
                )
    return found


def _ms(value_ns: float) -> float:
    return round(value_ns / NS_PER_US) / 1000


def week_text(number: int) -> str:
    """Return a week as ISO 8601 names it, e.g. 2026-W47."""
    try:
        year, week, _ = (_EPOCH + timedelta(days=7 * number - 3)).isocalendar()
    except OverflowError:
        return "unknown"
    return f"{year}-W{week:02d}"


def component_medians(engine: Engine, loads: Sequence[int]) -> Mapping[int, Mapping[str, float]]:
    """Return the medians [ms] of the components of some campaigns, by a name for a reader."""
    component = engine.table("components")
    chosen = component.filter(component.load_id.isin(list(dict.fromkeys(loads))))
    wanted = chosen.filter(chosen.median_ms.notnull() & (chosen.moment == "sleep"))
    found: defaultdict[int, dict[str, float]] = defaultdict(dict)
    rows = engine.rows(wanted.select("load_id", "kind", "name", "phase", "median_ms"))
    for row in sorted(rows, key=lambda row: (row["load_id"], row["kind"], row["name"])):
        phase = f" ({row['phase']})" if row["phase"] else ""
        found[row["load_id"]][f"{row['kind']} {row['name']}{phase}"] = row["median_ms"]
    return found
