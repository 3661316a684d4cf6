"""The judged facts of one campaign as rows of the lake's tables, and the form of these tables.

What a DUT wrote is a value in a column and nothing else: it is bounded here, and partitions are
named by `key_of`. Times are integers, so that no engine sums or orders them otherwise.
"""

import hashlib
import json
import random
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from resume_rig.acceptance.assessment import Assessed
from resume_rig.analysis.compare.samples import HEADLINES
from resume_rig.analysis.findings.advice import rank
from resume_rig.analysis.verdict.series import measured_times
from resume_rig.campaign.answer.fleet import campaign_id, campaign_line
from resume_rig.campaign.store.read_back import StoredCampaign, load_campaign
from resume_rig.campaign.store.store import beside_store
from resume_rig.model.budget import Budget
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Correlation, ReconciledCycle
from resume_rig.model.result.fleet import FleetCampaign, TimesOf, Trait, UnitBy
from resume_rig.model.result.series import QuantileInterval
from resume_rig.model.result.verdict import Requirement
from resume_rig.model.units import NS_PER_MS
from resume_rig.report.text.hostile_text import bounded, encodable

SCHEMA_VERSION: Final = 1
"""Goes up where a column changes its meaning; a column that is added does not raise it."""

PARTITIONS: Final = ("product_key", "bios_key", "month")

# As long as texts in JSON documents are.
_TEXT_MOST: Final = 4_000
# Of a folder's name; with the digest well below the 255 bytes that file systems allow.
_KEY_MOST: Final = 40
_PLAIN_KEY: Final = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_TEXT, _WHOLE, _SMALL, _REAL, _FLAG = (
    pa.string(),
    pa.int64(),
    pa.int32(),
    pa.float64(),
    pa.bool_(),
)


def _table(**columns: Any) -> Any:
    """Return the schema of a table: its own columns, whose load they are of, and its partitions."""
    keys = {"load_id": _WHOLE, **columns, **dict.fromkeys(PARTITIONS, _TEXT)}
    return pa.schema([pa.field(name, kind) for name, kind in keys.items()])


HEADLINE_COLUMNS: Final[Mapping[str, str]] = {
    name: f"{name.removeprefix('figure:').rsplit('_', 1)[0]}_ns" for name in HEADLINES
}
"""Measure -> column of `cycles`, in ns: filled where the cycle counts in the measure's figures."""

SCHEMAS: Final[Mapping[str, Any]] = {
    "campaigns": _table(
        campaign_id=_TEXT,
        schema_version=_SMALL,
        added_ns=_WHOLE,
        software=_TEXT,
        store_path=_TEXT,
        report_path=_TEXT,
        product=_TEXT,
        bios=_TEXT,
        state=_TEXT,
        dut=_TEXT,
        rig=_TEXT,
        host=_TEXT,
        begun_ns=_WHOLE,
        marks=_TEXT,
        cycles=_WHOLE,
        verdict=_TEXT,
        why=_TEXT,
        judged=_WHOLE,
        failures=_WHOLE,
        failures_low=_REAL,
        failures_high=_REAL,
        failures_upper=_REAL,
        failures_tau=_REAL,
        failures_upper_in_runs=_REAL,
        failures_needed=_WHOLE,
        undecided=_WHOLE,
        evidence_lacks=_FLAG,
        requirement_id=_TEXT,
        requirement_version=_SMALL,
        requirement_digest=_TEXT,
    ),
    "measures": _table(
        place=_SMALL,
        measure=_TEXT,
        n=_WHOLE,
        median_ms=_REAL,
        p95_ms=_REAL,
        max_ms=_REAL,
        spread_ms=_REAL,
        rig_ms=_REAL,
        campaign_ms=_REAL,
        **{
            f"{which}_{name}": kind
            for which in ("median", "p95")
            for name, kind in (
                ("estimate_ms", _REAL),
                ("low_ms", _REAL),
                ("high_ms", _REAL),
                ("confidence", _REAL),
                ("needed", _WHOLE),
            )
        },
    ),
    "cycles": _table(
        cycle=_WHOLE,
        started_ns=_WHOLE,
        outcome=_TEXT,
        state_outside=_TEXT,
        verdict=_TEXT,
        judged=_FLAG,
        undecided=_FLAG,
        ignored=_FLAG,
        why_not=_TEXT,
        **dict.fromkeys(HEADLINE_COLUMNS.values(), _WHOLE),
    ),
    "intervals": _table(
        cycle=_WHOLE,
        interval=_TEXT,
        value_ns=_WHOLE,
        bound_ns=_WHOLE,
        standard_ns=_WHOLE,
        expanded_ns=_WHOLE,
    ),
    "os_records": _table(
        cycle=_WHOLE,
        record_id=_WHOLE,
        kind=_TEXT,
        unmatched=_TEXT,
        sleep_time_ns=_WHOLE,
        wake_time_ns=_WHOLE,
        sleep_ms=_WHOLE,
        wake_ms=_WHOLE,
        bios_init_ms=_WHOLE,
        driver_init_ms=_WHOLE,
        firmware_resume_ms=_WHOLE,
        hiber_read_ms=_WHOLE,
        hiber_write_ms=_WHOLE,
        wake_source_type=_WHOLE,
        wake_source=_TEXT,
        wake_source_text=_TEXT,
        os_build=_WHOLE,
        computer=_TEXT,
        ending=_TEXT,
    ),
    "findings": _table(cycle=_WHOLE, kind=_TEXT, text=_TEXT, evidence=_TEXT),
    "limits": _table(
        measure=_TEXT,
        comparison=_TEXT,
        value=_REAL,
        unit=_TEXT,
        required=_FLAG,
        share=_REAL,
        verdict=_TEXT,
        n=_WHOLE,
        failed=_WHOLE,
        marginal=_WHOLE,
        broken=_WHOLE,
        undecided=_WHOLE,
        worst=_REAL,
        why=_TEXT,
    ),
    "components": _table(
        moment=_TEXT,
        kind=_TEXT,
        name=_TEXT,
        phase=_TEXT,
        n=_WHOLE,
        not_ended=_WHOLE,
        median_ms=_REAL,
        worst_ms=_REAL,
    ),
    "budgets": _table(
        interval=_TEXT,
        value_ns=_WHOLE,
        combined_ns=_WHOLE,
        expanded_ns=_WHOLE,
        bound_ns=_WHOLE,
        term=_TEXT,
        source=_TEXT,
        evaluation=_TEXT,
        distribution=_TEXT,
        half_width_ns=_WHOLE,
        standard_ns=_WHOLE,
        sensitivity=_WHOLE,
        scope=_TEXT,
    ),
}
"""The tables. `campaigns` comes last where rows are written: what it does not name is not there."""

