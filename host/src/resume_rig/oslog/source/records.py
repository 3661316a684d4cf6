"""Parts of an OS record that readers share: its wake source, and a record without a time of day.

WakeSourceType goes by OS build, because the numbers changed their meaning. Numbers 0 to 3 mean the
same on every build. The others are known for builds up to 10240 and from 17134 on (manifests of
7600, 10240, 17134 and 18990); nobody knows for the builds between.
"""

from collections.abc import Mapping
from typing import Final

from resume_rig.model.os_record import Component, Figure, OsRecord, SleepKind, WakeSource

UNKNOWN_NAME: Final = "unknown"
DOZE_TYPE: Final = 3
"""S4 Doze to Hibernate: the DUT woke by itself to go from S3 on to S4."""

TEXT_LIMIT_CHARS: Final = 1000

_LAST_OLD_BUILD: Final = 10240
_FIRST_NEW_BUILD: Final = 17134
_TIMER_DEVICE: Final = "acpi wake alarm"
_ON_ALL_BUILDS: Final[Mapping[int, str]] = {
    0: UNKNOWN_NAME,
    1: "power button",
    2: "sleep button",
    DOZE_TYPE: "S4 doze to hibernate",
}
_ON_OLD_BUILDS: Final[Mapping[int, str]] = {
    4: "device",
    5: "timer",
    6: "timer of a legacy driver",
}
_ON_BUILD_10240: Final[Mapping[int, str]] = {**_ON_OLD_BUILDS, 7: "possibly a timer"}
_ON_NEW_BUILDS: Final[Mapping[int, str]] = {
    4: "predicted presence",
    5: "device",
    6: "timer",
    7: "timer of a legacy driver",
    8: "possibly a timer",
}


def decode_wake_source(
    source_type: int | None, text: str, os_build: int | None, timer_owner: str = ""
) -> WakeSource:
    """Return the wake source by its name; "unknown" where the build does not tell the meaning."""
    text, timer_owner = text[:TEXT_LIMIT_CHARS], timer_owner[:TEXT_LIMIT_CHARS]
    name = UNKNOWN_NAME
    if source_type is not None:
        name = _ON_ALL_BUILDS.get(source_type) or _names_of(os_build).get(source_type, name)
        if source_type not in _ON_ALL_BUILDS and _TIMER_DEVICE in text.lower():
            name = "timer"  # the ACPI alarm device is a timer, whatever the number says
    return WakeSource(type=source_type, name=name, text=text, timer_owner=timer_owner)


def _names_of(os_build: int | None) -> Mapping[int, str]:
    if os_build is None or _LAST_OLD_BUILD < os_build < _FIRST_NEW_BUILD:
        return {}
    if os_build >= _FIRST_NEW_BUILD:
        return _ON_NEW_BUILDS
    return _ON_BUILD_10240 if os_build == _LAST_OLD_BUILD else _ON_OLD_BUILDS


def trace_record(
    source: int,
    kind: SleepKind,
    components: tuple[Component, ...] = (),
    figures: tuple[Figure, ...] = (),
    *,
    sleep_ms: int | None = None,
    driver_init_ms: int | None = None,
    bios_init_ms: int | None = None,
    firmware_resume_ms: int | None = None,
    firmware_resume_count: int | None = None,
    hiber_read_ms: int | None = None,
    hiber_write_ms: int | None = None,
) -> OsRecord:
    """Return the record of one transition; what the account does not know is None."""
    return OsRecord(
        source=source,
        record_id=None,
        kind=kind,
        sleep_time_utc_ns=None,
        wake_time_utc_ns=None,
        written_utc_ns=None,
        sleep_ms=sleep_ms,
        wake_ms=None,
        driver_init_ms=driver_init_ms,
        bios_init_ms=bios_init_ms,
        firmware_resume_ms=firmware_resume_ms,
        firmware_resume_count=firmware_resume_count,
        hiber_read_ms=hiber_read_ms,
        hiber_write_ms=hiber_write_ms,
        hiber_pages=None,
        wake_source=WakeSource(None, UNKNOWN_NAME, ""),
        components=components,
        figures=figures,
    )


def figures_of(**values: float | None) -> tuple[Figure, ...]:
    """Return the figures that are known, by name."""
    return tuple(Figure(name, value) for name, value in values.items() if value is not None)


def drips_delta(software: float | None, hardware: float | None) -> float | None:
    """Return by how much of a session the deepest state was allowed and not reached, in percent.

    HLK's Modern Standby Basic Requirement Test limits it (ModernStandbyHDripsSDripsDelta).
    """
    return None if software is None or hardware is None else software - hardware
