"""A UF2 is taken when its chip would start it; all others are refused in one sentence."""

import struct
from collections.abc import Callable

import pytest

from resume_rig.model.errors import UsageError
from resume_rig.rig.update.image import Family, parse_uf2

FLASH = 0x1000_0000
SECOND_STAGE = bytes(252) + struct.pack("<I", 0x7065399A)


def block(number: int, total: int, address: int, page: bytes, family: int = Family.RP2040) -> bytes:
    head = (0x0A324655, 0x9E5D5157, 0x2000, address, 256, number, total, family)
    return struct.pack("<8I", *head) + page.ljust(476, b"\0") + struct.pack("<I", 0x0AB16F30)


GOOD = block(0, 2, FLASH, SECOND_STAGE) + block(1, 2, FLASH + 256, b"program")


def put(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def test_a_whole_one_is_taken() -> None:
    image = parse_uf2(GOOD, "good.uf2")
    assert (image.family, image.pages, image.data) == (Family.RP2040, 2, GOOD)


def test_one_for_a_pico_2_names_its_drive() -> None:
    image = parse_uf2(block(0, 1, FLASH, b"vectors", Family.RP2350), "pico2.uf2")
    assert image.family.board_id == "RP2350"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "it has 0 bytes"),
        (GOOD[:-1], "it has 1023 bytes, and a UF2 has blocks of 512"),
        (GOOD[:512], "block 0 of 1 calls itself 0 of 2: it was cut"),
        (put(GOOD, 512, b"ELF!"), "block 1 of 2 lacks the marks of a UF2"),
        (put(GOOD, 1020, b"\0"), "block 1 of 2 lacks the marks of a UF2"),
        (put(GOOD, 512 + 12, struct.pack("<I", 0x2000_0000)), "block 1 holds 256 bytes for 0x2000"),
        (put(GOOD, 512 + 16, struct.pack("<I", 476)), "block 1 holds 476 bytes"),
        (put(GOOD, 512 + 28, struct.pack("<I", 7)), "it is for the chip family 0x00000007, 0xe48b"),
        (put(GOOD, 32, b"\1"), "the checksum of its second stage is wrong"),
        (block(0, 1, FLASH + 0x10000, b"slot"), "it leaves the start of the flash alone"),
    ],
)
def test_others_are_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        parse_uf2(data, "bad.uf2")
    assert str(caught.value).startswith("bad.uf2 is no firmware to install: ")


@pytest.mark.parametrize("flaw", [lambda at: put(GOOD, at, bytes([GOOD[at] ^ 0xFF]))])
def test_a_flipped_byte_never_raises_anything_else(flaw: Callable[[int], bytes]) -> None:
    for at in range(len(GOOD)):
        try:
            parse_uf2(flaw(at), "flipped.uf2")
        except UsageError:
            continue
