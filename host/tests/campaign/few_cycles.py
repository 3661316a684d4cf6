"""Stores of a few cycles without a campaign, and changes of them by SQL."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from resume_rig.campaign.plan.plan import default_plan
from resume_rig.campaign.store.raw import CycleRaw, Session
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.model.os_record import OsRecord, SleepKind, WakeSource
from resume_rig.model.result.cycle import Outcome

WOKE = Outcome.SLEPT_AND_WOKE
ONE = CycleRaw(
    number=1,
    session=1,
    boot_id=5,
    outcome=WOKE,
    utc_minus_host_ns=1_000,
    started_host_ns=10,
    ended_host_ns=17,
    initial_levels={},
    edges=(Edge(7, 8, Channel.SLP_S3, 0),),
    light=(),
    exchanges=(),
    commands=(),
)


def cycle(number: int, outcome: Outcome = WOKE, took_ns: int = 7, **more: Any) -> CycleRaw:
    """Return a cycle that began at ten times its number."""
    start = 10 * number
    times = {"started_host_ns": start, "ended_host_ns": start + took_ns}
    return replace(ONE, number=number, outcome=outcome, **(times | more))


def record(number: int) -> OsRecord:
    """Return an OS record that holds its number alone."""
    names = [f for f in OsRecord.__slots__ if f not in {"kind", "wake_source", "source"}]
    fields = dict.fromkeys(names[: names.index("hiber_pages") + 1])
    return OsRecord(
        source=0,
        kind=SleepKind.S3,
        wake_source=WakeSource(None, "x", ""),
        **(fields | {"record_id": number}),
    )


def make(bench: Any, *cycles: CycleRaw) -> Path:
    """Write a store of a bench with one session and these cycles."""
    with Store.create(bench.path, bench.identity, default_plan()) as store:
        store.begin_session(Session(1, 2, 5, "host", "0", None))
        for each in cycles:
            store.commit_cycle(each)
    return bench.path


def change(path: Path, *statements: str) -> None:
    """Change a store as somebody with an SQLite program would."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def cycles_of(path: Path) -> list[CycleRaw]:
    """Return the cycles of a store as they are kept."""
    with Store.open(path) as store:
        return list(store.cycles())
