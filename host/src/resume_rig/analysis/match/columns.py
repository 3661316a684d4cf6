"""Cycles and OS records as columns of numbers: what the match is given.

`match` makes them of facts; who has columns already hands them to `match_arrays`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.match.times import (
    Floats,
    Indexes,
    Moments,
    RecordTimes,
    Told,
    all_settings,
    bits_of,
    codes_of,
    told_of,
)
from resume_rig.model.os_record import OsRecord, SleepKind

_NS = 1e-9
_MS = 1e-3
# No firmware of a PC takes a minute; more is a TSC that was not reset, or ticks.
_PLAUSIBLE_FIRMWARE_S = 60.0
_NOTHING = np.iinfo(np.int64).min
# Differences of such numbers stay below 64 bits.
_PLAIN_MAX = 1 << 62


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
    """What records say, one value a record; NaN where one says nothing.

    Attributes:
        base_ns: what the times count from.
        wake_s, began_s: WakeTime and SleepTime, float64 [m].
        took_s, wake_took_s: SleepDuration and WakeDuration, float64 [m].
        firmware_s, read_s: BiosInit and the reading of the image, float64 [m].
        kind: code of its kind (`codes_of`). source: index of its source; int64 [m].
        told: of settings of the clock; None without any.
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
    told: Told | None = None


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
    """Return what records say as arrays."""
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
        told_of(records),
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
        None if columns.told is None else all_settings(columns.told, rank, doubled_of),
    )


def _ranks(source: Indexes, wake_s: Floats, began_s: Floats) -> Indexes:
    """Return the order in which records were written: their own in a source, else by time.

    The clock may go back within a source; across sources nothing but the time tells.
    """
    rank = np.arange(len(source), dtype=np.int64)
    if len(source) == 0 or np.all(source == source[0]):
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
    if np.all(wake_s[timed[1:]] > wake_s[timed[:-1]]):
        return of
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
    """Return a value of each fact counted from `base`, exactly, then scaled; NaN for None."""
    count, get = len(facts), attrgetter(name)
    values = map(get, facts)
    try:
        plain = np.fromiter(
            (_NOTHING if value is None else value for value in values), dtype=np.int64, count=count
        )
    except OverflowError:
        return _large_seconds([get(fact) for fact in facts], scale, base)
    gaps = plain == _NOTHING
    plain[gaps] = base if abs(base) < _PLAIN_MAX else 0
    if abs(base) >= _PLAIN_MAX or bool(np.any(np.abs(plain) >= _PLAIN_MAX)):
        return _large_seconds([get(fact) for fact in facts], scale, base)
    seconds = (plain - base).astype(np.float64) * scale
    seconds[gaps] = np.nan
    return np.asarray(seconds, dtype=np.float64)


def _large_seconds(values: list[int | None], scale: float, base: int) -> Floats:
    """Return the same with Python's integers: no text of a log makes them too large."""
    whole = [np.nan if value is None else float(value - base) * scale for value in values]
    return np.array(whole, dtype=np.float64)
