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
from resume_rig.rig.sim.link_faults import LinkFaults
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
    bench: SimulatedBench,
    link: Path | None,
    on_ready: Callable[[str], None],
    stop: Stop,
    *,
    faults: LinkFaults | None = None,
) -> None:
    """Serve on a new pseudo-terminal until `stop` is set; clients may come and go.

    Args:
        bench: what is served.
        link: becomes a symbolic link to the terminal, and is removed in the end; None for none.
        on_ready: told the path to open, link or terminal, when clients may come.
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
        talk = Talk(bench, port, faults)
        with closing(talk), linked(link, terminal) as path:
            plugged_in(path)
            while not (stop.is_set() or _is_out(faults)) and talk.alive:
                readable, _, _ = select.select([talk], [talk] if talk.unsent else [], [], _IDLE_S)
                talk.turn(bool(readable))
                bench.advance()
        if not _is_out(faults):
            return
        plugged_in = _tell_nobody
        while _is_out(faults) and not stop.is_set():
            select.select([], [], [], _IDLE_S)
            bench.advance()


def serve_tcp(
    bench: SimulatedBench,
    host: str,
    port: int,
    on_ready: Callable[[str], None],
    stop: Stop,
    *,
    faults: LinkFaults | None = None,
) -> None:
    """Serve on a TCP port until `stop` is set, one client at a time; others are turned away.

    Args:
        bench: what is served.
        host: name or address to listen on.
        port: 0 takes any that is free.
        on_ready: told "host:port" when clients may come.
        stop: asked every few milliseconds.
        faults: of the cable; while it is out nobody is let in.

    Raises:
        UsageError: it cannot be listened on.
    """
    with (
        closing(_listen(host, port)) as listener,
        closing(_Clients(bench, faults)) as clients,
    ):
        listener.setblocking(False)
        shown = f"[{host}]" if ":" in host else host
        on_ready(f"{shown}:{listener.getsockname()[1]}")
        while not stop.is_set():
            clients.turn(listener)
            bench.advance()


def _is_out(faults: LinkFaults | None) -> bool:
    return faults is not None and faults.unplugged()


def _tell_nobody(path: str) -> None:
    del path


class _Clients:
    """At most one client, and a door."""

    def __init__(self, bench: SimulatedBench, faults: LinkFaults | None) -> None:
        self._bench = bench
        self._faults = faults
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
        out = _is_out(self._faults)
        if talk is not None:
            talk.turn(talk.fileno() in readable)
            if out or not talk.alive:
                self.close()
        if listener.fileno() in readable:
            self._let_in(listener, welcome=not out)

    def close(self) -> None:
        """Hang up on whoever is there."""
        if self._talk is not None:
            self._talk.close()
            self._talk = None

    def _let_in(self, listener: socket.socket, *, welcome: bool) -> None:
        try:
            connection, _ = listener.accept()
        except OSError:
            return  # it went away between knocking and entering
        if welcome and self._talk is None:
            self._talk = Talk(self._bench, SocketPort(connection), self._faults)
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
