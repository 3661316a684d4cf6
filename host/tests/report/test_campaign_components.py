"""Who slowed a campaign down: ranked over its cycles, alike in terminal, JSON and HTML."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import Component, ComponentKind, Figure, Integrity, LogSource
from resume_rig.model.result.cycle import Correlation
from resume_rig.model.result.judgement import CampaignFacts
from resume_rig.report.campaign.document import correlation_pieces
from resume_rig.report.campaign.terminal import correlation_table
from resume_rig.report.html import campaign_report
from resume_rig.report.text.terminal_style import TerminalStyle

FACTS = CampaignFacts(
    store_path="night.rrs",
    report_path=None,
    identity={},
    plan={},
    outcomes={},
    faults=(),
    requirement=load_requirement("sysfund-0004"),
)


PARTS = (
    Component(ComponentKind.DEVICE, "Slow GPU", "resume devices", 1000.0),
    Component(ComponentKind.DEVICE, "NIC", "resume devices", 20.0),
)
FIGURES = (Figure("transition_ms", 2000.0),)


@pytest.fixture
def correlation(samples: Any) -> Correlation:
    """Four cycles, the first two of which tell of their devices."""
    answer: Correlation = samples.four_cycles()
    cycles = [
        replace(cycle, record=replace(cycle.record, components=PARTS, figures=FIGURES))
        for cycle in answer.cycles[:2]
        if cycle.record is not None
    ]
    return replace(answer, cycles=(*cycles, *answer.cycles[2:]))


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page.partition("</style>")[2]).split())


def test_the_document_ranks_over_the_cycles(samples: Any, correlation: Correlation) -> None:
    document = json.loads(
        "".join(correlation_pieces(answered_campaign(correlation, samples.facts())))
    )
    assert [one["name"] for one in document["slowest"]] == ["Slow GPU", "NIC"]
    assert document["slowest"][0]["count"] == 2
    assert document["slowest"][0]["share"] == 0.5
    assert document["slowest_left_out"] == 0
    (advice,) = document["advice"]
    assert (advice["topic"], advice["owner"]) == ("slow-resume-device", "driver vendor")
    assert [part["name"] for part in document["cycles"][0]["components"]] == ["Slow GPU", "NIC"]
    assert document["cycles"][0]["figures"] == {"transition_ms": 2000.0}
    assert document["cycles"][2]["components"] == []


def test_the_terminal_shows_them_below_the_verdict(samples: Any, correlation: Correlation) -> None:
    text = "".join(correlation_table(answered_campaign(correlation, FACTS), TerminalStyle()))
    assert re.search(r"1000 +1000 +- +50 % +2 +Slow GPU +resume devices", text)
    assert "Advice for the driver vendor: Slow GPU: Let the driver request its D0 IRP" in text
    assert text.startswith("PASS")
    assert "Slowest" not in "".join(
        correlation_table(answered_campaign(samples.four_cycles(), FACTS), TerminalStyle())
    )


def test_the_page_shows_them(samples: Any, correlation: Correlation) -> None:
    text = text_of(campaign_report(answered_campaign(correlation, samples.facts()), "now"))
    assert "1000 1000 - 50 % 2 Slow GPU resume devices" in text
    assert "Slow GPU Let the driver request its D0 IRP" in text
    assert "A driver on WDF does so by itself. driver vendor Microsoft" in text
    assert "S3 whole transition, ms 2 2000 2000 2000" in text
    assert "Slowest parts" not in text_of(
        campaign_report(answered_campaign(samples.four_cycles(), samples.facts()), "now")
    )


def test_records_of_linux_get_no_advice_from_microsoft(
    samples: Any, correlation: Correlation
) -> None:
    source = LogSource("dmesg", "linux-kernel-log", None, 1, Integrity(ok=True))
    facts = replace(samples.facts(), log_sources=(source,))
    document = json.loads("".join(correlation_pieces(answered_campaign(correlation, facts))))
    assert document["advice"] == []
    assert len(document["slowest"]) == 2