_INT64_MOST: Final = 2**63 - 1
RANDOM_BITS: Final = 22
"""Of a load's number: with the ms since 1970 above them it stays within 63 bits until 2039 and far
beyond, and two hosts that judge in one ms draw the same with 1 in 4 million."""


@dataclass(frozen=True, slots=True)
class JudgedFacts:
    """One campaign, as it goes into the lake.

    Attributes:
        campaign_id: hex, the same of all copies of the campaign.
        load_id: of this judgement of it; another one each time.
        cycles: how many it has; of two copies the longer one stays.
        tables: rows by table, in the form of SCHEMAS.
    """

    campaign_id: str
    load_id: int
    cycles: int
    tables: Mapping[str, Any]


def key_of(text: str) -> str:
    """Return a text as a part of a path that is safe on every file system.

    What is plain stands as it is; everything else is cut to what is plain and distinguished by a
    digest. Nothing of a DUT's can leave its folder, or be taken for another one's.
    """
    if _PLAIN_KEY.fullmatch(text):
        return text
    plain = re.sub(r"[^a-z0-9]+", "-", text[:200].lower()).strip("-")[:_KEY_MOST]
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{plain or 'none'}-{digest}"


def month_of(utc_ns: int) -> str:
    """Return the month of a time, e.g. 2026-11; "unknown" outside of the calendar's years."""
    try:
        return f"{_EPOCH + timedelta(microseconds=utc_ns // 1000):%Y-%m}"
    except OverflowError:
        return "unknown"


def digest_of(requirement: Requirement) -> str:
    """Return what two requirements of the same judgements have in common."""
    named = {field.name: repr(getattr(requirement, field.name)) for field in fields(requirement)}
    for words in ("title", "source"):
        del named[words]
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()


