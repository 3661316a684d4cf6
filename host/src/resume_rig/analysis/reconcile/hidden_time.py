"""Time between PLTRST# and the OS that is not in BiosInit, of a cycle and of a campaign.

Wires, BiosInit and the OS's own clock close a ring from one wake to the next; what they leave over
is hidden. It is an interval: nothing shows how what is hidden before a sleep is shared between
before SleepTime and after the clock's stop. docs/reference/findings.md, "Hidden time", has it all.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from resume_rig.analysis.reconcile.norms import Norm, Pair
from resume_rig.analysis.reconcile.os_account import (
    firmware_suspend,
    os_away,
    os_ran,
    stop_to_power_down,
)
from resume_rig.analysis.reconcile.reconcile import awake_to_os, power_up
from resume_rig.analysis.reconcile.thresholds import (
    HANDOFF_NS,
    MEDIAN_OF,
    OS_CLOCK_NS,
    SIMILAR_WIDTHS,
)
from resume_rig.model.channel import Channel
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle, ReconciledCycle
from resume_rig.model.result.verdict import FindingKind
from resume_rig.model.units import NS_PER_MS

_HANDOFF = BoundedNs(HANDOFF_NS // 2, HANDOFF_NS // 2)


@dataclass(frozen=True, slots=True)
class Hidden:
    """Time that wires and BiosInit do not explain, of one cycle.

    The ring:

        SLP_S3# rising -> PLTRST#       the wires
        PLTRST# -> TSC = 0              the DUT profile bounds it
        TSC = 0 -> waking vector        BiosInit, and what is hidden
        waking vector -> clock starts   short: the OS reads the RTC
        clock starts -> clock stops     the OS's clock runs
        clock stops -> SLP_S3# falling  the firmware's part, and none to all of what is hidden there
        SLP_S3# falling -> rising       the wires

    Attributes:
        each: negative where they explain more than there was.
        drift_ns: of it, what the steps of the OS's clock alone may be, half-width; cancels in a
            row. 0 where no step is in it.
        bios_ns: BiosInit: no more than that can be too much. None: not known.
        stopped: the clock's stop to SLP_S3# falling, which is taken off; None where nothing but
            BiosInit bounds it.
    """

    each: BoundedNs
    drift_ns: int
    bios_ns: int | None = None
    stopped: BoundedNs | None = None

    @property
    def with_drift(self) -> BoundedNs:
        """What wires and BiosInit do not explain of this cycle by itself."""
        return BoundedNs(self.each.value_ns, self.each.bound_ns + self.drift_ns)

    @property
    def whole(self) -> BoundedNs | None:
        """The hidden time of this cycle by itself; None where no BIOS time explains the clocks."""
        return _possible(self.with_drift, self.bios_ns)


def hidden_by_standing(
    outside: OutsideCycle, record: OsRecord, before: OsRecord | None, reset_to_tsc: BoundedNs
) -> Hidden | None:
    """Return what one S3 cycle hides, given the record before its own; None if not known.

    By the clock's standing: the RTC's time at the wake minus the clock at the sleep. The RTC is
    read in whole seconds, so that is known to a second.
    """
    away = os_away(record, before)
    asleep = outside.intervals.get(IntervalName.ASLEEP)
    if away is None or asleep is None:
        return None
    to_vector = away - asleep
    return _hidden((outside, record), (outside, record), to_vector, reset_to_tsc, 2 * OS_CLOCK_NS)


def hidden_by_running(
    cycle: Pair, after: Pair, awake: BoundedNs, reset_to_tsc: BoundedNs
) -> Hidden | None:
    """Return what one S3 cycle hides, given the next one; None if not known.

    By the clock's running, against the wires' time from wake to sleep: known to milliseconds.

    Args:
        cycle: wires and record.
        after: those of the sleep that followed; no other was between.
        awake: SLP_S3# rising in the one to SLP_S3# falling in the other, on one clock.
        reset_to_tsc: PLTRST# rising to the TSC's zero.
    """
    ran = os_ran(cycle[1], after[1])
    if ran is None or not _is_s3(after):
        return None
    return _hidden(cycle, after, awake - ran, reset_to_tsc, 0)


def _hidden(
    cycle: Pair, sleep: Pair, whole: BoundedNs, reset_to_tsc: BoundedNs, drift_ns: int
) -> Hidden | None:
    """Return what is left of `whole`: wake to the OS, and its clock's stop to SLP_S3# falling.

    Args:
        cycle: of the wake.
        sleep: of the sleep, which may be another cycle's.
        whole: of the two times together.
        reset_to_tsc: PLTRST# rising to the TSC's zero.
        drift_ns: half-width of what cancels in a row.
    """
    outside, record = cycle
    to_vector = awake_to_os(outside, record, reset_to_tsc)
    if to_vector is None or record.bios_init_ms is None or not _is_s3(cycle):
        return None
    to_os = to_vector + _HANDOFF
    bios_ns = record.bios_init_ms * NS_PER_MS
    stopped = stop_to_power_down(*sleep)
    if stopped is not None:
        return Hidden(whole - stopped - to_os, drift_ns, bios_ns, stopped)
    # The sleep's trigger was not observed: all that passed, the BIOS time too, may be the sleep's.
    rest = whole - firmware_suspend(sleep[1]) - to_os
    most_ns = rest.value_ns + rest.bound_ns
    half_ns = max(rest.bound_ns, -(-(most_ns + bios_ns) // 2))
    return Hidden(BoundedNs(most_ns - half_ns, half_ns), drift_ns, bios_ns)


def _is_s3(pair: Pair) -> bool:
    """Return whether it is an S3 whose SLP_S3# is wired; PWR_OK does not show where it begins."""
    return pair[1].kind is SleepKind.S3 and Channel.SLP_S3 in pair[0].channels


