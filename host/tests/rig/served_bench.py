"""A simulated bench behind a port of the loop-back interface, as long as a test wants it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from serial import rfc2217

from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.serve import serve_tcp

AGREES = rfc2217.IAC + rfc2217.WILL + rfc2217.COM_PORT_OPTION
"""What a host of a board says before anything else."""


@contextmanager
def served(bench: SimulatedBench, port: int = 0) -> Iterator[str]:
    """Serve a bench; yield its address; at the end it is unplugged."""
    ready, stop = threading.Event(), threading.Event()
    address: list[str] = []

    def on_ready(place: str) -> None:
        address.append(place)
        ready.set()

    server = threading.Thread(
        target=serve_tcp, args=(bench, "127.0.0.1", port, on_ready, stop), daemon=True
    )
    server.start()
    assert ready.wait(60)
    try:
        yield address[0]
    finally:
        stop.set()
        server.join(60)


def heard_from(connection: socket.socket) -> bytes:
    """Return all that a server says until it hangs up."""
    heard = b""
    try:
        while more := connection.recv(4096):
            heard += more
    except ConnectionError:
        pass
    return heard
