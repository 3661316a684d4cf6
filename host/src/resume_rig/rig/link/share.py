"""Shares one serial port over TCP as RFC 2217, with one client at a time.

The port is open only while a client is there, so that a board may come and go in between, under
another name too. What a client sets is not applied: USB CDC ACM ports ignore it, and a board behind
a debug probe runs at one speed. A client beyond the first gets one line that names who has the
port; one that sends no packet of a board's host within 10 s is hung up on. There is no login: who
reaches the TCP port has the rig.
"""

import logging
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any, Final, cast

import serial
from serial import rfc2217

from resume_rig.model.errors import LinkLost
from resume_rig.rig.smp.framing import Decoder
from resume_rig.rig.smp.serial_transport import BAUD, GREETING, listen_on

logger = logging.getLogger(__name__)

_FIXED: Final = ("baudrate", "bytesize", "parity", "stopbits", "xonxoff", "rtscts", "rts", "dtr")
_READ_BYTES: Final = 4096  # assumed: decides how many reads a burst takes; two packets fit
_POLL_S: Final = 0.2  # assumed: decides how soon Ctrl-C ends it
_HANG_UP_S: Final = 0.5  # assumed: decides whether one that reconnects at once is let in
_PROOF_S: Final = 10.0  # a host asks who the board is as soon as telnet is agreed upon
_SEND_S: Final = 10  # a client that takes nothing for so long is gone
_JOIN_S: Final = 5.0  # assumed: decides when a thread that hangs is left behind
_MOST_OPTION_BYTES: Final = 256  # assumed: decides when a telnet option is noise
# serial.SerialException is an OSError; the others are what pyserial's telnet makes of nonsense.
_ENDS_A_CLIENT: Final = (OSError, ValueError, KeyError, TypeError, IndexError, struct.error)
# A client whose machine died is let go of after some 25 s; the board lets go of the DUT by itself.
_KEEP_ALIVE: Final = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}


def share_port(
    open_port: Callable[[], serial.Serial],
    host: str,
    port: int,
    on_ready: Callable[[str], None],
    stop: threading.Event,
) -> None:
    """Serve until `stop` is set; clients may come and go.

    Args:
        open_port: opens the board's port anew for each client, with a read timeout; raises
            LinkLost with a sentence for the client.
        host: name or address to listen on.
        port: 0 takes any that is free.
        on_ready: called with "host:port" when clients may come.
        stop: asked every 0.2 s.

    Raises:
        UsageError: it cannot be listened on.
    """
    listener, place = listen_on(host, port)
    with closing(listener):
        listener.settimeout(_POLL_S)
        server = _Server(open_port)
        on_ready(place)
        try:
            while not stop.is_set():
                with suppress(TimeoutError):
                    server.accept(*listener.accept())
                server.close_if_gone()
        finally:
            server.close()


class _Server:
    """Serves one client at a time."""

    def __init__(self, open_port: Callable[[], serial.Serial]) -> None:
        self._open_port = open_port
        self._client: _Client | None = None

    def accept(self, connection: socket.socket, address: tuple[Any, ...]) -> None:
        """Serve a newcomer, or send it the reason why not."""
        who = f"{address[0]} port {address[1]}"
        # One that comes back at once may be quicker than the end of its last connection.
        if self._client is not None and self._client.ended_within(_HANG_UP_S):
            self.close()
        if self._client is not None:
            _refuse(connection, f"{self._client.who} has this rig; wait until it is done")
            return
        try:
            port = self._open_port()
        except LinkLost as error:
            _refuse(connection, str(error))
            return
        try:
            self._client = _Client(connection, port, who)
        except OSError as error:
            # It has hung up before it was greeted.
            logger.info("%s: %s", who, error)
            port.close()
            connection.close()
            return
        logger.info("%s has the port", who)

    def close_if_gone(self) -> None:
        """Close the port of a client that is gone, so that others on this machine may have it.

        One that has not shown in time that it is a board's host is as good as gone.
        """
        client = self._client
        if client is not None and (client.ended_within(0) or client.is_unproven()):
            self.close()

    def close(self) -> None:
        """Hang up on whoever is there."""
        if self._client is not None:
            logger.info("%s has left the port", self._client.who)
            self._client.close()
            self._client = None


