"""Reads a large EVTX file: ours beside python-evtx, which gets a small part of it.

The file is made in a temporary folder from the chunks of real logs (RESUME_RIG_SHARED_DATA, or
../shared/data): their records numbered anew, their checksums redone. Each reader runs in a
process of its own, so that its peak memory is its own.

    python benchmarks/evtx_reading.py [MEGABYTES]
"""

import os
import struct
import sys
import tempfile
import zlib
from itertools import cycle
from pathlib import Path

from log_reading import measured, ours

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("RESUME_RIG_SHARED_DATA", ROOT.parent / "shared" / "data"))
HEADER, CHUNK, RECORDS = 4096, 65536, 512
PEER_MB = 1  # it takes a second or more for each 500 KB
NUMBER_INDEX, NUMBER_TYPE = 10, 0x0A  # a record's values hold its number once more


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


def peer(path: Path) -> int:
    """Read with python-evtx, as a script would."""
    from Evtx.Evtx import Evtx

    with Evtx(str(path)) as log:
        return sum("Power-Troubleshooter" in record.xml() for record in log.records())


def main() -> None:
    """Print one line a reader, and the ratio of their speeds."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    chunks = used_chunks(SHARED / "eventlog")
    if not chunks:
        print(f"EVTX: skipped, no real log in {SHARED / 'eventlog'}")
        return
    rates = []
    with tempfile.TemporaryDirectory() as folder:
        for name, job, size in (("resume-rig", ours, megabytes), ("python-evtx", peer, PEER_MB)):
            path = Path(folder) / f"{size}.evtx"
            records = write_log(path, chunks, size)
            try:
                found, seconds, memory = measured(job, path)
            except EOFError:
                print(f"{name}: skipped, it is not installed (pip install python-evtx)")
                return
            rates.append(path.stat().st_size / 1e6 / seconds)
            print(
                f"{name:<11} {size:>4} MB, {records} records: {found} sleeps {seconds:7.2f} s"
                f" {rates[-1]:7.1f} MB/s {memory:6.0f} MB peak"
            )
    print(f"resume-rig reads EVTX {rates[0] / rates[1]:.0f} times as fast as python-evtx")


if __name__ == "__main__":
    main()
