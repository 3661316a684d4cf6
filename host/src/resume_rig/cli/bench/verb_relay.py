"""`resume-rig relay`: the rig as the relay board that Dasharo's test system speaks to."""

import argparse
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.cli.terminal.arguments import add_rig_arguments, add_verb, host_and_port, named
from resume_rig.cli.terminal.console import DONE, answer_document, print_note
from resume_rig.model.errors import UsageError

if TYPE_CHECKING:
    from resume_rig.relay.server import Guard


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "relay",
        "let test systems that know Dasharo's RTE relay board press the button, until Ctrl-C",
        "  resume-rig relay --rig serial:/dev/ttyACM0 --dut my-laptop.toml --tcp 127.0.0.1:8000",
    )
    add_rig_arguments(parser, required=True)
    parser.add_argument(
        "--tcp",
        metavar="HOST:PORT",
        default="127.0.0.1:8000",
        help="where to listen (default 127.0.0.1:8000, the port that its clients ask); an address "
        "that other machines reach needs --token or --no-token",
    )
    login = parser.add_mutually_exclusive_group()
    login.add_argument(
        "--token",
        metavar="FILE",
        type=Path,
        help="file with a token of 16 characters or more in its first line, which every client "
        "has to send (Authorization: Bearer TOKEN, or as the password of http://any:TOKEN@HOST)",
    )
    login.add_argument(
        "--no-token",
        action="store_true",
        help="let whoever reaches the address press the button",
    )
    parser.add_argument(
        "--name",
        metavar="NAME",
        action="append",
        default=[],
        help="a name that clients call this machine by, beside its IP addresses, localhost and "
        "what --tcp names (may be repeated)",
    )
    parser.add_argument(
        "--power-cycle",
        metavar="COMMAND",
        type=named,
        help="a program that switches the DUT's supply, for GPIO 0 (RESUME_RIG_POWER=off or on)",
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from resume_rig.acceptance.bench import open_bench
    from resume_rig.acceptance.held_line import HeldLines
    from resume_rig.acceptance.single_actions import PowerActions, SingleActions
    from resume_rig.campaign.dut.user_program import PowerCommand, program_words
    from resume_rig.relay.gpio import Gpios
    from resume_rig.relay.server import serve_relay

    host, port = host_and_port("--tcp", args.tcp)
    supply = None
    if args.power_cycle is not None:
        supply = PowerCommand(program_words(args.power_cycle), {"rig": args.rig})
    guard = _guard_of(args, host)
    bench, lock = open_bench(args.rig, args.dut), threading.RLock()
    lines = HeldLines(bench, lock)
    try:
        actions = SingleActions(bench)
        gpios = Gpios(actions, PowerActions(actions, supply), lines, lock)
        serve_relay(gpios, host, port, lambda url: _announce(args, url), guard)
    except KeyboardInterrupt:
        print_note("resume-rig: the relay ends.")
    finally:
        try:
            lines.close()
        finally:
            bench.close()
    return DONE


def _guard_of(args: argparse.Namespace, host: str) -> "Guard":
    """Return who may ask.

    Raises:
        UsageError: other machines reach the address, and no option allows it; or the file
            holds no token.
    """
    from resume_rig.guard.token import is_loopback, token_in
    from resume_rig.relay.server import Guard

    token = None
    if args.token is not None:
        token = token_in(args.token)
    elif not args.no_token and not is_loopback(host):
        raise UsageError(
            f"could not serve on {host}: whoever reaches it could press the DUT's button; name "
            "--token FILE, or --no-token where only your lab reaches it, or listen on 127.0.0.1 "
            "behind an SSH tunnel"
        )
    names = {"localhost", host, *args.name}
    return Guard(frozenset(name.lower().removesuffix(".") for name in names), token)


def _announce(args: argparse.Namespace, url: str) -> None:
    """Report where the relay is, as soon as it is there."""
    if args.json:
        answer_document({"schema": "resume-rig/relay/1", "relay": url})
    else:
        print_note(f"The rig {args.rig} is a relay board at {url}/api/v1/gpio; Ctrl-C ends it.")
