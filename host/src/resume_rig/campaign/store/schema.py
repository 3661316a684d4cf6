"""The tables of a campaign store, and opening a file that may or may not be one.

A store may come from a stranger. SQLite runs what a file defines (views, triggers, generated
columns, virtual tables), so nothing of it is asked before its definitions are found to be ours.
"""

import os
import re
import sqlite3
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from resume_rig.model.errors import RecordError, shell_word
from resume_rig.oslog.reading import HEAD_BYTES, STORE_ID, is_store

# The letters RRIG; no other SQLite application has this id.
APPLICATION_ID = int.from_bytes(STORE_ID)
SCHEMA_VERSION = 2
# Version 1 has no onset and no time-outs of a cycle, no steps of a recovery and no `seal`. It is
# read as it is; going on with it makes it version 2.
OLDEST_VERSION = 1
# Versions that this one can read.
READABLE = range(OLDEST_VERSION, SCHEMA_VERSION + 1)
# Two cycles or more fit a page, so that little of it stays empty.
PAGE_BYTES = 8192
# Somebody else's short lock (a reader that recovers the WAL after a crash) is waited out.
BUSY_TIMEOUT_MS = 5000
# The first page holds the definitions of a store, all in one leaf: kind and count of its cells.
_DEFINITIONS_AT: Final = 100
_LEAF: Final = 13

ROW_BYTES: Final = 128_000_000
"""Longest row: an hour of light, the longest wake that a plan waits for, is 65 MB unpacked."""

_SQL_BYTES: Final = 10_000  # our longest definition has 700
_HEAP_BYTES: Final = 768_000_000  # of SQLite in this process: the copies that it makes of a row
# Steps of SQLite's machine between two looks at signals: some ms.
_STEPS: Final = 100_000
_LIMITS: Final = (
    (sqlite3.SQLITE_LIMIT_LENGTH, ROW_BYTES),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, _SQL_BYTES),
    (sqlite3.SQLITE_LIMIT_COLUMN, 64),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 50),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 2),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
)

TABLES = (
    """CREATE TABLE identity (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE session (
        number INTEGER PRIMARY KEY,
        started_utc_ns INTEGER NOT NULL,
        boot_id INTEGER NOT NULL,
        host TEXT NOT NULL,
        software TEXT NOT NULL,
        log TEXT
    )""",
    """CREATE TABLE cycle (
        number INTEGER PRIMARY KEY,
        session INTEGER NOT NULL REFERENCES session (number),
        boot_id INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        utc_minus_host_ns INTEGER NOT NULL,
        started_host_ns INTEGER NOT NULL,
        ended_host_ns INTEGER NOT NULL,
        lost_edges INTEGER NOT NULL,
        lost_light INTEGER NOT NULL,
        levels INTEGER NOT NULL,
        edges BLOB NOT NULL,
        light BLOB NOT NULL,
        exchanges BLOB NOT NULL,
        commands TEXT NOT NULL,
        faults TEXT,
        findings TEXT NOT NULL,
        dictionary INTEGER REFERENCES dictionary (number),
        records BLOB NOT NULL,
        onset TEXT,
        sleep_timeout_ns INTEGER,
        wake_timeout_ns INTEGER
    )""",
    """CREATE TABLE recovery (
        number INTEGER PRIMARY KEY,
        session INTEGER NOT NULL REFERENCES session (number),
        after_cycle INTEGER NOT NULL,
        why TEXT NOT NULL,
        ok INTEGER NOT NULL,
        commands TEXT NOT NULL,
        edges BLOB NOT NULL,
        step TEXT,
        levels INTEGER
    )""",
    """CREATE TABLE dictionary (
        number INTEGER PRIMARY KEY,
        bytes BLOB NOT NULL
    )""",
    """CREATE TABLE seal (
        cycle INTEGER PRIMARY KEY,
        facts INTEGER NOT NULL,
        light INTEGER NOT NULL
    )""",
)

