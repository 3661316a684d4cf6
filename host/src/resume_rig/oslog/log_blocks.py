"""The bytes of a log, plain or gzip, in blocks: bounded whatever the file holds."""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.problems import ProblemTally

BLOCK_BYTES: Final = 64 * 1024

_GZIP: Final = b"\x1f\x8b"
_GZIP_WINDOW: Final = 31  # zlib's number for the gzip format
_GZIP_FREE_BYTES: Final = 16 << 20
_GZIP_RATIO: Final = 200  # traces shrink 10 to 30 times; a bomb is near deflate's limit of 1032


def plain_head(head: bytes) -> bytes:
    """Return a file's beginning as it is behind gzip, no more bytes than 64 KiB of it."""
    if not head.startswith(_GZIP):
        return head
    try:
        return zlib.decompressobj(_GZIP_WINDOW).decompress(head, BLOCK_BYTES)
    except zlib.error:
        return b""


def blocks_in(path: Path, tally: ProblemTally) -> Iterator[bytes]:
    """Yield what a file holds, behind gzip where it is gzip.

    Raises:
        RecordError: it is gzip and expands beyond all measure.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(BLOCK_BYTES)
        if not head.startswith(_GZIP):
            while head:
                yield head
                head = file.read(BLOCK_BYTES)
            return
        inflater, taken, given = zlib.decompressobj(_GZIP_WINDOW), 0, 0
        while head:
            taken += len(head)
            while head and not inflater.eof:
                try:
                    block = inflater.decompress(head, BLOCK_BYTES)
                except zlib.error:
                    _tell_gzip(tally, "is damaged")
                    return
                head = inflater.unconsumed_tail
                given += len(block)
                _refuse_bomb(path, taken, given)
                yield block
            if inflater.eof:
                return
            head = file.read(BLOCK_BYTES)
    _tell_gzip(tally, "ends too early")


def _tell_gzip(tally: ProblemTally, what: str) -> None:
    tally.tell(f"The gzip data {what}, so what came behind that place is unknown.", damage=True)


def _refuse_bomb(path: Path, taken: int, given: int) -> None:
    if given > _GZIP_FREE_BYTES and given > taken * _GZIP_RATIO:
        raise RecordError(
            f"could not read {path}: found gzip data that expands more than {_GZIP_RATIO} times,"
            f" allowed beyond {_GZIP_FREE_BYTES >> 20} MiB are {_GZIP_RATIO} times"
        )
