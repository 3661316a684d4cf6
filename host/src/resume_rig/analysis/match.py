"""Matches cycles with OS records, given only two sequences of times on unrelated clocks.

The clocks differ by an unknown constant (hours with a wrong time zone, anything with a wrong RTC)
and drift slowly. The OS's time at a wake is a reading of the RTC, good to half a second, so times
alone decide, but never one of them alone:

1. Vote. Runs of consecutive cycles against all records: differences that many agree on are
   candidates for the offset. Cycles that repeat evenly make many candidates, one for each shift.
2. Follow each candidate through the whole campaign, in runs, the offset of one run being the start
   of the next, and pair nearest neighbours. The best total wins: many pairs, close together;
   between equals the smaller offset, where both clocks are meant to show UTC.

Where the log was read while the cycles ran, one thing is certain: a record that was there at the
end of a cycle belongs to none that came later.

O(n log n) but for the votes, which are a fixed number of cycles against all records.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.offset_vote import (
    TOLERANCE_NS,
    Alignment,
    align,
    candidate_offsets,
    nearest_pairs,
    prior,
)
from resume_rig.model.os_record import NO_SLEEPS, OsRecord, SleepKind

_MS_NS = 1_000_000
# Two clocks that are both meant to show UTC differ by a time zone (at most 14 h) and little more.
_TIME_ZONES_NS = 15 * 3_600_000_000_000
_SAME_TIME_NS = 120_000_000_000
# The offset of wakes contains the time from SLP_S3# rising to the OS, 0.5 to 3 s; sleeps have none.
_SLEEP_TOLERANCE_NS = 4_000_000_000
# Another offset explains "nearly as much" when it is within half a pair and three standard
# deviations of the score's own noise (0.033 a pair: squares of half-second quantisation).
_CLEAR_PAIRS = 0.5
_CLEAR_NOISE = 0.1
_COMPLETE_OF_AT_LEAST = 3
_NOT_KNOWN = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class OutsideMoments:
    """When a cycle slept and woke, on one clock for all cycles (host UTC, or a capture's own).

    Attributes:
        asleep_ns, awake_ns: SLP_S3# falling and rising; None where not known.
    """

    asleep_ns: int | None
    awake_ns: int | None


@dataclass(frozen=True, slots=True)
class Match:
    """Which cycle is told of by which record.

    Attributes:
        pairs: (index of the cycle, index of the record), in order of the cycles.
        offset_ns: OS clock minus the cycles' clock, median over the pairs, the time from
            SLP_S3# rising to the OS included; None without pairs.
        spread_ns: largest departure of a pair from that median; 0 without pairs.
        verified: two pairs or more agree, and no other offset explains nearly as much, or all.
    """

    pairs: tuple[tuple[int, int], ...]
    offset_ns: int | None
    spread_ns: int
    verified: bool
    unmatched_cycles: tuple[int, ...]
    unmatched_records: tuple[int, ...]


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
        records: in any order.
        same_epoch: both clocks are meant to show UTC; otherwise nothing speaks for small offsets.
        seen_in: for each record the index of the cycle at whose end it was there for the first
            time, None where that is not known; may be empty.
        left_out: kinds whose records belong to none of these cycles.
    """
    awake, asleep = _cycle_times(cycles)
    wakes, sleeps = _record_times(records, seen_in, left_out)
    by_wake = len(wakes.at_ns) > 0 and len(awake.at_ns) > 0
    left, right = (awake, wakes) if by_wake else (asleep, sleeps)
    best, verified = _best(left, right, same_epoch, whole=len(left.at_ns) == len(cycles))
    if best is None or not _credible(best, left, right, same_epoch, verified):
        return Match((), None, 0, False, tuple(range(len(cycles))), tuple(range(len(records))))
    pairs = {int(left.index[r]): int(right.index[c]) for r, c in _rows_and_columns(best)}
    if by_wake:
        pairs |= _by_sleep_times(asleep, sleeps, best, set(pairs))
    differences = _differences(best, left, right)
    offset_ns = int(np.median(differences))
    return Match(
        pairs=tuple(sorted(pairs.items())),
        offset_ns=offset_ns,
        spread_ns=int(np.abs(differences - offset_ns).max()),
        verified=verified,
        unmatched_cycles=tuple(i for i in range(len(cycles)) if i not in pairs),
        unmatched_records=tuple(sorted(set(range(len(records))) - set(pairs.values()))),
    )


@dataclass(frozen=True, slots=True)
class _Times:
    """Times in ascending order, with the indexes of what they belong to; int64 [n] both.

    Attributes:
        last_cycle: of records, the index of the last cycle that each can belong to; int64 [n].
    """

    at_ns: NDArray[np.int64]
    index: NDArray[np.int64]
    preferred: NDArray[np.bool_]
    last_cycle: NDArray[np.int64]


def _cycle_times(cycles: Sequence[OutsideMoments]) -> tuple[_Times, _Times]:
    awake = {i: c.awake_ns for i, c in enumerate(cycles) if c.awake_ns is not None}
    asleep = {i: c.asleep_ns for i, c in enumerate(cycles) if c.asleep_ns is not None}
    return _sorted(awake, set(), ()), _sorted(asleep, set(), ())


def _record_times(
    records: Sequence[OsRecord], seen_in: Sequence[int | None], left_out: Collection[SleepKind]
) -> tuple[_Times, _Times]:
    """Return when the OS came back, and, for records without that, when it had gone.

    WakeTime is the end of the wake (RTC reading + WakeDuration) and SleepTime the beginning of the
    transition to sleep; less and plus those durations they stand next to the wires' edges.
    """
    wakes: dict[int, int] = {}
    sleeps: dict[int, int] = {}
    for index, record in enumerate(records):
        if record.kind in left_out:
            continue
        if record.wake_time_utc_ns is not None:
            wakes[index] = record.wake_time_utc_ns - (record.wake_ms or 0) * _MS_NS
        elif record.sleep_time_utc_ns is not None:
            sleeps[index] = record.sleep_time_utc_ns + (record.sleep_ms or 0) * _MS_NS
    measured = {index for index, record in enumerate(records) if record.resume_ms is not None}
    return _sorted(wakes, measured, seen_in), _sorted(sleeps, measured, seen_in)


def _sorted(times: dict[int, int], preferred: set[int], seen_in: Sequence[int | None]) -> _Times:
    order = sorted(times, key=lambda index: (times[index], index))
    seen = [seen_in[index] if seen_in else None for index in order]
    return _Times(
        np.array([times[index] for index in order], dtype=np.int64),
        np.array(order, dtype=np.int64),
        np.array([index in preferred for index in order], dtype=np.bool_),
        np.array([_NOT_KNOWN if at is None else at for at in seen], dtype=np.int64),
    )


def _rows_and_columns(alignment: Alignment) -> list[tuple[int, int]]:
    return [
        (int(row), int(column))
        for row, column in zip(alignment.rows, alignment.columns, strict=True)
    ]


def _differences(alignment: Alignment, left: _Times, right: _Times) -> NDArray[np.int64]:
    return right.at_ns[alignment.columns] - left.at_ns[alignment.rows]


@dataclass(frozen=True, slots=True)
class _Ranked:
    score: float
    offset_ns: int
    alignment: Alignment

    @property
    def pairs(self) -> int:
        return len(self.alignment.rows)


def _best(
    left: _Times, right: _Times, same_epoch: bool, *, whole: bool
) -> tuple[Alignment | None, bool]:
    """Return the alignment that explains most, and whether no other comes near it.

    `whole` says that every cycle has a time. One without may have written a record all the same,
    and then it proves nothing that nothing is left over.
    """
    ranked: list[_Ranked] = []
    for candidate in candidate_offsets(left.at_ns, right.at_ns, same_epoch):
        alignment = _possible(
            align(left.at_ns, right.at_ns, right.preferred, candidate), left, right
        )
        if len(alignment.rows) == 0:
            continue
        offset_ns = int(np.median(_differences(alignment, left, right)))
        score = alignment.score() + (float(prior(offset_ns)) if same_epoch else 0.0)
        ranked.append(_Ranked(score, offset_ns, alignment))
    if not ranked:
        return None, False
    best = max(ranked, key=lambda each: (each.score, -abs(each.offset_ns)))
    rivals = [each for each in ranked if abs(each.offset_ns - best.offset_ns) > 2 * TOLERANCE_NS]
    complete = min(len(left.at_ns), len(right.at_ns)) if whole else None
    verified = best.pairs > 1 and all(_beats(best, rival, complete) for rival in rivals)
    return best.alignment, verified


def _possible(alignment: Alignment, left: _Times, right: _Times) -> Alignment:
    """Leave out the pairs whose record was there before their cycle was."""
    last_cycle = right.last_cycle[alignment.columns]
    kept = left.index[alignment.rows] <= last_cycle
    return replace(
        alignment,
        rows=alignment.rows[kept],
        columns=alignment.columns[kept],
        residual_ns=alignment.residual_ns[kept],
    )


def _beats(best: _Ranked, rival: _Ranked, complete: int | None) -> bool:
    """Return whether a rival is out of the question.

    Cycles at an even pace fit nearly as well when shifted by one. What then tells is that one
    explanation leaves nothing over (`complete` pairs, None where that proves nothing), and the
    other a cycle and a record without a partner.
    """
    clear = _CLEAR_PAIRS + _CLEAR_NOISE * float(np.sqrt(best.pairs))
    if complete is not None and best.pairs == complete >= _COMPLETE_OF_AT_LEAST:
        return rival.pairs < complete or best.score - rival.score > clear
    return best.score - rival.score > clear


def _credible(
    best: Alignment, left: _Times, right: _Times, same_epoch: bool, verified: bool
) -> bool:
    """Return whether an alignment is more than chance.

    Sleeps of other days agree by chance with two or three cycles at some offset; so an offset
    beyond a time zone must explain half of all that could match, and be without a rival.
    """
    n, m, pairs = len(left.at_ns), len(right.at_ns), len(best.rows)
    offset_ns = abs(int(np.median(_differences(best, left, right))))
    if pairs == n == m:
        return pairs > 1 or not same_epoch or offset_ns <= _TIME_ZONES_NS
    if same_epoch and offset_ns <= _TIME_ZONES_NS:
        return pairs > 1 or min(n, m) == 1 or offset_ns <= _SAME_TIME_NS
    return verified and 2 * pairs >= min(n, m)


def _by_sleep_times(
    asleep: _Times, sleeps: _Times, best: Alignment, taken: set[int]
) -> dict[int, int]:
    """Match the records that have only a sleep time with the cycles that are left."""
    free = np.array([int(index) not in taken for index in asleep.index], dtype=np.bool_)
    if not free.any() or len(sleeps.at_ns) == 0:
        return {}
    moved = asleep.at_ns[free] + int(np.median(best.offset_ns))
    rows, columns = nearest_pairs(moved, sleeps.at_ns, sleeps.preferred, _SLEEP_TOLERANCE_NS)
    cycles, records = asleep.index[free][rows], sleeps.index[columns]
    kept = cycles <= sleeps.last_cycle[columns]
    cycles, records = cycles[kept], records[kept]
    return {int(cycle): int(record) for cycle, record in zip(cycles, records, strict=True)}
