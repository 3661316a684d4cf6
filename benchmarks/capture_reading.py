"""Reads large captures: ours beside a loop over lines, and beside pyvcd's tokens.

The captures are made here, in a temporary folder: a line that changes EDGES times, as sigrok's VCD,
as CSV with a row a change, and as a sigrok session in which it changes at every second sample. Each
reader runs in a process of its own, so that its peak memory is its own; times are of the processor.
The loop over lines is the least that a reader can do: it splits, and makes a list of times and
levels. pyvcd reads a tenth of the edges.

    python benchmarks/capture_reading.py [EDGES]
"""

import importlib
import multiprocessing
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

PIECE = 250_000
HEAD = """$comment
  Acquisition with 2/8 channels at 1 MHz
$end
$timescale 1 ns $end
$var wire 1 ! PWR_OK $end
$var wire 1 " SLP_S3 $end
$enddefinitions $end
#0 1! 1"
"""


def write_captures(folder: Path, edges: int) -> None:
    """Write the captures, each with as many edges but for a last one."""
    times_ns = np.cumsum(np.random.default_rng(1).integers(1, 400, edges)) * 1_000
    for name, count in (("ours.vcd", edges), ("tokens.vcd", edges // 10)):
        with (folder / name).open("w") as file:
            file.write(HEAD)
            for start in range(0, count, PIECE):
                part = enumerate(times_ns[start : min(start + PIECE, count)].tolist(), start)
                file.write("".join(f"#{t} {n % 2}!\n" for n, t in part))
    with (folder / "ours.csv").open("w") as file:
        file.write("Time [s],PWR_OK,SLP_S3\n0.000000000,1,1\n")
        for start in range(0, edges, PIECE):
            part = enumerate(times_ns[start : start + PIECE].tolist(), start)
            rows = (f"{t // 10**9}.{t % 10**9:09},{n % 2},1\n" for n, t in part)
            file.write("".join(rows))
    meta = "[device 1]\ncapturefile=logic-1\nsamplerate=24 MHz\nprobe1=PWR_OK\nunitsize=1\n"
    with zipfile.ZipFile(folder / "ours.sr", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("metadata", meta)
        archive.writestr("logic-1-1", bytes([1, 1, 0, 0]) * (edges // 2))


def ours(path: Path) -> int:
    """Read with resume-rig."""
    from resume_rig.rig.capture.reading import read_capture

    return len(read_capture(path, {}).edges)


def lines(path: Path) -> int:
    """Read line by line, as a script would."""
    found: list[tuple[float, str]] = []
    with path.open() as file:
        for line in file:
            if line.startswith("#"):
                t, *values = line.split()
                found += [(int(t[1:]), value[0]) for value in values if value[1:] == "!"]
            elif path.suffix == ".csv" and line[0].isdigit():
                t, level, _ = line.split(",")
                found.append((float(t), level))
    return len(found)


def tokens(path: Path) -> int:
    """Read with pyvcd."""
    from vcd.reader import ScalarChange, tokenize

    with path.open("rb") as file:
        return sum(isinstance(token.data, ScalarChange) for token in tokenize(file))


def peak_mb() -> int:
    """Return the most memory that this process had; 0 where nobody says (not Linux)."""
    status = Path("/proc/self/status")
    text = status.read_text() if status.exists() else "VmHWM: 0 kB"
    return int(text.partition("VmHWM:")[2].split()[0]) // 1024


def measure(read: Callable[[Path], int], path: Path, answer: Connection) -> None:
    """Send edges, seconds of the processor, and MB of memory that reading took."""
    importlib.import_module("resume_rig.rig.capture.reading")  # takes as long as a small capture
    before = peak_mb()
    start = time.process_time()
    count = read(path)
    seconds = time.process_time() - start
    answer.send((count, seconds, peak_mb() - before))


def main() -> None:
    """Write, read, print."""
    edges = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_captures(folder, edges)
        runs: list[tuple[str, Callable[[Path], int], str]] = [
            (kind, read, file)
            for file in ("ours.vcd", "ours.csv", "ours.sr")
            for kind, read in (("resume-rig", ours), ("loop over lines", lines))
            if not (file == "ours.sr" and read is lines)
        ]
        runs.append(("pyvcd", tokens, "tokens.vcd"))
        context = multiprocessing.get_context("spawn")
        for kind, read, file in runs:
            mine, theirs = context.Pipe()
            process = context.Process(target=measure, args=(read, folder / file, theirs))
            process.start()
            count, seconds, memory = mine.recv()
            process.join()
            print(
                f"{file:<11} {kind:<16} {count:>9} edges  {seconds:6.2f} s"
                f"  {count / seconds / 1e6:6.2f} million/s  {memory:>5} MB"
            )


if __name__ == "__main__":
    main()
