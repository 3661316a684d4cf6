"""The events that Windows writes about power, by their manifests; no state, no clock.

Versions follow the build: 7600 writes Power-Troubleshooter version 1, 10240 version 2, 18990
version 3. From build 17134 on a device is wake source type 5, before it was 4.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import Enum, unique
from functools import lru_cache
from types import MappingProxyType
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from resume_rig.model.os_record import SleepKind
from resume_rig.model.units import NS_PER_S
from resume_rig.rig.sim.dut.event import SleepCause, WakeCause

_NAMESPACE = "http://schemas.microsoft.com/win/2004/08/events/event"
_EPOCH_DAYS = date(1970, 1, 1).toordinal()
_S_PER_DAY = 86_400
# What XML 1.0 cannot carry, however it is escaped.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPECIAL = re.compile("[<>&\x00-\x1f]")

_FILETIME_ZERO = "1601-01-01T00:00:00.0000000Z"


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
    seconds, rest_ns = divmod(t_ns, NS_PER_S)
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


# SYSTEM_POWER_STATE: TargetState and EffectiveState, of each kind of sleep.
STATES: Final[Mapping[SleepKind, tuple[int, int]]] = MappingProxyType(
    {
        SleepKind.S3: (4, 4),
        SleepKind.HYBRID: (4, 5),
        SleepKind.S4: (5, 5),
        SleepKind.FAST_STARTUP: (6, 5),
    }
)
# Reason of Kernel-Power 42.
SLEEP_REASON: Final[Mapping[SleepCause, int]] = MappingProxyType(
    {SleepCause.USER: 0, SleepCause.COMMAND: 4, SleepCause.IDLE: 7}
)
DOZE_TYPE: Final = 3
REASON_RTC: Final = 2  # of Kernel-General 1: synchronised with the hardware clock on a wake
REASON_SYNC: Final = 1  # ... and set by somebody, the time service for one
_VERSION_2_BUILD = 10_240
_PRESENCE_BUILD = 17_134
_VERSION_3_BUILD = 18_990
_ATTRIBUTES = 0x7000_0011
_BUTTON_TYPE = 1
_WAKE_TEXT = {
    WakeCause.BUTTON: "",
    WakeCause.LID: "ACPI Lid",
    WakeCause.DEVICE: "USB xHCI controller – 1.10",
    WakeCause.DOZE: "",
    WakeCause.TIMER: "",
    WakeCause.KEYBOARD: "USB Root Hub (USB 3.0)",
    WakeCause.CONTACT: "ACPI AC Adapter",
    WakeCause.LAN: "Ethernet Connection (7) I219-V",
}
# Session types of Kernel-Power 566: someone is there, screen off, asleep. Reasons as real ones.
ACTIVE: Final = 0
SCREEN_OFF: Final = 1
ASLEEP: Final = 3
REASON_SLEEP: Final = 20
REASON_INPUT: Final = 32


@dataclass(frozen=True, slots=True)
class CycleRecord:
    """What Power-Troubleshooter will report of one cycle; OS times in ns since 1970 UTC.

    Attributes:
        states: TargetState and EffectiveState.
        source_type: WakeSourceType, instead of the one that belongs to the cause.
    """

    sleep_ns: int
    wake_ns: int
    cause: WakeCause
    sleep_ms: int
    wake_ms: int
    driver_init_ms: int
    bios_init_ms: int
    states: tuple[int, int] = STATES[SleepKind.S3]
    hiber_write_ms: int = 0
    hiber_read_ms: int = 0
    hiber_pages: int = 0
    source_type: int | None = None


def boot(t_ns: int, build: int, clean: bool, boot_id: int) -> tuple[Event, ...]:
    """Return what stands at the start of a cold boot."""
    started = (
        ("MajorVersion", 10),
        ("MinorVersion", 0),
        ("BuildVersion", build),
        ("QfeVersion", 1),
        ("ServiceVersion", 0),
        ("BootMode", 0),
        ("StartTime", filetime(t_ns)),
    )
    shutdown = (
        ("LastShutdownGood", "true" if clean else "false"),
        ("LastBootGood", "true"),
        ("LastBootId", boot_id - 1),
        ("BootStatusPolicy", 1),
    )
    later_ns = t_ns + 400_000
    return (
        Event(Provider.KERNEL_GENERAL, 12, 0, t_ns, started),
        Event(Provider.KERNEL_BOOT, 20, 1, later_ns, shutdown),
        Event(Provider.KERNEL_BOOT, 27, 1, later_ns + 60_000, (("BootType", 0),)),
    )


def session(t_ns: int, boot_id: int, number: int, kinds: tuple[int, int], us: int) -> Event:
    """Return Kernel-Power 566: session `number` of type kinds[0] ends after `us`, kinds[1] begins.

    Reason and energies are those of a unit on mains without a battery.
    """
    reason = REASON_INPUT if kinds[1] == ACTIVE else REASON_SLEEP
    fields = (
        ("BootId", boot_id),
        ("Reason", reason),
        ("PreviousSessionId", number),
        ("PreviousSessionType", kinds[0]),
        ("PreviousSessionDurationInUs", us),
        ("PreviousEnergyCapacityAtStart", 0),
        ("PreviousFullEnergyCapacityAtStart", 0),
        ("PreviousEnergyCapacityAtEnd", 0),
        ("PreviousFullEnergyCapacityAtEnd", 0),
        ("NextSessionId", number + 1),
        ("NextSessionType", kinds[1]),
        ("PowerStateAc", "true"),
        ("MonitorReason", reason),
    )
    return Event(Provider.KERNEL_POWER, 566, 0, t_ns, fields)


def entering_sleep(
    t_ns: int, transitions: int, states: tuple[int, int], cause: SleepCause
) -> Event:
    """Return Kernel-Power 42."""
    fields = (
        ("TargetState", states[0]),
        ("EffectiveState", states[1]),
        ("Reason", SLEEP_REASON[cause]),
        ("Flags", 0),
        ("TransitionsToOn", transitions),
    )
    return Event(Provider.KERNEL_POWER, 42, 3, t_ns, fields)


def shut_down(t_ns: int) -> Event:
    """Return Kernel-General 13: the OS is shutting down."""
    return Event(Provider.KERNEL_GENERAL, 13, 0, t_ns, (("StopTime", filetime(t_ns)),))


def entering_standby(t_ns: int, cause: SleepCause) -> Event:
    """Return Kernel-Power 506, of Modern Standby."""
    return Event(Provider.KERNEL_POWER, 506, 0, t_ns, (("Reason", SLEEP_REASON[cause]),))


def left_standby(t_ns: int, slept_us: int, drips_us: int, latency_us: int) -> Event:
    """Return Kernel-Power 507: a session of Modern Standby, and how much of it was low power."""
    fields = (
        ("Reason", REASON_INPUT),
        ("DurationInUs", slept_us),
        ("ExitLatencyInUs", latency_us),
        ("DripsResidencyInUs", drips_us),
        ("HwDripsResidencyInUs", drips_us * 99 // 100),
        ("DripsTransitions", int(drips_us > 0)),
    )
    return Event(Provider.KERNEL_POWER, 507, 0, t_ns, fields)


def resumed(t_ns: int, states: tuple[int, int]) -> Event:
    """Return Kernel-Power 107; no wake timer was set."""
    fields = (
        ("TargetState", states[0]),
        ("EffectiveState", states[1]),
        ("WakeFromState", states[0]),
        ("ProgrammedWakeTimeAc", _FILETIME_ZERO),
        ("ProgrammedWakeTimeDc", _FILETIME_ZERO),
        ("WakeRequesterTypeAc", 0),
        ("WakeRequesterTypeDc", 0),
    )
    return Event(Provider.KERNEL_POWER, 107, 1, t_ns, fields)


def clock_set(t_ns: int, new_ns: int, old_ns: int, reason: int = REASON_RTC) -> Event:
    """Return Kernel-General 1."""
    fields = (
        ("NewTime", filetime(new_ns)),
        ("OldTime", filetime(old_ns)),
        ("Reason", reason),
        ("ProcessID", 4),
        ("CmosTime", filetime(new_ns)),
        ("TimeZoneBias", 0),
        ("RealTimeIsUniversal", "false"),
        ("SystemInCmosMode", "false"),
    )
    return Event(Provider.KERNEL_GENERAL, 1, 3, t_ns, fields)


def firmware_resume(t_ns: int, count: int, full_ms: int, average_ms: int) -> Event:
    """Return Kernel-Power 131, the firmware's own account (ACPI FPDT)."""
    fields = (("ResumeCount", count), ("FullResume", full_ms), ("AverageResume", average_ms))
    return Event(Provider.KERNEL_POWER, 131, 0, t_ns, fields)


