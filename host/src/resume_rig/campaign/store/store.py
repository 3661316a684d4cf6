"""A campaign store: one SQLite file of everything raw, one commit a cycle, born whole.

Whoever writes holds SQLite's write lock for as long as the store is open, so that a second
writer is refused at once and a killed one leaves nothing behind. Readers are never in the way.
"""

import hashlib
import os
import secrets
import sqlite3
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numpy as np

from resume_rig.analysis.cycles.light_shape import BlockTable
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.words import MAX_CYCLES
from resume_rig.campaign.store import encoding, schema
from resume_rig.campaign.store.identity import Identity
from resume_rig.campaign.store.raw import CycleRaw, LogState, Recovery, Session
from resume_rig.campaign.store.rows import (
    CYCLE_COLUMNS,
    HEALTH_COLUMNS,
    IDENTITY_NAMES,
    LATE_COLUMNS,
    POWER_COLUMNS,
    RECOVERY_COLUMNS,
    SEAL_COLUMNS,
    SESSION_COLUMNS,
    Row,
    Statement,
    Value,
    broken_seals,
    cycle_of_row,
    cycle_to_row,
    health_to_row,
    identity_of_rows,
    identity_to_rows,
    insert,
    power_to_row,
    recovery_of_row,
    recovery_to_row,
    seals_of,
    session_of_row,
    session_to_row,
    with_health,
    with_power,
)
from resume_rig.model.errors import RecordError, UsageError, shell_word
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.cycle import NO_FAILURE, Outcome

NAME_BYTES: Final = 240
"""Longest name of a store: a name has 255 bytes on most systems, and SQLite appends to it."""

NUMBERS_MOST: Final = 2 * MAX_CYCLES
"""Of a cycle: beyond the plan's there are only interrupted ones, and a few are many."""


def beside_store(store: Path, ending: str) -> Path:
    """Return where a file or folder that belongs to a store goes: beside it, under its name.

    Raises:
        UsageError: the store's name is that of a folder alone, such as `.` or `/`.
    """
    if store.name in ("", ".."):
        raise UsageError(f"could not use {store} as a campaign store: it is a folder; name a file")
    return store.with_name(f"{store.stem}{ending}")


def create_file(path: Path, identity: Iterable[Row]) -> None:
    """Make a store without cycles; it gets its name when all of it is on the disk.

    Raises:
        UsageError: the file is there already, or cannot be made.
    """
    if len(os.fsencode(path.name)) > NAME_BYTES:
        raise UsageError(
            f"could not make the store {path}: its name has more than {NAME_BYTES} bytes, and "
            "files beside it need a longer one; name it shorter"
        )
    part = beside_store(path, "").with_name(f".{path.name[:80]}.{secrets.token_hex(4)}.part")
    try:
        _lay_out(part, identity)
        give_name(part, path)
    except FileExistsError:
        if not path.is_file():
            raise UsageError(
                f"could not make the store {path}: it is a folder or a device; name a new file"
            ) from None
        raise UsageError(
            f"could not make the store {path}: a file of that name is there; go on with it by "
            f"`resume-rig run --resume {shell_word(path)}`, or name another one"
        ) from None
    except sqlite3.Error as error:
        raise UsageError(f"could not make the store {path}: {schema.why(error)}") from error
    except OSError as error:
        raise UsageError(f"could not make the store {path}: {error.strerror or error}") from error
    finally:
        for suffix in ("", "-wal", "-shm"):
            part.with_name(part.name + suffix).unlink(missing_ok=True)


def _lay_out(part: Path, identity: Iterable[Row]) -> None:
    part.touch(exist_ok=False)
    connection = schema.connect_new(part)
    try:
        connection.execute("BEGIN IMMEDIATE")
        schema.lay_out(connection)
        connection.executemany("INSERT INTO identity VALUES (?, ?)", map(tuple, identity))
        connection.execute("COMMIT")
    finally:
        connection.close()