POWER_TABLE = """CREATE TABLE IF NOT EXISTS power (
        cycle INTEGER PRIMARY KEY,
        lost INTEGER NOT NULL,
        samples BLOB NOT NULL,
        crc INTEGER NOT NULL
    )"""
HEALTH_TABLE = """CREATE TABLE IF NOT EXISTS health (
        cycle INTEGER PRIMARY KEY,
        readings BLOB NOT NULL,
        crc INTEGER NOT NULL
    )"""
LATER_TABLES: Final = {"power": POWER_TABLE, "health": HEALTH_TABLE}
"""Each made with the first cycle that needs it, so that other stores stay what they were."""


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Return whether an open store has one of the later tables."""
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return connection.execute(query, (name,)).fetchone() is not None


# What version 1 has not.
_LATE: Final = {
    "cycle": (",onset TEXT", ",sleep_timeout_ns INTEGER", ",wake_timeout_ns INTEGER"),
    "recovery": (",step TEXT", ",levels INTEGER"),
}
_NAME = re.compile(r"CREATE TABLE (\w+)")


def _bare(definition: str) -> str:
    """Return a definition without white space, which columns that were added have less of."""
    return "".join(definition.split())


def _definitions(version: int) -> Mapping[str, str]:
    """Return what the tables of a store are defined by, by name, without white space."""
    found = {}
    for table in TABLES if version == SCHEMA_VERSION else TABLES[:-1]:
        (name,) = _NAME.findall(table)
        bare = _bare(table)
        if version == OLDEST_VERSION:
            for late in _LATE.get(name, ()):
                bare = bare.replace(_bare(late), "")
        found[name] = bare
    return found


def lay_out(connection: sqlite3.Connection) -> None:
    """Make an empty file a store, inside the caller's transaction."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    for table in TABLES:
        connection.execute(table)


def connect_new(path: Path) -> sqlite3.Connection:
    """Open an empty file for writing, with every commit on the disk before it returns."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    trust_nothing(connection)
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    _make_durable(connection)
    return connection


def connect_existing(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open a store, and check that it is one, of a version that can be read, and whole.

    Who closes a store last has it alone for that moment, which is waited out. Behind it a writer
    waits for nobody: it would take the lock of another one between two commits.

    Raises:
        RecordError: it is not; one sentence.
    """
    if (reason := _no_content(path)) is not None:
        raise RecordError(f"could not open the store {path}: {reason}")
    try:
        return _connected(path, _mode(path, write=write), write=write)
    except UNREADABLE as error:
        found: Unreadable = error
    except OSError as error:  # of Windows, where a name is too long
        found = error
    if not write and _has_no_room(found) and sys.platform != "win32":
        # The index of what waits in the WAL has no room on the disk, so nobody else has the store
        # open, and it is read into memory: without locks, which only a shared index would need.
        try:
            return _connected(path, "mode=ro&vfs=unix-none", write=False)
        except UNREADABLE as error:
            found = error
    raise RecordError(f"could not open the store {path}: {why_not(found, path)}") from found


def _connected(path: Path, how: str, *, write: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?{how}",
        isolation_level=None,
        timeout=BUSY_TIMEOUT_MS / 1000,
        uri=True,
    )
    try:
        if how.endswith("none"):
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        trust_nothing(connection)
        _check(connection, path)
        if write:
            connection.execute("PRAGMA busy_timeout = 0")
            _make_durable(connection)
            _bring_up_to_date(connection)
    except BaseException:
        connection.close()
        raise
    return connection


_NO_DATABASE: Final = {0: "it is empty", 1: "it holds a single byte"}


