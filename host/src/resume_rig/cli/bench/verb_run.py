"""`resume-rig run`: a campaign, with the ways into a sleep and out of it."""

import argparse
import select
import sys
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.campaign.plan.words import COMMAND_LINE, WORD_BY_KEY, WORDS, Switch
from resume_rig.cli.offline.verb_lake import add_or_queue, check_lake
from resume_rig.cli.terminal.answer import show_campaign
from resume_rig.cli.terminal.arguments import (
    add_requirement_arguments,
    add_rig_arguments,
    add_verb,
    dut_of,
    host_and_port,
    named,
    requirement_of,
    whole_number,
)
from resume_rig.cli.terminal.console import (
    STOPPED,
    check_output,
    is_for_machine,
    print_note,
    printer_of,
    somebody_reads_notes,
    status_of_verdict,
)
from resume_rig.model.errors import ResumeRigError, UsageError
from resume_rig.model.rig_url import NOT_NAMED, StoredRigUrl, command_to_go_on
from resume_rig.report.text.terminal_text import BELL, joined

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from resume_rig.acceptance.metrics import Metrics
    from resume_rig.campaign.plan.plan import Plan
    from resume_rig.campaign.run.campaign import Commission, Surroundings
    from resume_rig.campaign.run.hooks import Hooks
    from resume_rig.cli.terminal.console import Printer
    from resume_rig.rig.link.open import OpenRig


class TerminalPerson:
    """Whoever sits at standard input; an Enter is an answer."""

    def ask(self, text: str) -> None:
        """Show a sentence; what was typed before it is no answer to it."""
        while _typed():
            sys.stdin.readline()
        print_note(joined(BELL, f"resume-rig: {text}"))

    def answered(self) -> bool:
        """Return whether a line was typed since."""
        return _typed() and sys.stdin.readline() != ""


def person_at_terminal() -> TerminalPerson | None:
    """Return who can be asked; None where nobody sits at a terminal, or it cannot be polled."""
    if sys.platform == "win32" or not (sys.stdin.isatty() and somebody_reads_notes()):
        return None
    return TerminalPerson()


def _typed() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])


def add_plan_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a plan and an option for each of its words."""
    parser.add_argument(
        "--plan", metavar="PLAN", help="a plan: path of a TOML file, or the name of a ready one"
    )
    for word in WORDS:
        option, text = COMMAND_LINE.named(word.key), word.meaning.replace("%", "%%")
        if isinstance(word.kind, Switch):
            parser.add_argument(option, action=argparse.BooleanOptionalAction, help=text)
        else:
            parser.add_argument(option, metavar=word.kind.metavar, type=named, help=text)


def plan_of(args: argparse.Namespace) -> "Plan":
    """Return the plan that the options describe.

    Raises:
        UsageError: a word or a value that a plan has not; the sentence names the option.
    """
    from resume_rig.campaign.plan.plan_file import load_plan, parse_plan

    words = {key: getattr(args, key) for key in WORD_BY_KEY}
    return parse_plan(words, load_plan(args.plan), COMMAND_LINE)


def add_os_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what commands the DUT's OS, and where magic packets go."""
    parser.add_argument(
        "--dut-shell",
        metavar="ssh:USER@HOST",
        type=named,
        help="where the DUT's OS takes commands (default: --log, where that is an ssh: address; "
        "on a simulated bench: its own)",
    )
    parser.add_argument(
        "--sleep-command",
        metavar="COMMAND",
        type=named,
        help="run this program to command the DUT's OS; its environment has RESUME_RIG_ASK=sleep, "
        "arm-timer, disarm-timer or greet, _STATE and _AFTER_S",
    )
    parser.add_argument(
        "--lan-from",
        metavar="ADDRESS",
        help="address of this host's that magic packets leave from, which chooses the interface",
    )
    parser.add_argument(
        "--lan-to",
        metavar="ADDRESS[:PORT]",
        help="where magic packets go (default 255.255.255.255:9; on a simulated bench: its DUT)",
    )


