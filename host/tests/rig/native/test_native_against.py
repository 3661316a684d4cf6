"""Two images of the real firmware see one wire: their stamps agree, by `selftest --against`."""

import json
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

import pytest

from resume_rig.model.channel import Channel

if sys.platform == "win32":
    pytest.skip("native_sim runs on Linux", allow_module_level=True)

MS: Final = 1_000_000
WIRE_NS: Final = 300 * MS
"""Ahead enough for a busy machine; changes that come in time are stamped with their own time."""
CHANNELS: Final = (Channel.PWR_OK, Channel.SLP_S3)
MESSAGE: Final = struct.Struct("=QII")
BUTTON: Final = 16
PULSES: Final = 20


@contextmanager
def image(program: Path, folder: Path, name: str) -> Iterator[tuple[str, str]]:
    """Run an image; yield the URL of its port, and its socket for wires."""
    port, wires = folder / name, folder / f"{name}.w"
    arguments = [str(program), f"--rig-link={port}", f"--rig-wires={wires}"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            while "resume-rig" not in (line := process.stdout.readline()):
                assert line, "the image ended before the rig had started"
            yield f"serial:{port}", str(wires)
        finally:
            process.terminate()
            process.wait(60)


class Wire:
    """From the second board's button output to two channels of both boards, 300 ms later."""

    def __init__(self, folder: Path, driver: str, boards: tuple[str, ...], late_ns: int) -> None:
        self._boards, self._late_ns = boards, late_ns
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / "wire"))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow)
        self._socket.sendto(MESSAGE.pack(0, 0, 0), driver)
        self._set(0, 0)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(10)
        self._socket.close()

    def _set(self, host_ns: int, level: int) -> None:
        for number, board in enumerate(self._boards):
            for channel in CHANNELS:
                bit = 1 << list(Channel).index(channel)
                late = host_ns > 0 and (number, channel) == (0, CHANNELS[1])
                at_ns = host_ns + self._late_ns * late
                self._socket.sendto(MESSAGE.pack(at_ns, bit, bit if level else 0), board)

    def _follow(self) -> None:
        while not self._stop.is_set():
            if not select.select([self._socket], [], [], 0.05)[0]:
                continue
            host_ns, mask, values = MESSAGE.unpack(self._socket.recv(64))
            if mask >> BUTTON & 1 and host_ns > 0:
                self._set(host_ns + WIRE_NS, values >> BUTTON & 1)


def compare(program: Path, late_ns: int) -> "subprocess.CompletedProcess[str]":
    folder = Path(tempfile.mkdtemp(prefix="rig"))
    try:
        with (
            image(program, folder, "a") as (ours, our_wires),
            image(program, folder, "b") as (theirs, their_wires),
            Wire(folder, their_wires, (our_wires, their_wires), late_ns),
        ):
            command = [sys.executable, "-m", "resume_rig", "selftest", "--json"]
            command += ["--rig", ours, "--against", theirs, "--no-dut", "--count", str(PULSES)]
            command += ["--loopback", f"BUTTON={','.join(CHANNELS)}"]
            return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    finally:
        shutil.rmtree(folder)


def test_two_images_agree_on_the_edges_of_one_wire(native_image: Path) -> None:
    ran = compare(native_image, 0)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = json.loads(ran.stdout)
    assert (found["ok"], found["complaint"]) == (True, None)
    assert [row["edges"] for row in found["channels"]] == [2 * PULSES] * 2
    # Both follow the host's clock, so there is no rate between them.
    assert found["rate_low_ppb"] <= 0 <= found["rate_high_ppb"]
    assert all(row["most_ns"] <= row["allowed_ns"] for row in found["channels"])


def test_a_channel_that_is_late_on_one_of_them_is_found(native_image: Path) -> None:
    ran = compare(native_image, 20_000)
    assert ran.returncode == 3, ran.stdout + ran.stderr
    found = json.loads(ran.stdout)
    first, second = found["channels"]
    assert second["mean_ns"] - first["mean_ns"] == pytest.approx(20_000, abs=1_000)
    assert found["complaint"].startswith("no rate of the clocks explains the stamps")
