"""Event XML as Windows renders it (schema .../2004/08/events/event), escaped throughout."""

import re
from dataclasses import dataclass
from datetime import date
from enum import Enum, unique
from functools import lru_cache
from xml.sax.saxutils import escape, quoteattr

_NAMESPACE = "http://schemas.microsoft.com/win/2004/08/events/event"
_EPOCH_DAYS = date(1970, 1, 1).toordinal()
_S_PER_DAY = 86_400
_NS_PER_S = 1_000_000_000
# What XML 1.0 cannot carry, however it is escaped.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPECIAL = re.compile("[<>&\x00-\x1f]")

FILETIME_ZERO = "1601-01-01T00:00:00.0000000Z"


@unique
class Provider(Enum):
    """Writers of events: name and GUID, as in their manifests."""

    KERNEL_POWER = ("Microsoft-Windows-Kernel-Power", "{331c3b3a-2005-44c2-ac5e-77220c37d6b4}")
    KERNEL_GENERAL = ("Microsoft-Windows-Kernel-General", "{a68ca8b7-004f-d7b6-a698-07e2de0f1f5d}")
    KERNEL_BOOT = ("Microsoft-Windows-Kernel-Boot", "{15ca44ff-4d7a-4baa-bba5-0998955e531e}")
    TROUBLESHOOTER = (
        "Microsoft-Windows-Power-Troubleshooter",
        "{cdc05e28-c449-49c6-b9d2-88cf761644df}",
    )


@dataclass(frozen=True, slots=True)
class Event:
    """One event before it is written.

    Attributes:
        t_ns: TimeCreated, OS time, ns since 1970 UTC.
        fields: names and values of its EventData, in the manifest's order.
    """

    provider: Provider
    number: int
    version: int
    t_ns: int
    fields: tuple[tuple[str, int | str], ...]


def event_xml(event: Event, record_id: int, computer: str) -> str:
    """Return one event on one line, without a line feed."""
    names = tuple([name for name, _ in event.fields])
    values = [value if type(value) is int else _text(str(value)) for _, value in event.fields]
    form = _form(event.provider, event.number, event.version, names, computer)
    return form % (filetime(event.t_ns), record_id, *values)


@lru_cache(maxsize=64)  # a Windows writes a dozen kinds of events about power
def _form(
    provider: Provider, number: int, version: int, names: tuple[str, ...], computer: str
) -> str:
    """Return one kind of event with `%s` for its time, its record's number and its values."""
    name, guid = provider.value
    fields = "".join([f"<Data Name={_attribute(key)}>\0</Data>" for key in names])
    text = (
        f'<Event xmlns="{_NAMESPACE}"><System>'
        f"<Provider Name={_attribute(name)} Guid={_attribute(guid)}/>"
        f"<EventID>{number}</EventID><Version>{version}</Version>"
        "<Level>4</Level><Task>0</Task><Opcode>0</Opcode>"
        "<Keywords>0x8000000000000000</Keywords>"
        '<TimeCreated SystemTime="\0"/>'
        "<EventRecordID>\0</EventRecordID><Correlation/>"
        '<Execution ProcessID="4" ThreadID="8"/>'
        f"<Channel>System</Channel><Computer>{_text(computer)}</Computer><Security/></System>"
        f"<EventData>{fields}</EventData></Event>"
    )
    # No text holds the mark: XML cannot carry it.
    return text.replace("%", "%%").replace("\0", "%s")


def filetime(t_ns: int) -> str:
    """Return a time [ns since 1970 UTC] in the seven digits of a FILETIME, rounded down."""
    seconds, rest_ns = divmod(t_ns, _NS_PER_S)
    return f"{_second_text(seconds)}.{rest_ns // 100:07d}Z"


@lru_cache(maxsize=64)
def _second_text(seconds: int) -> str:
    days, rest_s = divmod(seconds, _S_PER_DAY)
    minutes, second = divmod(rest_s, 60)
    return f"{_day_text(days)}T{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}"


@lru_cache(maxsize=8)
def _day_text(days: int) -> str:
    return date.fromordinal(_EPOCH_DAYS + days).isoformat()


def _text(text: str) -> str:
    if text.isascii() and _SPECIAL.search(text) is None:
        return text
    return escape(_FORBIDDEN.sub("\ufffd", text), {"\r": "&#13;"})


def _attribute(text: str) -> str:
    return quoteattr(_FORBIDDEN.sub("\ufffd", text))
