"""Matches cycles with OS records, given only two sequences of times on unrelated clocks.

docs/explanation/matching.md explains how. In the order of the data: times.py (arrays), legs.py (how
likely lengths are), hmm.py (the sum over all ways), origin.py (learns, and says whose log it is),
reasons.py (why something has no partner).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from resume_rig.analysis.match.origin import Found, found_in
from resume_rig.analysis.match.reasons import Pairs, cycle_reasons, record_reasons
from resume_rig.analysis.match.times import (
    UNKNOWN,
    Arrivals,
    CycleRows,
    Floats,
    Mask,
    Moments,
    OutsideMoments,
    RecordTimes,
    arrivals_of,
    columns_of,
    cycle_rows,
    log_rows,
    moments_of,
    record_times,
)
from resume_rig.model.os_record import NO_SLEEPS, OsRecord, SleepKind
from resume_rig.model.result.match import (
    HIGH_CONFIDENCE,
    LOWEST_CONFIDENCE,
    CycleReason,
    RecordReason,
)

__all__ = ["Match", "OutsideMoments", "match", "match_arrays"]

# Assumed: what is less likely is not reported as a second possibility.
_LEAST_REPORTED = 0.05
_LIKELY = 0.5
# Two readings of an RTC in whole seconds, with what varies, differ by less.
_STEP_S = 1.5
# A pair between two settings that nothing shows: a sleep of somebody explains it as well (assumed).
_ALONE = 0.9
_NO_STEPS: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """Which record is of which cycle.

    Attributes:
        matched: the pairs in order of the cycles; no probability is below LOWEST_CONFIDENCE.
        steps: (cycle before, cycle after, step in ns) wherever the OS clock was set.
        equal_offsets: how many offsets explain the cycles as well as each other, or more; 1 with
            pairs.
        cycle_reasons: of every cycle without a record, by index.
        record_reasons: of every record without a cycle, by index.
        fit, covered: how many cycles have a likely record, chance or not, and of how many the log
            should have one; 0 where nothing is likely.
        one_script: whether the log may be of another unit that one script sent to sleep.
    """

    matched: Pairs
    steps: tuple[tuple[int, int, int], ...]
    equal_offsets: int
    cycle_reasons: dict[int, CycleReason]
    record_reasons: dict[int, RecordReason]
    fit: int
    covered: int
    one_script: bool

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """(index of the cycle, index of the record), in order of the cycles."""
        return tuple(zip(self.matched.cycle.tolist(), self.matched.record.tolist(), strict=True))

    @property
    def probability(self) -> tuple[float, ...]:
        """Of each pair, 0..1."""
        return tuple(self.matched.probability.tolist())


def match(
    cycles: Sequence[OutsideMoments],
    records: Sequence[OsRecord],
    *,
    both_utc: bool = True,
    arrived_at: Sequence[int | None] = (),
    left_out: Collection[SleepKind] = NO_SLEEPS,
    stated_pair: tuple[int, int] | None = None,
) -> Match:
    """Return the one-to-one, order-preserving match that explains most.

    Args:
        cycles: in the order in which they were made.
        records: of each source in the order in which they were written.
        both_utc: both clocks are meant to show UTC; otherwise nothing speaks for small offsets.
        arrived_at: for each record the index of the cycle at whose end it was there for the first
            time, None where that is not known; may be empty.
        left_out: kinds whose records belong to none of these cycles.
        stated_pair: a cycle and its own record, by index, where somebody knows one.
    """
    arrivals = arrivals_of(arrived_at, len(records), len(cycles))
    times = record_times(columns_of(records), left_out)
    return match_arrays(moments_of(cycles), times, both_utc, arrivals, stated_pair)


def match_arrays(
    moments: Moments,
    times: RecordTimes,
    both_utc: bool,
    arrivals: Arrivals,
    stated_pair: tuple[int, int] | None = None,
) -> Match:
    """Return the match of cycles and records that are columns of numbers; see `match`."""
    cycles = cycle_rows(moments, arrivals, stated_pair)
    found = _of_sources(cycles, times, arrivals, both_utc=both_utc)
    if found is None:
        pairs, unsure, steps = Pairs.none(), Pairs.none(), _NO_STEPS
    else:
        pairs, unsure, steps = _pairs(found)
        if found.own <= 1.0 - HIGH_CONFIDENCE:
            # When a reading brought a record of another unit is no evidence.
            arrivals = arrivals_of((), len(times.kind), len(moments.awake_s))
    return Match(
        matched=pairs,
        steps=steps,
        equal_offsets=1 if found is None or len(pairs.cycle) else found.alike(),
        cycle_reasons=cycle_reasons(moments, times, pairs, unsure.cycle, arrivals),
        record_reasons=record_reasons(times, pairs, unsure.record, arrivals),
        fit=0 if found is None else found.fit,
        covered=0 if found is None else found.covered,
        one_script=found is not None and found.may_be_of_one_script,
    )


def _of_sources(
    cycles: CycleRows, times: RecordTimes, arrivals: Arrivals, *, both_utc: bool
) -> Found | None:
    """Return what the logs say that are likely of this unit, together; of none, the best of them.

    Logs of several units may be given together, and what ties one says nothing of another.
    """
    sources = np.unique(times.source).tolist()
    found = {
        source: one
        for source in sources
        if (one := found_in(cycles, log_rows(times, arrivals, [source]), both_utc=both_utc))
    }
    own = [source for source, one in found.items() if one.own > _LIKELY]
    if len(own) > 1:
        return found_in(cycles, log_rows(times, arrivals, own), both_utc=both_utc)
    return max(found.values(), key=lambda one: one.own, default=None)


def _alone(offset_s: Floats, likely: Floats) -> Mask:
    """Return which likely pairs have no other by the same clock beside them, while others have."""
    runs = np.flatnonzero(likely > _LIKELY)
    is_set = np.abs(np.diff(offset_s[runs])) > 2 * _STEP_S
    alone = np.zeros(len(likely), dtype=np.bool_)
    alone[runs] = np.append(True, is_set) & np.append(is_set, True)
    return alone if len(runs) > 1 else np.zeros_like(alone)


def _pairs(found: Found) -> tuple[Pairs, Pairs, tuple[tuple[int, int, int], ...]]:
    """Return pairs that are likely enough, those that are less so, and steps of the clock."""
    cycles, log = found.cycles, found.log
    row, record, likely = found.best()
    probability = likely * found.own
    alone = _alone(found.offset_s(row, record), likely)
    alone &= log.reading[record] == UNKNOWN
    probability[alone] = np.minimum(probability[alone], _ALONE)
    sure = probability >= LOWEST_CONFIDENCE
    unsure = ~sure & (likely > _LEAST_REPORTED) & (found.own > 1.0 - HIGH_CONFIDENCE)
    every = Pairs(cycles.index[row], log.record[record], probability)
    moved_s = np.diff(found.offset_s(row[sure], record[sure]))
    pairs = every.where(sure)
    steps = tuple(
        (int(pairs.cycle[at]), int(pairs.cycle[at + 1]), round(float(moved_s[at]) * 1e9))
        for at in np.flatnonzero(np.abs(moved_s) > _STEP_S)
    )
    return pairs.in_order(), every.where(unsure), steps
