"""Every word of a plan through every door: the same plan, or the same sentence."""

import dataclasses
import io
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import robot
from plan_pages import REFERENCE, with_tables
from plan_words import ILLEGAL, LEGAL
from robot.api import ExecutionResult

from resume_rig.campaign.plan.plan import Plan, Vary, default_plan
from resume_rig.campaign.plan.plan_file import load_plan, parse_plan, plan_texts, plan_to_mapping
from resume_rig.campaign.plan.states import STATES
from resume_rig.campaign.plan.words import (
    ASKED_STATES,
    COMMAND_LINE,
    KEYWORDS,
    PLAN_FILE,
    WINDOW,
    WORD_BY_KEY,
    WORDS,
    Door,
    Switch,
)
from resume_rig.cli.bench.verb_run import plan_of as plan_of_options
from resume_rig.cli.program import build_parser
from resume_rig.gui.campaign.draft import FIELDS, default_draft
from resume_rig.gui.campaign.draft import plan_of as plan_of_draft
from resume_rig.model.channel import Actuator
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.verdict import USUAL_REQUIREMENT
from resume_rig.pytest_rig import running
from resume_rig.robot import campaign_keywords

WINDOWED = {word.key for word in FIELDS}
Words = Mapping[str, Any]


def line(words: Words) -> list[str]:
    """Return words as options of `run`."""
    found = []
    for key, text in words.items():
        option = COMMAND_LINE.named(key)
        if isinstance(WORD_BY_KEY[key].kind, Switch):
            found += [option if text == "yes" else option.replace("--", "--no-", 1)]
        else:
            found += [option, text]
    return found


def by_command_line(words: Words) -> Plan:
    return plan_of_options(build_parser().parse_args(["run", *line(words)]))


def by_window(words: Words) -> Plan:
    draft = default_draft()
    for key, text in words.items():
        draft = draft.with_text(key, text)
    return plan_of_draft(draft)


def by_file(words: Words, path: Path) -> Plan:
    rules = {key: text for key, text in words.items() if WORD_BY_KEY[key].is_rule}
    lines = [f'{key} = "{text}"' for key, text in words.items() if key not in rules]
    lines += ["[stop]", *(f'{key.removeprefix("stop_")} = "{rules[key]}"' for key in rules)]
    path.write_text("\n".join(lines))
    try:
        return load_plan(str(path))
    except UsageError as error:
        raise UsageError(str(error).removeprefix(f"could not use the plan {path}: ")) from None


class Caught(UsageError):
    """Ends a campaign before it begins."""


