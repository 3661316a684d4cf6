"""Checksums over a cycle's row: SQLite has none of its own, and a flipped bit would pass for data.

CRC-32 finds damage, not forgery; the manifest of an export is for that.
"""

import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from resume_rig.campaign.store_rows import CYCLE_COLUMNS, Value

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
    return tuple(name for name, told, now in parts if told is not None and told != now)


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
