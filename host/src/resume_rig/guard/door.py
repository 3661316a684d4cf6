"""Lets a client to a board's port over TCP once it has shown that it is a host of a board.

Whoever reaches a TCP port can write to it, and a web page reaches what its reader's machine
reaches: a form's text is enough. So nothing that a client sends goes on before a handshake that no
browser can make. It is RFC 2217's own: telnet options that agree on a remote port, then, for a
host of this project, RFC 2217's SIGNATURE, which carries a challenge and its answer:

    server: "resume-rig asks NONCE", or "resume-rig" where it asks for no token
    client: "resume-rig PROOF" (HMAC-SHA256 of the nonce, keyed with the token), or "resume-rig"
    server: "resume-rig yes", or "resume-rig no: WHY" and it hangs up

The token itself does not travel. Where none is asked for, another RFC 2217 client is let in by its
first whole packet. A byte of anything else, such as "POST", ends the connection.

Clients that have not shown it yet wait beside each other, for so long and so many at most; none
of them has the port.
"""

import hmac
import os
import queue
import secrets
import socket
import struct
import sys
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, Final, cast

import serial
from serial import rfc2217

from resume_rig.guard.token import FILE_VARIABLE, TOKEN_VARIABLE, proof_of
from resume_rig.model.errors import LinkLost, UsageError

BAUD: Final = 115_200
"""Debug-probe UARTs of Zephyr boards run at this; USB CDC ACM ports ignore it."""

HANDSHAKE_S: Final = 10.0
"""For all of a handshake; a client in the same lab needs half a second."""

WAITING_MOST: Final = 32
"""Clients that have not shown yet who they are; one more hangs up on the oldest of them."""

READ_BYTES: Final = 4096  # assumed: decides how many reads a burst takes; two packets fit
_MOST_OPTION_BYTES: Final = 256  # assumed: decides when a telnet option is noise
_MOST_HANDSHAKE_BYTES: Final = 16_384  # pyserial's takes 200; a packet may be among them
_MOST_WHY_CHARS: Final = 300
_ANSWER_S: Final = 3.0  # as pyserial waits for each answer of a server
_SIGNATURE: Final = b"\x00"  # RFC 2217; a server's commands are 100 higher
_SERVER_SIGNATURE: Final = b"\x64"
_NAME: Final = "resume-rig"
_MAX_PORT: Final = 65_535  # TCP
_BACKLOG: Final = 128  # as relay: strangers that wait must not keep a host from being accepted
_FIXED: Final = ("baudrate", "bytesize", "parity", "stopbits", "xonxoff", "rtscts", "rts", "dtr")

# serial.SerialException is an OSError; the others are what pyserial's telnet makes of nonsense.
ENDS_A_CLIENT: Final = (OSError, ValueError, KeyError, TypeError, IndexError, struct.error)


def listen_on(host: str, port_number: int) -> tuple[socket.socket, str]:
    """Return a listening TCP socket and its "host:port"; 0 takes any port that is free.

    Raises:
        UsageError: it cannot be listened on.
    """
    if not 0 <= port_number <= _MAX_PORT:
        raise UsageError(
            f"could not listen on {host}:{port_number}: {port_number} is no port; 0 to {_MAX_PORT} "
            "are allowed"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port_number), family=family, backlog=_BACKLOG)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno and sys.platform != "win32" else str(error)
        raise UsageError(
            f"could not listen on {host}:{port_number}: {why}; a free port of this machine is "
            "allowed, and 0 takes any"
        ) from error
    return listener, f"{bracketed(host)}:{listener.getsockname()[1]}"


def bracketed(host: str) -> str:
    """Return a host as it stands before a colon and a port."""
    return f"[{host}]" if ":" in host else host


class _NoLine:
    """A line whose settings are not applied: a board has none, or they are fixed."""

    baudrate = BAUD
    bytesize, parity, stopbits = serial.EIGHTBITS, serial.PARITY_NONE, serial.STOPBITS_ONE
    xonxoff = rtscts = break_condition = False
    rts = dtr = cts = dsr = cd = True
    ri = False

    def __setattr__(self, name: str, value: Any) -> None:
        """Take no line setting from the client."""
        if name not in _FIXED and name != "break_condition":
            super().__setattr__(name, value)

    def reset_input_buffer(self) -> None:
        """Do nothing: each client has the port opened anew."""

    def reset_output_buffer(self) -> None:
        """Do nothing, likewise."""


