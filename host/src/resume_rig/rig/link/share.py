"""Shares one serial port over TCP as RFC 2217, with one client at a time.

The port is open only while a client is there, so that a board may come and go in between, under
another name too. What a client sets is not applied: USB CDC ACM ports ignore it, and a board behind
a debug probe runs at one speed. Who may be a client `guard.door` decides; a client beyond the first
learns who has the port.
"""

import logging
import select
import socket
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Final

import serial
from serial import rfc2217

from resume_rig.guard.door import ENDS_A_CLIENT, READ_BYTES, Door, Guest, listen_on
from resume_rig.model.errors import LinkLost
from resume_rig.rig.smp.framing import Decoder

logger = logging.getLogger(__name__)

_POLL_S: Final = 0.2  # assumed: decides how soon Ctrl-C ends it
_HANG_UP_S: Final = 0.5  # assumed: decides whether one that reconnects at once is let in
_SEND_S: Final = 10  # a client that takes nothing for so long is gone
_JOIN_S: Final = 5.0  # assumed: decides when a thread that hangs is left behind
# A client whose machine died is let go of after some 25 s; the board lets go of the DUT by itself.
_KEEP_ALIVE: Final = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}


def share_port(
    open_port: Callable[[], serial.Serial],
    host: str,
    port: int,
    on_ready: Callable[[str], None],
    stop: threading.Event,
    *,
    token: str | None,
) -> None:
    """Serve until `stop` is set; clients may come and go.

    Args:
        open_port: opens the board's port anew for each client, with a read timeout; raises
            LinkLost with a sentence for the client.
        host: name or address to listen on.
        port: 0 takes any that is free.
        on_ready: called with "host:port" when clients may come.
        stop: asked every 0.2 s.
        token: what a client has to know; None: every RFC 2217 client may come.

    Raises:
        UsageError: it cannot be listened on.
    """
    listener, place = listen_on(host, port)
    with (
        closing(listener),
        closing(Door(listener, token, lambda: Decoder().feed)) as door,
        closing(_Server(open_port)) as server,
    ):
        on_ready(place)
        while not stop.is_set():
            readable, _, _ = select.select(door.sockets(), [], [], _POLL_S)
            for guest in door.turn(readable):
                server.let_in(guest)
            server.close_if_gone()


class _Server:
    """Serves one client at a time."""

    def __init__(self, open_port: Callable[[], serial.Serial]) -> None:
        self._open_port = open_port
        self._client: _Client | None = None

    def let_in(self, guest: Guest) -> None:
        """Serve a newcomer, or send it the reason why not."""
        # One that comes back at once may be quicker than the end of its last connection.
        if self._client is not None and self._client.ended_within(_HANG_UP_S):
            self.close()
        if self._client is not None:
            guest.refuse(f"{self._client.who} has this rig; wait until it is done")
            return
        try:
            port = self._open_port()
        except LinkLost as error:
            guest.refuse(str(error))
            return
        try:
            self._client = _Client(guest, port)
        except OSError as error:
            # It has hung up before it was let in.
            logger.info("%s: %s", guest.who, error)
            port.close()
            guest.close()
            return
        logger.info("%s has the port", guest.who)

    def close_if_gone(self) -> None:
        """Close the port of a client that is gone, so that others on this machine may have it."""
        if self._client is not None and self._client.ended_within(0):
            self.close()

    def close(self) -> None:
        """Hang up on whoever is there."""
        if self._client is not None:
            logger.info("%s has left the port", self._client.who)
            self._client.close()
            self._client = None


class _Client:
    """One client and the open port; a thread for each direction."""

    def __init__(self, guest: Guest, port: serial.Serial) -> None:
        self.who = guest.who
        self._guest = guest
        self._connection = guest.connection
        self._port = port
        self._over = threading.Event()
        self._sending = threading.Lock()
        _prepare(self._connection)
        guest.welcome(self.write)
        self._threads = [
            threading.Thread(target=self._run, args=(work,), name=f"{name} {self.who}", daemon=True)
            for name, work in (("to", self._to_client), ("from", self._to_board))
        ]
        for thread in self._threads:
            thread.start()

    def ended_within(self, timeout_s: float) -> bool:
        """Return whether client or port is gone, now or soon."""
        return self._over.wait(timeout_s)

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
        except ENDS_A_CLIENT as error:
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
        if self._guest.first:
            self._port.write(self._guest.first)
            self._guest.first = b""
        data = self._connection.recv(READ_BYTES)
        if not data:
            raise OSError("the client hung up")
        if plain := self._guest.plain(data):
            self._port.write(plain)


def _prepare(connection: socket.socket) -> None:
    """Block, but not for ever, and notice a client that is gone without a word."""
    connection.settimeout(None)
    if sys.platform != "win32":
        patience = struct.pack("@ll", _SEND_S, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, patience)
    for name, value in _KEEP_ALIVE.items():
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
