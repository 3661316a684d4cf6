"""A campaign read back from its store: everything derived is derived again from what is raw.

A long campaign does not fit the memory, so its cycles are read anew in each pass, and light only
where it is drawn or timed.
"""

import dataclasses
import sys
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import isfinite
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.cycles.levels import lines_of
from resume_rig.analysis.cycles.light import LightReading
from resume_rig.analysis.cycles.light_shape import light_reading
from resume_rig.analysis.cycles.moments import Wires, find_sleeps, state_of
from resume_rig.analysis.reconcile.reconcile import ExtraSleep, TimedCycle
from resume_rig.campaign.plan.plan import Plan, why_stop
from resume_rig.campaign.store.clock import CampaignClock, utc_alone
from resume_rig.campaign.store.identity import Identity
from resume_rig.campaign.store.measured_cycle import outside_cycle, pin_edges, with_hang
from resume_rig.campaign.store.raw import CommandName, CycleRaw, Recovery, Session, recoveries_of
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Figure, LogReading, OsRecord, WakeSource
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    BoardClock,
    Correlation,
    Outcome,
    OutsideCycle,
    OutsideState,
    ReconciledCycle,
)
from resume_rig.model.result.judgement import RecordedCycle
from resume_rig.model.result.packed import PackedIntervals, PackedSequence
from resume_rig.model.result.verdict import Finding
from resume_rig.model.units import count_of
from resume_rig.oslog.event.delays import with_delays
from resume_rig.timing.relation import RateCalibration


@dataclass(frozen=True, slots=True)
class PlanProgress:
    """Where a campaign stands.

    Attributes:
        done: cycles of the plan that are done.
        ended_by: the rule of the plan that ended it, a sentence without a full stop; None without.
        to_show: what a rule of the plan wants to be shown, in words; empty without one.
    """

    done: int
    cycles: int
    ended_by: str | None
    to_show: str = ""

    @property
    def left(self) -> str | None:
        """A sentence, where something of the plan is not done; None for a campaign that is."""
        if self.ended_by is not None or self.done >= self.cycles:
            return None
        return (
            f"The plan is not done: {self.done} of {count_of(self.cycles, 'cycle')}; the answer is "
            "of these alone."
        )

    @property
    def rule(self) -> str | None:
        """A sentence, where a rule ended the campaign, or what it asks for was not shown."""
        if self.ended_by is None and self.to_show and self.done >= self.cycles:
            return f"Not shown by all of the plan's cycles: {self.to_show}."
        if self.ended_by is None or self.done >= self.cycles:
            return None
        return f"Ended by a rule of its plan before the last cycle: {self.ended_by}."


def progress_of(store: Store) -> PlanProgress:
    """Return where the campaign of a store stands.

    Raises:
        RecordError: the store cannot be read.
    """
    return PlanProgress(
        done_of(store), store.plan.cycles, stopped_by(store), store.plan.stop.rate_words()
    )


def done_of(store: Store) -> int:
    """Return how many cycles of the plan are done; interrupted ones are to be done again."""
    outcomes = store.outcomes()
    return sum(outcomes.values()) - outcomes.get(Outcome.INTERRUPTED, 0)


def stopped_by(store: Store) -> str | None:
    """Return which rule of its plan ended a campaign; None where none did."""
    rules = store.plan.stop
    if not rules.any:
        return None
    recoveries = 0 if rules.recoveries is None else recoveries_of(store.recoveries())
    return why_stop(rules, store.outcomes(), store.spent_ns(), recoveries)


@dataclass(frozen=True, slots=True)
class StoredCampaign:
    """What a store holds, but for the light.

    Attributes:
        cycles: in order; their `light` is empty (`Store.cycles` has it). Those of a store are
            read anew in each pass over them, so that memory does not grow with their edges.
        reading: the OS records of all cycles, and the log that they came from; the original
            text, which is most of a record, stays in the store (`record_texts`).
        sessions: runs and resumes, in order.
        recoveries: what was done outside of cycles, in order.
        outcomes: how many cycles the runner saw come to which; those that none came to are absent.
        findings: of the runner, with the number of the cycle; in order.
        salvaged: what was salvaged, where the store was put together from a damaged one.
    """

    path: Path
    identity: Identity
    plan: Plan
    cycles: Sequence[CycleRaw]
    reading: LogReading
    sessions: tuple[Session, ...]
    recoveries: tuple[Recovery, ...]
    outcomes: Mapping[Outcome, int]
    findings: tuple[tuple[int, Finding], ...]
    salvaged: str | None
    progress: PlanProgress


