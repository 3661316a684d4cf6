"""Matches cycles with OS records, given only two sequences of times on unrelated clocks.

docs/explanation/matching.md tells how: candidate offsets are voted for and followed
(`offset_tracks`), a chain over the whole campaign weighs them against each other, steps of the
clock included (`match_chain`), with what the wakes and the times asleep say (`match_likelihood`);
the likeliest record of each cycle is taken where it is likely enough (`match_choice`). What the
campaign's noise is like is learnt from a first round and used in a second. Last, all that fits is
held against "this log is of another unit" (`match_foreign`). All of that is done once
more as if the clock had never been set, where the log tells of settings (`match_views`).

Where the log was read while the cycles ran, one thing is certain: a record that was there at the
end of a cycle belongs to none that came later.

O(n log n) but for the votes, which are a fixed number of cycles against all records.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from resume_rig.analysis.match.columns import OutsideMoments, columns_of, moments_of, record_times
from resume_rig.analysis.match.live import Seen, seen_at
from resume_rig.analysis.match.order import Choice
from resume_rig.analysis.match.pairs import (
    Pairs,
    by_late_wakes,
    by_sleep_times,
    cycle_reasons,
    record_reasons,
)
from resume_rig.analysis.match.rivals import MANY, STEP_S
from resume_rig.analysis.match.times import Moments, RecordTimes
from resume_rig.analysis.match.views import LIKELY, Found, View, likeliest
from resume_rig.model.os_record import NO_SLEEPS, OsRecord, SleepKind
from resume_rig.model.result.match import (
    LOWEST_CONFIDENCE,
    CycleReason,
    RecordReason,
)

__all__ = ["Match", "OutsideMoments", "match", "match_arrays"]

# What is less likely is not told as a second possibility (assumed).
_WORTH_TELLING = 0.05


@dataclass(frozen=True, slots=True)
class Match:
    """Which cycle is told of by which record.

    Attributes:
        matched: the pairs in order of the cycles; no probability is below LOWEST_CONFIDENCE.
        offset_ns: OS clock minus the cycles' clock, median over the pairs by wake, what the
            firmware took left out; None without pairs.
        spread_ns: largest departure of a pair from that median; 0 without pairs.
        steps: (cycle before, cycle after, step in ns) wherever the OS clock was set.
        alike: how many offsets explain the cycles as well as each other, or more; 1 with pairs.
        cycle_reasons: of every cycle without a record, by index.
        record_reasons: of every record without a cycle, by index.
        fit, covered: how many cycles have a likely record, chance or not, and of how many the log
            should have one; 0 where nothing is likely.
        one_script: whether the log may be of another unit that one script sent to sleep.
    """

    matched: Pairs
    offset_ns: int | None
    spread_ns: int
    steps: tuple[tuple[int, int, int], ...]
    alike: int
    cycle_reasons: dict[int, CycleReason]
    record_reasons: dict[int, RecordReason]
    fit: int = 0
    covered: int = 0
    one_script: bool = False

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
    same_epoch: bool = True,
    seen_in: Sequence[int | None] = (),
    left_out: Collection[SleepKind] = NO_SLEEPS,
    known: tuple[int, int] | None = None,
) -> Match:
    """Return the one-to-one, order-preserving match that explains most.

    Wakes are matched with wakes. Records without a wake time are matched by their sleep times.

    Args:
        cycles: in the order in which they were made.
        records: of each source in the order in which they were written.
        same_epoch: both clocks are meant to show UTC; otherwise nothing speaks for small offsets.
        seen_in: for each record the index of the cycle at whose end it was there for the first
            time, None where that is not known; may be empty.
        left_out: kinds whose records belong to none of these cycles.
        known: a cycle and its own record, by index, where somebody knows one.
    """
    seen = seen_at(seen_in, len(records), len(cycles))
    times = record_times(columns_of(records), left_out)
    return match_arrays(moments_of(cycles), times, same_epoch, seen, known)


def match_arrays(
    moments: Moments,
    times: RecordTimes,
    same_epoch: bool,
    seen: Seen,
    known: tuple[int, int] | None = None,
) -> Match:
    """Return the match of cycles and records that are columns of numbers; see `match`."""
    found = likeliest(moments, times, seen, known, same_epoch=same_epoch)
    view, chosen, possible = found.view, found.chosen, found.possible
    index = view.cycles.index
    sure = chosen.where(chosen.probability >= LOWEST_CONFIDENCE)
    unsure = possible.where(possible.probability > _WORTH_TELLING)
    if found.origin.is_foreign:
        # When a reading brought a record of another unit says nothing.
        seen = seen_at((), len(times.kind), len(moments.awake_s))
    alike = _alike(found) if found.related > LIKELY else 1
    if alike > 1:
        # So many that none of them is worth telling by itself.
        unsure = possible
    pairs = Pairs(index[sure.rows], sure.record, sure.probability).in_order()
    if view.by_wake:
        late = by_late_wakes(sure, view.cycles, view.entries, found.noise, STEP_S)
        late = late.where(late.probability >= LOWEST_CONFIDENCE)
        pairs = pairs.with_more(late)
        more = by_sleep_times(sure, view.cycles, view.entries, view.sleeps, found.noise)
        more = more.where(~np.isin(more.cycle, late.cycle))
        pairs = pairs.with_more(more.where(more.probability >= LOWEST_CONFIDENCE))
    offset_ns, spread_ns = _offset(sure, view)
    return Match(
        matched=pairs,
        offset_ns=offset_ns,
        spread_ns=spread_ns,
        steps=_steps(sure, view),
        alike=alike if len(pairs.cycle) == 0 else 1,
        cycle_reasons=cycle_reasons(moments, times, pairs, index[unsure.rows], seen),
        record_reasons=record_reasons(times, pairs, unsure.record, seen),
        fit=found.origin.fit,
        covered=found.origin.covered,
        one_script=found.origin.may_be_of_one_script,
    )


def _alike(found: Found) -> int:
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


def _offset(sure: Choice, view: View) -> tuple[int | None, int]:
    """Return the median offset and the largest departure from it."""
    if len(sure.rows) == 0:
        return None, 0
    cycles, entries = view.cycles, view.entries
    apart_s = entries.at_s[sure.entry] + entries.told_s[sure.entry] - cycles.at_s[sure.rows]
    median_s = float(np.median(apart_s))
    spread_s = float(np.abs(apart_s - median_s).max())
    return entries.base_ns - cycles.base_ns + round(median_s * 1e9), round(spread_s * 1e9)


def _steps(sure: Choice, view: View) -> tuple[tuple[int, int, int], ...]:
    moved_s = np.diff(sure.offset_s + view.entries.told_s[sure.entry])
    index = view.cycles.index[sure.rows]
    return tuple(
        (int(index[at]), int(index[at + 1]), round(float(moved_s[at]) * 1e9))
        for at in np.flatnonzero(np.abs(moved_s) > STEP_S)
    )
