"""Serves a simulated bench on a pseudo-terminal or a TCP port, as a board on a cable would be.

One thread waits for bytes and, when there are none, keeps the bench going: presses end and leases
run out whether or not somebody asks.
"""

import os
import select
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

from serial import rfc2217

from resume_rig.guard.door import ENDS_A_CLIENT, READ_BYTES, Door, Guest, listen_on
from resume_rig.model.errors import UsageError
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.schedule import LinkFaults
from resume_rig.rig.smp.framing import Decoder, encode

_MAX_UNSENT_BYTES: Final = 262_144  # assumed: decides when a client that does not read is cut
_MOST_READS: Final = 16  # at one turn: who floods the line must not stop the bench
_IDLE_S: Final = 0.004  # assumed: decides how late an edge is, and what an idle bench costs
_TERMINALS: Final = Path("/dev/pts")


class Port(Protocol):
    """An open byte stream that does not block."""

    def fileno(self) -> int:
        """Return what select waits on."""
        ...

    @property
    def unsent(self) -> bool:
        """Whether bytes that were taken have not gone yet."""
        ...

    def read(self) -> bytes | None:
        """Return what has arrived; None means that the other side is gone."""
        ...

    def write(self, data: bytes) -> int:
        """Return how many bytes were taken."""
        ...

    def close(self) -> None:
        """Hang up."""
        ...


class GuestPort:
    """The connection of one client that was let in."""

    def __init__(self, guest: Guest) -> None:
        self._guest = guest
        self._unsent = bytearray()
        guest.welcome(self._unsent.extend)

    @property
    def unsent(self) -> bool:
        """Whether bytes that were taken have not gone yet."""
        return bool(self._unsent)

    def fileno(self) -> int:
        """Return what select waits on."""
        return self._guest.connection.fileno()

    def read(self) -> bytes | None:
        """Return what has arrived for the board; None means that the other side is gone."""
        if first := self._guest.first:
            self._guest.first = b""
            return first
        data = self._guest.connection.recv(READ_BYTES)
        try:
            return self._guest.plain(data) if data else None
        except ENDS_A_CLIENT as error:
            raise OSError(f"the client's telnet makes no sense: {error}") from error

    def write(self, data: bytes) -> int:
        """Return how many bytes were taken: all, or none while others have not gone yet."""
        if not self._flushed():
            return 0
        self._unsent += data.replace(rfc2217.IAC, rfc2217.IAC_DOUBLED)
        self._flushed()
        return len(data)

    def _flushed(self) -> bool:
        with suppress(BlockingIOError):
            while self._unsent:
                del self._unsent[: self._guest.connection.send(self._unsent)]
        return not self._unsent

    def close(self) -> None:
        """Hang up."""
        self._guest.close()


class Connection:
    """A bench's connection to one client.

    Args:
        bench: that answers.
        port: of the client.
        wire: what happens to the bytes on their way; None for nothing.

    Attributes:
        alive: the client is still there.
    """

    def __init__(self, bench: SimulatedBench, port: Port, wire: LinkFaults | None = None) -> None:
        self.alive = True
        self._bench = bench
        self._port = port
        self._wire = wire
        self._decoder = Decoder()
        self._unsent = bytearray()

    @property
    def unsent(self) -> bool:
        """Whether replies wait because the client does not read."""
        return bool(self._unsent) or self._port.unsent

    def fileno(self) -> int:
        """Return what select waits on."""
        return self._port.fileno()

    def turn(self, readable: bool) -> None:
        """Take what has arrived and send what can be sent."""
        try:
            if readable:
                self._take()
            if self._wire is not None:
                self._answer(self._wire.to_board())
                self._unsent += self._wire.to_host()
            self._send()
        except OSError:
            self.alive = False

    def close(self) -> None:
        """Hang up."""
        self._port.close()

    def _take(self) -> None:
        with suppress(BlockingIOError):
            for _ in range(_MOST_READS):
                data = self._port.read()
                if data is None:
                    self.alive = False
                    return
                self._arrived(data)

    def _arrived(self, data: bytes) -> None:
        if self._wire is None:
            self._answer(data)
        else:
            self._wire.send_to_board(data)

    def _answer(self, data: bytes) -> None:
        for packet in self._decoder.feed(data):
            for reply in self._bench.answers(packet):
                # A UART does not wait for a client that does not read: what does not fit is lost.
                if len(self._unsent) < _MAX_UNSENT_BYTES:
                    self._reply(encode(reply))

    def _reply(self, data: bytes) -> None:
        if self._wire is None:
            self._unsent += data
        else:
            self._wire.send_to_host(data)

    def _send(self) -> None:
        with suppress(BlockingIOError):
            if self.unsent:
                del self._unsent[: self._port.write(bytes(self._unsent))]


if sys.platform == "win32":

    def open_terminal() -> tuple[Port, str]:
        """Refuse: this system has no pseudo-terminals."""
        raise UsageError("Cannot serve on a pseudo-terminal: Windows has none; --tcp is allowed.")

