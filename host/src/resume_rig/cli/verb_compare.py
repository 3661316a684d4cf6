"""`resume-rig compare`: base against candidate, two stores or two logs."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.acceptance.whole_file import write_whole
from resume_rig.cli.arguments import add_verb, kind_of_sleep, percent
from resume_rig.cli.console import (
    answer,
    check_output,
    columns_of,
    look_of,
    say,
    utc_now_text,
)
from resume_rig.cli.exit_status import DONE, FAILED, UNDECIDED
from resume_rig.model.comparison import Answer
from resume_rig.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from resume_rig.model.comparison import Comparison

_STATUS = {
    Answer.NO_REGRESSION: DONE,
    Answer.REGRESSION: FAILED,
    Answer.NO_EVIDENCE: UNDECIDED,
}


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "compare",
        "compare a candidate with its base: what became slower, and could one have seen it",
        "  resume-rig compare bios-1.06.rrs bios-1.07.rrs --html compare.html\n"
        "  resume-rig compare before.evtx after.evtx --kind hybrid --json",
    )
    parser.add_argument("base", metavar="BASE", type=Path, help="a campaign store or an OS log")
    parser.add_argument("candidate", metavar="CANDIDATE", type=Path, help="another one")
    parser.add_argument(
        "--kind",
        metavar="KIND",
        type=kind_of_sleep,
        help="compare this kind of sleep (default: the commonest that both have)",
    )
    parser.add_argument(
        "--matters",
        metavar="PERCENT",
        type=percent,
        default=5.0,
        help="the smallest slow-down that matters, in %% of the base's median (default 5)",
    )
    parser.add_argument(
        "--alpha",
        metavar="PERCENT",
        type=percent,
        default=5.0,
        help="chance to name a difference where there is none, in %%, over all times (default 5)",
    )
    parser.add_argument("--html", metavar="FILE", type=Path, help="write an HTML report too")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Read both, compare, show."""
    from resume_rig.analysis.compare import Question, compare
    from resume_rig.campaign.compare_evidence import load_evidence

    check_output(args.html, (args.base, args.candidate))
    if args.base.exists() and args.candidate.exists() and args.base.samefile(args.candidate):
        raise UsageError(
            f"could not compare {args.base} with {args.candidate}: they are one file; name two"
        )
    question = Question(args.kind, args.alpha / 100, args.matters / 100)
    found = compare(load_evidence(args.base), load_evidence(args.candidate), question)
    if args.html is not None:
        from resume_rig.report.html import comparison_report

        write_whole(args.html, comparison_report(found, utc_now_text()))
        say(f"Report: {args.html}")
    answer(_told(found, as_json=args.json))
    return _STATUS[found.answer]


def _told(found: "Comparison", *, as_json: bool) -> "Iterable[str]":
    if as_json:
        from resume_rig.report.compare_json import comparison_document

        return [comparison_document(found)]
    from resume_rig.report.compare_terminal import comparison_table

    look = look_of(sys.stdout)
    return comparison_table(
        found, colour=look.colour, unicode=look.unicode, width=columns_of(sys.stdout)
    )
