"""`resume-rig run`: a campaign."""

import argparse
import datetime
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.cli.arguments import (
    add_requirement_arguments,
    add_rig_arguments,
    add_verb,
    duration_ns,
    named,
    requirement_of,
    whole_number,
)
from resume_rig.cli.campaign_ending import CampaignEnding
from resume_rig.cli.console import check_output
from resume_rig.cli.dut_ways import add_way_arguments, surroundings_of, ways_of
from resume_rig.cli.exit_status import STOPPED
from resume_rig.cli.opened_rig import dut_of
from resume_rig.cli.voice import is_for_machine, voice_of
from resume_rig.model.errors import RecordError, RigError, UsageError
from resume_rig.model.shell_word import shell_word

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from resume_rig.campaign.campaign import CampaignEnd
    from resume_rig.campaign.commission import Commission
    from resume_rig.campaign.hooks import Hooks
    from resume_rig.rig.open import OpenRig

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
    add_rig_arguments(parser, required=False)
    parser.add_argument(
        "--plan", metavar="PLAN", help="a plan: path of a TOML file, or the name of a ready one"
    )
    parser.add_argument(
        "--cycles", metavar="N", type=whole_number, help="how many cycles (default 4)"
    )
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
        "--warm-up",
        metavar="N",
        type=whole_number,
        help="leave the first N cycles out of the verdict",
    )
    parser.add_argument(
        "--log",
        metavar="SOURCE",
        type=named,
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
        type=whole_number,
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
    asked = _new(args) if args.resume is None else _stored(args)
    store = asked.commission.store
    report: Path = args.report or _beside(store)
    check_output(report, (store, *_log_files(args.log)))
    hooks = _hooks(args, store)
    tell = voice_of(args)
    try:
        with closing(hooks):
            return _run(args, asked, report, hooks)
    except KeyboardInterrupt:
        if args.debug or not store.exists():
            raise
        tell(
            f"resume-rig: stopped; what was measured is kept in {store}, "
            f"`resume-rig run --resume {shell_word(store)}` goes on"
        )
        return STOPPED
    finally:
        for problem in hooks.problems:
            tell(f"resume-rig: {problem}")


def _hooks(args: argparse.Namespace, store: Path) -> "Hooks":
    from resume_rig.campaign.hook_watch import hooks_of
    from resume_rig.campaign.hooks import HookEvent

    given = {event: getattr(args, f"on_{event}") for event in HookEvent}
    commands = {event: text for event, text in given.items() if text is not None}
    return hooks_of(commands, store, shown=not is_for_machine(args))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for, and the rig that it is asked of, which is opened later."""

    commission: "Commission"
    rig: "AbstractContextManager[OpenRig]"


def _run(args: argparse.Namespace, asked: _Asked, report: Path, hooks: "Hooks") -> int:
    commission = asked.commission
    ending = CampaignEnding(args, commission.requirement, commission.store, report, hooks)
    try:
        end = _campaign(args, asked, hooks, ending)
    except (RigError, RecordError) as fault:
        # A store that another process writes to is no campaign of ours that ended.
        if ending.began or (isinstance(fault, RigError) and commission.store.exists()):
            ending.failed(fault)
        raise
    except Exception as error:
        if ending.began:
            ending.broke(error)
        raise
    return ending.ended(end)


def _campaign(
    args: argparse.Namespace, asked: _Asked, hooks: "Hooks", ending: CampaignEnding
) -> "CampaignEnd":
    from resume_rig.campaign.commission import carry_out
    from resume_rig.campaign.foretold import foretold
    from resume_rig.cli.campaign_progress import Progress, ProgressMode

    commission, mode, tell = asked.commission, ProgressMode(args.progress), voice_of(args)
    with asked.rig as opened:
        for sentence in foretold(commission, opened):
            tell(f"resume-rig: {sentence}")
        return carry_out(
            commission, opened, lambda identity: ending.watched(Progress(identity, mode, hooks))
        )


def _new(args: argparse.Namespace) -> _Asked:
    from resume_rig.acceptance.opened_rig import opened_rig
    from resume_rig.campaign.commission import Commission
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
    store = args.out or Path(f"resume-rig-{stamp}.rrs")
    commission = Commission(store, plan, requirement_of(args), dut_of(args), surroundings_of(args))
    return _Asked(commission, opened_rig(args.rig, commission.dut))


def _stored(args: argparse.Namespace) -> _Asked:
    """Return where a stored campaign goes on: with its own rig, unless another URL is named."""
    from resume_rig.acceptance.opened_rig import opened_rig
    from resume_rig.campaign.commission import Commission, interrupted
    from resume_rig.rig.dut_profile import load_dut_profile

    named = [name for name in _PLAN_OPTIONS if getattr(args, name) is not None]
    if named:
        raise UsageError(
            f"--resume goes on by the plan of {args.resume}; leave out "
            + ", ".join(f"--{name.replace('_', '-')}" for name in named)
        )
    before = interrupted(args.resume)
    dut = before.dut if args.dut is None else load_dut_profile(args.dut)
    requirement = requirement_of(args)
    commission = Commission(args.resume, None, requirement, dut, surroundings_of(args))
    rig = opened_rig(
        args.rig or before.rig_url,
        dut,
        not_before_utc_ns=before.newest_utc_ns,
        sessions_before=before.sessions,
    )
    return _Asked(commission, rig)


def _log_files(log: str | None) -> list[Path]:
    from resume_rig.campaign.log_choice import SSH

    return [] if log is None or log.startswith(SSH) else [Path(log)]


def _beside(store: Path) -> Path:
    return store.with_suffix(".html")
