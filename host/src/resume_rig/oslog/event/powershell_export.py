"""What PowerShell exports of an event log: `Get-WinEvent | ConvertTo-Json` and `| Export-Csv`.

An item is an EventLogRecord or its XML. An EventLogRecord has a localised Message and values
without names. Values are used without names only where version and number of values together
leave one layout: version 2 of Power-Troubleshooter 1 puts a field in the middle, so the place
alone decides nothing.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event.event import (
    DELAY_EVENT_IDS,
    ROLES,
    VALUE_LIMIT_CHARS,
    Event,
    EventFields,
    Provider,
    event_of,
    is_relevant,
    parse_event,
    provider_of,
)
from resume_rig.oslog.event.log import TakeEvent, read_source
from resume_rig.oslog.source.lines import EventText, head_text
from resume_rig.oslog.source.problems import Problem, ProblemTally
from resume_rig.oslog.source.records import SourceReading, SourceRequest

_ACCOUNT: Final = (
    *("SleepTime", "WakeTime", "SleepDuration", "WakeDuration", "DriverInitDuration"),
    *("BiosInitDuration", "HiberWriteDuration", "HiberReadDuration", "HiberPagesWritten"),
    *("Attributes", "TargetState", "EffectiveState", "WakeSourceType", "WakeSourceTextLength"),
    *("WakeSourceText", "WakeTimerOwnerLength", "WakeTimerContextLength"),
)
_TIMER: Final = ("WakeTimerOwner", "WakeTimerContext")
_FILE: Final = (
    *("StartTime", "NameLength", "Name", "FriendlyNameLength", "FriendlyName"),
    *("VersionLength", "Version", "TotalTime", "DegradationTime", "PathLength", "Path"),
    *("ProductNameLength", "ProductName", "CompanyNameLength", "CompanyName"),
)
_FILE_OF_DEVICE: Final = (
    *(*_FILE, "DeviceNameLength", "DeviceName", "DeviceFriendlyNameLength"),
    *("DeviceFriendlyName", "DeviceTotalTime", "DeviceDegradationTime"),
)
_STEP: Final = ("StartTime", "NameLength", "Name", "TotalTime", "DegradationTime")
_FILES: Final = (101, 102, 103, 109, 201, 202, 203, 301, 303)
_FILES_OF_DEVICES: Final = (302, 351)
_CLOCK: Final = ("NewTime", "OldTime", "Reason")
_CLOCK_SETTER: Final = ("ProcessName", "ProcessID")
_LAYOUTS: Final[Mapping[tuple[Provider, int, int], tuple[str, ...]]] = {
    (Provider.POWER_TROUBLESHOOTER, 1, 0): _ACCOUNT[:15],
    (Provider.POWER_TROUBLESHOOTER, 1, 1): (*_ACCOUNT, *_TIMER),
    (Provider.POWER_TROUBLESHOOTER, 1, 2): (*_ACCOUNT, "NoMultiStageResumeReason", *_TIMER),
    (Provider.POWER_TROUBLESHOOTER, 1, 3): (
        *(*_ACCOUNT, "NoMultiStageResumeReason", *_TIMER),
        "CheckpointDuration",
    ),
    (Provider.KERNEL_POWER, 42, 3): (
        *("TargetState", "EffectiveState", "Reason", "Flags", "TransitionsToOn"),
    ),
    (Provider.KERNEL_POWER, 107, 1): (
        *("TargetState", "EffectiveState", "WakeFromState", "ProgrammedWakeTimeAc"),
        *("ProgrammedWakeTimeDc", "WakeRequesterTypeAc", "WakeRequesterTypeDc"),
    ),
    (Provider.KERNEL_POWER, 109, 0): (
        *("ShutdownActionType", "ShutdownEventCode", "ShutdownReason"),
    ),
    (Provider.KERNEL_POWER, 172, 0): ("State", "Reason"),
    (Provider.KERNEL_POWER, 187, 0): (
        *("ApiCallerNameLength", "ApiCallerName", "SystemAction", "LightestSystemState"),
    ),
    (Provider.KERNEL_POWER, 566, 0): (
        *("BootId", "Reason", "PreviousSessionId", "PreviousSessionType"),
        *("PreviousSessionDurationInUs", "PreviousEnergyCapacityAtStart"),
        *("PreviousFullEnergyCapacityAtStart", "PreviousEnergyCapacityAtEnd"),
        *("PreviousFullEnergyCapacityAtEnd", "NextSessionId", "NextSessionType"),
        *("PowerStateAc", "MonitorReason"),
    ),
    (Provider.KERNEL_POWER, 130, 0): ("SuspendStart", "SuspendEnd"),
    (Provider.KERNEL_POWER, 131, 0): ("ResumeCount", "FullResume", "AverageResume"),
    (Provider.KERNEL_GENERAL, 1, 0): _CLOCK[:2],
    (Provider.KERNEL_GENERAL, 1, 1): _CLOCK,
    (Provider.KERNEL_GENERAL, 1, 2): (*_CLOCK, *_CLOCK_SETTER),
    (Provider.KERNEL_GENERAL, 1, 3): (
        *(*_CLOCK, *_CLOCK_SETTER, "CmosTime", "TimeZoneBias"),
        *("RealTimeIsUniversal", "SystemInCmosMode"),
    ),
    (Provider.KERNEL_GENERAL, 12, 0): (
        *("MajorVersion", "MinorVersion", "BuildVersion", "QfeVersion", "ServiceVersion"),
        *("BootMode", "StartTime"),
    ),
    (Provider.KERNEL_GENERAL, 13, 0): ("StopTime",),
    (Provider.KERNEL_POWER, 41, 2): (
        *("BugcheckCode", "BugcheckParameter1", "BugcheckParameter2", "BugcheckParameter3"),
        *("BugcheckParameter4", "SleepInProgress", "PowerButtonTimestamp"),
    ),
    (Provider.KERNEL_BOOT, 20, 1): (
        *("LastShutdownGood", "LastBootGood", "LastBootId", "BootStatusPolicy"),
    ),
    (Provider.KERNEL_BOOT, 27, 1): ("BootType", "LoadOptions"),
    (Provider.KERNEL_BOOT, 30, 0): (
        *("ResetEndStart", "LoadOSImageStart", "StartOSImageStart"),
        *("ExitBootServicesEntry", "ExitBootServicesExit"),
    ),
    **{
        (Provider.DIAGNOSTICS_PERFORMANCE, each, 1): (
            _FILE if each in _FILES else _FILE_OF_DEVICE if each in _FILES_OF_DEVICES else _STEP
        )
        for each in DELAY_EVENT_IDS
    },
}
_RECORD_KEYS: Final = frozenset(
    {
        *("ProviderName", "ProviderId", "Id", "Version", "RecordId", "TimeCreated", "Message"),
        *("Qualifiers", "Level", "Task", "Opcode", "Keywords", "LogName", "ProcessId", "ThreadId"),
        *("MachineName", "UserId", "ActivityId", "RelatedActivityId", "ContainerLog"),
        *("MatchedQueryIds", "Bookmark", "LevelDisplayName", "OpcodeDisplayName"),
        *("TaskDisplayName", "KeywordsDisplayNames", "Properties"),
    }
)
_NET_DATE: Final = re.compile(r"/Date\((-?[0-9]{1,15})(?:[+-][0-9]{4})?\)/")
_LOCAL_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{1,24}")
_NUMBER_CHARS: Final = 9
_EPOCH_TICKS: Final = 116_444_736_000_000_000  # 100 ns from 1601 to 1970
_TICKS_PER_MS: Final = 10_000


@dataclass(frozen=True, slots=True)
class UnnamedValues:
    """An event whose values have no names, and of which no layout is listed."""

    provider: Provider
    event_id: str


def xml_of(item: object) -> str | None:
    """Return the Event XML that an item is, or has among its values; None without one."""
    texts = item.values() if isinstance(item, Mapping) else (item,)
    for text in texts:
        if isinstance(text, str) and text.lstrip("\ufeff \t\r\n").startswith("<Event "):
            return _sound(text.strip("\ufeff \t\r\n"))
    return None


def fields_of(record: Mapping[str, object]) -> EventFields | UnnamedValues | None:
    """Return the fields of an EventLogRecord; None of an event that has no part in an account."""
    name, guid = _text(record.get("ProviderName")), _text(record.get("ProviderId"))
    provider = provider_of(guid, name)
    event_id, version = _text(record.get("Id")), _text(record.get("Version"))
    if provider is None or not _matters(provider, event_id):
        return None
    data = {
        key[:VALUE_LIMIT_CHARS]: _text(value)
        for key, value in record.items()
        if key not in _RECORD_KEYS and not isinstance(value, list)
    }
    if not data:
        named = _by_layout(provider, event_id, version, record.get("Properties"))
        if named is None:
            return UnnamedValues(provider, event_id)
        data = named
    return EventFields(
        name=name,
        guid=guid,
        event_id=event_id,
        version=version,
        record_id=_text(record.get("RecordId")),
        time_created=_text(record.get("TimeCreated")),
        data=data,
        computer=_text(record.get("MachineName")),
    )


def is_record(item: Mapping[str, object]) -> bool:
    """Whether an item is an EventLogRecord, or what was chosen of one."""
    return "ProviderName" in item and "Id" in item


def _matters(provider: Provider, event_id: str) -> bool:
    """Whether an event has a part in an account; an id that is no number is left to the reader."""
    if not event_id.isdecimal() or len(event_id) > _NUMBER_CHARS:
        return True
    return (provider, int(event_id)) in ROLES


def _by_layout(
    provider: Provider, event_id: str, version: str, properties: object
) -> dict[str, str] | None:
    if not isinstance(properties, Sequence) or isinstance(properties, str):
        return None
    if not (event_id.isdecimal() and version.isdecimal()):
        return None
    if max(len(event_id), len(version)) > _NUMBER_CHARS:
        return None
    names = _LAYOUTS.get((provider, int(event_id), int(version)))
    if names is None or len(names) != len(properties):
        return None
    values = [entry.get("Value") if isinstance(entry, Mapping) else entry for entry in properties]
    return {name: _text(value) for name, value in zip(names, values, strict=True)}


def _text(value: object) -> str:
    """Return a value as the event's XML would have it; a time without a zone is marked."""
    if isinstance(value, Mapping):  # PowerShell 5 puts some values into an object
        value = value.get("value", value.get("Value"))
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    text = _sound(str(value)[:VALUE_LIMIT_CHARS])
    date = _NET_DATE.fullmatch(text)
    if date is not None:
        return str(max(0, int(date[1]) * _TICKS_PER_MS + _EPOCH_TICKS))
    return f"{text} in an unknown zone" if _LOCAL_TIME.fullmatch(text) else text


