"""Judged facts that nobody measured, in the form of the lake: as many as a lab has."""

import functools
import hashlib
import json
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from resume_rig.analysis.stats.figures import failure_rate, quantile_interval, scaled_mad
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.lake.facts import (
    SCHEMA_VERSION,
    SCHEMAS,
    JudgedFacts,
    arrow_table,
    digest_of,
    key_of,
    month_of,
    new_load_id,
)

DAY_NS = 24 * 3600 * 1_000_000_000
CYCLE_NS = 30_000_000_000
BEGIN_NS = 1_767_571_200 * 1_000_000_000  # Monday 2026-01-05
MEASURES = ("resume_ms", "press_to_resume_complete_ns", "press_to_light_ns")
_COLUMNS = ("resume_ns", "press_to_resume_complete_ns", "press_to_light_ns")
DRIVERS = ("Wi-Fi adapter", "NVMe controller", "Graphics", "Audio codec", "Touchpad")


@dataclass(frozen=True)
class Made:
    """One campaign to be made.

    Attributes:
        resume_ms: its median; the limit is 2000.
        failing: share of the cycles that take 2.5 s.
        driver_ms: of the first of DRIVERS.
    """

    product: str = "Example Corp. Notebook 14"
    bios: str = "1.08"
    unit: str = "unit 1"
    begun_ns: int = BEGIN_NS
    cycles: int = 20
    seed: int = 1
    resume_ms: float = 900.0
    failing: float = 0.0
    driver_ms: float = 120.0
    state: str = "S3"
    report: str | None = None

    @property
    def path(self) -> str:
        return f"/srv/campaigns/{key_of(self.unit)}-{key_of(self.bios)}-{self.seed}.rrs"


def made_facts(made: Made, added_ns: int | None = None) -> JudgedFacts:
    """Return the judged facts of a campaign that nobody ran; the same seed gives the same."""
    random = np.random.default_rng([made.seed, *made.unit.encode()[:64], *made.bios.encode()[:64]])
    n = made.cycles
    times = _times(made, random)
    fails = times[0] > 2000 * 1_000_000
    keys = {
        "load_id": new_load_id(time.time_ns() if added_ns is None else added_ns),
        "product_key": key_of(made.product),
        "bios_key": key_of(made.bios),
        "month": month_of(made.begun_ns),
    }
    verdicts = np.where(fails, "FAIL", "PASS")
    cycle = {
        "cycle": np.arange(1, n + 1),
        "started_ns": made.begun_ns + np.arange(n, dtype=np.int64) * CYCLE_NS,
        "outcome": np.full(n, "slept-and-woke"),
        "state_outside": np.full(n, made.state),
        "verdict": verdicts,
        "judged": np.full(n, True),
        "undecided": np.full(n, False),
        "ignored": np.full(n, False),
        **dict(zip(_COLUMNS, times, strict=True)),
    }
    rows: dict[str, Any] = {name: arrow_table(name, [], keys) for name in SCHEMAS}
    rows["cycles"] = _columns("cycles", cycle, keys, n)
    rows["campaigns"] = arrow_table("campaigns", [_campaign(made, int(fails.sum()), keys)], keys)
    rows["measures"] = arrow_table(
        "measures", [_measure(i, name, times[i]) for i, name in enumerate(MEASURES)], keys
    )
    rows["components"] = arrow_table("components", _components(made, random), keys)
    rows["findings"] = arrow_table(
        "findings",
        [
            {"cycle": int(place) + 1, "kind": "overrun", "text": "made", "evidence": "{}"}
            for place in np.flatnonzero(fails)[:20]
        ],
        keys,
    )
    return JudgedFacts(campaign_id_of(made), int(keys["load_id"]), n, rows)


def campaign_id_of(made: Made) -> str:
    """Return the identity of a campaign: that of all copies of it."""
    told = (made.product, made.bios, made.unit, made.begun_ns, made.seed)
    return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()