def give_name(part: Path, path: Path) -> None:
    """Let a store that is whole appear under its name, of which nobody else has one.

    It has another name in the same folder, or one below it.

    Raises:
        FileExistsError: a file of that name is there.
        OSError: the name cannot be given.
    """
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links. Who claims the name first has it.
        path.touch(exist_ok=False)
        part.replace(path)
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Let the new name survive a loss of power, where a folder can be synchronised."""
    if sys.platform != "win32":
        with suppress(OSError):
            opened = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


_LATER: Final = {"power": with_power, "health": with_health}


class Store:
    """One campaign's file; made by `create`, `resume` (to write) and `open` (to read).

    Attributes:
        salvaged: what was salvaged, where the store was put together from a damaged one.
        salvaged_to: the last cycle that was; those missing before it are lost.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, *, writing: bool) -> None:
        connection.row_factory = sqlite3.Row
        self.path = path
        self._connection = connection
        self._writing = writing
        self._half_done = False
        self._counts: Counter[Outcome] | None = None
        self._last: int | None = None
        with self._explained("read"), self._named():
            facts: dict[Value, Value] = {
                name: self._fact(name) for name in (*IDENTITY_NAMES, "salvage", "salvage_to")
            }
            self.identity, self.plan = identity_of_rows(facts)
            salvage, last = facts["salvage"], str(facts["salvage_to"] or "")[:9]
            self.salvaged: str | None = None if salvage is None else str(salvage)
            self.salvaged_to = int(last) if last.isdecimal() else 0
        self._dictionaries = self._read_dictionaries()
        self._check_numbers()

    @classmethod
    def create(cls, path: Path, identity: Identity, plan: Plan) -> Self:
        """Make a new store.

        Raises:
            UsageError: the file is there already, or cannot be made.
            RecordError: another process went on with it at once.
        """
        create_file(path, identity_to_rows(identity, plan))
        return cls.resume(path)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a store for reading; somebody else may be writing to it.

        Raises:
            RecordError: the file is not a whole campaign store of a version that can be read.
        """
        return cls._of(path, schema.connect_existing(path, write=False), writing=False)

    @classmethod
    def resume(cls, path: Path) -> Self:
        """Open a store to go on with it.

        Raises:
            RecordError: as in `open`, or another process writes to it.
        """
        connection = schema.connect_existing(path, write=True)
        store = cls._of(path, connection, writing=True)
        try:
            store._take()
        except BaseException:
            connection.close()
            raise
        return store

    def begin_session(self, session: Session) -> None:
        """Record that a run or resume begins.

        Raises:
            RecordError: the store cannot be written to.
        """
        self._write([insert("session", SESSION_COLUMNS, session_to_row(session))])

    def commit_cycle(self, raw: CycleRaw, log: LogState | None = None) -> None:
        """Put a cycle on the disk, and how the log of its session now stands; both stay there.

        Raises:
            RecordError: the store cannot be written to.
        """
        statements: list[Statement] = []
        number, dictionary = self._dictionary_for(raw.records, statements)
        records = b""
        if raw.records:
            records = encoding.deflate(encoding.records_json(raw.records), dictionary)
        row = cycle_to_row(raw, number if raw.records else None, records)
        statements.append(insert("cycle", CYCLE_COLUMNS, row))
        statements.append(insert("seal", SEAL_COLUMNS, (raw.number, *seals_of(row))))
        if (power := power_to_row(raw)) is not None:
            statements += [(schema.POWER_TABLE, ()), insert("power", POWER_COLUMNS, power)]
        if (health := health_to_row(raw)) is not None:
            statements += [(schema.HEALTH_TABLE, ()), insert("health", HEALTH_COLUMNS, health)]
        if log is not None:
            statements.append(
                (
                    "UPDATE session SET log = ? WHERE number = ?",
                    (encoding.pack_fact(log), raw.session),
                )
            )
        # An interrupt may strike behind the commit.
        counts, self._counts = self._counts, None
        last, self._last = self._last, None
        self._write(statements)
        if last is not None:
            self._last = max(last, raw.number)
        if counts is not None:
            counts[raw.outcome] += 1
            self._counts = counts
        if number is not None:
            self._dictionaries[number] = dictionary

    def commit_recovery(self, recovery: Recovery) -> None:
        """Put what was done outside of a cycle on the disk.

        Raises:
            RecordError: the store cannot be written to.
        """
        self._write([insert("recovery", RECOVERY_COLUMNS, recovery_to_row(recovery))])

    def note_salvage(self, text: str, last: int) -> None:
        """Record that this store was put together from a damaged one, up to cycle `last`.

        Raises:
            RecordError: the store cannot be written to.
        """
        insertion = "INSERT INTO identity VALUES (?, ?)"
        facts = (("salvage", text), ("salvage_to", str(last)))
        self._write([(insertion, fact) for fact in facts])
        self.salvaged, self.salvaged_to = text, last

    def has_cycle(self, number: int) -> bool:
        """Return whether a cycle of this number is committed."""
        return bool(self._rows("SELECT 1 FROM cycle WHERE number = ?", (number,)))

    def _fact(self, name: str) -> Value:
        rows = self._rows("SELECT value FROM identity WHERE name = ?", (name,))
        return next((value for (value,) in rows), None)

    def _read_dictionaries(self) -> dict[int, bytes]:
        """Return the dictionary that records are packed with: 1, or none where none came yet."""
        found = {}
        for number, stored in self._rows("SELECT number, bytes FROM dictionary WHERE number = 1"):
            if not isinstance(stored, bytes) or len(stored) > encoding.DICTIONARY_BYTES:
                raise self._damaged("its dictionary is none")
            found[number] = stored
        return found

    def _count(self) -> int:
        return self._number("SELECT count(*) FROM cycle")

    def _check_numbers(self) -> None:
        """Refuse numbers that no campaign comes to: somebody would count up to them."""
        for end in ("min", "max"):
            ((number,),) = self._rows(f"SELECT {end}(number) FROM cycle")
            if number is not None and not 1 <= number <= NUMBERS_MOST:
                raise self._damaged(
                    f"it has a cycle {number}, and cycles are numbered from 1 to {NUMBERS_MOST:,}"
                )

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Name the store that has a value which is not of its form, and what to do."""
        try:
            yield
        except RecordError as error:
            raise self._damaged(str(error)) from error

    def _damaged(self, what: str) -> RecordError:
        return RecordError(
            f"could not read the store {self.path}: {what}{schema.salvage_hint(self.path)}"
        )

    def _outcome(self, number: int, name: Value) -> Outcome:
        try:
            return Outcome(str(name))
        except ValueError as error:
            raise self._damaged(
                f"cycle {number} is damaged: {str(name)!r:.80} is no outcome"
            ) from error

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of all cycles, ascending."""
        rows = self._rows("SELECT number FROM cycle ORDER BY number")
        return tuple(int(number) for (number,) in rows)

    def outline(self) -> list[tuple[int, Outcome, int]]:
        """Return of each cycle, ascending, its number, its outcome, how long it took [ns].

        Raises:
            RecordError: the store cannot be read.
        """
        rows = self._rows(
            "SELECT number, outcome, ended_host_ns - started_host_ns FROM cycle ORDER BY number"
        )
        return [(n, self._outcome(n, name), self._time(n, took)) for n, name, took in rows]

    def _time(self, number: int, value: Value) -> int:
        if type(value) is not int or not -2 * encoding.MOST_NS <= value <= 2 * encoding.MOST_NS:
            raise self._damaged(f"cycle {number} is damaged: {value!r:.80} is no time")
        return value

    def fingerprints(self) -> Iterator[int]:
        """Yield 64 bits of each cycle, the same in every copy of it and in no other campaign.

        They are of identity and plan, and of the cycle's clocks and edges. What a salvage may lose
        of a cycle that it keeps (light, OS records, power, health) is not in them.

        Raises:
            RecordError: the store cannot be read.
        """
        campaign = repr(identity_to_rows(self.identity, self.plan)).encode()
        seeded = hashlib.blake2b(campaign, digest_size=8)
        with self._explained("read"):
            rows = self._connection.execute(
                "SELECT number, boot_id, utc_minus_host_ns, started_host_ns, ended_host_ns, "
                "CAST(edges AS BLOB) FROM cycle ORDER BY number"
            )
            for *clocks, edges in rows:
                found = seeded.copy()
                found.update(repr(clocks).encode())
                found.update(edges)
                yield int.from_bytes(found.digest(), "little", signed=True)

    def index_of(self, number: int) -> int:
        """Return how many cycles of the plan were done before a cycle."""
        query = "SELECT count(*) FROM cycle WHERE number < ? AND outcome != ?"
        return self._number(query, (number, Outcome.INTERRUPTED.value))

    def spent_ns(self) -> int:
        """Return the time spent in cycles, of all sessions."""
        return self._number("SELECT coalesce(sum(ended_host_ns - started_host_ns), 0) FROM cycle")

    def last_number(self) -> int:
        """Return the number of the newest cycle, 0 when there is none."""
        # As in `outcomes`.
        if self._last is None or not self._writing:
            self._last = self._number("SELECT coalesce(max(number), 0) FROM cycle")
        return self._last

    def newest_utc_ns(self) -> int:
        """Return the host's UTC at the end of the newest cycle, 0 when there is none."""
        query = "SELECT coalesce(max(ended_host_ns + utc_minus_host_ns), 0) FROM cycle"
        return self._number(query)

    def outcomes(self) -> dict[Outcome, int]:
        """Return how many cycles came to which outcome; outcomes that none came to are absent."""
        # Who writes is alone, and counts on: a campaign asks several times a cycle.
        if self._counts is None or not self._writing:
            rows = self._rows("SELECT min(number), outcome, count(*) FROM cycle GROUP BY outcome")
            self._counts = Counter({self._outcome(n, name): count for n, name, count in rows})
        return dict(self._counts)

    def first_failure(self) -> tuple[int, Outcome] | None:
        """Return number and outcome of the first cycle that the DUT failed; None without one."""
        marks = ", ".join("?" * len(NO_FAILURE))
        rows = self._rows(
            f"SELECT number, outcome FROM cycle WHERE outcome NOT IN ({marks}) "
            "ORDER BY number LIMIT 1",
            tuple(outcome.value for outcome in sorted(NO_FAILURE)),
        )
        return next(((number, self._outcome(number, name)) for number, name in rows), None)

    def cycles(
        self,
        numbers: Collection[int] | None = None,
        *,
        with_light: bool = True,
        with_records: bool = True,
    ) -> Iterator[CycleRaw]:
        """Yield the cycles in order, one at a time.

        Args:
            numbers: only these; None for all.
            with_light: light is most of a store; who does not ask for it gets none.
            with_records: unpacking OS records is most of the work; likewise.

        Raises:
            RecordError: one cannot be read.
        """
        with self._explained("read"):
            count = self._count() if numbers is None else len(numbers)
            budget = encoding.Budget(count)
            instead = {} if with_light else {"light": "x'' AS light"}
            seals = "seal.facts AS seal_facts, seal.light AS seal_light"
            tables = "cycle LEFT JOIN seal ON seal.cycle = cycle.number"
            if not schema.has_onset(self._connection):
                instead |= {name: f"NULL AS {name}" for name in LATE_COLUMNS}
                seals, tables = "NULL AS seal_facts, NULL AS seal_light", "cycle"
            columns = ", ".join(instead.get(name, f"cycle.{name}") for name in CYCLE_COLUMNS)
            query = f"SELECT {columns}, {seals} FROM {tables}"
            if numbers is None:
                rows: Iterable[sqlite3.Row] = self._connection.execute(
                    f"{query} ORDER BY cycle.number"
                )
            else:
                query = f"{query} WHERE cycle.number = ?"
                rows = (row for n in sorted(numbers) for row in self._rows(query, (n,)))
            later = [name for name in _LATER if schema.has_table(self._connection, name)]
            for row in rows:
                raw = self._cycle_of(row, budget, with_light=with_light, with_records=with_records)
                yield self._with_later(raw, later) if later else raw

    def light_table(self, number: int) -> BlockTable:
        """Return a cycle's light as columns; without rows where it has none.

        Raises:
            RecordError: it cannot be read.
        """
        query = "SELECT light, ended_host_ns - started_host_ns FROM cycle WHERE number = ?"
        blob, took_ns = next(iter(self._rows(query, (number,))), (b"", 0))
        blocks = encoding.light_rows(blob, self._time(number, took_ns))
        return BlockTable(
            blocks["t_ns"].astype(np.int64),
            blocks["mean"].astype(np.float64),
            blocks["maximum"].astype(np.float64),
        )

    def sessions(self) -> tuple[Session, ...]:
        """Return the runs and resumes of the campaign, in order."""
        with self._explained("read"), self._named():
            return tuple(map(session_of_row, self._rows("SELECT * FROM session ORDER BY number")))

    def recoveries(self) -> tuple[Recovery, ...]:
        """Return what was done outside of cycles, in order."""
        with self._explained("read"), self._named():
            return tuple(map(recovery_of_row, self._rows("SELECT * FROM recovery ORDER BY number")))

    def copy_to(self, path: Path) -> None:
        """Write a whole copy that needs no other file; the same store gives the same bytes.

        Raises:
            RecordError: the store cannot be read, or the copy cannot be written.
        """
        with self._explained("copy"):
            self._connection.execute("VACUUM INTO ?", (str(path),))

    def close(self) -> None:
        """Let go of the file; may be called twice."""
        with self._explained("close"):
            if self._writing and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @classmethod
    def _of(cls, path: Path, connection: sqlite3.Connection, *, writing: bool) -> Self:
        try:
            return cls(path, connection, writing=writing)
        except BaseException:
            connection.close()
            raise

    def _take(self) -> None:
        """Take the write lock, at once or not at all."""
        with self._explained("write to"):
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute(f"PRAGMA busy_timeout = {schema.BUSY_TIMEOUT_MS}")

    def _write(self, statements: Sequence[Statement]) -> None:
        """Commit statements together, and hold the write lock again.

        An interrupt may strike between any two steps: what is half done is rolled back by the
        next call, and a lock that is not held is taken again.
        """
        with self._explained("write to"):
            execute = self._connection.execute
            if self._half_done and self._connection.in_transaction:
                execute("ROLLBACK")
            if not self._connection.in_transaction:
                execute("BEGIN IMMEDIATE")
            self._half_done = True
            for sql, values in statements:
                execute(sql, tuple(values))
            execute("COMMIT")
            self._half_done = False
            execute("BEGIN IMMEDIATE")

    def _dictionary_for(
        self, records: Sequence[OsRecord], statements: list[Statement]
    ) -> tuple[int | None, bytes]:
        """Return the dictionary that records are packed with.

        The OS words every cycle the same way, so that the first one's records show how others look.
        """
        for number, stored in self._dictionaries.items():
            return number, stored
        if not records:
            return None, b""
        made = encoding.records_json(records)[-encoding.DICTIONARY_BYTES :]
        statements.append(("INSERT INTO dictionary VALUES (?, ?)", (1, made)))
        return 1, made

    def _cycle_of(
        self, row: sqlite3.Row, budget: encoding.Budget, *, with_light: bool, with_records: bool
    ) -> CycleRaw:
        with self._named():
            seals = (row["seal_facts"], row["seal_light"] if with_light else None)
            if broken := broken_seals(dict(row), seals):
                raise RecordError(
                    f"cycle {row['number']} is damaged: the checksum of its {broken[0]} "
                    "is not that of what was written"
                )
            if row["seal_facts"] is None and row["sleep_timeout_ns"] is not None:
                # Version 1 has neither; since then each cycle is committed with both.
                raise RecordError(f"cycle {row['number']} is damaged: its checksum is gone")
            return cycle_of_row(row, self._dictionaries, with_records=with_records, budget=budget)

    def _with_later(self, raw: CycleRaw, tables: Sequence[str]) -> CycleRaw:
        for table in tables:
            found = self._rows(f"SELECT * FROM {table} WHERE cycle = ?", (raw.number,))
            with self._named():
                raw = _LATER[table](raw, found[0] if found else None)
        return raw

    def _number(self, query: str, values: Row = ()) -> int:
        ((value,),) = self._rows(query, values)
        return int(value)

    def _rows(self, query: str, values: Row = ()) -> list[sqlite3.Row]:
        with self._explained("read"):
            return self._connection.execute(query, tuple(values)).fetchall()

    @contextmanager
    def _explained(self, doing: str) -> Iterator[None]:
        try:
            yield
        except schema.UNREADABLE as error:
            raise RecordError(
                f"could not {doing} the store {self.path}: {schema.why_not(error, self.path)}"
            ) from error
