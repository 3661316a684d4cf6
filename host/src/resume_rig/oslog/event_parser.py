"""One `<Event>` element to an Event: pyexpat, with everything refused that can grow or fetch."""

import re
from typing import Final
from xml.parsers import expat

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event import RELEVANT_EVENT_IDS, Event, Provider, provider_of
from resume_rig.oslog.problems import Problem, ProblemTally
from resume_rig.oslog.timestamps import parse_utc_ns, parse_whole

VALUE_LIMIT_CHARS: Final = 4096
"""A longer value of the log is cut: no real one comes near, and it may be hostile."""

_UINT64_MAX: Final = (1 << 64) - 1
_RELEVANT_WORDS: Final = (
    *("Power-Troubleshooter", "Kernel-Power", "Kernel-General"),
    *(spelt for provider in Provider for spelt in (provider.value[:8], provider.value[:8].upper())),
)
_RELEVANT: Final = re.compile("|".join(map(re.escape, _RELEVANT_WORDS)))
_EVENT_ID: Final = re.compile(r"EventID[^<>]{0,80}>[ \t\r\n]{0,80}([0-9]{1,9})[ \t\r\n]{0,80}<")
# XML 1.0 has no place for these, but some drivers write them into their texts.
_RAW_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CONTROL_REFERENCES: Final = re.compile(
    r"&#(?:0{0,8}(?:[0-8]|1[124-9]|2[0-9]|3[01])|x0{0,8}(?:[0-8bBcCeEfF]|1[0-9a-fA-F]));"
)


def is_relevant(text: str) -> bool:
    """Whether an event's text is worth parsing: a cheap test that passes every relevant event."""
    if _RELEVANT.search(text) is None:
        return False
    event_ids = _EVENT_ID.findall(text)
    return not event_ids or any(int(event_id) in RELEVANT_EVENT_IDS for event_id in event_ids)


def parse_event(text: str, tally: ProblemTally, *, keep_text: bool) -> Event | None:
    """Return the event that one `<Event>` element tells of; None where its provider is another.

    Args:
        text: the element and nothing around it.
        tally: takes the times and numbers that could not be read.
        keep_text: whether the event carries `text` as it was read.

    Raises:
        RecordError: the element is not well formed, or declares entities.
    """
    fields = _parse_fields(text)
    provider = provider_of(fields.guid, fields.name)
    if provider is None:
        return None
    event_id = _whole(fields.system.get("EventID", ""), tally)
    if event_id is None:
        return None
    version = fields.system.get("Version", "")
    return Event(
        provider=provider,
        event_id=event_id,
        version=_whole(version, tally) if version.isdecimal() else None,  # some write "None"
        record_id=_whole(fields.system.get("EventRecordID", ""), tally),
        time_utc_ns=_time(fields.time_created, tally),
        data=fields.data,
        text=text if keep_text else "",
    )


def _whole(text: str, tally: ProblemTally) -> int | None:
    try:
        return parse_whole(text, maximum=_UINT64_MAX)
    except RecordError:
        tally.count(Problem.BAD_NUMBER)
        return None


def _time(text: str, tally: ProblemTally) -> int | None:
    try:
        return parse_utc_ns(text)
    except RecordError:
        tally.count(Problem.BAD_TIME)
        return None


def _parse_fields(text: str) -> "_FieldReader":
    try:
        return _FieldReader().read(text)
    except (expat.ExpatError, UnicodeError):
        clean = _CONTROL_REFERENCES.sub("\ufffd", _RAW_CONTROLS.sub("\ufffd", text))
    try:
        return _FieldReader().read(clean)
    except (expat.ExpatError, UnicodeError) as error:
        raise RecordError(f"could not read an event: found XML that has {error}") from error


class _FieldReader:
    """Handlers of one parser for one element: keeps System's fields and EventData's values.

    Names are taken without their namespace prefix: a piece cut out of a document may carry a
    prefix whose declaration stayed behind.
    """

    def __init__(self) -> None:
        self.name = ""
        self.guid = ""
        self.time_created = ""
        self.system: dict[str, str] = {}
        self.data: dict[str, str] = {}
        self._depth = 0
        self._section = ""
        self._field = ""
        self._text: list[str] = []

    def read(self, text: str) -> "_FieldReader":
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse_declaration
        parser.EntityDeclHandler = _refuse_declaration
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text_of_field
        parser.Parse(text, True)
        return self

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 2:
            self._section = tag.rpartition(":")[2]
        elif self._depth == 3:
            self._start_field(tag.rpartition(":")[2], attributes)

    def _start_field(self, tag: str, attributes: dict[str, str]) -> None:
        if self._section == "EventData":
            self._field = attributes.get("Name", "")[:VALUE_LIMIT_CHARS]
        elif self._section == "System":
            self._field = tag
            if tag == "Provider":
                self.name = attributes.get("Name", "")
                self.guid = attributes.get("Guid", "")
            elif tag == "TimeCreated":
                self.time_created = attributes.get("SystemTime", "")

    def _text_of_field(self, text: str) -> None:
        if self._depth == 3 and self._field:
            self._text.append(text)

    def _end(self, _tag: str) -> None:
        if self._depth == 3 and self._field:
            values = self.data if self._section == "EventData" else self.system
            values.setdefault(self._field, "".join(self._text)[:VALUE_LIMIT_CHARS])
            self._field = ""
            self._text.clear()
        self._depth -= 1


def _refuse_declaration(*_: object) -> None:
    raise RecordError("could not read an event: found a document type or entity declaration")