def _times(made: Made, random: np.random.Generator) -> list[npt.NDArray[np.int64]]:
    """Return resume, press to complete, press to light [ns]; the OS's are whole ms."""
    unit_ms = np.random.default_rng([*made.unit.encode()[:64]]).normal(0, 12)
    resume_ms = np.round(made.resume_ms + unit_ms + random.gamma(4.0, 6.0, made.cycles) - 22)
    resume_ms[random.random(made.cycles) < made.failing] = 2500
    resume = resume_ms.astype(np.int64) * 1_000_000
    complete = resume + random.normal(180e6, 4e6, made.cycles).astype(np.int64)
    light = complete - random.normal(60e6, 9e6, made.cycles).astype(np.int64)
    return [resume, complete, light]


def _columns(name: str, columns: dict[str, Any], keys: dict[str, Any], n: int) -> Any:
    schema = SCHEMAS[name]
    arrays = []
    for field in schema:
        if field.name in keys:
            arrays.append(pa.repeat(pa.scalar(keys[field.name], field.type), n))
        elif field.name in columns:
            arrays.append(pa.array(columns[field.name], type=field.type))
        else:
            arrays.append(pa.nulls(n, field.type))
    return pa.Table.from_arrays(arrays, schema=schema)


@functools.cache
def _rate(failed: int, n: int) -> Any:
    return failure_rate(failed, n)


@functools.cache
def _ranks(n: int, share: float) -> tuple[int | None, int | None, int]:
    """Return the places of the values that an interval of a quantile lies between."""
    found = quantile_interval(range(n), share)
    low, high = found.low_ms, found.high_ms
    return None if low is None else int(low), None if high is None else int(high), found.needed


def _campaign(made: Made, failed: int, keys: dict[str, Any]) -> dict[str, Any]:
    requirement = load_requirement("sysfund-0004")
    rate = _rate(failed, made.cycles)
    return {
        "campaign_id": campaign_id_of(made),
        "schema_version": SCHEMA_VERSION,
        "added_ns": made.begun_ns,
        "software": "0.1.0",
        "store_path": made.path,
        "report_path": made.report,
        "product": made.product,
        "bios": made.bios,
        "state": made.state,
        "dut": made.unit,
        "rig": "sim",
        "host": "made",
        "begun_ns": made.begun_ns,
        "marks": json.dumps([]),
        "cycles": made.cycles,
        "verdict": "FAIL" if failed else "PASS",
        "why": f"{failed} of {made.cycles} cycles are over the limit",
        "judged": made.cycles,
        "failures": failed,
        "failures_low": rate.low,
        "failures_high": rate.high,
        "failures_upper": rate.upper,
        "failures_tau": rate.tau,
        "failures_upper_in_runs": rate.upper_in_runs,
        "failures_needed": rate.needed_for_1_percent,
        "undecided": 0,
        "evidence_lacks": False,
        "requirement_id": requirement.id,
        "requirement_version": requirement.version,
        "requirement_digest": digest_of(requirement),
    }


def _measure(place: int, name: str, values_ns: npt.NDArray[np.int64]) -> dict[str, Any]:
    values = np.sort(values_ns / 1e6)
    found: dict[str, Any] = {
        "place": place,
        "measure": name,
        "n": len(values),
        "median_ms": float(np.median(values)),
        "p95_ms": float(np.quantile(values, 0.95)),
        "max_ms": float(values[-1]),
        "spread_ms": scaled_mad(values),
        "rig_ms": 0.06,
        "campaign_ms": 0.5,
    }
    for which, share in (("median", 0.5), ("p95", 0.95)):
        low, high, needed = _ranks(len(values), share)
        found |= {
            f"{which}_estimate_ms": float(np.quantile(values, share)),
            f"{which}_low_ms": None if low is None else float(values[low]),
            f"{which}_high_ms": None if high is None else float(values[high]),
            f"{which}_confidence": 0.95,
            f"{which}_needed": needed,
        }
    return found


def _components(made: Made, random: np.random.Generator) -> list[dict[str, Any]]:
    return [
        {
            "moment": "sleep",
            "kind": "device",
            "name": name,
            "phase": "resume devices",
            "n": made.cycles,
            "not_ended": 0,
            "median_ms": (made.driver_ms if place == 0 else 40.0) + float(random.normal(0, 1)),
            "worst_ms": 200.0,
        }
        for place, name in enumerate(DRIVERS)
    ]
