"""`resume-rig run`: a campaign."""

import argparse
import datetime
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.acceptance.assessment import assess_store
from resume_rig.acceptance.whole_file import check_place_of
from resume_rig.cli.arguments import (
    add_requirement_arguments,
    add_rig_arguments,
    add_verb,
    duration_ns,
    requirement_of,
)
from resume_rig.cli.assessment import show
from resume_rig.cli.console import refuse_to_overwrite, say
from resume_rig.cli.dut_ways import add_way_arguments, control_of, say_kinds, ways_of
from resume_rig.cli.exit_status import STOPPED, status_of_verdict
from resume_rig.cli.opened_rig import dut_of, opened_rig
from resume_rig.model.errors import RigError, UsageError

if TYPE_CHECKING:
    from resume_rig.campaign.campaign import CampaignEnd
    from resume_rig.campaign.hooks import Hooks
    from resume_rig.campaign.os_log_source import OsLogSource
    from resume_rig.campaign.outside_help import OutsideHelp
    from resume_rig.campaign.plan import Plan
    from resume_rig.model.clock import Clock
    from resume_rig.model.dut import DutProfile
    from resume_rig.model.requirement import Requirement
    from resume_rig.rig.dut_log import DutLog

_PLAN_OPTIONS = (
    "plan",
    "cycles",
    "state",
    "sleep_by",
    "wake_by",
    "dwell",
    "settle",
    "settle_limit",
    "press",
    "ignore_first",
    "host_clock_ppb",
    "warm_up",
    "out",
)
_HOOKS = {
    "failure": "after a cycle that did not go as planned",
    "recovery": "after each step that was to bring the DUT back",
    "end": "when the campaign is over",
}


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "run",
        "run a campaign; without arguments 4 S3 cycles on the simulated bench",
        "  resume-rig run\n"
        "  resume-rig run --rig serial:/dev/ttyACM0 --dut my-laptop.toml --cycles 100 "
        "--log System.xml",
    )
    add_rig_arguments(parser, default="")
    parser.add_argument(
        "--plan", metavar="PLAN", help="a plan: path of a TOML file, or the name of a ready one"
    )
    parser.add_argument("--cycles", metavar="N", type=int, help="how many cycles (default 4)")
    add_way_arguments(parser)
    parser.add_argument(
        "--dwell", metavar="TIME", type=duration_ns, help="asleep before the wake (default 5s)"
    )
    parser.add_argument(
        "--press", metavar="TIME", type=duration_ns, help="length of a press (default 150ms)"
    )
    first = parser.add_mutually_exclusive_group()
    first.add_argument(
        "--ignore-first",
        action=argparse.BooleanOptionalAction,
        help="leave the first cycle out of the verdict (default yes)",
    )
    first.add_argument(
        "--warm-up", metavar="N", type=int, help="leave the first N cycles out of the verdict"
    )
    parser.add_argument(
        "--log",
        metavar="SOURCE",
        help="the DUT's log, read as it grows: a file, a folder of files, or "
        "ssh:USER@HOST[,HOST...][:PORT] (default on a simulated bench: its own)",
    )
    parser.add_argument(
        "--ssh-config",
        metavar="FILE",
        type=Path,
        help="for --log ssh:, in place of the user's own configuration of ssh",
    )
    parser.add_argument(
        "--host-clock-ppb",
        metavar="PPB",
        type=int,
        help="the host's wall clock is kept to this rate error, whatever its system says of it",
    )
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="store (default: resume-rig-TIME.rrs)"
    )
    parser.add_argument(
        "--report", metavar="HTML", type=Path, help="HTML report (default: beside the store)"
    )
    parser.add_argument(
        "--resume", metavar="FILE", type=Path, help="go on with the campaign of this store"
    )
    parser.add_argument(
        "--progress",
        choices=("lines", "quiet", "json"),
        default="lines",
        help="on standard error: a line a cycle (default), only what went wrong, or a JSON "
        "document a line",
    )
    for event, when in _HOOKS.items():
        parser.add_argument(
            f"--on-{event}",
            metavar="COMMAND",
            help=f"run this program {when}; its environment has RESUME_RIG_EVENT, _STORE and more",
        )
    parser.add_argument(
        "--power-cycle",
        metavar="COMMAND",
        help="run this program to cut the DUT's supply and to give it back, where nothing else "
        "brings it back; its environment has RESUME_RIG_POWER=off or on",
    )
    add_requirement_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Run or go on; then compute the answer from the store, however the campaign ended."""
    requirement = requirement_of(args)
    setting = _new(args) if args.resume is None else _stored(args)
    report: Path = args.report or _beside(setting.store)
    refuse_to_overwrite(report, (setting.store, *_log_files(args.log)))
    if args.report is not None:
        check_place_of(args.report)
    hooks = _hooks(args, setting.store)
    try:
        with closing(hooks):
            return _run(args, setting, requirement, report, hooks)
    except KeyboardInterrupt:
        if args.debug or not setting.store.exists():
            raise
        say(
            f"resume-rig: stopped; what was measured is kept in {setting.store}, "
            f"`resume-rig run --resume {setting.store}` goes on"
        )
        return STOPPED
    finally:
        for problem in hooks.problems:
            say(f"resume-rig: {problem}")


def _hooks(args: argparse.Namespace, store: Path) -> "Hooks":
    from resume_rig.campaign.hooks import HookEvent, Hooks, command_words

    given = {event: getattr(args, f"on_{event}") for event in HookEvent}
    commands = {event: command_words(text) for event, text in given.items() if text is not None}
    return Hooks(commands, {"store": str(store)})


def _run(
    args: argparse.Namespace,
    setting: "_Setting",
    requirement: "Requirement",
    report: Path,
    hooks: "Hooks",
) -> int:
    from resume_rig.campaign.campaign import CampaignFinished, CampaignStopped
    from resume_rig.campaign.hooks import HookEvent

    end: CampaignEnd | None = None
    fault: RigError | None = None
    try:
        end = _campaign(args, setting, requirement, hooks)
    except RigError as error:
        if not setting.store.exists():
            raise
        fault = error
    assessed = assess_store(setting.store, requirement, report)
    show(assessed, args)
    answer = assessed.correlation
    told = answer.why if fault is None else str(fault)
    hooks.fire(HookEvent.END, {"verdict": answer.verdict.value, "text": told})
    if fault is not None:
        raise fault
    if isinstance(end, CampaignFinished) and end.why is not None:
        say(f"resume-rig: ended before the plan's last cycle: {end.why}")
    if isinstance(end, CampaignStopped):
        say(f"resume-rig: {end.text}")
        return STOPPED
    return status_of_verdict(assessed.correlation.verdict)


@dataclass(frozen=True, slots=True)
class _Setting:
    """Where a campaign happens.

    Attributes:
        plan: None for a campaign that goes on by its store's.
        not_before_utc_ns: wall time of the newest cycle that is there already.
        sessions_before: runs and resumes of the campaign so far.
    """

    store: Path
    rig_url: str
    dut: "DutProfile | None"
    plan: "Plan | None"
    not_before_utc_ns: int = 0
    sessions_before: int = 0


def _new(args: argparse.Namespace) -> _Setting:
    from resume_rig.campaign.plan import default_plan, override
    from resume_rig.campaign.plan_file import load_plan

    args.rig = args.rig or "sim:"
    plan = override(
        default_plan() if args.plan is None else load_plan(args.plan),
        cycles=args.cycles,
        **ways_of(args),
        dwell_ns=args.dwell,
        press_ns=args.press,
        warm_up=args.warm_up if args.ignore_first is None else int(args.ignore_first),
    )
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    return _Setting(args.out or Path(f"resume-rig-{stamp}.rrs"), args.rig, dut_of(args), plan)


def _stored(args: argparse.Namespace) -> _Setting:
    """Return where a stored campaign goes on: with its own rig, unless another URL is named."""
    from resume_rig.campaign.store import Store
    from resume_rig.rig.dut_profile import load_dut_profile

    named = [name for name in _PLAN_OPTIONS if getattr(args, name) is not None]
    if named:
        raise UsageError(
            f"--resume goes on by the plan of {args.resume}; leave out "
            + ", ".join(f"--{name.replace('_', '-')}" for name in named)
        )
    with Store.open(args.resume) as store:
        identity, newest_utc_ns = store.identity, store.newest_utc_ns()
        sessions = len(store.sessions())
    dut = identity.dut if args.dut is None else load_dut_profile(args.dut)
    return _Setting(args.resume, args.rig or identity.rig_url, dut, None, newest_utc_ns, sessions)


def _campaign(
    args: argparse.Namespace, setting: _Setting, requirement: "Requirement", hooks: "Hooks"
) -> "CampaignEnd":
    from resume_rig.campaign.campaign import begin, go_on
    from resume_rig.campaign.disk_space import free_bytes_of
    from resume_rig.campaign.events import LinkTold
    from resume_rig.campaign.identity import identify
    from resume_rig.cli.campaign_progress import Progress, ProgressMode
    from resume_rig.timing.clock_discipline import discipline_of, stated_discipline

    helps = _helps(args, setting.store)
    kept_ppb = args.host_clock_ppb
    stated = None if kept_ppb is None else stated_discipline(kept_ppb)
    with opened_rig(
        setting.rig_url, setting.dut, setting.not_before_utc_ns, setting.sessions_before
    ) as opened:
        rig, clock = opened.rig, opened.clock
        identity = identify(
            rig_url=opened.url,
            rig=rig.info(),
            dut=setting.dut,
            requirement=requirement,
            created_utc_ns=clock.utc_ns(),
            host_clock=discipline_of(clock) if stated is None else stated,
            faults=None if opened.faults is None else opened.faults.text,
        )
        if setting.plan is not None:
            say_kinds(setting.plan, requirement)
        progress = Progress(identity, ProgressMode(args.progress), hooks)
        log = _log_source(args, clock, opened.dut_log)
        control = control_of(args, setting.store, opened)
        go = go_on if setting.plan is None else partial(begin, plan=setting.plan)
        try:
            with (
                nullcontext() if log is None else closing(log),
                nullcontext() if control is None else closing(control),
            ):
                return go(
                    setting.store,
                    identity=identity,
                    rig=rig,
                    clock=clock,
                    log=log,
                    observe=progress,
                    helps=helps,
                    reopen=opened.reopen,
                    control=control,
                    free=free_bytes_of(opened.disk_is_full),
                )
        finally:
            counts = opened.link_counts()
            progress(LinkTold(counts.repeated, counts.stale, counts.damaged))


def _helps(args: argparse.Namespace, store: Path) -> "OutsideHelp":
    """Return who may help beside the rig: a command for the supply, a person at this terminal."""
    from resume_rig.campaign.hooks import command_words
    from resume_rig.campaign.outside_help import OutsideHelp
    from resume_rig.campaign.power_command import PowerCommand
    from resume_rig.cli.terminal_person import person_at_terminal

    power = None
    if args.power_cycle is not None:
        power = PowerCommand(command_words(args.power_cycle), {"store": str(store)})
    return OutsideHelp(power, person_at_terminal())


def _log_files(log: str | None) -> list[Path]:
    from resume_rig.campaign.log_choice import SSH

    return [] if log is None or log.startswith(SSH) else [Path(log)]


def _log_source(
    args: argparse.Namespace, clock: "Clock", served: "DutLog | None"
) -> "OsLogSource | None":
    from resume_rig.campaign.log_choice import log_source
    from resume_rig.campaign.os_log_source import ServedLog

    if args.log is not None:
        return log_source(args.log, clock, args.ssh_config)
    if served is not None:
        return ServedLog(served)
    say(
        "resume-rig: no --log was given and this rig serves none, so the verdict will be "
        "NO-EVIDENCE; what the wires say is measured all the same."
    )
    return None


def _beside(store: Path) -> Path:
    return store.with_suffix(".html")
