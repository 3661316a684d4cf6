"""The real firmware image on native_sim, with its wires in the test's hands."""

import os
import select
import shutil
import socket
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import pytest

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import LinkLost
from resume_rig.rig.commands.board import EchoRequest
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.serial_transport import open_serial
from resume_rig.timing.clocks import SystemClock

PATIENCE_S: Final = 60.0
MESSAGE: Final = struct.Struct("=QII")
"""CLOCK_MONOTONIC_RAW [ns], 0 for at once; mask; values. The same both ways."""

INPUTS: Final = {channel: bit for bit, channel in enumerate(Channel)}
OUTPUTS: Final = {Actuator.BUTTON: 16, Actuator.LID: 17}
LOAD: Final = 30
LIGHT: Final = 31
"""Pins as in firmware/boards/native_sim.overlay."""


@dataclass(frozen=True, slots=True)
class Output:
    """An output that changed, at a CLOCK_MONOTONIC_RAW."""

    host_ns: int
    actuator: Actuator
    driven: bool


class Wires:
    """The far end of the board's wires."""

    def __init__(self, board: Path, own: Path) -> None:
        self._board = str(board)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(own))
        self._unread: list[Output] = []

    def say_hello(self) -> None:
        """Let the board know whom to report its outputs to."""
        self._socket.sendto(MESSAGE.pack(0, 0, 0), self._board)

    def set(self, channel: Channel, level: int, host_ns: int = 0) -> None:
        """Put a level on a wire, at a CLOCK_MONOTONIC_RAW or at once."""
        bit = 1 << INPUTS[channel]
        self._socket.sendto(MESSAGE.pack(host_ns, bit, bit if level else 0), self._board)

    def set_light_mv(self, value_mv: int, host_ns: int = 0) -> None:
        """Put a voltage on the photodiode's ADC channel, 0 to 65535 mV."""
        self._socket.sendto(MESSAGE.pack(host_ns, 1 << LIGHT, value_mv), self._board)

    def set_load_mw(self, load_mw: int) -> None:
        """Let the DUT draw a power from now on."""
        self._socket.sendto(MESSAGE.pack(0, 1 << LOAD, load_mw), self._board)

    def next_output(self) -> Output:
        """Wait for the next change of an output."""
        while not self._unread:
            ready, _, _ = select.select([self._socket], [], [], PATIENCE_S)
            assert ready, "no output changed"
            host_ns, mask, values = MESSAGE.unpack(self._socket.recv(64))
            self._unread += [
                Output(host_ns, actuator, bool(values >> pin & 1))
                for actuator, pin in OUTPUTS.items()
                if mask >> pin & 1
            ]
        return self._unread.pop(0)

    def outputs(self) -> dict[Actuator, bool]:
        """Wait for the present level of every output, as somebody new is told."""
        found: dict[Actuator, bool] = {}
        while len(found) < len(OUTPUTS):
            output = self.next_output()
            found[output.actuator] = output.driven
        return found

    def close(self) -> None:
        self._socket.close()


@dataclass(frozen=True, slots=True)
class NativeBoard:
    """A running image, and a rig on it."""

    wires: Wires
    port: Path
    clock: SystemClock
    client: SmpClient
    rig: SmpRig

    @classmethod
    def connect(cls, wires: Wires, port: Path) -> Self:
        clock = SystemClock()
        client = SmpClient(open_serial(str(port), clock, f"serial:{port}"), clock)
        return cls(wires, port, clock, client, SmpRig(client))

    def sleep_until(self, host_ns: int) -> None:
        """Sleep, then wait for a board that a busy machine keeps from getting there.

        An echo renews no lease.
        """
        self.clock.sleep_ns(max(0, host_ns - self.clock.now_ns()))
        end_ns = self.clock.now_ns() + int(PATIENCE_S * 1e9)
        while True:
            try:
                self.client.request(EchoRequest("there?"))
            except LinkLost:
                if self.clock.now_ns() > end_ns:
                    raise
            else:
                return

    def host_ns_of_boot(self) -> int:
        """Return the host's time of board time 0, by a press whose start both sides know."""
        start_ns = self.rig.press(Actuator.BUTTON, 1_000_000).start_ns
        pressed, released = self.wires.next_output(), self.wires.next_output()
        assert (pressed.driven, released.driven) == (True, False)
        return pressed.host_ns - start_ns


@pytest.fixture(scope="session")
def native_image() -> Path:
    named = os.environ.get("RESUME_RIG_NATIVE")
    if not named:
        pytest.skip("RESUME_RIG_NATIVE names no firmware image built for native_sim")
    image = Path(named)
    assert image.is_file(), f"RESUME_RIG_NATIVE names {image}, which is no file"
    return image


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path: a socket's name has 107 bytes at most."""
    path = Path(tempfile.mkdtemp(prefix="rig"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def native_port(native_image: Path, folder: Path) -> Iterator[Path]:
    """The link to the pseudo-terminal of a board that has booted."""
    port = folder / "smp"
    arguments = [str(native_image), f"--rig-link={port}", f"--rig-wires={folder / 'wires'}"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            while "resume-rig" not in (line := process.stdout.readline()):
                assert line, "the image ended before the rig had started"
                assert "Could not start" not in line, line
            yield port
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
    assert not port.exists()


@pytest.fixture
def wires(native_port: Path, folder: Path) -> Iterator[Wires]:
    far_end = Wires(folder / "wires", folder / "test")
    far_end.say_hello()
    assert not any(far_end.outputs().values())
    yield far_end
    far_end.close()


@pytest.fixture
def connect(native_port: Path, wires: Wires) -> Callable[[], NativeBoard]:
    return lambda: NativeBoard.connect(wires, native_port)


@pytest.fixture
def native(connect: Callable[[], NativeBoard]) -> Iterator[NativeBoard]:
    board = connect()
    yield board
    board.rig.close()


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Wait until something holds."""
    clock = SystemClock()

    def wait(holds: Callable[[], bool]) -> None:
        end_ns = clock.now_ns() + int(PATIENCE_S * 1e9)
        while not holds():
            assert clock.now_ns() < end_ns, "it did not come about"
            clock.sleep_ns(1_000_000)

    return wait
