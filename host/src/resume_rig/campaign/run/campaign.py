"""A campaign as somebody commissions it: put together, begun or resumed; the way of every face.

The host is kept awake while it runs: one that sleeps neither presses nor listens. Windows:
SetThreadExecutionState, of the thread that runs the campaign. Linux: an inhibitor lock of logind,
held by `systemd-inhibit` for as long as the program lives that it runs.
"""

import select
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resume_rig.campaign.dut.choice import SSH, dut_control, log_source
from resume_rig.campaign.dut.log_source import (
    LogFeed,
    OsLogSource,
    ServedLog,
    came_late,
    identity_of,
    mark_of,
)
from resume_rig.campaign.dut.shell import DutShell, parse_dut_address
from resume_rig.campaign.dut.trace import DutTrace, opened_trace
from resume_rig.campaign.dut.user_program import OutsideHelp, Person, PowerCommand, program_words
from resume_rig.campaign.dut.wake_lan import network_of
from resume_rig.campaign.plan.plan import Plan, check_against_bench, check_plan, cycles_for_rate
from resume_rig.campaign.run.events import HostMaySleep, LinkReported, Observer, ignore
from resume_rig.campaign.run.runner import (
    CampaignEnd,
    CampaignFinished,
    CampaignParts,
    CampaignRunner,
    CampaignStopped,
)
from resume_rig.campaign.store.disk import DiskSpace, free_bytes_of
from resume_rig.campaign.store.identity import Identity, check_same_bench, identify
from resume_rig.campaign.store.raw import LogMark
from resume_rig.campaign.store.read_back import done_of, stopped_by
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Actuator, SleepMeans, WakeMeans
from resume_rig.model.clock import Clock
from resume_rig.model.dut import DutProfile
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind, state_word
from resume_rig.model.result.verdict import Requirement
from resume_rig.model.rig_url import RigUrl, url_to_go_on
from resume_rig.model.units import NS_PER_S, seconds_text
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.interface import DutControl
from resume_rig.rig.link.open import OpenRig
from resume_rig.timing.clocks import utc_now_text
from resume_rig.timing.wall_clock import discipline_of, stated_discipline

__all__ = ["CampaignEnd", "CampaignFinished", "CampaignParts", "CampaignStopped", "begin", "go_on"]
Watch = Callable[[Identity], Observer]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a campaign may use besides the rig, each as the option of `run` of that name takes it.

    Attributes:
        log: the DUT's log; None: what the rig itself serves, if it does.
        ssh_config: in place of the user's own configuration of ssh.
        dut_shell: where the DUT's OS takes commands; None: `log`, where that is an ssh: address,
            or the OS of a simulated DUT.
        sleep_command: a program of the user's that commands the DUT's OS; goes before `dut_shell`.
        power_cycle: a program of the user's that cuts the DUT's supply and gives it back.
        person: somebody to ask; None where nobody is there.
        host_clock_ppb: the host's wall clock is kept to this rate error; None: ask its system.
        shown: whether what programs of the user's write may stand between lines of the campaign.
        lan_from: address of the host's that magic packets leave from; None: its system chooses.
        lan_to: where they go; None: everybody on that network.
    """

    log: str | None = None
    ssh_config: Path | None = None
    dut_shell: str | None = None
    sleep_command: str | None = None
    power_cycle: str | None = None
    person: Person | None = None
    host_clock_ppb: int | None = None
    shown: bool = True
    lan_from: str | None = None
    lan_to: str | None = None


NO_SURROUNDINGS = Surroundings()


@dataclass(frozen=True, slots=True)
class Commission:
    """What somebody asks for.

    Attributes:
        store: a new file; that of the campaign where `plan` is None.
        plan: None to go on with the campaign of the store, by its own plan.
        requirement: what the campaign is judged against.
        dut: profile of what stands on the bench; None where there is none.
        surroundings: what may be used besides the rig.
    """

    store: Path
    plan: Plan | None
    requirement: Requirement
    dut: DutProfile | None
    surroundings: Surroundings = NO_SURROUNDINGS


def usual_store() -> Path:
    """Return the store of a campaign that begins now and has no name for one."""
    return Path(f"resume-rig-{utc_now_text('%Y%m%dT%H%M%SZ')}.rrs")


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Where a stored campaign stands, for who opens its bench again.

    Attributes:
        rig_url: that may be opened, as `url_to_go_on` says.
        dut: the profile of its DUT; None where it has none.
        newest_utc_ns: wall time of its newest cycle; a virtual clock starts no earlier.
        sessions: runs and resumes that there were.
    """

    rig_url: RigUrl
    dut: DutProfile | None
    newest_utc_ns: int
    sessions: int


