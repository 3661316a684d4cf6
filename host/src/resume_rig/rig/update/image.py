"""A firmware image for MCUboot, checked before anything of it is sent; no I/O.

The layout is MCUboot's ("Image Format" in its design document): a header, the program, and two
areas of type-length-value entries, the first of which lies under the hash.
"""

import hashlib
import struct
from dataclasses import dataclass
from typing import Final

from resume_rig.model.errors import UsageError

MAX_IMAGE_BYTES: Final = 16 << 20
"""More than any board's slot; what a file is read up to."""

_MAGIC: Final = 0x96F3B83D
_HEADER: Final = struct.Struct("<IIHHIIBBHI4x")
"""Magic, load address, header size, protected TLV bytes, program bytes, flags, version."""

_AREA: Final = struct.Struct("<HH")
_ENTRY: Final = struct.Struct("<HH")
_AREA_MAGIC: Final = 0x6907
_PROTECTED_MAGIC: Final = 0x6908

_SHA256: Final = 0x10
_SIGNATURES: Final = frozenset({0x20, 0x22, 0x23, 0x24})
_BOARD: Final = 0x00A0
"""Our own entry (firmware/Kconfig.rig): the board that the image was built for."""

_ALLOWED: Final = "allowed is an application signed for MCUboot (make firmware-mcuboot makes one)"


@dataclass(frozen=True, slots=True)
class FirmwareImage:
    """An image whose form and hash are right.

    Attributes:
        version: as MCUboot writes it, e.g. "1.2.3", or "1.2.3.4" with a build number.
        hash: SHA-256 of header, program and protected entries; what the board knows it by.
        board: that it was built for; None where it does not say so.
        data: all bytes, to be sent.
    """

    version: str
    hash: bytes
    board: str | None
    data: bytes


def parse_image(data: bytes, name: str) -> FirmwareImage:
    """Return the image in `data`.

    Whether its signature is the right one is for the board's bootloader to say, which has the key.

    Args:
        data: the whole file.
        name: of the file, for sentences.

    Raises:
        UsageError: no image for MCUboot, cut short, damaged, or not signed.
    """
    if len(data) < _HEADER.size or _HEADER.unpack_from(data)[0] != _MAGIC:
        start = data[:4].hex(" ") or "nothing"
        raise _refused(name, f"it starts with {start} and not with MCUboot's mark")
    _, _, header_bytes, protected_bytes, program_bytes, _, major, minor, revision, build = (
        _HEADER.unpack_from(data)
    )
    hashed_bytes = header_bytes + program_bytes + protected_bytes
    if header_bytes < _HEADER.size or hashed_bytes + _AREA.size > len(data):
        raise _refused(
            name, f"it has {len(data)} bytes where its header says at least {hashed_bytes}"
        )
    protected: dict[int, bytes] = {}
    if protected_bytes:
        area = data[header_bytes + program_bytes : hashed_bytes]
        protected = _entries(area, _PROTECTED_MAGIC, name)
    entries = _entries(data[hashed_bytes:], _AREA_MAGIC, name)
    digest = hashlib.sha256(data[:hashed_bytes]).digest()
    if _SHA256 not in entries:
        raise _refused(name, "it carries no SHA-256")
    if entries[_SHA256] != digest:
        raise _refused(name, "it is damaged: its SHA-256 is not the one that it carries")
    if not _SIGNATURES & entries.keys():
        raise _refused(name, "it is not signed")
    version = f"{major}.{minor}.{revision}" + (f".{build}" if build else "")
    return FirmwareImage(version, digest, _board(protected), data)


def _entries(area: bytes, magic: int, name: str) -> dict[int, bytes]:
    """Return the entries of one area; of a type that occurs twice, the last."""
    found: dict[int, bytes] = {}
    if len(area) < _AREA.size:
        raise _refused(name, "it is cut short in the entries behind the program")
    area_magic, area_bytes = _AREA.unpack_from(area)
    if area_magic != magic or not _AREA.size <= area_bytes <= len(area):
        raise _refused(name, "it is cut short, or damaged in the entries behind the program")
    position = _AREA.size
    while position < area_bytes:
        if position + _ENTRY.size > area_bytes:
            raise _refused(name, "an entry behind the program is cut short")
        kind, length = _ENTRY.unpack_from(area, position)
        position += _ENTRY.size
        if position + length > area_bytes:
            raise _refused(name, "an entry behind the program is cut short")
        found[kind] = area[position : position + length]
        position += length
    return found


def _board(protected: dict[int, bytes]) -> str | None:
    text = protected.get(_BOARD, b"").decode("ascii", "replace")
    return text if 0 < len(text) <= 100 and text.isprintable() else None


def _refused(name: str, found: str) -> UsageError:
    return UsageError(f"{name} is no firmware to send: {found}; {_ALLOWED}")
