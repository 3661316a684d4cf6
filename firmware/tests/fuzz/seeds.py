"""Writes a seed for libFuzzer from each golden vector, and its dictionary.

Usage: seeds.py vectors.json FOLDER DICTIONARY; the format of a story is in fuzz_request.c.
"""

import json
import sys
from pathlib import Path
from typing import Any

REQUEST, EDGE, SAMPLE, TIME, LATE, DUE, LOOP, ECHO = 0, 2, 3, 4, 5, 6, 8, 9
ROOM = 255
LONG, MILLISECOND = 0xF8, 0xA1
LIGHT_ARM = bytes.fromhex("a163647572 1b0000000100000000")
FROM_0 = bytes.fromhex("a16466726f6d 00")
LOOPED = bytes.fromhex("a1646c6f6f70 f5")
KEYS = (
    *("act", "at", "boot", "cal", "ch", "clear", "closed", "dur", "force", "from", "gap"),
    *("loop", "max", "n", "tok"),
)


def request_step(exchange: Any) -> bytes:
    """Return an exchange as a step."""
    payload = bytes.fromhex(exchange["request"]["hex"])[:255]
    head = exchange["command"] & 0x3F | (0x80 if exchange["op"] == "write" else 0)
    return raw_step(head, payload, ROOM)


MOST_REPEATS = 8


def raw_step(head: int, payload: bytes, room: int) -> bytes:
    """Return a request of any bytes as a step."""
    return bytes([REQUEST, head, len(payload), room]) + payload


def other_step(step: Any, named: dict[str, Any]) -> bytes:
    """Return what is done before an exchange as a step."""
    match step:
        case {"edge": [channel, level, _]}:
            return bytes([EDGE, channel << 1 | level])
        case {"sample": [_, counts]}:
            return bytes([SAMPLE]) + int(counts).to_bytes(2, "big")
        case {"samples": [_, times, *row]}:
            # A story is short; what a long row of samples leads to, the fuzzer finds by itself.
            once = b"".join(bytes([SAMPLE]) + int(counts).to_bytes(2, "big") for counts in row)
            return once * min(int(times), MOST_REPEATS)
        case {"tick": _}:
            return bytes([DUE, 0])
        case str():
            return request_step(named[step])
        case _:
            raise ValueError(f"a step is an edge, samples, a tick or an exchange, not {step!r}")


def rooms_story() -> bytes:
    """Return a story that reads full rings into replies of every size about the smallest."""
    edges = b"".join(bytes([EDGE, channel << 1]) for channel in range(8))
    block = bytes([SAMPLE, 1, 0, TIME, MILLISECOND])
    light = raw_step(0x87, LIGHT_ARM, ROOM) + block * 5
    reads = [raw_step(head, FROM_0, room) for room in range(70, 128) for head in (2, 7)]
    return edges + light + b"".join(reads)


def loop_story() -> bytes:
    """Return a story of a loop-back that ends well and becomes a calibration."""
    start = bytes([LOOP, 0, 0b11, 1, 4, MILLISECOND])
    return start + bytes([DUE, 0, ECHO]) * 4 + bytes([DUE, 0]) + raw_step(0x8C, LOOPED, ROOM)


def stories(vectors: Any) -> dict[str, bytes]:
    """Return a story for each exchange, one of all with long pauses, and two made by hand."""
    named = {entry["name"]: entry for entry in vectors["exchanges"]}
    found = {}
    for name, entry in named.items():
        steps = [*vectors["boards"][entry["board"]]["history"], *entry.get("before", [])]
        found[name] = b"".join(other_step(step, named) for step in steps) + request_step(entry)
    found["all"] = b"".join(story + bytes([LATE, LONG]) for story in found.values())
    found["rooms"] = rooms_story()
    found["loop"] = loop_story()
    return found


def main() -> None:
    """Write the files that the arguments name."""
    vectors = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    folder, dictionary = Path(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for name, story in stories(vectors).items():
        (folder / name).write_bytes(story)
    words = [f'"\\x{0x60 + len(key):02x}{key}"' for key in KEYS]
    words += ['"\\xf4"', '"\\xf5"', '"\\x1a"', '"\\x1b"']
    dictionary.write_text("\n".join(words) + "\n", "utf-8")


if __name__ == "__main__":
    main()
