"""Writes one UF2 with the bootloader and an image: merge_uf2.py BUILD SIGNED OUT.

BUILD holds `bootloader` and `app`, as `make firmware-mcuboot BOARD=rpi_pico` leaves them. The
bootloader goes to the start of the flash and the signed image into the slot that runs. What MCUboot
keeps of an earlier swap is blanked: a Pico that ran something else before starts this image.
"""

import os
import pickle
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

# UF2, https://github.com/microsoft/uf2: two marks in front, one behind, 256 bytes in each block.
MARKS: Final = (0x0A324655, 0x9E5D5157)
END_MARK: Final = 0x0AB16F30
HAS_FAMILY: Final = 0x2000
RP2040: Final = 0xE48BFF56
PAGE: Final = 256
SECTOR: Final = 4096
FLASH: Final = 0x1000_0000

Pages = dict[int, bytes]


def pages(address: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield whole pages of data that lies at an address, the last one filled as erased flash is."""
    for at in range(0, len(data), PAGE):
        yield address + at, data[at : at + PAGE].ljust(PAGE, b"\xff")


def partitions(build: Path, zephyr_base: Path) -> dict[str, range]:
    """Return where the partitions of an application lie in the address space."""
    sys.path.insert(0, str(zephyr_base / "scripts/dts/python-devicetree/src"))
    with (build / "zephyr/edt.pickle").open("rb") as stream:
        tree = pickle.load(stream)
    found = {}
    for name in ("boot", "slot0", "slot1", "scratch"):
        area = tree.label2node[f"{name}_partition"].regs[0]
        found[name] = range(FLASH + area.addr, FLASH + area.addr + area.size)
    return found


def last_sector(area: range) -> tuple[int, bytes]:
    """Return the end of an area, blank: where MCUboot keeps how far a swap is."""
    return area.stop - SECTOR, b"\xff" * SECTOR


def merged(bootloader: bytes, image: bytes, areas: dict[str, range]) -> Pages:
    """Return the pages of bootloader, image and what is to be blank.

    Raises:
        ValueError: one of them does not fit into its place.
    """
    room = areas["boot"].stop - FLASH
    if len(bootloader) > room:
        raise ValueError(f"the bootloader has {len(bootloader)} bytes, and its place {room}")
    if len(image) > len(areas["slot0"]) - SECTOR:
        raise ValueError(f"the image has {len(image)} bytes, and its slot {len(areas['slot0'])}")
    found: Pages = {}
    for name in ("slot0", "slot1", "scratch"):
        found.update(pages(*last_sector(areas[name])))
    # A header in the other slot would be an image to swap in.
    found.update(pages(areas["slot1"].start, b"\xff" * SECTOR))
    found.update(pages(FLASH, bootloader))
    found.update(pages(areas["slot0"].start, image))
    return found


def uf2(found: Pages, family: int = RP2040) -> bytes:
    """Return pages as a UF2, by their addresses."""
    blocks = []
    for number, address in enumerate(sorted(found)):
        head = (*MARKS, HAS_FAMILY, address, PAGE, number, len(found), family)
        body = found[address].ljust(476, b"\0")
        blocks.append(struct.pack("<8I", *head) + body + struct.pack("<I", END_MARK))
    return b"".join(blocks)


def main() -> int:
    """Merge and return 0, or say in one sentence why not."""
    build, signed, out = (Path(word) for word in sys.argv[1:4])
    areas = partitions(build / "app", Path(os.environ["ZEPHYR_BASE"]))
    bootloader = (build / "bootloader/zephyr/zephyr.bin").read_bytes()
    try:
        found = merged(bootloader, signed.read_bytes(), areas)
    except ValueError as error:
        sys.stderr.write(f"could not make {out.name}: {error}\n")
        return 2
    out.write_bytes(uf2(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
