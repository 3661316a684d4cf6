"""The columns of a cycle and of an OS record, a row each.

The JSON documents, CSV, Parquet, the lake, the explorer and the page of a log read them, so that a
column that is added here is in all of them; docs/reference/exports.md lists them. Times of the rig
are whole nanoseconds with a bound, times of the OS whole milliseconds, as it reports them.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, Generic, TypeAlias, TypeVar

from resume_rig.analysis.reconcile.milestones import (
    InsideMilestones,
    complete_of,
    inside_milestones,
    light_after,
)
from resume_rig.model.os_record import OsRecord, state_word
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle, ReconciledCycle

Value: TypeAlias = int | float | str | bool | None
Type: TypeAlias = type[int] | type[float] | type[str] | type[bool]
Row = TypeVar("Row")
Whole = TypeVar("Whole")
Named = TypeVar("Named")


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column.

    Attributes:
        name: for machines, with its unit at the end.
        type: of its values; each may be None.
        get: its value in a row.
        explained: what it is, for people.
        title: its heading in the window, without its unit; "" where it is none there.
    """

    name: str
    type: Type
    get: Callable[[Row], Value]
    explained: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A cycle, with the OS's phases where they lie; None where that is not known."""

    cycle: ReconciledCycle
    inside: InsideMilestones | None


@dataclass(frozen=True, slots=True)
class Time:
    """A time of a cycle that the rig measured, or has measured a part of.

    Attributes:
        name, explained, title: as in Column.
        get: it, with its bound and uncertainty; None where it was not measured.
        decimals: of the milliseconds that a person sees.
    """

    name: str
    get: Callable[[Placed], BoundedNs | None]
    explained: str
    title: str = ""
    decimals: int = 2

    def columns(self) -> tuple[Column[Placed], Column[Placed]]:
        """Return the column of its value, and that of its bound."""

        def value(row: Placed) -> Value:
            found = self.get(row)
            return None if found is None else found.value_ns

        def bound(row: Placed) -> Value:
            found = self.get(row)
            return None if found is None else found.bound_ns

        bound_name = f"{self.name.removesuffix('_ns')}_bound_ns"
        return (
            Column(self.name, int, value, self.explained, self.title),
            Column(bound_name, int, bound, "Its bound"),
        )


def placed(
    cycles: Iterable[ReconciledCycle], reset_to_tsc: BoundedNs | None = None
) -> Iterator[Placed]:
    """Yield the rows of cycles, in their order.

    Args:
        cycles: those of an answer.
        reset_to_tsc: PLTRST# rising to the TSC's zero; with it resume complete is known also where
            clock and wires contradict the BIOS time.
    """
    return (Placed(cycle, inside_milestones(cycle, None, reset_to_tsc)) for cycle in cycles)


def of_part(
    part: Callable[[Whole], Row | None], columns: Iterable[Column[Row]], prefix: str = ""
) -> Iterator[Column[Whole]]:
    """Yield the columns of a part of a row; None where the row has no such part."""

    def of(column: Column[Row]) -> Column[Whole]:
        def get(row: Whole) -> Value:
            found = part(row)
            return None if found is None else column.get(found)

        return Column(f"{prefix}{column.name}", column.type, get, column.explained, column.title)

    return map(of, columns)


def in_order(names: str, found: Iterable[tuple[str, Named]]) -> dict[str, Named]:
    """Return what was found by its name: as published first, what was added later behind that."""
    rank = _ranks(names)
    return dict(sorted(found, key=lambda one: rank.get(one[0], len(rank))))


@functools.cache  # asked for with each of 100,000 cycles
def _ranks(names: str) -> dict[str, int]:
    return {name: place for place, name in enumerate(names.split())}


def _interval(name: IntervalName, explained: str, title: str = "") -> Time:
    return Time(name.value, lambda row: row.cycle.outside.intervals.get(name), explained, title)


_I: Final = IntervalName
OUTSIDE: Final = (
    _interval(_I.TRIGGER_TO_SLP_S3, "Sleep trigger to SLP_S3# falling", "trigger to sleep"),
    _interval(_I.ASLEEP, "SLP_S3# falling to rising"),
    _interval(_I.PRESS_WIDTH, "Press to release of the button"),
    _interval(_I.PRESS_TO_SLP_S3, "Press (or lid) to SLP_S3# rising", "to SLP_S3#"),
    _interval(_I.PRESS_TO_PWR_OK, "Press (or lid) to PWR_OK rising", "to PWR_OK"),
    _interval(_I.SLP_S3_TO_PWR_OK, "SLP_S3# to PWR_OK rising"),
    _interval(_I.PWR_OK_TO_PLTRST, "PWR_OK to PLTRST# rising"),
    _interval(_I.PRESS_TO_PLTRST, "Press (or lid) to PLTRST# rising", "to PLTRST#"),
    _interval(_I.PLTRST_TO_LIGHT, "PLTRST# rising to t_50", "PLTRST# to display on"),
    _interval(_I.PRESS_TO_LIGHT, "Press (or lid) to t_50 of the light", "display on"),
    _interval(_I.PRESS_TO_FIRST_LIGHT, "Press (or lid) to the first light"),
    _interval(_I.PRESS_TO_LIGHT_90, "Press (or lid) to 90 % of the light"),
)
"""What the wires and the light show."""

