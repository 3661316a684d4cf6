"""A campaign read back from its store: everything derived is derived again from what is raw."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from resume_rig.analysis.correlate import TimedCycle
from resume_rig.campaign.identity import Identity
from resume_rig.campaign.outside import outside_cycle
from resume_rig.campaign.plan import Plan
from resume_rig.campaign.raw import CycleRaw, Recovery, Session
from resume_rig.campaign.store import Store
from resume_rig.model.cycle import Outcome
from resume_rig.model.errors import RigError
from resume_rig.model.os_record import LogReading
from resume_rig.model.quantity import BoundedNs
from resume_rig.timing.relation import relate


@dataclass(frozen=True, slots=True)
class StoredCampaign:
    """What a store holds, but for the light.

    Attributes:
        path: of the store.
        cycles: in order; their `light` is empty (`Store.cycles` has it).
        reading: the OS records of all cycles, and the log that they came from.
        sessions: runs and resumes, in order.
        recoveries: what was done outside of cycles, in order.
        salvaged: what was salvaged, where the store was put together from a damaged one.
    """

    path: Path
    identity: Identity
    plan: Plan
    cycles: tuple[CycleRaw, ...]
    reading: LogReading
    sessions: tuple[Session, ...]
    recoveries: tuple[Recovery, ...]
    salvaged: str | None = None


def load_campaign(path: Path) -> StoredCampaign:
    """Read a store, which another process may be writing to.

    Raises:
        RecordError: it is not a whole campaign store of a version that is known.
    """
    with Store.open(path) as store:
        cycles = tuple(store.cycles(with_light=False))
        sessions = store.sessions()
        return StoredCampaign(
            path=path,
            identity=store.identity,
            plan=store.plan,
            cycles=cycles,
            reading=_reading(cycles, sessions),
            sessions=sessions,
            recoveries=store.recoveries(),
            salvaged=store.salvaged,
        )


def outside_cycles(stored: StoredCampaign) -> list[TimedCycle]:
    """Return what the wires say of each cycle, on the host's clock; in order."""
    timed: list[TimedCycle] = []
    index = 0
    for raw in stored.cycles:
        timed.append(_timed(raw, stored, index))
        index += raw.outcome is not Outcome.INTERRUPTED
    return timed


def _timed(raw: CycleRaw, stored: StoredCampaign, index: int) -> TimedCycle:
    """Return a cycle; `index` is how many cycles of the plan were done before it."""
    plan = stored.plan
    ignored = index < plan.warm_up and raw.outcome is not Outcome.INTERRUPTED
    outside = outside_cycle(raw, plan.of_cycle(index), stored.identity, ignored=ignored)
    board_ns = outside.trigger_ns if outside.awake_from_ns is None else outside.awake_from_ns
    tolerance_ppb = stored.identity.rig.clock_tolerance_ppb
    wake_utc = None if board_ns is None else utc_of(raw, board_ns, tolerance_ppb)
    return TimedCycle(outside, wake_utc, raw.records)


def utc_of(raw: CycleRaw, board_ns: int, tolerance_ppb: int) -> BoundedNs | None:
    """Return the host's UTC at a board time of a cycle; None where nothing relates the clocks.

    Each cycle stands on its own exchanges, so that a host that was suspended between two cycles,
    or a board that was restarted, spoils neither.
    """
    if not raw.exchanges:
        return None
    try:
        host = relate(raw.exchanges, tolerance_ppb).to_host_ns(board_ns)
    except RigError:
        # The host's clock stepped within the cycle: its edges stand, their UTC does not.
        return None
    return BoundedNs(host.value_ns + raw.utc_minus_host_ns, host.bound_ns)


def _reading(cycles: Iterable[CycleRaw], sessions: Iterable[Session]) -> LogReading:
    logs = [session.log for session in sessions if session.log is not None]
    return LogReading(
        sources=() if not logs else (logs[-1].source,),
        records=tuple(record for raw in cycles for record in raw.records),
    )
