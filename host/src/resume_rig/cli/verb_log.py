"""`resume-rig log`: judges OS logs alone."""

import argparse
import sys
from pathlib import Path

from resume_rig.cli.arguments import (
    add_requirement_arguments,
    add_verb,
    existing_paths,
    requirement_of,
)
from resume_rig.cli.console import (
    answer,
    columns_of,
    look_of,
    refuse_to_overwrite,
    say,
    utc_now_text,
    write_whole,
)
from resume_rig.cli.exit_status import status_of_verdict


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "log",
        "judge OS logs alone: transition table, kinds, verdict",
        "  resume-rig log System.evtx\n  resume-rig log *.xml --ignore-first --json",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="OS logs, told by content")
    add_requirement_arguments(parser)
    parser.add_argument(
        "--ignore-first",
        action="store_true",
        help="leave the first transition of each log out of the verdict, as S3Resume does",
    )
    parser.add_argument("--all", action="store_true", help="show every row of a long table")
    parser.add_argument("--report", metavar="HTML", type=Path, help="write an HTML report too")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Read, judge, show."""
    from resume_rig.analysis.judge import judge_log
    from resume_rig.oslog.reading import read_logs

    requirement = requirement_of(args)
    paths = existing_paths(args.files)
    refuse_to_overwrite(args.report, paths)
    judgement = judge_log(read_logs(paths), requirement, ignore_first=args.ignore_first)
    if args.report is not None:
        from resume_rig.report.html import log_report

        write_whole(args.report, log_report(judgement, utc_now_text()))
        say(f"Report: {args.report}")
    if args.json:
        from resume_rig.report.log_json import log_document

        answer(log_document(judgement))
    else:
        from resume_rig.report.terminal_log import log_table

        look = look_of(sys.stdout)
        answer(
            log_table(
                judgement,
                colour=look.colour,
                unicode=look.unicode,
                show_all=args.all,
                width=columns_of(sys.stdout),
            )
        )
    return status_of_verdict(judgement.verdict)
