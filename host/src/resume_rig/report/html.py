"""The HTML reports: one file that needs nothing else, no script and no network."""

from collections.abc import Iterable
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from resume_rig.model.campaign import CampaignFacts
from resume_rig.model.comparison import Comparison
from resume_rig.model.cycle import Correlation
from resume_rig.model.fleet import Fleet
from resume_rig.model.judgement import LogJudgement
from resume_rig.model.recorded import RecordedCycle
from resume_rig.report.campaign_view import campaign_page
from resume_rig.report.compare_view import comparison_page
from resume_rig.report.failure_view import failures, is_failure
from resume_rig.report.fleet_view import fleet_page
from resume_rig.report.hostile_text import one_line
from resume_rig.report.log_view import log_page
from resume_rig.report.raw_data import NOTHING_RAW, RawData


def campaign_report(
    correlation: Correlation,
    facts: CampaignFacts,
    generated_utc: str,
    recorded: Iterable[RecordedCycle] = (),
    raw: RawData = NOTHING_RAW,
) -> str:
    """Return the page of a campaign.

    Args:
        correlation: outside and inside, matched and judged.
        facts: who and what was measured, and how.
        generated_utc: when, as it is to be printed.
        recorded: the wires of the cycles in `failed_numbers`, for their waves.
        raw: where the raw data lie.
    """
    page = campaign_page(correlation, facts, generated_utc)
    wires = {each.number: each for each in recorded}
    drawn = failures(correlation.cycles, wires, facts.recoveries)
    more = sum(map(is_failure, correlation.cycles)) - len(drawn)
    template = _environment().get_template("campaign.html.j2")
    return template.render(page=page, failures=drawn, failures_more=more, raw=raw)


def embedded_report(correlation: Correlation, facts: CampaignFacts, generated_utc: str) -> str:
    """Return a page with the figures of a campaign, to stand in a frame of another program's.

    Its size does not grow with the number of cycles; arguments as `campaign_report`.
    """
    page = campaign_page(correlation, facts, generated_utc)
    return _environment().get_template("embedded.html.j2").render(page=page)


def log_report(judgement: LogJudgement, generated_utc: str) -> str:
    """Return the page of a log judged alone; `generated_utc` is printed as it is."""
    page = log_page(judgement, generated_utc)
    return _environment().get_template("log.html.j2").render(page=page)


def comparison_report(comparison: Comparison, generated_utc: str) -> str:
    """Return the page of a comparison; `generated_utc` is printed as it is."""
    page = comparison_page(comparison, generated_utc)
    return _environment().get_template("compare.html.j2").render(page=page)


def fleet_report(fleet: Fleet, generated_utc: str) -> str:
    """Return the page of many campaigns; `generated_utc` is printed as it is."""
    page = fleet_page(fleet, generated_utc)
    return _environment().get_template("fleet.html.j2").render(page=page)


@cache  # compiling the templates takes longer than filling them in
def _environment() -> Environment:
    """Return an environment in which every value is cleaned and then escaped.

    `finalize` sees each value before autoescape does: a template cannot forget to clean one.
    """
    return Environment(
        loader=PackageLoader("resume_rig.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_clean,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _clean(value: object) -> object:
    return one_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value
