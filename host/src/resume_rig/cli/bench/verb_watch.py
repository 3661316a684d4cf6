"""`resume-rig watch`: shows edges as they come."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.acceptance.whole_file import check_place_of, write_whole
from resume_rig.cli.terminal.arguments import add_rig_arguments, add_verb, duration_ns, rig_of
from resume_rig.cli.terminal.console import DONE, answer, answer_document, print_note
from resume_rig.model.channel import line_name
from resume_rig.model.errors import UsageError

if TYPE_CHECKING:
    from resume_rig.model.edge import Edge

POLL_NS = 20_000_000


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "watch",
        "show the level of every channel, then each edge as it comes",
        "  resume-rig watch --rig serial:/dev/ttyACM0 --for 60s\n"
        "  resume-rig watch --rig serial:/dev/ttyACM0 --for 10s --samples light.csv",
    )
    add_rig_arguments(parser, required=True)
    parser.add_argument(
        "--for",
        dest="duration_ns",
        metavar="TIME",
        type=duration_ns,
        help="stop after this time (default: at Ctrl-C)",
    )
    parser.add_argument(
        "--samples",
        metavar="FILE",
        type=Path,
        help="record light meanwhile, and write the samples that the board keeps at full rate "
        "about its onset as CSV (needs --for)",
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Follow the edge ring by cursor."""
    from resume_rig.campaign.run.actions import kept_samples, newest_edge, samples_csv

    shown: list[Edge] = []
    lost = 0
    _check_samples(args)
    with rig_of(args) as opened:
        rig, clock = opened.rig, opened.clock
        if args.samples is not None:
            rig.arm_light(args.duration_ns)
        levels = rig.levels()
        if not args.json:
            answer(["  ".join(f"{line_name(c)}={level}" for c, level in levels.items()) + "\n"])
        cursor, begun = newest_edge(rig), clock.now_ns()
        try:
            while args.duration_ns is None or clock.now_ns() - begun < args.duration_ns:
                batch = rig.edges(cursor)
                lost += batch.lost
                _show(args.json, batch.edges, batch.lost, shown)
                cursor = batch.next_number
                if not batch.more:
                    clock.sleep_ns(POLL_NS)
        except KeyboardInterrupt:
            if args.duration_ns is not None:
                raise
        samples = None if args.samples is None else kept_samples(rig, clock)
    if samples is not None:
        write_whole(args.samples, "".join(samples_csv(samples)))
        print_note(
            f"resume-rig: {len(samples.counts)} samples of light ({samples.state.name.lower()}) "
            f"are in {args.samples}."
        )
    if args.json:
        document: dict[str, object] = {
            "schema": "resume-rig/watch/1",
            "levels": levels,
            "edges": [
                {"number": e.number, "t_ns": e.t_ns, "channel": e.channel, "level": e.level}
                for e in shown
            ],
            "lost": lost,
        }
        if samples is not None:
            document["samples"] = {
                "state": samples.state.name.lower(),
                "count": len(samples.counts),
                "path": str(args.samples),
            }
        answer_document(document)
    return DONE


def _check_samples(args: argparse.Namespace) -> None:
    if args.samples is None:
        return
    if not args.duration_ns:
        raise UsageError("--samples needs --for TIME, above 0: light is recorded for so long")
    check_place_of(args.samples)


def _show(quiet: bool, edges: "tuple[Edge, ...]", lost: int, shown: "list[Edge]") -> None:
    """Print edges, or keep them for the one JSON document."""
    if quiet:
        shown.extend(edges)
        return
    if lost:
        print_note(f"resume-rig: {lost} edges were overwritten before they could be read.")
    answer(f"{e.t_ns / 1e9:14.6f} s  {line_name(e.channel):<9} {e.level}\n" for e in edges)
