"""Files of firmware, checked before anything of them leaves the host; no I/O.

An image for MCUboot ("Image Format" in its design document) is a header, the program, and two areas
of type-length-value entries, the first of which lies under the hash. A UF2 for a bootloader in ROM
(https://github.com/microsoft/uf2) is blocks of 512 bytes, each with where its 256 bytes go; what
the ROM makes of it is Raspberry Pi's: RP2040 datasheet, section 2.8.4.2.
"""

import hashlib
import struct
from dataclasses import dataclass
from enum import IntEnum, unique
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
        hash: SHA-256 of header, program and protected entries; what the board identifies it by.
        board: that it was built for; None where it names none.
        data: all bytes, to be sent.
    """

    version: str
    hash: bytes
    board: str | None
    data: bytes


def parse_image(data: bytes, name: str) -> FirmwareImage:
    """Return the image in `data`.

    Whether its signature is the right one only the board's bootloader can check, which has the key.

    Args:
        data: the whole file.
        name: of the file, for sentences.

    Raises:
        UsageError: no image for MCUboot, cut short, damaged, or not signed.
    """
    if len(data) < _HEADER.size or _HEADER.unpack_from(data)[0] != _MAGIC:
        start = data[:4].hex(" ") or "nothing"
        raise _refused(name, f"it starts with {start} and not with MCUboot's mark")
    _, _, header_bytes, protected_bytes, program_bytes, _, *numbers = _HEADER.unpack_from(data)
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
    build = numbers.pop()
    version = ".".join(map(str, [*numbers, build] if build else numbers))
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


MAX_UF2_BYTES: Final = 32 << 20
"""Twice the most flash that an RP2040 can have; what a file is read up to."""

_BLOCK_BYTES: Final = 512
_PAGE_BYTES: Final = 256
_HEAD: Final = struct.Struct("<8I")
_MARKS: Final = (0x0A324655, 0x9E5D5157)
_END_MARK: Final = 0x0AB16F30
_HAS_FAMILY: Final = 0x2000
_FLASH: Final = range(0x1000_0000, 0x1100_0000)
"""Where the flash of both families lies; 16 MiB are the most."""

_UF2_ALLOWED: Final = "allowed is a UF2 for a Pico (make firmware BOARD=rpi_pico makes one)"


@unique
class Family(IntEnum):
    """The chips that a UF2 can be for."""

    RP2040 = 0xE48BFF56
    RP2350 = 0xE48BFF59

    @property
    def board_id(self) -> str:
        """Return the Board-ID in INFO_UF2.TXT of such a chip's drive."""
        return "RPI-RP2" if self is Family.RP2040 else "RP2350"


@dataclass(frozen=True, slots=True)
class Uf2Image:
    """A UF2 whose form is right, and whose chip would start it.

    Attributes:
        pages: of flash that it writes, 256 bytes each.
        data: all bytes, to be copied.
    """

    family: Family
    pages: int
    data: bytes


def parse_uf2(data: bytes, name: str) -> Uf2Image:
    """Return the image in `data`.

    Args:
        data: the whole file.
        name: of the file, for sentences.

    Raises:
        UsageError: no UF2, cut short, for another chip, or one that no chip would start.
    """
    if not data or len(data) % _BLOCK_BYTES:
        raise _uf2_refused(
            name, f"it has {len(data)} bytes, and a UF2 has blocks of {_BLOCK_BYTES}"
        )
    blocks = len(data) // _BLOCK_BYTES
    families: set[int] = set()
    start: bytes | None = None
    for number in range(blocks):
        at = number * _BLOCK_BYTES
        *marks, flags, address, length, own, total, family = _HEAD.unpack_from(data, at)
        (end,) = struct.unpack_from("<I", data, at + _BLOCK_BYTES - 4)
        if (*marks, end) != (*_MARKS, _END_MARK):
            raise _uf2_refused(name, f"block {number} of {blocks} lacks the marks of a UF2")
        if (own, total) != (number, blocks):
            raise _uf2_refused(
                name, f"block {number} of {blocks} calls itself {own} of {total}: it was cut"
            )
        if length != _PAGE_BYTES or address % _PAGE_BYTES or address not in _FLASH:
            raise _uf2_refused(name, f"block {number} holds {length} bytes for 0x{address:08x}")
        families.add(family if flags & _HAS_FAMILY else 0)
        if address == _FLASH.start:
            start = data[at + _HEAD.size : at + _HEAD.size + _PAGE_BYTES]
    return Uf2Image(_checked_family(families, start, name), blocks, data)


def _checked_family(families: set[int], start: bytes | None, name: str) -> Family:
    """Return the one chip that the file is for and that would start it."""
    if len(families) > 1 or not families <= set(Family):
        found = ", ".join(f"0x{family:08x}" for family in sorted(families))
        raise _uf2_refused(name, f"it is for the chip family {found}")
    family = Family(families.pop())
    if start is None:
        raise _uf2_refused(
            name,
            "it leaves the start of the flash alone, so the chip would not start it (an image for "
            "MCUboot's slot alone goes over SMP: resume-rig firmware update)",
        )
    # RP2040 datasheet, section 2.8.1.3.1: the ROM checks the second stage before it jumps there.
    if family is Family.RP2040 and _crc32_mpeg(start[:-4]) != int.from_bytes(start[-4:], "little"):
        raise _uf2_refused(
            name, "the checksum of its second stage is wrong: the chip would not start"
        )
    return family


def _crc32_mpeg(data: bytes) -> int:
    """CRC-32 with polynomial 0x04C11DB7, not reflected, from all ones."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1) ^ (0x04C11DB7 if crc & 0x80000000 else 0)
            crc &= 0xFFFFFFFF
    return crc


def _uf2_refused(name: str, found: str) -> UsageError:
    return UsageError(f"{name} is no firmware to install: {found}; {_UF2_ALLOWED}")
