"""The pages show what the commands print: each block of output is compared with a run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.cli.program import run
from resume_rig.oslog.reading import read_logs
from resume_rig.report.log.terminal import watched_line
from resume_rig.report.text.terminal_style import TerminalStyle

DOCS = Path(__file__).parents[2] / "docs"
PYTEST = """
from resume_rig.pytest_rig import assert_resume

def test_resumes_in_two_seconds(campaign):
    assert_resume(campaign(cycles=3), within="900 ms", light_within=None)
"""
ROBOT = """
*** Settings ***
Library           resume_rig.robot.ResumeRig
Suite Setup       Open Rig    sim:clock=virtual,seed=7    dut=healthy-laptop
Suite Teardown    Close Rig
*** Test Cases ***
Light
    Run Campaign    cycles=4    warm_up=0
    Display Should Light Within    750 ms
"""


def block(page: str, first: str) -> list[str]:
    """Return the lines of the block of a page that begins with these words."""
    text = (DOCS / page).read_text("utf-8")
    found = re.search(rf"```\n({re.escape(first)}.*?)\n```", text, re.S)
    assert found is not None, f"{page} has no block that begins with {first!r}"
    return found[1].split("\n")


def printed(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, check=False
    )
    return done.stdout.decode("utf-8")


def test_a_failure_in_pytest_is_as_its_page_shows(tmp_path: Path) -> None:
    (tmp_path / "test_laptop.py").write_text(PYTEST, "utf-8")
    (tmp_path / "pytest.ini").touch()
    rig = ("--rig", "sim:clock=virtual,seed=7", "--dut", "healthy-laptop")
    said = printed(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", *rig)
    for line in block("how-to/test-with-pytest.md", "FAIL:"):
        assert line.removesuffix(" ...") in said.replace("\\", "/")


def test_a_failure_in_robot_is_as_its_page_shows(tmp_path: Path) -> None:
    (tmp_path / "laptop.robot").write_text(ROBOT, "utf-8")
    said = printed(tmp_path, "robot", "--outputdir", "out", "laptop.robot")
    for line in block("how-to/write-a-robot-suite.md", "FAIL:"):
        assert line in said


def test_the_first_campaign_begins_as_its_tutorial_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    store = "out/demo-20260302-101500.rrs"
    assert run(["demo", "--out", store]) == 0
    captured = capsys.readouterr()
    said = re.sub(r"\d+ ms", "#", captured.out + captured.err)
    for line in block("tutorials/first-campaign.md", "SIMULATED: no PC"):
        assert re.sub(r"\d+ ms", "#", line) in said


def test_a_real_log_is_answered_as_its_page_shows(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["log", str(shared_data / "eventlog" / "win11-22000-laptop-s3.xml")]) == 1
    said = capsys.readouterr().out
    for line in block("how-to/judge-event-logs.md", "FAIL:"):
        assert line.removesuffix(" ...") in said


def test_a_watched_sleep_is_as_its_page_shows(
    fixtures_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reading = read_logs([fixtures_dir / "logs" / "two-s3-cycles.xml"])
    judged = judge_log(reading, load_requirement("sysfund-0004")).cycles
    style = TerminalStyle(colour=False, unicode=True, width=120)
    said = [re.sub(r"\d+", "#", watched_line(cycle, style)).strip() for cycle in judged]
    shown = block("how-to/judge-a-windows-pc-without-ssh.md", "2026-")
    assert [re.sub(r"\d+", "#", line) for line in shown] == said[-1:]
