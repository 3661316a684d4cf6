"""`resume-rig lid`: closes or opens the lid."""

import argparse
import json

from resume_rig.cli.arguments import add_rig_arguments, add_verb, duration_ns
from resume_rig.cli.console import answer, say
from resume_rig.cli.exit_status import DONE
from resume_rig.cli.opened_rig import rig_of
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
    add_rig_arguments(parser, required=True)
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
    from resume_rig.campaign.actions import hold_lid

    limit_ns: int | None = args.duration_ns
    lasting = "until Ctrl-C" if limit_ns is None else f"for {seconds_text(limit_ns)}"
    with rig_of(args) as opened:
        if args.move == "open":
            start = end = opened.rig.lid(False)
        else:
            start, end = hold_lid(
                opened.rig,
                opened.clock,
                limit_ns,
                lambda: say(f"The lid is closed {lasting}."),
            )
    held_ns = None if args.move == "open" else end.start_ns - start.start_ns
    if args.json:
        document = {
            "schema": "resume-rig/lid/1",
            "move": args.move,
            "start_ns": start.start_ns,
            "held_ns": held_ns,
        }
        answer([json.dumps(document) + "\n"])
    else:
        after = "" if held_ns is None else f", after {seconds_text(held_ns)}"
        answer([f"The lid is open{after}.\n"])
    return DONE