RECONCILED: Final = (
    Time(
        "press_to_resume_complete_ns",
        lambda row: complete_of(row.cycle, row.inside),
        "Press (or lid) to resume complete: measured + OS-reported + hidden",
        "complete",
        1,
    ),
    Time(
        "unexplained_ns",
        lambda row: row.cycle.unexplained,
        "Against the campaign median",
        "residual",
        1,
    ),
    Time(
        "light_after_complete_ns",
        lambda row: light_after(row.cycle, row.inside),
        "Display on minus resume complete; negative where the light came first",
    ),
    Time(
        "hidden_before_sleep_ns",
        lambda row: row.cycle.hidden_before_sleep,
        "Trigger to SLP_S3#, less what the OS and its firmware report of it",
    ),
    Time(
        "press_to_desktop_ns",
        lambda row: row.cycle.press_to_desktop,
        "Press (or lid) to the end of USER initialization",
    ),
    Time(
        "hidden_ns",
        lambda row: None if row.inside is None else row.inside.hidden,
        "What clock and wires add to BiosInit, or take off it",
    ),
)
"""Of wires and OS record together."""


def _reported(name: str, explained: str, title: str = "") -> Column[OsRecord]:
    return Column(name, int, attrgetter(name), explained, title)


INSIDE: Final = (
    _reported("bios_init_ms", "BiosInit, OS-reported", "BIOS"),
    _reported("driver_init_ms", "DriverInit, OS-reported", "device init"),
    _reported("resume_ms", "Total resume time, OS-reported: BiosInit + DriverInit", "resume"),
    _reported(
        "firmware_resume_ms", "FullResume of the ACPI FPDT, or as the log reports it", "firmware"
    ),
    _reported("sleep_ms", "SleepDuration, OS-reported", "sleep"),
    _reported("wake_ms", "WakeDuration, OS-reported"),
    _reported("hiber_read_ms", "Reading of the hibernation file, OS-reported"),
    _reported("hiber_write_ms", "Writing of the hibernation file, OS-reported"),
    _reported(
        "user_init_ms", "WakeDuration less DriverInitDuration; no part of the total", "user init"
    ),
)
"""What an OS record reports; resume and user initialization are worked out of it."""


def hibernated_after_ns(outside: OutsideCycle) -> int | None:
    """Return how long a sleep was none of S4 before it became one; None where it did not."""
    if outside.hibernated_from_ns is None or outside.asleep_from_ns is None:
        return None
    return outside.hibernated_from_ns - outside.asleep_from_ns


CYCLE: Final[tuple[Column[ReconciledCycle], ...]] = (
    Column("cycle", int, lambda c: c.outside.number, "Its number, from 1"),
    Column("outcome", str, lambda c: c.outcome.value, "What became of the cycle"),
    Column("state_outside", str, lambda c: c.outside.state.value, "The state on the wires"),
    Column(
        "state_asked",
        str,
        lambda c: None if c.outside.asked is None else state_word(c.outside.asked),
        "The state that the plan asked for",
    ),
    Column(
        "wake_by",
        str,
        lambda c: None if c.outside.wake_by is None else c.outside.wake_by.value,
        "What started the wake",
    ),
    Column("ignored", bool, lambda c: c.outside.ignored, "Left out by the plan"),
    Column("judged", bool, lambda c: c.judged, "Its verdict counts"),
    Column("verdict", str, lambda c: c.verdict.value, "Of this cycle"),
    Column("why_not", str, lambda c: c.why_not, "Why it is not judged, a sentence"),
    Column(
        "why_not_reason",
        str,
        lambda c: None if c.unjudged is None else c.unjudged.reason.value,
        "Why it is not judged, by name",
    ),
    Column(
        "light_definition",
        str,
        lambda c: None if c.outside.light_basis is None else c.outside.light_basis.value,
        "What the intervals to light end at",
    ),
    Column(
        "hibernated_after_ns",
        int,
        lambda c: hibernated_after_ns(c.outside),
        "Beginning of the sleep to S4, of a doze",
    ),
)
"""What a cycle is, and what is held of it."""
