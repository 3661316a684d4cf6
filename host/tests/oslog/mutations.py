"""Damages logs the way that disks, transfers and enemies do; the same seed damages alike.

Used by the tests of every reader and by benchmarks/fuzz_logs.py.
"""

import random
from collections.abc import Callable, Iterator, Sequence

Mutator = Callable[[random.Random, bytes, bytes], bytes]


def _place(rng: random.Random, data: bytes) -> int:
    return rng.randrange(len(data) + 1)


def _flip(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _overwrite(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    start = _place(rng, data)
    count = rng.randint(1, 64)
    return data[:start] + rng.randbytes(count) + data[start + count :]


def _cut(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    return data[: _place(rng, data)]


def _behead(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    return data[rng.randrange(min(len(data), 4096) + 1) :]


def _remove(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    start = _place(rng, data)
    return data[:start] + data[start + rng.randint(1, 4096) :]


def _repeat(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    start = _place(rng, data)
    return data[:start] + data[start : start + 4096] * rng.randint(2, 5) + data[start:]


def _splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    return data[: _place(rng, data)] + other[_place(rng, other) :]


def _huge_line(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    start = _place(rng, data)
    unit = rng.choice((b"A", b" ", b"-1 [", b"<td ", b"[", b'{"a":', b"'", b'"', b"\\", b"&#"))
    return data[:start] + unit * (200_000 // len(unit)) + data[start:]


def _digits(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Other numbers where numbers stand, absurd ones included."""
    numbers = [index for index, byte in enumerate(data) if 48 <= byte <= 57]
    if not numbers:
        return data
    start = rng.choice(numbers)
    number = rng.choice((b"-1", b"18446744073709551616", b"0", b"NaN", b"1e999", b"9" * 5000))
    return data[:start] + number + data[start + 1 :]


def _encoding(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    text = data.decode("utf-8", errors="replace")
    return rng.choice(
        (text.encode("utf-16"), text.encode("utf-16-be"), text.encode("utf-32"), b"\xff" + data)
    )


def _line_ends(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\0", b"")))


MUTATORS: tuple[Mutator, ...] = (
    *(_flip, _overwrite, _cut, _behead, _remove, _repeat),
    *(_splice, _huge_line, _digits, _encoding, _line_ends),
)


def mutations(seed: int, samples: Sequence[bytes], count: int) -> Iterator[bytes]:
    """Yield `count` damaged samples, each hurt one to three times."""
    rng = random.Random(seed)
    for _ in range(count):
        data = rng.choice(samples)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            data = rng.choice(MUTATORS)(rng, data, rng.choice(samples))
        yield data
