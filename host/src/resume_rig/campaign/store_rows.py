"""Facts of a campaign as rows of its store, and back."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, cast

from resume_rig.campaign import encoding
from resume_rig.campaign.identity import Identity
from resume_rig.campaign.plan import Plan
from resume_rig.campaign.plan_file import parse_plan, plan_to_mapping
from resume_rig.campaign.raw import CycleRaw, LogState, Recovery, Session
from resume_rig.model.cycle import Outcome
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.recovery import RecoveryStep
from resume_rig.model.verdict import Finding
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
    try:
        identity = encoding.unpack_fact(Identity, str(rows["identity"]))
        plan = parse_plan(encoding.unpack_mapping(str(rows["plan"])))
    except KeyError as error:
        raise RecordError(f"the identity table has no {error}") from error
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


def cycle_of_row(
    row: "sqlite3.Row | Mapping[str, Any]",
    dictionaries: Mapping[Value, Value],
    *,
    with_records: bool = True,
) -> CycleRaw:
    """Return the cycle of a row; without its OS records where they are not wanted.

    Raises:
        RecordError: a value is not of its form.
    """
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
            light=encoding.unpack_light(row["light"]),
            exchanges=encoding.unpack_exchanges(row["exchanges"]),
            commands=encoding.unpack_commands(row["commands"]),
            faults=None if row["faults"] is None else encoding.unpack_fact(Faults, row["faults"]),
            findings=encoding.unpack_facts(Finding, row["findings"]),
            records=encoding.unpack_records(records, cast(bytes, dictionary)),
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
        None if recovery.step is None else recovery.step.value,
        None if recovery.levels is None else encoding.pack_levels(recovery.levels),
    )


def recovery_of_row(row: sqlite3.Row) -> Recovery:
    """Return the recovery of a row.

    Raises:
        RecordError: a value is not of its form.
    """
    # The last columns of a recovery came with version 2.
    values = dict(row)
    try:
        step = None if values.get("step") is None else RecoveryStep(values["step"])
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
