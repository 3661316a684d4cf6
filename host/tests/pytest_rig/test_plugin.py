"""The pytest plugin, as a user's project sees it: one run of pytest in a process of its own."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

PROJECT = """
import pytest
from resume_rig.pytest_rig import assert_resume

def test_resumes_in_time(campaign):
    assert_resume(campaign(cycles=3, dwell="5 s", settle="3 s"), within="2 s", light_within="2 s")

def test_is_too_slow(campaign):
    assert_resume(campaign(cycles=3), within="900 ms")

@pytest.mark.requirement("press-to-light-1s")
def test_another_requirement(campaign):
    assert campaign(cycles=2).facts.requirement.id == "press-to-light-1s"

def test_one_sleep(dut):
    dut.put_to_sleep(by="LID")
    assert dut.state() == "S3"
    dut.stay_asleep("6 s")
    assert 0 < dut.wake(by="LID") < 5_000_000_000
    assert dut.state() == "awake"

@pytest.mark.needs("SLP_S5")
def test_of_a_line_that_is_not_there(dut):
    raise RuntimeError

@pytest.mark.needs("SLP_S9")
def test_of_a_line_that_nobody_has(dut):
    raise RuntimeError

def test_a_time_without_a_unit(campaign):
    campaign(dwell="5")

def test_a_word_that_a_plan_has_not(campaign):
    campaign(dwel="5 s")

def test_a_state_that_no_plan_has(campaign):
    campaign(state="S1")

def test_an_actuator_that_is_none(campaign):
    campaign(wake_by="FOOT")

def test_cycles_without_end(campaign):
    campaign(cycles=10**30)

def test_a_time_that_is_none(campaign):
    campaign(dwell="nan s")

def test_a_place_for_a_store(campaign):
    campaign(cycles=2, store="/no/such/folder/x.rrs")

def test_no_cycles(campaign):
    campaign(cycles=0)

def test_a_limit_that_is_none(campaign):
    assert_resume(campaign(cycles=2), within="fast")

def test_a_way_to_sleep_that_is_none(dut):
    dut.put_to_sleep(by="FOO")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "test_laptop.py").write_text(PROJECT, "utf-8")
    return folder


@pytest.fixture(scope="module")
def cases(project: Path) -> dict[str, ElementTree.Element]:
    _pytest(project, "--rig", "sim:clock=virtual,seed=7", "--junit-xml", "junit.xml")
    root = ElementTree.parse(project / "junit.xml").getroot()
    return {str(case.get("name")): case for case in root.iter("testcase")}


def _pytest(folder: Path, *words: str) -> str:
    (folder / "pytest.ini").touch()  # so that pytest looks no further for a project around it
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _failure(case: ElementTree.Element) -> str:
    found = case.find("failure")
    return "" if found is None else str(found.get("message"))


def test_a_dut_in_time_passes_and_junit_knows_its_figures(
    cases: dict[str, ElementTree.Element], project: Path
) -> None:
    case = cases["test_resumes_in_time"]
    told = {p.get("name"): p.get("value") for p in case.iter("property")}

    assert len(list(case.iter("failure"))) == 0
    assert told["requirement"] == "sysfund-0004 version 3"
    assert told["verdict"] == "PASS"
    assert told["cycles slept-and-woke"] == "3"
    assert str(told["worst resume_ms"]).endswith(" ms")
    assert (project / str(told["store"])).is_file()


def test_a_failure_shows_the_phases_of_the_cycle_that_decides(
    cases: dict[str, ElementTree.Element],
) -> None:
    found = cases["test_is_too_slow"].find("failure")
    text = "" if found is None else str(found.text)

    assert "total resume time at most 900 ms" in text
    assert "measured     press → SLP_S3#" in text
    assert "OS-reported  BIOS init " in text
    assert f"store: {Path('resume-rig-out/test-is-too-slow-1.rrs')}" in text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("test_of_a_line_that_nobody_has", "LID, SLP_S0, KEYBOARD, CONTACT"),
        ("test_a_time_without_a_unit", "dwell = '5'; allowed is a time with its unit (ns, us"),
        (
            "test_a_word_that_a_plan_has_not",
            "a plan has no key 'dwel'; the nearest is dwell; allowed",
        ),
        ("test_a_state_that_no_plan_has", "state = 'S1'; allowed are S3, hybrid, S4"),
        ("test_an_actuator_that_is_none", "wake_by = 'FOOT'; allowed are button, lid"),
        ("test_cycles_without_end", "allowed are 1 to 1,000,000"),
        ("test_a_time_that_is_none", "dwell = 'nan s'; allowed is a time with its unit"),
        ("test_a_place_for_a_store", "a plan has no key 'store'"),
        ("test_no_cycles", "allowed are 1 to"),
        ("test_a_limit_that_is_none", "within is 'fast'; a time is a number and its unit"),
        ("test_a_way_to_sleep_that_is_none", "'FOO' is no actuator; allowed are BUTTON"),
    ],
)
def test_a_mistake_gets_one_sentence(
    cases: dict[str, ElementTree.Element], name: str, words: str
) -> None:
    found = cases[name].find("failure")
    found = cases[name].find("error") if found is None else found

    assert found is not None
    assert words in str(found.get("message"))
    assert "Traceback" not in str(found.text)
    assert "During handling" not in str(found.text)
    assert not re.search(r"pytest_rig.(running|judging|plugin)\.py|units\.py", str(found.text))


def test_what_the_bench_lacks_is_skipped(cases: dict[str, ElementTree.Element]) -> None:
    skipped = cases["test_of_a_line_that_is_not_there"].find("skipped")

    assert skipped is not None
    assert "the DUT healthy-laptop has no channel SLP_S5; wired are" in str(skipped.get("message"))


def test_the_others_pass(cases: dict[str, ElementTree.Element]) -> None:
    for name in ("test_another_requirement", "test_one_sleep"):
        assert _failure(cases[name]) == ""
        assert cases[name].find("error") is None


def test_without_a_rig_tests_are_skipped_and_with_a_wrong_one_told(project: Path) -> None:
    none = _pytest(project, "-rs", "-k", "test_one_sleep")
    wrong = _pytest(project, "-k", "test_one_sleep", "--rig", "serial:/dev/no-such-port")
    unset = _pytest(project, "-k", "test_one_sleep", "--rig", "")

    assert "no rig: name one with --rig URL" in none
    assert "could not open serial port /dev/no-such-port: no such port (ports present:" in wrong
    assert "Traceback" not in wrong
    for options in (("--rig", "foo"), ("--rig", "sim:", "--dut", "nope")):
        told = _pytest(project, "-k", "test_one_sleep", *options)
        assert "During handling" not in told
        assert "plugin.py" not in told
    assert "--rig is empty; is the variable" in unset
