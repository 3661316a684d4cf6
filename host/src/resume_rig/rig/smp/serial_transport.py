"""Opens the port that a rig URL names, serial, socket or RFC 2217, and carries packets over it.

One thread blocks in the port and stamps what arrives before anything else happens to it; packets
pass to the client through a queue. No polling stands between the port and the client: stock
smpclient looks every 5 ms, and that is its round trip.
"""

import errno
import logging
import os
import queue
import select
import socket
import sys
import threading
from contextlib import suppress
from typing import Final, Protocol

import serial
from serial.tools import list_ports
from serial.urlhandler import protocol_socket

from resume_rig.guard.door import BAUD, KnockingPort, bracketed, knock
from resume_rig.model.clock import Clock
from resume_rig.model.errors import LinkLost, UsageError
from resume_rig.rig.smp import framing
from resume_rig.rig.smp.client import Arrival

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

    Raises:
        LinkLost: the system has no more files for this process; the port is closed then.
    """

    def __init__(self, port: BytePipe, clock: Clock, name: str) -> None:
        self._port = port
        self._clock = clock
        self._name = name
        self._arrivals: queue.SimpleQueue[Arrival | None] = queue.SimpleQueue()
        self._received_bytes = 0
        self._lost = ""
        self._stopping = threading.Event()
        try:
            self._wake_reader, self._woken = socket.socketpair()
        except OSError as e:
            port.close()
            raise LinkLost(f"could not open {name}: {_why(e)}") from e
        self._reader = threading.Thread(target=self._run, name=f"reader of {name}", daemon=True)
        self._reader.start()

    @property
    def name(self) -> str:
        """Return the URL that a sentence for the user names."""
        return self._name

    @property
    def received_bytes(self) -> int:
        """Return how many bytes have come in, noise included."""
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
        with suppress(OSError):
            self._port.close()

    def _run(self) -> None:
        """Read until `close`, or until the port is gone."""
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
        return f"lost {self._name}: the port is gone ({_flat_text(cause)})"


def _can_select(port: BytePipe) -> bool:
    """Return whether `select` can wait for the port; io.UnsupportedOperation is an OSError."""
    try:
        return port.fileno() >= 0
    except OSError:
        return False


if sys.platform == "win32":
    _PORT_ERRORS: tuple[type[Exception], ...] = (OSError,)
else:
    import termios

    # termios.error is no OSError; pyserial lets it through when a PTY goes while it is opened.
    _PORT_ERRORS = (OSError, termios.error)

_WRITE_TIMEOUT_S: Final = 1.0


class _SocketPort(protocol_socket.Serial):
    """pyserial's TCP port; closes its socket also where the other end is gone already."""

    def close(self) -> None:
        """Close the port; pyserial forgets the socket unclosed where its shutdown fails."""
        socket = getattr(self, "_socket", None)
        super().close()
        if socket is not None:
            socket.close()


def open_serial(path: str, clock: Clock, name: str) -> SerialTransport:
    """Open a serial port for this process alone.

    Args:
        path: what the system calls the port, e.g. /dev/ttyACM0 or COM3.
        clock: stamps what is sent and what arrives.
        name: the rig URL that later sentences name.

    Raises:
        LinkLost: there is no such port, it is taken, or it is not a serial port.
        UsageError: the path is a URL, or no name of a port.
    """
    port = open_plain(path, POLL_S if sys.platform == "win32" else 0)
    return SerialTransport(port, clock, name)


def open_plain(path: str, timeout_s: float) -> serial.Serial:
    """Open a serial port for this process alone, with that time-out of reads.

    Raises:
        LinkLost, UsageError: as `open_serial`.
    """
    # pyserial's URLs run more than a port: spy:// writes files, socket:// calls hosts.
    if "://" in path:
        raise UsageError(
            f"{path!r:.200} is not the name of a serial port but a URL; allowed is what the system "
            "calls a port, and a port on another machine is socket:HOST:PORT or rfc2217:HOST:PORT"
        )
    try:
        return serial.Serial(
            path,
            baudrate=BAUD,
            timeout=timeout_s,
            write_timeout=_WRITE_TIMEOUT_S,
            exclusive=True,
        )
    except _PORT_ERRORS as e:
        raise LinkLost(f"could not open serial port {path}: {_why(e)}") from e
    except ValueError as e:
        raise UsageError(f"{path!r} is not the name of a serial port: {e}") from e


