"""Event XML files, as `wevtutil qe /f:xml` or the Event Viewer writes them, as a stream."""

import re
from collections.abc import Iterator
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event import Event
from resume_rig.oslog.event_cutter import EventCutter
from resume_rig.oslog.event_parser import is_relevant, parse_event
from resume_rig.oslog.event_text import EventText, encoding_of
from resume_rig.oslog.problems import Problem, ProblemTally
from resume_rig.oslog.source_reading import (
    SourceReading,
    SourceRequest,
    TakeEvent,
    read_source,
)

KIND: Final = "eventlog-xml"

_BLOCK_BYTES: Final = 256 * 1024
_EVENT_TAG: Final = re.compile(r"<(?:[A-Za-z_][\w.\-]{0,63}:)?Events?[\s/>]")
_NAMESPACE: Final = "http://schemas.microsoft.com/win/2004/08/events/event"
_HTML: Final = re.compile(r"<(?:!doctype\s+)?html\b", re.IGNORECASE)


class EventXmlStream:
    """Event XML in any pieces to its relevant events; `events` counts all."""

    def __init__(self, source_name: str, tally: ProblemTally, *, keep_text: bool) -> None:
        self._tally = tally
        self._keep_text = keep_text
        self._text = EventText(source_name, tally)
        self._cutter = EventCutter(tally)

    @property
    def events(self) -> int:
        """How many whole events came by, relevant or not."""
        return self._cutter.events

    @property
    def held_chars(self) -> int:
        """How much text waits for its end."""
        return self._cutter.held_chars

    def feed(self, data: bytes, *, final: bool = False) -> Iterator[Event]:
        """Yield the relevant events that `data` completes.

        Raises:
            RecordError: the text declares a document type or an entity.
        """
        for text in self._cutter.cut(self._text.decode(data, final=final), final=final):
            if not is_relevant(text):
                continue
            try:
                event = parse_event(text, self._tally, keep_text=self._keep_text)
            except RecordError:
                self._tally.count(Problem.MALFORMED)
                continue
            if event is not None and event.role is not None:
                yield event

    def finish(self, *, growing: bool = False) -> None:
        """Note what the end cuts off; a `growing` log may leave its root element open."""
        self._cutter.finish(growing=growing)


def is_event_xml(head: bytes) -> bool:
    """Whether a file that begins so is Event XML, a cut one included."""
    encoding = encoding_of(head)
    text = head.decode(encoding, errors="replace").lstrip("\ufeff \t\r\n")
    if _HTML.match(text):
        return False
    return _NAMESPACE in text or (text.startswith("<") and _EVENT_TAG.search(text) is not None)


def read_event_xml(request: SourceRequest) -> SourceReading:
    """Return the OS records of an Event XML file.

    Raises:
        RecordError: the file holds no event that can be read, or declares a document type.
    """
    return read_source(request, KIND, _scan)


def _scan(request: SourceRequest, take: TakeEvent, tally: ProblemTally) -> int:
    stream = EventXmlStream(str(request.path), tally, keep_text=request.keep_text)
    with request.path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            for event in stream.feed(block):
                take(event)
    for event in stream.feed(b"", final=True):
        take(event)
    stream.finish()
    if stream.events == 0 and not tally.integrity().ok:
        raise RecordError(
            f"could not read {request.path}: found Event XML without one whole event,"
            " allowed is a log that holds at least one or is empty on purpose (<Events/>)"
        )
    return stream.events
