"""Bytes of an Event XML log, in any pieces, to text: the encoding found, DTDs refused."""

import codecs
import re
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
