"""An OS record of an account without times of day and wake source: a trace's summary, firmware."""

from resume_rig.model.component import Component, Figure
from resume_rig.model.os_record import OsRecord, SleepKind, WakeSource
from resume_rig.oslog.wake_source import UNKNOWN_NAME


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
