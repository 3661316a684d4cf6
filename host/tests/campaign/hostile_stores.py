"""Campaign stores as a stranger might make them, each from a whole one; shared with benchmarks."""

import json
import os
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from resume_rig.campaign.store import encoding
from resume_rig.campaign.store.rows import CYCLE_COLUMNS, seals_of

ZEROS_BYTES: Final = 99_000_000
BRACKETS: Final = 200_000

Change = Callable[[sqlite3.Connection], None]


def changed(path: Path, change: Change, *, sealed: bool = True) -> None:
    """Change a store, and make its checksums those of what it says then."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        change(connection)
        if sealed:
            reseal(connection)
        connection.commit()


def reseal(connection: sqlite3.Connection) -> None:
    """Make the checksums of all cycles those of what their rows hold."""
    connection.execute("DELETE FROM seal")
    for row in connection.execute(f"SELECT {', '.join(CYCLE_COLUMNS)} FROM cycle").fetchall():
        seals = (row[0], *seals_of(row))
        connection.execute("INSERT INTO seal VALUES (?, ?, ?)", seals)


def _sql(*statements: str) -> Change:
    def change(connection: sqlite3.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    return change


_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


def _as_view(table: str) -> Change:
    """Put an endless view in the place of a table."""

    def change(connection: sqlite3.Connection) -> None:
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        connection.execute("PRAGMA legacy_alter_table = ON")
        connection.execute(f"DROP TABLE {table}")
        columns = ", ".join(f"i AS {name}" for name in names)
        connection.execute(f"CREATE VIEW {table} AS {_ENDLESS} SELECT {columns} FROM n")

    return change


def _unlike(table: str, old: str, new: str) -> Change:
    """Change a table's definition and not its rows, as only who edits the file can."""
    return _sql(
        f"UPDATE sqlite_master SET sql = replace(sql, '{old}', '{new}') WHERE name = '{table}'"
    )


def _zeros(connection: sqlite3.Connection) -> None:
    packed = zlib.compress(bytes(ZEROS_BYTES), 9)
    connection.execute("UPDATE cycle SET light = ?", (packed,))


