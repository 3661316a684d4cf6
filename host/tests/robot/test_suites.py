"""The suites of robot_tests: each DUT makes the right tests fail, by the right words."""

import ast
import re
from pathlib import Path

import pytest
from expected_failures import EXPECTED, PAGE, with_table
from robot.api import get_model
from suites import ABOUT_THE_DUT, SUITES, run_suites

from resume_rig.rig.dut_profile import shipped_profiles

FORBIDDEN = re.compile(r"\b(sleep|evaluate|for|while|repeat keyword|wait until)\b", re.IGNORECASE)
FILES = sorted([*SUITES.glob("*.robot"), *SUITES.glob("*.resource")])


@pytest.mark.slow
@pytest.mark.parametrize("profile", EXPECTED)
def test_a_dut_makes_the_right_tests_fail_by_the_right_words(profile: str, tmp_path: Path) -> None:
    ran = run_suites(tmp_path, *ABOUT_THE_DUT, DUT=profile)

    failed = {name: each.message for name, each in ran.items() if each.status == "FAIL"}

    assert set(failed) == set(EXPECTED[profile])
    for name, words in EXPECTED[profile].items():
        assert words in failed[name]


def test_what_a_dut_lacks_is_skipped_with_its_reason(tmp_path: Path) -> None:
    ran = run_suites(tmp_path, "wake_sources", DUT="healthy-desktop")

    skipped = {each.message for each in ran.values() if each.status == "SKIP"}

    assert skipped == {"the rig cannot move the LID of the DUT healthy-desktop; it moves BUTTON"}


def test_the_advice_on_the_bios_warns_and_fails_nothing(tmp_path: Path) -> None:
    ran = run_suites(tmp_path, "sysfund_0004", DUT="slow-bios")

    advised = ran["BIOS Hands Off As Soon As Advised"]
    assert advised.status == "PASS"
    assert (
        "advice: FAIL: BIOS initialization at most 250 ms: 11 of 11 cycles do not conform"
        in advised.message
    )


def test_the_table_in_the_docs_is_fresh() -> None:
    page = PAGE.read_text("utf-8")

    assert page == with_table(page), (
        f"run python {Path(__file__).with_name('expected_failures.py')}"
    )
    assert len(EXPECTED) >= 12
    assert set(EXPECTED) <= set(shipped_profiles())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_suite_has_no_sleep_no_loop_and_no_arithmetic(path: Path) -> None:
    for node in _steps(path):
        assert FORBIDDEN.fullmatch(node.keyword or "") is None, node.keyword
        assert "${{" not in "".join(token.value for token in node.tokens)
    kinds = {type(node).__name__ for node in _nodes(path)}
    assert kinds.isdisjoint({"For", "While", "If", "Try", "InlineIfHeader"})


@pytest.mark.parametrize("path", sorted(SUITES.glob("*.robot")), ids=lambda path: path.name)
def test_a_test_has_at_most_six_sentences(path: Path) -> None:
    for node in _nodes(path):
        if type(node).__name__ == "TestCase":
            steps = [n for n in node.body if type(n).__name__ == "KeywordCall"]
            assert 1 <= len(steps) <= 6, node.name


@pytest.mark.parametrize("rung", ["sim", "native", "bench"])
def test_every_rung_has_the_same_variables(rung: str) -> None:
    def names(of: str) -> set[str]:
        tree = ast.parse((SUITES / "variables" / f"{of}.py").read_text("utf-8"))
        assigned = [node.targets[0] for node in tree.body if isinstance(node, ast.Assign)]
        return {t.id for t in assigned if isinstance(t, ast.Name) and t.id.isupper()} - {"_IMAGE"}

    assert names(rung) == names("sim")
    assert f"variables/{rung}.py" in (SUITES / f"{rung}.args").read_text("utf-8")


def _nodes(path: Path) -> list[object]:
    found: list[object] = []
    stack: list[object] = [get_model(str(path))]
    while stack:
        node = stack.pop()
        found.append(node)
        stack += getattr(node, "sections", []) + list(getattr(node, "body", []))
    return found


def _steps(path: Path) -> list[object]:
    return [node for node in _nodes(path) if type(node).__name__ == "KeywordCall"]
