"""A text file, plain or gzip, as lines: bounded whatever the file holds."""

import codecs
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event_text import encoding_of
from resume_rig.oslog.problems import ProblemTally

LINE_LIMIT_CHARS: Final = 64 * 1024
"""The rest of a longer line is left out; the kernel writes at most 1,024 characters a line."""

_BLOCK_BYTES: Final = 64 * 1024
_GZIP: Final = b"\x1f\x8b"
_GZIP_WINDOW: Final = 31  # zlib's number for the gzip format
_GZIP_FREE_BYTES: Final = 16 << 20
_GZIP_RATIO: Final = 200  # traces shrink 10 to 30 times; a bomb is near deflate's limit of 1032


def plain_head(head: bytes) -> bytes:
    """Return a file's beginning as it is behind gzip, no more bytes than 64 KiB of it."""
    if not head.startswith(_GZIP):
        return head
    try:
        return zlib.decompressobj(_GZIP_WINDOW).decompress(head, _BLOCK_BYTES)
    except zlib.error:
        return b""


def head_lines(head: bytes, limit: int = 64) -> list[str]:
    """Return the first whole lines of a file's beginning, without blank ones."""
    plain = plain_head(head)
    text = plain.decode(encoding_of(plain), errors="replace").lstrip("\ufeff")
    if "\0" in text:
        return []
    lines = text.splitlines()
    if len(plain) >= _BLOCK_BYTES and len(lines) > 1:
        lines.pop()  # most likely cut
    return [line[:LINE_LIMIT_CHARS] for line in lines if line.strip()][:limit]


def read_lines(path: Path, tally: ProblemTally) -> Iterator[str]:
    """Yield a file's lines without their ends.

    Raises:
        RecordError: it is gzip and expands beyond all measure, or is damaged from its start.
        OSError: the file cannot be read.
    """
    decoder = _LineCutter()
    for block in _blocks(path, tally):
        yield from decoder.feed(block)
    yield from decoder.finish()
    decoder.tell(tally)


class _LineCutter:
    """Bytes in any pieces to lines; counts what it had to change."""

    def __init__(self) -> None:
        self._rest = b""
        self._wide: codecs.IncrementalDecoder | None = None
        self._is_wide = False
        self._long = 0
        self._undecodable = 0
        self._skipping = False
        self._blank = False

    def feed(self, block: bytes) -> Iterator[str]:
        if self._wide is None:
            encoding = encoding_of(block)
            self._wide = codecs.getincrementaldecoder(encoding)("replace")
            self._is_wide = encoding != "utf-8"
        if self._is_wide:  # PowerShell writes so what another program printed
            block = self._wide.decode(block).encode("utf-8", errors="replace")
        *lines, self._rest = (self._rest + block).split(b"\n")
        for line in lines:
            if line or not self._blank:  # a second blank line in a row says nothing
                yield from self._line(line)
            self._blank = not line
        if len(self._rest) > LINE_LIMIT_CHARS:
            if not self._skipping:
                self._long += 1
                yield self._text(self._rest[:LINE_LIMIT_CHARS])
            self._rest, self._skipping = b"", True

    def finish(self) -> Iterator[str]:
        """Yield the last line, which has no end."""
        if self._rest and not self._skipping:
            yield from self._line(self._rest)

    def tell(self, tally: ProblemTally) -> None:
        """Note what was wrong, a sentence a kind."""
        if self._long:
            tally.tell(
                f"Lines of more than {LINE_LIMIT_CHARS} characters were cut there:"
                f" {self._long}, so what stood behind is unknown.",
                damage=True,
            )
        if self._undecodable:
            tally.tell(
                f"Lines with bytes that are no UTF-8: {self._undecodable}; they stand as U+FFFD.",
                damage=False,
            )

    def _line(self, line: bytes) -> Iterator[str]:
        if self._skipping:
            self._skipping = False
            return
        if len(line) > LINE_LIMIT_CHARS:
            self._long += 1
        yield self._text(line[:LINE_LIMIT_CHARS])

    def _text(self, line: bytes) -> str:
        try:
            return line.decode("utf-8").lstrip("\ufeff").rstrip("\r")
        except UnicodeDecodeError:
            self._undecodable += 1
        return line.decode("utf-8", errors="replace").rstrip("\r")


def _blocks(path: Path, tally: ProblemTally) -> Iterator[bytes]:
    with path.open("rb") as file:
        head = file.read(_BLOCK_BYTES)
        if not head.startswith(_GZIP):
            while head:
                yield head
                head = file.read(_BLOCK_BYTES)
            return
        inflater, taken, given = zlib.decompressobj(_GZIP_WINDOW), 0, 0
        while head:
            taken += len(head)
            while head and not inflater.eof:
                try:
                    block = inflater.decompress(head, _BLOCK_BYTES)
                except zlib.error:
                    _tell_gzip(tally, "is damaged")
                    return
                head = inflater.unconsumed_tail
                given += len(block)
                _refuse_bomb(path, taken, given)
                yield block
            if inflater.eof:
                return
            head = file.read(_BLOCK_BYTES)
    _tell_gzip(tally, "ends too early")


def _tell_gzip(tally: ProblemTally, what: str) -> None:
    tally.tell(f"The gzip data {what}, so what came behind that place is unknown.", damage=True)


def _refuse_bomb(path: Path, taken: int, given: int) -> None:
    if given > _GZIP_FREE_BYTES and given > taken * _GZIP_RATIO:
        raise RecordError(
            f"could not read {path}: found gzip data that expands more than {_GZIP_RATIO} times,"
            f" allowed beyond {_GZIP_FREE_BYTES >> 20} MiB are {_GZIP_RATIO} times"
        )