def facts_of(assessed: Assessed) -> JudgedFacts:
    """Return the rows of a store's answer; nothing is judged a second time.

    Raises:
        RecordError: the store cannot be read any more.
        UsageError: the answer is of no store.
    """
    if assessed.store is None:
        raise UsageError("could not add to a lake: a capture has no identity; add campaign stores")
    stored, correlation = load_campaign(assessed.store), assessed.correlation
    added_ns = time.time_ns()
    load_id = new_load_id(added_ns)
    report = Path(assessed.facts.report_path or beside_store(assessed.store, ".html"))
    line = campaign_line(stored, correlation, UnitBy.DUT, running=False)
    identifier = campaign_id(stored)
    rows: dict[str, list[dict[str, object]]] = {
        "campaigns": [
            {
                **_campaign(line, assessed.facts.requirement),
                "campaign_id": identifier,
                "schema_version": SCHEMA_VERSION,
                "added_ns": added_ns,
                "software": stored.identity.software,
                "report_path": str(report.absolute()) if report.is_file() else None,
            }
        ],
        "measures": [_measure(place, times) for place, times in enumerate(line.times.values())],
        "cycles": _cycles(stored, correlation),
        "intervals": [row for cycle in correlation.cycles for row in _intervals(cycle)],
        "os_records": _records(correlation),
        "findings": [row for cycle in correlation.cycles for row in _findings(cycle)],
        "limits": _limits(correlation),
        "components": _components(stored),
        "budgets": [row for budget in assessed.facts.budgets for row in _budget(budget)],
    }
    keys = {
        "load_id": load_id,
        "product_key": key_of(line.traits[Trait.PRODUCT]),
        "bios_key": key_of(line.traits[Trait.BIOS]),
        "month": month_of(stored.identity.created_utc_ns),
    }
    tables = {name: arrow_table(name, found, keys) for name, found in rows.items()}
    return JudgedFacts(identifier, load_id, line.cycles, tables)


def arrow_table(name: str, rows: Sequence[Mapping[str, object]], keys: Mapping[str, object]) -> Any:
    """Return rows in the form of a table; `keys` are of each row."""
    return pa.Table.from_pylist(
        [{column: _fit(value) for column, value in {**row, **keys}.items()} for row in rows],
        schema=SCHEMAS[name],
    )


def _fit(value: object) -> object:
    """Return a value that a column can hold: text bounded and encodable, numbers of 64 bits."""
    if isinstance(value, str):
        return encodable(bounded(value, _TEXT_MOST))
    if isinstance(value, int) and not -_INT64_MOST <= value <= _INT64_MOST:
        return None
    return value


def _campaign(line: FleetCampaign, requirement: Requirement) -> dict[str, object]:
    rate = line.failures
    return {
        "store_path": line.path,
        **{trait.value: text for trait, text in line.traits.items()},
        "begun_ns": line.begun_utc_ns,
        "marks": json.dumps(list(line.marks)),
        "cycles": line.cycles,
        "verdict": line.verdict.value,
        "why": line.why,
        "judged": 0 if rate is None else rate.n,
        "failures": 0 if rate is None else rate.failures,
        "failures_low": None if rate is None else rate.low,
        "failures_high": None if rate is None else rate.high,
        "failures_upper": None if rate is None else rate.upper,
        "failures_tau": None if rate is None else rate.tau,
        "failures_upper_in_runs": None if rate is None else rate.upper_in_runs,
        "failures_needed": None if rate is None else rate.needed_for_1_percent,
        "undecided": line.undecided,
        "evidence_lacks": line.evidence_lacks,
        "requirement_id": requirement.id,
        "requirement_version": requirement.version,
        "requirement_digest": digest_of(requirement),
    }


def _measure(place: int, times: TimesOf) -> dict[str, object]:
    return {
        "place": place,
        "measure": times.name,
        "n": times.n,
        "median_ms": times.median_ms,
        "p95_ms": times.p95_ms,
        "max_ms": times.max_ms,
        "spread_ms": times.spread_ms,
        "rig_ms": times.common.rig_ms,
        "campaign_ms": times.common.campaign_ms,
        **_quantile("median", times.median),
        **_quantile("p95", times.p95),
    }


def _quantile(which: str, found: QuantileInterval | None) -> dict[str, object]:
    if found is None:
        return {}
    return {
        f"{which}_estimate_ms": found.value_ms,
        f"{which}_low_ms": found.low_ms,
        f"{which}_high_ms": found.high_ms,
        f"{which}_confidence": found.confidence,
        f"{which}_needed": found.needed,
    }


def _cycles(stored: StoredCampaign, correlation: Correlation) -> list[dict[str, object]]:
    _, times = measured_times(correlation.cycles, HEADLINES)
    counted = {
        HEADLINE_COLUMNS[name]: {
            number: round(value_ms * NS_PER_MS)
            for number, value_ms in zip(found.numbers, found.values_ms, strict=True)
        }
        for name, found in times.items()
    }
    started = {raw.number: raw.started_host_ns + raw.utc_minus_host_ns for raw in stored.cycles}
    return [
        {
            "cycle": (number := cycle.outside.number),
            "started_ns": started.get(number),
            "outcome": cycle.outcome.value,
            "state_outside": cycle.outside.state.value,
            "verdict": cycle.verdict.value,
            "judged": cycle.judged,
            "undecided": cycle.undecided,
            "ignored": cycle.outside.ignored,
            "why_not": cycle.why_not,
            **{column: values.get(number) for column, values in counted.items()},
        }
        for cycle in correlation.cycles
    ]


