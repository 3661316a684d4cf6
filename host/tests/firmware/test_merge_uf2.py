"""One UF2 holds the bootloader and the image, and is one that `firmware install` takes."""

import importlib.util
import struct
from pathlib import Path
from types import ModuleType

import pytest

from resume_rig.rig.update.image import Family, parse_uf2

SCRIPT = Path(__file__).resolve().parents[3] / "firmware/scripts/merge_uf2.py"
FLASH = 0x1000_0000
AREAS = {
    "boot": range(FLASH + 0x100, FLASH + 0x10000),
    "slot0": range(FLASH + 0x10000, FLASH + 0x90000),
    "slot1": range(FLASH + 0x90000, FLASH + 0x110000),
    "scratch": range(FLASH + 0x110000, FLASH + 0x120000),
}
# A second stage of zeros and its checksum, which is that of 252 of them.
SECOND_STAGE = bytes(252) + struct.pack("<I", 0x7065399A)


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("merge_uf2", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_merged_is_what_install_takes(tool: ModuleType) -> None:
    bootloader, image = SECOND_STAGE + b"boot" * 100, b"image" * 1000
    found = tool.merged(bootloader, image, AREAS)
    parsed = parse_uf2(tool.uf2(found), "merged.uf2")
    assert (parsed.family, parsed.pages) == (Family.RP2040, len(found))
    flash = b"".join(found[address] for address in sorted(found) if address < FLASH + 0x10000)
    assert flash.startswith(bootloader)
    slot = b"".join(found.get(FLASH + 0x10000 + at, b"") for at in range(0, 8192, 256))
    assert slot.startswith(image)


def test_what_a_swap_left_behind_is_blank(tool: ModuleType) -> None:
    found = tool.merged(SECOND_STAGE, b"x", AREAS)
    for start in (0x8F000, 0x10F000, 0x11F000, 0x90000):
        pages = [found[FLASH + start + at] for at in range(0, 4096, 256)]
        assert set(pages) == {b"\xff" * 256}


@pytest.mark.parametrize(
    ("bootloader", "image", "sentence"),
    [
        (bytes(0x10001), b"", "the bootloader has 65537 bytes, and its place 65536"),
        (b"", bytes(0x80000), "the image has 524288 bytes, and its slot 524288"),
    ],
    ids=["bootloader", "image"],
)
def test_what_does_not_fit_is_refused(
    tool: ModuleType, bootloader: bytes, image: bytes, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        tool.merged(bootloader, image, AREAS)
