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

from resume_rig.model.errors import UsageError
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.schedule import LinkFaults
from resume_rig.rig.smp.framing import Decoder, encode
from resume_rig.rig.smp.serial_transport import listen_on

READ_BYTES: Final = 4096  # assumed: decides how many reads a burst takes
_MAX_UNSENT_BYTES: Final = 262_144  # assumed: decides when a client that does not read is cut
_MOST_READS: Final = 16  # at one turn: who floods the line must not stop the bench
_IDLE_S: Final = 0.004  # assumed: decides how late an edge is, and what an idle bench costs
_TERMINALS: Final = Path("/dev/pts")


class Port(Protocol):
    """An open byte stream that does not block."""

    def fileno(self) -> int:
        """Return what select waits on."""
        ...

    def read(self) -> bytes:
        """Return what has arrived; nothing means that the other side is gone."""
        ...

    def write(self, data: bytes) -> int:
        """Return how many bytes were taken."""
        ...

    def close(self) -> None:
        """Hang up."""
        ...


class SocketPort:
    """One client's connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A client whose machine lost its power must not hold the bench for ever.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def fileno(self) -> int:
        """Return what select waits on."""
        return self._connection.fileno()

    def read(self) -> bytes:
        """Return what has arrived; nothing means that the other side is gone."""
        return self._connection.recv(READ_BYTES)

    def write(self, data: bytes) -> int:
        """Return how many bytes were taken."""
        return self._connection.send(data)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


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
        return bool(self._unsent)

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
                if not data:
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
            if self._unsent:
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

        def __init__(self, ours: int, theirs: int) -> None:
            self._ours = ours
            self._theirs = theirs

        def fileno(self) -> int:
            return self._ours

        def read(self) -> bytes:
            return os.read(self._ours, READ_BYTES)

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
    """Serve on a TCP port until `stop` is set, one client at a time; others are turned away.

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
    with closing(listener), closing(_Clients(bench, faults)) as clients:
        listener.setblocking(False)
        on_ready(place)
        while not stop.is_set():
            clients.turn(listener)
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

    def turn(self, listener: socket.socket) -> None:
        """Wait a little for bytes or for a newcomer, and see to both."""
        connection = self._connection
        waiting = [listener.fileno()]
        unsent: list[int] = []
        if connection is not None:
            waiting.append(connection.fileno())
            unsent += waiting[1:] if connection.unsent else []
        readable, _, _ = select.select(waiting, unsent, [], _IDLE_S)
        out = _is_out(self._faults)
        if connection is not None:
            connection.turn(connection.fileno() in readable)
            if out or not connection.alive:
                self.close()
        if listener.fileno() in readable:
            self._accept(listener, unplugged=out)

    def close(self) -> None:
        """Hang up on whoever is there."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _accept(self, listener: socket.socket, *, unplugged: bool) -> None:
        try:
            client, _ = listener.accept()
        except OSError:
            return  # it went away before it was accepted
        if not unplugged and self._connection is None:
            self._connection = Connection(self._bench, SocketPort(client), self._faults)
        else:
            client.close()
