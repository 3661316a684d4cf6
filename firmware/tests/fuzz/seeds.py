"""Writes a seed for libFuzzer from each golden vector, and its dictionary.

Usage: seeds.py vectors.json FOLDER DICTIONARY; the format of a sequence is in fuzz_request.c.
"""

import json
import sys
from pathlib import Path
from typing import Any

REQUEST, ACTION, EDGE, SAMPLE, TIME, LATE, DUE = range(7)
LOOP, ECHO, POWER, TAKE = 8, 9, 11, 12
ROOM = 255
LONG, MILLISECOND = 0xF8, 0xA1
RELEASE_TIME, LONG_PRESS, SECOND = 0xD2, 0xE3, 0xF1  # 134 ms, 805 ms, 1.07 s
BUTTON, LID, KEY, CONTACT, CLOSED = 0, 1, 2, 3, 8
LIGHT_ARM = bytes.fromhex("a163647572 1b0000000100000000")
FROM_0 = bytes.fromhex("a16466726f6d 00")
BOOT, NONCE = 7, 0x5CA1AB1EDEADFA11  # model.h
KEYS = (
    *("act", "at", "boot", "cal", "ch", "clear", "closed", "dur", "force", "from", "gap"),
    *("host", "loop", "max", "n", "nonce", "tok"),
)


def pair(key: str, value: int) -> bytes:
    """Return a key and a number of 0 or more as CBOR has them."""
    sizes = ((24, 0, 0), (1 << 8, 24, 1), (1 << 16, 25, 2), (1 << 32, 26, 4), (1 << 64, 27, 8))
    _, head, width = next(size for size in sizes if value < size[0])
    number = bytes([head]) + value.to_bytes(width, "big") if width else bytes([value])
    return bytes([0x60 + len(key)]) + key.encode() + number


THIS_BOOT, SIGHT = pair("boot", BOOT), pair("boot", BOOT) + pair("nonce", NONCE)
LOOPED = b"\xa2\x64loop\xf5" + THIS_BOOT
FORCED = b"\xa6\x63act\x00\x63dur\x1a\x77\x35\x94\x00\x63tok\x01\x65force\xf5" + SIGHT


def request_step(exchange: Any, board: Any) -> bytes:
    """Return an exchange as a step, with boot and nonce of the fuzzer's board."""
    payload = bytes.fromhex(exchange["request"]["hex"])
    for key, number in (("boot", BOOT), ("nonce", NONCE)):
        described = board["boot_id" if key == "boot" else key]
        payload = payload.replace(pair(key, described), pair(key, number))
    payload = payload[:255]
    head = exchange["command"] & 0x3F | (0x80 if exchange["op"] == "write" else 0)
    return raw_step(head, payload, ROOM)


MOST_REPEATS = 8


def raw_step(head: int, payload: bytes, room: int) -> bytes:
    """Return a request of any bytes as a step."""
    return bytes([REQUEST, head, len(payload), room]) + payload


def other_step(step: Any, named: dict[str, Any], board: Any) -> bytes:
    """Return what is done before an exchange as a step."""
    match step:
        case {"edge": [channel, level, _]}:
            return bytes([EDGE, channel << 1 | level])
        case {"sample": [_, counts]}:
            return bytes([SAMPLE]) + int(counts).to_bytes(2, "big")
        case {"samples": [_, times, *row]}:
            # A sequence is short; what a long row of samples leads to, the fuzzer finds by itself.
            once = b"".join(bytes([SAMPLE]) + int(counts).to_bytes(2, "big") for counts in row)
            return once * min(int(times), MOST_REPEATS)
        case {"tick": _}:
            return bytes([DUE, 0])
        case {"power": [_, bus_uv, current_ua]}:
            return power_step(bus_uv, current_ua)
        case str():
            return request_step(named[step], board)
        case _:
            raise ValueError(f"a step is an edge, samples, a tick or an exchange, not {step!r}")


def power_step(bus_uv: int, current_ua: int) -> bytes:
    """Return a sample of the power monitor, in its own steps, as a step."""
    bus, current = bus_uv // 1250 & 0xFFFF, current_ua // 125 + 0x8000 & 0xFFFF
    return bytes([POWER]) + bus.to_bytes(2, "big") + current.to_bytes(2, "big")


def rooms_sequence() -> bytes:
    """Return a sequence that reads full rings into replies of every size about the smallest."""
    edges = b"".join(bytes([EDGE, channel << 1]) for channel in range(8))
    block = bytes([SAMPLE, 1, 0, TIME, MILLISECOND])
    light = raw_step(0x87, LIGHT_ARM, ROOM) + block * 5
    reads = [raw_step(head, FROM_0, room) for room in range(70, 128) for head in (2, 7)]
    return edges + light + b"".join(reads)


