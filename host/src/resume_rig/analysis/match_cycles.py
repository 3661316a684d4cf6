"""What the match is given of a campaign: its cycles, and what else the rig saw of the DUT's sleeps.

A DUT that hung is brought back, and put to sleep once more to see whether it is well. The rig saw
that sleep too: its record is tied to it, and is no cycle's. A cycle whose wires make it likely that
its OS never came back is given so to the match: as likely, never as certain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from resume_rig.analysis.disagreements import state_mismatch
from resume_rig.analysis.match import Match, OutsideMoments, match
from resume_rig.analysis.match_known import match_with
from resume_rig.analysis.match_times import Indexes
from resume_rig.analysis.timed_cycle import SleepBeside, TimedCycle
from resume_rig.model.channel import Channel
from resume_rig.model.cycle import Outcome, OutsideCycle, OutsideState
from resume_rig.model.match import KnownPair, RecordReason
from resume_rig.model.os_record import NO_SLEEPS, NO_SUSPENDS, OsRecord, SleepKind
from resume_rig.model.outcome import NOT_MATCHED
from resume_rig.model.verdict import FindingKind

_SUSPENDED = frozenset({OutsideState.S3, OutsideState.S4, OutsideState.S5})

# One more press did nothing: an OS that had come back would have slept. Yet one that hung right
# after its resume may have written its record, and have saved it.
_HUNG_SILENT = 0.95
# A dark display may be all that is wrong. Whether a DUT was well again, the sleep beside shows.
_DARK_SILENT = _BESIDE_SILENT = 0.5
_NOT_UP = frozenset({FindingKind.DARK, FindingKind.NEVER_WOKE})


def match_cycles(
    cycles: Sequence[TimedCycle],
    records: Sequence[OsRecord],
    known: KnownPair | None,
    beside: Sequence[SleepBeside],
    *,
    related: bool,
) -> Match:
    """Return the match of cycles and records.

    Args:
        cycles: in the order in which they were made.
        records: as the log has them.
        known: a pair that somebody knows.
        beside: sleeps that the rig made before, between and after the cycles.
        related: whether the times of the cycles are on the host's clock.

    Raises:
        UsageError: the times contradict the known pair.
    """
    moments = _all_moments(cycles, records, related)
    rows = _Rows.of(moments, beside if related else ())
    seen_in = [None if at is None else int(rows.of_cycle[at]) for at in _seen_in(cycles, records)]
    left_out = _kinds_left_out(cycles, records)

    def matched(pair: tuple[int, int] | None) -> Match:
        found = match(
            rows.moments,
            records,
            same_epoch=related,
            seen_in=seen_in,
            left_out=left_out,
            known=None if pair is None else (int(rows.of_cycle[pair[0]]), pair[1]),
        )
        return found if len(rows.moments) == len(cycles) else rows.told(found)

    if known is None:
        return matched(None)
    numbers = [cycle.outside.number for cycle in cycles]
    return match_with(known, numbers, moments, records, matched)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Cycles and the sleeps beside them, in order.

    Attributes:
        moments: of each.
        of_cycle: the row of each cycle, int64 [n].
    """

    moments: Sequence[OutsideMoments]
    of_cycle: Indexes

    @classmethod
    def of(cls, moments: Sequence[OutsideMoments], beside: Sequence[SleepBeside]) -> "_Rows":
        """Return the rows of some cycles; sleeps beside them stand where their time is."""
        rows: list[OutsideMoments] = []
        of_cycle = np.empty(len(moments), dtype=np.int64)
        sleeps = sorted(beside, key=attrgetter("awake_ns"), reverse=True)
        for at, own in enumerate(moments):
            while sleeps and own.awake_ns is not None and sleeps[-1].awake_ns < own.awake_ns:
                rows.append(_beside(sleeps.pop()))
            of_cycle[at] = len(rows)
            rows.append(own)
        rows += map(_beside, reversed(sleeps))
        return cls(rows, of_cycle)

    def told(self, found: Match) -> Match:
        """Return a match of the rows as one of the cycles."""
        pairs, cycle_at = found.matched, self._cycle_at()
        own, own_rows = np.isin(pairs.cycle, self.of_cycle), set(self.of_cycle.tolist())
        elsewhere = dict.fromkeys(pairs.record[~own].tolist(), RecordReason.BETWEEN_CYCLES)
        kept = pairs.where(own)
        return replace(
            found,
            matched=replace(kept, cycle=cycle_at[kept.cycle]),
            steps=self._steps(found.steps),
            cycle_reasons={
                int(cycle_at[row]): reason
                for row, reason in found.cycle_reasons.items()
                if row in own_rows
            },
            record_reasons=_sorted({**found.record_reasons, **elsewhere}),
        )

    def _cycle_at(self) -> Indexes:
        """Return the cycle of each row, or the one that it follows, -1 for none, int64 [rows]."""
        rows = np.arange(len(self.moments))
        return np.asarray(np.searchsorted(self.of_cycle, rows, side="right") - 1)

    def _steps(self, steps: Sequence[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
        """Return the steps between rows as steps between the cycles on either side."""
        cycle_at, told = self._cycle_at(), dict[tuple[int, int], int]()
        for before, after, step_ns in steps:
            low, high = int(cycle_at[before]), int(np.searchsorted(self.of_cycle, after))
            if low >= 0 and high < len(self.of_cycle):
                told[low, high] = told.get((low, high), 0) + step_ns
        return tuple((*between, step_ns) for between, step_ns in told.items())


def _beside(sleep: SleepBeside) -> OutsideMoments:
    return OutsideMoments(sleep.asleep_ns, sleep.awake_ns, silent=_BESIDE_SILENT)


def _sorted(reasons: Mapping[int, RecordReason]) -> dict[int, RecordReason]:
    return dict(sorted(reasons.items()))


def _seen_in(cycles: Sequence[TimedCycle], records: Sequence[OsRecord]) -> list[int | None]:
    """Return for each record the cycle at whose end it was there first; None where not known."""
    first: dict[OsRecord, int] = {}
    for index, cycle in enumerate(cycles):
        for record in cycle.records:
            first.setdefault(record, index)
    return [first.get(record) for record in records]


def _kinds_left_out(
    cycles: Sequence[TimedCycle], records: Sequence[OsRecord]
) -> frozenset[SleepKind]:
    """Return the kinds that no record of these cycles can have.

    Where SLP_S3# fell in all of them, a session of Modern Standby between two is none of them;
    but for a log that tells of nothing else: then it is what the OS takes these sleeps for.
    """
    outsides = (cycle.outside for cycle in cycles)
    slept = {each.state for each in outsides if each.outcome not in NOT_MATCHED}
    suspended = any(record.kind not in NO_SUSPENDS for record in records)
    return NO_SUSPENDS if slept <= _SUSPENDED and suspended else NO_SLEEPS


def _all_moments(
    cycles: Sequence[TimedCycle], records: Sequence[OsRecord], related: bool
) -> list[OutsideMoments]:
    """Return when the cycles slept and woke, and which kinds of record their wires exclude.

    What speaks against every sleep that the log tells of tells none of them from the others.
    """
    one_of_each = {record.kind: record for record in records if record.kind not in NO_SLEEPS}
    known: dict[tuple[OutsideState, tuple[Channel, ...]], frozenset[SleepKind]] = {}
    moments: list[OutsideMoments] = []
    for cycle in cycles:
        outside = cycle.outside
        seen = (outside.state, outside.channels)
        if seen not in known:
            excluded = frozenset(
                kind
                for kind, record in one_of_each.items()
                if state_mismatch(outside, record) is not None
            )
            known[seen] = excluded if len(excluded) < len(one_of_each) else frozenset()
        own = _moments(cycle, related)
        moments.append(replace(own, unlike=known[seen], silent=_silent(outside)))
    return moments


def _silent(outside: OutsideCycle) -> float:
    """Return how likely it is that no OS came back to write a record."""
    if outside.outcome is Outcome.HUNG_IN_RESUME:
        return _HUNG_SILENT
    not_up = any(finding.kind in _NOT_UP for finding in outside.findings)
    return _DARK_SILENT if not_up else 0.0


def _moments(cycle: TimedCycle, related: bool) -> OutsideMoments:
    outside = cycle.outside
    unfinished = outside.outcome is Outcome.INTERRUPTED and outside.awake_from_ns is None
    if unfinished or outside.outcome in NOT_MATCHED:
        return OutsideMoments(None, None)
    if not related:
        return OutsideMoments(outside.asleep_from_ns, outside.awake_from_ns)
    if cycle.wake_utc is None:
        return OutsideMoments(None, None)
    awake_ns = cycle.wake_utc.value_ns
    if outside.asleep_from_ns is None or outside.awake_from_ns is None:
        return OutsideMoments(None, awake_ns)
    return OutsideMoments(awake_ns - outside.awake_from_ns + outside.asleep_from_ns, awake_ns)