def _possible(rest: BoundedNs, bios_ns: int | None) -> BoundedNs | None:
    """Return the part of an interval in which the BIOS took no less than no time."""
    if bios_ns is None or rest.value_ns - rest.bound_ns >= -bios_ns:
        return rest
    most_ns = rest.value_ns + rest.bound_ns
    if most_ns < -bios_ns:
        return None
    half_ns = -(-(most_ns + bios_ns) // 2)
    return BoundedNs(most_ns - half_ns, half_ns)


def off_median(hidden: Hidden | None, norm: Norm | None, always_ns: int) -> BoundedNs | None:
    """Return how far what a cycle hides is from the campaign's median; None if not known.

    Args:
        hidden: of the cycle, by the clock's running; half seconds of the RTC are too coarse here.
        norm: of those of the campaign.
        always_ns: of its bound, what is the same in all cycles and cancels.
    """
    if hidden is None or hidden.drift_ns or hidden.stopped is None or norm is None:
        return None
    each = hidden.each
    return BoundedNs(each.value_ns, max(each.bound_ns - always_ns, 0)).from_median(norm.median_ns)


def longest_bios_ms(
    outside: OutsideCycle, record: OsRecord, before: OsRecord | None, reset_to_tsc: BoundedNs
) -> float | None:
    """Return the longest BIOS time that clock and wires of an S3 cycle leave room for, in ms.

    Negative where they contradict each other, whatever the BIOS did; None if not known.
    """
    away = os_away(record, before)
    asleep = outside.intervals.get(IntervalName.ASLEEP)
    if record.kind is not SleepKind.S3 or away is None or asleep is None:
        return None
    longest_ns = away.value_ns + away.bound_ns + 2 * OS_CLOCK_NS
    for part in (asleep, power_up(outside), reset_to_tsc):
        longest_ns += part.bound_ns - part.value_ns
    return longest_ns / NS_PER_MS


def after_stop(hidden: Hidden) -> BoundedNs | None:
    """Return the clock's stop to SLP_S3# falling, if BiosInit is true.

    None where nothing else bounds it, or BiosInit cannot be true.
    """
    stopped, each = hidden.stopped, hidden.each
    if stopped is None:
        return None
    value_ns = each.value_ns + stopped.value_ns
    bound_ns = each.bound_ns - stopped.bound_ns + hidden.drift_ns
    least_ns = max(value_ns - bound_ns, stopped.value_ns - stopped.bound_ns)
    most_ns = min(value_ns + bound_ns, stopped.value_ns + stopped.bound_ns)
    if most_ns < least_ns:
        return None
    half_ns = -(-(most_ns - least_ns) // 2)
    return BoundedNs(least_ns + half_ns, half_ns)


@dataclass(frozen=True, slots=True)
class HiddenMean:
    """The mean hidden time of cycles in a row, or in several rows that agree.

    Attributes:
        mean: of them; bound as guaranteed.
        n: how many.
    """

    mean: BoundedNs
    n: int


def means_of(
    running: Sequence[Hidden | None], standing: Sequence[Hidden | None], follows: Sequence[bool]
) -> list[HiddenMean | None]:
    """Return for each cycle what it and those like it hide on average; None if not known.

    Args:
        running: by the OS's clock from one sleep to the next, in order of the cycles.
        standing: by the time that the OS was away, as `means_in_a_row` takes it.
        follows: likewise.
    """
    found = means_in_a_row(standing, follows)
    usual = usual_of(running)
    usual_ones = [cycle for cycle in running if cycle and agree(cycle.with_drift, usual)]
    if len(usual_ones) < MEDIAN_OF:
        return found
    mean = _mean_of_narrow(usual_ones)
    for index, cycles in enumerate(zip(running, standing, strict=True)):
        own = next((cycle for cycle in cycles if cycle is not None), None)
        if own is None or not agree(own.with_drift, usual):
            continue
        rows = found[index]
        if rows is None or mean.mean.bound_ns <= rows.mean.bound_ns:
            found[index] = mean
    return found


def means_in_a_row(
    cycles: Sequence[Hidden | None], follows: Sequence[bool]
) -> list[HiddenMean | None]:
    """Return for each cycle the mean of the row that it is in; None where it is in none.

    The error that one wake leaves in the clock is the error that the next sleep starts with: over n
    cycles in a row all but the first and the last cancel, and the mean is known to 1 s / n.

    A row ends where a cycle has no hidden time (its record is lost), and where one hides another
    time than the others do: it has a finding of its own. Where all rows agree within their bounds,
    the mean of them all is that of each: what a short one leaves open, the others show.

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
        if all(agree(each.mean, whole.mean) for each in means):
            means = [min(each, whole, key=lambda mean: mean.mean.bound_ns) for each in means]
    for (first, row), mean in zip(rows, means, strict=True):
        found[first : first + len(row)] = [mean] * len(row)
    return found


def _rows(
    cycles: Sequence[Hidden | None], follows: Sequence[bool]
) -> list[tuple[int, list[Hidden]]]:
    """Return the rows, each with the index of its first cycle."""
    usual = usual_of(cycles)
    rows: list[tuple[int, list[Hidden]]] = []
    is_open = False
    for index, (cycle, goes_on) in enumerate(zip(cycles, follows, strict=True)):
        if cycle is None or not agree(cycle.with_drift, usual):
            is_open = False
            continue
        if is_open and goes_on:
            rows[-1][1].append(cycle)
        else:
            rows.append((index, [cycle]))
        is_open = True
    return rows


def usual_of(cycles: Iterable[Hidden | None]) -> BoundedNs:
    """Return the interval that the cycles have in the middle, without the clock's steps."""
    measured = [cycle.each for cycle in cycles if cycle is not None]
    if not measured:
        return BoundedNs(0, 0)
    least_ns = round(median(each.value_ns - each.bound_ns for each in measured))
    most_ns = round(median(each.value_ns + each.bound_ns for each in measured))
    return BoundedNs((least_ns + most_ns) // 2, -(-(most_ns - least_ns) // 2))


def agree(one: BoundedNs, other: BoundedNs) -> bool:
    """Return whether two intervals have a value in common."""
    return abs(one.value_ns - other.value_ns) <= one.bound_ns + other.bound_ns


def _mean(cycles: Sequence[Hidden], rows: int) -> HiddenMean:
    """Return the mean of cycles in so many rows: at both ends of each is half a second."""
    n = len(cycles)
    value_ns = sum(cycle.each.value_ns for cycle in cycles) // n
    bound_ns = sum(cycle.each.bound_ns for cycle in cycles) // n
    steps_ns = -(-max(cycle.drift_ns for cycle in cycles) * rows // n)
    return HiddenMean(BoundedNs(value_ns, bound_ns + steps_ns), n)


def _mean_of_narrow(cycles: Sequence[Hidden]) -> HiddenMean:
    """Return the mean of those that are nearly as narrow as the narrowest.

    What they hide is the same; a cycle that hides seconds before its sleep shows little of it.
    """
    least_ns = min(cycle.each.bound_ns for cycle in cycles)
    return _mean([c for c in cycles if c.each.bound_ns <= SIMILAR_WIDTHS * least_ns], 1)


BIOS_IS_WRONG: Final = frozenset({FindingKind.BIOS_UNDER_REPORTED, FindingKind.BIOS_OVER_REPORTED})
"""Findings by which a BIOS time is not what it was, though there was time for it."""


def hidden_bios(cycle: ReconciledCycle) -> BoundedNs | None:
    """Return what the BIOS took beyond its reported time, negative where it took less.

    None where clock and wires do not contradict the reported time.
    """
    for finding in cycle.findings:
        if finding.kind not in BIOS_IS_WRONG:
            continue
        hidden_ns, bound_ns = (finding.evidence.get(key) for key in ("hidden_ns", "bound_ns"))
        if isinstance(hidden_ns, int) and isinstance(bound_ns, int):
            return BoundedNs(hidden_ns, bound_ns)
    return None
