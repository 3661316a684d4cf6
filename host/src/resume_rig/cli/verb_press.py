"""`resume-rig press`: one press of the power button."""

import argparse
import json
from typing import TYPE_CHECKING

from resume_rig.cli.arguments import add_rig_arguments, add_verb, duration_ns
from resume_rig.cli.console import answer
from resume_rig.cli.exit_status import DONE
from resume_rig.cli.opened_rig import dut_of, opened_rig
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.units import seconds_text

if TYPE_CHECKING:
    from resume_rig.rig.interface import Rig


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "press",
        "press the power button once, and tell how long the press measured",
        "  resume-rig press --rig serial:/dev/ttyACM0 --for 150ms",
    )
    add_rig_arguments(parser, default=None)
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
    """Press, wait for the end of it, and read back what the header saw."""
    with opened_rig(args.rig, dut_of(args)) as opened:
        rig = opened.rig
        cursor = _newest(rig)
        start = rig.press(Actuator.BUTTON, args.duration_ns, force_off=args.force_off)
        left = args.duration_ns + 20_000_000
        # Asking keeps the board's lease alive while a long press lasts.
        while left > 0:
            opened.clock.sleep_ns(min(left, 500_000_000))
            left -= 500_000_000
            rig.exchange_clocks()
        edges = [e for e in rig.edges(cursor).edges if e.channel is Channel.BUTTON]
    down = next((e.t_ns for e in edges if e.level == 0), None)
    up = next((e.t_ns for e in edges if e.level == 1 and down is not None and e.t_ns > down), None)
    width = None if down is None or up is None else up - down
    if args.json:
        document = {
            "schema": "resume-rig/press/1",
            "commanded_ns": args.duration_ns,
            "start_ns": start.start_ns,
            "pressed_ns": down,
            "released_ns": up,
            "width_ns": width,
        }
        answer([json.dumps(document) + "\n"])
    elif width is None:
        answer([f"Pressed for {seconds_text(args.duration_ns)}; the header saw no whole press.\n"])
    else:
        answer(
            [
                f"Pressed for {seconds_text(args.duration_ns)}; the header saw "
                f"{seconds_text(width)}.\n"
            ]
        )
    return DONE


def _newest(rig: "Rig") -> int:
    """Return the cursor behind the newest edge."""
    cursor = 0
    while True:
        batch = rig.edges(cursor)
        cursor = batch.next_number
        if not batch.more:
            return cursor