def _intervals(cycle: ReconciledCycle) -> list[dict[str, object]]:
    both: Mapping[str, BoundedNs | None] = {
        **{name.value: value for name, value in cycle.outside.intervals.items()},
        "press_to_resume_complete_ns": cycle.press_to_resume_complete,
        "unexplained_ns": cycle.unexplained,
        "light_after_complete_ns": cycle.light_after_complete,
        "hidden_before_sleep_ns": cycle.hidden_before_sleep,
    }
    return [
        {
            "cycle": cycle.outside.number,
            "interval": name,
            "value_ns": value.value_ns,
            "bound_ns": value.bound_ns,
            "standard_ns": value.standard_ns,
            "expanded_ns": value.expanded_ns,
        }
        for name, value in both.items()
        if value is not None
    ]


def _records(correlation: Correlation) -> list[dict[str, object]]:
    matched = [
        _record(cycle.record, cycle.outside.number, None)
        for cycle in correlation.cycles
        if cycle.record is not None
    ]
    rest = [_record(e.record, None, e.reason.value) for e in correlation.unmatched_records]
    return [*matched, *rest]


def _record(record: OsRecord, cycle: int | None, unmatched: str | None) -> dict[str, object]:
    return {
        "cycle": cycle,
        "record_id": record.record_id,
        "kind": record.kind.value,
        "unmatched": unmatched,
        "sleep_time_ns": record.sleep_time_utc_ns,
        "wake_time_ns": record.wake_time_utc_ns,
        "sleep_ms": record.sleep_ms,
        "wake_ms": record.wake_ms,
        "bios_init_ms": record.bios_init_ms,
        "driver_init_ms": record.driver_init_ms,
        "firmware_resume_ms": record.firmware_resume_ms,
        "hiber_read_ms": record.hiber_read_ms,
        "hiber_write_ms": record.hiber_write_ms,
        "wake_source_type": record.wake_source.type,
        "wake_source": record.wake_source.name,
        "wake_source_text": record.wake_source.text,
        "os_build": record.os_build,
        "computer": record.computer or None,
        "ending": None if record.ending is None else record.ending.value,
    }


def _findings(cycle: ReconciledCycle) -> list[dict[str, object]]:
    return [
        {
            "cycle": cycle.outside.number,
            "kind": finding.kind.value,
            "text": finding.text,
            "evidence": json.dumps(dict(finding.evidence)),
        }
        for finding in cycle.findings
    ]


def _limits(correlation: Correlation) -> list[dict[str, object]]:
    return [
        {
            "measure": each.limit.measure,
            "comparison": each.limit.comparison.value,
            "value": float(each.limit.value),
            "unit": each.limit.unit,
            "required": each.limit.required,
            "share": each.limit.share,
            "verdict": each.verdict.value,
            "n": each.n,
            "failed": each.failed,
            "marginal": each.marginal,
            "broken": each.broken,
            "undecided": each.undecided,
            "worst": each.worst,
            "why": each.why,
        }
        for each in correlation.limits
    ]


def _components(stored: StoredCampaign) -> list[dict[str, object]]:
    return [
        {
            "moment": each.moment,
            "kind": each.kind.value,
            "name": each.name,
            "phase": each.phase,
            "n": each.count,
            "not_ended": each.not_ended,
            "median_ms": each.median_ms,
            "worst_ms": each.worst_ms,
        }
        for each in rank(stored.reading.records)
    ]


def _budget(budget: Budget) -> list[dict[str, object]]:
    return [
        {
            "interval": budget.name,
            "value_ns": budget.value_ns,
            "combined_ns": budget.standard_ns,
            "expanded_ns": budget.expanded_ns,
            "bound_ns": budget.bound_ns,
            "term": row.name,
            "source": row.source,
            "evaluation": row.evaluation.value,
            "distribution": row.distribution.value,
            "half_width_ns": row.half_width_ns,
            "standard_ns": row.standard_ns,
            "sensitivity": row.sensitivity,
            "scope": row.scope.value,
        }
        for row in budget.rows
    ]


def new_load_id(now_ns: int) -> int:
    """Return a number for a judgement: when it was made, to 1 ms, and chance."""
    return (now_ns // NS_PER_MS << RANDOM_BITS) | random.SystemRandom().getrandbits(RANDOM_BITS)
