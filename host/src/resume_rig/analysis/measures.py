"""What a limit can be on: names, dimensions, and how a cycle's value is found.

Inside measures are read from the OS record, outside ones from the wires, reconciled ones need
both. A rate is judged as the time that its pages may have taken: the page count is exact, the
time is what was measured.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from typing import Final

from resume_rig.analysis.hibernate import PAGE_BYTES
from resume_rig.analysis.reported_times import MS_NS, reported
from resume_rig.model.cycle import IntervalName, ReconciledCycle
from resume_rig.model.match import Confidence
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.requirement import BIOS, RESUME

FIGURE: Final = "figure:"
"""Prefix of a measure that is one of an account's figures, e.g. figure:exit_latency_us."""

TIME_UNITS_NS: Final = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
PAGES_PER_MS: Final = "pages/ms"
MB_PER_S: Final = "MB/s"
_RATES: Final = {"hiber_read_rate": "hiber_read_ms", "hiber_write_rate": "hiber_write_ms"}
_INSIDE: Final = (
    RESUME,
    BIOS,
    "driver_init_ms",
    "wake_ms",
    "sleep_ms",
    "firmware_resume_ms",
    "hiber_read_ms",
    "hiber_write_ms",
)
_LINES: Final = {
    "slp s3": "SLP_S3#",
    "pwr ok": "PWR_OK",
    "pltrst": "PLTRST#",
    "hiber ": "hibernation file ",
}
_RECONCILED: Final = {
    "press_to_resume_complete_ns": "press_to_resume_complete",
    "light_after_complete_ns": "light_after_complete",
}


@unique
class Side(StrEnum):
    """Where a measure comes from."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    RECONCILED = "reconciled"


@dataclass(frozen=True, slots=True)
class Sighting:
    """What is known of one cycle: its record, and in a campaign the whole of it."""

    record: OsRecord | None
    cycle: ReconciledCycle | None = None


Reader = Callable[[Sighting], BoundedNs | None]


def sighting_of(cycle: ReconciledCycle) -> Sighting:
    """Return what may be held against a cycle: the one place where its record counts or not."""
    unsure = cycle.certainty is not None and cycle.certainty.level is not Confidence.HIGH
    record = None if unsure else cycle.record
    if record is not None and cycle.bios_impossible:
        record = replace(record, bios_init_ms=None)
    return Sighting(record, cycle)


def measure_names() -> tuple[str, ...]:
    """Return the measures that have names of their own; figures come beside them."""
    return (*_INSIDE, *_RATES, *IntervalName, *_RECONCILED)


def side_of(measure: str) -> Side:
    """Return where a measure comes from."""
    if measure in _RECONCILED:
        return Side.RECONCILED
    return Side.OUTSIDE if measure in tuple(IntervalName) else Side.INSIDE


def is_rate(measure: str) -> bool:
    """Return whether it is a rate, in pages/ms or MB/s, and not a time."""
    return measure in _RATES


def is_measure(measure: str) -> bool:
    """Return whether there is such a measure."""
    return measure in measure_names() or _figure_unit_ns(measure) is not None


def units_of(measure: str) -> tuple[str, ...]:
    """Return the units that a limit on a measure may be said in."""
    return (PAGES_PER_MS, MB_PER_S) if is_rate(measure) else tuple(TIME_UNITS_NS)


def measured(measure: str, seen: Sighting) -> BoundedNs | None:
    """Return a cycle's value of a measure of time; None where it was not measured.

    Of a rate it is the time that its pages took.
    """
    return reader_of(measure)(seen)


def time_for_rate_ns(rate: float, unit: str, record: OsRecord | None) -> int | None:
    """Return how long a record's pages take at a rate; None where it tells of no pages."""
    pages = None if record is None else record.hiber_pages
    if not pages:
        return None
    pages_per_ms = rate if unit == PAGES_PER_MS else rate * 1_000 / PAGE_BYTES
    return round(pages / pages_per_ms * MS_NS)


def rate_of(time: BoundedNs, unit: str, record: OsRecord | None) -> float | None:
    """Return the rate at which a record's pages went, as `time_for_rate_ns` is its inverse."""
    pages = None if record is None else record.hiber_pages
    if not pages or time.value_ns <= 0:
        return None
    pages_per_ms = pages * MS_NS / time.value_ns
    return pages_per_ms if unit == PAGES_PER_MS else pages_per_ms * PAGE_BYTES / 1_000


def measure_words(measure: str) -> str:
    """Return a measure as it is said."""
    known = {RESUME: "BIOS + drivers", BIOS: "BIOS", "driver_init_ms": "drivers"}
    if measure in known:
        return known[measure]
    name = measure.removeprefix(FIGURE)
    stem, _, unit = name.rpartition("_")
    words = (stem if unit in TIME_UNITS_NS else name).replace("_", " ")
    for spoken, line in _LINES.items():
        words = words.replace(spoken, line)
    return words


@functools.cache
def reader_of(measure: str) -> Reader:
    """Return what reads a measure: a campaign asks 100,000 times for the same ones."""
    match side_of(measure):
        case Side.OUTSIDE:
            name = IntervalName(measure)
            return lambda seen: (
                None if seen.cycle is None else seen.cycle.outside.intervals.get(name)
            )
        case Side.RECONCILED:
            attribute = _RECONCILED[measure]
            return lambda seen: None if seen.cycle is None else getattr(seen.cycle, attribute)
        case Side.INSIDE:
            inside = _inside_reader_of(measure)
            return lambda seen: None if seen.record is None else inside(seen.record)


def _inside_reader_of(measure: str) -> Callable[[OsRecord], BoundedNs | None]:
    unit_ns = _figure_unit_ns(measure)
    if unit_ns is not None:
        name, step_ns = measure.removeprefix(FIGURE), unit_ns

        def figure(record: OsRecord) -> BoundedNs | None:
            values = [each.value for each in record.figures if each.name == name]
            return BoundedNs(round(values[0] * step_ns), step_ns) if values else None

        return figure
    if measure == RESUME:
        return _resume
    attribute, needs_pages = _RATES.get(measure, measure), measure in _RATES

    def whole_ms(record: OsRecord) -> BoundedNs | None:
        value_ms: int | None = getattr(record, attribute)
        if needs_pages and not record.hiber_pages:
            return None
        return reported(value_ms) if value_ms else None

    return whole_ms


def _resume(record: OsRecord) -> BoundedNs | None:
    if record.bios_init_ms is None or record.driver_init_ms is None:
        return None
    # Two parts of independent rounding; their sum knows of both.
    return reported(record.bios_init_ms) + reported(record.driver_init_ms)


def _figure_unit_ns(measure: str) -> int | None:
    """Return what one of a figure counts, by the unit at the end of its name; None of others."""
    if not measure.startswith(FIGURE):
        return None
    return TIME_UNITS_NS.get(measure.rpartition("_")[2])
