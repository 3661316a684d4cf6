"""Shows what `run` and `correlate` found: the answer, and the HTML report where one is wanted."""

import argparse
import textwrap
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from resume_rig.acceptance.assessment import Assessed, html_at
from resume_rig.acceptance.whole_file import write_whole
from resume_rig.cli.terminal.console import (
    answer,
    answer_json,
    answer_style,
    is_for_machine,
    print_event,
    print_note,
)
from resume_rig.model.errors import UsageError
from resume_rig.timing.clocks import utc_now_text


def show(assessed: Assessed, args: argparse.Namespace) -> None:
    """Write the HTML report where one is wanted, and the answer to standard output.

    Raises:
        UsageError: the report cannot be written; the answer was shown all the same.
    """
    failed: UsageError | None = None
    report = assessed.facts.report_path
    if report is not None:
        try:
            write_whole(Path(report), html_of(assessed))
        except UsageError as error:
            failed, report = error, None
            assessed = assessed.without_report()
    if args.json:
        from resume_rig.report.campaign.document import correlation_pieces

        answer_json(correlation_pieces(assessed.campaign))
    else:
        answer(_text(assessed, args))
    if failed is not None:
        raise failed
    if not args.json and not is_for_machine(args):
        what = "Capture" if assessed.store is None else "Store"
        print_note(f"{what + ':':<7} {assessed.facts.store_path}")
        if report is not None:
            print_note(f"Report: {report}")


def _text(assessed: Assessed, args: argparse.Namespace) -> Iterable[str]:
    """Return the answer for people."""
    from resume_rig.report.campaign.terminal import correlation_table

    style = answer_style()
    answer_lines: Iterable[str] = correlation_table(
        assessed.campaign, style, show_all=getattr(args, "all", False)
    )
    if assessed.facts.plan_state is not None:
        lines = textwrap.wrap(assessed.facts.plan_state, style.width, subsequent_indent="  ")
        answer_lines = chain(answer_lines, (f"{line}\n" for line in lines))
    if not getattr(args, "budget", False):
        return answer_lines
    from resume_rig.report.campaign.sections import budget_tables

    trigger = assessed.campaign.overview.trigger
    return chain(budget_tables(assessed.facts.budgets, style, trigger), answer_lines)


def html_of(assessed: Assessed) -> str:
    """Return the HTML report."""
    return html_at(assessed, utc_now_text())


def show_campaign(assessed: Assessed, args: argparse.Namespace) -> None:
    """Show the answer of a campaign that is over, as `show`; to machines also as an event."""
    show(assessed, args)
    if is_for_machine(args):
        from resume_rig.report.text.json_text import text_json

        answer, facts = assessed.answer, assessed.facts
        verdict = {"event": "verdict", "verdict": answer.verdict.value}
        files = {"store": facts.store_path, "report": str(facts.report_path)}
        texts = {"text": answer.text, **files}
        print_event({**verdict, **{name: text_json(text) for name, text in texts.items()}})