class Guest:
    """A client of a board's port; it may reach the port when `Door` has returned it.

    Attributes:
        who: its address, for a sentence.
        connection: does not block.
        first: bytes for the board that came with the handshake.
    """

    def __init__(
        self,
        connection: socket.socket,
        address: tuple[Any, ...],
        token: str | None,
        has_packet: Callable[[bytes], object],
        until_s: float,
    ) -> None:
        self.who = f"{address[0]} port {address[1]}"
        self.connection = connection
        self.first = b""
        self.until_s = until_s
        self._token = token
        self._nonce = "" if token is None else secrets.token_hex(16)
        self._has_packet = has_packet
        self._agreed = False
        self._shown = False
        self._heard_bytes = 0
        self._write: Callable[[bytes], object] = self._write_at_once
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A client whose machine lost its power must not have the port for ever.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._telnet = _Telnet(self)

    def shows(self) -> bool:
        """Read what is there; return whether the client has shown that it is a board's host.

        Raises:
            one of ENDS_A_CLIENT: it is none, or it is gone.
        """
        data = self.connection.recv(READ_BYTES)
        self._heard_bytes += len(data)
        if not data or self._heard_bytes > _MOST_HANDSHAKE_BYTES:
            raise OSError("the client hung up, or says too much")
        # One byte after the other: what comes before the agreement decides.
        for byte in self._telnet.filter(data):
            if not self._shown and (not self._agreed or self._token is not None):
                raise OSError("the client is no host of a board, or has shown no token")
            self.first += byte
            self._shown = self._shown or bool(self._has_packet(byte))
        self._bound_option()
        return self._shown

    def plain(self, data: bytes) -> bytes:
        """Return what is for the board among what the client sent; telnet is answered.

        Raises:
            one of ENDS_A_CLIENT: it makes no sense.
        """
        plain = b"".join(self._telnet.filter(data))
        self._bound_option()
        return plain

    def welcome(self, write: Callable[[bytes], object]) -> None:
        """Let it in: from now on, what telnet answers goes through `write`."""
        self._write = write
        self._sign(f"{_NAME} yes")

    def refuse(self, why: str) -> None:
        """Send the reason why not, and hang up."""
        with suppress(OSError):
            self._sign(f"{_NAME} no: {why}")
        self.close()

    def close(self) -> None:
        """Hang up."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()

    def write(self, data: bytes) -> None:
        """Send; what pyserial's telnet calls."""
        self._write(data)

    def agree(self) -> None:
        """Take note that the client speaks RFC 2217, and challenge it."""
        if not self._agreed:
            self._agreed = True
            self._sign(f"{_NAME} asks {self._nonce}" if self._nonce else _NAME)

    def signed(self, text: str) -> None:
        """Take the client's signature.

        Raises:
            OSError: it is not of who knows the token; the client has the reason.
        """
        name, _, proof = text.partition(" ")
        if self._shown or not self._agreed or name != _NAME:
            return
        if self._token is not None and not hmac.compare_digest(
            proof.encode("utf-8"), proof_of(self._token, self._nonce).encode("ascii")
        ):
            why = "the token is wrong" if proof else "it asks for a token"
            self._sign(f"{_NAME} no: {why}")
            raise OSError(why)
        self._shown = True

    def _sign(self, text: str) -> None:
        self._telnet.rfc2217_send_subnegotiation(_SERVER_SIGNATURE, text.encode("utf-8", "replace"))

    def _write_at_once(self, data: bytes) -> None:
        if self.connection.send(data) != len(data):
            raise OSError("the client takes nothing")

    def _bound_option(self) -> None:
        if len(self._telnet.suboption or b"") > _MOST_OPTION_BYTES:
            raise OSError("the client sends a telnet option without end")


class _Telnet(rfc2217.PortManager):
    """pyserial's RFC 2217 server, with SIGNATURE, which that one leaves out."""

    def __init__(self, guest: Guest) -> None:
        self._guest = guest
        super().__init__(cast(Any, _NoLine()), cast(Any, guest))

    def _client_ok(self) -> None:
        super()._client_ok()  # type: ignore[misc]
        self._guest.agree()

    def _telnet_process_subnegotiation(self, suboption: bytes) -> None:
        if suboption[:2] == rfc2217.COM_PORT_OPTION + _SIGNATURE:
            self._guest.signed(bytes(suboption[2:]).decode("ascii", "replace"))
        else:
            super()._telnet_process_subnegotiation(suboption)  # type: ignore[misc]


