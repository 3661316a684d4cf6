"""`resume-rig report`: an HTML report of a store, or of logs."""

import argparse
from pathlib import Path

from resume_rig.acceptance.assessment import assess_store
from resume_rig.acceptance.whole_file import write_whole
from resume_rig.cli.terminal.answer import html_of
from resume_rig.cli.terminal.arguments import add_requirement_arguments, add_verb, requirement_of
from resume_rig.cli.terminal.console import DONE, answer_document, check_output, print_note


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "report",
        "write the HTML report of a campaign store",
        "  resume-rig report night.rrs --out night.html",
    )
    parser.add_argument("store", metavar="STORE", type=Path, help="a campaign store")
    parser.add_argument(
        "--out", metavar="HTML", type=Path, help="where to (default: next to the store)"
    )
    add_requirement_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Recompute everything from what the store keeps raw, and write the report."""
    from resume_rig.campaign.store.store import beside_store

    path: Path = args.out or beside_store(args.store, ".html")
    check_output(path, (args.store,))
    assessed = assess_store(args.store, requirement_of(args), report=path)
    write_whole(path, html_of(assessed))
    if args.json:
        document = {
            "schema": "resume-rig/report/1",
            "report": str(path),
            "verdict": assessed.correlation.verdict,
        }
        answer_document(document)
    else:
        print_note(f"Report: {path}")
    return DONE
