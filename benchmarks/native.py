"""The real firmware on native_sim: round trip, errors of edges, bursts.

Usage: python benchmarks/native.py IMAGE [REQUESTS]

IMAGE is zephyr.exe as `make firmware` builds it. Prints the round trip of `time` over the
pseudo-terminal, how far the stamps of edges lie from the times at which they were sent (at once)
or asked for (with their own time), and what 10,000 edges in bursts at 50 kHz leave. On native_sim
code takes no simulated time, so nothing here says how fast a board is.
"""

import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import Edge
from resume_rig.rig.client import SmpRig
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.serial_port import open_serial
from resume_rig.timing.clocks import SystemClock

MESSAGE = struct.Struct("=QII")
US, MS = 1_000, 1_000_000
LED_BIT = 1 << list(Channel).index(Channel.LED)
WARM_UP = 50
EDGES = 2_000


@dataclass(frozen=True, slots=True)
class Bench:
    """A running image, a rig on it, and the far end of its wires."""

    rig: SmpRig
    clock: SystemClock
    wires: socket.socket
    board: str
    pid: int

    def set_led(self, level: int, host_ns: int = 0) -> None:
        """Put a level on the wire of LED, at a host time or at once."""
        self.wires.sendto(MESSAGE.pack(host_ns, LED_BIT, LED_BIT * level), self.board)

    def boot_ns(self) -> int:
        """Return the host's time of board time 0, from a press that both sides stamp exactly."""
        self.wires.sendto(MESSAGE.pack(0, 0, 0), self.board)
        self.wires.recv(64)
        start_ns = self.rig.press(Actuator.BUTTON, MS).start_ns
        pressed_ns = int(MESSAGE.unpack(self.wires.recv(64))[0])
        self.wires.recv(64)
        return pressed_ns - start_ns

    def edges(self, cursor: int) -> list[Edge]:
        """Read every edge from a number on."""
        found: list[Edge] = []
        more = True
        while more:
            batch = self.rig.edges(cursor + len(found), 512)
            found += batch.edges
            more = batch.more
        return found


@contextmanager
def running(image: str) -> Iterator[Bench]:
    """Start the image and connect."""
    with tempfile.TemporaryDirectory(prefix="rig") as name:
        folder = Path(name)
        port, board = folder / "smp", folder / "board"
        arguments = [image, f"--rig-link={port}", f"--rig-wires={board}"]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            while "resume-rig" not in process.stdout.readline():
                pass
            clock = SystemClock()
            wires = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            wires.bind(str(folder / "host"))
            rig = SmpRig(SmpClient(open_serial(str(port), clock, "native"), clock))
            try:
                yield Bench(rig, clock, wires, str(board), process.pid)
            finally:
                rig.close()
                wires.close()
                process.terminate()


def show(what: str, values_ns: Sequence[int]) -> None:
    """Print one line of the table, in microseconds."""
    ordered = sorted(values_ns)
    at = [ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], ordered[-1]]
    median, p99, most = (value / US for value in at)
    print(f"{what:42} {median:10.1f} {p99:10.1f} {most:10.1f}   us (n={len(ordered)})")


def round_trips(bench: Bench, requests: int) -> list[int]:
    """Return how long each request took, host clock."""
    taken: list[int] = []
    for _ in range(requests + WARM_UP):
        exchange = bench.rig.exchange_clocks()
        taken.append(exchange.host_rx_ns - exchange.host_tx_ns)
    return taken[WARM_UP:]


def sent_at_once(bench: Bench, boot_ns: int, cursor: int) -> list[int]:
    """How late edges are stamped that are sent when they happen."""
    sent_ns: list[int] = []
    for n in range(EDGES):
        sent_ns.append(bench.clock.now_ns())
        bench.set_led(n % 2)
        bench.clock.sleep_ns(MS)
    found = bench.edges(cursor)
    return [boot_ns + edge.t_ns - at for edge, at in zip(found, sent_ns, strict=True)]


def sent_ahead(bench: Bench, boot_ns: int, cursor: int) -> list[int]:
    """How far stamps are from the times that the edges were asked for."""
    start_ns = bench.clock.now_ns() + 100 * MS
    asked_ns = [start_ns + n * 333_333 for n in range(EDGES)]
    for n, at_ns in enumerate(asked_ns):
        bench.set_led(n % 2, at_ns)
    bench.clock.sleep_ns(asked_ns[-1] + MS - bench.clock.now_ns())
    found = bench.edges(cursor)
    return [abs(boot_ns + edge.t_ns - at) for edge, at in zip(found, asked_ns, strict=True)]


def bursts(bench: Bench, cursor: int) -> tuple[int, int]:
    """Return how many of 10,000 edges in ten bursts at 50 kHz arrived, and the overruns."""
    start_ns = bench.clock.now_ns() + 300 * MS
    for n in range(10_000):
        bench.set_led(n % 2, start_ns + n // 1000 * 50 * MS + n % 1000 * 20 * US)
    bench.clock.sleep_ns(start_ns + 500 * MS - bench.clock.now_ns())
    return len(bench.edges(cursor)), bench.rig.faults().edge_overruns


def cpu_share(bench: Bench) -> float:
    """Return the share of one core that the image takes while nobody asks."""

    def used_s() -> float:
        fields = Path(f"/proc/{bench.pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before_s, start_s = used_s(), time.monotonic()
    bench.clock.sleep_ns(3_000 * MS)
    return (used_s() - before_s) / (time.monotonic() - start_s)


def main() -> None:
    """Print the table."""
    requests = int(sys.argv[2]) if len(sys.argv) > 2 else 2_000
    with running(sys.argv[1]) as bench:
        print(f"{bench.rig.info().board:42} {'median':>10} {'p99':>10} {'max':>10}")
        boot_ns = bench.boot_ns()
        show("round trip of time", round_trips(bench, requests))
        show("echo of 1,700 B", [bench.rig.ping("x" * 1_700) for _ in range(requests)])
        show("edge sent at once: stamp - time sent", sent_at_once(bench, boot_ns, 0))
        show("edge sent ahead: |stamp - time asked|", sent_ahead(bench, boot_ns, EDGES))
        arrived, overruns = bursts(bench, 2 * EDGES)
        print(f"10,000 edges in bursts at 50 kHz: {arrived} arrived, {overruns} overruns")
        print(f"CPU while idle: {cpu_share(bench):.1%} of one core")


if __name__ == "__main__":
    main()