class Door:
    """A listener's clients, until each has shown that it is a host of a board.

    Args:
        listener: closed by whoever opened it.
        token: what a client has to know; None: an RFC 2217 client is enough.
        packets: returns a fresh function that takes bytes and returns something true when a
            packet of a board's host is complete.
        now_s: a clock that does not go back.
    """

    def __init__(
        self,
        listener: socket.socket,
        token: str | None,
        packets: Callable[[], Callable[[bytes], object]],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        listener.setblocking(False)
        self._listener = listener
        self._token = token
        self._packets = packets
        self._now_s = now_s
        self._waiting: list[Guest] = []  # the oldest first

    def sockets(self) -> list[socket.socket]:
        """Return what to wait on before `turn`."""
        return [self._listener, *(guest.connection for guest in self._waiting)]

    def turn(self, readable: Collection[object]) -> list[Guest]:
        """See to newcomers and to those that wait; return who has shown it, to be let in."""
        shown = []
        for guest in [one for one in self._waiting if one.connection in readable]:
            try:
                if guest.shows():
                    self._waiting.remove(guest)
                    shown.append(guest)
            except BlockingIOError:
                continue
            except ENDS_A_CLIENT:
                self._hang_up(guest)
        for guest in [one for one in self._waiting if one.until_s <= self._now_s()]:
            self._hang_up(guest)
        if self._listener in readable:
            self._accept()
        return shown

    def close(self) -> None:
        """Hang up on those that wait."""
        for guest in list(self._waiting):
            self._hang_up(guest)

    def _accept(self) -> None:
        try:
            connection, address = self._listener.accept()
        except OSError:
            return  # it went away before it was accepted, or the system has no more files
        try:
            until_s = self._now_s() + HANDSHAKE_S
            guest = Guest(connection, address, self._token, self._packets(), until_s)
        except OSError:
            connection.close()  # it has hung up before it was greeted
            return
        if len(self._waiting) >= WAITING_MOST:
            self._hang_up(self._waiting[0])
        self._waiting.append(guest)

    def _hang_up(self, guest: Guest) -> None:
        self._waiting.remove(guest)
        guest.close()


class KnockingPort(rfc2217.Serial):
    """pyserial's RFC 2217 client, which hears a server's SIGNATURE."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.signatures: queue.SimpleQueue[str] = queue.SimpleQueue()
        super().__init__(*args, **options)

    def close(self) -> None:
        """Close the port; pyserial forgets the socket unclosed where its shutdown fails."""
        connection = getattr(self, "_socket", None)
        super().close()
        if connection is not None:
            connection.close()

    def _telnet_process_subnegotiation(self, suboption: bytes) -> None:
        if suboption[:2] == rfc2217.COM_PORT_OPTION + _SERVER_SIGNATURE:
            self.signatures.put(suboption[2:].decode("utf-8", "replace"))
        else:
            super()._telnet_process_subnegotiation(suboption)  # type: ignore[misc]


def knock(port: KnockingPort, token: str | None) -> None:
    """Show a server of this project the token that it asks for; another server asks for none.

    Args:
        port: open; closed by the caller, also where this raises.
        token: None where the user named none.

    Raises:
        LinkLost: it does not let this client in; the text is the reason, one printable line.
        OSError: the connection is gone.
    """
    # The server signs as soon as telnet is agreed upon, before it answers what opens the port.
    try:
        name, _, nonce = port.signatures.get_nowait().removesuffix(" ").partition(" asks ")
    except queue.Empty:
        return
    if name != _NAME:
        return
    if nonce and token is None:
        raise LinkLost(
            f"it asks for the token of `resume-rig share`; name it by {TOKEN_VARIABLE}, or a file "
            f"that holds it by {FILE_VARIABLE}, in the environment"
        )
    answer = f"{_NAME} {proof_of(token, nonce)}" if nonce and token is not None else _NAME
    try:
        port.rfc2217_send_subnegotiation(_SIGNATURE, answer.encode("ascii"))
        said = port.signatures.get(timeout=_ANSWER_S)
    except queue.Empty:
        raise LinkLost("it hung up without a reason") from None
    if said != f"{_NAME} yes":
        why = said.removeprefix(f"{_NAME} no: ")[:_MOST_WHY_CHARS]
        raise LinkLost("".join(c if c.isprintable() else "?" for c in why))