def action_step(flags: int, duration: int, token: int, host: int) -> bytes:
    """Return a press or a move of the lid, at once, as a step; host 0: nobody's."""
    return bytes([ACTION, flags, duration, token | host << 3, 0])


def presses_sequence() -> bytes:
    """Return a sequence of presses back to back, each within its limit."""
    rest = bytes([TIME, RELEASE_TIME])
    press = [action_step(BUTTON, LONG_PRESS, token, 0) + bytes([DUE, 0]) for token in range(5)]
    return rest + rest.join(press)


def hosts_sequence() -> bytes:
    """Return a sequence of a lid that one host closed and another one's requests would keep so."""
    other = bytes([TIME, SECOND]) + action_step(LID, 0, 2, 2)
    return bytes([TIME, RELEASE_TIME]) + action_step(LID | CLOSED, 0, 1, 1) + other * 4


def wakes_sequence() -> bytes:
    """Return a sequence of keys back to back, and of a contact that its host holds for too long."""
    alive = (bytes([TIME, SECOND]) + raw_step(1, b"\xa0", ROOM)) * 8
    rest = bytes([TIME, RELEASE_TIME])
    close = bytes([TIME, SECOND]) + action_step(CONTACT | CLOSED, 0, 1, 0)
    keys = b"".join(
        rest + action_step(KEY, LONG_PRESS, token, 0) + bytes([DUE, 0]) for token in range(4)
    )
    reopen = action_step(CONTACT, 0, 2, 0) + action_step(CONTACT | CLOSED, 0, 3, 0)
    asked = raw_step(15, b"\xa0", ROOM) + power_step(19_000_000, -1_000_000) * 6
    return close + alive + keys + reopen + asked + raw_step(17, FROM_0, ROOM)


def loop_sequence() -> bytes:
    """Return a sequence of a loop-back that ends well and becomes a calibration."""
    start = bytes([LOOP, 0, 0b11, 1, 4, MILLISECOND])
    return start + bytes([DUE, 0, ECHO]) * 4 + bytes([DUE, 0]) + raw_step(0x8C, LOOPED, ROOM)


def sight_sequence() -> bytes:
    """Return a sequence of what needs the nonce, in time and too late."""
    permit = raw_step(0x92, b"\xa2" + SIGHT, ROOM)
    blind = raw_step(0x92, b"\xa1" + THIS_BOOT, ROOM)
    late = bytes([TIME, SECOND]) * 3 + bytes([TAKE])
    permits = permit + blind + bytes([TAKE, TAKE]) + permit + late
    press = bytes([TIME, RELEASE_TIME]) + raw_step(0x84, FORCED, ROOM) + bytes([DUE, 0])
    return permits + press + raw_step(0x90, b"\xa2" + SIGHT, ROOM)


def sequences(vectors: Any) -> dict[str, bytes]:
    """Return a sequence for each exchange, one of all with long pauses, and some made by hand."""
    named = {entry["name"]: entry for entry in vectors["exchanges"]}
    found = {}
    for name, entry in named.items():
        board = vectors["boards"][entry["board"]]
        steps = [*board["history"], *entry.get("before", [])]
        before = b"".join(other_step(step, named, board) for step in steps)
        found[name] = before + request_step(entry, board)
    found["all"] = b"".join(sequence + bytes([LATE, LONG]) for sequence in found.values())
    found["rooms"] = rooms_sequence()
    found["loop"] = loop_sequence()
    found["presses"] = presses_sequence()
    found["hosts"] = hosts_sequence()
    found["wakes"] = wakes_sequence()
    found["sight"] = sight_sequence()
    return found


def main() -> None:
    """Write the files that the arguments name."""
    vectors = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    folder, dictionary = Path(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for name, sequence in sequences(vectors).items():
        (folder / name).write_bytes(sequence)
    words = [f'"\\x{0x60 + len(key):02x}{key}"' for key in KEYS]
    for known in (THIS_BOOT, pair("nonce", NONCE)):
        digits = "".join(f"\\x{byte:02x}" for byte in known)
        words.append(f'"{digits}"')
    words += ['"\\xf4"', '"\\xf5"', '"\\x1a"', '"\\x1b"']
    dictionary.write_text("\n".join(words) + "\n", "utf-8")


if __name__ == "__main__":
    main()
