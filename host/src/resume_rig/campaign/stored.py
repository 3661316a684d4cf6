"""A campaign read back from its store: everything derived is derived again from what is raw."""

import dataclasses
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from resume_rig.analysis.light_shape import light_reading
from resume_rig.analysis.timed_cycle import SleepBeside, TimedCycle
from resume_rig.analysis.wake_light import LightReading
from resume_rig.campaign.hung import with_hang
from resume_rig.campaign.identity import Identity
from resume_rig.campaign.outside import outside_cycle
from resume_rig.campaign.plan import Plan
from resume_rig.campaign.plan_progress import PlanProgress, progress_of
from resume_rig.campaign.raw import CommandName, CycleRaw, Recovery, Session
from resume_rig.campaign.record_texts import without_text
from resume_rig.campaign.sleeps_beside import sleeps_beside
from resume_rig.campaign.store import Store
from resume_rig.campaign.stored_clock import CampaignClock
from resume_rig.campaign.stored_cycles import StoredCycles
from resume_rig.model.channel import Channel
from resume_rig.model.cycle import BoardClock, Outcome, OutsideCycle
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogReading, OsRecord
from resume_rig.model.packed_intervals import PackedIntervals
from resume_rig.model.packed_sequence import PackedSequence
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.verdict import Finding
from resume_rig.timing.rate_calibration import RateCalibration


@dataclass(frozen=True, slots=True)
class StoredCampaign:
    """What a store holds, but for the light.

    Attributes:
        path: of the store.
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
    salvaged: str | None = None
    progress: PlanProgress | None = None


def load_campaign(path: Path) -> StoredCampaign:
    """Read a store, which another process may be writing to.

    Raises:
        RecordError: it is not a whole campaign store of a version that is known.
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
        return StoredCampaign(
            path=path,
            identity=store.identity,
            plan=store.plan,
            cycles=StoredCycles(path, numbers, records, ends),
            reading=_reading(records, sessions),
            sessions=sessions,
            recoveries=store.recoveries(),
            outcomes=outcomes,
            findings=tuple(findings),
            salvaged=store.salvaged,
            progress=progress_of(store),
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


@dataclass(frozen=True, slots=True)
class TimedCampaign:
    """What the wires say of each cycle, in order, and how the board's clock ran meanwhile.

    Attributes:
        calibrations: of each cycle, the rate that the board's clock was proven to have, if any.
        beside: sleeps that the rig made outside of the cycles, in order.
    """

    cycles: Sequence[TimedCycle]
    board_clock: BoardClock
    calibrations: Sequence[RateCalibration | None]
    beside: tuple[SleepBeside, ...] = ()


def outside_cycles(stored: StoredCampaign) -> Sequence[TimedCycle]:
    """Return what the wires say of each cycle; in order."""
    return timed_campaign(stored).cycles


def clock_of(stored: StoredCampaign) -> CampaignClock:
    """Return how the board's clock ran in each of the cycles."""
    return CampaignClock(
        stored.cycles,
        stored.identity.rig,
        stored.identity.host_clock,
        frozenset(s.number for s in stored.sessions if s.host == stored.identity.host),
    )


def timed_campaign(stored: StoredCampaign) -> TimedCampaign:
    """Return what the wires say, on the host's wall clock; intervals by true time as proven."""
    clock = clock_of(stored)
    calibrations: list[RateCalibration | None] = []
    beside: list[SleepBeside] = []
    timed = _timed(stored, clock, calibrations, beside)
    cycles = PackedSequence(timed, kept=stored.reading.records)
    told = clock.told([each.bound_ppb for each in calibrations if each is not None])
    return TimedCampaign(cycles, told, PackedSequence(calibrations), tuple(beside))


def _timed(
    stored: StoredCampaign,
    clock: CampaignClock,
    calibrations: list[RateCalibration | None],
    beside: list[SleepBeside],
) -> Iterator[TimedCycle]:
    """Yield each cycle.

    To `calibrations` goes what its intervals were corrected by, to `beside` what slept beside it.
    """
    steps: defaultdict[tuple[int, int], list[Recovery]] = defaultdict(list)
    for step in stored.recoveries:
        steps[step.session, step.after_cycle].append(step)
    wired, index, last = stored.identity.wired, 0, (0, 0)
    with Store.open(stored.path) as store:
        for raw in stored.cycles:
            if raw.session != last[0]:
                beside += sleeps_beside(raw, steps.get((raw.session, last[1]), ()), wired, clock)
            last = raw.session, raw.number
            calibration = clock.calibration(raw)
            calibrations.append(calibration)
            outside = _outside(raw, stored, index, calibration, light_of(raw, store))
            after = steps.get((raw.session, raw.number), ())
            outside = with_hang(outside, after, wired)
            outside = dataclasses.replace(outside, intervals=PackedIntervals(outside.intervals))
            beside += sleeps_beside(raw, after, wired, clock)
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


def _reading(records: Sequence[OsRecord], sessions: Iterable[Session]) -> LogReading:
    logs = [session.log for session in sessions if session.log is not None]
    return LogReading(
        sources=() if not logs else (logs[-1].source,),
        records=tuple(records),
    )
