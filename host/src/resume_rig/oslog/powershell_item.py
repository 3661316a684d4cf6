"""One event as PowerShell writes it (an EventLogRecord, or its XML) to the fields of an event.

An EventLogRecord has a localised Message and values without names. Values are used without names
only where version and number of values together leave one layout: version 2 of Power-
Troubleshooter 1 puts a field in the middle, so the place alone says nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.oslog.event import ROLES, Provider, provider_of
from resume_rig.oslog.event_fields import VALUE_LIMIT_CHARS, EventFields

_ACCOUNT: Final = (
    *("SleepTime", "WakeTime", "SleepDuration", "WakeDuration", "DriverInitDuration"),
    *("BiosInitDuration", "HiberWriteDuration", "HiberReadDuration", "HiberPagesWritten"),
    *("Attributes", "TargetState", "EffectiveState", "WakeSourceType", "WakeSourceTextLength"),
    *("WakeSourceText", "WakeTimerOwnerLength", "WakeTimerContextLength"),
)
_TIMER: Final = ("WakeTimerOwner", "WakeTimerContext")
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
    """An event whose values have no names and no layout that is known."""

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
