"""Where a report says that its raw data lie."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.model.errors import shell_word
from resume_rig.report.campaign.raw_data import NOTHING_RAW, RawData, raw_in_folder, raw_of_store
from resume_rig.report.html import campaign_report


@pytest.mark.parametrize(
    "name",
    ["night.rrs", "a b.rrs", "javascript:alert(1).rrs", 'é"<&>.rrs', "..%2f.rrs", "a?b#c.rrs"],
)
def test_a_link_leads_from_the_report_to_its_store_and_nowhere_else(name: str) -> None:
    raw = raw_of_store(Path("stores") / name, Path("reports/x.html"))
    (file,) = raw.files
    assert Path("reports", unquote(file.link)).parts == ("reports", "..", "stores", name)
    assert not set(file.link) & set(":?#\"'<>& ")
    assert file.name == name


def test_a_report_whose_place_is_not_known_has_no_link_and_still_tells_the_command() -> None:
    raw = raw_of_store(Path("a b.rrs"), None)
    assert raw.files == ()
    assert (
        raw.command
        == f"resume-rig export {shell_word(Path('a b.rrs'))} --to vcd --cycle N --out cycle.vcd"
    )


def page(samples: Any, raw: RawData) -> str:
    return campaign_report(
        answered_campaign(samples.with_a_hang(), samples.facts()), "now", (), raw
    )


def test_a_failure_links_to_its_wave_where_there_is_one(samples: Any) -> None:
    failed = [c.outside.number for c in samples.with_a_hang().cycles if c.outside.outcome != "x"]
    with_waves = page(samples, raw_in_folder(("campaign.rrs", "cycles.csv"), failed))
    assert 'href="cycles.csv"' in with_waves
    assert "Its wave as VCD" in with_waves
    without = page(samples, NOTHING_RAW)
    assert without.count("href=") == without.count('href="#')  # within the page
    assert "Its wave as VCD" not in without
