"""An acceptance test of how a laptop resumes: pytest --rig sim:clock=virtual,seed=7."""

from collections.abc import Callable

import pytest

from resume_rig.acceptance.assessment import Assessed
from resume_rig.pytest_rig import assert_resume
from resume_rig.pytest_rig.running import Dut

Campaign = Callable[..., Assessed]


def test_resumes_in_two_seconds(campaign: Campaign) -> None:
    """S3 by the power button."""
    answer = campaign(cycles=20, dwell="10 s", settle="5 s")
    assert_resume(answer, within="2 s", light_within="1500 ms")


@pytest.mark.requirement("press-to-light-2s")
@pytest.mark.needs("LID", "BACKLIGHT")
def test_the_lid_lights_the_display(campaign: Campaign) -> None:
    """95 % of all wakes by the lid light the display in time: 59 judged ones show it."""
    answer = campaign(cycles=60, sleep_by="LID", wake_by="LID")
    assert_resume(answer, within=None, light_within="2 s", share=0.95)


def test_one_sleep(dut: Dut) -> None:
    """One sleep and one wake, step by step."""
    dut.put_to_sleep(by="BUTTON")
    dut.stay_asleep("10 s")
    dut.wake(by="BUTTON")
    assert dut.state() == "awake"
