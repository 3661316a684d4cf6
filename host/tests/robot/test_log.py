"""What the library writes into output.xml and log.html, and what it keeps out."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

HOSTILE = '</script><img src=x onerror=alert(1)>\\u202e"\\u001b[31m'
TEXT = """\
*** Settings ***
Library           resume_rig.robot.ResumeRig
Suite Setup       Open Rig    sim:clock=virtual,seed=7    dut={dut}
Suite Teardown    Close Rig

*** Test Cases ***
One
    Run Campaign    cycles={cycles}    settle=3 s
    Every Cycle Should Sleep And Wake
"""


@pytest.fixture
def hostile_dut(tmp_path: Path) -> Path:
    path = tmp_path / "hostile.toml"
    path.write_text(
        f"base = \"healthy-laptop\"\ntitle = '''{HOSTILE}'''\nproduct = '''{HOSTILE}'''\n"
        f"manufacturer = '''{HOSTILE}'''\n",
        "utf-8",
    )
    return path


def test_the_log_has_requirement_store_report_figures_and_plots(suite: Any) -> None:
    done = suite(text=TEXT.format(dut="healthy-laptop", cycles=3))

    root = ElementTree.parse(done.folder / "output.xml").getroot()
    meta = {m.get("name"): m.text or "" for m in root.iter("meta")}
    assert meta["Requirement"].startswith(
        "sysfund-0004 version 3: after S3 or hybrid sleep, total resume time"
    )
    assert meta["Rig"] == "sim:clock=virtual,seed=7"
    assert meta["Store 1"] == "[one-1.rrs|one-1.rrs]"
    assert meta["Report 1"] == "[one-1.html|one-1.html]"
    frames = [m.text or "" for m in root.iter("msg") if m.get("html") == "true"]
    assert len(frames) == 1
    assert "total resume time at most 2000 ms" in frames[0]
    assert "Histogram of resume times" in frames[0]
    assert "Measured, OS-reported and reconciled times of cycle" in frames[0]
    assert done.only.message == "every one of 3 cycles slept and woke"


def test_text_of_a_dut_can_run_nothing_in_the_log(suite: Any, hostile_dut: Path) -> None:
    done = suite(text=TEXT.format(dut=hostile_dut.as_posix(), cycles=2))

    assert done.only.status == "PASS", done.only.message
    root = ElementTree.parse(done.folder / "output.xml").getroot()
    frames = [m.text or "" for m in root.iter("msg") if m.get("html") == "true"]
    for frame in frames:
        assert frame.startswith('<iframe sandbox="" ')
        assert len(re.findall("<", frame)) == 2
        assert "onerror" not in frame or "&amp;lt;img" in frame
    everything = (done.folder / "output.xml").read_text("utf-8")
    assert "\u202e" not in everything
    assert "<img src=x" not in everything


def test_no_message_is_of_a_cycle(suite: Any) -> None:
    def written(cycles: int) -> tuple[int, int, int]:
        done = suite(text=TEXT.format(dut="healthy-laptop", cycles=cycles))
        path = done.folder / "output.xml"
        messages = list(ElementTree.parse(path).getroot().iter("msg"))
        return len(messages), path.stat().st_size, done.said.count("cycles")

    few, many = written(20), written(60)

    assert many[0] == few[0]
    assert many[1] < 200_000
    assert many[2] <= few[2] + 1


def test_a_rig_that_nobody_closed_is_let_go_of(suite: Any) -> None:
    text = TEXT.format(dut="healthy-laptop", cycles=2).replace("Suite Teardown    Close Rig\n", "")
    first, second = suite(text=text), suite(text=text)

    assert first.only.status == second.only.status == "PASS"
