"""Begins a campaign, or goes on with one."""

from pathlib import Path

from resume_rig.campaign.bench import Bench
from resume_rig.campaign.disk_space import DiskSpace, FreeBytes, free_bytes
from resume_rig.campaign.events import Observer, ignore
from resume_rig.campaign.identity import Identity, check_same_bench
from resume_rig.campaign.log_feed import LogFeed, came_late, mark_of
from resume_rig.campaign.os_log_source import OsLogSource, identity_of
from resume_rig.campaign.outside_help import NO_HELP, OutsideHelp
from resume_rig.campaign.plan import Plan, check_against_bench, check_plan
from resume_rig.campaign.plan_progress import done_of, stopped_by
from resume_rig.campaign.raw import LogMark, Session
from resume_rig.campaign.rig_return import Reopen
from resume_rig.campaign.runner import (
    CampaignEnd,
    CampaignFinished,
    CampaignParts,
    CampaignRunner,
    CampaignStopped,
)
from resume_rig.campaign.store import Store
from resume_rig.model.channel import Actuator
from resume_rig.model.clock import Clock
from resume_rig.model.errors import UsageError
from resume_rig.model.means import SleepMeans, WakeMeans
from resume_rig.model.units import seconds_text
from resume_rig.rig.dut_control import DutControl
from resume_rig.rig.interface import Rig

# A clock that time synchronisation set back a little is waited for.
MOST_BEHIND_NS = 60_000_000_000

__all__ = ["CampaignEnd", "CampaignFinished", "CampaignStopped", "begin", "go_on"]


def begin(
    path: Path,
    plan: Plan,
    identity: Identity,
    *,
    rig: Rig,
    clock: Clock,
    log: OsLogSource | None = None,
    observe: Observer = ignore,
    helps: OutsideHelp = NO_HELP,
    reopen: Reopen | None = None,
    free: FreeBytes = free_bytes,
    control: DutControl | None = None,
) -> CampaignEnd:
    """Run a campaign into a new store.

    Args:
        path: of the store; no file may be there.
        plan: what to do.
        identity: who takes part (`identity.identify`).
        rig: open; the caller closes it.
        clock: the rig's.
        log: where OS records come from; what it holds already is not this campaign's.
        observe: told what happens.
        helps: may bring the DUT back, beside the rig.
        reopen: opens the rig's port anew where its link went; None ends the campaign then.
        free: tells how many bytes the disk of the store has left.
        control: the DUT's OS; None where nothing reaches it. The caller closes it.

    Raises:
        UsageError: plan and bench do not fit, or the store cannot be made; nothing was moved.
        RecordError: log or store cannot be used.
        RigError: the rig or the DUT failed; the store keeps what was measured.
    """
    check_plan(plan)
    _check_bench(plan, identity, commanded=control is not None)
    _prepare(control, plan)
    disk = DiskSpace(path, free)
    disk.check_before(plan, has_light=identity.rig.light_ring > 0)
    mark = mark_of(log.new_records()) if log is not None else LogMark()
    feed = LogFeed(log, mark, states=plan.states)
    with Store.create(path, identity, plan) as store:
        return _run(
            store,
            identity,
            rig=rig,
            clock=clock,
            feed=feed,
            observe=observe,
            disk=disk,
            helps=helps,
            reopen=reopen,
            control=control,
        )


