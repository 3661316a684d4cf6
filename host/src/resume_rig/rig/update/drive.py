"""The drive that a board shows while its bootloader in ROM runs: found, written, awaited to go.

It is a FAT file system that the ROM makes up: it has INFO_UF2.TXT, takes one UF2, starts what was
written and is gone, often before the system has closed the file.
"""

import errno
import os
import re
import string
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resume_rig.model.clock import Clock
from resume_rig.model.errors import RigError
from resume_rig.rig.update.image import Uf2Image

_INFO: Final = "INFO_UF2.TXT"
_INFO_BYTES: Final = 4096
_MOUNTS: Final = Path("/proc/self/mounts")
_BY_LABEL: Final = Path("/dev/disk/by-label")
_LABELS: Final = ("RPI-RP2", "RP2350")
_PAUSE_NS: Final = 250_000_000
# Assumed: decides when a board that does not start is given up; 2 MB at 64 kB/s are 31 s.
_START_NS: Final = 40_000_000_000
# What a write ends with when the board has started, and its drive is gone.
_GONE: Final = frozenset({errno.EIO, errno.ENODEV, errno.ENXIO, errno.ENOENT, errno.EINVAL})


@dataclass(frozen=True, slots=True)
class BoardDrive:
    """A drive whose INFO_UF2.TXT names a board.

    Attributes:
        board_id: e.g. "RPI-RP2".
    """

    path: Path
    board_id: str


def mounted() -> tuple[Path, ...]:
    """Return where drives are mounted that may be a board's: FAT on Linux, all elsewhere."""
    if sys.platform == "win32":
        return tuple(Path(f"{letter}:\\") for letter in string.ascii_uppercase)
    if not _MOUNTS.exists():
        volumes = Path("/Volumes")
        return tuple(sorted(volumes.iterdir())) if volumes.is_dir() else ()
    return mounts_of(_MOUNTS.read_text("utf-8", "surrogateescape"))


def mounts_of(table: str) -> tuple[Path, ...]:
    """Return where the table of mounts (fstab(5)'s form) has FAT."""
    found = []
    for line in table.splitlines():
        _, place, kind, *_ = [*line.split(" "), "", "", ""]
        if kind in {"vfat", "msdos"}:
            # Blanks and the like stand as octal numbers.
            found.append(Path(re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), place)))
    return tuple(found)


def board_drives(places: Iterable[Path]) -> tuple[BoardDrive, ...]:
    """Return those of the places that are a board's drive."""
    found = []
    for place in places:
        try:
            with (place / _INFO).open("rb") as stream:
                text = stream.read(_INFO_BYTES).decode("ascii", "replace")
        except OSError:
            continue  # another drive, an empty card reader, or one that is gone again
        named = re.search(r"^Board-ID:[ \t]*([\w-]{1,40})\s*$", text, re.M)
        if named is not None:
            found.append(BoardDrive(place, named[1]))
    return tuple(found)


def one_drive(drives: tuple[BoardDrive, ...], image: Uf2Image) -> BoardDrive | None:
    """Return the one drive that the image is for; None while there is none.

    Raises:
        RigError: there are several, or it is another chip's.
    """
    fitting = [drive for drive in drives if drive.board_id == image.family.board_id]
    if len(fitting) > 1:
        names = ", ".join(str(drive.path) for drive in fitting)
        raise RigError(
            f"could not choose where to copy to: {len(fitting)} boards wait for an image, at "
            f"{names}; name one with --drive"
        )
    if drives and not fitting:
        raise RigError(
            f"could not install: the drive at {drives[0].path} is of a {drives[0].board_id}, and "
            f"the image is for {image.family.board_id}"
        )
    return fitting[0] if fitting else None


def await_drive(image: Uf2Image, clock: Clock, wait_ns: int, named: Path | None) -> BoardDrive:
    """Return the board's drive once it is there.

    Args:
        image: that is to be copied.
        clock: real time.
        wait_ns: how long to look.
        named: where it is; None: look at all drives.

    Raises:
        RigError: there is none in time, or not one alone, or it is another chip's.
    """
    deadline_ns = clock.now_ns() + wait_ns
    while True:
        drive = one_drive(board_drives(mounted() if named is None else (named,)), image)
        if drive is not None:
            return drive
        if clock.now_ns() >= deadline_ns:
            raise RigError(_absent(image, named, wait_ns))
        clock.sleep_ns(_PAUSE_NS)


def _absent(image: Uf2Image, named: Path | None, wait_ns: int) -> str:
    where = f"{named} is no such drive" if named else "no drive has INFO_UF2.TXT of such a board"
    sentence = (
        f"could not find the drive {image.family.board_id} within {wait_ns / 1e9:g} s: {where}"
    )
    present = [label for label in _LABELS if (_BY_LABEL / label).exists()]
    if present and named is None:
        device = _BY_LABEL / present[0]
        return f"{sentence}; it is plugged in and not mounted: udisksctl mount -b {device}"
    return (
        f"{sentence}; hold BOOTSEL down while you plug the board in, or name its port with --rig "
        "where it runs this firmware already"
    )


def install(image: Uf2Image, drive: BoardDrive, clock: Clock) -> None:
    """Copy the image, and wait until the board starts it: then its drive is gone.

    Raises:
        RigError: the drive does not take it, or stays.
    """
    target = drive.path / "resume-rig.uf2"
    written = 0
    try:
        with target.open("wb", buffering=0) as stream:
            while written < len(image.data):
                written += stream.write(image.data[written : written + (64 << 10)]) or 0
            os.fsync(stream.fileno())
    except OSError as error:
        # The ROM starts the image with its last block, so the end of a good copy may fail.
        if written < len(image.data) or error.errno not in _GONE:
            raise RigError(
                f"could not copy to {target}: {error.strerror or error} after {written} of "
                f"{len(image.data)} bytes; unplug the board, hold BOOTSEL down while you plug it "
                "in again, and repeat"
            ) from error
    deadline_ns = clock.now_ns() + _START_NS
    while board_drives((drive.path,)):
        if clock.now_ns() >= deadline_ns:
            raise RigError(
                f"the board did not start the image: its drive is still at {drive.path} after "
                f"{_START_NS / 1e9:g} s; is its flash smaller than the image needs?"
            )
        clock.sleep_ns(_PAUSE_NS)
