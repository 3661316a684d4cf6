"""One `<Event>` element of a Windows event log to an Event, where it is about a sleep or a wake.

Two readers give the same fields. `read_plain` takes the one shape that the event log service
writes, in one pass of a pattern, and gives up at anything else: an entity, a comment, a section or
field that stands elsewhere, a character that XML forbids or that a parser would normalise.
`read_full` is an XML parser, with everything refused that can grow or fetch, and takes ten times
as long.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from functools import cache, lru_cache
from typing import Final, NamedTuple
from xml.parsers import expat

from resume_rig.model.errors import RecordError
from resume_rig.oslog.source.problems import Problem, ProblemTally
from resume_rig.oslog.source.records import UINT32_MAX, UINT64_MAX, parse_utc_ns, parse_whole


@unique
class Provider(StrEnum):
    """Who writes events of sleeps and wakes; the value is the provider's GUID."""

    POWER_TROUBLESHOOTER = "cdc05e28-c449-49c6-b9d2-88cf761644df"
    KERNEL_POWER = "331c3b3a-2005-44c2-ac5e-77220c37d6b4"
    KERNEL_GENERAL = "a68ca8b7-004f-d7b6-a698-07e2de0f1f5d"
    KERNEL_BOOT = "15ca44ff-4d7a-4baa-bba5-0998955e531e"
    DIAGNOSTICS_PERFORMANCE = "cfc18ec0-96b1-4eba-961b-622caee05b0a"


@unique
class EventRole(StrEnum):
    """What an event is within the account of one cycle, or around it; ROLES is made of these."""

    ACCOUNT = "Power-Troubleshooter 1"
    ENTERING_SLEEP = "Kernel-Power 42"
    RESUMED = "Kernel-Power 107"
    CLOCK_SET = "Kernel-General 1"
    FIRMWARE_SUSPEND = "Kernel-Power 130"
    FIRMWARE_RESUME = "Kernel-Power 131"
    BOOT = "Kernel-General 12"
    SHUTDOWN = "Kernel-General 13"
    CLOCK_STEPPED = "Kernel-General 1, not on a wake"
    BOOT_STATUS = "Kernel-Boot 20"
    BOOT_TYPE = "Kernel-Boot 27"
    IMAGE_REFUSED = "Kernel-Boot 29"
    BOOT_TIMES = "Kernel-Boot 30"
    DIED = "Kernel-Power 41"
    ENTERING_STANDBY = "Kernel-Power 506"
    LEFT_STANDBY = "Kernel-Power 507"
    SLEEP_REQUESTED = "Kernel-Power 187"
    SHUTDOWN_BEGUN = "Kernel-Power 109"
    CONNECTIVITY = "Kernel-Power 172"
    SESSION_CHANGED = "Kernel-Power 566"
    SESSION_TO_SLEEP = "Kernel-Power 566, into a system transition"
    SESSION_FROM_SLEEP = "Kernel-Power 566, out of a system transition"
    SESSION_TO_STANDBY = "Kernel-Power 566, into Modern Standby"
    SESSION_FROM_STANDBY = "Kernel-Power 566, out of Modern Standby"
    SCREEN_ON = "Kernel-Power 566, the screen goes on"
    BOOT_TOOK = "Diagnostics-Performance 100"
    SHUTDOWN_TOOK = "Diagnostics-Performance 200"
    STANDBY_TOOK = "Diagnostics-Performance 300"
    DELAY = "Diagnostics-Performance, what delayed a transition"


PROVIDER_NAMES: Final[Mapping[str, Provider]] = {
    "microsoft-windows-power-troubleshooter": Provider.POWER_TROUBLESHOOTER,
    "microsoft-windows-kernel-power": Provider.KERNEL_POWER,
    "microsoft-windows-kernel-general": Provider.KERNEL_GENERAL,
    "microsoft-windows-kernel-boot": Provider.KERNEL_BOOT,
    "microsoft-windows-diagnostics-performance": Provider.DIAGNOSTICS_PERFORMANCE,
}
PROVIDER_GUIDS: Final[Mapping[str, Provider]] = {provider.value: provider for provider in Provider}

DELAY_EVENT_IDS: Final = (*range(101, 111), *range(201, 204), *range(301, 311), 350, 351, 352)
"""Events of Diagnostics-Performance that name what delayed a transition."""

