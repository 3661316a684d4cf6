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

from resume_rig.analysis.match_chain import follow
from resume_rig.analysis.match_choice import Choice, choose
from resume_rig.analysis.match_likelihood import Noise, learnt
from resume_rig.analysis.match_times import (
    CycleTimes,
    Entries,
    Floats,
    OutsideMoments,
    RecordTimes,
    cycle_times,
    record_times,
    sleep_entries,
    wake_entries,
)
from resume_rig.analysis.match_rivals import STEP_S, unrivalled
from resume_rig.analysis.offset_tracks import find_tracks
from resume_rig.model.match import HIGH_CONFIDENCE, LOWEST_CONFIDENCE
from resume_rig.model.os_record import NO_SLEEPS, OsRecord, SleepKind

__all__ = ["Match", "OutsideMoments", "match"]

# Two clocks that are both meant to show UTC: half of them within seconds; the others off by a time
# zone (at most 14 h) and little more, or by anything within decades.
_NEAR_S, _ZONES_S, _DECADES_S = 5.0, 15 * 3600.0, 40 * 365 * 86_400.0
_NEAR, _ZONED, _ANYWHERE = 0.5, 0.3, 0.2
_ZONE_SCALE_S = 60.0
_LIKELY = 0.5


@dataclass(frozen=True, slots=True)
class Match:
    """Which cycle is told of by which record.

    Attributes:
        pairs: (index of the cycle, index of the record), in order of the cycles.
        probability: of each pair, 0..1.
        offset_ns: OS clock minus the cycles' clock, median over the pairs; None without pairs.
        spread_ns: largest departure of a pair from that median; 0 without pairs.
        steps: (pair before, pair after, step in ns) wherever the OS clock was set.
        unmatched_cycles: indexes, in order.
        unmatched_records: indexes, in order.
        doubled_of: record to the record whose times it repeats.
        ambiguous_cycles: those for which a record was likely, but not likely enough.
        ambiguous_records: the records of those.
    """

    pairs: tuple[tuple[int, int], ...]
    probability: tuple[float, ...]
    offset_ns: int | None
    spread_ns: int
    steps: tuple[tuple[int, int, int], ...]
    unmatched_cycles: tuple[int, ...]
    unmatched_records: tuple[int, ...]
    doubled_of: dict[int, int]
    ambiguous_cycles: frozenset[int]
    ambiguous_records: frozenset[int]

    @property
    def verified(self) -> bool:
        """Whether there are pairs, and all of them are certain."""
        return bool(self.pairs) and min(self.probability) >= HIGH_CONFIDENCE


def match(
    cycles: Sequence[OutsideMoments],
    records: Sequence[OsRecord],
    same_epoch: bool = True,
    seen_in: Sequence[int | None] = (),
    left_out: Collection[SleepKind] = NO_SLEEPS,
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
    """
    times = record_times(records, left_out)
    entries = wake_entries(times, seen_in)
    outside = cycle_times(cycles, by_wake=True)
    sleeps = sleep_entries(times, seen_in)
    if len(entries.at_s) == 0 or len(outside.at_s) == 0:
        entries, outside = sleeps, cycle_times(cycles, by_wake=False)
    chosen = _best(outside, entries, same_epoch)
    return _told(chosen, outside, entries, times, len(cycles))


def _best(cycles: CycleTimes, entries: Entries, same_epoch: bool) -> Choice:
    if len(entries.at_s) == 0 or len(cycles.at_s) == 0:
        nothing, none = np.empty(0), np.empty(0, dtype=np.int64)
        return Choice(none, none, none, nothing, nothing, nothing)
    # Bases differ by what two clocks that agree differ: then the offset of the arrays is this.
    expected_s = (cycles.base_ns - entries.base_ns) * 1e-9 if same_epoch else None
    tracks = find_tracks(cycles, entries, expected_s)
    prior = _log_prior(tracks.offset_s[0], expected_s, cycles, entries)
    noise = Noise()
    for _ in range(2):
        chain = follow(cycles, entries, tracks, noise, prior)
        found = choose(cycles, entries, tracks, chain, noise)
        likely = found.where(found.probability > _LIKELY)
        noise = learnt(
            noise, cycles, entries, likely.residual_s, likely.rows, likely.entry
        )
    chain = follow(cycles, entries, tracks, noise, prior)
    found = choose(cycles, entries, tracks, chain, noise)
    return found.times(unrivalled(found, cycles, entries, noise, expected_s))


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


def _told(
    chosen: Choice, cycles: CycleTimes, entries: Entries, times: RecordTimes, count: int
) -> Match:
    """Return the answer in indexes of the caller's."""
    sure = chosen.where(chosen.probability >= LOWEST_CONFIDENCE)
    unsure = chosen.where(chosen.probability < LOWEST_CONFIDENCE)
    cycle = cycles.index[sure.rows]
    apart_s = entries.at_s[sure.entry] - cycles.at_s[sure.rows]
    median_s = float(np.median(apart_s)) if len(apart_s) else 0.0
    base_ns = entries.base_ns - cycles.base_ns
    moved = np.diff(sure.offset_s)
    steps = tuple(
        (int(at), int(at) + 1, round(float(moved[at]) * 1e9))
        for at in np.flatnonzero(np.abs(moved) > STEP_S)
    )
    free_cycle, free_record = np.ones(count, dtype=bool), np.ones(len(times.kind), dtype=bool)
    free_cycle[cycle] = False
    free_record[sure.record] = False
    doubled = np.flatnonzero(times.doubled_of >= 0)
    return Match(
        pairs=tuple(zip(cycle.tolist(), sure.record.tolist(), strict=True)),
        probability=tuple(sure.probability.tolist()),
        offset_ns=base_ns + round(median_s * 1e9) if len(apart_s) else None,
        spread_ns=round(float(np.abs(apart_s - median_s).max()) * 1e9) if len(apart_s) else 0,
        steps=steps,
        unmatched_cycles=tuple(np.flatnonzero(free_cycle).tolist()),
        unmatched_records=tuple(np.flatnonzero(free_record).tolist()),
        doubled_of=dict(
            zip(doubled.tolist(), times.doubled_of[doubled].tolist(), strict=True)
        ),
        ambiguous_cycles=frozenset(cycles.index[unsure.rows].tolist()),
        ambiguous_records=frozenset(unsure.record.tolist()),
    )
