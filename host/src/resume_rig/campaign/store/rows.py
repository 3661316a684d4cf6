"""Facts of a campaign as rows of its store, and back, with a checksum over each cycle's row.

CRC-32 finds damage, not forgery; the manifest of an export is for that. Samples of a power monitor
and health reports have tables of their own, which only stores with such have.
"""

import dataclasses
import sqlite3
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.plan_file import parse_plan, plan_to_mapping
from resume_rig.campaign.store import encoding
from resume_rig.campaign.store.identity import Identity
from resume_rig.campaign.store.raw import CycleRaw, LogState, Recovery, Session
from resume_rig.model.dut import RecoveryStep
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.power import PowerSamples
from resume_rig.model.result.cycle import HEALTH_BYTES_MAX, HealthReading, Outcome
from resume_rig.model.result.verdict import Finding
from resume_rig.rig.interface import Faults

Value = None | int | str | bytes
Row = Sequence[Value]
Statement = tuple[str, Row]

CYCLE_COLUMNS = (
    "number",
    "session",
    "boot_id",
    "outcome",
    "utc_minus_host_ns",
    "started_host_ns",
    "ended_host_ns",
    "lost_edges",
    "lost_light",
    "levels",
    "edges",
    "light",
    "exchanges",
    "commands",
    "faults",
    "findings",
    "dictionary",
    "records",
    "onset",
    "sleep_timeout_ns",
    "wake_timeout_ns",
)
"""In the order of the table; those behind `records` came with version 2."""

LATE_COLUMNS = CYCLE_COLUMNS[CYCLE_COLUMNS.index("records") + 1 :]
SEAL_COLUMNS = ("cycle", "facts", "light")
SESSION_COLUMNS = ("number", "started_utc_ns", "boot_id", "host", "software", "log")
RECOVERY_COLUMNS = ("session", "after_cycle", "why", "ok", "commands", "edges", "step", "levels")


IDENTITY_NAMES = ("identity", "plan")


def insert(table: str, columns: Sequence[str], row: Row) -> Statement:
    """Return the statement that puts a row into a table."""
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", row


def identity_to_rows(identity: Identity, plan: Plan) -> list[Row]:
    """Return the rows of the identity table."""
    return [
        ("identity", encoding.pack_fact(identity)),
        ("plan", encoding.pack_fact(plan_to_mapping(plan))),
    ]


def identity_of_rows(rows: Mapping[Value, Value]) -> tuple[Identity, Plan]:
    """Return identity and plan from the identity table.

    Raises:
        RecordError: one is missing or not of its form.
    """
    for name in IDENTITY_NAMES:
        if rows.get(name) is None:
            raise RecordError(f"the identity table has no {name!r}")
    try:
        identity = encoding.unpack_fact(Identity, str(rows["identity"]))
        plan = parse_plan(encoding.unpack_mapping(str(rows["plan"])))
    except UsageError as error:
        raise RecordError(f"the plan is not one: {error}") from error
    return identity, plan


def cycle_to_row(raw: CycleRaw, dictionary_number: int | None, records: bytes) -> Row:
    """Return the row of a cycle, in the order of CYCLE_COLUMNS."""
    return (
        raw.number,
        raw.session,
        raw.boot_id,
        raw.outcome.value,
        raw.utc_minus_host_ns,
        raw.started_host_ns,
        raw.ended_host_ns,
        raw.lost_edges,
        raw.lost_light,
        encoding.pack_levels(raw.initial_levels),
        encoding.pack_edges(raw.edges),
        encoding.pack_light(raw.light),
        encoding.pack_exchanges(raw.exchanges),
        encoding.pack_commands(raw.commands),
        None if raw.faults is None else encoding.pack_fact(raw.faults),
        encoding.pack_fact(raw.findings),
        dictionary_number,
        records,
        encoding.pack_onset(raw.onset),
        raw.sleep_timeout_ns,
        raw.wake_timeout_ns,
    )


_Kinds = Mapping[str, tuple[type, ...]]
_LACK = type(None)
_CYCLE_KINDS: _Kinds = {
    **dict.fromkeys(CYCLE_COLUMNS, (int,)),
    **dict.fromkeys(("outcome", "commands", "findings"), (str,)),
    **dict.fromkeys(("edges", "light", "exchanges", "records"), (bytes,)),
    **dict.fromkeys(("faults", "onset"), (str, _LACK)),
    **dict.fromkeys(("sleep_timeout_ns", "wake_timeout_ns", "dictionary"), (int, _LACK)),
}
_SESSION_KINDS: _Kinds = {
    **dict.fromkeys(("number", "started_utc_ns", "boot_id"), (int,)),
    **dict.fromkeys(("host", "software"), (str,)),
    "log": (str, _LACK),
}
_RECOVERY_KINDS: _Kinds = {
    **dict.fromkeys(("session", "after_cycle", "ok"), (int,)),
    **dict.fromkeys(("why", "commands"), (str,)),
    "edges": (bytes,),
    "step": (str, _LACK),
    "levels": (int, _LACK),
}


