"""Cycles and OS records as arrays: their times, settings of the OS clock, readings of the log.

Seconds in float64, counted from the first cycle and the first record: good to below 1 us over a
hundred years of offset.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.os_record import OsRecord, SleepKind

Floats = NDArray[np.float64]
Indexes = NDArray[np.int64]
Readings = NDArray[np.int32]
Kept = NDArray[np.bool_] | Indexes | slice


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A class of arrays, one row each; what is no array is of all rows."""

    def where(self, kept: Kept) -> Self:
        """Return some of the rows."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        arrays = {name: each for name, each in values.items() if isinstance(each, np.ndarray)}
        return replace(self, **{name: each[kept] for name, each in arrays.items()})


Columns = TypeVar("Columns", bound=Rows)


def joined(parts: Sequence[Columns]) -> Columns:
    """Return the rows of several of a class of nothing but arrays, one after the other."""
    names = [each.name for each in fields(parts[0])]
    columns = {name: np.concatenate([getattr(each, name) for each in parts]) for name in names}
    return replace(parts[0], **columns)


UNKNOWN = -1
"""The reading of a record of which it is not known when it was there first."""

USUAL_LAGS = (0, 1, 2, 3)
"""By how many readings a log may be late each time: a trait of the campaign. Assumed."""

# A runner waits for the record of its cycle; a log that lags all the time is a rare set-up
# (assumed).
_LAG_LIKELY = (0.9944, 0.005, 0.0005, 0.0001)
# Each reading more, or less, than usual is so much less likely than the one before (assumed).
_FARTHER = 0.5
LOG_LAG_LIKELY: NDArray[np.float64] = np.log(_LAG_LIKELY)
"""How likely each usual lag is before anything was compared."""


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


def lag_gain(lag: Readings, usual: int, late: float) -> NDArray[np.float64]:
    """Return how likely it is that records came so many readings late, log.

    Args:
        lag: readings since the cycle's own; not negative.
        usual: of this campaign, in readings.
        late: share of the records that come otherwise.
    """
    difference = np.abs(lag - usual)
    scale = np.log(late * (1.0 - _FARTHER))
    otherwise = scale + (difference - 1.0) * np.log(_FARTHER)
    return np.asarray(np.where(difference == 0, np.log1p(-late), otherwise), dtype=np.float64)


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
            awake_s[at] = _seconds(figures.get(_AFTER, 0))
            asleep_s[at] = _seconds(figures[_WHOLE]) - awake_s[at]
    asleep_s, awake_s = _lasting(asleep_s), _lasting(awake_s)
    return ClockSettings(asleep_s, awake_s) if asleep_s.any() or awake_s.any() else None


def _seconds(value_us: float) -> float:
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
FROM_IMAGE_BITS = sum(1 << _CODE[kind] for kind in _FROM_IMAGE)
"""Of `Entries.kind`."""

# From SLP_S3# rising to the OS where the record does not report it: from memory, from an image. All
# four pairs are assumed; they count for records without durations alone.
_USUAL_TO_OS_S = {False: 0.8, True: 8.0}
_USUAL_WAKE_S = {False: 1.0, True: 5.0}
# How far such a guess, and one of the length of the wake, may be wrong.
_GUESSED_HALF_S = {False: 1.8, True: 8.0}
_OF_OTHERS_HALF_S = {False: 1.0, True: 4.0}
_OTHERS_OF_AT_LEAST = 3  # a median of fewer may be one that errs
# A correction that moves a record by more than this against the others may be wrong (assumed).
_DOUBTFUL_S = 0.3
_BELIEVED, _NOT_BELIEVED = 0.85, 0.15  # assumed
# A record without a single duration is written in addition to the real one as often as in its place
# (assumed).
_UNMEASURED_WEIGHT = 0.05
_SAME_MOMENT_S = 2.0  # two readings of an RTC in whole seconds
# Whether WakeTime holds a setting of the clock that came after the wake: it is written soon
# (assumed).
_HELD, _NOT_HELD = 0.15, 0.85


@dataclass(frozen=True, slots=True, eq=False)
class CycleTimes(Rows):
    """Cycles that have a time, in order.

    Attributes:
        base_ns: what `at_s` counts from.
        at_s: the wake (or the sleep, where the log reports sleeps only), float64 [n].
        index: which cycle, int64 [n].
        asleep_s: how long it slept; NaN where not known, float64 [n].
        unlike: bit of each kind that the wires exclude, int64 [n].
        reading: the first of the log since its end (`Arrivals`), int32 [n].
        readings: how many there were; 0 where the log was not read while the cycles ran.
        information: how much a record's time adds to that of the one before, 0..1, float64 [n].
        stated_pair: a cycle and the record that is stated to be its own, by index; None without.
        silent: how likely it is that no OS came back to write a record, float64 [n].
        awake_s: from the wake of the cycle before to its sleep; NaN where not known, float64 [n].
        to_sleep_s: from the trigger to SLP_S3# falling; NaN where not known, float64 [n].
    """

    base_ns: int
    at_s: Floats
    index: Indexes
    asleep_s: Floats
    unlike: Indexes
    reading: Readings
    readings: int
    information: Floats
    stated_pair: tuple[int, int] | None
    silent: Floats
    awake_s: Floats
    to_sleep_s: Floats


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


def cycle_times(
    moments: Moments, arrivals: Arrivals, stated_pair: tuple[int, int] | None, *, by_wake: bool
) -> CycleTimes:
    """Return the cycles that have the time asked for, ascending."""
    at_s = moments.awake_s if by_wake else moments.asleep_s
    index = np.flatnonzero(~np.isnan(at_s))
    index = index[np.argsort(at_s[index], kind="stable")]
    asleep_s = (moments.awake_s - moments.asleep_s)[index]
    awake_s = np.full(len(index), np.nan)
    if by_wake:
        follows = np.flatnonzero(np.diff(index) == 1) + 1
        awake_s[follows] = np.diff(at_s[index])[follows - 1] - asleep_s[follows]
    return CycleTimes(
        moments.base_ns,
        at_s[index],
        index,
        asleep_s,
        moments.unlike[index],
        arrivals.of_cycle[index],
        arrivals.count,
        np.ones(len(index)),
        stated_pair,
        moments.silent[index],
        awake_s,
        moments.to_sleep_s[index],
    )


@dataclass(frozen=True, slots=True, eq=False)
class Entries(Rows):
    """Moments at which records say that the DUT woke, ascending; a record may have two of them.

    Attributes:
        base_ns: what `at_s` counts from.
        at_s: float64 [e]. record: index of the record, int64 [e].
        rank: place of the record in the order in which records were written, int64 [e].
        log_weight: logarithm of how likely it is that a cycle's record looks so, float64 [e].
        half_s: least half-width of its error, 0 where only the common noise counts, float64 [e].
        widest_s: no half-width is more.
        asleep_s: how long the OS slept by its own account, NaN where not known, float64 [e].
        kind: bit of its kind, int64 [e].
        reading: of the log that brought it (`Arrivals`), int32 [e].
        settings_s: what was taken off its time for settings of the clock, float64 [e].
        source: index of the source of its record, int64 [e].
        before: record of the same source that was written before it, -1 for none, int64 [e].
        awake_s: from the wake of that one to this one's sleep, by one run of the OS clock; NaN
            where not known, float64 [e].
        took_s, resume_s: how long the OS took to sleep, and to wake (WakeDuration), NaN where not
            known, float64 [e].
    """

    base_ns: int
    at_s: Floats
    record: Indexes
    rank: Indexes
    log_weight: Floats
    half_s: Floats
    widest_s: float
    asleep_s: Floats
    kind: Indexes
    reading: Readings
    settings_s: Floats
    source: Indexes
    before: Indexes
    awake_s: Floats
    took_s: Floats
    resume_s: Floats


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
        unset: whether those were taken off the times.
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
    unset: bool = False

    def without_settings(self, about_s: float) -> "RecordTimes | None":
        """Return the times as if the clock had run on; None where the log reports no setting.

        Args:
            about_s: when the times stay as they are, by the clock of the records.
        """
        if self.settings is None or np.all(np.isnan(self.wake_s)):
            return None
        anchor = int(np.nanargmin(np.abs(self.wake_s - about_s)))
        settings = self.settings.counted_from(anchor)
        return replace(
            self,
            wake_s=self.wake_s - settings.before_s,
            sleep_s=self.sleep_s - settings.before_s,
            began_s=self.began_s - settings.before_s,
            settings=settings,
            unset=True,
        )

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


def wake_entries(times: RecordTimes, arrivals: Arrivals) -> Entries:
    """Return the moments of the wires' wakes as the records have them.

    WakeTime is the reading of the RTC plus WakeDuration; before that reading the firmware ran, and
    an image was read. What a record does not report is taken from the others of its kind.
    """
    chosen = np.flatnonzero(
        times.usable & ~np.isnan(times.wake_s) & (times.doubled_of < 0) & ~times.is_doze
    )
    image = times.from_image[chosen]
    took_s, _ = _filled(times.wake_took_s[chosen], image, _USUAL_WAKE_S)
    before_s = times.firmware_s[chosen] + np.where(image, np.nan_to_num(times.read_s[chosen]), 0.0)
    to_os_s, guessed = _filled(before_s, image, _USUAL_TO_OS_S)
    guessed |= np.isnan(times.wake_took_s[chosen])
    usual_s = float(np.median(to_os_s)) if len(chosen) else 0.0
    doubtful = ~guessed & (np.abs(to_os_s - usual_s) > _DOUBTFUL_S)
    came_back_s = times.wake_s[chosen] - took_s
    asleep_s = np.where(guessed, np.nan, came_back_s - to_os_s - times.sleep_s[chosen])
    weight = np.where(times.measured[chosen], 0.0, np.log(_UNMEASURED_WEIGHT))
    half_s = _half_s(times, chosen, guessed, image)
    twice = np.flatnonzero(doubtful)
    at = np.concatenate([np.arange(len(chosen)), twice])
    at_s = np.concatenate([came_back_s - to_os_s, came_back_s[twice] - usual_s])
    believed = np.where(doubtful, np.log(_BELIEVED), 0.0)
    log_weight = np.concatenate([weight + believed, weight[twice] + np.log(_NOT_BELIEVED)])
    order = np.lexsort([times.rank[chosen], times.source[chosen]])
    same = times.source[chosen[order[1:]]] == times.source[chosen[order[:-1]]]
    follows, leads = order[1:][same], order[:-1][same]
    before, awake_s = np.full(len(chosen), -1), np.full(len(chosen), np.nan)
    before[follows] = chosen[leads]
    awake_s[follows] = times.sleep_s[chosen[follows]] - (came_back_s - to_os_s)[leads]
    took_s = (times.sleep_s - times.began_s)[chosen]
    plain = _entries(
        times,
        arrivals,
        record=chosen[at],
        at_s=at_s,
        log_weight=log_weight,
        half_s=half_s[at],
        asleep_s=asleep_s[at],
        before=before[at],
        awake_s=awake_s[at],
        took_s=np.where(took_s > 0, took_s, np.nan)[at],
        resume_s=times.wake_took_s[chosen][at],
    )
    return plain if times.settings is None or not times.unset else _held(plain, times.settings)


def _held(plain: Entries, settings: SummedSettings) -> Entries:
    """Return the entries, those set after their wake also as if WakeTime had that setting in it."""
    own_s = settings.own_s[plain.record]
    held = np.flatnonzero(own_s)
    log_weight = plain.log_weight.copy()
    log_weight[held] += np.log(_NOT_HELD)
    both = replace(plain, log_weight=log_weight).where(np.append(np.arange(len(own_s)), held))
    shift_s = np.append(np.zeros(len(own_s)), own_s[held])
    log_weight = both.log_weight + np.where(shift_s != 0, np.log(_HELD) - np.log(_NOT_HELD), 0.0)
    shifted = replace(
        both,
        at_s=both.at_s - shift_s,
        asleep_s=both.asleep_s - shift_s,
        settings_s=both.settings_s + shift_s,
        log_weight=log_weight,
    )
    return shifted.where(np.argsort(shifted.at_s, kind="stable"))


def _half_s(
    times: RecordTimes,
    chosen: Indexes,
    guessed: NDArray[np.bool_],
    image: NDArray[np.bool_],
) -> Floats:
    """Return how far the moments may be off beyond the noise that all share."""
    half_s = np.zeros(len(chosen))
    for of_image in (False, True):
        same_kind = guessed & (image == of_image)
        others = int((~guessed & (image == of_image)).sum())
        sure = others >= _OTHERS_OF_AT_LEAST
        half_s[same_kind] = (_OF_OTHERS_HALF_S if sure else _GUESSED_HALF_S)[of_image]
    # Without any duration the length of the wake is a guess, too.
    return np.where(times.measured[chosen], half_s, np.maximum(half_s, _GUESSED_HALF_S[False]))


def sleep_entries(times: RecordTimes, arrivals: Arrivals) -> Entries:
    """Return the moments of the wires' sleeps, of records that report no wake."""
    chosen = np.flatnonzero(times.usable & np.isnan(times.wake_s) & ~np.isnan(times.sleep_s))
    wide = np.where(times.from_image[chosen], _GUESSED_HALF_S[True], _GUESSED_HALF_S[False])
    nothing = np.zeros(len(chosen))
    unknown_s = np.full(len(chosen), np.nan)
    return _entries(
        times,
        arrivals,
        record=chosen,
        at_s=times.sleep_s[chosen],
        log_weight=nothing,
        half_s=wide,
        asleep_s=unknown_s,
        before=np.full(len(chosen), -1),
        awake_s=unknown_s,
        took_s=unknown_s,
        resume_s=unknown_s,
    )


