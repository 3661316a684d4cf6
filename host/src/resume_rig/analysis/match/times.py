"""Cycles and OS records as arrays: their times, settings of the OS clock, readings of the log.

Seconds in float64, counted from the first cycle and the first record: good to below 1 us over a
hundred years of offset.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.os_record import OsRecord, SleepKind

Floats = NDArray[np.float64]
Indexes = NDArray[np.int64]
Readings = NDArray[np.int32]
Mask = NDArray[np.bool_]

UNKNOWN = -1
"""The reading of a record of which it is not known when it was there first."""


@dataclass(frozen=True, slots=True, eq=False)
class Arrivals:
    """Readings of the log while the cycles ran, counted from the first that brought something.

    A record that was there when the log was read belongs to no cycle that came later: that is
    certain. And it was most likely written soon after its wake, so it belongs to a cycle since the
    reading before.

    Attributes:
        of_record: the reading that brought it; UNKNOWN where that is not known, int32 [m].
        of_cycle: the first reading since the cycle's end, int32 [n]; the number of readings where
            there is none.
        count: how many readings brought something.
    """

    of_record: Readings
    of_cycle: Readings
    count: int


def arrivals_of(
    arrived_at: Sequence[int | None] | NDArray[np.int64], records: int, cycles: int
) -> Arrivals:
    """Return the readings that brought the records.

    Args:
        arrived_at: for each record the index of the cycle at whose end it was there for the first
            time, None (-1 in an array) where that is not known; may be empty.
        records: how many there are.
        cycles: how many there are.
    """
    if len(arrived_at) == 0:
        nothing = np.full(records, UNKNOWN, dtype=np.int32)
        return Arrivals(nothing, np.zeros(cycles, dtype=np.int32), 0)
    if isinstance(arrived_at, np.ndarray):
        at = arrived_at
    else:
        at = np.array([UNKNOWN if each is None else each for each in arrived_at], dtype=np.int64)
    ends = np.sort(at[at >= 0])
    ends = ends[np.append(True, ends[1:] > ends[:-1])[: len(ends)]]
    of_record = np.where(at < 0, UNKNOWN, np.searchsorted(ends, at)).astype(np.int32)
    of_cycle = np.searchsorted(ends, np.arange(cycles)).astype(np.int32)
    return Arrivals(of_record, of_cycle, len(ends))


_US = 1e-6
# A synchronisation takes back what a wake's reading of the RTC was off by, half a second; that does
# not last.
_LASTING_S = 1.0
# Assumed: nobody sets a clock by more than a century.
_FARTHEST_S = 100 * 365 * 86_400.0
_WHOLE, _AFTER = "clock_stepped_us", "clock_stepped_after_wake_us"


@dataclass(frozen=True, slots=True, eq=False)
class ClockSettings:
    """By how much the clock was set since the record before, as the log reports it.

    An event may be missing or doubled, a setting may not have lasted, and where an old Windows
    gives no reason each wake looks like one: so the times without the settings are a second view
    only.

    Attributes:
        asleep_s: before the wake of each record, float64 [m].
        awake_s: between its wake and its writing, float64 [m].
    """

    asleep_s: Floats
    awake_s: Floats


def clock_settings_of(records: Sequence[OsRecord]) -> ClockSettings | None:
    """Return the lasting settings that records report; None where they report none."""
    asleep_s, awake_s = np.zeros(len(records)), np.zeros(len(records))
    for at, record in enumerate(records):
        figures = {each.name: each.value for each in record.figures}
        if _WHOLE in figures:
            awake_s[at] = _setting_s(figures.get(_AFTER, 0))
            asleep_s[at] = _setting_s(figures[_WHOLE]) - awake_s[at]
    asleep_s, awake_s = _lasting(asleep_s), _lasting(awake_s)
    return ClockSettings(asleep_s, awake_s) if asleep_s.any() or awake_s.any() else None


def _setting_s(value_us: float) -> float:
    """Return seconds; no setting where it is beyond all that a float holds."""
    return value_us * _US if abs(value_us) <= _FARTHEST_S / _US else 0.0


def _lasting(step_s: Floats) -> Floats:
    return np.where(np.abs(step_s) > _LASTING_S, step_s, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class SummedSettings:
    """The settings of the clock that the log reports, all together.

    Attributes:
        before_s: those before the wake of each record, float64 [m].
        own_s: those between its wake and its writing, float64 [m].
    """

    before_s: Floats
    own_s: Floats

    def counted_from(self, record: int) -> "SummedSettings":
        """Return them with nothing set before the wake of a record."""
        return SummedSettings(self.before_s - self.before_s[record], self.own_s)


def all_settings(settings: ClockSettings, rank: Indexes, doubled_of: Indexes) -> SummedSettings:
    """Return all settings, added up.

    Args:
        settings: of each record.
        rank: place of each in the order in which records were written, int64 [m].
        doubled_of: the record that it repeats, -1 for none: a second account adds nothing.
    """
    order, alone = np.argsort(rank, kind="stable"), doubled_of < 0
    asleep_s, awake_s = (
        np.where(alone, s, 0.0)[order] for s in (settings.asleep_s, settings.awake_s)
    )
    before_s = np.empty(len(order))
    before_s[order] = np.cumsum(asleep_s) + np.cumsum(awake_s) - awake_s
    return SummedSettings(before_s, settings.awake_s)


_FROM_IMAGE = frozenset({SleepKind.S4, SleepKind.FAST_STARTUP})
_KINDS = tuple(SleepKind)
_CODE = {kind: code for code, kind in enumerate(_KINDS)}
# From SLP_S3# rising to the OS where the record does not report it: from memory, from an image. All
# four pairs are assumed; they count for records without durations alone.
_USUAL_TO_OS_S = {False: 0.8, True: 8.0}
_USUAL_WAKE_S = {False: 1.0, True: 5.0}
# A correction that moves a record by more than this against the others may be wrong (assumed).
_DOUBTFUL_S = 0.3
# A record without a single duration is written in addition to the real one as often as in its place
# (assumed).
_UNMEASURED_WEIGHT = 0.05
_SAME_MOMENT_S = 2.0  # two readings of an RTC in whole seconds
_USUAL_TOOK_S = 1.5  # from SleepTime to SLP_S3# falling, where no record says (assumed)
_DOUBTFUL_MOST = 0.2  # of records of two kinds, or two firmwares, none is doubtful (assumed)


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """When every cycle slept and woke; NaN where not known.

    Attributes:
        base_ns: what the times count from.
        asleep_s, awake_s: SLP_S3# falling and rising, float64 [n].
        unlike: bit of each kind that the wires exclude, int64 [n].
        silent: how likely it is that no OS came back to write a record, float64 [n].
        to_sleep_s: from the trigger to SLP_S3# falling; NaN where not known, float64 [n].
    """

    base_ns: int
    asleep_s: Floats
    awake_s: Floats
    unlike: Indexes
    silent: Floats
    to_sleep_s: Floats


@dataclass(frozen=True, slots=True, eq=False)
class RecordTimes:
    """What every record reports, one value a record; NaN where it reports nothing.

    Attributes:
        base_ns: what the times count from.
        wake_s: WakeTime. sleep_s: SleepTime and the transition to sleep, next to SLP_S3# falling.
        wake_took_s, firmware_s, read_s: WakeDuration, BiosInit, reading of the image.
        began_s: SleepTime as it is.
        measured: whether it has a single duration, bool.
        kind: code of its kind. source: index of its source, int64.
        usable: whether it may belong to a cycle, bool.
        doubled_of: the record whose times it repeats, -1 for none, int64.
        rank: its place in the order in which records were written, int64.
        settings: settings of the clock that the log reports; None where it reports none.
    """

    base_ns: int
    wake_s: Floats
    sleep_s: Floats
    began_s: Floats
    wake_took_s: Floats
    firmware_s: Floats
    read_s: Floats
    measured: NDArray[np.bool_]
    kind: Indexes
    source: Indexes
    usable: NDArray[np.bool_]
    doubled_of: Indexes
    rank: Indexes
    settings: SummedSettings | None = None

    @property
    def from_image(self) -> NDArray[np.bool_]:
        """Whether the DUT came back from its disk."""
        return self.of_kinds(_FROM_IMAGE)

    def of_kinds(self, kinds: Collection[SleepKind]) -> NDArray[np.bool_]:
        """Return which records are of one of these kinds."""
        return np.isin(self.kind, codes_of(kinds))

    @property
    def is_doze(self) -> NDArray[np.bool_]:
        """Whether its wake time is no wake: nothing measured, and no time between the two."""
        same = np.abs(self.wake_s - self.began_s) < _SAME_MOMENT_S
        return np.asarray(~self.measured & same, dtype=np.bool_)


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
class CycleRows:
    """Cycles that woke, in order of their wakes.

    Attributes:
        base_ns: what the times count from.
        index: which cycle, int64 [n].
        wake_s, sleep_s: SLP_S3# rising and falling; the latter NaN where not known, float64 [n].
        follows: whether the cycle before is the row before, bool [n].
        unlike: bit of each kind that the wires exclude, int64 [n].
        silent: how likely it is that no OS came back to write a record, float64 [n].
        to_sleep_s: from the trigger to SLP_S3# falling; NaN where not known, float64 [n].
        reading: the first of the log since its end (`Arrivals`), int32 [n].
        readings: how many there were; 0 where the log was not read while the cycles ran.
        stated: a cycle and the record that is stated to be its own, by index; None without.
    """

    base_ns: int
    index: Indexes
    wake_s: Floats
    sleep_s: Floats
    follows: Mask
    unlike: Indexes
    silent: Floats
    to_sleep_s: Floats
    reading: Readings
    readings: int
    stated: tuple[int, int] | None

    def of_rows(self, rows: slice) -> "CycleRows":
        """Return some of them, in a row."""
        arrays = {each.name: getattr(self, each.name) for each in fields(self)}
        some: dict[str, Any] = {
            name: x[rows] for name, x in arrays.items() if isinstance(x, np.ndarray)
        }
        return replace(self, **some)


def cycle_rows(
    moments: Moments, arrivals: Arrivals, stated_pair: tuple[int, int] | None
) -> CycleRows:
    """Return the cycles that a record may be of."""
    index = np.flatnonzero(~np.isnan(moments.awake_s))
    index = index[np.argsort(moments.awake_s[index], kind="stable")]
    return CycleRows(
        moments.base_ns,
        index,
        moments.awake_s[index],
        moments.asleep_s[index],
        np.append(False, np.diff(index) == 1)[: len(index)],
        moments.unlike[index],
        moments.silent[index],
        moments.to_sleep_s[index],
        arrivals.of_cycle[index],
        arrivals.count,
        stated_pair,
    )


@dataclass(frozen=True, slots=True, eq=False)
class LogRows:
    """Records that may be a cycle's, in the order in which they were written.

    Attributes:
        base_ns: what the times count from.
        record: index of each, int64 [m].
        sleep_s, wake_s: SLP_S3# falling and rising as the record has them; NaN without, float64.
        asleep_s: between both; NaN where not measured, float64 [m].
        has_sleep, has_wake: whether it says when, int64 [m]; one of the two is always 1.
        took_s: how long the OS took to sleep; NaN where not known, float64 [m].
        wide: 0 where its times are measured, 1 and 2 where they are partly guessed, int64 [m].
        precise: whether its sleep and the wake before are by one run of the OS clock, bool [m].
        image: 1 where it came back from its disk, int64 [m].
        weight: how likely it is that a cycle's record looks so, float64 [m].
        kind: bit of its kind, int64 [m].
        reading: of the log that brought it (`Arrivals`), int32 [m].
        set_s: all settings of the clock that the log reports before its wake, float64 [m]; None
            where it reports none.
        set_own_s: that between its wake and its writing, likewise.
    """

    base_ns: int
    record: Indexes
    sleep_s: Floats
    wake_s: Floats
    asleep_s: Floats
    has_sleep: Indexes
    has_wake: Indexes
    took_s: Floats
    wide: Indexes
    precise: Mask
    image: Indexes
    weight: Floats
    kind: Indexes
    reading: Readings
    set_s: Floats | None
    set_own_s: Floats | None


def log_rows(times: RecordTimes, arrivals: Arrivals, sources: Collection[int]) -> LogRows:
    """Return the records of some sources that may be a cycle's.

    WakeTime is the reading of the RTC plus WakeDuration; before that reading the firmware ran, and
    an image was read. What a record does not report is taken from the others of its kind.
    """
    timed = ~(np.isnan(times.wake_s) & np.isnan(times.sleep_s)) & (times.doubled_of < 0)
    kept = np.flatnonzero(
        times.usable & timed & ~times.is_doze & np.isin(times.source, list(sources))
    )
    at = kept[np.argsort(times.rank[kept], kind="stable")]
    image = times.from_image[at]
    unmeasured = ~times.measured[at]
    any_image, mostly = (
        bool((image & ~unmeasured).any()),
        bool(2 * (image & ~unmeasured).sum() > (~unmeasured).sum()),
    )
    # What was not measured may have been from an image, whatever its kind says.
    image = np.where(unmeasured, mostly, image)
    wake_took_s, _ = _filled(times.wake_took_s[at], image, _USUAL_WAKE_S)
    before_s = times.firmware_s[at] + np.where(image, np.nan_to_num(times.read_s[at]), 0.0)
    to_os_s, guessed = _filled(before_s, image, _USUAL_TO_OS_S)
    doubtful = np.zeros(len(at), dtype=np.bool_)
    for same_kind in (image, ~image):
        usual_s = float(np.median(to_os_s[same_kind])) if same_kind.any() else 0.0
        other = same_kind & (np.abs(to_os_s - usual_s) > _DOUBTFUL_S)
        if other.sum() <= _DOUBTFUL_MOST * same_kind.sum():
            doubtful |= other
    guessed |= np.isnan(times.wake_took_s[at])
    wake_s = times.wake_s[at] - wake_took_s - to_os_s
    took_s = times.sleep_s[at] - times.began_s[at]
    took_s = np.where(took_s > 0, took_s, np.nan)
    known_took = ~np.isnan(took_s)
    usual_took_s = float(np.median(took_s[known_took])) if known_took.any() else _USUAL_TOOK_S
    sleep_s = times.began_s[at] + np.where(known_took, took_s, usual_took_s)
    # A sleep behind its wake is that of the next one.
    sleep_s = np.where(sleep_s < wake_s, sleep_s, np.where(np.isnan(wake_s), sleep_s, np.nan))
    has_sleep, has_wake = ~np.isnan(sleep_s), ~np.isnan(wake_s)
    wide = np.where((guessed & has_wake) | unmeasured | doubtful, 1, 0)
    wide = np.where((guessed | doubtful) & has_wake & image, 2, wide)
    wide = np.where(unmeasured & any_image, 2, wide)
    firm = has_wake & (wide == 0)
    precise = known_took & has_sleep & np.append(False, firm[:-1])[: len(at)]
    settings = times.settings
    return LogRows(
        times.base_ns,
        at,
        sleep_s,
        wake_s,
        wake_s - sleep_s,
        has_sleep.astype(np.int64),
        has_wake.astype(np.int64),
        took_s,
        wide,
        precise,
        image.astype(np.int64),
        np.where(unmeasured, _UNMEASURED_WEIGHT, 1.0),
        np.left_shift(np.int64(1), times.kind[at]),
        arrivals.of_record[at],
        None if settings is None else settings.before_s[at],
        None if settings is None else settings.own_s[at],
    )


def _filled(value_s: Floats, image: Mask, usual_s: dict[bool, float]) -> tuple[Floats, Mask]:
    """Return the values, the gaps filled with the median of their kind, and where the gaps were."""
    filled, gaps = value_s.copy(), np.isnan(value_s)
    for of_image in (False, True):
        same_kind = image == of_image
        measured = value_s[same_kind & ~gaps]
        filled[same_kind & gaps] = np.median(measured) if len(measured) else usual_s[of_image]
    return filled, gaps


def codes_of(kinds: Iterable[SleepKind]) -> list[int]:
    """Return the numbers of some kinds, as `RecordTimes.kind` has them."""
    return [_CODE[kind] for kind in kinds]


def bits_of(kinds: Iterable[SleepKind]) -> int:
    """Return the bits of some kinds together, as `Entries.kind` has them."""
    return sum(1 << code for code in codes_of(kinds))