def surroundings_of(args: argparse.Namespace) -> "Surroundings":
    """Return what the options let a campaign use beside the rig, a person at the terminal too."""
    from resume_rig.campaign.run.campaign import Surroundings

    return Surroundings(
        log=args.log,
        ssh_config=args.ssh_config,
        dut_shell=args.dut_shell,
        sleep_command=args.sleep_command,
        power_cycle=args.power_cycle,
        person=person_at_terminal(),
        host_clock_ppb=args.host_clock_ppb,
        shown=not is_for_machine(args),
        lan_from=args.lan_from,
        lan_to=args.lan_to,
    )


_OF_NEW = ("plan", *WORD_BY_KEY, "host_clock_ppb", "out")
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
        "run a campaign on a rig; `resume-rig demo` tries one without a board",
        "  resume-rig run --rig sim:clock=virtual --cycles 20\n"
        "  resume-rig run --rig serial:/dev/ttyACM0 --dut my-laptop.toml --cycles 100 "
        "--log System.xml",
    )
    add_arguments(parser)
    parser.set_defaults(execute=execute)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_rig_arguments(parser, required=False)
    add_plan_arguments(parser)
    add_os_arguments(parser)
    parser.add_argument(
        "--log",
        metavar="SOURCE",
        type=named,
        help="the DUT's log, read as it grows: a file, a folder of files, or "
        "ssh:USER@HOST[,HOST...][:PORT], or on Windows wevtutil:HOST (default on a simulated "
        "bench: its own)",
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
        help="the host's wall clock is kept to this rate error, whatever its system reports",
    )
    parser.add_argument(
        "--resume", metavar="FILE", type=Path, help="go on with the campaign of this store"
    )
    add_output_arguments(parser)
    for event, when in _HOOKS.items():
        parser.add_argument(
            f"--on-{event}",
            metavar="COMMAND",
            type=named,
            help=f"run this program {when}; its environment has RESUME_RIG_EVENT, _STORE and more",
        )
    parser.add_argument(
        "--power-cycle",
        metavar="COMMAND",
        type=named,
        help="run this program to cut the DUT's supply and to give it back, where nothing else "
        "brings it back; its environment has RESUME_RIG_POWER=off or on",
    )
    parser.add_argument(
        "--lake",
        metavar="URL",
        type=named,
        help="add the judged campaign to this lake at the end; while it cannot be reached the "
        "campaign is queued (extra lab)",
    )
    parser.add_argument(
        "--metrics",
        metavar="HOST:PORT",
        type=named,
        help="serve figures for Prometheus while the campaign runs; port 0 takes any (extra "
        "metrics)",
    )
    add_requirement_arguments(parser)


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """Add where store and report go, and how much is shown meanwhile."""
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="store (default: resume-rig-TIME.rrs)"
    )
    parser.add_argument(
        "--report", metavar="HTML", type=Path, help="HTML report (default: next to the store)"
    )
    parser.add_argument(
        "--progress",
        choices=("lines", "quiet", "json"),
        default="lines",
        help="on standard error: a line a cycle (default), only what went wrong, or a JSON "
        "document a line",
    )


def execute(args: argparse.Namespace) -> int:
    """Run or go on; then compute the answer from the store, however the campaign ended."""
    from resume_rig.campaign.store.store import beside_store

    if args.lake is not None:
        check_lake(args.lake)
    asked = _new(args) if args.resume is None else _stored(args)
    store = asked.commission.store
    report: Path = args.report or beside_store(store, ".html")
    check_output(report, (store, *_log_files(args.log)))
    hooks = _hooks(args, store)
    printer = printer_of(args)
    try:
        # A command on end may still fetch what the metrics show.
        with _metrics(args, printer) as metrics, closing(hooks):
            return _run(args, asked, report, hooks, metrics)
    except KeyboardInterrupt:
        if args.debug or not store.exists():
            raise
        printer(
            f"resume-rig: stopped; what was measured is kept in {store}, "
            f"`{command_to_go_on(store, asked.url)}` goes on"
        )
        return STOPPED
    finally:
        for problem in hooks.problems:
            printer(f"resume-rig: {problem}")


