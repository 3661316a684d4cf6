"""The judged facts of one campaign as rows of the lake's tables, and the form of these tables.

What a DUT wrote is a value in a column and nothing else: it is bounded here, and partitions are
named by `key_of`. Times are integers, so that no engine sums or orders them otherwise.
"""

import hashlib
import json
import random
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from resume_rig.acceptance.assessment import Assessed
from resume_rig.analysis.compare.samples import HEADLINES
from resume_rig.analysis.findings.advice import Ranked, rank
from resume_rig.analysis.verdict.columns import (
    CYCLE,
    INSIDE,
    OUTSIDE,
    RECONCILED,
    Column,
    Placed,
    Row,
    in_order,
    of_part,
    placed,
)
from resume_rig.analysis.verdict.series import measured_times
from resume_rig.campaign.answer.fleet import campaign_id, campaign_line
from resume_rig.campaign.store.read_back import StoredCampaign, load_campaign
from resume_rig.campaign.store.store import beside_store
from resume_rig.model.budget import Budget, BudgetRow
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Correlation, ReconciledCycle
from resume_rig.model.result.fleet import FleetCampaign, TimesOf, Trait, UnitBy
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.series import FailureRate, QuantileInterval
from resume_rig.model.result.verdict import Finding, Requirement
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

HEADLINE_COLUMNS: Final[Mapping[str, str]] = {
    name: f"{name.removeprefix('figure:').rsplit('_', 1)[0]}_ns" for name in HEADLINES
}
"""Measure -> column of `cycles`, in ns: filled where the cycle counts in the measure's figures."""


def _published(names: str, columns: Iterable[Column[Row]]) -> tuple[Column[Row], ...]:
    """Return columns in the order that lakes have; what was added later stands behind that."""
    return tuple(in_order(names, ((each.name, each) for each in columns)).values())


@dataclass(frozen=True, slots=True)
class _Campaign:
    """What the row of a campaign is made of."""

    stored: StoredCampaign
    line: FleetCampaign
    requirement: Requirement
    report: Path
    added_ns: int


_RATE: Final[tuple[Column[FailureRate], ...]] = (
    Column("failures_low", float, lambda rate: rate.low),
    Column("failures_high", float, lambda rate: rate.high),
    Column("failures_upper", float, lambda rate: rate.upper),
    Column("failures_tau", float, lambda rate: rate.tau),
    Column("failures_upper_in_runs", float, lambda rate: rate.upper_in_runs),
    Column("failures_needed", int, lambda rate: rate.needed_for_1_percent),
)
_CAMPAIGN: Final[tuple[Column[_Campaign], ...]] = (
    Column("campaign_id", str, lambda row: campaign_id(row.stored)),
    Column("schema_version", int, lambda _: SCHEMA_VERSION),
    Column("added_ns", int, lambda row: row.added_ns),
    Column("software", str, lambda row: row.stored.identity.software),
    Column("store_path", str, lambda row: row.line.path),
    Column(
        "report_path", str, lambda row: str(row.report.absolute()) if row.report.is_file() else None
    ),
    Column("product", str, lambda row: row.line.traits[Trait.PRODUCT]),
    Column("bios", str, lambda row: row.line.traits[Trait.BIOS]),
    Column("state", str, lambda row: row.line.traits[Trait.STATE]),
    Column("dut", str, lambda row: row.line.traits[Trait.DUT]),
    Column("rig", str, lambda row: row.line.traits[Trait.RIG]),
    Column("host", str, lambda row: row.line.traits[Trait.HOST]),
    Column("begun_ns", int, lambda row: row.line.begun_utc_ns),
    Column("marks", str, lambda row: json.dumps(list(row.line.marks))),
    Column("cycles", int, lambda row: row.line.cycles),
    Column("verdict", str, lambda row: row.line.verdict.value),
    Column("why", str, lambda row: row.line.why),
    Column("judged", int, lambda row: 0 if row.line.failures is None else row.line.failures.n),
    Column(
        "failures", int, lambda row: 0 if row.line.failures is None else row.line.failures.failures
    ),
    *of_part(lambda row: row.line.failures, _RATE),
    Column("undecided", int, lambda row: row.line.undecided),
    Column("evidence_lacks", bool, lambda row: row.line.evidence_lacks),
    Column("requirement_id", str, lambda row: row.requirement.id),
    Column("requirement_version", int, lambda row: row.requirement.version),
    Column("requirement_digest", str, lambda row: digest_of(row.requirement)),
)


_QUANTILE: Final[tuple[Column[QuantileInterval], ...]] = (
    Column("estimate_ms", float, lambda found: found.value_ms),
    Column("low_ms", float, lambda found: found.low_ms),
    Column("high_ms", float, lambda found: found.high_ms),
    Column("confidence", float, lambda found: found.confidence),
    Column("needed", int, lambda found: found.needed),
)
_MEASURE: Final[tuple[Column[tuple[int, TimesOf]], ...]] = (
    Column("place", int, lambda row: row[0]),
    Column("measure", str, lambda row: row[1].name),
    Column("n", int, lambda row: row[1].n),
    Column("median_ms", float, lambda row: row[1].median_ms),
    Column("p95_ms", float, lambda row: row[1].p95_ms),
    Column("max_ms", float, lambda row: row[1].max_ms),
    Column("spread_ms", float, lambda row: row[1].spread_ms),
    Column("rig_ms", float, lambda row: row[1].common.rig_ms),
    Column("campaign_ms", float, lambda row: row[1].common.campaign_ms),
    *of_part(lambda row: row[1].median, _QUANTILE, "median_"),
    *of_part(lambda row: row[1].p95, _QUANTILE, "p95_"),
)


