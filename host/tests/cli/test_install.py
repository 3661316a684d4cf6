"""`resume-rig firmware install`, as a person uses it, with a folder for the board's drive."""

import struct
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Queue

import pytest

from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.serve import serve_tcp
from resume_rig.timing.clocks import SystemClock

SECOND_STAGE = bytes(252) + struct.pack("<I", 0x7065399A)
UF2 = (
    struct.pack("<8I", 0x0A324655, 0x9E5D5157, 0x2000, 0x10000000, 256, 0, 1, 0xE48BFF56)
    + SECOND_STAGE.ljust(476, b"\0")
    + struct.pack("<I", 0x0AB16F30)
)


@pytest.fixture
def image(folder: Path) -> Path:
    (folder / "pico.uf2").write_bytes(UF2)
    return folder / "pico.uf2"


@pytest.fixture
def drive(folder: Path) -> Path:
    place = folder / "RPI-RP2"
    place.mkdir()
    (place / "INFO_UF2.TXT").write_text("Board-ID: RPI-RP2\r\n", encoding="ascii", newline="")
    return place


def start_when_written(drive: Path) -> None:
    copy = drive / "resume-rig.uf2"
    while not copy.exists() or copy.stat().st_size < len(UF2):
        time.sleep(0.01)
    gone = False
    while not gone:  # Windows removes no file that somebody has open, and the program looks at it
        with suppress(PermissionError):
            (drive / "INFO_UF2.TXT").unlink()
            gone = True


def test_the_image_is_copied_and_the_board_starts_it(command, image: Path, drive: Path) -> None:
    rom = threading.Thread(target=start_when_written, args=[drive])
    rom.start()
    said = command("firmware", "install", str(image), "--drive", str(drive), "--json")
    rom.join()
    assert said.status == 0
    assert said.document == {
        "schema": "resume-rig/firmware-install/1",
        "image": {"path": str(image), "family": "RP2040", "pages": 1, "size_bytes": 512},
        "drive": str(drive),
        "board": None,
        "firmware": None,
    }
    assert (drive / "resume-rig.uf2").read_bytes() == UF2


def test_without_a_drive_it_says_what_to_do(command, image: Path) -> None:
    said = command("firmware", "install", str(image), "--drive", "nowhere", "--wait", "0")
    assert said.status == 3
    assert "hold BOOTSEL down" in said.err
    assert said.out == ""


def test_what_is_no_uf2_is_refused_before_anything_is_asked(command, drive: Path) -> None:
    (drive.parent / "x.bin").write_bytes(b"\x7fELF" * 128)
    said = command("firmware", "install", "x.bin", "--rig", "serial:/dev/null")
    assert said.status == 2
    assert "x.bin is no firmware to install: block 0 of 1 lacks the marks of a UF2" in said.err


def test_a_board_of_another_chip_is_left_alone(command, image: Path) -> None:
    ready: Queue[str] = Queue()
    stop = threading.Event()
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), 1)
    serve = partial(serve_tcp, bench, "127.0.0.1", 0, ready.put, stop)
    thread = threading.Thread(target=serve)
    thread.start()
    try:
        url = f"rfc2217:{ready.get(timeout=10)}"
        said = command("firmware", "install", str(image), "--rig", url)
    finally:
        stop.set()
        thread.join(10)
    assert said.status == 2
    assert "and the image is for RP2040" in said.err
