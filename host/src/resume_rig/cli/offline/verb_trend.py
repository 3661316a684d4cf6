"""`resume-rig trend`: how a lab's figures go over builds or weeks, and what carries a change."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.acceptance.whole_file import write_whole
from resume_rig.cli.offline.verb_lake import add_engine_arguments, engine_of
from resume_rig.cli.terminal.arguments import (
    add_requirement_arguments,
    add_verb,
    named,
    percent,
    requirement_of,
)
from resume_rig.cli.terminal.console import (
    answer,
    answer_json,
    answer_style,
    check_output,
    print_note,
    status_of_verdict,
)
from resume_rig.model.errors import UsageError
from resume_rig.model.result.fleet import TrendBy, UnitBy
from resume_rig.timing.clocks import utc_now_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from resume_rig.model.result.fleet import Trend


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "trend",
        "show a lab's figures over builds or weeks: the first that is worse, and what carries it",
        "  resume-rig trend /srv/lake --html lab.html\n"
        "  resume-rig trend s3://lab/lake --by week --measure resume_ms --json",
    )
    parser.add_argument("lake", metavar="URL", type=named, help="folder or URL of the lake")
    parser.add_argument(
        "--by",
        choices=[by.value for by in TrendBy],
        default=TrendBy.BIOS.value,
        help="what the points are: BIOS versions in the order in which they came (default), or "
        "weeks (ISO 8601, UTC)",
    )
    parser.add_argument(
        "--measure",
        metavar="NAME",
        action="append",
        help="look at this measure alone (may be repeated; default: all headline measures)",
    )
    parser.add_argument(
        "--units",
        choices=[by.value for by in UnitBy],
        default=UnitBy.DUT.value,
        help="what distinguishes units: the name of their DUT profile, the folder of the store, or "
        "each store is another unit (default dut)",
    )
    parser.add_argument(
        "--matters",
        metavar="PERCENT",
        type=percent,
        default=5.0,
        help="the smallest change that is named, in %% of the level before it (default 5)",
    )
    parser.add_argument("--all", action="store_true", help="show every row of a long table")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write the page of the lab too")
    parser.add_argument(
        "--reports",
        metavar="URL",
        type=named,
        help="in the page, campaigns' reports are below this address, named as their files are "
        "(default: where they were when the campaign was added)",
    )
    add_engine_arguments(parser)
    add_requirement_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Ask the lake, decide, show."""
    check_output(args.html, ())
    if args.reports is not None and not args.reports.startswith(("http://", "https://")):
        raise UsageError(
            f"could not use --reports {args.reports!r:.80}: an address that begins with http:// or "
            "https:// is needed"
        )
    found = _asked(args)
    if args.html is not None:
        from resume_rig.report.html import trend_report

        write_whole(args.html, trend_report(found, utc_now_text(), args.html, args.reports))
        print_note(f"Report: {args.html}")
    if args.json:
        from resume_rig.report.trend.document import trend_document

        answer_json([trend_document(found)])
    else:
        answer(_text(found, show_all=args.all))
    return status_of_verdict(found.verdict)


def _asked(args: argparse.Namespace) -> "Trend":
    from resume_rig.analysis.compare.samples import HEADLINES
    from resume_rig.analysis.compare.trend import trend_of

    wrong = [name for name in args.measure or () if name not in HEADLINES]
    if wrong:
        raise UsageError(
            f"could not look at {wrong[0]!r:.80}; allowed are {', '.join(HEADLINES)} (--measure)"
        )
    measures = tuple(dict.fromkeys(args.measure or HEADLINES))
    by, requirement = TrendBy(args.by), requirement_of(args)
    with engine_of(args, args.lake, "show a trend") as engine:
        from resume_rig.lake.questions import component_medians, trend_sessions

        with engine.reading():
            facts = trend_sessions(engine, by, UnitBy(args.units), requirement, measures)
        return trend_of(
            facts.sessions,
            by,
            measures,
            facts.requirement,
            lambda loads: component_medians(engine, loads),
            matters=args.matters / 100,
            left_out=facts.left_out,
        )


def _text(found: "Trend", *, show_all: bool) -> "Iterable[str]":
    from resume_rig.report.trend.terminal import trend_tables

    return trend_tables(found, answer_style(), show_all=show_all)
