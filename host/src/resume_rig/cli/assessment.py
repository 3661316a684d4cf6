"""What `run`, `correlate` and `report` do alike once there is a store or a capture."""

import argparse
import dataclasses
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.cli.console import answer, columns_of, look_of, say, write_whole

if TYPE_CHECKING:
    from resume_rig.model.campaign import CampaignFacts
    from resume_rig.model.cycle import Correlation
    from resume_rig.model.os_record import LogReading
    from resume_rig.model.requirement import Requirement


@dataclass(frozen=True, slots=True)
class Assessed:
    """A campaign's answer, and what a report has to know beside it."""

    correlation: "Correlation"
    facts: "CampaignFacts"


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
    from resume_rig.campaign.stored import load_campaign

    stored = load_campaign(store)
    if reading is not None:
        stored = dataclasses.replace(stored, reading=reading)
    return Assessed(assess(stored, requirement), facts_of(stored, requirement, report))


def show(assessed: Assessed, args: argparse.Namespace) -> None:
    """Write the HTML report where one is wanted, and the answer to standard output."""
    report: Path | None = None
    if assessed.facts.report_path is not None:
        report = Path(assessed.facts.report_path)
        write_whole(report, html_of(assessed))
    if args.json:
        from resume_rig.report.correlate_json import correlation_document

        answer([correlation_document(assessed.correlation, assessed.facts)])
        return
    from resume_rig.report.terminal_correlation import correlation_table

    look = look_of(sys.stdout)
    answer(
        correlation_table(
            assessed.correlation,
            colour=look.colour,
            unicode=look.unicode,
            show_all=getattr(args, "all", False),
            width=columns_of(sys.stdout),
        )
    )
    say(f"Store:  {assessed.facts.store_path}")
    if report is not None:
        say(f"Report: {report}")


def html_of(assessed: Assessed) -> str:
    """Return the HTML report."""
    from resume_rig.cli.console import utc_now_text
    from resume_rig.report.html import campaign_report

    return campaign_report(assessed.correlation, assessed.facts, utc_now_text())