def load_campaign(path: Path) -> StoredCampaign:
    """Read a store, which another process may be writing to.

    Raises:
        RecordError: it is not a whole campaign store of a version that can be read.
    """
    numbers = array("q")
    records: list[OsRecord] = []
    ends = array("q")
    outcomes: Counter[Outcome] = Counter()
    findings: list[tuple[int, Finding]] = []
    with Store.open(path) as store:
        sessions = store.sessions()
        for raw in store.cycles(with_light=False):
            numbers.append(raw.number)
            outcomes[raw.outcome] += 1
            findings += [(raw.number, finding) for finding in raw.findings]
            records += map(without_text, raw.records)
            ends.append(len(records))
        joined, ends = _joined(records, ends)
        return StoredCampaign(
            path=path,
            identity=store.identity,
            plan=store.plan,
            cycles=StoredCycles(path, numbers, joined, ends),
            reading=_reading(joined, sessions),
            sessions=sessions,
            recoveries=store.recoveries(),
            outcomes=outcomes,
            findings=tuple(findings),
            salvaged=store.salvaged,
            progress=progress_of(store),
        )


def _reading(records: Sequence[OsRecord], sessions: Iterable[Session]) -> LogReading:
    logs = [session.log for session in sessions if session.log is not None]
    return LogReading(
        sources=() if not logs else (logs[-1].source,),
        records=tuple(records),
    )


def _joined(
    records: Sequence[OsRecord], ends: Sequence[int]
) -> tuple[list[OsRecord], "array[int]"]:
    """Return the records with what delayed them, and how many each cycle and those before have."""
    found = with_delays(records)
    kept = [0, *accumulate(record is not None for record in found)]
    left = array("q", (kept[end] for end in ends))
    return [record for record in found if record is not None], left


def without_text(record: OsRecord) -> OsRecord:
    """Return a record without its original text; what many have is one object in all of them."""
    figures = tuple(_figure(sys.intern(each.name), each.value) for each in record.figures)
    return dataclasses.replace(
        record,
        text="",
        figures=figures,
        wake_source=_source(record.wake_source),
        sleep_ms=_number(record.sleep_ms),
        wake_ms=_number(record.wake_ms),
        driver_init_ms=_number(record.driver_init_ms),
        bios_init_ms=_number(record.bios_init_ms),
        firmware_resume_ms=_number(record.firmware_resume_ms),
        firmware_resume_count=_number(record.firmware_resume_count),
        os_build=_number(record.os_build),
    )


@lru_cache(maxsize=256)
def _source(source: WakeSource) -> WakeSource:
    return source


@lru_cache(maxsize=4096)
def _number(value: int | None) -> int | None:
    return value


@lru_cache(maxsize=4096, typed=True)
def _figure(name: str, value: float) -> Figure:
    return Figure(name, value)


