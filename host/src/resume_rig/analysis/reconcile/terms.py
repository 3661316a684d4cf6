"""Times that the OS reports, as quantities, and what is said of what they leave between them."""

from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle

MS_NS = 1_000_000
VALUE_BOUND_MS = 1
"""The OS reports whole milliseconds, and no document tells how it rounds."""


def reported(value_ms: int) -> BoundedNs:
    """Return a time that the OS reports in whole milliseconds, of unknown rounding."""
    return BoundedNs(value_ms * MS_NS, VALUE_BOUND_MS * MS_NS)


def inside(record: OsRecord | None) -> BoundedNs | None:
    """Return BiosInit + DriverInit, and reading the image between the two; None without both."""
    if record is None or record.bios_init_ms is None or record.driver_init_ms is None:
        return None
    whole = reported(record.bios_init_ms) + reported(record.driver_init_ms)
    return whole if record.hiber_read_ms is None else whole + reported(record.hiber_read_ms)


def residual(outside: OutsideCycle, record: OsRecord | None) -> BoundedNs | None:
    """Return PLTRST# -> light minus BiosInit minus DriverInit; None where a part is missing."""
    light = outside.intervals.get(IntervalName.PLTRST_TO_LIGHT)
    within = inside(record)
    return None if light is None or within is None else light - within


def firmware_extra_ms(record: OsRecord) -> int | None:
    """Return BiosInit minus the firmware's own FullResume."""
    if record.bios_init_ms is None or record.firmware_resume_ms is None:
        return None
    return record.bios_init_ms - record.firmware_resume_ms


def figure_of(record: OsRecord, name: str) -> float | None:
    """Return a figure of a record by name; None where it has none."""
    return next((figure.value for figure in record.figures if figure.name == name), None)
