"""What the docs say of the library is what the library is."""

import io
import re
import shlex
from pathlib import Path

import pytest
import robot
from library_page import PAGE, page
from robot.libdocpkg import LibraryDocumentation
from suites import ROOT

from resume_rig.cli.program import build_parser

HOW_TO = ROOT / "docs" / "how-to" / "write-a-robot-suite.md"


def test_the_reference_of_the_library_is_fresh() -> None:
    assert PAGE.read_text("utf-8") == page(), "run host/tests/robot/library_page.py"


def test_every_keyword_is_documented() -> None:
    keywords = LibraryDocumentation("resume_rig.robot.ResumeRig").keywords

    assert len(keywords) > 40
    assert [each.name for each in keywords if not each.doc] == []


def test_the_how_to_uses_keywords_that_there_are() -> None:
    names = {each.name for each in LibraryDocumentation("resume_rig.robot.ResumeRig").keywords}
    page_text = HOW_TO.read_text("utf-8")

    used = set(re.findall(r"`([A-Z][\w]+(?: [A-Z][\w]+)+)`", page_text))

    assert len(used) >= 4
    assert used <= names


@pytest.mark.parametrize(
    ("page_name", "fence", "example"),
    [
        ("run-in-your-ci.md", "groovy", "ci/Jenkinsfile"),
        ("run-in-your-ci.md", "yaml", "ci/gitlab-ci.yml"),
    ],
)
def test_what_a_how_to_shows_is_the_example(page_name: str, fence: str, example: str) -> None:
    text = (ROOT / "docs" / "how-to" / page_name).read_text("utf-8")
    found = re.search(rf"```{fence}\n(.*?)```", text, re.DOTALL)

    assert found is not None
    assert found[1] == (ROOT / "examples" / example).read_text("utf-8")


@pytest.mark.parametrize("example", ["Jenkinsfile", "gitlab-ci.yml"])
def test_a_ci_recipe_asks_for_what_there_is(example: str) -> None:
    text = (ROOT / "examples" / "ci" / example).read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")

    targets = re.findall(r"make ([a-z-]+)", text)
    rungs = re.findall(r"RUNG=([a-z]+)", text)
    commands = re.findall(r"resume-rig (doctor [^'\n]+)", text)
    kept = set(re.findall(r"out/robot-([a-z]+)/", text))

    assert {"robot", "setup"} <= set(targets)
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
    assert kept == set(rungs) != set()
    assert all((ROOT / "robot_tests" / f"{rung}.args").exists() for rung in rungs)
    assert "--outputdir out/robot-$(RUNG) --xunit xunit.xml" in makefile
    for command in commands:
        build_parser().parse_args(shlex.split(command))
    assert "xunit.xml" in text


def test_the_examples_pass(tmp_path: Path) -> None:
    said = io.StringIO()
    status = robot.run(
        str(ROOT / "examples" / "robot"), outputdir=str(tmp_path), stdout=said, stderr=said
    )

    assert status == 0, said.getvalue()