@dataclass(frozen=True, slots=True)
class _Cycle:
    """A cycle, when it was started, and its measures by their columns, in ns, where it counts."""

    cycle: ReconciledCycle
    started_ns: int | None
    counted: Mapping[str, int]


def _counted(name: str) -> Column[_Cycle]:
    return Column(name, int, lambda row: row.counted.get(name))


_CYCLE_ALL: Final[tuple[Column[_Cycle], ...]] = (
    *of_part(lambda row: row.cycle, CYCLE),
    Column("started_ns", int, lambda row: row.started_ns),
    Column("undecided", bool, lambda row: row.cycle.undecided),
    *(_counted(name) for name in HEADLINE_COLUMNS.values()),
)
_CYCLE: Final = _published(
    "cycle started_ns outcome state_outside verdict judged undecided ignored why_not "
    + " ".join(HEADLINE_COLUMNS.values()),
    _CYCLE_ALL,
)
_INTERVAL: Final[tuple[Column[tuple[int, str, BoundedNs]], ...]] = (
    Column("cycle", int, lambda row: row[0]),
    Column("interval", str, lambda row: row[1]),
    Column("value_ns", int, lambda row: row[2].value_ns),
    Column("bound_ns", int, lambda row: row[2].bound_ns),
    Column("standard_ns", int, lambda row: row[2].standard_ns),
    Column("expanded_ns", int, lambda row: row[2].expanded_ns),
)


@dataclass(frozen=True, slots=True)
class _Record:
    """An OS record, and the number of its cycle or why it has none."""

    record: OsRecord
    cycle: int | None
    unmatched: str | None


_RECORD_PUBLISHED: Final = """
cycle record_id kind unmatched sleep_time_ns wake_time_ns sleep_ms wake_ms
bios_init_ms driver_init_ms firmware_resume_ms hiber_read_ms hiber_write_ms wake_source_type
wake_source wake_source_text os_build computer ending"""
_RECORD_ALL: Final[tuple[Column[_Record], ...]] = (
    Column("cycle", int, lambda row: row.cycle),
    Column("record_id", int, lambda row: row.record.record_id),
    Column("kind", str, lambda row: row.record.kind.value),
    Column("unmatched", str, lambda row: row.unmatched),
    Column("sleep_time_ns", int, lambda row: row.record.sleep_time_utc_ns),
    Column("wake_time_ns", int, lambda row: row.record.wake_time_utc_ns),
    *of_part(lambda row: row.record, INSIDE),
    Column("wake_source_type", int, lambda row: row.record.wake_source.type),
    Column("wake_source", str, lambda row: row.record.wake_source.name),
    Column("wake_source_text", str, lambda row: row.record.wake_source.text),
    Column("os_build", int, lambda row: row.record.os_build),
    Column("computer", str, lambda row: row.record.computer or None),
    Column("ending", str, lambda row: (ending := row.record.ending) and ending.value),
)
_RECORD: Final = _published(_RECORD_PUBLISHED, _RECORD_ALL)
_FINDING: Final[tuple[Column[tuple[int, Finding]], ...]] = (
    Column("cycle", int, lambda row: row[0]),
    Column("kind", str, lambda row: row[1].kind.value),
    Column("text", str, lambda row: row[1].text),
    Column("evidence", str, lambda row: json.dumps(dict(row[1].evidence))),
)
_LIMIT: Final[tuple[Column[LimitJudgement], ...]] = (
    Column("measure", str, lambda each: each.limit.measure),
    Column("comparison", str, lambda each: each.limit.comparison.value),
    Column("value", float, lambda each: float(each.limit.value)),
    Column("unit", str, lambda each: each.limit.unit),
    Column("required", bool, lambda each: each.limit.required),
    Column("share", float, lambda each: each.limit.share),
    Column("verdict", str, lambda each: each.verdict.value),
    Column("n", int, lambda each: each.n),
    Column("failed", int, lambda each: each.failed),
    Column("marginal", int, lambda each: each.marginal),
    Column("broken", int, lambda each: each.broken),
    Column("undecided", int, lambda each: each.undecided),
    Column("worst", float, lambda each: each.worst),
    Column("why", str, lambda each: each.why),
)
_COMPONENT: Final[tuple[Column[Ranked], ...]] = (
    Column("moment", str, lambda each: each.moment),
    Column("kind", str, lambda each: each.kind.value),
    Column("name", str, lambda each: each.name),
    Column("phase", str, lambda each: each.phase),
    Column("n", int, lambda each: each.count),
    Column("not_ended", int, lambda each: each.not_ended),
    Column("median_ms", float, lambda each: each.median_ms),
    Column("worst_ms", float, lambda each: each.worst_ms),
)
_BUDGET: Final[tuple[Column[tuple[Budget, BudgetRow]], ...]] = (
    Column("interval", str, lambda row: row[0].name),
    Column("value_ns", int, lambda row: row[0].value_ns),
    Column("combined_ns", int, lambda row: row[0].standard_ns),
    Column("expanded_ns", int, lambda row: row[0].expanded_ns),
    Column("bound_ns", int, lambda row: row[0].bound_ns),
    Column("term", str, lambda row: row[1].name),
    Column("source", str, lambda row: row[1].source),
    Column("evaluation", str, lambda row: row[1].evaluation.value),
    Column("distribution", str, lambda row: row[1].distribution.value),
    Column("half_width_ns", int, lambda row: row[1].half_width_ns),
    Column("standard_ns", int, lambda row: row[1].standard_ns),
    Column("sensitivity", int, lambda row: row[1].sensitivity),
    Column("scope", str, lambda row: row[1].scope.value),
)
_COLUMNS: Final[Mapping[str, tuple[Column[Any], ...]]] = {
    "campaigns": _CAMPAIGN,
    "measures": _MEASURE,
    "cycles": _CYCLE,
    "intervals": _INTERVAL,
    "os_records": _RECORD,
    "findings": _FINDING,
    "limits": _LIMIT,
    "components": _COMPONENT,
    "budgets": _BUDGET,
}
_TYPES: Final = {int: pa.int64(), float: pa.float64(), str: pa.string(), bool: pa.bool_()}
# Of 32 bits in the lakes that there are.
_SMALL: Final = frozenset({"schema_version", "requirement_version", "place"})