def _no_content(path: Path) -> str | None:
    """Return why there is nothing to open; None where a file has content."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return "there is no such file"
    except OSError as error:
        return error.strerror or str(error)
    except ValueError:  # a null byte within the path
        return "it is not the name of a file"
    if not stat.S_ISREG(found.st_mode):
        return "it is a folder" if stat.S_ISDIR(found.st_mode) else "it is no file but a device"
    if not os.access(path, os.R_OK):
        return "this user may not read it"
    # To SQLite a file of one byte is an empty database.
    return _NO_DATABASE.get(found.st_size) or _wrong_sqlite_file(path)


def _wrong_sqlite_file(path: Path) -> str | None:
    """Return what is wrong with the files that SQLite keeps for a store; None if nothing is."""
    for suffix in ("-wal", "-shm", "-journal"):
        # SQLite opens what has such a name: a pipe never ends, a link leads anywhere.
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(path.with_name(path.name + suffix).lstat().st_mode):
                return f"{path.name}{suffix} beside it is no file but a link or a device"
    return None


def looks_like_a_store(path: Path) -> bool:
    """Return whether a file's header is that of a store, whatever is wrong behind it."""
    try:
        with path.open("rb") as file:
            return is_store(file.read(HEAD_BYTES))
    except OSError:
        return False


def has_onset(connection: sqlite3.Connection) -> bool:
    """Return whether cycles of an open store have the onset of their light, and seals."""
    return _version(connection) > OLDEST_VERSION


Unreadable = sqlite3.Error | MemoryError | UnicodeDecodeError | OSError
UNREADABLE: Final = (sqlite3.Error, MemoryError, UnicodeDecodeError)
"""What asking a damaged file may raise; the last where SQLite quotes what is no text."""


NO_TEXT: Final = "it is damaged (what should be text is none)"


def salvage_hint(path: Path) -> str:
    """Return how to get at the rest of a damaged store, behind a sentence about it."""
    return (
        f"; `resume-rig store salvage {shell_word(path)} --out NEW` writes what can be read to a "
        "new store"
    )


def why_not(error: Unreadable, path: Path) -> str:
    """Return what an SQLite error means, and of a damaged store what to do; raises as `why`."""
    found = why(error)
    return f"{found}{salvage_hint(path)}" if found.startswith("it is damaged") else found


def why(error: Unreadable) -> str:
    """Return what an SQLite error means to a user.

    Raises:
        KeyboardInterrupt: somebody asked the program to end while SQLite worked.
    """
    if isinstance(error, MemoryError):
        return f"it takes more than the {_HEAP_BYTES // 1_000_000} MB of memory that it may have"
    if isinstance(error, UnicodeDecodeError):
        return NO_TEXT
    if str(error).startswith("Could not decode"):  # Python's, where the text quotes the rest of it
        return NO_TEXT
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        # What a signal raises within SQLite reaches nobody but by this code.
        raise KeyboardInterrupt from error
    if _has_no_room(error):
        return "its disk takes nothing that is written; where it is full make room, then go on"
    return _WHY.get(code, "{}").format(f"{' '.join(str(error).split()):.200}")


# SQLite's names of a write that failed say nothing of why; a full disk is the most likely.
_UNWRITTEN: Final = frozenset(
    {
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_IOERR_FSYNC,
        sqlite3.SQLITE_IOERR_TRUNCATE,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_SHMMAP,
    }
)


def _has_no_room(error: Unreadable) -> bool:
    return getattr(error, "sqlite_errorcode", 0) in _UNWRITTEN


_BUSY = "another process is writing to it; wait for that one to end, or stop it"
_NOT_ALLOWED = "this user may not open it so, or its disk is read-only ({})"
_WHY: Final = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_NOTADB: "it is not a campaign store (it is not an SQLite file)",
    sqlite3.SQLITE_CORRUPT: "it is damaged ({})",
    sqlite3.SQLITE_TOOBIG: f"it has a value of more than {ROW_BYTES} bytes, which no store has",
    sqlite3.SQLITE_FULL: "the disk is full; make room, then go on",
    sqlite3.SQLITE_IOERR: "its disk could not be read ({})",
    sqlite3.SQLITE_READONLY: _NOT_ALLOWED,
    sqlite3.SQLITE_CANTOPEN: _NOT_ALLOWED,
    sqlite3.SQLITE_PERM: _NOT_ALLOWED,
}