# By the role's own words: "Kernel-Power 42" is event 42 of that provider. A role that also depends
# on an event's values is found by `Event`.
ROLES: Final[Mapping[tuple[Provider, int], EventRole]] = {
    **{
        (PROVIDER_NAMES[f"microsoft-windows-{name.lower()}"], int(number)): role
        for role in EventRole
        for name, _, number in (role.value.partition(" "),)
        if number.isdecimal()
    },
    **{(Provider.DIAGNOSTICS_PERFORMANCE, each): EventRole.DELAY for each in DELAY_EVENT_IDS},
}
PERFORMANCE_EVENT_IDS: Final = frozenset({100, 200, 300, *DELAY_EVENT_IDS})
"""Events of Diagnostics-Performance that time a transition."""

RELEVANT_EVENT_IDS: Final = frozenset(
    event_id for provider, event_id in ROLES if provider is not Provider.DIAGNOSTICS_PERFORMANCE
)
"""Events of all other providers; many others have the numbers of Diagnostics-Performance."""

CLOCK_SET_ON_WAKE: Final = "2"
"""Reason of Kernel-General 1: the clock was synchronised with the hardware on a wake."""

SHOWS_WAKES: Final = frozenset({EventRole.RESUMED, EventRole.CLOCK_SET})
"""Each is written on every wake, by Windows 8 and later; 131 only where firmware has an FPDT."""

_WITH_VALUES: Final = frozenset(
    {
        EventRole.ACCOUNT,
        EventRole.ENTERING_SLEEP,
        EventRole.BOOT_TOOK,
        EventRole.SHUTDOWN_TOOK,
        EventRole.STANDBY_TOOK,
        EventRole.DELAY,
    }
)
"""Events that Windows never writes without values."""

_CLOCK_SET: Final = EventRole.CLOCK_SET  # a member's look-up costs more than all of Event's test
_CLOCK_STEPPED: Final = EventRole.CLOCK_STEPPED
_SESSION_CHANGED: Final = EventRole.SESSION_CHANGED

# Session types of Kernel-Power 566: 0 active, 1 screen off, 2 Modern Standby, 3 a system
# transition, which is any sleep, hibernation or shutdown.
_BY_NEXT_SESSION: Final[Mapping[str, EventRole]] = {
    "2": EventRole.SESSION_TO_STANDBY,
    "3": EventRole.SESSION_TO_SLEEP,
}
_BY_PREVIOUS_SESSION: Final[Mapping[str, EventRole]] = {
    "2": EventRole.SESSION_FROM_STANDBY,
    "3": EventRole.SESSION_FROM_SLEEP,
}
_SCREEN_OFF_TO_ACTIVE: Final = ("1", "0")


@dataclass(frozen=True, slots=True)
class Event:
    """One event that matters, values as written.

    Attributes:
        provider: matched by GUID, or by name where the GUID is absent or strange.
        version: of the event's manifest entry; None where none is written.
        record_id: EventRecordID; its order is the order of what happened, time is not.
        time_utc_ns: TimeCreated, ns since 1970 UTC; stale between a wake and the clock's setting.
        data: the named values of EventData; the first of two with one name. Hostile texts.
        text: the original text where it was asked for, else empty.
        computer: the computer that wrote it, its domain behind a dot; hostile, may be empty.
        role: what the event is within a cycle's account; None where it has no part in one.
    """

    provider: Provider
    event_id: int
    version: int | None
    record_id: int | None
    time_utc_ns: int | None
    data: Mapping[str, str]
    text: str = ""
    computer: str = ""
    role: EventRole | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find the role once: every reader and every step of the assembly asks for it."""
        role = ROLES.get((self.provider, self.event_id))
        if role is _CLOCK_SET and self.data.get("Reason") != CLOCK_SET_ON_WAKE:
            role = _CLOCK_STEPPED
        elif role is _SESSION_CHANGED:
            role = _session_role(self.data)
        object.__setattr__(self, "role", role)


def _session_role(data: Mapping[str, str]) -> EventRole:
    """Return what a change of the session is; the end of a sleep counts before a beginning."""
    previous, following = data.get("PreviousSessionType", ""), data.get("NextSessionType", "")
    if (previous, following) == _SCREEN_OFF_TO_ACTIVE:
        return EventRole.SCREEN_ON
    ended = _BY_PREVIOUS_SESSION.get(previous)
    return ended or _BY_NEXT_SESSION.get(following, _SESSION_CHANGED)


def provider_of(guid: str, name: str) -> Provider | None:
    """Return the provider, by its GUID (braces and case do not matter) or else by its name."""
    return PROVIDER_GUIDS.get(guid.strip(" {}").lower()) or PROVIDER_NAMES.get(name.strip().lower())


_TRUTHS: Final = {"true": 1, "false": 0}


class EventValues:
    """Reads values of one source's events."""

    def __init__(self, tally: ProblemTally) -> None:
        self.tally = tally

    def whole(self, event: Event, name: str, maximum: int = UINT32_MAX) -> int | None:
        """Return a number from 0 to `maximum`, true and false as 1 and 0; None without one."""
        text = event.data.get(name)
        if not text:
            return None
        try:
            return parse_whole(text, maximum)
        except RecordError:
            truth = _TRUTHS.get(text.strip().lower())
        if truth is None:
            self.tally.count(Problem.BAD_NUMBER)
        return truth

    def time_ns(self, event: Event, name: str) -> int | None:
        """Return a time in ns since 1970 UTC; None without one."""
        try:
            return parse_utc_ns(event.data.get(name, ""))
        except RecordError:
            self.tally.count(Problem.BAD_TIME)
            return None


