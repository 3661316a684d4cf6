"""How long the OS was away by its own clock, against what wires and BiosInit add up to.

    OS frozen -> SLP_S3# falling     FPDT tells it, or it is short
    asleep                           outside
    SLP_S3# rising -> PLTRST#        outside
    PLTRST# -> TSC = 0               the DUT profile bounds it
    TSC = 0 -> waking vector         BiosInit, inside
    ------------------------------
    OS frozen -> waking vector       away: RTC at the wake minus the clock at the sleep

What is over is hidden. The OS reads the RTC in whole seconds, so each wake sets its clock to half
a second, and one cycle's hidden time is known to a second. But the error that one wake leaves is
the error that the next sleep starts with: over n cycles in a row all but the first and the last
cancel, and the mean is known to 1 s / n.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from resume_rig.analysis.closure_terms import figure_of
from resume_rig.analysis.findings.thresholds import (
    ACCEPTED_NS,
    CLOCKS_PPB,
    HIDDEN_BEFORE_NS,
    OS_CLOCK_NS,
    SUSPEND_TRAP_NS,
    WAKE_TIME_NS,
)
from resume_rig.analysis.reconcile import awake_to_os, power_up
from resume_rig.analysis.reported_times import MS_NS, reported
from resume_rig.model.channel import Channel
from resume_rig.model.cycle import IntervalName, OutsideCycle
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs

_NS_PER_US = 1_000


@dataclass(frozen=True, slots=True)
class Hidden:
    """Time that the OS was away and that wires and BiosInit do not explain.

    Attributes:
        each: of one cycle; negative where they explain more than there was.
        drift: of it, what the steps of the OS's clock alone may be, half-width; cancels in a row.
    """

    each: BoundedNs
    drift_ns: int

    @property
    def whole(self) -> BoundedNs:
        """The hidden time of this cycle by itself."""
        return BoundedNs(self.each.value_ns, self.each.bound_ns + self.drift_ns)


def hidden(
    outside: OutsideCycle, record: OsRecord, before: OsRecord | None, reset_to_tsc: BoundedNs
) -> Hidden | None:
    """Return what one S3 cycle hides, given the record before its own; None if not known."""
    away = os_away(record, before)
    asleep = outside.intervals.get(IntervalName.ASLEEP)
    to_os = awake_to_os(outside, record, reset_to_tsc)
    # Without SLP_S3# the sleep is measured between edges of PWR_OK, and its start is not known.
    if record.kind is not SleepKind.S3 or Channel.SLP_S3 not in outside.channels:
        return None
    if away is None or asleep is None or to_os is None:
        return None
    rest = away - before_power_down(outside, record) - asleep - to_os
    return Hidden(rest, 2 * OS_CLOCK_NS)


def longest_bios_ms(
    outside: OutsideCycle, record: OsRecord, before: OsRecord | None, reset_to_tsc: BoundedNs
) -> float | None:
    """Return the longest BIOS time that clock and wires of an S3 cycle leave room for, in ms."""
    away = os_away(record, before)
    asleep = outside.intervals.get(IntervalName.ASLEEP)
    if record.kind is not SleepKind.S3 or away is None or asleep is None:
        return None
    longest_ns = away.value_ns + away.bound_ns + 2 * OS_CLOCK_NS
    for part in (asleep, power_up(outside), reset_to_tsc):
        longest_ns += part.bound_ns - part.value_ns
    return max(longest_ns, 0) / MS_NS


def os_away(record: OsRecord, before: OsRecord | None) -> BoundedNs | None:
    """Return RTC at the wake minus the OS clock at the sleep.

    The bound is without the half seconds of the RTC. None where a part is not known, and where
    somebody set the clock since the wake before: Windows sets the RTC along with it, others do
    not, and no record says which.
    """
    if record.resume_ms is None or _stepped(record, before) != 0:
        return None
    jump_us = figure_of(record, "clock_jump_us")
    if jump_us is not None:
        away_ns, bound_ns = round(jump_us) * _NS_PER_US, MS_NS
    else:
        sleep_ns, wake_ns = record.sleep_time_utc_ns, record.wake_time_utc_ns
        if sleep_ns is None or wake_ns is None or record.wake_ms is None or record.sleep_ms is None:
            return None
        away_ns = wake_ns - sleep_ns - (record.wake_ms + record.sleep_ms) * MS_NS
        bound_ns = WAKE_TIME_NS + 2 * MS_NS
    return BoundedNs(away_ns, bound_ns + abs(away_ns) * CLOCKS_PPB // 1_000_000_000)


def _stepped(record: OsRecord, before: OsRecord | None) -> int | None:
    """Return by how much the clock was set between the wake before and this sleep.

    A record's figures tell of the steps since the record before it.
    """
    whole_us = figure_of(record, "clock_stepped_us") or 0
    if before is None:
        return None if figure_of(record, "clock_steps") else 0
    after_us = figure_of(record, "clock_stepped_after_wake_us") or 0
    earlier_us = figure_of(before, "clock_stepped_after_wake_us") or 0
    return round(earlier_us + whole_us - after_us) * _NS_PER_US


def before_sleep(outside: OutsideCycle, record: OsRecord) -> BoundedNs | None:
    """Return what the OS does not tell between the trigger of the sleep and SLP_S3# falling.

    The trigger being accepted and the firmware's part on the way down are taken off; negative or
    within its bound where nothing is hidden. None of a doze, of which the OS tells the way to S4.
    """
    whole = outside.intervals.get(IntervalName.TRIGGER_TO_SLP_S3)
    if outside.hibernated_from_ns is not None:
        return None
    if whole is None or record.sleep_ms is None or record.resume_ms is None:
        return None
    accepted = BoundedNs(ACCEPTED_NS // 2, ACCEPTED_NS // 2)
    return whole - reported(record.sleep_ms) - accepted - _firmware_suspend(record)


def before_power_down(outside: OutsideCycle, record: OsRecord) -> BoundedNs:
    """Return OS frozen to SLP_S3# falling: what is hidden there is the sleep's, not the BIOS's."""
    rest = before_sleep(outside, record)
    firmware = _firmware_suspend(record)
    return firmware + rest if rest is not None and is_hidden(rest) else firmware


