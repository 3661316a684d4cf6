"""`resume-rig lid`: closes or opens the lid."""

import argparse
import json

from resume_rig.cli.arguments import add_rig_arguments, add_verb, duration_ns
from resume_rig.cli.console import answer, say
from resume_rig.cli.exit_status import DONE
from resume_rig.cli.opened_rig import dut_of, opened_rig
from resume_rig.model.units import seconds_text


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "lid",
        "close the lid for a time, or open it",
        "  resume-rig lid close --for 10s --rig serial:/dev/ttyACM0",
    )
    parser.add_argument("move", choices=("close", "open"))
    add_rig_arguments(parser, default=None)
    parser.add_argument(
        "--for",
        dest="duration_ns",
        metavar="TIME",
        type=duration_ns,
        help="how long the lid stays closed (default: until Ctrl-C); the board opens it when "
        "nobody asks for it any more, so a closed lid needs this program to stay",
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Move the lid; keep it closed while asked to."""
    with opened_rig(args.rig, dut_of(args)) as opened:
        rig, clock = opened.rig, opened.clock
        closed = args.move == "close"
        if closed:
            pause_ns = min(1_000_000_000, rig.info().lease_ns // 3)
        start = rig.lid(closed)
        if closed and not args.json:
            lasting = "until Ctrl-C" if args.duration_ns is None else ""
            say(f"The lid is closed {lasting or 'for ' + seconds_text(args.duration_ns)}.")
        begun = clock.now_ns()
        try:
            while closed and (
                args.duration_ns is None or clock.now_ns() - begun < args.duration_ns
            ):
                clock.sleep_ns(pause_ns)
                rig.exchange_clocks()
        except KeyboardInterrupt:
            if args.duration_ns is not None:
                raise
        end = rig.lid(False) if closed else start
    held = end.start_ns - start.start_ns
    if args.json:
        document = {
            "schema": "resume-rig/lid/1",
            "move": args.move,
            "start_ns": start.start_ns,
            "held_ns": held if closed else None,
        }
        answer([json.dumps(document) + "\n"])
    else:
        answer([f"The lid is open{f', after {seconds_text(held)}' if closed else ''}.\n"])
    return DONE
