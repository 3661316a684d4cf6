"""Why a cycle has no record, and a record no cycle: the likely reason, from what stands around."""

from collections.abc import Collection
from typing import Final

import numpy as np

from resume_rig.analysis.match_live import UNKNOWN, Seen
from resume_rig.analysis.match_pairs import Pairs
from resume_rig.analysis.match_times import Indexes, Moments, RecordTimes
from resume_rig.model.match import CycleReason, RecordReason
from resume_rig.model.os_record import SleepKind

_NOT_OF_THE_CAMPAIGN: Final = (RecordReason.BEFORE_CAMPAIGN, RecordReason.AFTER_CAMPAIGN)


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
    asleep, awake = ~np.isnan(moments.asleep_s), ~np.isnan(moments.awake_s)
    free = np.ones(len(asleep), dtype=np.bool_)
    free[pairs.cycle] = False
    around, unsure = _Around(times, pairs), set(ambiguous.tolist())
    unsure.update(_told_of(times, pairs, seen).tolist())
    return {
        index: _of_cycle(index, bool(asleep[index]), bool(awake[index]), around, unsure)
        for index in np.flatnonzero(free).tolist()
    }


def record_reasons(
    times: RecordTimes, pairs: Pairs, ambiguous: Indexes, seen: Seen
) -> dict[int, RecordReason]:
    """Return a reason for every record without a cycle; the arguments as of `cycle_reasons`."""
    free = np.ones(len(times.kind), dtype=np.bool_)
    free[pairs.record] = False
    unsure = set(ambiguous[free[ambiguous]].tolist())
    around = _Around(times, pairs)
    doze, died = times.is_doze, times.of_kinds({SleepKind.DIED})
    found: dict[int, RecordReason] = {}
    for index in np.flatnonzero(free).tolist():
        if died[index]:
            found[index] = RecordReason.NOT_SURVIVED
        elif not times.usable[index]:
            found[index] = RecordReason.NO_SLEEP
        elif np.isnan(times.wake_s[index]) and np.isnan(times.began_s[index]):
            found[index] = RecordReason.NO_TIME
        elif times.doubled_of[index] >= 0:
            found[index] = RecordReason.DOUBLED
        elif index in unsure:
            found[index] = RecordReason.AMBIGUOUS
        elif doze[index]:
            found[index] = RecordReason.DOZE
        else:
            reason = around.of_record(index)
            live = seen.of_record[index] != UNKNOWN and reason in _NOT_OF_THE_CAMPAIGN
            # A reading of the campaign brought it, so it was written while the campaign ran.
            found[index] = RecordReason.AMBIGUOUS if live else reason
    return found


def _told_of(times: RecordTimes, pairs: Pairs, seen: Seen) -> Indexes:
    """Return the cycles whose own reading brought a record that is no other cycle's."""
    free = np.ones(len(times.kind), dtype=np.bool_)
    free[pairs.record] = False
    free &= times.usable & (times.doubled_of < 0) & (seen.of_record != UNKNOWN)
    return np.flatnonzero(np.isin(seen.of_cycle, seen.of_record[free]))


class _Around:
    """The span of what is matched, in cycles and in the order of the records."""

    def __init__(self, times: RecordTimes, pairs: Pairs) -> None:
        self._rank = times.rank
        self.any = len(pairs.cycle) > 0
        if not self.any:
            return
        ranks = self._rank[pairs.record]
        self._low, self._high = int(ranks.min()), int(ranks.max())
        self.first, self.last = int(pairs.cycle[0]), int(pairs.cycle[-1])
        known: Indexes = self._rank[times.usable & ~np.isnan(times.wake_s)]
        self.begins = len(known) > 0 and self._low <= int(known.min())
        self.ends = len(known) > 0 and self._high >= int(known.max())

    def of_record(self, index: int) -> RecordReason:
        """Return the reason that follows from where a record stands."""
        if not self.any:
            return RecordReason.UNRELATED
        if self._rank[index] < self._low:
            return RecordReason.BEFORE_CAMPAIGN
        if self._rank[index] > self._high:
            return RecordReason.AFTER_CAMPAIGN
        return RecordReason.BETWEEN_CYCLES


def _of_cycle(
    index: int, slept: bool, woke: bool, around: _Around, ambiguous: Collection[int]
) -> CycleReason:
    reason = CycleReason.LOST
    if not woke:
        reason = CycleReason.NOT_SURVIVED if slept else CycleReason.NO_TIME
    elif index in ambiguous:
        reason = CycleReason.AMBIGUOUS
    elif not around.any:
        reason = CycleReason.UNRELATED
    elif index < around.first and around.begins:
        reason = CycleReason.BEFORE_LOG
    elif index > around.last and around.ends:
        reason = CycleReason.AFTER_LOG
    return reason
