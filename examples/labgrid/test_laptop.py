"""A laptop behind a rig that labgrid shares: pytest --lg-env laptop7.yaml test_laptop.py."""

import time

from labgrid import Target
from labgrid.protocol import DigitalOutputProtocol, PowerProtocol
from labgrid.strategy import Strategy

from resume_rig.pytest_rig import assert_resume


def test_it_resumes_in_time(target: Target, strategy: Strategy) -> None:
    strategy.transition("awake")
    rig = target.get_driver("ResumeRigDriver")
    answer = rig.run_campaign(cycles=2, warm_up=0, dwell="5 s", settle="3 s")

    assert_resume(answer, within="2 s", light_within="2500 ms")


def test_it_sleeps_and_wakes(target: Target, strategy: Strategy) -> None:
    strategy.transition("asleep")
    assert target.get_driver("ResumeRigDriver").dut_state() == "S3"

    strategy.transition("awake")


def test_a_test_that_knows_only_an_output_presses_the_button(
    target: Target, strategy: Strategy
) -> None:
    strategy.transition("awake")
    button = target.get_driver(DigitalOutputProtocol)
    target.activate(button)

    button.set(True)
    time.sleep(0.2)  # a shorter touch is taken for a bounce
    button.set(False)

    target.get_driver("ResumeRigDriver").await_state("S3")


def test_a_test_that_knows_only_power_switches_it(target: Target) -> None:
    power = target.get_driver(PowerProtocol)
    target.activate(power)

    power.off()
    power.on()

    assert target.get_driver("ResumeRigDriver").dut_state() == "awake"