class StoredCycles(Sequence[CycleRaw]):
    """Cycles of a store, in order, without light. A committed cycle never changes.

    Args:
        numbers: of the cycles that are in this sequence; ascending. What another process adds
            to the store later is not.
        records: OS records of these cycles, in order. They are unpacked once, as they are part of
            the answer, and shared by all passes.
        ends: of each cycle, how many records it and those before it have.
    """

    def __init__(
        self,
        path: Path,
        numbers: Sequence[int],
        records: Sequence[OsRecord],
        ends: Sequence[int],
    ) -> None:
        self._path = path
        self._numbers = numbers
        self._records = records
        self._ends = ends

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[CycleRaw]:
        """Yield each, in order.

        Raises:
            RecordError: one cannot be read any more.
        """
        if not self._numbers:
            return
        last = self._numbers[-1]
        found = 0
        with Store.open(self._path) as store:
            for raw in store.cycles(with_light=False, with_records=False):
                if raw.number > last:
                    break
                found += 1
                yield self._whole(raw)
        if found != len(self._numbers):
            raise RecordError(
                f"could not read the store {self._path} again: found {found} cycles up to cycle "
                f"{last}, where {len(self._numbers)} were before"
            )

    @overload
    def __getitem__(self, place: int) -> CycleRaw: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[CycleRaw, ...]: ...

    def __getitem__(self, place: int | slice) -> CycleRaw | tuple[CycleRaw, ...]:
        """Return one, or some; each is read again.

        Raises:
            IndexError: there is none of that place.
            RecordError: it cannot be read any more.
        """
        if isinstance(place, slice):
            return self._read(self._numbers[place])
        (found,) = self._read([self._numbers[place]])
        return found

    def _read(self, numbers: Sequence[int]) -> tuple[CycleRaw, ...]:
        with Store.open(self._path) as store:
            found = {
                raw.number: self._whole(raw)
                for raw in store.cycles(numbers, with_light=False, with_records=False)
            }
        missing = [number for number in numbers if number not in found]
        if missing:
            raise RecordError(
                f"could not read the store {self._path} again: cycle {missing[0]} is gone"
            )
        return tuple(found[number] for number in numbers)

    def _whole(self, raw: CycleRaw) -> CycleRaw:
        place = bisect_left(self._numbers, raw.number)
        if place == len(self._numbers) or self._numbers[place] != raw.number:
            return raw
        first = self._ends[place - 1] if place else 0
        records = tuple(self._records[first : self._ends[place]])
        return dataclasses.replace(raw, records=records) if records else raw


@dataclass(frozen=True, slots=True)
class TimedCampaign:
    """What the wires show of each cycle, in order, and how the board's clock ran meanwhile.

    Attributes:
        calibrations: of each cycle, the rate that the board's clock was proven to have, if any.
        extra_sleeps: that the rig made outside of the cycles, in order.
    """

    cycles: Sequence[TimedCycle]
    board_clock: BoardClock
    calibrations: Sequence[RateCalibration | None]
    extra_sleeps: tuple[ExtraSleep, ...] = ()


def timed_campaign(stored: StoredCampaign) -> TimedCampaign:
    """Return what the wires show, on the host's wall clock; intervals by true time as proven."""
    clock = clock_of(stored)
    calibrations: list[RateCalibration | None] = []
    extra: list[ExtraSleep] = []
    timed = _timed(stored, clock, calibrations, extra)
    cycles = PackedSequence(timed, kept=stored.reading.records)
    board_clock = clock.summary([each.bound_ppb for each in calibrations if each is not None])
    return TimedCampaign(cycles, board_clock, PackedSequence(calibrations), tuple(extra))


def _timed(
    stored: StoredCampaign,
    clock: CampaignClock,
    calibrations: list[RateCalibration | None],
    extra: list[ExtraSleep],
) -> Iterator[TimedCycle]:
    """Yield each cycle.

    To `calibrations` goes what its intervals were corrected by, to `extra` each extra sleep.
    """
    steps: defaultdict[tuple[int, int], list[Recovery]] = defaultdict(list)
    for step in stored.recoveries:
        steps[step.session, step.after_cycle].append(step)
    wired, index, last = stored.identity.wired, 0, (0, 0)
    with Store.open(stored.path) as store:
        for raw in stored.cycles:
            if raw.session != last[0]:
                extra += extra_sleeps_of(raw, steps.get((raw.session, last[1]), ()), wired, clock)
            last = raw.session, raw.number
            calibration = clock.calibration(raw)
            calibrations.append(calibration)
            outside = _outside(raw, stored, index, calibration, light_of(raw, store))
            after = steps.get((raw.session, raw.number), ())
            outside = with_hang(outside, after, wired)
            outside = dataclasses.replace(outside, intervals=PackedIntervals(outside.intervals))
            extra += extra_sleeps_of(raw, after, wired, clock)
            yield TimedCycle(outside, _wake_utc(raw, outside, clock), raw.records)
            index += raw.outcome is not Outcome.INTERRUPTED


