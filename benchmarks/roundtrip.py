"""Round trip of one request over a PTY, against a fake board in a thread of this process.

Usage: python benchmarks/roundtrip.py [REQUESTS]

Prints median and 99th percentile of `echo` (OS group) and `time` (rig group) through this
project's transport, and of `echo` through the stock smpclient (extra dfu) where it is installed.
The target for our own is a median below 1 ms. The board's share (decode, answer, encode, in the
same interpreter) is part of every figure.
"""

import asyncio
import os
import select
import sys
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cbor2

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "rig"))

from raw_request import Packet, packed

from resume_rig.rig.commands.board import EchoRequest
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.framing import Decoder, encode
from resume_rig.rig.smp.packet import Group, Header
from resume_rig.rig.smp.serial_transport import open_serial
from resume_rig.timing.clocks import SystemClock

try:
    from smpclient import SMPClient
    from smpclient.requests.os_management import EchoWrite
    from smpclient.transport.serial import SMPSerialTransport
except ImportError:  # the extra is optional
    STOCK_INSTALLED = False
else:
    STOCK_INSTALLED = True

TARGET_MS = 1.0
WARM_UP = 50
INFO = {
    "proto": 1,
    "fw": "bench",
    "board": "bench",
    "boot": 1,
    "clk": "host",
    "hz": 1_000_000_000,
    "tol": 0,
    "lease": 60_000_000_000,
    "ch": [],
    "act": [],
    "ering": 1,
    "lring": 0,
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table; milliseconds."""

    name: str
    median_ms: float
    p99_ms: float


def answer(request: bytes) -> bytes:
    """Return the fake board's reply: echo, info, or the time."""
    packet = Packet.unpack(request)
    asked = packet.header
    if (asked.group, asked.command) == (Group.OS, 0):
        fields = {"r": cbor2.loads(packet.payload)["d"]}
    elif (asked.group, asked.command) == (Group.RIG, 0):
        fields = INFO
    elif (asked.group, asked.command) == (Group.RIG, 1):
        now_ns = time.monotonic_ns()
        fields = {"boot": 1, "rx": now_ns, "tx": now_ns}
    else:
        fields = {"rc": 8}
    payload = cbor2.dumps(fields)
    header = Header(
        asked.operation + 1,
        asked.group,
        asked.sequence,
        asked.command,
        len(payload),
        version=asked.version,
    )
    return packed(header) + payload


@contextmanager
def fake_board() -> Iterator[str]:
    """Serve a PTY from a thread; yields its path."""
    master, slave = os.openpty()
    tty.setraw(slave)
    stop_read, stop_write = os.pipe()

    def serve() -> None:
        decoder = Decoder()
        while True:
            ready, _, _ = select.select([master, stop_read], [], [])
            if stop_read in ready:
                return
            for request in decoder.feed(os.read(master, 4096)):
                os.write(master, encode(answer(request)))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield os.ttyname(slave)
    finally:
        os.write(stop_write, b"x")
        thread.join(5)
        for descriptor in (master, slave, stop_read, stop_write):
            os.close(descriptor)


def figure(name: str, durations_ns: list[int]) -> Figure:
    """Return the line for what was measured after the warm-up."""
    ordered = sorted(durations_ns[WARM_UP:])
    return Figure(name, ordered[len(ordered) // 2] / 1e6, ordered[len(ordered) * 99 // 100] / 1e6)


def measure(name: str, ask: Callable[[], object], requests: int) -> Figure:
    """Time `requests` calls, as their caller sees them."""
    durations_ns: list[int] = []
    for _ in range(requests + WARM_UP):
        before_ns = time.perf_counter_ns()
        ask()
        durations_ns.append(time.perf_counter_ns() - before_ns)
    return figure(name, durations_ns)


def measure_own(requests: int) -> list[Figure]:
    """Measure this project's client."""
    with fake_board() as path:
        clock = SystemClock()
        client = SmpClient(open_serial(path, clock, f"serial:{path}"), clock)
        rig = SmpRig(client)
        echo = partial(client.request, EchoRequest("12345678"))
        rig.info()
        try:
            return [
                measure("resume-rig echo", echo, requests),
                measure("resume-rig time", rig.exchange_clocks, requests),
            ]
        finally:
            rig.close()


async def stock_durations_ns(path: str, requests: int) -> list[int]:
    """Time echoes through the stock smpclient."""
    durations_ns: list[int] = []
    async with SMPClient(SMPSerialTransport(), path) as client:
        for _ in range(requests + WARM_UP):
            before_ns = time.perf_counter_ns()
            await client.request(EchoWrite(d="12345678"))
            durations_ns.append(time.perf_counter_ns() - before_ns)
    return durations_ns


def measure_stock(requests: int) -> Figure | None:
    """Measure the peer; None where it is not installed."""
    if not STOCK_INSTALLED:
        return None
    with fake_board() as path:
        return figure("smpclient echo", asyncio.run(stock_durations_ns(path, requests)))


def main() -> int:
    """Measure and print; 1 when the target is missed."""
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    own = measure_own(requests)
    stock = measure_stock(min(requests, 500))
    print(f"{'over a PTY':<18}{'median [ms]':>12}{'p99 [ms]':>12}")
    for line in [*own, *([stock] if stock else [])]:
        print(f"{line.name:<18}{line.median_ms:>12.3f}{line.p99_ms:>12.3f}")
    if stock is None:
        print("smpclient is not installed (extra dfu): no comparison")
    else:
        print(f"stock / own, echo: {stock.median_ms / own[0].median_ms:.1f} times")
    return 0 if max(line.median_ms for line in own) < TARGET_MS else 1


if __name__ == "__main__":
    raise SystemExit(main())
