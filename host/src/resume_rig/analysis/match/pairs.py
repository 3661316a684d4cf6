"""Columns of cycles and OS records that the match is given, and the pairs that it finds.

Where a cycle or a record has no partner, the likely reason is named.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.match.likelihood import Noise, gains, gains_of_late, lost_cost
from resume_rig.analysis.match.order import Choice
from resume_rig.analysis.match.times import (
    UNKNOWN,
    Arrivals,
    ClockSettings,
    CycleTimes,
    Entries,
    Floats,
    Indexes,
    Moments,
    RecordTimes,
    Rows,
    all_settings,
    bits_of,
    clock_settings_of,
    codes_of,
    joined,
)
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.result.match import CycleReason, RecordReason

_NS = 1e-9
_MS = 1e-3
# Assumed: no firmware of a PC takes a minute; more is a TSC that was not reset, or ticks.
_PLAUSIBLE_FIRMWARE_S = 60.0


@dataclass(frozen=True, slots=True)
class OutsideMoments:
    """When a cycle slept and woke, on one clock for all cycles (host UTC, or a capture's own).

    Attributes:
        asleep_ns, awake_ns: SLP_S3# falling and rising; None where not known.
        unlike: kinds of sleep that the wires exclude.
        silent: how likely it is that no OS came back to write a record, 0..1, below 1.
        to_sleep_ns: from the trigger of the sleep to SLP_S3# falling; None where not known.
    """

    asleep_ns: int | None
    awake_ns: int | None
    unlike: frozenset[SleepKind] = frozenset()
    silent: float = 0.0
    to_sleep_ns: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RecordColumns:
    """What records report, one value a record; NaN where one reports nothing.

    Attributes:
        base_ns: what the times count from.
        wake_s, began_s: WakeTime and SleepTime, float64 [m].
        took_s, wake_took_s: SleepDuration and WakeDuration, float64 [m].
        firmware_s, read_s: BiosInit and the reading of the image, float64 [m].
        kind: code of its kind (`codes_of`). source: index of its source; int64 [m].
        settings: of settings of the clock; None without any.
    """

    base_ns: int
    wake_s: Floats
    began_s: Floats
    took_s: Floats
    wake_took_s: Floats
    firmware_s: Floats
    read_s: Floats
    kind: Indexes
    source: Indexes
    settings: ClockSettings | None = None


def moments_of(cycles: Sequence[OutsideMoments]) -> Moments:
    """Return the moments of cycles as arrays."""
    first = (c.awake_ns if c.awake_ns is not None else c.asleep_ns for c in cycles)
    base_ns = next((ns for ns in first if ns is not None), 0)
    bits = {kinds: bits_of(kinds) for kinds in {c.unlike for c in cycles}}
    return Moments(
        base_ns,
        _seconds(cycles, "asleep_ns", _NS, base_ns),
        _seconds(cycles, "awake_ns", _NS, base_ns),
        np.fromiter((bits[c.unlike] for c in cycles), dtype=np.int64, count=len(cycles)),
        np.fromiter((c.silent for c in cycles), dtype=np.float64, count=len(cycles)),
        _seconds(cycles, "to_sleep_ns", _NS),
    )


def columns_of(records: Sequence[OsRecord]) -> RecordColumns:
    """Return what records report as arrays."""
    first = (r.wake_time_utc_ns or r.sleep_time_utc_ns for r in records)
    base_ns = next((ns for ns in first if ns is not None), 0)
    count, code = len(records), {kind: codes_of([kind])[0] for kind in SleepKind}
    return RecordColumns(
        base_ns,
        _seconds(records, "wake_time_utc_ns", _NS, base_ns),
        _seconds(records, "sleep_time_utc_ns", _NS, base_ns),
        _seconds(records, "sleep_ms", _MS),
        _seconds(records, "wake_ms", _MS),
        _seconds(records, "bios_init_ms", _MS),
        _seconds(records, "hiber_read_ms", _MS),
        np.fromiter((code[record.kind] for record in records), dtype=np.int64, count=count),
        np.fromiter((record.source for record in records), dtype=np.int64, count=count),
        clock_settings_of(records),
    )


def record_times(columns: RecordColumns, left_out: Collection[SleepKind]) -> RecordTimes:
    """Return the times of all records, doubled ones marked."""
    wake_s, began_s, took_s = columns.wake_s, columns.began_s, columns.took_s
    wake_took_s, firmware_s = columns.wake_took_s, columns.firmware_s.copy()
    usable = ~np.isin(columns.kind, codes_of(left_out))
    measured = ~(np.isnan(firmware_s) & np.isnan(wake_took_s) & np.isnan(took_s))
    with np.errstate(invalid="ignore"):
        firmware_s[~(firmware_s <= _PLAUSIBLE_FIRMWARE_S)] = np.nan
    rank = _ranks(columns.source, wake_s, began_s)
    doubled_of = _doubles(wake_s, began_s, np.isnan(firmware_s) + 1 * np.isnan(took_s), usable)
    return RecordTimes(
        columns.base_ns,
        wake_s,
        began_s + np.nan_to_num(took_s),
        began_s,
        wake_took_s,
        firmware_s,
        columns.read_s,
        measured,
        columns.kind,
        columns.source,
        usable,
        doubled_of,
        rank,
        None if columns.settings is None else all_settings(columns.settings, rank, doubled_of),
    )


def _ranks(source: Indexes, wake_s: Floats, began_s: Floats) -> Indexes:
    """Return the order in which records were written: their own in a source, else by time.

    The clock may go back within a source; across sources only the time shows it.
    """
    rank = np.arange(len(source), dtype=np.int64)
    if np.all(source == source[:1]):
        return rank
    key = np.fmax(wake_s, began_s)
    for each in np.unique(source):
        of_it = np.flatnonzero(source == each)
        key[of_it] = np.fmax.accumulate(key[of_it])
    rank[np.argsort(key, kind="stable")] = np.arange(len(rank), dtype=np.int64)
    return rank


def _doubles(
    wake_s: Floats, began_s: Floats, missing: Indexes, usable: NDArray[np.bool_]
) -> Indexes:
    """Return for each record the one with exactly its times, -1 for none.

    That one is the first of those with the fewest values missing.
    """
    of = np.full(len(wake_s), -1, dtype=np.int64)
    timed = np.flatnonzero(usable & ~np.isnan(wake_s))
    keys = [missing[timed], np.nan_to_num(began_s[timed]), wake_s[timed]]
    order = timed[np.lexsort(keys)]
    same = np.zeros(len(order), dtype=np.bool_)
    same[1:] = (wake_s[order[1:]] == wake_s[order[:-1]]) & (
        np.nan_to_num(began_s[order[1:]]) == np.nan_to_num(began_s[order[:-1]])
    )
    first = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
    of[order[same]] = order[first[same]]
    return of


def _seconds(
    facts: Sequence[OutsideMoments] | Sequence[OsRecord], name: str, scale: float, base: int = 0
) -> Floats:
    """Return a value of each fact counted from `base`, exactly, then scaled; NaN for None.

    By Python's integers: no text of a log makes them too large.
    """
    values = map(attrgetter(name), facts)
    seconds = [np.nan if value is None else float(value - base) * scale for value in values]
    return np.array(seconds, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs(Rows):
    """Which record is of which cycle, in order of the cycles; each stands once.

    Attributes:
        cycle, record: indexes, int64 [p].
        probability: that they belong together, float64 [p].
    """

    cycle: Indexes
    record: Indexes
    probability: Floats

    def with_more(self, more: "Pairs") -> "Pairs":
        """Return these and more."""
        return joined([self, more]).in_order()

    def in_order(self) -> "Pairs":
        """Return them in order of the cycles."""
        return self.where(np.argsort(self.cycle, kind="stable"))


Mask = NDArray[np.bool_]
R = TypeVar("R", CycleReason, RecordReason)


def cycle_reasons(
    moments: Moments,
    times: RecordTimes,
    pairs: Pairs,
    ambiguous: Indexes,
    arrivals: Arrivals,
) -> dict[int, CycleReason]:
    """Return a reason for every cycle without a record.

    Args:
        moments: of all cycles.
        times: of the records.
        pairs: what is matched.
        ambiguous: cycles that likely had a record, though not likely enough.
        arrivals: which readings of the log brought the records.
    """
    slept, woke = ~np.isnan(moments.asleep_s), ~np.isnan(moments.awake_s)
    free, unsure = np.ones(len(slept), dtype=np.bool_), np.zeros(len(slept), dtype=np.bool_)
    free[pairs.cycle] = False
    unsure[ambiguous] = True
    unsure[_with_unmatched_arrival(times, pairs, arrivals)] = True
    index, around = np.arange(len(slept)), _Around(times, pairs)
    return _first_reasons(
        free,
        (
            (~woke & slept, CycleReason.NOT_SURVIVED),
            (~woke, CycleReason.NO_TIME),
            (unsure, CycleReason.AMBIGUOUS),
            (np.full(len(free), not around.any), CycleReason.UNRELATED),
            ((index < around.first) & around.begins, CycleReason.BEFORE_LOG),
            ((index > around.last) & around.ends, CycleReason.AFTER_LOG),
        ),
        CycleReason.LOST,
    )


def record_reasons(
    times: RecordTimes, pairs: Pairs, ambiguous: Indexes, arrivals: Arrivals
) -> dict[int, RecordReason]:
    """Return a reason for every record without a cycle; the arguments as of `cycle_reasons`."""
    free, unsure = _free(times, pairs), np.zeros(len(times.kind), dtype=np.bool_)
    unsure[ambiguous] = True
    around, live = _Around(times, pairs), arrivals.of_record != UNKNOWN
    before, after = times.rank < around.low, times.rank > around.high
    return _first_reasons(
        free,
        (
            (times.of_kinds({SleepKind.DIED}), RecordReason.NOT_SURVIVED),
            (~times.usable, RecordReason.NO_SLEEP),
            (np.isnan(times.wake_s) & np.isnan(times.began_s), RecordReason.NO_TIME),
            (times.doubled_of >= 0, RecordReason.DOUBLED),
            (unsure, RecordReason.AMBIGUOUS),
            (times.is_doze, RecordReason.DOZE),
            (np.full(len(free), not around.any), RecordReason.UNRELATED),
            # A reading of the campaign brought it, so it was written while the campaign ran.
            ((before | after) & live, RecordReason.AMBIGUOUS),
            (before, RecordReason.BEFORE_CAMPAIGN),
            (after, RecordReason.AFTER_CAMPAIGN),
        ),
        RecordReason.BETWEEN_CYCLES,
    )


def _first_reasons(free: Mask, reasons: Sequence[tuple[Mask, R]], otherwise: R) -> dict[int, R]:
    """Return the first reason that holds of each that is free, by index."""
    codes = np.select([holds[free] for holds, _ in reasons], range(len(reasons)), len(reasons))
    names = [*(reason for _, reason in reasons), otherwise]
    reasons_found = (names[code] for code in codes.tolist())
    return dict(zip(np.flatnonzero(free).tolist(), reasons_found, strict=True))


def _free(times: RecordTimes, pairs: Pairs) -> Mask:
    """Return which records are no cycle's."""
    free = np.ones(len(times.kind), dtype=np.bool_)
    free[pairs.record] = False
    return free


def _with_unmatched_arrival(times: RecordTimes, pairs: Pairs, arrivals: Arrivals) -> Indexes:
    """Return the cycles whose own reading brought a record that is no other cycle's."""
    free = _free(times, pairs)
    free &= times.usable & (times.doubled_of < 0) & (arrivals.of_record != UNKNOWN)
    return np.flatnonzero(np.isin(arrivals.of_cycle, arrivals.of_record[free]))


class _Around:
    """The span of what is matched, in cycles and in the order of the records.

    Attributes:
        any: whether there is anything.
        first, last: cycles. low, high: ranks of the records.
        begins, ends: whether no usable record is before, and after, those that are matched.
    """

    def __init__(self, times: RecordTimes, pairs: Pairs) -> None:
        self.any = len(pairs.cycle) > 0
        self.first = self.last = self.low = self.high = 0
        self.begins = self.ends = False
        if not self.any:
            return
        ranks = times.rank[pairs.record]
        self.low, self.high = int(ranks.min()), int(ranks.max())
        self.first, self.last = int(pairs.cycle[0]), int(pairs.cycle[-1])
        timed = ~(np.isnan(times.wake_s) & np.isnan(times.began_s))
        ranks_usable: Indexes = times.rank[times.usable & timed & (times.doubled_of < 0)]
        self.begins = self.low <= int(ranks_usable.min())
        self.ends = self.high >= int(ranks_usable.max())


def by_late_wakes(
    sure: Choice, cycles: CycleTimes, entries: Entries, noise: Noise, same_s: float
) -> Pairs:
    """Return pairs of cycles that are left with records whose wake came late to the OS.

    The cycles on either side must be tied to records of the same source, between which that of the
    cycle stands, and the clock not be set between them. So it is no evidence of a log's origin.

    Args:
        sure: the pairs by wake.
        cycles: by wake.
        entries: those that `sure` names.
        noise: of the campaign.
        same_s: offsets that differ by no more are of a clock that was not set.
    """
    between = np.flatnonzero((np.diff(sure.rows) == 2) & (np.abs(np.diff(sure.offset_s)) <= same_s))
    rows = sure.rows[between] + 1
    offset_s = (sure.offset_s[between] + sure.offset_s[between + 1]) / 2
    found = gains_of_late(cycles, entries, rows, offset_s, noise)
    lost = lost_cost(cycles, entries, rows, offset_s, noise)
    best = found.best(len(rows))
    best = best[best >= 0]
    of, entry = found.of[best], found.entry[best]
    share = np.exp(found.gain[best] - found.either(lost)[of])
    low, high = sure.entry[between[of]], sure.entry[between[of] + 1]
    rank, source = entries.rank, entries.source
    in_order = (rank[entry] > rank[low]) & (rank[entry] < rank[high])
    in_order &= (source[entry] == source[low]) & (source[entry] == source[high])
    both = sure.probability[between[of]] * sure.probability[between[of] + 1]
    return Pairs(cycles.index[rows[of]], entries.record[entry], share * both).where(in_order)


def by_sleep_times(
    sure: Choice, cycles: CycleTimes, entries: Entries, sleeps: Entries, noise: Noise
) -> Pairs:
    """Return pairs of cycles that are left with records that have only a sleep time.

    Args:
        sure: the pairs by wake.
        cycles: by wake.
        entries: those that `sure` names.
        sleeps: the records in question.
        noise: of the campaign.
    """
    free = np.ones(len(cycles.at_s), dtype=np.bool_)
    free[sure.rows] = False
    rows = np.flatnonzero(free & ~np.isnan(cycles.asleep_s))
    if len(sure.rows) == 0 or len(sleeps.at_s) == 0:
        nothing = np.empty(0, dtype=np.int64)
        return Pairs(nothing, nothing, np.empty(0))
    asleep = replace(
        cycles,
        at_s=cycles.at_s - cycles.asleep_s,
        asleep_s=np.full(len(cycles.at_s), np.nan),
    )
    offset_s = np.interp(rows, sure.rows, sure.offset_s)
    found = gains(asleep, sleeps, rows, offset_s, noise)
    lost = lost_cost(asleep, sleeps, rows, offset_s, noise)
    best = found.best(len(rows))
    best = best[best >= 0]
    of, entry = found.of[best], found.entry[best]
    share, rows = np.exp(found.gain[best] - found.either(lost)[of]), rows[of]
    after = np.searchsorted(sure.rows, rows)
    before_rank = np.append(-1, entries.rank[sure.entry])[after]
    after_rank = np.append(entries.rank[sure.entry], np.iinfo(np.int64).max)[after]
    in_order = (sleeps.rank[entry] > before_rank) & (sleeps.rank[entry] < after_rank)
    both = np.append(1.0, sure.probability)[after] * np.append(sure.probability, 1.0)[after]
    pairs = Pairs(cycles.index[rows], sleeps.record[entry], share * both).where(in_order)
    # A record that two cycles claim is of the likelier one.
    pairs = pairs.where(np.lexsort([-pairs.probability, pairs.record]))
    return pairs.where(np.unique(pairs.record, return_index=True)[1])
