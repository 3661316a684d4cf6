"""What a limit can be on: names, dimensions, and how a cycle's value is found.

OS-reported measures are read from the OS record, measured ones from the wires, reconciled ones need
both. A rate is judged as the time that its pages may have taken: the page count is exact. A value
that is no time is compared in whole parts of its unit (`UNIT_BASES`), as a time is in nanoseconds.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from typing import Final

from resume_rig.analysis.reconcile.thresholds import reported
from resume_rig.analysis.verdict.columns import INSIDE, in_order
from resume_rig.model.os_record import ComponentKind, OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, ReconciledCycle
from resume_rig.model.result.match import Confidence
from resume_rig.model.result.verdict import BIOS, RESUME, WHOLE, Limit
from resume_rig.model.units import NS_PER_MS, NS_PER_S, TIME_UNITS_NS, UNIT_BASES

# Of x86.
PAGE_BYTES: Final = 4096


@dataclass(frozen=True, slots=True)
class HibernateRates:
    """Rates of one hibernation file; None where the record does not report them.

    Attributes:
        pages: HiberPagesWritten.
        read_pages_per_ms: HiberPagesWritten / HiberReadDuration; 38075 / 10964 = 3.5 in the paper.
        write_pages_per_ms: HiberPagesWritten / HiberWriteDuration.
    """

    pages: int
    read_pages_per_ms: float | None
    write_pages_per_ms: float | None

    @property
    def read_mb_per_s(self) -> float | None:
        """Read rate in MB/s, of 10^6 bytes."""
        return _mb_per_s(self.read_pages_per_ms)

    @property
    def write_mb_per_s(self) -> float | None:
        """Write rate in MB/s, of 10^6 bytes."""
        return _mb_per_s(self.write_pages_per_ms)


def hibernate_rates(record: OsRecord) -> HibernateRates | None:
    """Return the rates of a record; None where it reports no hibernation file."""
    pages = record.hiber_pages
    if not pages or not (record.hiber_read_ms or record.hiber_write_ms):
        return None
    return HibernateRates(
        pages=pages,
        read_pages_per_ms=pages / record.hiber_read_ms if record.hiber_read_ms else None,
        write_pages_per_ms=pages / record.hiber_write_ms if record.hiber_write_ms else None,
    )


def _mb_per_s(pages_per_ms: float | None) -> float | None:
    # Pages of 4096 B in 1 ms are that many B/ms, which is kB/s; 1000 of these are 1 MB/s.
    return None if pages_per_ms is None else pages_per_ms * PAGE_BYTES / 1_000


FIGURE: Final = "figure:"
"""Prefix of a measure that is one of an account's figures, e.g. figure:exit_latency_us."""

PHASE: Final = "phase:"
"""Prefix of a measure that is the length of a phase, as the account times it: phase:PreSMSS."""

