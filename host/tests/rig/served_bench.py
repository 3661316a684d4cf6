"""A simulated bench behind a port of the loop-back interface, as long as a test wants it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.serve import serve_tcp


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
