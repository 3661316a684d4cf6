"""JSON as every document writes it: on one line, ASCII, hostile text bounded, no NaN."""

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.series import Training
from resume_rig.model.result.verdict import Statistics
from resume_rig.model.units import NS_PER_S
from resume_rig.report.text.hostile_text import bounded, encodable

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TEXT_LIMIT = 4_000
# Made once: an encoder a cycle would cost more than the encoding.
_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def json_text(value: Json) -> str:
    """Write `value` on one line, ASCII only, so that hostile text cannot reach a terminal."""
    return _ENCODER.encode(value)


def text_json(text: str) -> str:
    """Return `text` bounded to 4,000 characters and without lone surrogates."""
    return encodable(bounded(text, _TEXT_LIMIT))


def number_json(value: float | None) -> float | None:
    """Return `value`, or None where it is not finite: JSON has no NaN."""
    return value if value is None or math.isfinite(value) else None


def training_json(training: Training | None) -> dict[str, Json] | None:
    """Write in which first boots of a series the prefetcher still learnt; None without any."""
    if training is None:
        return None
    return {
        "runs": training.runs,
        "of": training.of,
        "first_ms": training.first_ms,
        "last_ms": training.last_ms,
        "trained_ms": training.trained_ms,
    }


def utc_json(t_ns: int | None) -> str | None:
    """Write nanoseconds since 1970 as ISO 8601 with nine digits and Z, so that texts sort.

    None for None and for what lies outside the years 1 to 9999 (a damaged FILETIME can).
    """
    if t_ns is None:
        return None
    seconds, fraction_ns = divmod(t_ns, NS_PER_S)
    try:
        whole = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return None
    return f"{whole.replace(tzinfo=None).isoformat()}.{fraction_ns:09d}Z"


def quantity_json(quantity: BoundedNs | None) -> dict[str, Json] | None:
    """Write a bounded time in nanoseconds; None where it could not be formed."""
    if quantity is None:
        return None
    return {
        "value": quantity.value_ns,
        "bound": quantity.bound_ns,
        "standard": quantity.standard_ns,
        "expanded": quantity.expanded_ns,
    }


def statistics_json(statistics: Statistics) -> dict[str, Json]:
    """Write the figures of the contract, null where there is no evidence."""
    return {
        "n": statistics.n,
        "min_ms": number_json(statistics.min_ms),
        "median_ms": number_json(statistics.median_ms),
        "mean_ms": number_json(statistics.mean_ms),
        "p95_ms": number_json(statistics.p95_ms),
        "max_ms": number_json(statistics.max_ms),
    }
