"""The tables of a campaign store, and opening a file that may or may not be one."""

import os
import sqlite3
import stat
from pathlib import Path

from resume_rig.model.errors import RecordError

# The letters RRIG; tells our files from those of other SQLite applications.
APPLICATION_ID = 0x52524947
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
# Of SQLite's file format: how a file begins, and where its application id stands.
_MAGIC = b"SQLite format 3\0"
_ID_AT = 68

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


def lay_out(connection: sqlite3.Connection) -> None:
    """Make an empty file a store, inside the caller's transaction."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    for table in TABLES:
        connection.execute(table)


def connect_new(path: Path) -> sqlite3.Connection:
    """Open an empty file for writing, with every commit on the disk before it returns."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    _make_durable(connection)
    return connection


def connect_existing(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open a store, and check that it is one, of a version that is known, and whole.

    Raises:
        RecordError: it is not; one sentence.
    """
    if (reason := _no_content(path)) is not None:
        raise RecordError(f"could not open the store {path}: {reason}")
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?{_mode(path, write=write)}",
            isolation_level=None,
            timeout=0,
            uri=True,
        )
    except sqlite3.Error as error:
        raise RecordError(f"could not open the store {path}: {error}") from error
    try:
        _check(connection, path)
        if write:
            _make_durable(connection)
            _bring_up_to_date(connection)
    except sqlite3.Error as error:
        connection.close()
        raise RecordError(f"could not open the store {path}: {why(error)}") from error
    except BaseException:
        connection.close()
        raise
    return connection


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
    return None if found.st_size else "it is empty"


def looks_like_a_store(path: Path) -> bool:
    """Return whether a file's header is that of a store, whatever is wrong behind it."""
    try:
        with path.open("rb") as file:
            header = file.read(_ID_AT + 4)
    except OSError:
        return False
    return header.startswith(_MAGIC) and header[_ID_AT:] == APPLICATION_ID.to_bytes(4, "big")


def has_onset(connection: sqlite3.Connection) -> bool:
    """Return whether cycles of an open store have the onset of their light, and seals."""
    return _version(connection) > OLDEST_VERSION


def why(error: sqlite3.Error) -> str:
    """Return what an SQLite error means to a user."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "another process is writing to it; wait for that one to end, or stop it"
        case sqlite3.SQLITE_NOTADB:
            return "it is not a campaign store (it is not an SQLite file)"
        case sqlite3.SQLITE_CORRUPT:
            return f"it is damaged ({error})"
        case sqlite3.SQLITE_FULL:
            return "the disk is full; make room, then go on"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return f"this user may not open it so, or its disk is read-only ({error})"
        case _:
            return str(error)


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
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        # The report has a line for each table; its last one says what is wrong.
        reason = str(found).splitlines()[-1].strip()
        raise RecordError(f"could not open the store {path}: it is damaged ({reason})")
