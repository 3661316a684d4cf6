"""A UF2 file for a board's bootloader in ROM, checked before anything of it is copied; no I/O.

The format is Microsoft's (https://github.com/microsoft/uf2): blocks of 512 bytes, each with where
its 256 bytes go. What the ROM makes of it is Raspberry Pi's: RP2040 datasheet, section 2.8.4.2.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum, unique
from typing import Final

from resume_rig.model.errors import UsageError

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

_ALLOWED: Final = "allowed is a UF2 for a Pico (make firmware BOARD=rpi_pico makes one)"


@unique
class Family(IntEnum):
    """The chips that a UF2 can be for."""

    RP2040 = 0xE48BFF56
    RP2350 = 0xE48BFF59

    @property
    def board_id(self) -> str:
        """Return what INFO_UF2.TXT of such a chip's drive says."""
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
        raise _refused(name, f"it has {len(data)} bytes, and a UF2 has blocks of {_BLOCK_BYTES}")
    blocks = len(data) // _BLOCK_BYTES
    families: set[int] = set()
    start: bytes | None = None
    for number in range(blocks):
        at = number * _BLOCK_BYTES
        *marks, flags, address, length, own, total, family = _HEAD.unpack_from(data, at)
        (end,) = struct.unpack_from("<I", data, at + _BLOCK_BYTES - 4)
        if (*marks, end) != (*_MARKS, _END_MARK):
            raise _refused(name, f"block {number} of {blocks} lacks the marks of a UF2")
        if (own, total) != (number, blocks):
            raise _refused(
                name, f"block {number} of {blocks} calls itself {own} of {total}: it was cut"
            )
        if length != _PAGE_BYTES or address % _PAGE_BYTES or address not in _FLASH:
            raise _refused(name, f"block {number} holds {length} bytes for 0x{address:08x}")
        families.add(family if flags & _HAS_FAMILY else 0)
        if address == _FLASH.start:
            start = data[at + _HEAD.size : at + _HEAD.size + _PAGE_BYTES]
    return Uf2Image(_checked_family(families, start, name), blocks, data)


def _checked_family(families: set[int], start: bytes | None, name: str) -> Family:
    """Return the one chip that the file is for and that would start it."""
    if len(families) > 1 or not families <= set(Family):
        found = ", ".join(f"0x{family:08x}" for family in sorted(families))
        raise _refused(name, f"it is for the chip family {found}")
    family = Family(families.pop())
    if start is None:
        raise _refused(
            name,
            "it leaves the start of the flash alone, so the chip would not start it (an image for "
            "MCUboot's slot alone goes over SMP: resume-rig firmware update)",
        )
    # RP2040 datasheet, section 2.8.1.3.1: the ROM checks the second stage before it jumps there.
    if family is Family.RP2040 and _crc32_mpeg(start[:-4]) != int.from_bytes(start[-4:], "little"):
        raise _refused(name, "the checksum of its second stage is wrong: the chip would not start")
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


def _refused(name: str, found: str) -> UsageError:
    return UsageError(f"{name} is no firmware to install: {found}; {_ALLOWED}")