def _check(row: "sqlite3.Row | Mapping[str, Any]", kinds: _Kinds, what: str) -> None:
    """Check that each value is of its column's kind: SQLite takes any in any column.

    Raises:
        RecordError: one is not, or is no time.
    """
    for name, value in dict(row).items():
        allowed = kinds.get(name)
        if allowed is not None and type(value) not in allowed:
            raise RecordError(
                f"{what} cannot be read ({name} is of type {type(value).__name__}, allowed is "
                f"{allowed[0].__name__})"
            )
        if (
            name.endswith("_ns")
            and value is not None
            and not -encoding.MOST_NS <= value <= encoding.MOST_NS
        ):
            raise RecordError(f"{what} cannot be read ({name} is {value}, which is no time)")


def cycle_of_row(
    row: "sqlite3.Row | Mapping[str, Any]",
    dictionaries: Mapping[int, bytes],
    *,
    with_records: bool = True,
    budget: encoding.Budget,
) -> CycleRaw:
    """Return the cycle of a row; without its OS records where they are not wanted.

    Raises:
        RecordError: a value is not of its form, or takes more than it may.
    """
    _check(row, _CYCLE_KINDS, f"cycle {row['number']}")
    dictionary = dictionaries.get(row["dictionary"], b"")
    records = row["records"] if with_records else b""
    try:
        return CycleRaw(
            number=row["number"],
            session=row["session"],
            boot_id=row["boot_id"],
            outcome=Outcome(row["outcome"]),
            utc_minus_host_ns=row["utc_minus_host_ns"],
            started_host_ns=row["started_host_ns"],
            ended_host_ns=row["ended_host_ns"],
            lost_edges=row["lost_edges"],
            lost_light=row["lost_light"],
            initial_levels=encoding.unpack_levels(row["levels"]),
            edges=encoding.unpack_edges(row["edges"]),
            light=encoding.unpack_light(
                row["light"], row["ended_host_ns"] - row["started_host_ns"]
            ),
            exchanges=encoding.unpack_exchanges(row["exchanges"]),
            commands=encoding.unpack_commands(row["commands"]),
            faults=None if row["faults"] is None else encoding.unpack_fact(Faults, row["faults"]),
            findings=encoding.unpack_facts(Finding, row["findings"]),
            records=encoding.unpack_records(records, dictionary, budget),
            onset=encoding.unpack_onset(row["onset"]),
            sleep_timeout_ns=row["sleep_timeout_ns"],
            wake_timeout_ns=row["wake_timeout_ns"],
        )
    except (TypeError, ValueError) as error:
        raise RecordError(f"cycle {row['number']} cannot be read ({error})") from error


def session_to_row(session: Session) -> Row:
    """Return the row of a session, in the order of SESSION_COLUMNS."""
    return (
        session.number,
        session.started_utc_ns,
        session.boot_id,
        session.host,
        session.software,
        None if session.log is None else encoding.pack_fact(session.log),
    )


def session_of_row(row: sqlite3.Row) -> Session:
    """Return the session of a row.

    Raises:
        RecordError: a value is not of its form.
    """
    _check(row, _SESSION_KINDS, f"session {row['number']}")
    return Session(
        number=row["number"],
        started_utc_ns=row["started_utc_ns"],
        boot_id=row["boot_id"],
        host=row["host"],
        software=row["software"],
        log=None if row["log"] is None else encoding.unpack_fact(LogState, row["log"]),
    )


def recovery_to_row(recovery: Recovery) -> Row:
    """Return the row of a recovery, in the order of RECOVERY_COLUMNS."""
    return (
        recovery.session,
        recovery.after_cycle,
        recovery.why,
        int(recovery.ok),
        encoding.pack_commands(recovery.commands),
        encoding.pack_edges(recovery.edges),
        recovery.step.value,
        None if recovery.levels is None else encoding.pack_levels(recovery.levels),
    )


def recovery_of_row(row: sqlite3.Row) -> Recovery:
    """Return the recovery of a row.

    Raises:
        RecordError: a value is not of its form.
    """
    # The last columns of a recovery came with version 2.
    values = dict(row)
    _check(values, _RECOVERY_KINDS, f"recovery {row['number']}")
    try:
        stored = values.get("step")
        step = RecoveryStep.PRESS if stored is None else RecoveryStep(stored)
    except ValueError as error:
        raise RecordError(f"a recovery cannot be read ({error})") from error
    levels = values.get("levels")
    return Recovery(
        session=row["session"],
        after_cycle=row["after_cycle"],
        why=row["why"],
        ok=bool(row["ok"]),
        commands=encoding.unpack_commands(row["commands"]),
        edges=encoding.unpack_edges(row["edges"]),
        step=step,
        levels=None if levels is None else encoding.unpack_levels(levels),
    )


