"""An XML log as a stream of elements: nothing declared, nothing fetched, all of it bounded.

Any root and any names; readers decide what they mean. What is not well formed ends the stream, and
all that came before it counts.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Protocol
from xml.parsers import expat

from resume_rig.model.errors import RecordError
from resume_rig.oslog.source.lines import NO_DECLARATION, blocks_of, has_declaration
from resume_rig.oslog.source.problems import ProblemTally

VALUE_LIMIT_CHARS: Final = 1024
"""A longer attribute or text is cut: a path of Windows has fewer characters."""

DEPTH_LIMIT: Final = 64
_SLICE_CHARS: Final = 64 * 1024
_OVERLAP_CHARS: Final = 16  # a declaration may be cut between two pieces
_UNFINISHED_CHARS: Final = 1 << 20  # an element's tag that goes on longer is no log's
_WORD_START: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAME_LIMIT_CHARS: Final = 64


class ElementTaker(Protocol):
    """Takes the elements of a document in their order."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take an element's begin: its name without a prefix, its attributes by lower-case name."""
        ...

    def end(self, name: str, text: str) -> None:
        """Take an element's end, with the text that stood directly in it, stripped."""
        ...


_QUOTED: Final = re.compile(
    r"(=\s*)[\u201c\u201d\u201e\u201f]([^<>\"\u201c\u201d\u201e\u201f]*)[\u201c\u201d\u201e\u201f]"
)
"""An attribute between typographic quotation marks, as a word processor prints an excerpt."""


def scan_elements(path: Path, taker: ElementTaker, tally: ProblemTally) -> None:
    """Go once through an XML file.

    Args:
        path: the file.
        taker: gets every element.
        tally: takes where the document breaks off.

    Raises:
        RecordError: it declares a document type or an entity.
        OSError: the file cannot be read.
    """
    parser = _Parser(path, taker)
    try:
        for text in _straightened(_checked(path, tally), tally):
            parser.feed(text)
        parser.finish()
    except expat.ExpatError as error:
        tally.report(
            f"The document is not well formed from line {error.lineno} on"
            f" ({expat.ErrorString(error.code)}), so what follows there is unknown.",
            damage=True,
        )


def _straightened(texts: Iterator[str], tally: ProblemTally) -> Iterator[str]:
    """Yield the texts, attributes of a document that is one short slice in straight marks."""
    first = next(texts, "")
    second = next(texts, None)
    if second is None:
        first, straightened = _QUOTED.subn(r'\1"\2"', first)
        tally.report_count(
            "{} attributes stand between typographic quotation marks, as printed"
            " excerpts have them; they were read as if these were straight.",
            straightened,
            damage=False,
        )
    yield first
    if second is not None:
        yield second
    yield from texts


def _checked(path: Path, tally: ProblemTally) -> Iterator[str]:
    """Yield the text in slices, none of which holds or completes a declaration."""
    tail = ""
    for block in blocks_of(path, tally):
        for start in range(0, len(block), _SLICE_CHARS):
            text = block[start : start + _SLICE_CHARS]
            if has_declaration(tail + text):
                raise _refused(path)
            tail = (tail + text)[-_OVERLAP_CHARS:]
            yield text


def _refused(path: Path) -> RecordError:
    return RecordError(f"could not read {path}: {NO_DECLARATION.replace('Event XML', 'XML')}")


class _Parser:
    """One expat parser with everything refused that can grow; keeps one text a level."""

    def __init__(self, path: Path, taker: ElementTaker) -> None:
        self._path = path
        self._taker = taker
        self._texts: list[list[str]] = []
        self._fed = 0
        self._parsed = 0
        # The text is decoded already: an encoding in its declaration is void.
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        self._parser = parser

    def feed(self, text: str) -> None:
        self._fed += len(text)
        self._parser.Parse(text.encode("utf-8", "replace"), False)
        if self._parser.CurrentByteIndex > self._parsed:
            self._parsed, self._fed = self._parser.CurrentByteIndex, 0
        elif self._fed > _UNFINISHED_CHARS:
            raise RecordError(
                f"could not read {self._path}: found one XML tag of more than 1 MiB,"
                " allowed are shorter ones"
            )

    def finish(self) -> None:
        self._parser.Parse(b"", True)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._texts) >= DEPTH_LIMIT:
            raise RecordError(
                f"could not read {self._path}: found elements nested deeper than {DEPTH_LIMIT},"
                " allowed are fewer"
            )
        self._texts.append([])
        self._taker.start(
            tag.rpartition(":")[2],
            {
                name.rpartition(":")[2].lower(): value[:VALUE_LIMIT_CHARS]
                for name, value in attributes.items()
            },
        )

    def _text(self, text: str) -> None:
        parts = self._texts[-1]
        if len(parts) < DEPTH_LIMIT:
            parts.append(text[:VALUE_LIMIT_CHARS])

    def _end(self, tag: str) -> None:
        text = "".join(self._texts.pop()).strip()[:VALUE_LIMIT_CHARS]
        self._taker.end(tag.rpartition(":")[2], text)

    def _refuse(self, *_: object) -> None:
        raise _refused(self._path)


def snake_case(name: str) -> str:
    """Return a name of a log's head as identity has them: SystemProductName, system_product."""
    words = re.sub(r"[^0-9A-Za-z]+", "_", _WORD_START.sub("_", name.strip())).strip("_")
    key = words.lower()[:_NAME_LIMIT_CHARS]
    return "system_product" if key == "system_product_name" else key