def interrupted(store: Path, url: RigUrl | None = None, dut: str | None = None) -> Interrupted:
    """Return where the campaign of a store stands.

    `url` is of a rig, `dut` the name or path of a profile, in place of the store's own where given.

    Raises:
        RecordError: the store cannot be read.
        UsageError: no such profile, or the store names a rig that only a user may name.
    """
    with Store.open(store) as opened:
        identity = opened.identity
        return Interrupted(
            url_to_go_on(url, identity.rig_url, store),
            load_dut_profile(dut) if dut else identity.dut,
            opened.newest_utc_ns(),
            len(opened.sessions()),
        )


def _judged_by(others: Collection[SleepKind]) -> str:
    """Return what would have cycles of other kinds judged; a boot is no kind of sleep."""
    if set(others) == {SleepKind.BOOT}:
        return " (--requirement boot-30s judges boots)"
    return f" (--kind changes that{', but for S5' if SleepKind.BOOT in others else ''})"


def warnings_of(commission: Commission, opened: OpenRig) -> Iterator[str]:
    """Yield a sentence for each thing that the verdict will lack, whatever is measured."""
    plan, requirement = commission.plan, commission.requirement
    others = set() if plan is None else plan.states - set(requirement.kinds)
    if plan is not None and others:
        kinds = ", ".join(requirement.kinds)
        whole = ", so the verdict will be NO-EVIDENCE" if others == set(plan.states) else ""
        yield (
            f"{requirement.id} speaks of {kinds}; cycles of "
            f"{', '.join(sorted(map(state_word, others)))} are measured and not judged{whole}"
            f"{_judged_by(others)}."
        )
    if plan is not None and plan.cycles < (needed := cycles_for_rate(plan.stop)):
        yield (
            f"the plan stops when it is shown {plan.stop.rate_words()}; that takes {needed:,} "
            f"cycles or more without a failure, and the plan has {plan.cycles:,}, so it cannot be "
            "shown."
        )
    if commission.surroundings.log is None and opened.dut_log is None:
        yield (
            "no --log was given and this rig serves none, so the verdict will be NO-EVIDENCE; "
            "what the wires say is measured all the same."
        )


def carry_out(commission: Commission, opened: OpenRig, watch: Watch) -> CampaignEnd:
    """Run what was asked for on an open rig; it stays open.

    `watch` gets who takes part, and returns what gets every event; the last one, however the
    campaign ends, is what the link lost.

    Raises:
        UsageError: plan and bench do not fit, or something that was named is not there; nothing
            was moved.
        RecordError: log or store cannot be used.
        RigError: rig or DUT failed; the store keeps what was measured.
    """
    surroundings, store = commission.surroundings, commission.store
    helps = OutsideHelp(_power(surroundings, store), surroundings.person)
    free = free_bytes_of(opened.disk_is_full)
    with ExitStack() as open_parts:
        # The host of a simulated bench does not matter: it falls asleep with its DUT.
        may_sleep = None if opened.in_process else open_parts.enter_context(host_awake())
        identity = _identity(commission, opened, may_sleep)
        observe = watch(identity)
        if may_sleep is not None:
            observe(HostMaySleep(may_sleep))
        open_parts.callback(_report_link, opened, observe)
        log = _log(surroundings, opened)
        if log is not None:
            open_parts.enter_context(closing(log))
        control = _control(surroundings, opened, store)
        if control is not None:
            open_parts.enter_context(closing(control))
        parts = CampaignParts(
            *(opened.rig, opened.clock, log, control, helps, opened.reopen, free),
            network=network_of(opened.network, surroundings.lan_from, surroundings.lan_to),
            trace=_trace(commission, opened),
        )
        if commission.plan is None:
            return go_on(store, identity, parts, observe)
        return begin(store, commission.plan, identity, parts, observe)


