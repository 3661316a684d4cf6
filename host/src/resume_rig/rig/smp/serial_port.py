"""Opens the port that a rig URL names, or says in one sentence why it cannot be opened."""

import errno
import os
import sys
from typing import Final

import serial
from serial.tools import list_ports
from serial.urlhandler import protocol_socket

from resume_rig.model.clock import Clock
from resume_rig.model.errors import LinkLost, UsageError
from resume_rig.rig.share.greeting import turned_away
from resume_rig.rig.smp.serial_transport import POLL_S, SerialTransport

if sys.platform == "win32":
    _PORT_ERRORS: tuple[type[Exception], ...] = (OSError,)
else:
    import termios

    # termios.error is no OSError; pyserial lets it through when a PTY goes while it is opened.
    _PORT_ERRORS = (OSError, termios.error)

_BAUD: Final = 115_200
"""Debug-probe UARTs of Zephyr boards run at this; USB CDC ACM ports ignore it."""

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
        UsageError: the path is an URL of a kind that pyserial does not know.
    """
    port = open_plain(path, POLL_S if sys.platform == "win32" else 0)
    return SerialTransport(port, clock, name)


def open_plain(path: str, timeout_s: float) -> serial.Serial:
    """Open a serial port for this process alone, with that time-out of reads.

    Raises:
        LinkLost, UsageError: as `open_serial`.
    """
    try:
        return serial.serial_for_url(
            path,
            baudrate=_BAUD,
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
    port.port = f"socket://{_bracketed(host)}:{port_number}"
    try:
        port.open()
    except OSError as e:
        port.close()
        raise LinkLost(f"could not connect to {host} port {port_number}: {_cause(e)}") from e
    return SerialTransport(port, clock, name)


def open_rfc2217(host: str, port_number: int, clock: Clock, name: str) -> SerialTransport:
    """Open a rig's port that an RFC 2217 (telnet) server shares; arguments as open_serial.

    Raises:
        LinkLost: nobody listens there, what listens does not speak RFC 2217, or it serves another
            client; `resume-rig share` says whom.
    """
    try:
        # pyserial's RFC 2217 port knows no write timeout and gives no descriptor to select on.
        port = serial.serial_for_url(
            f"rfc2217://{_bracketed(host)}:{port_number}", baudrate=_BAUD, timeout=POLL_S
        )
    except (OSError, ValueError) as e:
        why = turned_away(host, port_number) or _cause(e)
        raise LinkLost(
            f"could not connect to the RFC 2217 server at {host} port {port_number}: {why}"
        ) from e
    return SerialTransport(port, clock, name)


def usb_serial_of(path: str) -> str | None:
    """Return the serial number of the USB device behind a port; None where there is none."""
    return next((port.serial_number for port in list_ports.comports() if port.device == path), None)


def path_of(usb_serial: str | None, path: str) -> str:
    """Return under which name a USB device's port is there now; `path` where that is not told.

    Args:
        usb_serial: of the device; None for ports that are not of a USB device.
        path: what it was called before.
    """
    if usb_serial is None:
        return path
    found = sorted(p.device for p in list_ports.comports() if p.serial_number == usb_serial)
    # A board with two ports has the same number on both; the one with the old name is right.
    return path if path in found or not found else found[0]


def _why(error: Exception) -> str:
    """Return what is wrong with a local port and what the user can do."""
    number = error.errno if isinstance(error, OSError) else None
    text = _told(error)
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


def _told(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _cause(error: Exception) -> str:
    """Return what the system says; pyserial puts a sentence and a number before it."""
    told = _told(error)
    _, _, said = told.partition("[Errno ")
    return said.partition("] ")[2] or told


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
