"""Bytes of a tool's log to text and lines: encoding found, every line end, nothing without bound.

Windows tools write UTF-16 and UTF-8, with and without a byte order mark, and the code page of the
machine; one file may mix line ends.
"""

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from resume_rig.oslog.event_text import encoding_of
from resume_rig.oslog.problems import ProblemTally

LINE_LIMIT_CHARS: Final = 64 * 1024
"""A longer line is cut: no tool writes one, and it may be hostile."""

_BLOCK_BYTES: Final = 256 * 1024
_CODE_PAGE: Final = "cp1252"


class LogText:
    """Decodes a log as it comes; what is not UTF-8 from some place on is read as Windows-1252."""

    def __init__(self, head: bytes, tally: ProblemTally) -> None:
        self._tally = tally
        self._encoding = encoding_of(head)
        self._decoder = codecs.getincrementaldecoder(self._encoding)()
        self._damaged = False

    def decode(self, data: bytes, *, final: bool = False) -> str:
        """Return the text that `data` completes; a byte order mark stays in it."""
        try:
            return self._decoder.decode(data, final)
        except UnicodeDecodeError:  # raised before the decoder's state changed
            pending, _ = self._decoder.getstate()
        if self._encoding == "utf-8":
            self._encoding = _CODE_PAGE
            self._tally.tell(
                "The log is not UTF-8 and was read as Windows-1252, so letters outside of ASCII"
                " may be others.",
                damage=False,
            )
        elif not self._damaged:
            self._damaged = True
            self._tally.tell(
                "The log holds bytes not valid in its encoding, so texts may be wrong.",
                damage=True,
            )
        self._decoder = codecs.getincrementaldecoder(self._encoding)("replace")
        return self._decoder.decode(pending + data, final)


def head_text(head: bytes) -> str:
    """Return a file's beginning as text to recognise it by."""
    return head.decode(encoding_of(head), errors="replace").lstrip("\ufeff \t\r\n\0")


def blocks_of(path: Path, tally: ProblemTally) -> Iterator[str]:
    """Yield a file's text in pieces, without its byte order mark.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        block = file.read(_BLOCK_BYTES)
        text = LogText(block, tally)
        first = True
        while block:
            piece = text.decode(block)
            yield piece.removeprefix("\ufeff") if first else piece
            first = first and not piece
            block = file.read(_BLOCK_BYTES)
        yield text.decode(b"", final=True)


def lines_of(path: Path, tally: ProblemTally) -> Iterator[str]:
    """Yield a file's lines without their ends; CRLF, LF and bare CR all end one.

    A line of more than LINE_LIMIT_CHARS is cut, and that is told.

    Raises:
        OSError: the file cannot be read.
    """
    rest, too_long = "", False
    for block in blocks_of(path, tally):
        lines = (rest + block).replace("\r\n", "\n").split("\n")
        rest = lines.pop()
        if len(rest) > LINE_LIMIT_CHARS and "\r" not in rest:
            rest, too_long = rest[:LINE_LIMIT_CHARS], True
        held = "\r" if rest.endswith("\r") else ""  # its \n may stand in the next block
        parts = rest.removesuffix("\r").split("\r")
        rest = parts.pop() + held
        for line in (*_split_returns(lines), *parts):
            too_long |= len(line) > LINE_LIMIT_CHARS
            yield line[:LINE_LIMIT_CHARS]
    yield rest.removesuffix("\r")[:LINE_LIMIT_CHARS]
    if too_long:
        tally.tell(
            f"A line is longer than {LINE_LIMIT_CHARS} characters and was cut, so what stood behind"
            " is unknown.",
            damage=True,
        )


def _split_returns(lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield from line.split("\r")
