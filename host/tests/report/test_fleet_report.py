"""A fleet as tables, JSON and a page; what comes from a DUT stays harmless."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from resume_rig.analysis.compare.fleet import survey
from resume_rig.analysis.stats.figures import failure_rate
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.result.fleet import Fleet, FleetCampaign, TimesOf, Trait, UnreadStore
from resume_rig.model.result.verdict import Verdict
from resume_rig.report.fleet.document import fleet_document
from resume_rig.report.fleet.terminal import ROWS_MOST, fleet_table
from resume_rig.report.html import fleet_report
from resume_rig.report.text.hostile_text import display_width
from resume_rig.report.text.terminal_style import TerminalStyle

REQUIREMENT = load_requirement("sysfund-0004")
CAMPAIGN = FleetCampaign(
    path="/srv/a/one.rrs",
    unit="one",
    traits=dict.fromkeys(Trait, "") | {Trait.PRODUCT: "Book", Trait.STATE: "S3"},
    begun_utc_ns=1_763_000_000_000_000_000,
    running=True,
    marks=("salvaged",),
    cycles=100,
    verdict=Verdict.PASS,
    why="99 of 99",
    failures=failure_rate(0, 99),
    outcomes={"slept-and-woke": 100},
    findings={"dark": 3, "glitch": 1, "dozed": 1, "woke-late": 1},
    times={"resume_ms": TimesOf("resume_ms", 99, 900.4, 980.0, 1001.0, 30.0)},
)


def fleet(*campaigns: FleetCampaign, **more: object) -> Fleet:
    return survey(campaigns, REQUIREMENT, (Trait.PRODUCT, Trait.BIOS), **more)


def text(found: Fleet, width: int = 160, *, everything: bool = False) -> str:
    return "".join(fleet_table(found, TerminalStyle(width=width), show_all=everything))


def many(count: int, product: str = "Book") -> list[FleetCampaign]:
    traits = CAMPAIGN.traits | {Trait.PRODUCT: product}
    return [
        replace(CAMPAIGN, path=f"/srv/{i % 3}/{i}.rrs", unit=f"u{i}", traits=traits)
        for i in range(count)
    ]


def test_a_row_tells_who_how_many_and_how_long() -> None:
    told = text(fleet(CAMPAIGN, replace(CAMPAIGN, path="/srv/b/two.rrs", unit="two")))

    assert f"stores relative to {Path('/srv')}." in told
    assert "Book, no BIOS version named: PASS" in told
    row = next(line for line in told.splitlines() if line.startswith(str(Path("a/one.rrs"))))
    for word in ("one", "2025-11-13 02:13", "100", "99", "900", "980", "1001", "PASS"):
        assert word in row
    assert "dark 3, dozed 1, glitch 1, 1 more" in row
    assert "running, salvaged" in text(fleet(CAMPAIGN), 200)
    assert "dark in 6 cycles of 2 campaigns" in told


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_columns_give_way_and_the_verdict_stays(width: int) -> None:
    lines = text(fleet(*many(4)), width).splitlines()

    assert sum(line.endswith("PASS") for line in lines) >= 4
    assert all(display_width(line) <= width for line in lines)


def test_a_long_group_is_cut_and_says_so() -> None:
    found = fleet(*many(ROWS_MOST + 5))

    assert "... and 5 more; --all shows them." in text(found)
    assert "more; --all" not in text(found, everything=True)
    assert text(found, everything=True).count(".rrs ") == ROWS_MOST + 5


def test_what_is_left_out_is_named() -> None:
    told = text(
        fleet(
            CAMPAIGN,
            unread=[UnreadStore("x.rrs", "could not open x.rrs: it is damaged")],
            copies=[("y.rrs", "/srv/a/one.rrs")],
        )
    )

    assert "Left out: could not open x.rrs: it is damaged." in told
    assert "y.rrs is a copy of /srv/a/one.rrs, and counted once." in told


def test_an_odd_unit_is_told_once_with_all_its_ways() -> None:
    slow = {
        name: TimesOf(name, 99, 1500.0, 1600.0, 1700.0, 30.0)
        for name in ("resume_ms", "press_to_light_ns")
    }
    usual = [
        replace(
            each,
            times={
                name: TimesOf(name, 99, 900.0 + i % 5, 960.0, 990.0, 30.0)
                for name in ("resume_ms", "press_to_light_ns")
            },
        )
        for i, each in enumerate(many(9))
    ]

    told = text(fleet(*usual, replace(CAMPAIGN, unit="slow one", times=slow)))

    assert told.count("is unlike the others") == 1
    assert "Unit slow one is unlike the others: " in told
    assert "total resume time 1500 ms, theirs 902 ms" in " ".join(told.split())


def test_the_document_has_numbers_and_nothing_hostile() -> None:
    document = json.loads(fleet_document(fleet(*many(3, "\x1b[31mX\ud800" + "y" * 9000))))

    (group,) = document["groups"]
    assert group["times"][0]["next_within"] == 0.5
    assert group["times"][0]["between_ms"] == 0.0
    assert len(group["traits"]["product"]) <= 4_001
    assert "\ud800" not in group["traits"]["product"]
    assert document["verdict"] == "PASS"


def test_the_page_draws_each_campaign_and_runs_nothing() -> None:
    page = fleet_report(fleet(*many(7, "<script>x</script>\u202e")), "now")

    assert page.count("median 900 ms, 95th percentile 980 ms, worst 1001 ms of 99") == 7
    assert page.count("<script") == 1  # the report's own, allowed by its hash
    assert "\u202e" not in page
    assert page.count(">Unit</th>") == 1


def test_a_page_of_nothing_judged_draws_nothing() -> None:
    empty = replace(CAMPAIGN, times={}, failures=None, verdict=Verdict.NO_EVIDENCE)

    page = fleet_report(fleet(empty), "now")

    assert "<circle" not in page
    assert "No cycle of these campaigns is judged." in page
