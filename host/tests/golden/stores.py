"""What a campaign store holds, as text: SQLite's own bytes depend on its version."""

import sqlite3
import zlib
from pathlib import Path


def dump(path: str) -> str:
    """Return schema and rows of a store; bytes as their length and CRC-32."""
    connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)
    try:
        lines = [
            f"application {connection.execute('PRAGMA application_id').fetchone()[0]},"
            f" version {connection.execute('PRAGMA user_version').fetchone()[0]}"
        ]
        tables = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
        ).fetchall()
        for name, sql in tables:
            lines.append(" ".join(sql.split()))
            if sql.startswith("CREATE TABLE"):
                rows = connection.execute(f'SELECT * FROM "{name}" ORDER BY 1')
                lines += [f"{name} " + " | ".join(map(_text, row)) for row in rows]
    finally:
        connection.close()
    return "\n".join(lines) + "\n"


def machine(path: str) -> list[str]:
    """Return what a store says of the machine and the version that wrote it."""
    connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT DISTINCT host, software FROM session").fetchall()
    finally:
        connection.close()
    return [text for row in rows for text in row]


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return f"{len(value)} bytes {zlib.crc32(value):08x}"
    return repr(value)
