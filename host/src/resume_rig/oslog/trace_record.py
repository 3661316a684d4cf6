"""An OS record that a trace's summary makes: no times of day, no wake source."""

from resume_rig.model.component import Component, Figure
from resume_rig.model.os_record import OsRecord, SleepKind, WakeSource


def trace_record(
    source: int,
    kind: SleepKind,
    components: tuple[Component, ...] = (),
    figures: tuple[Figure, ...] = (),
    *,
    sleep_ms: int | None = None,
    driver_init_ms: int | None = None,
    bios_init_ms: int | None = None,
    hiber_read_ms: int | None = None,
    hiber_write_ms: int | None = None,
) -> OsRecord:
    """Return the record of one transition; what a summary does not know is None."""
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
        firmware_resume_ms=None,
        firmware_resume_count=None,
        hiber_read_ms=hiber_read_ms,
        hiber_write_ms=hiber_write_ms,
        hiber_pages=None,
        wake_source=WakeSource(None, "unknown", ""),
        components=components,
        figures=figures,
    )


def figures_of(**values: float | None) -> tuple[Figure, ...]:
    """Return the figures that are known, by name."""
    return tuple(Figure(name, value) for name, value in values.items() if value is not None)
