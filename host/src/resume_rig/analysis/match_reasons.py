"""Why a cycle has no record, and a record no cycle: the likely reason, from what stands around."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.match_live import UNKNOWN, Seen
from resume_rig.analysis.match_pairs import Pairs
from resume_rig.analysis.match_times import Indexes, Moments, RecordTimes
from resume_rig.model.match import CycleReason, RecordReason
from resume_rig.model.os_record import SleepKind

Mask = NDArray[np.bool_]
R = TypeVar("R", CycleReason, RecordReason)


def cycle_reasons(
    moments: Moments,
    times: RecordTimes,
    pairs: Pairs,
    ambiguous: Indexes,
    seen: Seen,
) -> dict[int, CycleReason]:
    """Return a reason for every cycle without a record.

    Args:
        moments: of all cycles.
        times: of the records.
        pairs: what is matched.
        ambiguous: cycles that likely had a record, though not likely enough.
        seen: which readings of the log brought the records.
    """
    slept, woke = ~np.isnan(moments.asleep_s), ~np.isnan(moments.awake_s)
    free, unsure = np.ones(len(slept), dtype=np.bool_), np.zeros(len(slept), dtype=np.bool_)
    free[pairs.cycle] = False
    unsure[ambiguous] = True
    unsure[_told_of(times, pairs, seen)] = True
    index, around = np.arange(len(slept)), _Around(times, pairs)
    return _told(
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
    times: RecordTimes, pairs: Pairs, ambiguous: Indexes, seen: Seen
) -> dict[int, RecordReason]:
    """Return a reason for every record without a cycle; the arguments as of `cycle_reasons`."""
    free, unsure = _free(times, pairs), np.zeros(len(times.kind), dtype=np.bool_)
    unsure[ambiguous] = True
    around, live = _Around(times, pairs), seen.of_record != UNKNOWN
    before, after = times.rank < around.low, times.rank > around.high
    return _told(
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


def _told(free: Mask, reasons: Sequence[tuple[Mask, R]], otherwise: R) -> dict[int, R]:
    """Return the first reason that holds of each that is free, by index."""
    codes = np.select([holds[free] for holds, _ in reasons], range(len(reasons)), len(reasons))
    names = [*(reason for _, reason in reasons), otherwise]
    told = (names[code] for code in codes.tolist())
    return dict(zip(np.flatnonzero(free).tolist(), told, strict=True))


def _free(times: RecordTimes, pairs: Pairs) -> Mask:
    """Return which records are no cycle's."""
    free = np.ones(len(times.kind), dtype=np.bool_)
    free[pairs.record] = False
    return free


def _told_of(times: RecordTimes, pairs: Pairs, seen: Seen) -> Indexes:
    """Return the cycles whose own reading brought a record that is no other cycle's."""
    free = _free(times, pairs)
    free &= times.usable & (times.doubled_of < 0) & (seen.of_record != UNKNOWN)
    return np.flatnonzero(np.isin(seen.of_cycle, seen.of_record[free]))


class _Around:
    """The span of what is matched, in cycles and in the order of the records.

    Attributes:
        any: whether there is anything.
        first, last: cycles. low, high: ranks of the records; nothing is beyond where none is.
        begins, ends: whether no usable record is before, and after, those that are matched.
    """

    def __init__(self, times: RecordTimes, pairs: Pairs) -> None:
        self.any = len(pairs.cycle) > 0
        self.first, self.last, self.low, self.high = 0, len(times.rank), 0, len(times.rank)
        self.begins = self.ends = False
        if not self.any:
            return
        ranks = times.rank[pairs.record]
        self.low, self.high = int(ranks.min()), int(ranks.max())
        self.first, self.last = int(pairs.cycle[0]), int(pairs.cycle[-1])
        known: Indexes = times.rank[times.usable & ~np.isnan(times.wake_s)]
        self.begins = len(known) > 0 and self.low <= int(known.min())
        self.ends = len(known) > 0 and self.high >= int(known.max())
