"""The board's drive is found, written and seen to go; what goes wrong is one sentence."""

import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from resume_rig.model.errors import RigError
from resume_rig.rig.update import drive as drives
from resume_rig.rig.update.drive import BoardDrive, await_drive, board_drives, install, mounts_of
from resume_rig.rig.update.image import Family, Uf2Image
from resume_rig.timing.clocks import SystemClock, VirtualClock

INFO = "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n"
IMAGE = Uf2Image(Family.RP2040, 2, bytes(1024))


def plug_in(folder: Path, info: str = INFO) -> Path:
    folder.mkdir()
    (folder / "INFO_UF2.TXT").write_text(info, encoding="ascii", newline="")
    return folder


def test_mounts_of_fat_are_looked_at_and_blanks_are_blanks() -> None:
    table = (
        "/dev/sda1 / ext4 rw 0 0\n"
        "/dev/sdb1 /media/me/RPI-RP2 vfat rw 0 0\n"
        "/dev/sdc1 /run/media/me/NO\\040NAME vfat rw 0 0\n"
        "\n"
    )
    assert mounts_of(table) == (Path("/media/me/RPI-RP2"), Path("/run/media/me/NO NAME"))


def test_only_a_drive_that_says_what_it_is_counts(tmp_path: Path) -> None:
    board = plug_in(tmp_path / "board")
    plug_in(tmp_path / "other", "Board-ID\n")
    (tmp_path / "stick").mkdir()
    places = [board, tmp_path / "other", tmp_path / "stick", tmp_path / "gone"]
    assert board_drives(places) == (BoardDrive(board, "RPI-RP2"),)


def test_a_drive_that_comes_late_is_found(tmp_path: Path) -> None:
    late = threading.Timer(0.3, plug_in, [tmp_path / "board"])
    late.start()
    found = await_drive(IMAGE, SystemClock(), 5 * 10**9, tmp_path / "board")
    late.join()
    assert found.path == tmp_path / "board"


def test_none_in_time_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RigError, match=r"within 2 s: .*no such drive; hold BOOTSEL down"):
        await_drive(IMAGE, VirtualClock(), 2 * 10**9, tmp_path / "none")


def test_two_boards_are_not_chosen_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = (plug_in(tmp_path / "one"), plug_in(tmp_path / "two"))
    monkeypatch.setattr(drives, "mounted", lambda: both)
    with pytest.raises(RigError, match=r"2 boards wait for an image.*name one with --drive"):
        await_drive(IMAGE, VirtualClock(), 0, None)


def test_another_chip_s_drive_is_refused(tmp_path: Path) -> None:
    plug_in(tmp_path / "pico2", "Board-ID: RP2350\n")
    with pytest.raises(RigError, match="is of a RP2350, and the image is for RPI-RP2"):
        await_drive(IMAGE, VirtualClock(), 0, tmp_path / "pico2")


def start_when_written(folder: Path) -> None:
    """What the ROM does: it starts the image with its last block, and the drive is gone."""
    target = folder / "resume-rig.uf2"
    while not target.exists() or target.stat().st_size < len(IMAGE.data):
        time.sleep(0.01)
    gone = False
    while not gone:  # Windows removes no file that somebody has open, and the program looks at it
        with suppress(PermissionError):
            (folder / "INFO_UF2.TXT").unlink()
            gone = True


def test_a_board_that_starts_took_the_image(tmp_path: Path) -> None:
    folder = plug_in(tmp_path / "board")
    rom = threading.Thread(target=start_when_written, args=[folder])
    rom.start()
    install(IMAGE, BoardDrive(folder, "RPI-RP2"), SystemClock())
    rom.join()
    assert (folder / "resume-rig.uf2").read_bytes() == IMAGE.data


def test_a_drive_that_stays_is_a_fault(tmp_path: Path) -> None:
    folder = plug_in(tmp_path / "board")
    with pytest.raises(RigError, match="did not start the image: its drive is still at"):
        install(IMAGE, BoardDrive(folder, "RPI-RP2"), VirtualClock())


def test_a_copy_that_fails_says_how_far_it_came(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    with pytest.raises(RigError, match=r"No such file or directory after 0 of 1024 bytes; unplug"):
        install(IMAGE, BoardDrive(folder, "RPI-RP2"), VirtualClock())