def _sound(text: str) -> str:
    """Return a text without the halves of characters that JSON can spell and nothing can write."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


JSON_KIND: Final = "eventlog-json"
CSV_KIND: Final = "eventlog-csv"
ITEM_LIMIT_CHARS: Final = 1 << 20
"""A longer item of JSON ends the reading: no event comes near."""

_BLOCK_BYTES: Final = 256 * 1024
_FALLBACK: Final = "cp1252"  # what PowerShell 5 calls "Default" in western Europe and America
_BETWEEN_ITEMS: Final = re.compile(r"[\s\ufeff,\[\]]*")
_JSON_MARKS: Final = re.compile(r'"ProviderName"|(?:<|\\u003[cC])Event ')
_CSV_HEADER: Final = re.compile(r'(?:#TYPE [^\r\n]*[\r\n]+)?("?[\w ]{1,80}"?(?:[,;\t]|[\r\n]))')
_CSV_MARKS: Final = re.compile(r"\b(?:ProviderName|RecordId)\b|<Event ")
_ADVICE: Final = (
    "found an export with messages and values without names, allowed is one of the events' XML:"
    " Get-WinEvent -LogName System -Oldest | ForEach-Object { $_.ToXml() } | Set-Content log.xml"
)


def is_json_export(head: bytes) -> bool:
    """Whether a file that begins so is JSON of events."""
    text = head_text(head)
    return text[:1] in ("[", "{") and _JSON_MARKS.search(text) is not None


def is_csv_export(head: bytes) -> bool:
    """Whether a file that begins so is CSV of events."""
    text = head_text(head)
    return _CSV_HEADER.match(text) is not None and _CSV_MARKS.search(text) is not None


def read_json_export(request: SourceRequest) -> SourceReading:
    """Return the OS records of a JSON export.

    Raises:
        RecordError: the file is no JSON, or has values without names only.
    """
    return read_source(request, JSON_KIND, partial(_scan, _json_items))


def read_csv_export(request: SourceRequest) -> SourceReading:
    """Return the OS records of a CSV export.

    Raises:
        RecordError: the file is no CSV, or has values without names only.
    """
    return read_source(request, CSV_KIND, partial(_scan, _csv_items))


def _scan(
    items_of: Callable[[SourceRequest, ProblemTally], Iterator[object]],
    request: SourceRequest,
    take: TakeEvent,
    tally: ProblemTally,
) -> int:
    count = used = unnamed = 0
    for item in items_of(request, tally):
        count += 1
        event = _event_of(item, tally, keep=request.keep_text)
        if isinstance(event, UnnamedValues):
            unnamed += 1
        elif event is not None and event.role is not None:
            used += 1
            take(event)
    if unnamed and not used:
        raise RecordError(f"could not read {request.path}: {_ADVICE}")
    for _ in range(unnamed):
        tally.count(Problem.UNNAMED)
    if count == 0 and not tally.integrity().ok:
        raise RecordError(
            f"could not read {request.path}: found an export without one whole event, allowed is"
            " one that holds at least one"
        )
    return count


def _event_of(item: object, tally: ProblemTally, *, keep: bool) -> Event | UnnamedValues | None:
    text = xml_of(item)
    try:
        if text is not None:
            return parse_event(text, tally, keep_text=keep) if is_relevant(text) else None
        if not isinstance(item, Mapping) or not is_record(item):
            tally.count(Problem.STRAY_TEXT)
            return None
        fields = fields_of(item)
        if fields is None or isinstance(fields, UnnamedValues):
            return fields
        kept = json.dumps(item)[:ITEM_LIMIT_CHARS] if keep else ""
        return event_of(fields, tally, text=kept)
    except RecordError:
        tally.count(Problem.MALFORMED)
        return None


def _texts(request: SourceRequest, tally: ProblemTally) -> Iterator[str]:
    decoder = EventText(str(request.path), tally, fallback=_FALLBACK)
    with request.path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def _json_items(request: SourceRequest, tally: ProblemTally) -> Iterator[object]:
    """Yield the items of arrays, or items one after another; one in memory at a time."""
    decoder = json.JSONDecoder()
    buffer, place, ended = "", 0, False
    texts = _texts(request, tally)
    while True:
        between = _BETWEEN_ITEMS.match(buffer, place)
        place = between.end() if between is not None else place
        try:
            item, end = decoder.raw_decode(buffer, place)
        except (ValueError, RecursionError):
            more = None if len(buffer) - place > ITEM_LIMIT_CHARS else next(texts, None)
            if more is not None:
                buffer, place = buffer[place:] + more, 0
                continue
            ended = True
        if ended:
            if place < len(buffer):
                tally.count(Problem.CUT)
            return
        place = end
        yield from _unwrapped(item)


def _unwrapped(item: object) -> Iterator[object]:
    """Yield the items of PowerShell 5's {"value": [...], "Count": n}, or the item."""
    inner = item.get("value") if isinstance(item, dict) and "Count" in item else None
    if isinstance(inner, list):
        yield from inner
    else:
        yield item


