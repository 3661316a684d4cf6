"""Reads what can be read of a damaged store, and writes it to a new one.

The damaged file is copied first and never written to. Rows are asked for one by one, so that a
damaged page costs the rows on it and no others. A first page that is destroyed is taken from an
empty store: tables are laid out the same way in every store.
"""

import dataclasses
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from resume_rig.campaign import schema
from resume_rig.campaign.raw import CycleRaw, LogMark, LogState, Session
from resume_rig.campaign.seal import broken_seals
from resume_rig.campaign.store import Store
from resume_rig.campaign.store_birth import give_name
from resume_rig.campaign.store_rows import (
    LATE_COLUMNS,
    Value,
    cycle_of_row,
    identity_of_rows,
    recovery_of_row,
    session_of_row,
)
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.os_record import Integrity, LogSource
from resume_rig.model.units import count_of

# Beyond the plan's cycles there are only interrupted ones.
_NUMBERS_MORE: Final = 10_000
_OTHER_ROWS: Final = 10_000
_TOLD: Final = 20

_Values: TypeAlias = sqlite3.Row | Mapping[str, object]
_Dictionaries: TypeAlias = Mapping[Value, Value]


@dataclass(frozen=True, slots=True)
class Salvage:
    """What came of it.

    Attributes:
        kept: numbers of the cycles that were read whole.
        without_light: numbers of those whose light could not be read; they count as INVALID.
        without_records: numbers of those whose OS records could not be read.
        lost: numbers below the last one that was found, and that could not be read.
        planned: cycles of the plan; those after the last one that was found are lost, or were
            never done, which nothing tells.
    """

    path: Path
    kept: tuple[int, ...]
    without_light: tuple[int, ...]
    without_records: tuple[int, ...]
    lost: tuple[int, ...]
    planned: int

    def sentence(self) -> str:
        """Return what came of it, without a full stop."""
        parts = [f"{count_of(len(self.kept), 'cycle')} of a damaged store"]
        for name, numbers in (
            ("light lost, so they count as invalid", self.without_light),
            ("OS records lost", self.without_records),
            ("lost", self.lost),
        ):
            if numbers:
                told = ", ".join(map(str, numbers[:_TOLD])) + (
                    " ..." if len(numbers) > _TOLD else ""
                )
                parts.append(f"{name}: {told}")
        last = max(self.kept, default=0)
        if last < self.planned:
            parts.append(
                f"the plan has {self.planned}: what there was after cycle {last} is lost"
                if last
                else f"the plan has {self.planned}: what there was of them is lost"
            )
        return "; ".join(parts)


def salvage(damaged: Path, path: Path) -> Salvage:
    """Write what can be read of `damaged` to a new store.

    Args:
        damaged: is only read.
        path: of the new store; no file may be there.

    Raises:
        RecordError: identity or plan cannot be read, so that nothing else has a meaning.
        UsageError: the new store cannot be made.
    """
    if not damaged.is_file():
        raise RecordError(f"could not salvage {damaged}: there is no such file")
    if path.exists():
        raise _there_already(path)
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".salvage-") as folder:
            copy = Path(folder) / "damaged.rrs"
            for suffix in ("", "-wal"):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{damaged}{suffix}", f"{copy}{suffix}")
            _mend_first_page(copy, Path(folder) / "empty.rrs")
            with closing(_open(copy)) as connection:
                # Killed in between it leaves no store that looks like a whole, shorter campaign.
                came = _write(_Wreck(connection, damaged), Path(folder) / "saved.rrs")
            give_name(came.path, path)
            return dataclasses.replace(came, path=path)
    except FileExistsError as error:
        raise _there_already(path) from error
    except OSError as error:
        if error.filename is not None and Path(error.filename).parent == damaged.parent:
            raise RecordError(f"could not salvage {damaged}: {error.strerror}") from error
        raise UsageError(f"could not salvage to {path}: {error.strerror or error}") from error
    except sqlite3.Error as error:
        raise RecordError(f"could not salvage {damaged}: {schema.why(error)}") from error


def _there_already(path: Path) -> UsageError:
    return UsageError(f"could not salvage to {path}: it is there already; name a new file")


