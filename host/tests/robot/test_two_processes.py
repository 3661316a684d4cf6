"""Two Robot Framework processes and one rig: the second one is told who has it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from served_bench import served

from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.timing.clocks import SystemClock

HOLDS = """\
*** Settings ***
Library    resume_rig.robot.ResumeRig

*** Test Cases ***
Hold
    Open Rig    {url}
    Log To Console    the rig is open
    Put DUT To Sleep
    DUT Should Stay Asleep For    1 h
"""


def test_the_second_robot_on_a_rig_says_who_has_it(suite: Any, tmp_path: Path) -> None:
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), 7)
    with served(bench) as place:
        url = f"rfc2217:{place}"
        path = tmp_path / "holds.robot"
        path.write_text(HOLDS.format(url=url), "utf-8")
        words = [sys.executable, "-m", "robot", "--outputdir", str(tmp_path / "first"), str(path)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as first:
            try:
                assert any("the rig is open" in line for line in first.stdout or ())

                second = suite(f"Open Rig    {url}").only
            finally:
                first.kill()
                first.wait(60)
        after = suite(f"Open Rig    {url}").only

    assert second.status == "FAIL"
    assert f"could not open the rig {url}: robot, process {first.pid} of " in second.message
    assert second.message.endswith("has it; wait until it is done, or end it")
    assert after.status == "PASS", after.message