_PHASE_CHARS: Final = 80  # assumed: bounds the name of a phase in a profile
_DAY_MS: Final = 24 * 60 * 60 * 1000  # assumed: what is longer is no phase
PAGES_PER_MS: Final = "pages/ms"
MB_PER_S: Final = "MB/s"
COUNT: Final = "count"
_USER: Final = "user_init_ms"
_RATES: Final = {"hiber_read_rate": "hiber_read_ms", "hiber_write_rate": "hiber_write_ms"}
_INSIDE: Final = tuple(
    in_order(
        "resume_ms bios_init_ms driver_init_ms user_init_ms wake_ms sleep_ms",
        ((each.name, each) for each in INSIDE),
    )
)
_LINES: Final = {
    "slp s3": "SLP_S3#",
    "pwr ok": "PWR_OK",
    "pltrst": "PLTRST#",
    "hiber ": "hibernation file ",
    "to light 90": "to display at 90 %",
    "to light": "to display on",
    "light after complete": "display on after complete",
    "unexplained": "residual",
}
START: Final = "power button"
"""What times of the wires count from, in words, where nothing else woke the DUT."""
FIGURE_WORDS: Final = {
    "active_us": "active in standby",
    "bios_end_to_idle_ms": "end of BIOS to idle",
    "bios_init_minus_start_os_image_ms": "BIOS init minus StartImage",
    "boot_done_via_explorer_ms": "boot done via Explorer",
    "clock_jump_us": "OS clock set at wake",
    "clock_stepped_after_wake_us": "OS clock set after wake",
    "clock_stepped_us": "OS clock set while awake",
    "clock_steps": "settings of the OS clock while awake",
    "drips_delta_percent": "DRIPS minus hardware DRIPS",
    "drips_percent": "DRIPS residency",
    "drips_transitions": "transitions to DRIPS",
    "drips_us": "DRIPS residency",
    "energy_drain_mwh": "energy used in standby",
    "exit_boot_services_entry_ms": "firmware: ExitBootServices entry",
    "exit_boot_services_exit_ms": "firmware: ExitBootServices exit",
    "firmware_average_resume_ms": "firmware resume, average of the FPDT",
    "firmware_resume_average_ms": "firmware resume, average of the FPDT",
    "firmware_suspend_ms": "firmware suspend",
    "firmware_suspend_start_ms": "time awake since the OS started",
    "first_drips_entry_us": "first entry into DRIPS",
    "full_charge_mwh": "full charge of the battery",
    "hardware_drips_percent": "hardware DRIPS residency",
    "hardware_drips_us": "hardware DRIPS residency",
    "load_os_image_ms": "firmware: OS loader LoadImage",
    "on_ac_at_sleep": "on AC power at sleep",
    "on_ac_at_wake": "on AC power at wake",
    "os_started": "starts of the OS",
    "reset_end_ms": "firmware: reset end",
    "screen_on_us": "end of sleep to screen on",
    "services_auto_start_ms": "start of all services",
    "sleep_energy_drain_mwh": "energy used asleep",
    "sleep_session_us": "sleep session",
    "sleep_to_clock_stop_us": "sleep time to OS clock stop",
    "start_os_image_ms": "firmware: OS loader StartImage",
    "transition_ms": "whole transition",
    "wake_requester_ac": "wake requester type, AC power",
    "wake_requester_dc": "wake requester type, battery",
}
DRAIN: Final = "standby_drain_rate"
"""What a standby took of the battery, in % of its full charge an hour."""

