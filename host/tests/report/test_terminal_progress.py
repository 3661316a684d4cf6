"""The lines that tell how a campaign stands."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.channel import Channel
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.verdict import Verdict
from resume_rig.report.campaign.progress import CampaignStatus, left_text, status_lines
from resume_rig.report.text.hostile_text import display_width

STATUS = CampaignStatus(
    doing="cycle 743 asleep after 1.2 s",
    done=742,
    cycles=1_000,
    outcomes={Outcome.SLEPT_AND_WOKE: 740, Outcome.DARK: 2},
    light_ns=(724_400_000, 801_000_000),
    resume_ms=(887, 1_002),
    first_failure=17,
    left_ns=45 * 60_000_000_000,
    provisional=Verdict.FAIL,
    levels={Channel.PWR_OK: 0, Channel.SLP_S3: 0, Channel.SLP_S4: 1},
)


def test_everything_is_told_where_there_is_room() -> None:
    assert status_lines(STATUS, 100, unicode=True) == [
        "████████░░░░ 742/1000  cycle 743 asleep after 1.2 s  45 min left",
        "so far FAIL  first failure: cycle 17  resume 887 (p95 1002) ms  "
        "display on 724 (p95 801) ms",
        "high: SLP_S4#  low: PWR_OK SLP_S3#",
    ]
    (_, results, _) = status_lines(STATUS, 200, unicode=True)
    assert results.endswith("display on 724 (p95 801) ms  740 slept and woke, 2 stayed dark")


@given(st.integers(1, 200), st.booleans())
def test_every_line_fits(width: int, unicode: bool) -> None:
    lines = status_lines(STATUS, width, unicode=unicode)
    assert 1 <= len(lines) <= 3
    for line in lines:
        assert "\n" not in line
        assert display_width(line) <= width
        assert unicode or line.isascii()


def test_a_failure_is_told_before_any_figure() -> None:
    (_, results, _) = status_lines(STATUS, 50, unicode=True)
    assert results == "so far FAIL  first failure: cycle 17"


def test_a_verdict_of_a_session_is_not_told_as_that_of_the_campaign() -> None:
    resumed = dataclasses.replace(STATUS, resumed=True, provisional=Verdict.PASS)
    assert status_lines(resumed, 200, unicode=True)[1].startswith("this session PASS")


def test_a_campaign_that_has_just_begun_tells_no_figures() -> None:
    new = dataclasses.replace(
        STATUS,
        done=0,
        outcomes={},
        light_ns=None,
        resume_ms=None,
        first_failure=None,
        left_ns=None,
        levels=None,
    )
    assert status_lines(new, 200, unicode=False) == ["............ 0/1000  " + STATUS.doing]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 ns"), (59, "59 s"), (600, "10 min"), (36_000, "10.0 h"), (600_000, "6.9 days")],
)
def test_what_is_left_is_told_as_well_as_it_can_be_known(seconds: int, text: str) -> None:
    assert left_text(seconds * 1_000_000_000) == text