def _csv_items(request: SourceRequest, tally: ProblemTally) -> Iterator[object]:
    source = _Lines(_texts(request, tally))
    lines = iter(source)
    first = next(lines, "").lstrip("\ufeff")
    if first.startswith("#TYPE"):
        first = next(lines, "")
    delimiter = max(",;\t", key=first.count)
    try:
        names = next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error:  # a line end within a title: no row can have these
        names = []
    rows = csv.reader(lines, delimiter=delimiter)
    while True:
        try:
            row = next(rows, None)
        except csv.Error:
            tally.count(Problem.OVERSIZED)
            continue
        if row is None:
            return
        if source.open_end:  # perhaps cut within a number
            tally.count(Problem.CUT)
        elif len(row) == len(names):
            yield dict(zip(names, row, strict=True))
        elif row:
            tally.count(Problem.MALFORMED)


class _Lines:
    """Lines with their ends, once; one of more than the limit comes in pieces.

    Attributes:
        open_end: whether the line last given has no end, and no other follows.
    """

    def __init__(self, texts: Iterator[str]) -> None:
        self.open_end = False
        self._texts = texts

    def __iter__(self) -> Iterator[str]:
        rest = ""
        for text in self._texts:
            *whole, rest = (rest + text.replace("\0", "\ufffd")).split("\n")
            yield from (f"{line}\n" for line in whole)
            if len(rest) > ITEM_LIMIT_CHARS:
                yield rest
                rest = ""
        self.open_end = bool(rest)
        if rest:
            yield rest
