"""Options of `run` about the ways into a sleep and out of it, and who tells the DUT's OS."""

import argparse
from typing import TYPE_CHECKING, Any, Final

from resume_rig.cli.arguments import duration_ns
from resume_rig.cli.voice import is_for_machine

if TYPE_CHECKING:
    from resume_rig.campaign.commission import Surroundings

ADAPTIVE: Final = "adaptive"
_WORDS: Final = {
    "state": ("STATE", "S3 (default), S4, S5 (off and on), hybrid, fast-startup, modern-standby"),
    "sleep-by": ("WAY", "what puts the DUT to sleep: button (default), lid, idle, command"),
    "wake-by": ("WAY", "what wakes it: button (default), lid, timer, none"),
}


def add_way_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    for name, (metavar, what) in _WORDS.items():
        parser.add_argument(f"--{name}", metavar=metavar, help=what)
    parser.add_argument(
        "--settle",
        metavar="TIME",
        type=_settle,
        help='awake before the next (default 2s), or "adaptive": until its record is read, its '
        "light stands still and its log can be read",
    )
    parser.add_argument(
        "--settle-limit",
        metavar="TIME",
        type=duration_ns,
        help="with --settle adaptive, at the latest after so long (default 120s)",
    )
    parser.add_argument(
        "--dut-shell",
        metavar="ssh:USER@HOST",
        help="where the DUT's OS takes commands (default: --log, where that is an ssh: address; "
        "on a simulated bench: its own)",
    )
    parser.add_argument(
        "--sleep-command",
        metavar="COMMAND",
        help="run this program to tell the DUT's OS; its environment has RESUME_RIG_ASK=sleep, "
        "arm-timer, disarm-timer or greet, _STATE and _AFTER_S",
    )


def ways_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return what the options change of a plan, by name of `override`'s arguments.

    Raises:
        UsageError: a word that a plan has not; the sentence names what is allowed.
    """
    from resume_rig.campaign.plan import SETTLE_LIMIT_NS
    from resume_rig.campaign.plan_file import sleep_by_of, wake_by_of
    from resume_rig.campaign.plan_states import state_of_word

    found: dict[str, Any] = {}
    if args.state is not None:
        found["state"] = state_of_word("--state", args.state)
    if args.sleep_by is not None:
        found["sleep_by"] = sleep_by_of("--sleep-by", args.sleep_by)
    if args.wake_by is not None:
        found["wake_by"] = wake_by_of("--wake-by", args.wake_by)
    limit_ns = args.settle_limit
    if args.settle == ADAPTIVE:
        limit_ns = SETTLE_LIMIT_NS if limit_ns is None else limit_ns
    elif args.settle is not None:
        found["settle_ns"] = args.settle
    if limit_ns is not None:
        found["settle_limit_ns"] = limit_ns
    return found


def surroundings_of(args: argparse.Namespace) -> "Surroundings":
    """Return what the options let a campaign use beside the rig, a person at the terminal too."""
    from resume_rig.campaign.commission import Surroundings
    from resume_rig.cli.terminal_person import person_at_terminal

    return Surroundings(
        log=args.log,
        ssh_config=args.ssh_config,
        dut_shell=args.dut_shell,
        sleep_command=args.sleep_command,
        power_cycle=args.power_cycle,
        person=person_at_terminal(),
        host_clock_ppb=args.host_clock_ppb,
        shown=not is_for_machine(args),
    )


def _settle(text: str) -> int | str:
    return ADAPTIVE if text == ADAPTIVE else duration_ns(text)
