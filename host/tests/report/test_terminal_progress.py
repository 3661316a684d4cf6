"""The line that tells how a campaign stands."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.cycle import Outcome
from resume_rig.report.hostile_text import display_width
from resume_rig.report.terminal_progress import CampaignStatus, left_text, status_line

STATUS = CampaignStatus(
    doing="cycle 743 asleep after 1.2 s",
    done=742,
    cycles=1_000,
    outcomes={Outcome.SLEPT_AND_WOKE: 740, Outcome.DARK: 2},
    light_ns=(724_400_000, 801_000_000),
    resume_ms=(887, 1_002),
    first_failure=17,
    left_ns=45 * 60_000_000_000,
)


def test_everything_is_told_where_there_is_room() -> None:
    text = status_line(STATUS, 200, unicode=True)
    assert text.startswith("████████░░░░ 742/1000  cycle 743 asleep")
    for part in ("45 min left", "first failure: cycle 17", "resume 887 (p95 1002) ms"):
        assert part in text
    assert "light 724 (p95 801) ms  740 slept and woke, 2 stayed dark" in text


@given(st.integers(1, 200), st.booleans())
def test_a_line_fits_or_is_the_bar_alone(width: int, unicode: bool) -> None:
    text = status_line(STATUS, width, unicode=unicode)
    assert "\n" not in text
    assert display_width(text) <= width or text.endswith("742/1000")
    assert unicode or text.isascii()


def test_a_failure_is_told_before_any_figure() -> None:
    text = status_line(STATUS, 90, unicode=True)
    assert "first failure: cycle 17" in text
    assert "p95" not in text


def test_a_campaign_that_has_just_begun_tells_no_figures() -> None:
    new = dataclasses.replace(
        STATUS, done=0, outcomes={}, light_ns=None, resume_ms=None, first_failure=None, left_ns=None
    )
    assert status_line(new, 200, unicode=False) == "............ 0/1000  " + STATUS.doing


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 ns"), (59, "59 s"), (600, "10 min"), (36_000, "10.0 h"), (600_000, "6.9 days")],
)
def test_what_is_left_is_told_as_well_as_it_can_be_known(seconds: int, text: str) -> None:
    assert left_text(seconds * 1_000_000_000) == text