def _outside(
    raw: CycleRaw,
    stored: StoredCampaign,
    index: int,
    calibration: RateCalibration | None,
    light: LightReading | None,
) -> OutsideCycle:
    """Return a cycle; `index` is how many cycles of the plan were done before it."""
    plan = stored.plan
    return outside_cycle(
        raw,
        plan.of_cycle(index),
        stored.identity,
        light=light,
        ignored=index < plan.warm_up and raw.outcome is not Outcome.INTERRUPTED,
        calibration=calibration,
    )


def _wake_utc(raw: CycleRaw, outside: OutsideCycle, clock: CampaignClock) -> BoundedNs | None:
    """Return when the DUT woke; None where nothing relates the board's clock to the wall's.

    Where a clock stepped within the cycle its edges stand, their UTC does not.
    """
    board_ns = outside.trigger_ns if outside.awake_from_ns is None else outside.awake_from_ns
    board_ns = _lit_ns(raw) if board_ns is None else board_ns
    return None if board_ns is None else clock.utc_ns(raw, board_ns)


def _lit_ns(raw: CycleRaw) -> int | None:
    """Return when the display came on last, which is all that Modern Standby shows of a timer."""
    lit = [e.t_ns for e in raw.edges if e.channel is Channel.BACKLIGHT and e.level]
    return lit[-1] if lit and any(c.name is CommandName.ARM_TIMER for c in raw.commands) else None


def clock_of(stored: StoredCampaign) -> CampaignClock:
    """Return how the board's clock ran in each of the cycles."""
    return CampaignClock(
        stored.cycles,
        stored.identity.rig,
        stored.identity.host_clock,
        frozenset(s.number for s in stored.sessions if s.host == stored.identity.host),
    )


def light_of(raw: CycleRaw, store: Store) -> LightReading | None:
    """Return what a cycle's light shows; blocks are read for it and not kept.

    Where they cannot be read, the onset stands without them.
    """
    rig = store.identity.rig
    if not rig.light_ring:
        return None
    try:
        table = store.light_table(raw.number)
    except RecordError:
        return None if raw.onset is None else LightReading(raw.onset)
    return light_reading(raw.onset, table, rig.light_full_scale)


_SLEEPS = (OutsideState.S3, OutsideState.S4)


def extra_sleeps_of(
    raw: CycleRaw, steps: Iterable[Recovery], wired: Collection[Channel], clock: CampaignClock
) -> tuple[ExtraSleep, ...]:
    """Return the sleeps whose end steps before or after a cycle show, in order.

    The OS writes a record of each, which would otherwise be taken for that of a cycle. A DUT that
    was off has slept in none of them, where its wires distinguish that from S4.

    `steps` are of the session of the cycle, in order.
    """
    found = []
    for step in steps:
        for asleep_ns, awake_ns in _sleeps(raw, step, wired):
            asleep = None if asleep_ns is None else clock.utc_ns(raw, asleep_ns)
            awake = clock.utc_ns(raw, awake_ns)
            if awake is not None:
                from_ns = None if asleep is None else asleep.value_ns
                found.append(ExtraSleep(from_ns, awake.value_ns))
    return tuple(found)


def _sleeps(
    raw: CycleRaw, step: Recovery, wired: Collection[Channel]
) -> Iterator[tuple[int | None, int]]:
    """Yield when each sleep of a step began and ended, board clock; None: before the step."""
    edges = [edge for edge in step.edges if edge.channel in wired]
    # A board that began anew counts from nothing: when its edges were is open.
    if (
        raw.edges
        and edges
        and (edges[0].t_ns < raw.edges[-1].t_ns) == (step.after_cycle == raw.number)
    ):
        return
    levels = {channel: level for channel, level in (step.levels or {}).items() if channel in wired}
    for edge in reversed(edges):
        levels[edge.channel] = 1 - edge.level
    wires = Wires(lines_of(edges, levels))
    for sleep in find_sleeps(wires):
        observed = sleep.by_power and sleep.begin_observed and sleep.end_observed
        if observed and isfinite(sleep.until_ns) and state_of(wires, sleep) in _SLEEPS:
            from_ns = int(sleep.from_ns) if isfinite(sleep.from_ns) else None
            yield from_ns, int(sleep.until_ns)