def go_on(
    path: Path,
    identity: Identity,
    *,
    rig: Rig,
    clock: Clock,
    log: OsLogSource | None = None,
    observe: Observer = ignore,
    helps: OutsideHelp = NO_HELP,
    reopen: Reopen | None = None,
    free: FreeBytes = free_bytes,
    control: DutControl | None = None,
) -> CampaignEnd:
    """Go on with the campaign of a store, by its own plan, from its next cycle.

    Args:
        path: of the store.
        identity: who takes part now; rig and DUT must be those of the store.
        rig: open; the caller closes it.
        clock: the rig's.
        log: where OS records come from.
        observe: told what happens.
        helps: may bring the DUT back, beside the rig.
        reopen: opens the rig's port anew where its link went; None ends the campaign then.
        free: tells how many bytes the disk of the store has left.
        control: the DUT's OS; None where nothing reaches it. The caller closes it.

    Raises:
        UsageError: rig or DUT are others, or the host's clock is behind the store's cycles.
        RecordError: log or store cannot be used, or another process runs the campaign.
        RigError: the rig or the DUT failed; the store keeps what was measured.
    """
    with Store.resume(path) as store:
        check_same_bench(store.identity, identity, str(path))
        why = stopped_by(store)
        if why is not None or done_of(store) >= store.plan.cycles:
            return CampaignFinished(path, store.outcomes(), why)
        _check_bench(store.plan, identity, commanded=control is not None)
        _prepare(control, store.plan)
        _wait_past(store, clock)
        feed, disk = _feed_of(store, log), DiskSpace(path, free)
        return _run(
            store,
            identity,
            rig=rig,
            clock=clock,
            feed=feed,
            observe=observe,
            disk=disk,
            helps=helps,
            reopen=reopen,
            control=control,
        )


def _wait_past(store: Store, clock: Clock) -> None:
    """Let no cycle stand before an earlier one: records are matched with cycles by their times."""
    behind_ns = store.newest_utc_ns() - clock.utc_ns()
    if behind_ns > MOST_BEHIND_NS:
        raise UsageError(
            f"could not go on with {store.path}: the host's clock shows a time "
            f"{seconds_text(behind_ns)} before the end of its newest cycle; set the clock right"
        )
    clock.sleep_ns(behind_ns)


def _feed_of(store: Store, log: OsLogSource | None) -> LogFeed:
    states = store.plan.states
    if log is None:
        return LogFeed(None, LogMark())
    found = log.new_records()
    earlier = [session.log.mark for session in store.sessions() if session.log is not None]
    if not earlier:
        return LogFeed(log, mark_of(found), states=states)
    stored = frozenset(
        identity_of(record) for raw in store.cycles(with_light=False) for record in raw.records
    )
    return LogFeed(log, earlier[0], came_late(found, earlier[0], stored), states)


def _check_bench(plan: Plan, identity: Identity, *, commanded: bool) -> None:
    movable = _movable(identity)
    check_against_bench(
        plan,
        identity.dut_name,
        tuple(movable),
        identity.wired,
        movable.get(Actuator.BUTTON, 0),
        idle_ns=None if identity.dut is None else identity.dut.idle_ns,
        commanded=commanded,
    )


def _prepare(control: DutControl | None, plan: Plan) -> None:
    """Let the DUT's OS say, before anything is moved, that it can do what the plan asks for."""
    by_os = {SleepMeans.COMMAND, WakeMeans.TIMER} & plan.means
    if control is not None and by_os:
        control.prepare(plan.states if SleepMeans.COMMAND in by_os else ())


def _movable(identity: Identity) -> dict[Actuator, int]:
    """Return what the rig can move on the DUT, with the longest press [ns] of each."""
    dut = identity.dut
    return {
        info.actuator: info.max_press_ns
        for info in identity.rig.actuators
        if dut is None or info.actuator in dut.actuators
    }


def _run(
    store: Store,
    identity: Identity,
    *,
    rig: Rig,
    clock: Clock,
    feed: LogFeed,
    observe: Observer,
    disk: DiskSpace,
    helps: OutsideHelp,
    reopen: Reopen | None,
    control: DutControl | None,
) -> CampaignEnd:
    session = Session(
        number=len(store.sessions()) + 1,
        started_utc_ns=clock.utc_ns(),
        boot_id=identity.rig.boot_id,
        host=identity.host,
        software=identity.software,
        log=feed.state(),
    )
    store.begin_session(session)
    movable, press_ns = _movable(identity), store.plan.press_ns
    parts = CampaignParts(
        lambda info: Bench(
            rig, clock, info, identity.wired, press_ns=press_ns, movable=tuple(movable)
        ),
        disk,
        helps,
        reopen,
        control,
    )
    return CampaignRunner(parts, store, session, feed, observe, info=identity.rig).run()