_DRAIN_BOUND_MWH: Final = 10
# Assumed: batteries report their charge in steps of 10 mWh; both ends are rounded.
_DRAINED: Final = ("energy_drain_mwh", "sleep_energy_drain_mwh")
_FULL: Final = "full_charge_mwh"
_POWERS: Final = {"asleep_power": "asleep_w", "awake_power": "awake_w"}
_ENERGIES: Final = {"asleep_energy": "asleep_j", "resume_energy": "resume_j"}
_POWER: Final = _POWERS | _ENERGIES
_SUFFIXES: Final = {"percent": "%", "mw": "mW", "w": "W", "mwh": "mWh", "wh": "Wh", "j": "J"}
_SAME_DIMENSION: Final = (("W", "mW"), ("Wh", "mWh"))
_RECONCILED: Final = {
    "press_to_resume_complete_ns": "press_to_resume_complete",
    "light_after_complete_ns": "light_after_complete",
    "press_to_desktop_ns": "press_to_desktop",
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
    """Return the measures that have names of their own; figures and phases come besides."""
    return (*_INSIDE, *_RATES, DRAIN, *IntervalName, *_POWER, *_RECONCILED)


def side_of(measure: str) -> Side:
    """Return where a measure comes from."""
    if measure in _RECONCILED:
        return Side.RECONCILED
    wires = (*IntervalName, *_POWER)
    return Side.OUTSIDE if measure in wires else Side.INSIDE


def is_rate(measure: str) -> bool:
    """Return whether it is a rate, in pages/ms or MB/s, and not a time."""
    return measure in _RATES


def is_measure(measure: str) -> bool:
    """Return whether there is such a measure."""
    named = measure.removeprefix(PHASE).strip() if measure.startswith(PHASE) else ""
    return (
        measure in measure_names()
        or _figure_unit(measure) is not None
        or (0 < len(named) <= _PHASE_CHARS and named.isprintable())
    )


def units_of(measure: str) -> tuple[str, ...]:
    """Return the units that a limit on a measure may be in."""
    if is_rate(measure):
        return (PAGES_PER_MS, MB_PER_S)
    own = _own_unit(measure)
    if own is None or own in TIME_UNITS_NS:
        return tuple(TIME_UNITS_NS)
    return next((group for group in _SAME_DIMENSION if own in group), (own,))


def is_time(measure: str) -> bool:
    """Return whether it is a time."""
    own = _own_unit(measure)
    return not is_rate(measure) and (own is None or own in TIME_UNITS_NS)


def _own_unit(measure: str) -> str | None:
    """Return the unit that a measure is reported in; None of times that have it in their names."""
    if measure == DRAIN:
        return "%/h"
    if measure in _POWER:
        return "W" if measure in _POWERS else "J"
    return _figure_unit(measure)


def shown_value(limit: Limit, value: BoundedNs, record: OsRecord | None) -> float:
    """Return a cycle's value in the unit of a limit on it."""
    if is_rate(limit.measure):
        return rate_of(value, limit.unit, record) or 0.0
    return value.value_ns / UNIT_BASES[limit.unit]


def measured(measure: str, sighting: Sighting) -> BoundedNs | None:
    """Return a cycle's value of a measure; None where it was not measured, and of an event.

    Of a rate it is the time that its pages took.
    """
    return reader_of(measure)(sighting)


def time_for_rate_ns(rate: float, unit: str, record: OsRecord | None) -> int | None:
    """Return how long a record's pages take at a rate; None where it reports no pages."""
    pages = None if record is None else record.hiber_pages
    if not pages:
        return None
    pages_per_ms = rate if unit == PAGES_PER_MS else rate * 1_000 / PAGE_BYTES
    return round(pages / pages_per_ms * NS_PER_MS)


def rate_of(time: BoundedNs, unit: str, record: OsRecord | None) -> float | None:
    """Return the rate at which a record's pages went, as `time_for_rate_ns` is its inverse."""
    pages = None if record is None else record.hiber_pages
    if not pages or time.value_ns <= 0:
        return None
    pages_per_ms = pages * NS_PER_MS / time.value_ns
    return pages_per_ms if unit == PAGES_PER_MS else pages_per_ms * PAGE_BYTES / 1_000


def measure_words(measure: str) -> str:
    """Return a measure in words."""
    texts = {
        RESUME: "total resume time",
        WHOLE: "back whole",
        DRAIN: "battery drain in standby",
        BIOS: "BIOS initialization",
        "driver_init_ms": "device initialization",
        _USER: "USER initialization",
    }
    if measure in texts:
        return texts[measure]
    if measure.startswith(PHASE):
        return f"{measure.removeprefix(PHASE)} phase"
    name = measure.removeprefix(FIGURE)
    if name in FIGURE_WORDS and name != measure:
        return FIGURE_WORDS[name]
    stem, _, unit = name.rpartition("_")
    words = (stem if unit in TIME_UNITS_NS or unit in _SUFFIXES else name).replace("_", " ")
    for spoken, line in _LINES.items():
        words = words.replace(spoken, line)
    rest = words.removeprefix("press to ")
    return words if rest == words else f"{START} to {rest}"


@functools.cache
def reader_of(measure: str) -> Reader:
    """Return what reads a measure: a campaign asks 100,000 times for the same ones."""
    if Limit.names_event(measure):
        return lambda _: None
    if measure in _POWER:
        return lambda sighting: _power(_POWER[measure], sighting)
    match side_of(measure):
        case Side.OUTSIDE:
            name = IntervalName(measure)
            return lambda sighting: (
                None if sighting.cycle is None else sighting.cycle.outside.intervals.get(name)
            )
        case Side.RECONCILED:
            attribute = _RECONCILED[measure]
            return lambda sighting: (
                None if sighting.cycle is None else getattr(sighting.cycle, attribute)
            )
        case Side.INSIDE:
            inside = _inside_reader_of(measure)
            return lambda sighting: None if sighting.record is None else inside(sighting.record)


def _inside_reader_of(measure: str) -> Callable[[OsRecord], BoundedNs | None]:
    unit = _figure_unit(measure)
    if unit is not None:
        name, step = measure.removeprefix(FIGURE), UNIT_BASES[unit]
        bound = 0 if unit == COUNT else step

        def figure(record: OsRecord) -> BoundedNs | None:
            value = _figure(record, name)
            return None if value is None else BoundedNs(round(value * step), bound)

        return figure
    if measure == DRAIN:
        return _drain
    if measure.startswith(PHASE):
        phase = measure.removeprefix(PHASE)

        def longest(record: OsRecord) -> BoundedNs | None:
            return _phase(record, phase)

        return longest
    if measure == RESUME:
        return _resume
    if measure == _USER:
        return _user
    attribute, needs_pages = _RATES.get(measure, measure), measure in _RATES

    def whole_ms(record: OsRecord) -> BoundedNs | None:
        value_ms: int | None = getattr(record, attribute)
        if needs_pages and not record.hiber_pages:
            return None
        return reported(value_ms) if value_ms else None

    return whole_ms


def _phase(record: OsRecord, name: str) -> BoundedNs | None:
    """Return how long a phase took, the longest of one name; None where it is not timed."""
    times = [
        part.duration_ms
        for part in record.components
        if part.kind is ComponentKind.PHASE and part.name == name and part.duration_ms is not None
    ]
    longest_ms = max(times, default=math.inf)
    return BoundedNs(round(longest_ms * NS_PER_MS), NS_PER_MS) if longest_ms <= _DAY_MS else None


def _resume(record: OsRecord) -> BoundedNs | None:
    if record.bios_init_ms is None or record.driver_init_ms is None:
        return None
    # Two parts of independent rounding; their sum knows of both.
    return reported(record.bios_init_ms) + reported(record.driver_init_ms)


def _user(record: OsRecord) -> BoundedNs | None:
    if record.wake_ms is None or record.driver_init_ms is None or record.user_init_ms is None:
        return None
    return reported(record.wake_ms) - reported(record.driver_init_ms)


def _figure(record: OsRecord, *names: str) -> float | None:
    """Return the first value of a figure by one of its names."""
    return next((each.value for each in record.figures if each.name in names), None)


def _drain(record: OsRecord) -> BoundedNs | None:
    """Return what of its full charge a battery lost in an hour; None where one is not reported."""
    drained, full = _figure(record, *_DRAINED), _figure(record, _FULL)
    begun, ended = record.sleep_time_utc_ns, record.wake_time_utc_ns
    if drained is None or not full or begun is None or ended is None or ended <= begun:
        return None
    of_mwh = 100 / full * 3600 * NS_PER_S / (ended - begun) * UNIT_BASES["%/h"]
    return BoundedNs(round(drained * of_mwh), round(_DRAIN_BOUND_MWH * of_mwh) + 1)


def _power(name: str, sighting: Sighting) -> BoundedNs | None:
    """Return a figure of the power monitor; its expanded uncertainty is taken for the bound."""
    power = None if sighting.cycle is None else sighting.cycle.outside.power
    found = None if power is None else getattr(power, name)
    if found is None:
        return None
    half = round(found.expanded * UNIT_BASES["W"])
    return BoundedNs(round(found.value * UNIT_BASES["W"]), half, half // 2, half)


def _figure_unit(measure: str) -> str | None:
    """Return what a figure counts, by the end of its name; a known one without a unit is a count.

    None of what is no figure, or none that is known.
    """
    if not measure.startswith(FIGURE):
        return None
    name = measure.removeprefix(FIGURE)
    unit = name.rpartition("_")[2]
    if unit in TIME_UNITS_NS:
        return unit
    return _SUFFIXES.get(unit) or (COUNT if name in FIGURE_WORDS else None)