def recorded_cycles(
    path: Path, numbers: Collection[int] | None = None, *, with_light: bool = True
) -> Iterator[RecordedCycle]:
    """Yield the cycles of a store in order, all or some; light is most of a store.

    Raises:
        RecordError: the store cannot be read.
    """
    with Store.open(path) as store:
        for raw in store.cycles(numbers, with_light=with_light):
            yield recorded_cycle(raw, store)


def recorded_cycle(raw: CycleRaw, store: Store) -> RecordedCycle:
    """Return a cycle of an open store, with the light that was read of it."""
    identity: Identity = store.identity
    edges = pin_edges(raw, identity)
    trigger_ns = outside_cycle(
        raw, store.plan.of_cycle(store.index_of(raw.number)), identity
    ).trigger_ns
    zero_ns = trigger_ns if trigger_ns is not None else (edges[0].t_ns if edges else 0)
    utc = utc_alone(raw, zero_ns, identity.rig)
    return RecordedCycle(
        number=raw.number,
        edges=edges,
        initial_levels={c: level for c, level in raw.initial_levels.items() if c in identity.wired},
        light=raw.light,
        zero_ns=zero_ns,
        has_trigger=trigger_ns is not None,
        zero_utc_ns=None if utc is None else utc.value_ns,
        zero_utc_bound_ns=0 if utc is None else utc.bound_ns,
        started_utc_ns=raw.started_host_ns + raw.utc_minus_host_ns,
        light_full_scale=identity.rig.light_full_scale,
    )


def with_record_texts(
    correlation: Correlation, path: Path, numbers: Collection[int]
) -> Correlation:
    """Return an answer in which the records of some cycles have their original text again.

    Raises:
        RecordError: the store cannot be read.
    """
    chosen = frozenset(numbers)
    wanted = {
        _bare(cycle.record)
        for cycle in correlation.cycles
        if cycle.outside.number in chosen and cycle.record is not None and not cycle.record.text
    }
    if not wanted:
        return correlation
    texts: dict[OsRecord, str] = {}
    with Store.open(path) as store:
        # A record is in its own cycle, or came late and is in a later one.
        for raw in store.cycles(with_light=False):
            for record in raw.records:
                if (bare := _bare(record)) in wanted:
                    texts.setdefault(bare, record.text)
            if len(texts) == len(wanted):
                break

    def with_text(cycle: ReconciledCycle) -> ReconciledCycle:
        if cycle.outside.number not in chosen or cycle.record is None:
            return cycle
        text = cycle.record.text or texts.get(_bare(cycle.record), "")
        return dataclasses.replace(cycle, record=dataclasses.replace(cycle.record, text=text))

    kept = [cycle.record for cycle in correlation.cycles if cycle.record is not None]
    cycles = PackedSequence(map(with_text, correlation.cycles), kept)
    return dataclasses.replace(correlation, cycles=cycles)


def _bare(record: OsRecord) -> OsRecord:
    """Return what is left of a record without its text and without what may be joined to it."""
    return dataclasses.replace(record, text="", components=(), figures=())


@dataclass(frozen=True, slots=True)
class Overview:
    """One entry a cycle, in order.

    Attributes:
        numbers: of the cycles, int64 [n].
        outcomes: as the runner saw them.
        took_ns: host clock from the cycle's beginning to its end, int64 [n].
        planned: names of sleep state, sleep trigger and wake trigger by the plan, one each.
    """

    numbers: NDArray[np.int64]
    outcomes: tuple[Outcome, ...]
    took_ns: NDArray[np.int64]
    planned: tuple[tuple[str, str, str], ...]


def overview_of(store: Store) -> Overview:
    """Read it; another process may be writing to the store.

    Raises:
        RecordError: the store cannot be read.
    """
    rows = store.outline()
    return Overview(
        numbers=np.array([row[0] for row in rows], np.int64),
        outcomes=tuple(row[1] for row in rows),
        took_ns=np.array([row[2] for row in rows], np.int64),
        planned=_planned(store.plan, len(rows)),
    )


def _names(plan: Plan) -> tuple[str, str, str]:
    return plan.state.value, plan.sleep_by.value, plan.wake_by.value


def _planned(plan: Plan, count: int) -> tuple[tuple[str, str, str], ...]:
    if not plan.vary:
        return (_names(plan),) * count
    return tuple(_names(plan.of_cycle(index)) for index in range(count))
