"""Somebody else's capture: it may end anywhere, and its end is no fault of the DUT."""

from dataclasses import replace
from pathlib import Path

import pytest

from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.answer.assessment import assess_capture
from resume_rig.model.channel import Channel
from resume_rig.model.result.cycle import Correlation, Outcome
from resume_rig.model.result.verdict import Verdict
from resume_rig.oslog.reading import read_logs
from resume_rig.rig.capture.gathering import Capture
from resume_rig.rig.capture.reading import read_capture

S = 1_000_000_000
FIXTURES = Path(__file__).parents[3] / "fixtures"
TRACE = FIXTURES / "traces" / "two-s3-cycles.vcd"


@pytest.fixture
def capture() -> Capture:
    """Two cycles; the light of the second is the last edge, 6.5 s before the end."""
    return read_capture(TRACE, {})


def assessed(capture: Capture) -> Correlation:
    correlation, _ = assess_capture(
        TRACE,
        capture,
        read_logs([FIXTURES / "logs" / "two-s3-cycles.xml"]),
        requirement=load_requirement("sysfund-0004"),
        dut=None,
        report_path=None,
    )
    return correlation


def test_a_whole_capture_passes(capture: Capture) -> None:
    assert assessed(capture).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("last", "after_s", "outcome", "verdict"),
    [
        (Channel.PLTRST, 1, Outcome.INTERRUPTED, Verdict.PASS),
        (Channel.PLTRST, 20, Outcome.DARK, Verdict.FAIL),
        (Channel.BUTTON, 1, Outcome.INTERRUPTED, Verdict.NO_EVIDENCE),
        (Channel.BUTTON, 20, Outcome.NEVER_WOKE, Verdict.FAIL),
    ],
    ids=["ends before the light", "stays dark", "ends in the press", "never wakes"],
)
def test_a_capture_that_ends_in_a_wake_shows_no_fault(
    capture: Capture, last: Channel, after_s: int, outcome: Outcome, verdict: Verdict
) -> None:
    level = 0 if last is Channel.BUTTON else 1
    cut = max(
        index
        for index, edge in enumerate(capture.edges)
        if (edge.channel, edge.level) == (last, level)
    )
    edges = capture.edges[: cut + 1]

    told = assessed(replace(capture, edges=edges, end_ns=edges[-1].t_ns + after_s * S))

    assert [cycle.outside.outcome for cycle in told.cycles] == [Outcome.SLEPT_AND_WOKE, outcome]
    assert told.verdict is verdict
