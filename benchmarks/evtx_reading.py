"""Reads a large EVTX file: ours beside the `evtx` library by itself, and beside python-evtx.

Ours audits every chunk and looks for sleeps in every record that the library renders; the library
by itself only renders them. python-evtx gets a small part of the file.

The file is made in a temporary folder from the chunks of real logs (RESUME_RIG_SHARED_DATA, or
../shared/data): their records numbered anew, their checksums redone. Each reading is a process
of its own, so that its peak memory is its own, and imports count. Two speeds are told: by the
clock, which is what a user waits for, and by processor time, which other programs on the machine
disturb less. Of several readings the best of each counts; where the clock ran much longer than
the processor worked, the machine was loaded, and the first figure is too low.

    python benchmarks/evtx_reading.py [MEGABYTES] [READINGS]
"""

import multiprocessing
import os
import resource
import struct
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from multiprocessing.connection import Connection
from pathlib import Path

from log_reading import ours

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("RESUME_RIG_SHARED_DATA", ROOT.parent / "shared" / "data"))
HEADER, CHUNK, RECORDS = 4096, 65536, 512
PEER_MB = 1  # it takes a second or more for each 500 KB
NUMBER_INDEX, NUMBER_TYPE = 10, 0x0A  # a record's values hold its number once more
LOADED = 1.15  # time by the clock over processor time


@dataclass(frozen=True)
class Reading:
    """What one reading of a file took, or the best of several."""

    found: int
    wall_s: float
    cpu_s: float
    peak_mb: float

    @property
    def state(self) -> str:
        """Whether the machine was free for it."""
        return "loaded" if self.wall_s > LOADED * self.cpu_s else "quiet"


def used_chunks(folder: Path) -> list[bytes]:
    """Return the used chunks of all real logs."""
    found = []
    for path in sorted(folder.glob("*.evtx")):
        content = path.read_bytes()
        for start in range(HEADER, len(content) - CHUNK + 1, CHUNK):
            chunk = content[start : start + CHUNK]
            if chunk.startswith(b"ElfChnk\0") and struct.unpack_from("<q", chunk, 16)[0] > 0:
                found.append(chunk)
    return found


def renumbered(chunk: bytes, first: int) -> tuple[bytes, int]:
    """Return a chunk whose records are numbered from `first`, and the next number."""
    changed = bytearray(chunk)
    (used,) = struct.unpack_from("<I", chunk, 48)
    place, number = RECORDS, first
    while place < used:
        (size,) = struct.unpack_from("<I", chunk, place + 4)
        struct.pack_into("<Q", changed, place + 8, number)
        start = place + 38
        if struct.unpack_from("<I", chunk, place + 34)[0] == start:
            start += 24 + struct.unpack_from("<I", chunk, start + 20)[0]
        (count,) = struct.unpack_from("<I", chunk, start)
        heads = struct.unpack_from("<" + "HBx" * (NUMBER_INDEX + 1), chunk, start + 4)
        at = start + 4 + 4 * count + sum(heads[:-2:2])
        if heads[-2:] == (8, NUMBER_TYPE):
            struct.pack_into("<Q", changed, at, number)
        place += size
        number += 1
    struct.pack_into("<QQQQ", changed, 8, first, number - 1, first, number - 1)
    struct.pack_into("<I", changed, 52, zlib.crc32(changed[RECORDS:used]))
    struct.pack_into("<I", changed, 124, zlib.crc32(changed[:120] + changed[128:RECORDS]))
    return bytes(changed), number


def write_log(path: Path, chunks: list[bytes], megabytes: int) -> int:
    """Write a log of about this size and return how many records it has."""
    count, number = megabytes * 1_000_000 // CHUNK, 1
    with path.open("wb") as stream:
        stream.write(bytes(HEADER))
        for _, chunk in zip(range(count), cycle(chunks), strict=False):
            changed, number = renumbered(chunk, number)
            stream.write(changed)
        head = struct.pack(
            *("<8sQQQIHHHH", b"ElfFile\0", 0, count - 1, number),
            *(128, 1, 3, HEADER, min(count, 65535)),
        ).ljust(120, b"\0")
        stream.seek(0)
        stream.write(head + struct.pack("<II", 0, zlib.crc32(head)))
    return number - 1


def library(path: Path) -> int:
    """Render every record with the `evtx` library and no more; return how many."""
    from evtx import PyEvtxParser

    return sum(1 for _ in PyEvtxParser(str(path), number_of_threads=1).records())


def peer(path: Path) -> int:
    """Read with python-evtx, as a script would."""
    from Evtx.Evtx import Evtx

    with Evtx(str(path)) as log:
        return sum("Power-Troubleshooter" in record.xml() for record in log.records())


def best_of(count: int, job: Callable[[Path], int], path: Path) -> Reading:
    """Return the best of several readings, each figure by itself.

    Raises:
        EOFError: a process ended without an answer.
    """
    readings = [_in_process(job, path) for _ in range(count)]
    (found,) = {reading.found for reading in readings}
    return Reading(
        found=found,
        wall_s=min(reading.wall_s for reading in readings),
        cpu_s=min(reading.cpu_s for reading in readings),
        peak_mb=max(reading.peak_mb for reading in readings),
    )


def _in_process(job: Callable[[Path], int], path: Path) -> Reading:
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=_run, args=(job, path, sender))
    process.start()
    sender.close()  # or the end of the process would not be the end of the pipe
    reading: Reading = receiver.recv()
    process.join()
    return reading


def _run(job: Callable[[Path], int], path: Path, sender: Connection) -> None:
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    found = job(path)
    wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sender.send(Reading(found, wall_s, cpu_s, peak_mb))


def main() -> None:
    """Print one line a reader, and the ratios of their speeds."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    chunks = used_chunks(SHARED / "eventlog")
    if not chunks:
        print(f"EVTX: skipped, no real log in {SHARED / 'eventlog'}")
        return
    speeds: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        jobs = (
            ("resume-rig", ours, "sleeps", megabytes, count),
            ("evtx", library, "records", megabytes, count),
            ("python-evtx", peer, "sleeps", PEER_MB, 1),
        )
        for name, job, what, size, readings in jobs:
            path = Path(folder) / f"{size}.evtx"
            records = write_log(path, chunks, size)
            try:
                best = best_of(readings, job, path)
            except EOFError:
                print(f"{name}: skipped, it is not installed (pip install {name})")
                continue
            true_mb = path.stat().st_size / 1e6
            wall, cpu = speeds[name] = (true_mb / best.wall_s, true_mb / best.cpu_s)
            print(
                f"{name:<11} {size:>4} MB, {records} records: {best.found} {what}, best of"
                f" {readings}: {wall:.1f} MB/s by the clock, {cpu:.1f} MB/s of"
                f" processor time, {best.peak_mb:.0f} MB peak ({best.state} machine)"
            )
    wall, cpu = speeds.pop("resume-rig")
    for name, (other_wall, other_cpu) in speeds.items():
        print(
            f"resume-rig reads EVTX at {wall / other_wall:.2g} times the speed of {name} by the"
            f" clock, {cpu / other_cpu:.2g} times by processor time"
        )


if __name__ == "__main__":
    main()
