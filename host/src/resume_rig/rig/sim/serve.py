"""Serves a simulated bench on a pseudo-terminal or a TCP port, as a board on a cable would be.

One thread waits for bytes and, when there are none, keeps the bench going: presses end and leases
run out whether or not somebody asks.
"""

import select
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, Protocol

from resume_rig.model.errors import UsageError
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.talk import SocketPort, Talk
from resume_rig.rig.sim.terminal import clear_link, linked, open_terminal

_IDLE_S: Final = 0.004
_MAX_PORT: Final = 65_535


class Stop(Protocol):
    """Tells a server when to end; a threading.Event is one."""

    def is_set(self) -> bool:
        """Return whether it is time."""
        ...


def serve_pty(
    bench: SimulatedBench, link: Path | None, on_ready: Callable[[str], None], stop: Stop
) -> None:
    """Serve on a new pseudo-terminal until `stop` is set; clients may come and go.

    Args:
        bench: what is served.
        link: becomes a symbolic link to the terminal, and is removed in the end; None for none.
        on_ready: told the path to open, link or terminal, when clients may come.
        stop: asked every few milliseconds.

    Raises:
        UsageError: no pseudo-terminals on this system, or `link` cannot be made.
    """
    if link is not None:
        clear_link(link)
    port, terminal = open_terminal()
    talk = Talk(bench, port)
    with closing(talk), linked(link, terminal) as path:
        on_ready(path)
        while not stop.is_set() and talk.alive:
            readable, _, _ = select.select([talk], [talk] if talk.unsent else [], [], _IDLE_S)
            talk.turn(bool(readable))
            bench.advance()


def serve_tcp(
    bench: SimulatedBench, host: str, port: int, on_ready: Callable[[str], None], stop: Stop
) -> None:
    """Serve on a TCP port until `stop` is set, one client at a time; others are turned away.

    Args:
        bench: what is served.
        host: name or address to listen on.
        port: 0 takes any that is free.
        on_ready: told "host:port" when clients may come.
        stop: asked every few milliseconds.

    Raises:
        UsageError: it cannot be listened on.
    """
    with closing(_listen(host, port)) as listener, closing(_Clients(bench)) as clients:
        listener.setblocking(False)
        shown = f"[{host}]" if ":" in host else host
        on_ready(f"{shown}:{listener.getsockname()[1]}")
        while not stop.is_set():
            clients.turn(listener)
            bench.advance()


class _Clients:
    """At most one client, and a door."""

    def __init__(self, bench: SimulatedBench) -> None:
        self._bench = bench
        self._talk: Talk | None = None

    def turn(self, listener: socket.socket) -> None:
        """Wait a little for bytes or for a newcomer, and see to both."""
        talk = self._talk
        waiting = [listener.fileno()]
        unsent: list[int] = []
        if talk is not None:
            waiting.append(talk.fileno())
            unsent += waiting[1:] if talk.unsent else []
        readable, _, _ = select.select(waiting, unsent, [], _IDLE_S)
        if talk is not None:
            talk.turn(talk.fileno() in readable)
            if not talk.alive:
                self.close()
        if listener.fileno() in readable:
            self._let_in(listener)

    def close(self) -> None:
        """Hang up on whoever is there."""
        if self._talk is not None:
            self._talk.close()
            self._talk = None

    def _let_in(self, listener: socket.socket) -> None:
        try:
            connection, _ = listener.accept()
        except OSError:
            return  # it went away between knocking and entering
        if self._talk is None:
            self._talk = Talk(self._bench, SocketPort(connection))
        else:
            connection.close()


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= _MAX_PORT:
        raise UsageError(
            f"Cannot serve on {host}:{port}: {port} is no port; 0 to {_MAX_PORT} are allowed."
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=4)
    except OSError as error:
        raise UsageError(
            f"Cannot serve on {host}:{port}: {error.strerror or error}; a free port of this "
            "machine is allowed, and 0 takes any."
        ) from error