class _Client:
    """One client and the open port; a thread for each direction."""

    def __init__(self, connection: socket.socket, port: serial.Serial, who: str) -> None:
        self.who = who
        self._connection = connection
        self._port = port
        self._over = threading.Event()
        self._proof = Decoder()
        self._proven = False
        self._since_s = time.monotonic()
        self._sending = threading.Lock()
        _prepare(connection)
        self._telnet = rfc2217.PortManager(cast(Any, PlainPort(port)), cast(Any, self))
        self._threads = [
            threading.Thread(target=self._run, args=(work,), name=f"{name} {who}", daemon=True)
            for name, work in (("to", self._to_client), ("from", self._to_board))
        ]
        for thread in self._threads:
            thread.start()

    def ended_within(self, timeout_s: float) -> bool:
        """Return whether client or port is gone, now or soon."""
        return self._over.wait(timeout_s)

    def is_unproven(self) -> bool:
        """Return whether its time is over in which a board's host sends a first packet."""
        return not self._proven and time.monotonic() > self._since_s + _PROOF_S

    def write(self, data: bytes) -> None:
        """Send to the client; what pyserial's telnet calls."""
        with self._sending:
            self._connection.sendall(data)

    def close(self) -> None:
        """Hang up, and close the port."""
        self._over.set()
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(_JOIN_S)
        self._connection.close()
        with suppress(OSError):
            self._port.close()

    def _run(self, work: Callable[[], None]) -> None:
        try:
            while not self._over.is_set():
                work()
        except _ENDS_A_CLIENT as error:
            logger.info("%s: %s", self.who, error)
        finally:
            self._over.set()
            with suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)

    def _to_client(self) -> None:
        first = self._port.read(1)
        if first:
            data = first + self._port.read(self._port.in_waiting)
            self.write(data.replace(rfc2217.IAC, rfc2217.IAC_DOUBLED))

    def _to_board(self) -> None:
        data = self._connection.recv(_READ_BYTES)
        if not data:
            raise OSError("the client hung up")
        plain = b"".join(self._telnet.filter(data))
        if len(self._telnet.suboption or b"") > _MOST_OPTION_BYTES:
            raise OSError("the client sends a telnet option without end")
        if plain:
            self._proven = self._proven or bool(self._proof.feed(plain))
            self._port.write(plain)


class PlainPort:
    """An open port; what a client sets is not applied."""

    baudrate = BAUD
    bytesize, parity, stopbits = serial.EIGHTBITS, serial.PARITY_NONE, serial.STOPBITS_ONE
    xonxoff = rtscts = break_condition = False
    rts = dtr = cts = dsr = cd = True
    ri = False

    def __init__(self, port: serial.Serial) -> None:
        self._port = port

    def __setattr__(self, name: str, value: Any) -> None:
        """Take no line setting from the client."""
        if name not in _FIXED and name != "break_condition":
            super().__setattr__(name, value)

    def reset_input_buffer(self) -> None:
        """Forget what came in and was not sent on."""
        self._port.reset_input_buffer()

    def reset_output_buffer(self) -> None:
        """Forget what was not sent to the board."""
        self._port.reset_output_buffer()


def _prepare(connection: socket.socket) -> None:
    """Let small packets go at once, and notice a client that is gone without a word."""
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if sys.platform != "win32":
        patience = struct.pack("@ll", _SEND_S, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, patience)
    for name, value in _KEEP_ALIVE.items():
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _refuse(connection: socket.socket, why: str) -> None:
    with closing(connection), suppress(OSError):
        connection.sendall(f"{GREETING}{why}\r\n".encode("utf-8", "replace"))