def trust_nothing(connection: sqlite3.Connection) -> None:
    """Let what a file defines do nothing, bound what it may cost, and let signals be heard."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute(f"PRAGMA hard_heap_limit = {_HEAP_BYTES}")
    for limit, value in _LIMITS:
        connection.setlimit(limit, value)
    connection.set_progress_handler(_go_on, _STEPS)


def _go_on() -> int:
    """Run as Python, where a signal that struck meanwhile is handled, and ends what SQLite does."""
    return 0


def why_foreign(connection: sqlite3.Connection, path: Path) -> str | None:
    """Return what a file defines that no store does; None where its tables are those of a store."""
    with path.open("rb") as file:
        file.seek(_DEFINITIONS_AT)
        kind, *_ = file.read(1) or b"\0"
    if kind != _LEAF:
        return "its definitions are longer than those of a store"
    wanted = dict(_definitions(_version(connection)))
    for name, table in LATER_TABLES.items():
        if has_table(connection, name):
            wanted[name] = _bare(table.replace("IF NOT EXISTS ", ""))
    for kind, name, definition in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        if kind != "table":
            return f"it has the {kind!r:.20} {name!r:.80}, and a store has tables alone"
        if name not in wanted:
            return f"it has a table {name!r:.80}, which a store has not"
        if _bare(str(definition)) != wanted.pop(name):
            return f"its table {name} has other columns than that of a store"
    return None if not wanted else f"it has no table {min(wanted)}"


def _mode(path: Path, *, write: bool) -> str:
    if write:
        return "mode=rw"
    # Where nothing waits in a WAL the file alone is the whole store, and reading it that way also
    # works in a folder that cannot be written to.
    wal = path.with_name(path.name + "-wal")
    return "mode=ro" if wal.exists() else "mode=ro&immutable=1"


def _make_durable(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    # Each commit goes on into the file itself, so that who copies it alone has every cycle.
    connection.execute("PRAGMA wal_autocheckpoint = 1")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Make an older store one of this version, all at once or not at all; no row is touched."""
    if _version(connection) == SCHEMA_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    # Somebody else may have done it before this transaction began.
    if not has_onset(connection):
        connection.execute("ALTER TABLE cycle ADD COLUMN onset TEXT")
        connection.execute("ALTER TABLE cycle ADD COLUMN sleep_timeout_ns INTEGER")
        connection.execute("ALTER TABLE cycle ADD COLUMN wake_timeout_ns INTEGER")
        connection.execute("ALTER TABLE recovery ADD COLUMN step TEXT")
        connection.execute("ALTER TABLE recovery ADD COLUMN levels INTEGER")
        connection.execute(TABLES[-1])
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    version = _version(connection)
    if application != APPLICATION_ID:
        raise RecordError(
            f"could not open the store {path}: it is not a campaign store (it is an SQLite file "
            f"of another application, id {application:#x})"
        )
    if not OLDEST_VERSION <= version <= SCHEMA_VERSION:
        raise RecordError(
            f"could not open the store {path}: its schema is version {version}; this version of "
            f"resume-rig knows versions {OLDEST_VERSION} to {SCHEMA_VERSION}"
        )
    if (foreign := why_foreign(connection, path)) is not None:
        raise RecordError(
            f"could not open the store {path}: {foreign}; who made or changed it did not use "
            "resume-rig"
        )
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        # The report has a line for each table; its last one says what is wrong.
        reason = str(found).splitlines()[-1].strip()
        raise RecordError(
            f"could not open the store {path}: it is damaged ({reason}){salvage_hint(path)}"
        )
