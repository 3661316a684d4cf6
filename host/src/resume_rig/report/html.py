"""The HTML reports: each is one file that needs no other and no network.

Style and script stand in it, and its policy (CSP) allows these two alone, by their hashes.
Without the script nothing is missing but sorting, filtering and choosing.
"""

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from resume_rig.analysis.answer.campaign import AnsweredCampaign
from resume_rig.analysis.answer.log import AnsweredLog
from resume_rig.model.result.comparison import Comparison
from resume_rig.model.result.fleet import Fleet, Trend
from resume_rig.model.result.judgement import RecordedCycle
from resume_rig.report.campaign.answer import failures
from resume_rig.report.campaign.page import campaign_page
from resume_rig.report.campaign.raw_data import NOTHING_RAW, RawData
from resume_rig.report.compare.page import comparison_page
from resume_rig.report.drawing.palette import css_variables
from resume_rig.report.fleet.page import fleet_page
from resume_rig.report.log.page import log_page
from resume_rig.report.text.hostile_text import one_line
from resume_rig.report.trend.page import trend_page


def campaign_report(
    campaign: AnsweredCampaign,
    generated_utc: str,
    recorded: Iterable[RecordedCycle] = (),
    raw: RawData = NOTHING_RAW,
) -> str:
    """Return the page of a campaign.

    Args:
        campaign: with its answer.
        generated_utc: when, as it is to be printed.
        recorded: the wires of the cycles in `drawn_failures`, for their waves.
        raw: where the raw data lie.
    """
    page = campaign_page(campaign, generated_utc)
    wires = {each.number: each for each in recorded}
    drawn = failures(campaign, wires)
    more = len(campaign.answer.counts.wrong) - len(drawn)
    band = campaign.answer.band
    return _rendered("campaign", page, band, failures=drawn, failures_more=more, raw=raw)


def embedded_report(campaign: AnsweredCampaign, generated_utc: str) -> str:
    """Return a page with the figures of a campaign, to stand in a frame of another program's.

    Its size does not grow with the number of cycles; arguments as `campaign_report`.
    """
    page = campaign_page(campaign, generated_utc, scripted=False)
    return _rendered("embedded", page, campaign.answer.band)


def log_report(log: AnsweredLog, generated_utc: str) -> str:
    """Return the page of a log judged alone; `generated_utc` is printed as it is."""
    return _rendered("log", log_page(log, generated_utc))


def comparison_report(comparison: Comparison, generated_utc: str) -> str:
    """Return the page of a comparison; `generated_utc` is printed as it is."""
    return _rendered("compare", comparison_page(comparison, generated_utc), comparison.band)


def fleet_report(fleet: Fleet, generated_utc: str) -> str:
    """Return the page of many campaigns; `generated_utc` is printed as it is."""
    return _rendered("fleet", fleet_page(fleet, generated_utc), fleet.band)


def trend_report(
    trend: Trend, generated_utc: str, place: Path | None = None, reports: str | None = None
) -> str:
    """Return the page of a lab; arguments as `trend_page`."""
    return _rendered("trend", trend_page(trend, generated_utc, place, reports), trend.band)


def _rendered(name: str, page: object, band: str = "", **more: object) -> str:
    return _environment().get_template(f"{name}.html.j2").render(page=page, band=band, **more)


@cache  # compiling the templates takes longer than filling them in
def _environment() -> Environment:
    """Return an environment in which every value is cleaned and then escaped.

    `finalize` sees each value before autoescape does: a template cannot forget to clean one.
    """
    environment = Environment(
        loader=PackageLoader("resume_rig.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_clean,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = css_variables() + _own("style.css")
    # Indentation is for those who read the source: of 15 kB that a page may have it takes two.
    script = "\n".join(line.lstrip() for line in _own("report.js").splitlines())
    environment.globals |= {
        "style": Markup(style),
        "script": Markup(script),
        "policy": f"default-src 'none'; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        "script_hash": _hash(script),
    }
    return environment


def _own(name: str) -> str:
    """Return a file of ours that stands in every page, as it is."""
    return files("resume_rig.report").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return what a policy allows an inline text by (CSP Level 3, 2.3.1)."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _clean(value: object) -> object:
    return one_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value
