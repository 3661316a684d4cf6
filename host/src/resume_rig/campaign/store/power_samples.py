"""Samples of a power monitor as rows of a store, and back; a table that only such stores have."""

import dataclasses
import sqlite3
import zlib
from typing import Any, Final

import numpy as np

from resume_rig.campaign.store import encoding
from resume_rig.campaign.store.raw import CycleRaw
from resume_rig.campaign.store.rows import Row
from resume_rig.model.errors import RecordError
from resume_rig.model.power import PowerSamples

POWER_COLUMNS = ("cycle", "lost", "samples", "crc")

_POWER: Final = np.dtype([("t_ns", "<i8"), ("bus_uv", "<i4"), ("current_ua", "<i4")])


def pack_power(samples: PowerSamples) -> bytes:
    """Return samples column by column as differences, compressed."""
    columns = [
        np.asarray(getattr(samples, name), dtype=kind) for name, (kind, *_) in _fields_of(_POWER)
    ]
    parts = [np.diff(column, prepend=column.dtype.type(0)) for column in columns]
    return zlib.compress(b"".join([part.tobytes() for part in parts]), encoding.LIGHT_LEVEL)


# No monitor is read more often; decides how many samples a store may claim for a cycle.
_POWER_LEAST_NS: Final = 1_000_000
_POWER_MORE: Final = 10_000


def unpack_power(blob: bytes, took_ns: int) -> PowerSamples:
    """Return the samples of `pack_power`.

    Args:
        blob: the bytes.
        took_ns: how long their cycle took, which bounds how many there can be.

    Raises:
        RecordError: the bytes are not such columns, or there are too many.
    """
    most = (max(took_ns, 0) // _POWER_LEAST_NS + _POWER_MORE) * _POWER.itemsize
    plain = encoding.inflate(blob, b"", "power", min(most, encoding.MAX_UNPACKED_BYTES))
    count, rest = divmod(len(plain), _POWER.itemsize)
    if rest:
        raise RecordError("the samples of power end in the middle of one")
    columns: list[tuple[int, ...]] = []
    place = 0
    for _, (kind, *_) in _fields_of(_POWER):
        steps = np.frombuffer(plain, kind, count, place)
        columns.append(tuple(np.cumsum(steps, dtype=steps.dtype).tolist()))
        place += steps.nbytes
    return PowerSamples(*columns)


def _fields_of(kind: "np.dtype[np.void]") -> list[tuple[str, tuple[Any, ...]]]:
    return list((kind.fields or {}).items())


def power_to_row(raw: CycleRaw) -> Row | None:
    """Return the row of a cycle's samples of power; None where it has none."""
    if raw.power is None:
        return None
    samples = pack_power(raw.power)
    return raw.number, raw.lost_power, samples, zlib.crc32(samples)


def with_power(raw: CycleRaw, row: "sqlite3.Row | None") -> CycleRaw:
    """Return a cycle with its samples of power.

    Raises:
        RecordError: they are damaged.
    """
    if row is None:
        return raw
    samples = row["samples"]
    if not isinstance(samples, bytes) or zlib.crc32(samples) != row["crc"]:
        raise RecordError(
            f"cycle {raw.number} is damaged: the checksum of its power is not that of what was "
            "written"
        )
    power = unpack_power(samples, raw.ended_host_ns - raw.started_host_ns)
    lost = row["lost"]
    if not isinstance(lost, int):
        raise RecordError(f"cycle {raw.number} is damaged: it lost {lost!r:.40} samples of power")
    return dataclasses.replace(raw, power=power, lost_power=lost)