VALUE_LIMIT_CHARS: Final = 4096
"""A longer value of the log is cut: no real one comes near, and it may be hostile."""

COMPUTER_LIMIT_CHARS: Final = 255
"""A longer computer name is cut; DNS allows no longer one."""


class EventFields(NamedTuple):
    """What an element holds; a field that it does not have is empty.

    Attributes:
        name, guid: of the first provider.
        data: the named values of EventData; the first of two with one name.
    """

    name: str
    guid: str
    event_id: str
    version: str
    record_id: str
    time_created: str
    data: Mapping[str, str]
    computer: str = ""


# Characters that no XML parser changes or refuses: neither mark-up nor controls, no half pairs.
_TEXT: Final = "[^<&>\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]"
_IN_DOUBLE: Final = _TEXT.replace("[^", '[^"\n')
_IN_SINGLE: Final = _TEXT.replace("[^", "[^'\n")
_GAP: Final = r"[ \n]{0,16}"


def _attribute(name: str, group: str = "") -> str:
    """Return the pattern of an attribute; `group` names its value, in either quotes."""
    if not group:
        return rf""" {name}=(?:"{_IN_DOUBLE}*"|'{_IN_SINGLE}*')"""
    return rf""" {name}=(?:"(?P<{group}>{_IN_DOUBLE}*)"|'(?P<{group}_>{_IN_SINGLE}*)')"""


def _element(name: str, group: str = "", attributes: str = "") -> str:
    text = rf"(?P<{group}>{_TEXT}*)" if group else f"{_TEXT}*"
    return rf"{_GAP}<{name}{attributes}(?:/>|>{text}</{name}>)"


def _optional(pattern: str) -> str:
    return f"(?:{pattern})?"


_PROVIDER: Final = (
    _attribute("Name", "name")
    + _optional(_attribute("Guid", "guid"))
    + _optional(_attribute("EventSourceName"))
)
_SYSTEM: Final = "".join(
    (
        rf"{_GAP}<Provider{_PROVIDER}(?: ?/>|>{_GAP}</Provider>)",
        _element("EventID", "event_id", _optional(_attribute("Qualifiers"))),
        _optional(_element("Version", "version")),
        *(_optional(_element(name)) for name in ("Level", "Task", "Opcode", "Keywords")),
        _optional(_element("TimeCreated", "", _attribute("SystemTime", "time"))),
        _optional(_element("EventRecordID", "record_id")),
        _optional(
            _element(
                "Correlation",
                "",
                _optional(_attribute("ActivityID")) + _optional(_attribute("RelatedActivityID")),
            )
        ),
        _optional(
            _element("Execution", "", _attribute("ProcessID") + _attribute("ThreadID")),
        ),
        _optional(_element("Channel")),
        _optional(_element("Computer", "computer")),
        _optional(_element("Security", "", _optional(_attribute("UserID")))),
    )
)
_DATA: Final = rf"""<Data Name=(?:"{_IN_DOUBLE}*"|'{_IN_SINGLE}*') ?(?:/>|>{_TEXT}*</Data>){_GAP}"""
# XML 1.0 has no place for these, but some drivers write them into their texts.
_RAW_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CONTROL_REFERENCES: Final = re.compile(
    r"&#(?:0{0,8}(?:[0-8]|1[124-9]|2[0-9]|3[01])|x0{0,8}(?:[0-8bBcCeEfF]|1[0-9a-fA-F]));"
)