def _empty_records(size_bytes: int) -> Change:
    def change(connection: sqlite3.Connection) -> None:
        packed = zlib.compress(b"[" + b"{}," * (size_bytes // 3) + b"{}]", 9)
        connection.execute("UPDATE cycle SET records = ?, dictionary = NULL", (packed,))

    return change


def _record_of(source: int) -> Change:
    """Let all OS records be of that place in the list of logs."""

    def change(connection: sqlite3.Connection) -> None:
        (dictionary,) = connection.execute("SELECT max(bytes) FROM dictionary").fetchone()
        rows = connection.execute("SELECT number, dictionary, records FROM cycle").fetchall()
        for number, packed_with, packed in rows:
            words = dictionary if packed_with else b""
            records = json.loads(encoding.inflate(packed, words, "OS records"))
            plain = json.dumps([{**record, "source": source} for record in records]).encode()
            values = (encoding.deflate(plain, words), number)
            connection.execute("UPDATE cycle SET records = ? WHERE number = ?", values)

    return change


def _brackets(table: str, column: str) -> Change:
    nested = "[" * BRACKETS + "]" * BRACKETS
    return lambda connection: _set(connection, table, column, nested)


def _set(connection: sqlite3.Connection, table: str, column: str, value: object) -> None:
    connection.execute(f"UPDATE {table} SET {column} = ?", (value,))


def _many_tables(connection: sqlite3.Connection) -> None:
    for number in range(200):
        connection.execute(f"CREATE TABLE t{number} (a)")


# What each store has, and what the sentence that refuses it says.
HOSTILE: Final[dict[str, tuple[Change, str]]] = {
    "view-as-cycle": (_as_view("cycle"), "it has the 'view' 'cycle'"),
    "view-as-identity": (_as_view("identity"), "it has the 'view' 'identity'"),
    "trigger": (
        _sql(
            "CREATE TRIGGER t AFTER INSERT ON session BEGIN "
            "DELETE FROM cycle; UPDATE identity SET value = zeroblob(1000000000); END"
        ),
        "it has the 'trigger' 't'",
    ),
    "index": (_sql("CREATE INDEX i ON cycle (outcome)"), "it has the 'index' 'i'"),
    "virtual-table": (_sql("CREATE VIRTUAL TABLE v USING fts5(a)"), "a store has not"),
    "virtual-cycle": (
        _sql("ALTER TABLE cycle RENAME TO was", "CREATE VIRTUAL TABLE cycle USING fts5(number)"),
        "could not open the store",
    ),
    "generated-column": (
        _unlike(
            "cycle",
            "light BLOB NOT NULL",
            "light BLOB GENERATED ALWAYS AS (zeroblob(900000000)) VIRTUAL",
        ),
        "its table cycle has other columns",
    ),
    "check-constraint": (
        _unlike("session", "host TEXT NOT NULL", "host TEXT CHECK (length(zeroblob(9e8)) > host)"),
        "its table session has other columns",
    ),
    "200-tables": (_many_tables, "its definitions are longer than those of a store"),
    "cycle-2^63-1": (
        _sql("UPDATE cycle SET number = 9223372036854775807 WHERE number = 2"),
        "it has a cycle 9223372036854775807",
    ),
    "cycle-minus": (_sql("UPDATE cycle SET number = -5 WHERE number = 2"), "it has a cycle -5"),
    "brackets-in-identity": (_brackets("identity", "value"), "nested without end"),
    "brackets-in-commands": (_brackets("cycle", "commands"), "nested without end"),
    "brackets-in-findings": (_brackets("cycle", "findings"), "nested without end"),
    "brackets-in-session": (_brackets("session", "log"), "nested without end"),
    "zeros-as-light": (_zeros, "of a cycle are cut short, or over"),
    "records-without-end": (_empty_records(ZEROS_BYTES), "of a cycle are cut short, or over"),
    "records-without-text": (_empty_records(ZEROS_BYTES // 3), "than any campaign has"),
    "record-of-no-log": (_record_of(2**71), "an OS record is of source 2361183241434822606848"),
    "light-of-hours": (
        lambda connection: _set(connection, "cycle", "light", zlib.compress(bytes(18 * 10**6))),
        "of a cycle are cut short, or over",
    ),
    "text-as-time": (_sql("UPDATE cycle SET started_host_ns = 'noon'"), "is of type str"),
    "time-beyond-all": (
        _sql(
            "UPDATE cycle SET started_host_ns = -9223372036854775808, "
            "ended_host_ns = 9223372036854775807"
        ),
        "which is no time",
    ),
    "number-as-edges": (_sql("UPDATE cycle SET edges = 7"), "edges is of type int"),
    "bytes-as-why": (
        _sql("INSERT INTO recovery VALUES (1, 1, 1, x'05', 1, '[]', x'', 'press', 0)"),
        "why is of type",
    ),
    "huge-number-in-plan": (
        _sql(
            'UPDATE identity SET value = replace(value, \'"cycles":3\', \'"cycles":3'
            + "0" * 4000
            + "') WHERE name = 'plan'"
        ),
        "more than 72 bits",
    ),
}


def flip_an_outcome(path: Path) -> None:
    """Flip one bit of the outcome of the last cycle, as a bad disk does."""
    content = bytearray(path.read_bytes())
    # SQLite may leave an old copy of a row in front of it, which nobody reads.
    at = content.rindex(b"slept-and-woke")
    content[at + 3] ^= 1
    path.write_bytes(content)


def beside(path: Path, suffix: str, *, pipe: bool) -> None:
    """Put a pipe, or a link, where SQLite keeps a file of its own."""
    name = path.with_name(path.name + suffix)
    if pipe:
        os.mkfifo(name)
    else:
        name.symlink_to("/etc/hostname")
