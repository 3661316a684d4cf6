"""Files that are no log whatever they hold: told by their first bytes, before a reader is asked.

A campaign store and an archive may hold Event XML, and a reader of text would find events there.
"""

from collections.abc import Mapping
from typing import Final

_STORE_ID_AT: Final = 68
_STORE_ID: Final = b"RRIG"
_SQLITE: Final = b"SQLite format 3\0"
_SIGNATURES: Final[Mapping[bytes, str]] = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"PK\x03\x04": "a ZIP archive",
    b"%PDF": "a PDF document",
    _SQLITE: "an SQLite file",
    b"\x7fELF": "an ELF program",
}


def foreign_kind(head: bytes) -> str | None:
    """Return what a file is that is certainly no log, from its beginning; None where it may be."""
    if head.startswith(_SQLITE) and head[_STORE_ID_AT:].startswith(_STORE_ID):
        return "a campaign store (`resume-rig correlate` and `report` judge stores)"
    return next((name for mark, name in _SIGNATURES.items() if head.startswith(mark)), None)