@cache
def _plain() -> re.Pattern[str]:
    """Return the pattern of an element; made when it is first needed, because it is large."""
    return re.compile(
        rf"<Event{_attribute('xmlns')}>{_GAP}<System>{_SYSTEM}{_GAP}</System>{_GAP}"
        rf"(?:<EventData ?/>|<EventData>{_GAP}(?P<data>(?:{_DATA})*)</EventData>)"
        rf"{_GAP}</Event>"
    )


@cache
def _values() -> re.Pattern[str]:
    return re.compile(
        rf"""<Data Name=(?:"({_IN_DOUBLE}*)"|'({_IN_SINGLE}*)') ?(?:/>|>({_TEXT}*)</Data>)"""
    )


def read_plain(text: str) -> EventFields | None:
    """Return the fields of an element of the usual shape, None for any other shape."""
    match = _plain().fullmatch(text)
    if match is None:
        return None
    name, name_, guid, guid_, event_id, version, time, time_, record_id, computer, values = (
        match.groups("")
    )
    data: dict[str, str] = {}
    for key, key_, value in _values().findall(values):
        key_or_empty = (key or key_)[:VALUE_LIMIT_CHARS]
        if key_or_empty:
            data.setdefault(key_or_empty, value[:VALUE_LIMIT_CHARS])
    return EventFields(
        name=name or name_,
        guid=guid or guid_,
        event_id=event_id,
        version=version,
        record_id=record_id,
        time_created=time or time_,
        data=data,
        computer=computer,
    )


def read_full(text: str) -> EventFields:
    """Return the fields of any well-formed element.

    Raises:
        RecordError: the element is not well formed, or declares entities.
    """
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
        self._provider = ("", "")
        self._time_created = ""
        self._system: dict[str, str] = {}
        self._data: dict[str, str] = {}
        self._depth = 0
        self._section = ""
        self._field = ""
        self._text: list[str] = []

    def read(self, text: str) -> EventFields:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse_declaration
        parser.EntityDeclHandler = _refuse_declaration
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text_of_field
        parser.Parse(text, True)
        return EventFields(
            name=self._provider[0],
            guid=self._provider[1],
            event_id=self._system.get("EventID", ""),
            version=self._system.get("Version", ""),
            record_id=self._system.get("EventRecordID", ""),
            time_created=self._time_created,
            data=self._data,
            computer=self._system.get("Computer", ""),
        )

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
            if tag == "Provider" and tag not in self._system:
                self._provider = (attributes.get("Name", ""), attributes.get("Guid", ""))
            elif tag == "TimeCreated" and tag not in self._system:
                self._time_created = attributes.get("SystemTime", "")

    def _text_of_field(self, text: str) -> None:
        if self._depth == 3 and self._field:
            self._text.append(text)

    def _end(self, _tag: str) -> None:
        if self._depth == 3 and self._field:
            values = self._data if self._section == "EventData" else self._system
            values.setdefault(self._field, "".join(self._text)[:VALUE_LIMIT_CHARS])
            self._field = ""
            self._text.clear()
        self._depth -= 1


def _refuse_declaration(*_: object) -> None:
    raise RecordError("could not read an event: found a document type or entity declaration")


