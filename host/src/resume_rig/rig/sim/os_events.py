"""The events that a Windows writes about power, by their manifests; no state, no clock.

Versions follow the build: 7600 writes Power-Troubleshooter version 1, 10240 version 2, 18990
version 3. From build 17134 on a device is wake source type 5, before it was 4.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from resume_rig.model.os_record import SleepKind
from resume_rig.rig.sim.dut_event import SleepCause, WakeCause
from resume_rig.rig.sim.event_xml import FILETIME_ZERO, Event, Provider, filetime

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
}
# Session types of Kernel-Power 566: someone is there, screen off, asleep. Reasons as real ones.
ACTIVE: Final = 0
SCREEN_OFF: Final = 1
ASLEEP: Final = 3
REASON_SLEEP: Final = 20
REASON_INPUT: Final = 32


@dataclass(frozen=True, slots=True)
class CycleRecord:
    """What Power-Troubleshooter will say of one cycle; OS times in ns since 1970 UTC.

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
    t_ns: int, transitions: int, states: tuple[int, int], cause: SleepCause = SleepCause.USER
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


def left_standby(t_ns: int, slept_us: int, latency_us: int) -> Event:
    """Return Kernel-Power 507: a session of Modern Standby that was nearly all low power."""
    drips_us = slept_us * 97 // 100
    fields = (
        ("Reason", REASON_INPUT),
        ("DurationInUs", slept_us),
        ("ExitLatencyInUs", latency_us),
        ("DripsResidencyInUs", drips_us),
        ("HwDripsResidencyInUs", drips_us * 99 // 100),
        ("DripsTransitions", 1),
    )
    return Event(Provider.KERNEL_POWER, 507, 0, t_ns, fields)


def resumed(t_ns: int, states: tuple[int, int]) -> Event:
    """Return Kernel-Power 107; no wake timer was set."""
    fields = (
        ("TargetState", states[0]),
        ("EffectiveState", states[1]),
        ("WakeFromState", states[0]),
        ("ProgrammedWakeTimeAc", FILETIME_ZERO),
        ("ProgrammedWakeTimeDc", FILETIME_ZERO),
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
