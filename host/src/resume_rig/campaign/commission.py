"""A campaign as somebody asks for it, put together and run: the one way of every face."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from resume_rig.campaign.campaign import CampaignEnd, begin, go_on
from resume_rig.campaign.control_choice import dut_control
from resume_rig.campaign.disk_space import free_bytes_of
from resume_rig.campaign.events import LinkTold, Observer
from resume_rig.campaign.hooks import program_words
from resume_rig.campaign.identity import Identity, identify
from resume_rig.campaign.log_choice import SSH, log_source
from resume_rig.campaign.os_log_source import OsLogSource, ServedLog
from resume_rig.campaign.outside_help import OutsideHelp, Person
from resume_rig.campaign.plan import Plan
from resume_rig.campaign.power_command import PowerCommand
from resume_rig.campaign.store import Store
from resume_rig.model.dut import DutProfile
from resume_rig.model.requirement import Requirement
from resume_rig.rig.dut_control import DutControl
from resume_rig.rig.open import OpenRig
from resume_rig.timing.clock_discipline import discipline_of, stated_discipline

Watch = Callable[[Identity], Observer]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a campaign may use beside the rig, each as the option of `run` of that name takes it.

    Attributes:
        log: the DUT's log; None: what the rig itself serves, if it does.
        ssh_config: in place of the user's own configuration of ssh.
        dut_shell: where the DUT's OS takes commands; None: `log`, where that is an ssh: address,
            or the OS of a simulated DUT.
        sleep_command: a program of the user's that tells the DUT's OS; goes before `dut_shell`.
        power_cycle: a program of the user's that cuts the DUT's supply and gives it back.
        person: somebody to ask; None where nobody is there.
        host_clock_ppb: the host's wall clock is kept to this rate error; None: ask its system.
        shown: whether what programs of the user's write may stand between what the campaign says.
    """

    log: str | None = None
    ssh_config: Path | None = None
    dut_shell: str | None = None
    sleep_command: str | None = None
    power_cycle: str | None = None
    person: Person | None = None
    host_clock_ppb: int | None = None
    shown: bool = True


NOTHING_BESIDE = Surroundings()


@dataclass(frozen=True, slots=True)
class Commission:
    """What somebody asks for.

    Attributes:
        store: a new file; that of the campaign where `plan` is None.
        plan: None to go on with the campaign of the store, by its own plan.
        requirement: what the campaign is judged against.
        dut: profile of what stands on the bench; None where there is none.
        beside: what may be used beside the rig.
    """

    store: Path
    plan: Plan | None
    requirement: Requirement
    dut: DutProfile | None
    beside: Surroundings = NOTHING_BESIDE


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Where a stored campaign stands, for who opens its bench again.

    Attributes:
        rig_url: of the rig that it began with.
        dut: the profile that it began with.
        newest_utc_ns: wall time of its newest cycle; a virtual clock starts no earlier.
        sessions: runs and resumes so far.
    """

    rig_url: str
    dut: DutProfile | None
    newest_utc_ns: int
    sessions: int


def interrupted(store: Path) -> Interrupted:
    """Return where the campaign of a store stands.

    Raises:
        RecordError: the store cannot be read.
    """
    with Store.open(store) as opened:
        identity = opened.identity
        return Interrupted(
            identity.rig_url, identity.dut, opened.newest_utc_ns(), len(opened.sessions())
        )


def carry_out(commission: Commission, opened: OpenRig, watch: Watch) -> CampaignEnd:
    """Run what was asked for on an open rig; it stays open.

    Args:
        commission: what was asked for.
        opened: the rig.
        watch: gets who takes part, and returns whom to tell what happens; at last, however it
            ends, what the link lost.

    Raises:
        UsageError: plan and bench do not fit, or something that was named is not there; nothing
            was moved.
        RecordError: log or store cannot be used.
        RigError: rig or DUT failed; the store keeps what was measured.
    """
    identity = _identity(commission, opened)
    beside, store = commission.beside, commission.store
    observe = watch(identity)
    helps = OutsideHelp(_power(beside, store), beside.person)
    go = go_on if commission.plan is None else partial(begin, plan=commission.plan)
    with ExitStack() as open_parts:
        open_parts.callback(_tell_link, opened, observe)
        log = _log(beside, opened)
        if log is not None:
            open_parts.enter_context(closing(log))
        control = _control(beside, opened, store)
        if control is not None:
            open_parts.enter_context(closing(control))
        return go(
            store,
            identity=identity,
            rig=opened.rig,
            clock=opened.clock,
            log=log,
            observe=observe,
            helps=helps,
            reopen=opened.reopen,
            control=control,
            free=free_bytes_of(opened.disk_is_full),
        )


def _identity(commission: Commission, opened: OpenRig) -> Identity:
    kept_ppb = commission.beside.host_clock_ppb
    return identify(
        rig_url=opened.url,
        rig=opened.rig.info(),
        dut=commission.dut,
        requirement=commission.requirement,
        created_utc_ns=opened.clock.utc_ns(),
        host_clock=discipline_of(opened.clock) if kept_ppb is None else stated_discipline(kept_ppb),
        faults=None if opened.faults is None else opened.faults.text,
    )


def _log(beside: Surroundings, opened: OpenRig) -> OsLogSource | None:
    if beside.log is not None:
        return log_source(beside.log, opened.clock, beside.ssh_config)
    return None if opened.dut_log is None else ServedLog(opened.dut_log)


def _control(beside: Surroundings, opened: OpenRig, store: Path) -> DutControl | None:
    shell = beside.dut_shell
    if shell is None and beside.log is not None and beside.log.startswith(SSH):
        shell = beside.log
    named = dut_control(
        beside.sleep_command, shell, opened.clock, beside.ssh_config, store, shown=beside.shown
    )
    return opened.control if named is None else named


def _power(beside: Surroundings, store: Path) -> PowerCommand | None:
    if beside.power_cycle is None:
        return None
    words = program_words(beside.power_cycle)
    return PowerCommand(words, {"store": str(store)}, shown=beside.shown)


def _tell_link(opened: OpenRig, observe: Observer) -> None:
    counts = opened.link_counts()
    observe(LinkTold(counts.repeated, counts.stale, counts.damaged))