class _Wreck:
    """A damaged store: every question may fail, and then has no answer."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    def row(self, query: str, *values: int | str) -> sqlite3.Row | None:
        """Return the one row of a query; None where it cannot be read, or is not there."""
        with suppress(sqlite3.Error, OverflowError):
            found: sqlite3.Row | None = self._connection.execute(query, values).fetchone()
            return found
        return None

    def rows(self, table: str, most: int) -> Iterator[sqlite3.Row]:
        """Yield the rows of a table with a number, in order, as many as can be read."""
        for number in range(1, most + 1):
            found = self.row(f"SELECT * FROM {table} WHERE number = ?", number)
            if found is not None:
                yield found

    def last(self, table: str, most: int) -> int:
        """Return the greatest number of a table, or `most` where it does not tell."""
        found = self.row(f"SELECT max(number) FROM {table}")
        value = None if found is None else found[0]
        return min(value, most) if isinstance(value, int) else most


def _open(copy: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(copy, isolation_level=None)
    connection.row_factory = sqlite3.Row
    # What cannot be decoded as text comes as bytes, and is then found to be damaged.
    connection.text_factory = _text_or_bytes
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA writable_schema = ON")
    return connection


def _text_or_bytes(raw: bytes) -> str | bytes:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def _mend_first_page(copy: Path, empty: Path) -> None:
    """Replace the first page where it cannot be read: it holds the header and the layout."""
    if _tables_of(copy):
        return
    with closing(schema.connect_new(empty)) as connection:
        connection.execute("BEGIN")
        schema.lay_out(connection)
        connection.execute("COMMIT")
    page = bytearray(empty.read_bytes()[: schema.PAGE_BYTES])
    pages = max(1, copy.stat().st_size // schema.PAGE_BYTES)
    page[28:32] = pages.to_bytes(4, "big")  # size of the file in pages
    page[92:96] = page[24:28]  # ... which counts, because these two agree
    with copy.open("r+b") as file:
        file.write(page)


def _tables_of(copy: Path) -> bool:
    try:
        with closing(sqlite3.connect(copy)) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    except sqlite3.Error:
        return False
    return {"identity", "cycle", "session"} <= names and version in schema.READABLE


def _write(wreck: _Wreck, path: Path) -> Salvage:
    facts: dict[Value, Value] = {}
    for name in ("identity", "plan"):
        row = wreck.row("SELECT value FROM identity WHERE name = ?", name)
        if row is not None:
            facts[name] = row[0]
    try:
        identity, plan = identity_of_rows(facts)
    except RecordError as error:
        raise RecordError(
            f"could not salvage {wreck.path}: it is no campaign store, or too damaged: {error}, "
            "and without that nothing else of it has a meaning"
        ) from error
    with Store.create(path, identity, plan) as store:
        for row in wreck.rows("session", wreck.last("session", _OTHER_ROWS)):
            with suppress(RecordError, TypeError, ValueError):
                store.begin_session(session_of_row(row))
        for row in wreck.rows("recovery", wreck.last("recovery", _OTHER_ROWS)):
            with suppress(RecordError, TypeError, ValueError):
                store.commit_recovery(recovery_of_row(row))
        came = _cycles(wreck, store, plan.cycles)
        store.note_salvage(came.sentence(), max(came.kept, default=0))
        return came


def _cycles(wreck: _Wreck, store: Store, planned: int) -> Salvage:
    last = wreck.last("cycle", planned + _NUMBERS_MORE)
    dictionaries = {row["number"]: row["bytes"] for row in wreck.rows("dictionary", 1)}
    sessions = {session.number for session in store.sessions()}
    kept: list[int] = []
    without: dict[str, list[int]] = {"light": [], "records": []}
    for row in wreck.rows("cycle", last):
        part, raw = _read_what_is_whole(wreck, row, dictionaries)
        if raw is None:
            continue
        if raw.session not in sessions:
            sessions.add(raw.session)
            store.begin_session(_stand_in(raw))
        store.commit_cycle(raw)
        kept.append(raw.number)
        if part:
            without[part].append(raw.number)
    lost = sorted(set(range(1, max(kept, default=0) + 1)) - set(kept))
    return Salvage(
        store.path,
        tuple(kept),
        tuple(without["light"]),
        tuple(without["records"]),
        tuple(lost),
        planned,
    )


def _stand_in(raw: CycleRaw) -> Session:
    """Return a session in place of one that is lost, as far as its first cycle tells."""
    lost = Integrity(ok=False, problems=("What the store told of this log is lost.",))
    source = LogSource("lost", "unknown", os_build=None, records=0, integrity=lost)
    return Session(
        number=raw.session,
        started_utc_ns=raw.started_host_ns + raw.utc_minus_host_ns,
        boot_id=raw.boot_id,
        host="lost",
        software="lost",
        log=LogState(source, LogMark()) if raw.records else None,
    )


def _read(values: _Values, dictionaries: _Dictionaries) -> CycleRaw | None:
    with suppress(RecordError, TypeError, ValueError, KeyError):
        return cycle_of_row(values, dictionaries)
    return None


def _read_what_is_whole(
    wreck: _Wreck, row: sqlite3.Row, dictionaries: _Dictionaries
) -> tuple[str, CycleRaw | None]:
    """Return a cycle, and the part that it had to be read without: "", "light" or "records".

    What does not have its checksum is not what was written, even where it can be decoded.
    """
    values: dict[str, object] = {**dict.fromkeys(LATE_COLUMNS), **dict(row)}
    found = wreck.row("SELECT facts, light FROM seal WHERE cycle = ?", row["number"])
    broken = broken_seals(values, (None, None) if found is None else tuple(found))
    if "cycle" in broken:
        return "", None
    if not broken and (raw := _read(values, dictionaries)) is not None:
        return "", raw
    raw = _read({**values, "light": b"", "lost_light": max(1, _count(values))}, dictionaries)
    if raw is not None:
        return "light", raw
    return "records", _read({**values, "records": b"", "dictionary": None}, dictionaries)


def _count(values: dict[str, object]) -> int:
    lost = values["lost_light"]
    return lost if isinstance(lost, int) else 1