@pytest.fixture
def caught(monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    """Plans that campaigns were to be run by; none is run."""
    plans: list[Plan] = []

    def catch(_bench: object, plan: Plan, *_: object, **__: object) -> None:
        plans.append(plan)
        raise Caught("caught")

    monkeypatch.setattr(running, "run_campaign", catch)
    monkeypatch.setattr(campaign_keywords, "run_campaign", catch)
    return plans


def outcome(of: Callable[[Words], Plan], words: Words) -> Plan | str:
    """Return the plan, or the sentence."""
    try:
        return of(words)
    except UsageError as error:
        return str(error)


def by_test(words: Words, caught: list[Plan], folder: Path) -> Plan:
    with pytest.raises(UsageError) as ended:
        running.run_campaign_by_words(
            *(None, words),  # type: ignore[arg-type]
            folder=folder,
            test="t",
            requirement=USUAL_REQUIREMENT,
            log=None,
        )
    if not isinstance(ended.value, Caught):
        raise ended.value
    return caught.pop()


def by_suite(
    many: list[dict[str, str]], keyword: str, caught: list[Plan], folder: Path
) -> list[Plan | str]:
    """Return what becomes of each, of all in one run of Robot Framework."""
    tests = [
        f"{number}\n    {keyword}    " + "    ".join(f"{key}={text}" for key, text in words.items())
        for number, words in enumerate(many)
    ]
    (folder / "words.robot").write_text(
        "*** Settings ***\nLibrary    resume_rig.robot.ResumeRig\n"
        "Suite Setup    Open Rig    sim:clock=virtual,seed=7\nSuite Teardown    Close Rig\n"
        "*** Test Cases ***\n" + "\n".join(tests).replace("{}", "${TEST NAME}")
    )
    said = io.StringIO()
    robot.run(str(folder / "words.robot"), outputdir=str(folder), stdout=said, stderr=said)
    ran = ExecutionResult(str(folder / "output.xml")).suite.all_tests
    plans = iter(caught)
    found = [next(plans) if test.message == "caught" else str(test.message) for test in ran]
    caught.clear()
    return found


def unnamed(said: Plan | str, word: str, door: Door) -> Plan | str:
    """Return a sentence with WORD for the door's own name of a word, at its beginning."""
    own = door.named(word)
    return f"WORD{said[len(own) :]}" if isinstance(said, str) and said.startswith(own) else said


def test_each_word_has_a_legal_value_here_and_one_that_is_none() -> None:
    assert {key for words, _ in LEGAL for key in words} == set(WORD_BY_KEY)
    assert {key for key, _, _ in ILLEGAL} == set(WORD_BY_KEY)
    assert set(WORD_BY_KEY) - WINDOWED == {"ignore_first"}  # in the window: Warm-up cycles, 0 or 1


@pytest.mark.parametrize(("words", "fields"), LEGAL, ids="-".join)
def test_a_word_is_the_same_plan_through_every_door(
    words: dict[str, str], fields: dict[str, Any], caught: list[Plan], tmp_path: Path
) -> None:
    plan = dataclasses.replace(default_plan(), **fields)
    assert by_command_line(words) == plan
    assert by_file(words, tmp_path / "plan.toml") == plan
    assert by_test(words, caught, tmp_path) == plan
    assert not set(words) <= WINDOWED or by_window(words) == plan


@pytest.mark.parametrize(("word", "text", "sentence"), ILLEGAL)
def test_a_value_that_is_none_gets_the_same_sentence_through_every_door(
    word: str, text: str, sentence: str, caught: list[Plan], tmp_path: Path
) -> None:
    said = {
        outcome_of(lambda words: by_file(words, tmp_path / "p.toml"), word, text, PLAN_FILE),
        outcome_of(lambda words: by_test(words, caught, tmp_path), word, text, KEYWORDS),
    }
    if not isinstance(WORD_BY_KEY[word].kind, Switch):  # an option that has no value
        said.add(outcome_of(by_command_line, word, text, COMMAND_LINE))
    if word in WINDOWED:
        said.add(outcome_of(by_window, word, text, WINDOW))
    assert {sentence in each for each in said} == {True}
    assert len(said) == 1 or word == "settle_limit"  # its sentence names another word, too


def outcome_of(of: Callable[[Words], Plan], word: str, text: str, door: Door) -> str:
    needed = {"stop_confidence_percent": {"stop_failure_rate_below_percent": "1"}}.get(word, {})
    return str(unnamed(outcome(of, {**needed, word: text}), word, door))


@pytest.mark.parametrize("keyword", ["Run Campaign", "Run Campaign Once    {}"])
def test_a_suite_has_every_word_too(keyword: str, caught: list[Plan], tmp_path: Path) -> None:
    found = by_suite([words for words, _ in LEGAL], keyword, caught, tmp_path)
    plans = [dataclasses.replace(default_plan(), **fields) for _, fields in LEGAL]
    assert found == plans
    rate = {"stop_failure_rate_below_percent": "1"}
    wrong = [{**(rate if "confidence" in key else {}), key: text} for key, text, _ in ILLEGAL]
    said = by_suite(wrong, keyword, caught, tmp_path)
    for (key, _, sentence), each in zip(ILLEGAL, said, strict=True):
        assert sentence in str(unnamed(each, key, KEYWORDS))


def test_python_may_give_values_of_its_own() -> None:
    plan = running.plan_of({"cycles": 9, "health": True, "wake_by": ["LID", "BUTTON"]})
    assert (plan.cycles, plan.health) == (9, True)
    assert plan.vary == (Vary("wake_by", (Actuator.LID, Actuator.BUTTON)),)
    assert running.plan_of({"dwell": {"from": "5 s", "to": "9 s"}, "state": SleepKind.S4}) == (
        by_command_line({"dwell": "5 s to 9 s", "state": "S4"})
    )
    assert running.plan_of({"plan": "stress-1000", "cycles": 7}).stop.failures == 10


@pytest.mark.parametrize(("words", "fields"), LEGAL, ids="-".join)
def test_a_plan_is_read_back_as_it_is_kept_and_as_a_person_writes_it(
    words: dict[str, str], fields: dict[str, Any]
) -> None:
    plan = dataclasses.replace(default_plan(), **fields)
    assert parse_plan(plan_to_mapping(plan)) == plan
    assert parse_plan(plan_texts(plan), door=WINDOW) == plan


def test_a_word_that_is_given_twice_is_refused_by_both_names() -> None:
    twice = outcome(by_command_line, {"warm_up": "2", "ignore_first": "yes"})
    assert twice == "the plan names warm_up twice, by --warm-up and --ignore-first"
    both = outcome(parse_plan, tomllib.loads("dwell_s = 6\ndwell_ms = 6000"))
    assert both == "the plan names dwell twice, by dwell_s and dwell_ms"


def test_every_state_that_can_be_asked_for_is_one_that_the_wires_show() -> None:
    assert tuple(STATES) == ASKED_STATES


def test_help_of_the_command_line_and_of_the_library_have_what_the_table_says() -> None:
    from robot.libdocpkg import LibraryDocumentation

    helped = build_parser().parse_args(["run"])
    assert {word.key for word in WORDS} <= set(vars(helped))
    keywords = {
        each.name: each for each in LibraryDocumentation("resume_rig.robot.ResumeRig").keywords
    }
    for name in ("Run Campaign", "Run Campaign Once"):
        assert set(WORD_BY_KEY) <= {each.name for each in keywords[name].args}
    for word in WORDS:
        assert f"| ``{word.key}`` | {word.meaning} |" in keywords["Run Campaign"].doc


@pytest.mark.parametrize("name", ["plans.md", "command-line.md"])
def test_the_tables_of_the_reference_are_those_of_the_words(name: str) -> None:
    page = (REFERENCE / name).read_text("utf-8")
    assert with_tables(name, page) == page, "python host/tests/plan_pages.py writes them"
