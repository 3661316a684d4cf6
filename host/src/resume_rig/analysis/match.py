"""Matches cycles with OS records, given only two sequences of times on unrelated clocks.

docs/explanation/matching.md tells how: candidate offsets are voted for and followed
(`offset_tracks`), a chain over the whole campaign weighs them against each other, steps of the
clock included (`match_chain`), with what the wakes and the times asleep say (`match_likelihood`);
the likeliest record of each cycle is taken where it is likely enough (`match_choice`). What the
campaign's noise is like is learnt from a first round and used in a second.

Where the log was read while the cycles ran, one thing is certain: a record that was there at the
end of a cycle belongs to none that came later.

O(n log n) but for the votes, which are a fixed number of cycles against all records.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from resume_rig.analysis.match_beat import with_beat
from resume_rig.analysis.match_chain import Chain, follow
from resume_rig.analysis.match_choice import choose, related
from resume_rig.analysis.match_columns import (
    OutsideMoments,
    columns_of,
    moments_of,
    record_times,
)
from resume_rig.analysis.match_likelihood import Noise, learnt
from resume_rig.analysis.match_live import Seen, seen_at
from resume_rig.analysis.match_order import Choice
from resume_rig.analysis.match_pairs import Pairs
from resume_rig.analysis.match_reasons import cycle_reasons, record_reasons
from resume_rig.analysis.match_rivals import MANY, STEP_S, unrivalled
from resume_rig.analysis.match_sample import to_learn_from
from resume_rig.analysis.match_sleeps import by_sleep_times
from resume_rig.analysis.match_times import (
    CycleTimes,
    Entries,
    Floats,
    Moments,
    RecordTimes,
    cycle_times,
    sleep_entries,
    wake_entries,
)
from resume_rig.analysis.offset_stretches import LONG_CAMPAIGN
from resume_rig.analysis.offset_tracks import find_tracks
from resume_rig.model.match import (
    HIGH_CONFIDENCE,
    LOWEST_CONFIDENCE,
    CycleReason,
    RecordReason,
)
from resume_rig.model.os_record import NO_SLEEPS, OsRecord, SleepKind

__all__ = ["Match", "OutsideMoments", "match", "match_arrays"]

# Two clocks that are both meant to show UTC: half of them within seconds; the others off by a time
# zone (at most 14 h) and little more, or by anything within decades.
_NEAR_S, _ZONES_S, _DECADES_S = 5.0, 15 * 3600.0, 40 * 365 * 86_400.0
_NEAR, _ZONED, _ANYWHERE = 0.5, 0.3, 0.2
_ZONE_SCALE_S = 60.0
_LIKELY = 0.5
_ROUNDS_TO_LEARN = 2
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
    """

    matched: Pairs
    offset_ns: int | None
    spread_ns: int
    steps: tuple[tuple[int, int, int], ...]
    alike: int
    cycle_reasons: dict[int, CycleReason]
    record_reasons: dict[int, RecordReason]

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """(index of the cycle, index of the record), in order of the cycles."""
        return tuple(zip(self.matched.cycle.tolist(), self.matched.record.tolist(), strict=True))

    @property
    def probability(self) -> tuple[float, ...]:
        """Of each pair, 0..1."""
        return tuple(self.matched.probability.tolist())

    @property
    def unmatched_cycles(self) -> tuple[int, ...]:
        """Indexes of the cycles without a record, ascending."""
        return tuple(self.cycle_reasons)

    @property
    def unmatched_records(self) -> tuple[int, ...]:
        """Indexes of the records without a cycle, ascending."""
        return tuple(self.record_reasons)

    @property
    def verified(self) -> bool:
        """Whether there are pairs, and all of them are certain."""
        sure = self.matched.probability >= HIGH_CONFIDENCE
        return len(sure) > 0 and bool(sure.all())


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
    entries = wake_entries(times, seen)
    outside = cycle_times(moments, seen, known, by_wake=True)
    sleeps = sleep_entries(times, seen)
    if len(entries.at_s) == 0 or len(outside.at_s) == 0:
        entries, outside = sleeps, cycle_times(moments, seen, known, by_wake=False)
    found = _best(outside, entries, same_epoch)
    chosen, possible, noise = found.chosen, found.possible, found.noise
    sure = chosen.where(chosen.probability >= LOWEST_CONFIDENCE)
    unsure = possible.where(possible.probability > _WORTH_TELLING)
    alike = _alike(found) if found.related > _LIKELY else 1
    if alike > 1:
        # So many that none of them is worth telling by itself.
        unsure = possible
    pairs = Pairs(outside.index[sure.rows], sure.record, sure.probability).in_order()
    if entries is not sleeps:
        more = by_sleep_times(sure, outside, entries, sleeps, noise)
        pairs = pairs.with_more(more.where(more.probability >= LOWEST_CONFIDENCE))
    offset_ns, spread_ns = _offset(sure, outside, entries)
    return Match(
        matched=pairs,
        offset_ns=offset_ns,
        spread_ns=spread_ns,
        steps=_steps(sure, outside),
        alike=alike if len(pairs.cycle) == 0 else 1,
        cycle_reasons=cycle_reasons(moments, times, pairs, outside.index[unsure.rows], seen),
        record_reasons=record_reasons(times, pairs, unsure.record, seen),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What the chain and its rivals say.

    Attributes:
        chosen: the likeliest record of each cycle. possible: the same without rivals.
        noise: of the campaign.
        chain: the candidates. related: probability that the log is of these cycles at all.
    """

    chosen: Choice
    possible: Choice
    noise: Noise
    chain: Chain
    related: float


def _alike(found: _Found) -> int:
    """Return how many offsets are as good as each other, or more; 1 where one is the best."""
    chain = found.chain
    if len(chain.rows) == 0:
        return 1
    middle = chain.rows == np.sort(chain.rows)[len(chain.rows) // 2]
    share = chain.probability[middle]
    share = share / max(float(share.sum()), 1e-300)
    spread = float(np.exp(-(share * np.log(np.maximum(share, 1e-300))).sum()))
    weighed = np.flatnonzero(found.possible.probability > _LIKELY)
    rivals = 0
    if len(weighed):
        alone = np.median(found.chosen.probability[weighed] / found.possible.probability[weighed])
        rivals = min(round(1.0 / max(float(alone), 1e-9)), MANY)
    return max(round(spread), rivals)


def _best(cycles: CycleTimes, entries: Entries, same_epoch: bool) -> _Found:
    """Return the likeliest record of each cycle, and how likely all others are."""
    noise = Noise()
    if len(entries.at_s) == 0 or len(cycles.at_s) == 0:
        nothing, none = np.empty(0), np.empty(0, dtype=np.int64)
        empty = Choice(none, none, none, nothing, nothing, nothing)
        return _Found(empty, empty, noise, Chain(none, none, nothing, 0.0), 0.0)
    # Bases differ by what two clocks that agree differ: then the offset of the arrays is this.
    expected_s = (cycles.base_ns - entries.base_ns) * 1e-9 if same_epoch else None
    tracks = find_tracks(cycles, entries, expected_s)
    if len(cycles.at_s) >= LONG_CAMPAIGN:
        cycles = with_beat(cycles, entries, tracks)
    some, of_some = to_learn_from(cycles, entries, tracks)
    prior = _log_prior(of_some.offset_s[0], expected_s, some, entries)
    for _ in range(_ROUNDS_TO_LEARN):
        chain = follow(some, entries, of_some, noise, prior)
        found = choose(some, entries, of_some, chain, noise, same_epoch=same_epoch)
        likely = found.where(found.probability > _LIKELY)
        noise = learnt(
            noise,
            some,
            entries,
            residual_s=likely.residual_s,
            rows=likely.rows,
            entry=likely.entry,
        )
    prior = _log_prior(tracks.offset_s[0], expected_s, cycles, entries)
    chain = follow(cycles, entries, tracks, noise, prior)
    found = choose(cycles, entries, tracks, chain, noise, same_epoch=same_epoch)
    unshared = unrivalled(found, cycles, entries, noise, expected_s)
    tied = related(chain.evidence, noise, entries, cycles, same_epoch=same_epoch)
    return _Found(found.times(unshared), found, noise, chain, tied)


def _log_prior(
    offset_s: Floats, expected_s: float | None, cycles: CycleTimes, entries: Entries
) -> Floats:
    """Return how likely an offset is before anything was compared, log per second."""
    span_s = float(np.ptp(entries.at_s) + np.ptp(cycles.at_s)) + 3600.0
    if expected_s is None:
        return np.where(np.isnan(offset_s), np.nan, -np.log(span_s))
    size = np.abs(offset_s - expected_s)
    near = _NEAR * np.exp(-((size / _NEAR_S) ** 2)) / (_NEAR_S * np.sqrt(np.pi))
    area = 2 * _ZONE_SCALE_S * np.log1p(_ZONES_S / _ZONE_SCALE_S)
    zoned = np.where(size <= _ZONES_S, _ZONED / (1 + size / _ZONE_SCALE_S) / area, 0.0)
    return np.asarray(np.log(near + zoned + _ANYWHERE / _DECADES_S))


def _offset(sure: Choice, cycles: CycleTimes, entries: Entries) -> tuple[int | None, int]:
    """Return the median offset and the largest departure from it."""
    if len(sure.rows) == 0:
        return None, 0
    apart_s = entries.at_s[sure.entry] - cycles.at_s[sure.rows]
    median_s = float(np.median(apart_s))
    spread_s = float(np.abs(apart_s - median_s).max())
    return entries.base_ns - cycles.base_ns + round(median_s * 1e9), round(spread_s * 1e9)


def _steps(sure: Choice, cycles: CycleTimes) -> tuple[tuple[int, int, int], ...]:
    moved_s = np.diff(sure.offset_s)
    index = cycles.index[sure.rows]
    return tuple(
        (int(index[at]), int(index[at + 1]), round(float(moved_s[at]) * 1e9))
        for at in np.flatnonzero(np.abs(moved_s) > STEP_S)
    )