_LENGTH = struct.Struct("<Q").pack
LIGHT = CYCLE_COLUMNS.index("light")


def seals_of(row: Sequence[Value]) -> tuple[int, int]:
    """Return the checksums of a row in the order of CYCLE_COLUMNS: all but the light, the light."""
    facts = [value for at, value in enumerate(row) if at != LIGHT]
    return _crc(facts), _crc([row[LIGHT]])


def broken_seals(values: Mapping[str, Any], seals: Sequence[Any]) -> tuple[str, ...]:
    """Return which parts of a cycle are not what was written: "cycle", "light", both or none.

    Args:
        values: of the row, by column.
        seals: as `seals_of` gave them when it was written; None where it was not sealed.
    """
    found = seals_of([values[column] for column in CYCLE_COLUMNS])
    parts = zip(("cycle", "light"), seals, found, strict=True)
    return tuple(name for name, sealed, now in parts if sealed is not None and sealed != now)


def _crc(values: Sequence[Value]) -> int:
    parts: list[bytes] = []
    for value in values:
        match value:
            case bytes():
                kind, content = b"b", value
            case str():
                kind, content = b"s", value.encode("utf-8", "surrogatepass")
            case None:
                kind, content = b"n", b""
            case _:
                kind, content = b"i", str(value).encode("ascii")
        parts += (kind, _LENGTH(len(content)), content)
    return zlib.crc32(b"".join(parts))


HEALTH_COLUMNS = ("cycle", "readings", "crc")
READINGS_MOST = 16
"""Of one cycle: the one before the sleep, and those until everything is back."""

# JSON writes a character of a report in 6 bytes at most, and the rest of a reading in 200.
_READINGS_BYTES_MOST = READINGS_MOST * (6 * HEALTH_BYTES_MAX + 200)


def health_to_row(raw: CycleRaw) -> Row | None:
    """Return the row of a cycle's health reports; None where it has none."""
    if not raw.health:
        return None
    plain = encoding.pack_fact(raw.health).encode("utf-8", "replace")
    readings = encoding.deflate(plain, b"")
    return raw.number, readings, zlib.crc32(readings)


def _intact(number: int, packed: object, crc: object, what: str) -> bytes:
    if not isinstance(packed, bytes) or zlib.crc32(packed) != crc:
        raise RecordError(
            f"cycle {number} is damaged: the checksum of its {what} is not that of what was written"
        )
    return packed


def with_health(raw: CycleRaw, row: "sqlite3.Row | None") -> CycleRaw:
    """Return a cycle with its health reports.

    Raises:
        RecordError: they are damaged.
    """
    if row is None:
        return raw
    readings = _intact(raw.number, row["readings"], row["crc"], "health reports")
    plain = encoding.inflate(readings, b"", "health reports", _READINGS_BYTES_MOST)
    text = plain.decode("utf-8", "replace")
    health = encoding.unpack_facts(HealthReading, text)
    if len(health) > READINGS_MOST:
        raise RecordError(f"cycle {raw.number} is damaged: it has {len(health)} health reports")
    return dataclasses.replace(raw, health=health)


POWER_COLUMNS = ("cycle", "lost", "samples", "crc")

_POWER: Final = (("t_ns", "<i8"), ("bus_uv", "<i4"), ("current_ua", "<i4"))
_POWER_BYTES: Final = np.dtype([*_POWER]).itemsize


def pack_power(samples: PowerSamples) -> bytes:
    """Return samples column by column as differences, compressed."""
    columns = [np.asarray(getattr(samples, name), dtype=kind) for name, kind in _POWER]
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
    most = (max(took_ns, 0) // _POWER_LEAST_NS + _POWER_MORE) * _POWER_BYTES
    plain = encoding.inflate(blob, b"", "power", min(most, encoding.MAX_UNPACKED_BYTES))
    count, rest = divmod(len(plain), _POWER_BYTES)
    if rest:
        raise RecordError("the samples of power end in the middle of one")
    columns: list[tuple[int, ...]] = []
    place = 0
    for _, kind in _POWER:
        steps = np.frombuffer(plain, kind, count, place)
        columns.append(tuple(np.cumsum(steps, dtype=steps.dtype).tolist()))
        place += steps.nbytes
    return PowerSamples(*columns)


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
    samples = _intact(raw.number, row["samples"], row["crc"], "power")
    power = unpack_power(samples, raw.ended_host_ns - raw.started_host_ns)
    lost = row["lost"]
    if not isinstance(lost, int):
        raise RecordError(f"cycle {raw.number} is damaged: it lost {lost!r:.40} samples of power")
    return dataclasses.replace(raw, power=power, lost_power=lost)