def is_hidden(rest: BoundedNs) -> bool:
    """Return whether so much before the sleep is a finding."""
    return rest.value_ns - rest.bound_ns > HIDDEN_BEFORE_NS


def _firmware_suspend(record: OsRecord) -> BoundedNs:
    told_ms = figure_of(record, "firmware_suspend_ms")
    if told_ms is None:
        return BoundedNs(SUSPEND_TRAP_NS // 2, SUSPEND_TRAP_NS // 2)
    return reported(round(told_ms))


@dataclass(frozen=True, slots=True)
class HiddenMean:
    """The mean hidden time of cycles in a row, or in several rows that agree.

    Attributes:
        mean: of them; bound as guaranteed.
        n: how many.
    """

    mean: BoundedNs
    n: int


def means_in_a_row(
    cycles: Sequence[Hidden | None], follows: Sequence[bool]
) -> list[HiddenMean | None]:
    """Return for each cycle the mean of the row that it is in; None where it is in none.

    A row ends where a cycle has no hidden time (its record is lost), and where one hides another
    time than the others do: it has a finding of its own. Where all rows agree within their bounds,
    the mean of them all is that of each: what a short one cannot tell, the others do.

    Args:
        cycles: in order.
        follows: whether each cycle's sleep began with the clock that the wake before it set: no
            other sleep and no boot was between.
    """
    rows = _rows(cycles, follows)
    found: list[HiddenMean | None] = [None] * len(cycles)
    means = [_mean(row, 1) for _, row in rows]
    if len(rows) > 1:
        whole = _mean([cycle for _, row in rows for cycle in row], len(rows))
        if all(_agree(each.mean, whole.mean) for each in means):
            means = [min(each, whole, key=lambda mean: mean.mean.bound_ns) for each in means]
    for (first, row), mean in zip(rows, means, strict=True):
        found[first : first + len(row)] = [mean] * len(row)
    return found


def _rows(
    cycles: Sequence[Hidden | None], follows: Sequence[bool]
) -> list[tuple[int, list[Hidden]]]:
    """Return the rows, each with the index of its first cycle."""
    known = [cycle.each.value_ns for cycle in cycles if cycle is not None]
    usual_ns = round(median(known)) if known else 0
    rows: list[tuple[int, list[Hidden]]] = []
    is_open = False
    for index, (cycle, goes_on) in enumerate(zip(cycles, follows, strict=True)):
        if cycle is None or abs(cycle.each.value_ns - usual_ns) > cycle.whole.bound_ns:
            is_open = False
            continue
        if is_open and goes_on:
            rows[-1][1].append(cycle)
        else:
            rows.append((index, [cycle]))
        is_open = True
    return rows


def _agree(one: BoundedNs, other: BoundedNs) -> bool:
    return abs(one.value_ns - other.value_ns) <= one.bound_ns + other.bound_ns


def _mean(cycles: Sequence[Hidden], rows: int) -> HiddenMean:
    """Return the mean of cycles in so many rows: at both ends of each is half a second."""
    n = len(cycles)
    value_ns = sum(cycle.each.value_ns for cycle in cycles) // n
    bound_ns = sum(cycle.each.bound_ns for cycle in cycles) // n
    return HiddenMean(BoundedNs(value_ns, bound_ns - (-2 * OS_CLOCK_NS * rows // n)), n)
