"""Carries packets over a byte pipe that pyserial opened: serial, socket or RFC 2217.

One thread blocks in the port and stamps what arrives before anything else happens to it; packets
pass to the client through a queue. No polling stands between the port and the client: stock
smpclient looks every 5 ms, and that is its round trip.
"""

import contextlib
import logging
import queue
import select
import socket
import threading
from typing import Protocol

import serial

from resume_rig.model.clock import Clock
from resume_rig.model.errors import LinkLost
from resume_rig.rig.smp import framing
from resume_rig.rig.smp.transport import Arrival

logger = logging.getLogger(__name__)

_READ_BYTES = 4096
_JOIN_S = 2.0

POLL_S = 0.2
"""How long a port that cannot be selected on blocks in one read; only closing waits for it."""


class BytePipe(Protocol):
    """An open pyserial port, as far as it is used here; its read must not block for ever."""

    def fileno(self) -> int:
        """Return a descriptor for `select`; OSError where the port has none."""
        ...

    def read(self, size: int = 1, /) -> bytes:
        """Return up to `size` bytes, fewer when the port's timeout ends."""
        ...

    @property
    def in_waiting(self) -> int:
        """Return how many bytes can be read at once."""
        ...

    def write(self, b: bytes, /) -> int | None:
        """Write all bytes."""
        ...

    def close(self) -> None:
        """Close the port."""
        ...


class SerialTransport:
    """SMP over an open port. Starts its reader thread; `close` ends it and closes the port.

    Args:
        port: open, with a read timeout of 0 if it has a descriptor to select on, `POLL_S` if not.
        clock: stamps what is sent and what arrives.
        name: the URL that sentences name.
    """

    def __init__(self, port: BytePipe, clock: Clock, name: str) -> None:
        self._port = port
        self._clock = clock
        self._name = name
        self._arrivals: queue.SimpleQueue[Arrival | None] = queue.SimpleQueue()
        self._received_bytes = 0
        self._lost = ""
        self._stopping = threading.Event()
        self._wake_reader, self._woken = socket.socketpair()
        self._reader = threading.Thread(target=self._run, name=f"reader of {name}", daemon=True)
        self._reader.start()

    @property
    def name(self) -> str:
        """Return the URL that a sentence for the user names."""
        return self._name

    @property
    def received_bytes(self) -> int:
        """Return how many bytes came in so far, noise included."""
        return self._received_bytes

    def send(self, packet: bytes) -> int:
        """Send one packet and return the host clock [ns] just before it went to the port."""
        data = framing.encode(packet)
        if self._lost or self._stopping.is_set():
            raise LinkLost(self._lost or f"could not send to {self._name}: it is closed")
        t_ns = self._clock.now_ns()
        try:
            self._port.write(data)
        except serial.SerialTimeoutException as e:
            raise LinkLost(
                f"could not send {len(data)} bytes to {self._name}: the port takes nothing"
            ) from e
        except OSError as e:  # serial.SerialException is one
            raise LinkLost(self._lost_sentence(e)) from e
        return t_ns

    def receive(self, timeout_ns: int) -> Arrival | None:
        """Return the next packet; None when none came within `timeout_ns`."""
        try:
            arrival = self._arrivals.get(timeout=max(0, timeout_ns) / 1e9)
        except queue.Empty:
            return None
        if arrival is None:
            self._arrivals.put(None)  # whoever asks next hears of it too
            raise LinkLost(self._lost or f"could not read from {self._name}: it is closed")
        return arrival

    def close(self) -> None:
        """Stop the reader and close the port; may be called twice."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._wake_reader.close()
        self._reader.join(_JOIN_S)
        self._woken.close()
        with contextlib.suppress(OSError):
            self._port.close()

    def _run(self) -> None:
        """Read until told to stop or until the port is gone."""
        decoder = framing.Decoder()
        wait = self._read_selected if _can_select(self._port) else self._read_blocking
        try:
            while not self._stopping.is_set():
                data = wait()
                t_ns = self._clock.now_ns()
                self._received_bytes += len(data)
                for packet in decoder.feed(data):
                    self._arrivals.put(Arrival(packet, t_ns))
        except OSError as e:  # serial.SerialException is one
            self._lost = self._lost_sentence(e)
            logger.debug("%s", self._lost)
        finally:
            self._arrivals.put(None)

    def _read_selected(self) -> bytes:
        """Wait for readability, then take what is there: two system calls a reply."""
        woken = self._woken.fileno()
        ready, _, _ = select.select([self._port.fileno(), woken], [], [])
        return b"" if woken in ready else self._port.read(_READ_BYTES)

    def _read_blocking(self) -> bytes:
        """Block for the first byte, then take the rest (Windows ports, RFC 2217)."""
        first = self._port.read(1)
        waiting = self._port.in_waiting if first else 0
        return first + self._port.read(waiting) if waiting else first

    def _lost_sentence(self, cause: OSError) -> str:
        return f"lost {self._name}: the port is gone ({_one_line(cause)})"


def _can_select(port: BytePipe) -> bool:
    """Tell whether `select` can wait for the port; io.UnsupportedOperation is an OSError."""
    try:
        return port.fileno() >= 0
    except OSError:
        return False


def _one_line(error: OSError) -> str:
    return " ".join(str(error).split())[:200]
