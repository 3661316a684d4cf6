"""Errors of edges as `resume-rig watch --json` tells them, on the real firmware on native_sim.

Usage: python benchmarks/watch_edges.py IMAGE [EDGES]

IMAGE is zephyr.exe as `make firmware` builds it. The command runs in a process of its own, as a
user starts it. Meanwhile edges are put on the image's wires at known times of this machine's
clock, half of them sent 5 ms ahead of their time, half at once. Prints how far the stamps of the
document are from those times: median, p99, maximum. Exits 1 where an edge is missing and not
counted as lost.

On native_sim code takes no simulated time: nothing here says how fast a board is.
"""

import json
import subprocess
import sys
from pathlib import Path

from native import AHEAD_NS, MS, Board, running, shown

from resume_rig.model.channel import Channel
from resume_rig.rig.native.wires import level_change

STEP_NS = 2 * MS
BURST_EDGES = 1_000
BURST_STEP_NS = 20_000
LEAD_NS = 200 * MS
START_NS = 3_000 * MS
AT_ONCE, AHEAD, BURST = Channel.LED, Channel.PLTRST, Channel.SLP_S4


def watched(terminal: str, seconds: int) -> "subprocess.Popen[str]":
    """Start `resume-rig watch --json` on a terminal."""
    words = ["watch", "--json", "--rig", f"serial:{terminal}", "--for", f"{seconds}s"]
    command = [sys.executable, "-m", "resume_rig", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def send(board: Board, count: int) -> dict[Channel, list[int]]:
    """Put edges on the wires, one level after the other; return their times."""
    sent: dict[Channel, list[int]] = {AT_ONCE: [], AHEAD: [], BURST: []}

    def change(t_ns: int, channel: Channel) -> None:
        board.wires.send(level_change(t_ns, channel, len(sent[channel]) % 2))
        sent[channel].append(t_ns)

    for number in range(count):
        if number % 2:
            change(board.clock.now_ns() + AHEAD_NS, AHEAD)
        else:
            change(board.clock.now_ns(), AT_ONCE)
        board.clock.sleep_ns(STEP_NS)
    start_ns = board.clock.now_ns() + LEAD_NS
    for number in range(BURST_EDGES):
        change(start_ns + number * BURST_STEP_NS, BURST)
    return sent


def main() -> int:
    """Measure and print; 1 when an edge is missing and was not counted."""
    if len(sys.argv) < 2:
        raise SystemExit("usage: python benchmarks/watch_edges.py IMAGE [EDGES]")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 4_000
    with running(Path(sys.argv[1])) as board:
        board.rig.close()  # a terminal has one user
        seconds = (START_NS + count * (STEP_NS + MS) + 5 * LEAD_NS) // 1_000_000_000 + 2
        with watched(board.terminal, seconds) as process:
            board.clock.sleep_ns(START_NS)
            sent = send(board, count)
            document = json.loads(process.communicate()[0])
    missing = 0
    print(f"{'[us]':<40}{'median':>12}{'p99':>12}{'max':>12}")
    for channel, times in sent.items():
        stamps = [e["t_ns"] for e in document["edges"] if e["channel"] == channel]
        missing += len(times) - len(stamps)
        # Where one is missing nobody can say which of them a stamp belongs to.
        if len(stamps) == len(times):
            pairs = zip(stamps, times, strict=True)
            errors = [stamp + board.boot_ns - t_ns for stamp, t_ns in pairs]
            print(shown(f"|stamp - sent|, {NAMES[channel]}", errors))
    total = sum(map(len, sent.values()))
    print(f"{total} sent, {missing} not told, {document['lost']} of them counted as lost")
    return 0 if missing <= document["lost"] else 1


NAMES = {
    AT_ONCE: "sent at once",
    AHEAD: f"sent {AHEAD_NS // MS} ms ahead",
    BURST: "a burst at 50 kHz",
}

if __name__ == "__main__":
    raise SystemExit(main())