def _hooks(args: argparse.Namespace, store: Path) -> "Hooks":
    from resume_rig.campaign.run.hooks import HookEvent, hooks_of

    given = {event: getattr(args, f"on_{event}") for event in HookEvent}
    commands = {event: text for event, text in given.items() if text is not None}
    return hooks_of(commands, store, shown=not is_for_machine(args))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for, and the rig that it is asked of, which is opened later."""

    commission: "Commission"
    url: StoredRigUrl
    rig: "AbstractContextManager[OpenRig]"


@contextmanager
def _metrics(args: argparse.Namespace, printer: "Printer") -> "Iterator[Metrics | None]":
    if args.metrics is None:
        yield None
        return
    host, port = host_and_port("--metrics", args.metrics)
    from resume_rig.acceptance.metrics import served_metrics

    with served_metrics(host, port) as (metrics, address):
        printer(f"resume-rig: metrics at {address}")
        yield metrics


def _run(
    args: argparse.Namespace,
    asked: _Asked,
    report: Path,
    hooks: "Hooks",
    metrics: "Metrics | None",
) -> int:
    from resume_rig.acceptance.campaign import Campaign
    from resume_rig.campaign.run.campaign import CampaignFinished
    from resume_rig.cli.bench.progress import Progress, ProgressMode

    mode, printer = ProgressMode(args.progress), printer_of(args)
    campaign = Campaign(
        asked.commission, asked.rig, report, hooks, lambda text: printer(f"resume-rig: {text}")
    )
    ended = campaign.run(lambda who, _: Progress(who, mode, hooks, metrics))
    assessed = campaign.conclude(ended, lambda found: show_campaign(found, args))
    if metrics is not None:
        metrics.conclude(assessed.correlation.verdict)
    if args.lake is not None:
        add_or_queue(assessed, args.lake, printer)
    if isinstance(ended, CampaignFinished):
        if ended.why is not None:
            printer(f"resume-rig: ended before the plan's last cycle: {ended.why}")
        return status_of_verdict(assessed.correlation.verdict)
    if isinstance(ended, ResumeRigError):
        raise ended
    printer(f"resume-rig: {ended.text}")
    return STOPPED


def _new(args: argparse.Namespace) -> _Asked:
    from resume_rig.acceptance.bench import opened_rig
    from resume_rig.campaign.run.campaign import Commission, usual_store

    args.rig = args.rig or NOT_NAMED  # said when it is to be opened, after what is wrong besides
    store, plan = args.out or usual_store(), plan_of(args)
    commission = Commission(store, plan, requirement_of(args), dut_of(args), surroundings_of(args))
    rig = opened_rig(args.rig, commission.dut)
    return _Asked(commission, StoredRigUrl(args.rig), rig)


def _stored(args: argparse.Namespace) -> _Asked:
    """Return where a stored campaign goes on: at the URL that the user named, or a safe own one."""
    from resume_rig.acceptance.bench import opened_rig
    from resume_rig.campaign.run.campaign import Commission, interrupted

    named = [name for name in _OF_NEW if getattr(args, name) is not None]
    if named:
        raise UsageError(
            f"--resume goes on by the plan of {args.resume}; leave out "
            + ", ".join(map(COMMAND_LINE.named, named))
        )
    before = interrupted(args.resume, args.rig, args.dut)
    requirement = requirement_of(args)
    commission = Commission(args.resume, None, requirement, before.dut, surroundings_of(args))
    rig = opened_rig(
        before.rig_url,
        before.dut,
        not_before_utc_ns=before.newest_utc_ns,
        sessions_before=before.sessions,
    )
    return _Asked(commission, StoredRigUrl(before.rig_url), rig)


def _log_files(log: str | None) -> list[Path]:
    from resume_rig.campaign.dut.choice import SSH

    return [] if log is None or log.startswith(SSH) else [Path(log)]