def firmware_suspend(t_ns: int, start_ms: int, end_ms: int) -> Event:
    """Return Kernel-Power 130; times count awake time since the boot, as on real machines."""
    fields = (("SuspendStart", start_ms), ("SuspendEnd", end_ms))
    return Event(Provider.KERNEL_POWER, 130, 0, t_ns, fields)


def cycle_record(t_ns: int, build: int, record: CycleRecord) -> Event:
    """Return Power-Troubleshooter 1 in the version that this build writes."""
    text = _WAKE_TEXT[record.cause]
    fields: list[tuple[str, int | str]] = [
        ("SleepTime", filetime(record.sleep_ns)),
        ("WakeTime", filetime(record.wake_ns)),
        ("SleepDuration", record.sleep_ms),
        ("WakeDuration", record.wake_ms),
        ("DriverInitDuration", record.driver_init_ms),
        ("BiosInitDuration", record.bios_init_ms),
        ("HiberWriteDuration", record.hiber_write_ms),
        ("HiberReadDuration", record.hiber_read_ms),
        ("HiberPagesWritten", record.hiber_pages),
        ("Attributes", _ATTRIBUTES),
        ("TargetState", record.states[0]),
        ("EffectiveState", record.states[1]),
        ("WakeSourceType", _source_type(record, build)),
        ("WakeSourceTextLength", len(text)),
        ("WakeSourceText", text),
        ("WakeTimerOwnerLength", 0),
        ("WakeTimerContextLength", 0),
    ]
    version = 1
    if build >= _VERSION_2_BUILD:
        version = 2
        fields.append(("NoMultiStageResumeReason", 0))
    fields += [("WakeTimerOwner", ""), ("WakeTimerContext", "")]
    if build >= _VERSION_3_BUILD:
        version = 3
        fields.append(("CheckpointDuration", 0))
    return Event(Provider.TROUBLESHOOTER, 1, version, t_ns, tuple(fields))


def _source_type(record: CycleRecord, build: int) -> int:
    if record.source_type is not None:
        return record.source_type
    if record.cause is WakeCause.BUTTON:
        return _BUTTON_TYPE
    if record.cause is WakeCause.DOZE:
        return DOZE_TYPE
    if record.cause is WakeCause.TIMER:
        return 6 if build >= _PRESENCE_BUILD else 5
    return 5 if build >= _PRESENCE_BUILD else 4