def _identity(commission: Commission, opened: OpenRig, may_sleep: str | None) -> Identity:
    kept_ppb = commission.surroundings.host_clock_ppb
    return identify(
        rig_url=opened.url,
        rig=opened.rig.info(),
        dut=commission.dut,
        requirement=commission.requirement,
        created_utc_ns=opened.clock.utc_ns(),
        host_clock=discipline_of(opened.clock) if kept_ppb is None else stated_discipline(kept_ppb),
        faults=None if opened.faults is None else opened.faults.text,
        host_may_sleep=may_sleep,
        simulated=opened.simulated,
    )


def _log(surroundings: Surroundings, opened: OpenRig) -> OsLogSource | None:
    if surroundings.log is not None:
        return log_source(surroundings.log, opened.clock, surroundings.ssh_config)
    return None if opened.dut_log is None else ServedLog(opened.dut_log)


def _control(surroundings: Surroundings, opened: OpenRig, store: Path) -> DutControl | None:
    named = dut_control(
        surroundings.sleep_command,
        _shell_of(surroundings),
        opened.clock,
        surroundings.ssh_config,
        store,
        shown=surroundings.shown,
    )
    return opened.control if named is None else named


def _shell_of(surroundings: Surroundings) -> str | None:
    """Return where the DUT's OS takes commands."""
    log = surroundings.log
    by_log = log if log is not None and log.startswith(SSH) else None
    return by_log if surroundings.dut_shell is None else surroundings.dut_shell


def _trace(commission: Commission, opened: OpenRig) -> DutTrace | None:
    plan, store, surroundings = commission.plan, commission.store, commission.surroundings
    if plan is None:
        with Store.open(store) as kept:
            plan = kept.plan
    address = _shell_of(surroundings)
    shell = None
    if address is not None and address.startswith(SSH):
        shell = DutShell(parse_dut_address(address), opened.clock, surroundings.ssh_config)
    return opened_trace(plan, shell, store, opened.clock)


def _power(surroundings: Surroundings, store: Path) -> PowerCommand | None:
    if surroundings.power_cycle is None:
        return None
    words = program_words(surroundings.power_cycle)
    return PowerCommand(words, {"store": str(store)}, shown=surroundings.shown)


def _report_link(opened: OpenRig, observe: Observer) -> None:
    counts = opened.link_counts()
    observe(LinkReported(counts.repeated, counts.stale, counts.damaged))


def begin(
    path: Path, plan: Plan, identity: Identity, parts: CampaignParts, observe: Observer = ignore
) -> CampaignEnd:
    """Run a campaign into a new store; what its log holds already is not this campaign's.

    Raises:
        UsageError: plan and bench do not fit, or the store cannot be made; nothing was moved.
        RecordError: log or store cannot be used.
        RigError: the rig or the DUT failed; the store keeps what was measured.
    """
    check_plan(plan)
    _prepare(plan, identity, parts)
    DiskSpace(path, parts.free).check_before(plan, has_light=identity.rig.light_ring > 0)
    log = parts.log
    mark = mark_of(log.new_records()) if log is not None else LogMark()
    feed = LogFeed(log, mark, states=plan.states)
    with Store.create(path, identity, plan) as store:
        return CampaignRunner(parts, store, identity, feed, observe).run()