def open_socket(host: str, port_number: int, clock: Clock, name: str) -> SerialTransport:
    """Open a rig's port that a server shares as a bare TCP stream; arguments as open_serial.

    Raises:
        LinkLost: nobody listens there.
    """
    port = _SocketPort(timeout=0, write_timeout=_WRITE_TIMEOUT_S)
    port.port = f"socket://{bracketed(host)}:{port_number}"
    try:
        port.open()
    except OSError as e:
        port.close()
        raise LinkLost(f"could not connect to {host} port {port_number}: {_cause(e)}") from e
    return SerialTransport(port, clock, name)


def open_rfc2217(
    host: str, port_number: int, clock: Clock, name: str, *, token: str | None
) -> SerialTransport:
    """Open a rig's port that an RFC 2217 (telnet) server shares; arguments as open_serial.

    `token` is shown to a server of this project that asks for one; None where there is none.

    Raises:
        LinkLost: nobody listens there, what listens does not speak RFC 2217, or it does not let
            this client in: the token is wrong, or another client has the rig.
    """
    port = None
    try:
        # pyserial's RFC 2217 port knows no write timeout and gives no descriptor to select on.
        port = KnockingPort(
            f"rfc2217://{bracketed(host)}:{port_number}", baudrate=BAUD, timeout=POLL_S
        )
        knock(port, token)
    except (OSError, ValueError, LinkLost) as e:
        if port is not None:
            port.close()
        raise LinkLost(
            f"could not connect to the RFC 2217 server at {host} port {port_number}: {_cause(e)}"
        ) from e
    return SerialTransport(port, clock, name)


def port_key(path: str, *, windows: bool = os.name == "nt") -> str:
    r"""Return what all names of a port have in common: com3, COM3 and \\.\COM3 are one."""
    return path.upper().removeprefix("\\\\.\\") if windows else path


def usb_serial_of(path: str) -> str | None:
    """Return the serial number of the USB device behind a port; None where there is none."""
    wanted = port_key(path)
    ports = (port for port in list_ports.comports() if port_key(port.device) == wanted)
    return next((port.serial_number for port in ports), None)


def path_of(usb_serial: str | None, path: str) -> str:
    """Return the present name of a USB device's port; `path` where the system lists none.

    Args:
        usb_serial: of the device; None for ports that are not of a USB device.
        path: what it was called before.
    """
    if usb_serial is None:
        return path
    found = sorted(p.device for p in list_ports.comports() if p.serial_number == usb_serial)
    # A board with two ports has the same number on both; the one with the old name is right.
    kept = port_key(path) in map(port_key, found)
    return path if kept or not found else found[0]


def _why(error: Exception) -> str:
    """Return what is wrong with a local port and what the user can do."""
    number = error.errno if isinstance(error, OSError) else None
    text = _flat_text(error)
    if number == errno.ENOENT or "FileNotFoundError" in text:
        present = ", ".join(sorted(port.device for port in list_ports.comports()))
        return f"no such port (ports present: {present or 'none'})"
    if number in (errno.EAGAIN, errno.EBUSY):
        return "another program has it open"
    if "PermissionError" in text:  # Windows says so for a port that is open elsewhere, too
        return "another program has it open, or this user may not use it"
    if number == errno.EACCES:
        return "this user may not use it (on Linux: join the group that owns it, often dialout)"
    if "Could not configure port" in text:
        return "it is not a serial port"
    return os.strerror(number) if number else text


def _flat_text(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _cause(error: Exception) -> str:
    """Return the system's reason; pyserial puts a sentence and a number before it."""
    text = _flat_text(error)
    _, _, reason = text.partition("[Errno ")
    return reason.partition("] ")[2] or text
