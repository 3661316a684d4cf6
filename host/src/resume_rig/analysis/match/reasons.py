"""Why a cycle, or an OS record, has no partner."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from resume_rig.analysis.match.times import (
    UNKNOWN,
    Arrivals,
    Floats,
    Indexes,
    Mask,
    Moments,
    RecordTimes,
)
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.match import CycleReason, RecordReason


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Which record is of which cycle, in order of the cycles; each stands once.

    Attributes:
        cycle, record: indexes, int64 [p].
        probability: that they belong together, float64 [p].
    """

    cycle: Indexes
    record: Indexes
    probability: Floats

    @classmethod
    def none(cls) -> "Pairs":
        """Return no pairs."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))

    def in_order(self) -> "Pairs":
        """Return them in order of the cycles."""
        return self.where(np.argsort(self.cycle, kind="stable"))

    def where(self, kept: Mask | Indexes) -> "Pairs":
        """Return some of them."""
        return Pairs(self.cycle[kept], self.record[kept], self.probability[kept])


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
