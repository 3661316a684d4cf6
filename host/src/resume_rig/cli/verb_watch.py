"""`resume-rig watch`: shows edges as they come."""

import argparse
import json
from typing import TYPE_CHECKING

from resume_rig.cli.arguments import add_rig_arguments, add_verb, duration_ns
from resume_rig.cli.console import answer, say
from resume_rig.cli.exit_status import DONE
from resume_rig.cli.opened_rig import dut_of, opened_rig

if TYPE_CHECKING:
    from resume_rig.model.edge import Edge

POLL_NS = 20_000_000


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "watch",
        "show the level of every channel, then each edge as it comes",
        "  resume-rig watch --rig serial:/dev/ttyACM0 --for 60s",
    )
    add_rig_arguments(parser, default=None)
    parser.add_argument(
        "--for",
        dest="duration_ns",
        metavar="TIME",
        type=duration_ns,
        help="stop after this time (default: at Ctrl-C)",
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Follow the edge ring by cursor."""
    from resume_rig.campaign.actions import newest_edge

    seen: list[Edge] = []
    lost = 0
    with opened_rig(args.rig, dut_of(args)) as opened:
        rig, clock = opened.rig, opened.clock
        levels = rig.levels()
        if not args.json:
            answer(["  ".join(f"{name}={level}" for name, level in levels.items()) + "\n"])
        cursor, begun = newest_edge(rig), clock.now_ns()
        try:
            while args.duration_ns is None or clock.now_ns() - begun < args.duration_ns:
                batch = rig.edges(cursor)
                lost += batch.lost
                _show(args.json, batch.edges, batch.lost, seen)
                cursor = batch.next_number
                if not batch.more:
                    clock.sleep_ns(POLL_NS)
        except KeyboardInterrupt:
            if args.duration_ns is not None:
                raise
    if args.json:
        document = {
            "schema": "resume-rig/watch/1",
            "levels": levels,
            "edges": [
                {"number": e.number, "t_ns": e.t_ns, "channel": e.channel, "level": e.level}
                for e in seen
            ],
            "lost": lost,
        }
        answer([json.dumps(document) + "\n"])
    return DONE


def _show(quiet: bool, edges: "tuple[Edge, ...]", lost: int, seen: "list[Edge]") -> None:
    """Print edges, or keep them for the one JSON document."""
    if quiet:
        seen.extend(edges)
        return
    if lost:
        say(f"resume-rig: {lost} edges were overwritten before they could be read.")
    answer(f"{e.t_ns / 1e9:14.6f} s  {e.channel:<9} {e.level}\n" for e in edges)
