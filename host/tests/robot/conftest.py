"""Runs small suites in this process, and tells what came of each test."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import robot
from suites import Ran, results

HEADER = """\
*** Settings ***
Library           resume_rig.robot.ResumeRig
Suite Teardown    Close Rig

*** Test Cases ***
"""
RIG = "    Open Rig    sim:clock=virtual,seed=7"


@dataclass(frozen=True)
class Done:
    """What one run of Robot Framework left behind."""

    tests: dict[str, Ran]
    folder: Path
    said: str

    @property
    def only(self) -> Ran:
        (found,) = self.tests.values()
        return found


Suite = Callable[..., Done]


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Return a function that runs the steps of one test; each is a line."""

    def run(*steps: str, text: str | None = None) -> Done:
        path = tmp_path / "one.robot"
        body = "\n".join(f"    {step.strip()}" for step in steps)
        path.write_text(text or f"{HEADER}One\n{body}\n", "utf-8")
        said = io.StringIO()
        robot.run(str(path), outputdir=str(tmp_path), stdout=said, stderr=said, loglevel="INFO")
        return Done(results(tmp_path / "output.xml"), tmp_path, said.getvalue())

    return run
