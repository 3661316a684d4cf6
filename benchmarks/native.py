"""The real firmware on native_sim: round trip, errors of edges, bursts, light.

Usage: python benchmarks/native.py IMAGE [EDGES]

IMAGE is zephyr.exe as `make firmware` builds it. Prints the round trip of `time` (rig group) over
the pseudo-terminal, |stamp - sent time| of edges sent ahead of their time and of edges sent at
once, what 10,000 edges in bursts at 50 kHz come to (read, or counted as lost), and what the image
takes of a core, idle and while it samples light, and how fast light comes over: blocks of 1 ms, and
the samples about its onset. Exits 1 where an edge is missing and not counted, where the median
round trip is 1 ms or more, or where light comes at less than 2 MB/s. On native_sim code takes no
simulated time: nothing here says how fast a board is.

A press gives the host time of board time 0: the image tells when its output changed, the board
when it was to change. The board counts whole microseconds, so an exact stamp is up to 1 us early.
"""

import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.clock import Clock
from resume_rig.model.edge import Edge
from resume_rig.rig.commands.board import EchoRequest
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.native.bench import Image
from resume_rig.rig.native.wires import PinChange, Wires, level_change, light_change
from resume_rig.rig.smp.client import SmpClient, Transport
from resume_rig.rig.smp.serial_transport import open_serial
from resume_rig.timing.clocks import SystemClock

US = 1_000
MS = 1_000_000
TARGET_NS = MS
TARGET_BYTES_PER_S = 2_000_000
AHEAD_NS = 5 * MS
LEAD_NS = 200 * MS
BURSTS = 10
BURST_EDGES = 1_000
BURST_STEP_NS = 20 * US
BATCH = 512
ECHO_BYTES = 1_700
LIGHT_NS = 4_000 * MS
LIGHT_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Board:
    """A running image, with both its ends in our hands."""

    client: SmpClient
    rig: SmpRig
    port: Transport
    wires: Wires
    clock: Clock
    boot_ns: int
    pid: int
    terminal: str


@dataclass(frozen=True, slots=True)
class Read:
    """What the board gave back."""

    edges: list[Edge]
    lost: int


@contextmanager
def running(image: Path) -> Iterator[Board]:
    """Start the image; yields it with the host time of its board time 0."""
    clock = SystemClock()
    with tempfile.TemporaryDirectory() as folder, closing(Wires()) as wires:
        place = Path(folder) / "wires"
        started = Image(image, [f"-rig-wires={place}"])
        try:
            while started.terminal is None or not wires.connect(place):
                if not started.listen():
                    raise SystemExit(f"{image} {started.exit_clause()}")
            port = open_serial(started.terminal, clock, "native:")
            client = SmpClient(port, clock)
            rig = SmpRig(client)
            with closing(rig):
                boot = boot_ns(rig, wires, clock)
                yield Board(client, rig, port, wires, clock, boot, started.pid, started.terminal)
        finally:
            started.stop()


def boot_ns(rig: SmpRig, wires: Wires, clock: Clock) -> int:
    """Return the host time of board time 0, by a press that both sides know."""
    wires.greet()
    clock.sleep_ns(50 * MS)
    list(wires.outputs())
    start = rig.press(Actuator.BUTTON, MS)
    told: list[PinChange] = []
    while not told:
        clock.sleep_ns(5 * MS)
        told += wires.outputs()
    return told[0].t_ns - start.start_ns


def read_from(board: Board, cursor: int) -> Read:
    """Read all edges from a cursor on."""
    edges: list[Edge] = []
    lost = 0
    while True:
        batch = board.rig.edges(cursor, BATCH)
        edges.extend(batch.edges)
        lost += batch.lost
        cursor = batch.next_number
        if not batch.more:
            return Read(edges, lost)


def errors_ns(board: Board, sent_ns: Sequence[int], cursor: int) -> list[int]:
    """Return stamp minus sent time of each edge."""
    found = read_from(board, cursor)
    if len(found.edges) != len(sent_ns):
        raise SystemExit(f"sent {len(sent_ns)} edges, read {len(found.edges)}, lost {found.lost}")
    return [
        edge.t_ns + board.boot_ns - t_ns for edge, t_ns in zip(found.edges, sent_ns, strict=True)
    ]


def measure(board: Board, count: int, ahead_ns: int, cursor: int) -> list[int]:
    """Send `count` edges, one every 2 ms, each `ahead_ns` before its time (0: at once)."""
    errors: list[int] = []
    while len(errors) < count:
        sent_ns: list[int] = []
        for number in range(min(BATCH, count - len(errors))):
            t_ns = board.clock.now_ns() + ahead_ns
            change = level_change(t_ns, Channel.LED, number % 2)
            board.wires.send(change)
            sent_ns.append(t_ns)
            board.clock.sleep_ns(2 * MS)
        board.clock.sleep_ns(ahead_ns + 20 * MS)
        errors += errors_ns(board, sent_ns, cursor)
        cursor += len(sent_ns)
    return errors


