"""`resume-rig compare`: base against candidate, one session a side or several."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.acceptance.whole_file import write_whole
from resume_rig.cli.terminal.arguments import (
    add_requirement_arguments,
    add_verb,
    kind_of_sleep,
    percent,
    requirement_of,
)
from resume_rig.cli.terminal.console import (
    DONE,
    FAILED,
    UNDECIDED,
    answer,
    answer_json,
    answer_style,
    check_output,
    print_note,
)
from resume_rig.model.errors import UsageError
from resume_rig.model.result.comparison import Answer
from resume_rig.timing.clocks import utc_now_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from resume_rig.model.result.comparison import Comparison

_STATUS = {
    Answer.NO_REGRESSION: DONE,
    Answer.REGRESSION: FAILED,
    Answer.REQUIREMENT_FAILED: FAILED,
    Answer.SESSIONS_DIFFER: UNDECIDED,
    Answer.NO_EVIDENCE: UNDECIDED,
}


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "compare",
        "compare a candidate with its base: what became slower, and what could have been detected",
        "  resume-rig compare bios-1.06/ bios-1.07/ --html compare.html\n"
        "  resume-rig compare --base a1.rrs a2.rrs a3.rrs --candidate b1.rrs b2.rrs b3.rrs\n"
        "  resume-rig compare before.evtx after.evtx --kind hybrid --json",
    )
    parser.add_argument(
        "base",
        metavar="BASE",
        nargs="?",
        type=Path,
        help="a campaign store, an OS log, or a folder of them; each file is one session",
    )
    parser.add_argument("candidate", metavar="CANDIDATE", nargs="?", type=Path, help="likewise")
    for side in ("base", "candidate"):
        parser.add_argument(
            f"--{side}",
            dest=f"{side}s",
            metavar="PATH",
            nargs="+",
            action="extend",
            default=[],
            type=Path,
            help=f"further sessions of the {side} (may be repeated)",
        )
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
    parser.add_argument(
        "--one-session-is-enough",
        action="store_true",
        help="with one session a side, call a difference between the sessions a REGRESSION of the "
        "build; how far sessions of one build scatter is then not taken into account",
    )
    add_requirement_arguments(parser, kinds=False)
    parser.add_argument("--html", metavar="FILE", type=Path, help="write an HTML report too")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Read both sides, compare, show."""
    from resume_rig.analysis.compare.comparison import Question, compare
    from resume_rig.campaign.answer.compare import check_sides, find_sessions, load_sessions

    requirement = requirement_of(args)
    base = find_sessions(_side(args.base, args.bases, "BASE"))
    candidate = find_sessions(_side(args.candidate, args.candidates, "CANDIDATE"))
    check_output(args.html, (*base, *candidate))
    check_sides(base, candidate)
    question = Question(
        args.kind,
        args.alpha / 100,
        args.matters / 100,
        one_session_is_enough=args.one_session_is_enough,
        requirement=requirement.id,
    )
    found = compare(
        load_sessions(base, requirement), load_sessions(candidate, requirement), question
    )
    if args.html is not None:
        from resume_rig.report.html import comparison_report

        write_whole(args.html, comparison_report(found, utc_now_text()))
        print_note(f"Report: {args.html}")
    if args.json:
        from resume_rig.report.compare.document import comparison_document

        answer_json([comparison_document(found)])
    else:
        answer(_text(found))
    return _STATUS[found.answer]


def _side(first: Path | None, more: list[Path], name: str) -> list[Path]:
    paths = [*([] if first is None else [first]), *more]
    if not paths:
        from resume_rig.campaign.answer.compare import ALLOWED

        raise UsageError(
            f"could not compare: the following is required: {name}, or --{name.lower()} PATH; "
            f"{ALLOWED}"
        )
    return paths


def _text(found: "Comparison") -> "Iterable[str]":
    from resume_rig.report.compare.terminal import comparison_table

    return comparison_table(found, answer_style())
