"""Bytes of a log to text and lines: encoding found, gzip undone, DTDs refused, all of it bounded.

Windows tools write UTF-16 and UTF-8, with and without a byte order mark, and the code page of the
machine; one file may mix line ends. The kernel writes UTF-8, with a driver's own bytes in it, and
ends lines with LF; what PowerShell made of that has other encodings.
"""

import codecs
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.source.problems import Problem, ProblemTally

_SNIFF_BYTES: Final = 200
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARES_CP1252: Final = re.compile(
    rb"""\s{0,16}<\?xml[^>]{1,80}encoding=["'](?:windows-1252|iso-8859-1)["']""", re.IGNORECASE
)
_DECLARATION: Final = re.compile(r"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_OVERLAP_CHARS: Final = 64  # a declaration may be cut between two pieces

NO_DECLARATION: Final = (
    "found a document type or entity declaration, allowed is Event XML without one"
)


def encoding_of(head: bytes) -> str:
    """Return the Python name of a log's encoding, from its first bytes.

    Where bytes and declaration disagree the bytes count: text that was saved anew keeps the
    declaration of its old encoding.
    """
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    if _DECLARES_CP1252.match(head) and not _is_utf8_beyond_ascii(head):
        return "cp1252"
    if head[1:2] == head[3:4] == b"\0" and head[:1] != b"\0":
        return "utf-16-le"
    if head[:1] == head[2:3] == b"\0" and head[1:2] != b"\0":
        return "utf-16-be"
    return "utf-8"


def _is_utf8_beyond_ascii(head: bytes) -> bool:
    """Whether there are characters beyond ASCII, and all are UTF-8 but one that is cut."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return not text.isascii()


def has_declaration(text: str) -> bool:
    """Whether a document type or an entity is declared: no event log does, an entity bomb must."""
    return may_quote(text) and _DECLARATION.search(text) is not None


def may_quote(text: str) -> bool:
    """Whether `<!` stands anywhere; one character alone is sought ten times as fast as two."""
    return "!" in text and "<!" in text


class EventText:
    """Decodes bytes as they come; keeps what of a character is still missing."""

    def __init__(self, source_name: str, tally: ProblemTally, fallback: str = "") -> None:
        """Start with nothing read.

        Args:
            source_name: for error texts.
            tally: takes what cannot be decoded.
            fallback: the encoding of a block that is no UTF-8; without one, what is not valid is
                replaced.
        """
        self._fallback = fallback
        self._source_name = source_name
        self._tally = tally
        self._head = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._tail = ""

    def decode(self, data: bytes, *, final: bool = False) -> str:
        """Return the text that `data` completes.

        Raises:
            RecordError: the text declares a document type or an entity.
        """
        if self._decoder is None:
            self._head += data
            if len(self._head) < _SNIFF_BYTES and not final:
                return ""
            self._decoder = codecs.getincrementaldecoder(encoding_of(self._head))()
            data, self._head = self._head, b""
        text = self._decode(self._decoder, data, final)
        if has_declaration(self._tail + text[:_OVERLAP_CHARS]) or has_declaration(text):
            raise RecordError(f"could not read {self._source_name}: {NO_DECLARATION}")
        self._tail = (self._tail + text[-_OVERLAP_CHARS:])[-_OVERLAP_CHARS:]
        return text

    def _decode(self, decoder: codecs.IncrementalDecoder, data: bytes, final: bool) -> str:
        try:
            return decoder.decode(data, final)
        except UnicodeDecodeError:  # raised before the decoder's state changed
            if self._fallback:
                self._tally.count(Problem.FALLBACK)
                return data.decode(self._fallback, errors="replace")
            self._tally.count(Problem.UNDECODABLE)
        decoder.errors = "replace"
        text = decoder.decode(data, final)
        decoder.errors = "strict"
        return text


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
                    _report_gzip(tally, "is damaged")
                    return
                head = inflater.unconsumed_tail
                given += len(block)
                _refuse_bomb(path, taken, given)
                yield block
            if inflater.eof:
                return
            head = file.read(BLOCK_BYTES)
    _report_gzip(tally, "ends too early")


def _report_gzip(tally: ProblemTally, what: str) -> None:
    tally.report(f"The gzip data {what}, so what came behind that place is unknown.", damage=True)


def _refuse_bomb(path: Path, taken: int, given: int) -> None:
    if given > _GZIP_FREE_BYTES and given > taken * _GZIP_RATIO:
        raise RecordError(
            f"could not read {path}: found gzip data that expands more than {_GZIP_RATIO} times,"
            f" allowed beyond {_GZIP_FREE_BYTES >> 20} MiB are {_GZIP_RATIO} times"
        )


LINE_LIMIT_CHARS: Final = 64 * 1024
"""The rest of a longer line is left out: no tool writes one, and it may be hostile."""

_ESCAPED: Final = re.compile("[\udc80-\udcff]")
_CODE_PAGE: Final = "cp1252"


@dataclass(frozen=True, slots=True)
class LineForm:
    """How a program writes its lines.

    Attributes:
        code_page: what a log is read in from where it is not UTF-8 on; without one, a byte that
            is not UTF-8 is one wrong character of its line.
        returns_end: whether a bare CR ends a line.
    """

    code_page: str
    returns_end: bool


WINDOWS: Final = LineForm(_CODE_PAGE, returns_end=True)
KERNEL: Final = LineForm("", returns_end=False)


class LogText:
    """Decodes a log as it comes."""

    def __init__(self, head: bytes, tally: ProblemTally, form: LineForm = WINDOWS) -> None:
        self._tally = tally
        self._code_page = form.code_page
        self._encoding = encoding_of(head)
        self._decoder = codecs.getincrementaldecoder(self._encoding)()
        self._damaged = False

    def decode(self, data: bytes, *, final: bool = False) -> str:
        """Return the text that `data` completes; a byte order mark stays in it.

        A byte that is not UTF-8, and is not read in a code page, is a character of _ESCAPED.
        """
        try:
            return self._decoder.decode(data, final)
        except UnicodeDecodeError:  # raised before the decoder's state changed
            pending, _ = self._decoder.getstate()
        errors = "replace"
        if self._encoding == "utf-8" and not self._code_page:
            errors = "surrogateescape"
        elif self._encoding == "utf-8":
            self._encoding = self._code_page
            self._tally.report(
                "The log is not UTF-8 and was read as Windows-1252, so letters outside of ASCII"
                " may be others.",
                damage=False,
            )
        elif not self._damaged:
            self._damaged = True
            self._tally.report(
                "The log holds bytes not valid in its encoding, so texts may be wrong.",
                damage=True,
            )
        self._decoder = codecs.getincrementaldecoder(self._encoding)(errors)
        return self._decoder.decode(pending + data, final)


def head_text(head: bytes) -> str:
    """Return a file's beginning as text to recognise it by."""
    return head.decode(encoding_of(head), errors="replace").lstrip("\ufeff \t\r\n\0")


_HEAD_LINES: Final = 64


def head_lines(head: bytes) -> list[str]:
    """Return the first whole lines of a file's beginning, without blank ones."""
    plain = plain_head(head)
    text = plain.decode(encoding_of(plain), errors="replace").lstrip("\ufeff")
    if "\0" in text:
        return []
    lines = text.splitlines()
    if len(plain) >= BLOCK_BYTES and len(lines) > 1:
        lines.pop()  # most likely cut
    return [line[:LINE_LIMIT_CHARS] for line in lines if line.strip()][:_HEAD_LINES]


def blocks_of(path: Path, tally: ProblemTally, form: LineForm = WINDOWS) -> Iterator[str]:
    """Yield a file's text in pieces, without its byte order mark.

    Raises:
        RecordError: it is gzip and expands beyond all measure.
        OSError: the file cannot be read.
    """
    text: LogText | None = None
    first = True
    for block in blocks_in(path, tally):
        if text is None:
            text = LogText(block, tally, form)
        piece = text.decode(block)
        yield piece.removeprefix("\ufeff") if first else piece
        first = first and not piece
    if text is not None:
        yield text.decode(b"", final=True)


class LogLines:
    """A file's lines without their ends, once; of blank lines in a row the first alone.

    A line of more than LINE_LIMIT_CHARS is cut, and that is reported.

    Attributes:
        open_end: whether the last line has no end: perhaps the file was cut there.
    """

    def __init__(self, path: Path, tally: ProblemTally, form: LineForm = WINDOWS) -> None:
        self.open_end = False
        self._path = path
        self._tally = tally
        self._form = form
        self._rest = ""
        self._skipping = False
        self._blank = False
        self._long = 0
        self._undecodable = 0

    def __iter__(self) -> Iterator[str]:
        """Yield the lines.

        Raises:
            RecordError: it is gzip and expands beyond all measure.
            OSError: the file cannot be read.
        """
        for block in blocks_of(self._path, self._tally, self._form):
            yield from self._feed(block)
        self.open_end = self._skipping or self._rest.rstrip("\r") != ""
        if self._rest and not self._skipping:
            yield self._line(self._rest)
        self._report()

    def _feed(self, block: str) -> Iterator[str]:
        text = (self._rest + block).replace("\r\n", "\n")
        held = ""
        if self._form.returns_end:
            held = "\r" if text.endswith("\r") else ""  # its \n may stand in the next block
            text = text.removesuffix("\r").replace("\r", "\n")
        *lines, self._rest = text.split("\n")
        self._rest += held
        for line in lines:
            if self._skipping:
                self._skipping = False
            elif line or not self._blank:
                yield self._line(line)
            self._blank = not line
        if len(self._rest) > LINE_LIMIT_CHARS:
            if not self._skipping:
                yield self._line(self._rest)
            self._rest, self._skipping = held, True

    def _line(self, line: str) -> str:
        if len(line) > LINE_LIMIT_CHARS:
            self._long += 1
            line = line[:LINE_LIMIT_CHARS]
        if not line.isascii() and not self._form.code_page and _ESCAPED.search(line):
            self._undecodable += 1
            line = _ESCAPED.sub("\ufffd", line)
        return line.rstrip("\r")

    def _report(self) -> None:
        """Note what had to be changed, a sentence a kind."""
        if self._long:
            self._tally.report(
                f"Lines of more than {LINE_LIMIT_CHARS} characters were cut there:"
                f" {self._long}, so what stood behind is unknown.",
                damage=True,
            )
        self._tally.report_count(
            "Lines with bytes that are no UTF-8: {}; they stand as U+FFFD.",
            self._undecodable,
            damage=False,
        )
