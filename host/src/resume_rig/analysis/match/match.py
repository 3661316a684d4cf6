"""Matches cycles with OS records, given only two sequences of times on unrelated clocks.

docs/explanation/matching.md explains how. In the order of the data: times.py, offset_vote.py and
offsets.py (candidates), likelihood.py, chain.py (weighs them), views.py (the likeliest records),
rivals.py and foreign.py (doubts). O(n log n), but for votes of a fixed number of cycles.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from resume_rig.analysis.match.order import Choice
from resume_rig.analysis.match.pairs import (
    OutsideMoments,
    Pairs,
    by_late_wakes,
    by_sleep_times,
    columns_of,
    cycle_reasons,
    moments_of,
    record_reasons,
    record_times,
)
from resume_rig.analysis.match.rivals import MANY, STEP_S
from resume_rig.analysis.match.times import (
    Arrivals,
    Moments,
    RecordTimes,
    arrivals_of,
)
from resume_rig.analysis.match.views import LIKELY, Found, View, likeliest
from resume_rig.model.os_record import NO_SLEEPS, OsRecord, SleepKind
from resume_rig.model.result.match import LOWEST_CONFIDENCE, CycleReason, RecordReason

__all__ = ["Match", "OutsideMoments", "match", "match_arrays"]

# Assumed: what is less likely is not reported as a second possibility.
_LEAST_REPORTED = 0.05


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

    Wakes are matched with wakes. Records without a wake time are matched by their sleep times.

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
    found = likeliest(moments, times, arrivals, stated_pair, both_utc=both_utc)
    view, chosen, possible = found.view, found.chosen, found.possible
    index = view.cycles.index
    sure = chosen.where(chosen.probability >= LOWEST_CONFIDENCE)
    unsure = possible.where(possible.probability > _LEAST_REPORTED)
    if found.origin.is_foreign:
        # When a reading brought a record of another unit is no evidence.
        arrivals = arrivals_of((), len(times.kind), len(moments.awake_s))
    equal_offsets = _equal_offsets(found) if found.related > LIKELY else 1
    if equal_offsets > 1:
        # So many that none of them is worth reporting by itself.
        unsure = possible
    pairs = Pairs(index[sure.rows], sure.record, sure.probability).in_order()
    if view.by_wake:
        late = by_late_wakes(sure, view.cycles, view.entries, found.noise, STEP_S)
        late = late.where(late.probability >= LOWEST_CONFIDENCE)
        pairs = pairs.with_more(late)
        more = by_sleep_times(sure, view.cycles, view.entries, view.sleeps, found.noise)
        more = more.where(~np.isin(more.cycle, late.cycle))
        pairs = pairs.with_more(more.where(more.probability >= LOWEST_CONFIDENCE))
    return Match(
        matched=pairs,
        steps=_steps(sure, view),
        equal_offsets=equal_offsets if len(pairs.cycle) == 0 else 1,
        cycle_reasons=cycle_reasons(moments, times, pairs, index[unsure.rows], arrivals),
        record_reasons=record_reasons(times, pairs, unsure.record, arrivals),
        fit=found.origin.fit,
        covered=found.origin.covered,
        one_script=found.origin.may_be_of_one_script,
    )


def _equal_offsets(found: Found) -> int:
    """Return how many offsets are as good as each other, or more; 1 where one is the best."""
    chain = found.chain
    if len(chain.rows) == 0:
        return 1
    middle = chain.rows == np.sort(chain.rows)[len(chain.rows) // 2]
    share = chain.probability[middle]
    share = share / max(float(share.sum()), 1e-300)
    spread = float(np.exp(-(share * np.log(np.maximum(share, 1e-300))).sum()))
    weighed = np.flatnonzero(found.possible.probability > LIKELY)
    rivals = 0
    if len(weighed):
        alone = np.median(found.chosen.probability[weighed] / found.possible.probability[weighed])
        rivals = min(round(1.0 / max(float(alone), 1e-9)), MANY)
    return max(round(spread), rivals)


def _steps(sure: Choice, view: View) -> tuple[tuple[int, int, int], ...]:
    moved_s = np.diff(sure.offset_s + view.entries.settings_s[sure.entry])
    index = view.cycles.index[sure.rows]
    return tuple(
        (int(index[at]), int(index[at + 1]), round(float(moved_s[at]) * 1e9))
        for at in np.flatnonzero(np.abs(moved_s) > STEP_S)
    )