def bursts(board: Board, cursor: int) -> tuple[int, Read, list[int]]:
    """Send bursts at 50 kHz ahead of time; return how many, what came back, and errors."""
    level = board.rig.levels()[Channel.LED]
    start_ns = board.clock.now_ns() + LEAD_NS
    sent_ns: list[int] = []
    edges: list[Edge] = []
    lost = 0
    for burst in range(BURSTS):
        for number in range(BURST_EDGES):
            level = 1 - level
            t_ns = start_ns + burst * LEAD_NS + number * BURST_STEP_NS
            board.wires.send(level_change(t_ns, Channel.LED, level))
            sent_ns.append(t_ns)
        board.clock.sleep_ns(sent_ns[-1] + 10 * MS - board.clock.now_ns())
        found = read_from(board, cursor + len(edges) + lost)
        edges += found.edges
        lost += found.lost
    # Where some are lost, nobody can say which of them an edge is.
    whole = len(edges) == len(sent_ns)
    errors = [e.t_ns + board.boot_ns - sent_ns[e.number - cursor] for e in edges if whole]
    return len(sent_ns), Read(edges, lost), errors


def shown(name: str, errors: Sequence[int]) -> str:
    """Return one line of the table; microseconds."""
    ordered = sorted(abs(error) for error in errors)
    figures = (ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], ordered[-1])
    return f"{name:<40}" + "".join(f"{value / US:>12.1f}" for value in figures)


def round_trips_ns(board: Board, requests: int) -> list[int]:
    """Return how long each `time` took."""
    made = [board.rig.exchange_clocks() for _ in range(requests)]
    return [exchange.host_rx_ns - exchange.host_tx_ns for exchange in made]


def cpu_share(board: Board) -> float:
    """Return the share of one core that the image takes while nobody asks."""

    def used_s() -> float:
        fields = Path(f"/proc/{board.pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before_s, start_ns = used_s(), board.clock.now_ns()
    board.clock.sleep_ns(3_000 * MS)
    return (used_s() - before_s) * 1e9 / (board.clock.now_ns() - start_ns)


def record_light(board: Board) -> float:
    """Record a panel that comes on; return the share of a core that sampling takes."""
    board.wires.send(light_change(0, 33))
    board.clock.sleep_ns(20 * MS)
    board.rig.arm_light(LIGHT_NS)
    board.wires.send(light_change(board.clock.now_ns() + 200 * MS, 2_000))
    share = cpu_share(board)
    board.clock.sleep_ns(LIGHT_NS - 3_000 * MS + 20 * MS)
    return share


def blocks_of(board: Board) -> int:
    """Read all blocks of light once; return how many there are."""
    cursor = 0
    while True:
        batch = board.rig.light(cursor, 4 * BATCH)
        if batch.next_number == cursor:
            return cursor
        cursor = batch.next_number


def samples_of(board: Board) -> int:
    """Read all samples about the onset once; return how many there are."""
    cursor = count = 0
    while True:
        batch = board.rig.samples(cursor)
        count += len(batch.counts)
        if not batch.more:
            return count
        cursor = batch.first + len(batch.counts)


def echo_ns(client: SmpClient) -> int:
    """Return the round trip of an echo."""
    reply = client.request(EchoRequest("x" * ECHO_BYTES))
    return reply.rx_ns - reply.tx_ns


def bytes_per_s(board: Board, read: Callable[[Board], int]) -> tuple[float, int]:
    """Read the same again and again; return the rate on the terminal and the items of a round."""
    before_bytes, start_ns = board.port.received_bytes, board.clock.now_ns()
    counts = [read(board) for _ in range(LIGHT_ROUNDS)]
    took_ns = board.clock.now_ns() - start_ns
    return (board.port.received_bytes - before_bytes) * 1e9 / took_ns, counts[-1]


def main() -> int:
    """Measure and print; 1 when a target is missed."""
    if len(sys.argv) < 2:
        raise SystemExit("usage: python benchmarks/native.py IMAGE [EDGES]")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    with running(Path(sys.argv[1])) as board:
        board.rig.info()
        ahead = measure(board, count, AHEAD_NS, 0)
        now = measure(board, count, 0, count)
        trips = round_trips_ns(board, count)
        echoes = [echo_ns(board.client) for _ in range(count)]
        sent, read, burst_errors = bursts(board, 2 * count)
        overruns = board.rig.faults().edge_overruns
        share = cpu_share(board)
        light_share = record_light(board)
        rates = {"blocks": bytes_per_s(board, blocks_of), "samples": bytes_per_s(board, samples_of)}
    print(f"{'[us]':<40}{'median':>12}{'p99':>12}{'max':>12}")
    print(shown("round trip of time", trips))
    print(shown(f"echo of {ECHO_BYTES:,} B", echoes))
    print(shown("|stamp - sent|, sent at once", now))
    print(shown(f"|stamp - sent|, sent {AHEAD_NS // MS} ms ahead", ahead))
    if burst_errors:
        print(shown("|stamp - sent|, bursts at 50 kHz", burst_errors))
    uncounted = sent - len(read.edges) - max(read.lost, overruns)
    print(
        f"bursts: {sent} sent, {len(read.edges)} read, {read.lost} lost by number, "
        f"{overruns} overruns, {max(uncounted, 0)} lost and not counted"
    )
    print(f"CPU while nobody asks: {share:.1%} of one core; sampling light: {light_share:.1%}")
    for name, (rate, items) in rates.items():
        print(f"{items:,} {name} of light, {LIGHT_ROUNDS} times: {rate / 1e6:.2f} MB/s")
    fast = all(rate >= TARGET_BYTES_PER_S for rate, _ in rates.values())
    return 0 if uncounted <= 0 and statistics.median(trips) < TARGET_NS and fast else 1


if __name__ == "__main__":
    raise SystemExit(main())
