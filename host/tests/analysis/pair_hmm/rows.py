"""Cycles and records as the pair hidden Markov model reads them: in order, one row each."""

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.match.times import (
    Arrivals,
    Floats,
    Indexes,
    Moments,
    Readings,
    RecordTimes,
)

Mask = NDArray[np.bool_]

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