def _schema(columns: tuple[Column[Any], ...]) -> Any:
    """Return the schema of a table: its own columns, whose load they are of, and its partitions."""
    types = {each.name: _TYPES[each.type] for each in columns}
    types |= dict.fromkeys(_SMALL & set(types), pa.int32())
    keys = {"load_id": pa.int64(), **types, **dict.fromkeys(PARTITIONS, pa.string())}
    return pa.schema([pa.field(name, kind) for name, kind in keys.items()])


SCHEMAS: Final[Mapping[str, Any]] = {name: _schema(each) for name, each in _COLUMNS.items()}
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
    cycles = correlation.cycles
    sources: dict[str, Iterable[Any]] = {
        "campaigns": [_Campaign(stored, line, assessed.facts.requirement, report, added_ns)],
        "measures": enumerate(line.times.values()),
        "cycles": _cycles(stored, correlation),
        "intervals": _intervals(placed(cycles, assessed.facts.reset_to_tsc)),
        "os_records": _records(correlation),
        "findings": ((cycle.outside.number, f) for cycle in cycles for f in cycle.findings),
        "limits": correlation.limits,
        "components": rank(stored.reading.records),
        "budgets": ((budget, row) for budget in assessed.facts.budgets for row in budget.rows),
    }
    keys = {
        "load_id": load_id,
        "product_key": key_of(line.traits[Trait.PRODUCT]),
        "bios_key": key_of(line.traits[Trait.BIOS]),
        "month": month_of(stored.identity.created_utc_ns),
    }
    tables = {
        name: arrow_table(
            name, [{each.name: each.get(row) for each in _COLUMNS[name]} for row in found], keys
        )
        for name, found in sources.items()
    }
    return JudgedFacts(campaign_id(stored), load_id, line.cycles, tables)


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


def _cycles(stored: StoredCampaign, correlation: Correlation) -> Iterator[_Cycle]:
    _, times = measured_times(correlation.cycles, HEADLINES)
    counted: dict[int, dict[str, int]] = {}
    for name, found in times.items():
        for number, value_ms in zip(found.numbers, found.values_ms, strict=True):
            of = counted.setdefault(number, {})
            of[HEADLINE_COLUMNS[name]] = round(value_ms * NS_PER_MS)
    started = {raw.number: raw.started_host_ns + raw.utc_minus_host_ns for raw in stored.cycles}
    for cycle in correlation.cycles:
        number = cycle.outside.number
        yield _Cycle(cycle, started.get(number), counted.get(number, {}))


def _intervals(rows: Iterable[Placed]) -> Iterator[tuple[int, str, BoundedNs]]:
    for row in rows:
        for each in (*OUTSIDE, *RECONCILED):
            if (value := each.get(row)) is not None:
                yield row.cycle.outside.number, each.name, value


def _records(correlation: Correlation) -> Iterator[_Record]:
    for cycle in correlation.cycles:
        if cycle.record is not None:
            yield _Record(cycle.record, cycle.outside.number, None)
    for each in correlation.unmatched_records:
        yield _Record(each.record, None, each.reason.value)


def new_load_id(now_ns: int) -> int:
    """Return a number for a judgement: when it was made, to 1 ms, and chance."""
    return (now_ns // NS_PER_MS << RANDOM_BITS) | random.SystemRandom().getrandbits(RANDOM_BITS)
