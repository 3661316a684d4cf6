"""Event XML as a stream: a file of `wevtutil qe /f:xml` or the Event Viewer, or a growing log.

A full XML parser stops for good at the first damage and holds the document that it is in. Cutting
the text into its `<Event>` elements first costs little, keeps one event at a time, and goes on
after a damaged one: a cut starts anew at every `<Event`, so that a lost end tag loses its own
event only.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Integrity, LogSource, OsRecord
from resume_rig.oslog.event.assembler import ForwardAssembler
from resume_rig.oslog.event.delays import DelayReader
from resume_rig.oslog.event.endings import ending_not_shown
from resume_rig.oslog.event.event import (
    SHOWS_WAKES,
    STRANGE,
    Event,
    EventValues,
    Provider,
    is_relevant,
    is_strange,
    parse_event,
)
from resume_rig.oslog.event.log import RepeatFilter, TakeEvent, read_source
from resume_rig.oslog.source.lines import EventText, head_text, may_quote
from resume_rig.oslog.source.problems import Problem, ProblemTally
from resume_rig.oslog.source.records import SourceReading, SourceRequest

EVENT_LIMIT_CHARS: Final = 1 << 20
"""A longer event is skipped: the largest that the event log service writes is 64 KiB."""

_GAP_LIMIT_CHARS: Final = 4096
_QUOTED_ENDS_LIMIT: Final = 8  # end tags within CDATA sections or comments, each costs a search
_TAG_LIMIT_CHARS: Final = 96  # more than any `<prefix:Event` that is looked for
_PLAIN_STARTS: Final = ("<Event ", "<Event>")
_PLAIN_END: Final = "</Event>"
_START: Final = re.compile(r"<([A-Za-z_][\w.\-]{0,63}:)?Event(?=[\s/>])")
_END_OF_TAG: Final = re.compile(r"[ \t\r\n]{0,16}>")
_QUOTE: Final = re.compile(r"<!--|<!\[CDATA\[")
_QUOTE_ENDS: Final[Mapping[str, str]] = {"<!--": "-->", "<![CDATA[": "]]>"}
_ROOT: Final = re.compile(r"<(/?)(?:[\w.\-]{1,64}:)?Events(?=[\s>])[^<>]*(?<!/)>")
_BETWEEN_EVENTS: Final = re.compile(
    r"(?:[\s\ufeff]|<\?[^<>]*\?>|<!--(?:(?!-->).)*-->"
    r"|</?(?!(?:[\w.\-]{1,64}:)?(?:Event|System|EventData|UserData|RenderingInfo|Data)\b)"
    r"[A-Za-z_][^<>]*>)*",
    re.DOTALL,
)


class EventCutter:
    """Keeps the text that is not yet a whole event; `events` counts the whole ones."""

    def __init__(self, tally: ProblemTally) -> None:
        self.events = 0
        self._tally = tally
        self._text = ""
        self._position = 0
        self._start: re.Match[str] | None = None
        self._searched = 0
        self._skipping = False
        self._open_roots = 0
        self._final = False

    @property
    def held_chars(self) -> int:
        """How much text is kept, in characters."""
        return len(self._text) - self._position

    def cut(self, text: str, *, final: bool = False) -> Iterator[str]:
        """Yield every event that `text` completes, without what stands around it.

        Args:
            text: what follows on the text given before.
            final: no text will follow, so a quotation that is still open is damage.
        """
        self._final = final
        self._text = self._text[self._position :] + text
        self._searched = max(0, self._searched - self._position)
        self._position = 0
        self._start = None
        splittable = not may_quote(self._text)
        while True:
            if splittable and not self._skipping and self._stands_plain():
                splittable = False  # once: what stops it is rare, and begins where it stopped
                yield from self._plain_events()
            start = self._find_start()
            event = None if start is None else self._take_event(start)
            if event is None:
                return
            if event:
                self.events += 1
                yield event

    def finish(self, *, growing: bool) -> None:
        """Note what the end of the text cuts off.

        Args:
            growing: the log goes on elsewhere, so an open root element is no problem.
        """
        rest = self._text[self._position :]
        if self._start is not None or _is_cut_tag(rest):
            self._tally.count(Problem.CUT)
        elif not self._skipping:
            self._check_gap(rest)
            for _ in range(0 if growing else self._open_roots):
                self._tally.count(Problem.OPEN_ROOT)

    def _plain_events(self) -> Iterator[str]:
        """Yield the next events as long as they stand as they all do; for text without "<!".

        The usual event begins behind blanks alone, has no prefix, and holds no other's start. All
        of the text is split in one go: what `_take_event` would cut, in a tenth of the time.
        """
        body = self._text[self._position : self._text.rfind(_PLAIN_END)]
        for piece in body.split(_PLAIN_END):
            event = piece.lstrip()
            if not event.startswith(_PLAIN_STARTS) or event[event.find(">") - 1] == "/":
                return
            if event.rfind("<Event ") > 0 or event.rfind("<Event>") > 0:
                return
            if len(event) > EVENT_LIMIT_CHARS - len(_PLAIN_END):
                return
            self._position += len(piece) + len(_PLAIN_END)
            self._searched = self._position
            self.events += 1
            yield event + _PLAIN_END

    def _stands_plain(self) -> bool:
        """Whether a whole event without a prefix comes next, behind a few blanks."""
        next_tag = self._text[self._position : self._position + _TAG_LIMIT_CHARS].lstrip()
        return next_tag.startswith(_PLAIN_STARTS) and (
            self._text.find(_PLAIN_END, self._position) >= 0
        )

    def _find_start(self) -> re.Match[str] | None:
        self._start = _START.search(self._text, self._position)
        if self._start is not None:
            self._check_gap(self._text[self._position : self._start.start()])
            self._position = self._start.start()
        elif len(self._text) - self._position > _GAP_LIMIT_CHARS:
            end = len(self._text) - _TAG_LIMIT_CHARS
            self._check_gap(self._text[self._position : end])
            self._position = end
        return self._start

    def _check_gap(self, gap: str) -> None:
        if not gap or gap.isspace() or self._skipping:
            self._skipping = self._skipping and self._start is None
            return
        for root in _ROOT.finditer(gap):
            self._open_roots += -1 if root[1] else 1
        if len(gap) > _GAP_LIMIT_CHARS or _BETWEEN_EVENTS.fullmatch(gap) is None:
            self._tally.count(Problem.STRAY_TEXT)

    def _take_event(self, start: re.Match[str]) -> str | None:
        """Return the event at `start`, "" where it is unusable, None where it goes on."""
        text, prefix = self._text, start[1] or ""
        tag_end = text.find(">", start.end())
        if tag_end > 0 and text[tag_end - 1] == "/":
            return self._drop_to(tag_end + 1, None, counted=True)
        end = self._find_end(f"</{prefix}Event", start.end())
        if end < 0:
            if len(text) - self._position <= EVENT_LIMIT_CHARS:
                return None
            return self._give_up_long(start)
        nested = _last_start(text, prefix, start.end(), end)
        if nested > 0:
            self._tally.count(Problem.MALFORMED)
            self._position = nested
        event = text[self._position : end]
        if len(event) > EVENT_LIMIT_CHARS:
            return self._drop_to(end, Problem.OVERSIZED, counted=True)
        self._drop_to(end, None, counted=False)
        return event

    def _drop_to(self, position: int, problem: Problem | None, *, counted: bool) -> str:
        if problem is not None:
            self._tally.count(problem)
        self.events += counted
        self._position = self._searched = position
        return ""

    def _give_up_long(self, start: re.Match[str]) -> str:
        """Leave an event without an end; a later start inside what is kept begins a new one."""
        later = _START.search(self._text, start.end())
        if later is not None:
            return self._drop_to(later.start(), Problem.MALFORMED, counted=False)
        self._skipping = True
        end = len(self._text) - _TAG_LIMIT_CHARS
        return self._drop_to(end, Problem.OVERSIZED, counted=True)

    def _find_end(self, tag: str, after: int) -> int:
        """Return where the event ends (behind its end tag), or -1; resumes where it left off."""
        text = self._text
        found = text.find(tag, max(after, self._searched))
        quotes_left = _QUOTED_ENDS_LIMIT
        while found >= 0:
            close = _END_OF_TAG.match(text, found + len(tag))
            if close is None:  # </EventData>, or a tag that is damaged or not yet whole
                found = text.find(tag, found + len(tag))
                continue
            quote_end = _end_of_quote(text, self._position, found) if quotes_left else 0
            if quote_end == 0 or (quote_end < 0 and self._final):
                return close.end()
            if quote_end < 0:  # may still be closed; if it never is, it is damage
                self._searched = found
                return -1
            quotes_left -= 1
            found = text.find(tag, quote_end)
        self._searched = max(after, len(text) - _TAG_LIMIT_CHARS)
        return -1


def _end_of_quote(text: str, start: int, place: int) -> int:
    """Return where the CDATA section or comment around `place` ends.

    Returns:
        0 where none is open there, -1 where it is not closed in the text.
    """
    if text.find("<!", start, place) < 0:
        return 0  # nearly always, and quicker found than by the pattern
    while (quote := _QUOTE.search(text, start, place)) is not None:
        close = text.find(_QUOTE_ENDS[quote[0]], quote.end())
        if close < 0:
            return -1
        start = close + 3
        if close >= place:
            return start
    return 0


def _last_start(text: str, prefix: str, start: int, end: int) -> int:
    """Return where the last `<Event` after the first one starts, or -1."""
    tag = f"<{prefix}Event"
    return max(text.rfind(f"{tag} ", start, end), text.rfind(f"{tag}>", start, end))


def _is_cut_tag(rest: str) -> bool:
    return rest.rfind("<") > rest.rfind(">")


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
                if is_strange(text):
                    self._tally.not_understood(STRANGE, text)
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
    text = head_text(head)
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


class EventLogFollower:
    """Takes appended Event XML, oldest first, and gives each OS record with its last byte.

    Bytes that were fed before may come again from the start of an event: a record that is
    complete is given once.
    """

    def __init__(self, source_name: str) -> None:
        """Start with nothing read; error texts have the name."""
        self._source_name = source_name
        self._tally = ProblemTally()
        self._stream = EventXmlStream(source_name, self._tally, keep_text=True)
        self._assembler = ForwardAssembler(0, self._tally)
        self._delays = DelayReader(0, EventValues(self._tally))
        self._repeats = RepeatFilter(self._tally)
        self._shows_wakes = False

    @property
    def integrity(self) -> Integrity:
        """What is damaged; an event that is still incomplete is not."""
        return self._tally.integrity()

    def feed(self, data: bytes) -> list[OsRecord]:
        """Return the records that `data` completes.

        Raises:
            RecordError: the log declares a document type or an entity.
        """
        return self._take(data, final=False)

    def finish(self) -> list[OsRecord]:
        """Return what the end completes (nothing, but for damage); notes an event that is cut."""
        records = self._take(b"", final=True)
        self._stream.finish(growing=True)
        return records

    def describe(self) -> LogSource:
        """Return the source as it was read up to now."""
        return LogSource(
            path=self._source_name,
            kind=KIND,
            os_build=self._assembler.os_build,
            records=self._stream.events,
            integrity=self.integrity,
        )

    def _take(self, data: bytes, *, final: bool) -> list[OsRecord]:
        given: list[OsRecord] = []
        for event in self._stream.feed(data, final=final):
            if event.provider is Provider.DIAGNOSTICS_PERFORMANCE:
                self._delays.feed(event)
                continue
            self._shows_wakes = self._shows_wakes or event.role in SHOWS_WAKES
            found = filter(self._repeats.admit, self._assembler.feed(event))
            given += found if self._shows_wakes else map(ending_not_shown, found)
        return [*given, *filter(self._repeats.admit, self._delays.take())]