def go_on(
    path: Path, identity: Identity, parts: CampaignParts, observe: Observer = ignore
) -> CampaignEnd:
    """Go on with the campaign of a store, by its own plan, from its next cycle.

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
        _prepare(store.plan, identity, parts)
        _wait_past(store, parts.clock)
        feed = _feed_of(store, parts.log)
        return CampaignRunner(parts, store, identity, feed, observe).run()


def _prepare(plan: Plan, identity: Identity, parts: CampaignParts) -> None:
    """Check that the bench, and the DUT's OS, can do what the plan asks for; nothing is moved."""
    control = parts.control
    movable = identity.movable
    check_against_bench(
        plan,
        identity.dut_name,
        tuple(movable),
        identity.wired,
        movable.get(Actuator.BUTTON, 0),
        idle_ns=None if identity.dut is None else identity.dut.idle_ns,
        commanded=control is not None,
        max_key_ns=movable.get(Actuator.KEYBOARD, 0),
        has_mac=identity.dut is not None and identity.dut.mac is not None,
    )
    by_os = {SleepMeans.COMMAND, WakeMeans.TIMER} & plan.means
    if control is not None and (by_os or plan.health):
        states = plan.states if SleepMeans.COMMAND in by_os else ()
        control.prepare(states, reports=plan.health)
    if parts.trace is not None:
        parts.trace.prepare()


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


# A clock that time synchronisation set back a little is waited for.
MOST_BEHIND_NS = 60 * NS_PER_S


def _wait_past(store: Store, clock: Clock) -> None:
    """Let no cycle stand before an earlier one: records are matched with cycles by their times."""
    behind_ns = store.newest_utc_ns() - clock.utc_ns()
    if behind_ns > MOST_BEHIND_NS:
        raise UsageError(
            f"could not go on with {store.path}: the host's clock shows a time "
            f"{seconds_text(behind_ns)} before the end of its newest cycle; set the clock right"
        )
    clock.sleep_ns(behind_ns)


if sys.platform == "win32":
    import ctypes

    # winbase.h
    _CONTINUOUS: Final = 0x80000000
    _SYSTEM_REQUIRED: Final = 0x00000001
    _set_state = ctypes.windll.kernel32.SetThreadExecutionState
    _set_state.argtypes, _set_state.restype = (ctypes.c_uint,), ctypes.c_uint


# `cat` answers once logind has given the lock, and ends with its standard input.
_INHIBIT: Final = (
    "systemd-inhibit",
    "--what=sleep:idle:handle-lid-switch",
    "--who=resume-rig",
    "--why=a campaign is running",
    "cat",
)
# Assumed: D-Bus answers within some ms, or not at all.
_ANSWER_S: Final = 5.0
_REASON_CHARS: Final = 200


@contextmanager
def host_awake() -> Iterator[str | None]:
    """Keep the host awake within the block; yields why it may sleep all the same, or None."""
    if sys.platform == "win32":
        kept = _set_state(_CONTINUOUS | _SYSTEM_REQUIRED)
        try:
            yield None if kept else "Windows refused it"
        finally:
            _set_state(_CONTINUOUS)
    elif sys.platform == "linux":
        with _inhibited() as why:
            yield why
    else:
        yield "nobody tried how to ask this system"


@contextmanager
def _inhibited() -> Iterator[str | None]:
    try:
        # In a session of its own: Ctrl-C is not for it, and nobody is asked for a password.
        lock = subprocess.Popen(
            _INHIBIT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError:
        yield "there is no systemd-inhibit to ask"
        return
    try:
        yield _why_not(lock)
    finally:
        try:
            lock.communicate(timeout=_ANSWER_S)  # closes its standard input
        except subprocess.TimeoutExpired:
            lock.kill()
            lock.communicate()


def _why_not(lock: "subprocess.Popen[bytes]") -> str | None:
    """Return why there is no lock; None once there is one."""
    assert lock.stdin is not None
    assert lock.stdout is not None
    assert lock.stderr is not None
    try:
        lock.stdin.write(b"\n")
        lock.stdin.flush()
    except BrokenPipeError:
        pass
    answered, _, _ = select.select([lock.stdout], [], [], _ANSWER_S)
    if not answered:
        return f"systemd-inhibit did not answer within {_ANSWER_S:g} s"
    if lock.stdout.readline():
        return None
    words = " ".join(lock.stderr.read(4 * _REASON_CHARS).decode("utf-8", "replace").split())
    return words[:_REASON_CHARS].rstrip(".") or "systemd-inhibit refused it"
