"""What `run`, `correlate` and `report` do alike once there is a store or a capture."""

import argparse
import dataclasses
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.cli.console import answer, columns_of, look_of, say, write_whole
from resume_rig.model.errors import UsageError

if TYPE_CHECKING:
    from resume_rig.model.campaign import CampaignFacts
    from resume_rig.model.cycle import Correlation
    from resume_rig.model.os_record import LogReading
    from resume_rig.model.requirement import Requirement


@dataclass(frozen=True, slots=True)
class Assessed:
    """A campaign's answer, and what a report has to know beside it; `store` has its raw data."""

    correlation: "Correlation"
    facts: "CampaignFacts"
    store: Path | None = None


def assess_store(
    store: Path,
    requirement: "Requirement",
    report: Path | None,
    reading: "LogReading | None" = None,
) -> Assessed:
    """Compute everything again from what a store keeps raw.

    Args:
        store: path of the store.
        requirement: what it is judged against.
        report: where the HTML report is, or will be.
        reading: OS records to match instead of the stored ones.
    """
    from resume_rig.campaign.assess import assess, facts_of
    from resume_rig.campaign.budgets import stored_budgets
    from resume_rig.campaign.stored import clock_of, load_campaign

    stored = load_campaign(store)
    if reading is not None:
        stored = dataclasses.replace(stored, reading=reading)
    clock = clock_of(stored)
    correlation = assess(stored, requirement, clock)
    facts = facts_of(stored, requirement, report, correlation.cycles)
    budgets = stored_budgets(stored, correlation, clock)
    return Assessed(correlation, dataclasses.replace(facts, budgets=budgets), store)


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
            facts = dataclasses.replace(assessed.facts, report_path=None)
            assessed = dataclasses.replace(assessed, facts=facts)
    answer(_told(assessed, args))
    if failed is not None:
        raise failed
    if not args.json:
        what = "Capture" if assessed.store is None else "Store"
        say(f"{what + ':':<8}{assessed.facts.store_path}")
        if report is not None:
            say(f"Report: {report}")


def _told(assessed: Assessed, args: argparse.Namespace) -> Iterable[str]:
    """Return the answer as it was asked for."""
    if args.json:
        from resume_rig.report.correlate_json import correlation_pieces

        return correlation_pieces(assessed.correlation, assessed.facts)
    from resume_rig.report.terminal_correlation import correlation_table

    look, width = look_of(sys.stdout), columns_of(sys.stdout)
    answer_lines = correlation_table(
        assessed.correlation,
        colour=look.colour,
        unicode=look.unicode,
        show_all=getattr(args, "all", False),
        log_sources=assessed.facts.log_sources,
        width=width,
    )
    if not getattr(args, "budget", False):
        return answer_lines
    from resume_rig.report.budget_table import budget_tables

    tables = budget_tables(assessed.facts.budgets, unicode=look.unicode, width=width)
    return chain(tables, answer_lines)


def html_of(assessed: Assessed) -> str:
    """Return the HTML report."""
    from resume_rig.cli.console import utc_now_text

    return html_at(assessed, utc_now_text())


def html_at(assessed: Assessed, generated: str) -> str:
    """Return the HTML report; `generated` is printed as it is."""
    from resume_rig.campaign.record_texts import with_record_texts
    from resume_rig.campaign.recorded import recorded_cycles
    from resume_rig.report.failure_view import failed_numbers
    from resume_rig.report.html import campaign_report

    correlation = assessed.correlation
    if assessed.store is None:
        return campaign_report(correlation, assessed.facts, generated, ())
    numbers = failed_numbers(correlation.cycles)
    correlation = with_record_texts(correlation, assessed.store, numbers)
    recorded = recorded_cycles(assessed.store, numbers)
    return campaign_report(correlation, assessed.facts, generated, recorded)