def _entries(
    times: RecordTimes,
    arrivals: Arrivals,
    *,
    record: Indexes,
    at_s: Floats,
    log_weight: Floats,
    half_s: Floats,
    asleep_s: Floats,
    before: Indexes,
    awake_s: Floats,
    took_s: Floats,
    resume_s: Floats,
) -> Entries:
    order = np.argsort(at_s, kind="stable")
    record = record[order]
    settings_s = np.zeros(len(record))
    if times.settings is not None and times.unset:
        settings_s = times.settings.before_s[record]
    return Entries(
        times.base_ns,
        at_s[order],
        record,
        times.rank[record],
        log_weight[order],
        half_s[order],
        float(half_s.max(initial=0.0)),
        asleep_s[order],
        np.left_shift(np.int64(1), times.kind[record]),
        arrivals.of_record[record],
        settings_s,
        times.source[record],
        before[order],
        awake_s[order],
        took_s[order],
        resume_s[order],
    )


def _filled(
    value_s: Floats, image: NDArray[np.bool_], usual_s: dict[bool, float]
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the values, the gaps filled with the median of their kind, and where the gaps were."""
    filled, gaps = value_s.copy(), np.isnan(value_s)
    for of_image in (False, True):
        same_kind = image == of_image
        measured = value_s[same_kind & ~gaps]
        filled[same_kind & gaps] = np.median(measured) if len(measured) else usual_s[of_image]
    return filled, gaps


def from_nearest(at_s: Floats, predicted_s: Floats) -> Floats:
    """Return how far the nearest time, of ascending ones, is from each prediction."""
    after = np.minimum(np.searchsorted(at_s, predicted_s), len(at_s) - 1)
    up, down = (at_s[place] - predicted_s for place in (after, np.maximum(after - 1, 0)))
    return np.where(np.abs(up) < np.abs(down), up, down)


def codes_of(kinds: Iterable[SleepKind]) -> list[int]:
    """Return the numbers of some kinds, as `RecordTimes.kind` has them."""
    return [_CODE[kind] for kind in kinds]


def bits_of(kinds: Iterable[SleepKind]) -> int:
    """Return the bits of some kinds together, as `Entries.kind` has them."""
    return sum(1 << code for code in codes_of(kinds))