else:
    import tty

    class _TerminalPort:
        """The bench's side of a pseudo-terminal.

        It keeps the client's side open as well, so that a client may close it and come again.
        """

        unsent = False

        def __init__(self, ours: int, theirs: int) -> None:
            self._ours = ours
            self._theirs = theirs

        def fileno(self) -> int:
            return self._ours

        def read(self) -> bytes | None:
            return os.read(self._ours, READ_BYTES) or None

        def write(self, data: bytes) -> int:
            return os.write(self._ours, data)

        def close(self) -> None:
            os.close(self._theirs)
            os.close(self._ours)

    def open_terminal() -> tuple[Port, str]:
        """Return the bench's side of a new raw pseudo-terminal, and the path of the client's.

        Raises:
            UsageError: the system gives none (a container without /dev/pts, or all are taken).
        """
        try:
            ours, theirs = os.openpty()
        except OSError as error:
            raise UsageError(
                f"Cannot serve on a pseudo-terminal: the system gives none "
                f"({error.strerror or error}); a TCP port is allowed, --tcp HOST:PORT."
            ) from error
        tty.setraw(theirs)
        os.set_blocking(ours, False)
        return _TerminalPort(ours, theirs), os.ttyname(theirs)


def clear_link(link: Path) -> None:
    """Remove a link that a bench left behind.

    Raises:
        UsageError: something else is there, or a link to a terminal that still exists.
    """
    if link.is_symlink():
        target = link.readlink()
        if target.is_relative_to(_TERMINALS) and not target.exists():
            _try_link(link, link.unlink)
            return
    elif not link.exists():
        return
    raise UsageError(
        f"Cannot link {link} to the bench's terminal: it exists and is not a link to a terminal "
        "that is gone; a path that is free is allowed."
    )


@contextmanager
def linked(link: Path | None, terminal: str) -> Iterator[str]:
    """Yield the path to open; the link exists as long as the context.

    Raises:
        UsageError: the link cannot be made.
    """
    if link is None:
        yield terminal
        return
    _try_link(link, lambda: link.symlink_to(terminal))
    try:
        yield str(link)
    finally:
        if link.is_symlink() and link.readlink() == Path(terminal):
            link.unlink()


def _try_link(link: Path, action: Callable[[], None]) -> None:
    try:
        action()
    except OSError as error:
        raise UsageError(
            f"Cannot link {link} to the bench's terminal: {error.strerror}; a path in a folder "
            "that can be written to is allowed."
        ) from error


def serve_pty(
    bench: SimulatedBench,
    link: Path | None,
    on_ready: Callable[[str], None],
    stop: threading.Event,
    *,
    faults: LinkFaults | None = None,
) -> None:
    """Serve on a new pseudo-terminal until `stop` is set; clients may come and go.

    Args:
        bench: what is served.
        link: becomes a symbolic link to the terminal, and is removed in the end; None for none.
        on_ready: called with the path to open, link or terminal, when clients may come.
        stop: asked every few milliseconds.
        faults: of the cable. While it is out there is no terminal; `link` then leads to the next.

    Raises:
        UsageError: no pseudo-terminals on this system, or `link` cannot be made.
    """
    if link is not None:
        clear_link(link)
    plugged_in = on_ready
    while not stop.is_set():
        port, terminal = open_terminal()
        connection = Connection(bench, port, faults)
        with closing(connection), linked(link, terminal) as path:
            plugged_in(path)
            while not (stop.is_set() or _is_out(faults)) and connection.alive:
                readable, _, _ = select.select(
                    [connection], [connection] if connection.unsent else [], [], _IDLE_S
                )
                connection.turn(bool(readable))
                bench.advance()
        if not _is_out(faults):
            return
        plugged_in = _ignore_terminal
        while _is_out(faults) and not stop.is_set():
            select.select([], [], [], _IDLE_S)
            bench.advance()


def serve_tcp(
    bench: SimulatedBench,
    host: str,
    port: int,
    on_ready: Callable[[str], None],
    stop: threading.Event,
    *,
    faults: LinkFaults | None = None,
) -> None:
    """Serve on a TCP port as RFC 2217 until `stop` is set, one client at a time.

    Args:
        bench: what is served.
        host: name or address to listen on.
        port: 0 takes any that is free.
        on_ready: called with "host:port" when clients may come.
        stop: asked every few milliseconds.
        faults: of the cable; while it is out nobody is let in.

    Raises:
        UsageError: it cannot be listened on.
    """
    listener, place = listen_on(host, port)
    with (
        closing(listener),
        closing(Door(listener, None, lambda: Decoder().feed)) as door,
        closing(_Clients(bench, faults)) as clients,
    ):
        on_ready(place)
        while not stop.is_set():
            clients.turn(door)
            bench.advance()


def _is_out(faults: LinkFaults | None) -> bool:
    return faults is not None and faults.unplugged()


def _ignore_terminal(path: str) -> None:
    del path


class _Clients:
    """One client at most."""

    def __init__(self, bench: SimulatedBench, faults: LinkFaults | None) -> None:
        self._bench = bench
        self._faults = faults
        self._connection: Connection | None = None
        self._who = ""

    def turn(self, door: Door) -> None:
        """Wait a little for bytes or for a newcomer, and see to both."""
        connection = self._connection
        waiting: list[socket.socket | Connection] = [*door.sockets()]
        unsent: list[Connection] = []
        if connection is not None:
            waiting.append(connection)
            unsent += [connection] if connection.unsent else []
        readable, _, _ = select.select(waiting, unsent, [], _IDLE_S)
        out = _is_out(self._faults)
        if connection is not None:
            connection.turn(connection in readable)
            if out or not connection.alive:
                self.close()
        for guest in door.turn(readable):
            self._let_in(guest, unplugged=out)

    def close(self) -> None:
        """Hang up on whoever is there."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _let_in(self, guest: Guest, *, unplugged: bool) -> None:
        if unplugged:
            guest.refuse("the cable is out")
        elif self._connection is not None:
            guest.refuse(f"{self._who} has this rig; wait until it is done")
        else:
            self._who = guest.who
            self._connection = Connection(self._bench, GuestPort(guest), self._faults)
            self._connection.turn(readable=True)
