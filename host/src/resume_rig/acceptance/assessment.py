"""The answer of a store, computed again from what it keeps raw, and its HTML report."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resume_rig.analysis.answer.campaign import AnsweredCampaign
    from resume_rig.model.os_record import LogReading
    from resume_rig.model.result.answer import Answer
    from resume_rig.model.result.cycle import Correlation
    from resume_rig.model.result.judgement import CampaignFacts
    from resume_rig.model.result.match import StatedPair
    from resume_rig.model.result.verdict import Requirement
    from resume_rig.report.campaign.raw_data import RawData
    from resume_rig.rig.capture.gathering import Capture


@dataclass(frozen=True, slots=True)
class Assessed:
    """A campaign with its answer, and where its raw data are.

    Attributes:
        campaign: what faces paint.
        store: of its raw data; None for a capture.
        capture: its edges; None for a store.
    """

    campaign: "AnsweredCampaign"
    store: Path | None = None
    capture: "Capture | None" = None

    @property
    def correlation(self) -> "Correlation":
        """Its cycles, matched and judged."""
        return self.campaign.correlation

    @property
    def facts(self) -> "CampaignFacts":
        """Who and what was measured."""
        return self.campaign.facts

    @property
    def answer(self) -> "Answer":
        """The answer."""
        return self.campaign.answer

    def without_report(self) -> "Assessed":
        """Return the same, of which no HTML report was written."""
        facts = dataclasses.replace(self.facts, report_path=None)
        return dataclasses.replace(self, campaign=dataclasses.replace(self.campaign, facts=facts))


def assess_store(
    store: Path,
    requirement: "Requirement",
    report: Path | None,
    reading: "LogReading | None" = None,
    stated_pair: "StatedPair | None" = None,
) -> Assessed:
    """Compute everything again from what a store keeps raw.

    Args:
        store: path of the store.
        requirement: what it is judged against.
        report: where the HTML report is, or will be.
        reading: OS records to match instead of the stored ones.
        stated_pair: a cycle and its OS record, where somebody states them.
    """
    from resume_rig.analysis.answer.campaign import answered_campaign
    from resume_rig.campaign.answer.assessment import assess, facts_of, stored_budgets
    from resume_rig.campaign.store.read_back import load_campaign, timed_campaign

    stored = load_campaign(store)
    if reading is not None:
        stored = dataclasses.replace(stored, reading=reading)
    timed = timed_campaign(stored)
    correlation = assess(stored, requirement, timed, stated_pair)
    facts = facts_of(stored, requirement, report, correlation.cycles)
    budgets = stored_budgets(stored, correlation, timed.calibrations)
    facts = dataclasses.replace(facts, budgets=budgets)
    return Assessed(answered_campaign(correlation, facts), store)


def html_at(assessed: Assessed, generated: str, raw: "RawData | None" = None) -> str:
    """Return the HTML report.

    Args:
        assessed: what it shows.
        generated: when, as it is to be printed.
        raw: files in its folder; None: the store, where the report has a place of its own.
    """
    from resume_rig.campaign.answer.assessment import captured_cycles
    from resume_rig.campaign.store.read_back import recorded_cycles, with_record_texts
    from resume_rig.report.campaign.answer import drawn_failures
    from resume_rig.report.campaign.raw_data import raw_of_store
    from resume_rig.report.html import campaign_report

    campaign = assessed.campaign
    numbers = drawn_failures(campaign.answer)
    if assessed.store is None:
        wires = captured_cycles(assessed.capture, campaign.correlation.cycles, numbers)
        return campaign_report(campaign, generated, wires)
    correlation = with_record_texts(campaign.correlation, assessed.store, numbers)
    campaign = dataclasses.replace(campaign, correlation=correlation)
    recorded = recorded_cycles(assessed.store, numbers)
    if raw is None:
        place = assessed.facts.report_path
        raw = raw_of_store(assessed.store, None if place is None else Path(place))
    return campaign_report(campaign, generated, recorded, raw)
