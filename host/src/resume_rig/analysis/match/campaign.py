"""What the match is given of a campaign: its cycles, extra sleeps, a stated pair, its boots. Pure.

Extra sleeps are matched too, as their records are no cycle's. A cycle whose wires make it likely
that its OS never came back is given so to the match: as likely, never as certain.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from resume_rig.analysis.findings.sleeps import state_mismatch
from resume_rig.analysis.match.match import Match, OutsideMoments, match
from resume_rig.analysis.match.times import Indexes
from resume_rig.analysis.reconcile.reconcile import ExtraSleep, TimedCycle
from resume_rig.analysis.reconcile.thresholds import figure_of
from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import NO_SLEEPS, NO_SUSPENDS, OsRecord, SleepKind
from resume_rig.model.result.cycle import (
    NOT_MATCHED,
    IntervalName,
    Outcome,
    OutsideCycle,
    OutsideState,
)
from resume_rig.model.result.match import (
    HIGH_CONFIDENCE,
    RECORD_REASONS,
    MatchCertainty,
    RecordReason,
    StatedPair,
    percent,
)
from resume_rig.model.result.verdict import NOT_UP
from resume_rig.model.units import count_of

# One pair, or two, may fit by chance; so may a few of many (assumed).
_BORNE_OUT_BY, _SHARE = 3, 0.5
_OF_ITSELF = (RecordReason.NO_SLEEP, RecordReason.NO_TIME, RecordReason.DOZE)
_MAY_BE_OF_ONE = {
    RecordReason.BEFORE_CAMPAIGN,
    RecordReason.AFTER_CAMPAIGN,
    RecordReason.BETWEEN_CYCLES,
    RecordReason.AMBIGUOUS,
}


def match_with(
    pair: StatedPair,
    numbers: Sequence[int],
    moments: Sequence[OutsideMoments],
    records: Sequence[OsRecord],
    matched: Callable[[tuple[int, int] | None], Match],
) -> Match:
    """Return the match in which a stated pair is one.

    The pair picks among offsets that are as good as each other. It does not outvote the times:
    where they tie the cycle or the record elsewhere, or no other cycle bears it out, that is an
    error.

    Args:
        pair: the cycle's number, and the record's number in its log.
        numbers: of the cycles.
        moments: of the cycles.
        records: of the log.
        matched: gives the match with a pair of indexes that is stated, or without one.

    Raises:
        UsageError: there is no such cycle or record, or the times contradict the pair.
    """
    stated = (_cycle_at(pair, numbers, moments), _record_at(pair, records))
    free = matched(None)
    _refuse_what_is_tied_elsewhere(pair, stated, free, numbers, records)
    if stated in _certain(free):
        return free
    if free.record_reasons.get(stated[1]) in _OF_ITSELF:
        reason = RECORD_REASONS[free.record_reasons[stated[1]]]
        raise UsageError(f"{_attempt(pair)}: this record cannot be paired: {reason}")
    found = matched(stated)
    sure = [cycle for cycle, _ in _certain(found)]
    span = sure[-1] - sure[0] + 1 if sure else 0
    if stated not in _certain(found) or len(sure) < max(_BORNE_OUT_BY, _SHARE * span):
        raise UsageError(
            f"{_attempt(pair)}: the other cycles do not bear that out, with it"
            f" {count_of(len(sure), 'cycle')} of {len(numbers)} certainly have a record; name a"
            " pair whose neighbours have records too, or none"
        )
    return found


def _attempt(pair: StatedPair) -> str:
    return f"could not take record {pair.record} for that of cycle {pair.cycle}"


def _cycle_at(pair: StatedPair, numbers: Sequence[int], moments: Sequence[OutsideMoments]) -> int:
    """Return the index of the cycle."""
    if pair.cycle not in numbers:
        there = (
            f"there are cycles {min(numbers)} to {max(numbers)}" if numbers else "there are none"
        )
        raise UsageError(f"{_attempt(pair)}: there is no such cycle; {there}")
    at = numbers.index(pair.cycle)
    if moments[at].awake_ns is None:
        raise UsageError(
            f"{_attempt(pair)}: this cycle has no sleep and wake that a record could report;"
            " name one that slept and woke"
        )
    return at


def _record_at(pair: StatedPair, records: Sequence[OsRecord]) -> int:
    """Return the index of the record."""
    there = [at for at, record in enumerate(records) if record.record_id == pair.record]
    if len(there) == 1:
        return there[0]
    numbers = [record.record_id for record in records if record.record_id is not None]
    if there:
        found = f"{len(there)} records have that number; give one log only"
    elif numbers:
        found = f"no record has that number; they have {min(numbers)} to {max(numbers)}"
    else:
        found = "the records of this log have no numbers"
    raise UsageError(f"{_attempt(pair)}: {found}")


def _certain(found: Match) -> dict[tuple[int, int], float]:
    pairs = zip(found.pairs, found.probability, strict=True)
    return {each: likely for each, likely in pairs if likely >= HIGH_CONFIDENCE}


def _refuse_what_is_tied_elsewhere(
    pair: StatedPair,
    stated: tuple[int, int],
    free: Match,
    numbers: Sequence[int],
    records: Sequence[OsRecord],
) -> None:
    """Raise where the times alone, for certain, tie the cycle or the record elsewhere."""
    cycle, record = stated
    for (at, record_at), likely in _certain(free).items():
        if (at == cycle) == (record_at == record):
            continue
        chance = percent(MatchCertainty(likely))
        raise UsageError(
            f"{_attempt(pair)}: the times alone tie cycle {numbers[at]} to record"
            f" {records[record_at].record_id} ({chance}); name a pair that agrees, or none"
        )


_SUSPENDED = frozenset({OutsideState.S3, OutsideState.S4, OutsideState.S5})

# One more press did nothing: an OS that had come back would have slept. Yet one that hung right
# after its resume may have written its record, and have saved it (assumed).
_HUNG_SILENT = 0.95
# A dark display may be all that is wrong. Whether a DUT was well again, the extra sleep shows
# (assumed).
_DARK_SILENT = _EXTRA_SILENT = 0.5


def match_cycles(
    cycles: Sequence[TimedCycle],
    records: Sequence[OsRecord],
    stated_pair: StatedPair | None,
    extra_sleeps: Sequence[ExtraSleep],
    *,
    related: bool,
) -> Match:
    """Return the match of cycles and records.

    Args:
        cycles: in the order in which they were made.
        records: as the log has them.
        stated_pair: a pair that somebody states.
        extra_sleeps: sleeps that the rig made before, between and after the cycles.
        related: whether the times of the cycles are on the host's clock.

    Raises:
        UsageError: the times contradict the stated pair.
    """
    moments = _all_moments(cycles, records, related)
    rows = _Rows.of(moments, extra_sleeps if related else ())
    arrived_at = [
        None if at is None else int(rows.of_cycle[at]) for at in _arrival_cycles(cycles, records)
    ]
    left_out = _kinds_left_out(cycles, records)

    def matched(pair: tuple[int, int] | None) -> Match:
        found = match(
            rows.moments,
            records,
            both_utc=related,
            arrived_at=arrived_at,
            left_out=left_out,
            stated_pair=None if pair is None else (int(rows.of_cycle[pair[0]]), pair[1]),
        )
        return found if len(rows.moments) == len(cycles) else rows.match_of_cycles(found)

    if stated_pair is None:
        return matched(None)
    numbers = [cycle.outside.number for cycle in cycles]
    return match_with(stated_pair, numbers, moments, records, matched)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Cycles and extra sleeps, in order.

    Attributes:
        moments: of each.
        of_cycle: the row of each cycle, int64 [n].
    """

    moments: Sequence[OutsideMoments]
    of_cycle: Indexes

    @classmethod
    def of(cls, moments: Sequence[OutsideMoments], extra_sleeps: Sequence[ExtraSleep]) -> "_Rows":
        """Return the rows of some cycles; extra sleeps stand where their time is."""
        rows: list[OutsideMoments] = []
        of_cycle = np.empty(len(moments), dtype=np.int64)
        sleeps = sorted(extra_sleeps, key=attrgetter("awake_ns"), reverse=True)
        for at, own in enumerate(moments):
            while sleeps and own.awake_ns is not None and sleeps[-1].awake_ns < own.awake_ns:
                rows.append(_moments_of_extra(sleeps.pop()))
            of_cycle[at] = len(rows)
            rows.append(own)
        rows += map(_moments_of_extra, reversed(sleeps))
        return cls(rows, of_cycle)

    def match_of_cycles(self, found: Match) -> Match:
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
            record_reasons=dict(sorted({**found.record_reasons, **elsewhere}.items())),
        )

    def _cycle_at(self) -> Indexes:
        """Return the cycle of each row, or the one that it follows, -1 for none, int64 [rows]."""
        rows = np.arange(len(self.moments))
        return np.asarray(np.searchsorted(self.of_cycle, rows, side="right") - 1)

    def _steps(self, steps: Sequence[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
        """Return the steps between rows as steps between the cycles on either side."""
        cycle_at, sums = self._cycle_at(), dict[tuple[int, int], int]()
        for before, after, step_ns in steps:
            low, high = int(cycle_at[before]), int(np.searchsorted(self.of_cycle, after))
            if low >= 0 and high < len(self.of_cycle):
                sums[low, high] = sums.get((low, high), 0) + step_ns
        return tuple((*between, step_ns) for between, step_ns in sums.items())


def _moments_of_extra(sleep: ExtraSleep) -> OutsideMoments:
    return OutsideMoments(sleep.asleep_ns, sleep.awake_ns, silent=_EXTRA_SILENT)


def _arrival_cycles(cycles: Sequence[TimedCycle], records: Sequence[OsRecord]) -> list[int | None]:
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
    but for a log that has nothing else: then it is what the OS takes these sleeps for.
    """
    outsides = (cycle.outside for cycle in cycles)
    slept = {each.state for each in outsides if each.outcome not in NOT_MATCHED}
    suspended = any(record.kind not in NO_SUSPENDS for record in records)
    return NO_SUSPENDS if slept <= _SUSPENDED and suspended else NO_SLEEPS


@dataclass(frozen=True, slots=True, eq=False)
class BootMatch:
    """Which accounts of boots and shutdowns are of which cycle, by indexes.

    Attributes:
        boots: cycle to (record, probability). shutdowns: cycle to record.
    """

    boots: Mapping[int, tuple[int, float]]
    shutdowns: Mapping[int, int]


def match_boots(
    cycles: Sequence[TimedCycle], records: Sequence[OsRecord], *, related: bool
) -> BootMatch:
    """Return the match of the cycles that were asked for a boot (S5) with the accounts of boots.

    A boot's start is when the OS began; the power came on before it by what the firmware took.
    The shutdown of a cycle is the last one that began between the boot before and its own.
    """
    rows = [at for at, cycle in enumerate(cycles) if cycle.outside.asked is SleepKind.BOOT]
    starts_ns = _starts_of(SleepKind.BOOT, records)
    boot_at = [*starts_ns]
    own = [cycles[at] for at in rows]
    found = match(
        [_moments(cycle, related) for cycle in own],
        [_as_wake(records[at]) for at in boot_at],
        both_utc=related,
        arrived_at=_arrival_cycles(own, [records[at] for at in boot_at]),
        left_out=(),
    )
    boots = {
        rows[cycle]: (boot_at[record], probability)
        for (cycle, record), probability in zip(found.pairs, found.probability, strict=True)
    }
    return BootMatch(boots, _shutdowns(boots, starts_ns, records))


def _starts_of(kind: SleepKind, records: Sequence[OsRecord]) -> dict[int, int]:
    """Return when the records of a kind began, by their index, where they report it."""
    of_kind = ((at, r.sleep_time_utc_ns) for at, r in enumerate(records) if r.kind is kind)
    return {at: start_ns for at, start_ns in of_kind if start_ns is not None}


def _as_wake(boot: OsRecord) -> OsRecord:
    """Return a boot as the match reads a wake: it ended when the OS began, its firmware before."""
    kernel_ms = figure_of(boot, "exit_boot_services_exit_ms") or figure_of(
        boot, "start_os_image_ms"
    )
    return replace(
        boot,
        wake_time_utc_ns=boot.sleep_time_utc_ns,
        sleep_time_utc_ns=None,
        wake_ms=0,
        bios_init_ms=None if kernel_ms is None else round(kernel_ms),
    )


def _shutdowns(
    boots: Mapping[int, tuple[int, float]],
    starts_ns: Mapping[int, int],
    records: Sequence[OsRecord],
) -> dict[int, int]:
    starts = sorted(starts_ns.values())
    begun = sorted((ns, at) for at, ns in _starts_of(SleepKind.SHUTDOWN, records).items())
    found = {}
    for cycle, (boot, _) in boots.items():
        place = bisect_left(starts, starts_ns[boot])
        last = bisect_left(begun, (starts_ns[boot],)) - 1
        if last >= 0 and (place == 0 or begun[last][0] > starts[place - 1]):
            found[cycle] = begun[last][1]
    return found


def _all_moments(
    cycles: Sequence[TimedCycle], records: Sequence[OsRecord], related: bool
) -> list[OutsideMoments]:
    """Return when the cycles slept and woke, and which kinds of record their wires exclude.

    What speaks against every sleep in the log distinguishes none of them from the others.
    """
    one_of_each = {record.kind: record for record in records if record.kind not in NO_SLEEPS}
    excluded_kinds: dict[tuple[OutsideState, tuple[Channel, ...]], frozenset[SleepKind]] = {}
    moments: list[OutsideMoments] = []
    for cycle in cycles:
        outside = cycle.outside
        asleep_as = (outside.state, outside.channels)
        if asleep_as not in excluded_kinds:
            excluded = frozenset(
                kind
                for kind, record in one_of_each.items()
                if state_mismatch(outside, record) is not None
            )
            excluded_kinds[asleep_as] = (
                excluded if len(excluded) < len(one_of_each) else frozenset()
            )
        own = _moments(cycle, related)
        way = outside.intervals.get(IntervalName.TRIGGER_TO_SLP_S3)
        if outside.hibernated_from_ns is not None:
            way = None  # of a doze the OS reports the way to S4
        moments.append(
            replace(
                own,
                unlike=excluded_kinds[asleep_as],
                silent=_silent(outside),
                to_sleep_ns=None if way is None else way.value_ns,
            )
        )
    return moments


def _silent(outside: OutsideCycle) -> float:
    """Return how likely it is that no OS came back to write a record."""
    if outside.outcome is Outcome.HUNG_IN_RESUME:
        return _HUNG_SILENT
    not_up = any(finding.kind in NOT_UP for finding in outside.findings)
    return _DARK_SILENT if not_up else 0.0


def _moments(cycle: TimedCycle, related: bool) -> OutsideMoments:
    outside = cycle.outside
    unfinished = outside.outcome is Outcome.INTERRUPTED and outside.awake_from_ns is None
    if unfinished or outside.outcome in NOT_MATCHED:
        return OutsideMoments(None, None)
    # Of a doze a log may have when the S3 began, or when it went on to S4.
    asleep_ns = outside.asleep_from_ns if outside.hibernated_from_ns is None else None
    if not related:
        return OutsideMoments(asleep_ns, outside.awake_from_ns)
    if cycle.wake_utc is None:
        return OutsideMoments(None, None)
    awake_ns = cycle.wake_utc.value_ns
    if asleep_ns is None or outside.awake_from_ns is None:
        return OutsideMoments(None, awake_ns)
    return OutsideMoments(awake_ns - outside.awake_from_ns + asleep_ns, awake_ns)


def lost_beside_others(
    lost: Iterable[int],
    pairs: Iterable[tuple[int, int]],
    others: Mapping[int, RecordReason],
    count: int,
) -> frozenset[int]:
    """Return those of the lost cycles that a record without a cycle may be of.

    The clock may have been set there, or have drifted in a long sleep, so the match leaves it
    alone. The record is there, and no cycle's: that it is lost would be a false finding.

    Args:
        lost: cycles between or next to matched ones, that no record was matched with.
        pairs: (cycle, record) of what is matched.
        others: why records are of no cycle, by index.
        count: how many records there are.
    """
    matched = dict(pairs)
    cycles, free = (
        sorted(matched),
        sorted(at for at, why in others.items() if why in _MAY_BE_OF_ONE),
    )
    found = set()
    for cycle in lost if cycles else ():
        low, high = _span(cycle, cycles, matched, count)
        after = bisect_left(free, low)
        if after < len(free) and free[after] <= high:
            found.add(cycle)
    return frozenset(found)


def _span(
    cycle: int, cycles: Sequence[int], matched: dict[int, int], count: int
) -> tuple[int, int]:
    """Return the first and the last record among which that of a cycle may stand.

    Before the first matched cycle, and behind the last one, as many records as cycles are there.
    """
    place = bisect_left(cycles, cycle)
    if place == len(cycles):
        low = matched[cycles[-1]] + 1
        return low, min(low + cycle - cycles[-1], count - 1)
    high = matched[cycles[place]]
    low = matched[cycles[place - 1]] + 1 if place else high - (cycles[place] - cycle)
    return max(low, 0), high
