"""`resume-rig press`: one press of the power button."""

import argparse
import json

from resume_rig.cli.arguments import add_rig_arguments, add_verb, duration_ns
from resume_rig.cli.console import answer
from resume_rig.cli.exit_status import DONE
from resume_rig.cli.opened_rig import rig_of
from resume_rig.model.units import seconds_text


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "press",
        "press the power button once, and tell how long the press measured",
        "  resume-rig press --rig serial:/dev/ttyACM0 --for 150ms",
    )
    add_rig_arguments(parser, required=True)
    parser.add_argument(
        "--for",
        dest="duration_ns",
        metavar="TIME",
        type=duration_ns,
        default=150_000_000,
        help="how long (default 150ms)",
    )
    parser.add_argument(
        "--force-off",
        action="store_true",
        help="allow a press long enough to cut the power (a DUT loses its unsaved work)",
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Press, and tell what the header saw."""
    from resume_rig.campaign.actions import press_once

    with rig_of(args) as opened:
        press = press_once(opened.rig, opened.clock, args.duration_ns, force_off=args.force_off)
    if args.json:
        document = {
            "schema": "resume-rig/press/1",
            "commanded_ns": press.commanded_ns,
            "start_ns": press.start_ns,
            "pressed_ns": press.pressed_ns,
            "released_ns": press.released_ns,
            "width_ns": press.width_ns,
        }
        answer([json.dumps(document) + "\n"])
    else:
        saw = "no whole press" if press.width_ns is None else seconds_text(press.width_ns)
        answer([f"Pressed for {seconds_text(press.commanded_ns)}; the header saw {saw}.\n"])
    return DONE