_RELEVANT_WORDS: Final = (
    *("Power-Troubleshooter", "Kernel-Power", "Kernel-General", "Kernel-Boot"),
    "Diagnostics-Performance",
    *(spelt for provider in Provider for spelt in (provider.value[:8], provider.value[:8].upper())),
)
_PERFORMANCE: Final = re.compile(
    f"(?i:Diagnostics-Performance|{Provider.DIAGNOSTICS_PERFORMANCE.value[:8]})"
)
_RELEVANT: Final = re.compile("|".join(map(re.escape, _RELEVANT_WORDS)))
_HEAD_END: Final = "<EventID"  # what stands before it is the same in all events of a provider
_HEAD_LIMIT_CHARS: Final = 800
# The first provider of System is the one that counts; here it stands where it always does.
_PROVIDER_TAG: Final = re.compile(
    r"<Event[^<>&]{0,200}>[ \r\n]{0,16}<System>[ \r\n]{0,16}<Provider ([^<>&]{1,500})>"
)
_EVENT_ID: Final = re.compile(r"EventID[^<>]{0,80}>[ \t\r\n]{0,80}([0-9]{1,9})[ \t\r\n]{0,80}<")


def is_relevant(text: str) -> bool:
    """Whether an event's text is worth parsing: a cheap test that passes every relevant event."""
    head_chars = text.find(_HEAD_END)
    is_of_provider = None
    if 0 < head_chars <= _HEAD_LIMIT_CHARS:
        is_of_provider = _head_names_provider(text[:head_chars])
    if is_of_provider is None:
        is_of_provider = _names_provider(text)
    if not is_of_provider:
        return False
    event_ids = [int(event_id) for event_id in _EVENT_ID.findall(text)]
    if not event_ids or not RELEVANT_EVENT_IDS.isdisjoint(event_ids):
        return True
    return not PERFORMANCE_EVENT_IDS.isdisjoint(event_ids) and (
        _PERFORMANCE.search(text) is not None
    )


STRANGE: Final = "log's events"


def is_strange(text: str) -> bool:
    """Return whether an element is none of another provider's: it does not say whose it is.

    Or it has what an account of a sleep alone has, under a name that is not known.
    """
    return "Provider" not in text or "EventID" not in text or "BiosInitDuration" in text


def _names_provider(text: str) -> bool:
    return _RELEVANT.search(text) is not None


@lru_cache(maxsize=256)  # a log has few providers; a head is short
def _head_names_provider(head: str) -> bool | None:
    """Return whether the first provider matters; None where it does not stand as it always does."""
    provider = _PROVIDER_TAG.match(head)
    return None if provider is None else _names_provider(provider[1])


def parse_event(
    text: str, tally: ProblemTally, *, keep_text: bool, written: str = ""
) -> Event | None:
    """Return the event of one `<Event>` element; None where its provider is another.

    Args:
        text: the element and nothing around it.
        tally: takes the times and numbers that could not be read.
        keep_text: whether the event carries `text` as it was read.
        written: when it was written, where the file has it more exactly than its TimeCreated.

    Raises:
        RecordError: the element is not well formed, or declares entities.
    """
    fields = read_plain(text) or read_full(text)
    return event_of(fields, tally, text=text if keep_text else "", written=written)


def event_of(
    fields: EventFields, tally: ProblemTally, *, text: str = "", written: str = ""
) -> Event | None:
    """Return the event that has these fields; None where its provider is another."""
    provider = provider_of(fields.guid, fields.name)
    if provider is None:
        if not (fields.guid or fields.name):
            tally.not_understood(STRANGE, f"one without a provider, number {fields.event_id!r}")
        return None
    event_id = _whole(fields.event_id, tally)
    if event_id is None:
        tally.not_understood(STRANGE, f"one of {fields.name} with the number {fields.event_id!r}")
        return None
    role = ROLES.get((provider, event_id))
    if role in _WITH_VALUES and not fields.data:
        tally.not_understood(STRANGE, f"{role} without a value")
    version = fields.version
    return Event(
        provider=provider,
        event_id=event_id,
        version=_whole(version, tally) if version.isdecimal() else None,  # some write "None"
        record_id=_whole(fields.record_id, tally),
        time_utc_ns=_time(written or fields.time_created, tally),
        data=fields.data,
        text=text,
        computer=fields.computer.strip()[:COMPUTER_LIMIT_CHARS],
    )


def _whole(text: str, tally: ProblemTally) -> int | None:
    try:
        return parse_whole(text, UINT64_MAX)
    except RecordError:
        tally.count(Problem.BAD_NUMBER)
        return None


def _time(text: str, tally: ProblemTally) -> int | None:
    try:
        return parse_utc_ns(text)
    except RecordError:
        tally.count(Problem.BAD_TIME)
        return None
