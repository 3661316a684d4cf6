"""Every word of a plan through every door: the same plan, or the same sentence."""

import dataclasses
import io
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import robot
from robot.api import ExecutionResult

from resume_rig.campaign.plan.plan import Plan, Range, StopRules, Vary, default_plan
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
    Order,
    Switch,
    TraceTool,
)
from resume_rig.cli.bench.verb_run import plan_of as plan_of_options
from resume_rig.cli.program import build_parser
from resume_rig.gui.campaign.draft import FIELDS, default_draft
from resume_rig.gui.campaign.draft import plan_of as plan_of_draft
from resume_rig.model.channel import Actuator, SleepMeans, WakeMeans
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.verdict import USUAL_REQUIREMENT
from resume_rig.pytest_rig import running
from resume_rig.robot import campaign_keywords

S = 1_000_000_000

# A word, with those that it goes with; what a plan then is.
LEGAL: list[tuple[dict[str, str], dict[str, Any]]] = [
    ({"cycles": "12"}, {"cycles": 12}),
    ({"state": "s4"}, {"state": SleepKind.S4}),
    ({"state": "S5", "settle": "20 s"}, {"state": SleepKind.BOOT, "settle_ns": 20 * S}),
    ({"sleep_by": "COMMAND"}, {"sleep_by": SleepMeans.COMMAND}),
    ({"wake_by": "lid"}, {"wake_by": Actuator.LID}),
    ({"wake_by": "NONE"}, {"wake_by": WakeMeans.NONE}),
    (
        {"wake_by": "button, timer"},
        {"vary": (Vary("wake_by", (Actuator.BUTTON, WakeMeans.TIMER)),)},
    ),
    ({"dwell": "7.5 s"}, {"dwell_ns": 7_500_000_000}),
    (
        {"dwell": "5 s to 1 min"},
        {"vary": (Vary("dwell_ns", Range(5 * S, 60 * S)),)},
    ),
    ({"settle": "3s"}, {"settle_ns": 3 * S}),
    ({"settle": "adaptive"}, {"settle_limit_ns": 120 * S}),
    ({"settle": "4 s, adaptive"}, {"settle_ns": 4 * S, "settle_limit_ns": 120 * S}),
    ({"settle": "adaptive", "settle_limit": "30 s"}, {"settle_limit_ns": 30 * S}),
    ({"press": "200 ms"}, {"press_ns": S // 5}),
    ({"wake_timeout": "90 s"}, {"wake_timeout_ns": 90 * S}),
    ({"sleep_timeout": "2 min"}, {"sleep_timeout_ns": 120 * S}),
    ({"warm_up": "3"}, {"warm_up": 3}),
    ({"ignore_first": "no"}, {"warm_up": 0}),
    ({"short_dwell": "yes", "dwell": "1 s"}, {"short_dwell": True, "dwell_ns": S}),
    ({"trace": "wpr"}, {"trace": TraceTool.WPR}),
    ({"health": "yes"}, {"health": True}),
    ({"order": "matrix"}, {"order": Order.MATRIX}),
    ({"seed": "77"}, {"seed": 77}),
    ({"stop_failures": "3"}, {"stop": StopRules(failures=3)}),
    ({"stop_recoveries": "2"}, {"stop": StopRules(recoveries=2)}),
    ({"stop_after": "12 h"}, {"stop": StopRules(time_ns=12 * 3600 * S)}),
    ({"stop_failure_rate_below_percent": "1"}, {"stop": StopRules(failure_rate=0.01)}),
    (
        {"stop_failure_rate_below_percent": "1", "stop_confidence_percent": "90"},
        {"stop": StopRules(failure_rate=0.01, confidence=0.9)},
    ),
]
# A word of which a value is none, and what the sentence has; WORD is the door's own name of it.
ILLEGAL: list[tuple[str, str, str]] = [
    ("cycles", "many", "WORD = 'many'; allowed is a whole number, 1 to 1,000,000"),
    ("cycles", "0", "a plan of 0 cycles; allowed are 1 to 1,000,000"),
    ("state", "S1", "WORD = 'S1'; allowed are S3, hybrid, S4, fast-startup, modern-standby, S5"),
    ("sleep_by", "timer", "WORD = 'timer'; allowed are button, lid, idle, command"),
    ("wake_by", "foot", "WORD = 'foot'; allowed are button, lid, keyboard, contact, timer, none"),
    ("wake_by", "lid, foot", "WORD = 'foot'; allowed are button, lid, keyboard, contact, timer"),
    ("dwell", "5 parsecs", "WORD = '5 parsecs'; allowed is a time with its unit (ns, us, ms, s,"),
    ("dwell", "1 s", "a dwell of 1.000 s; allowed are 5 s or more after sleep entry"),
    ("dwell", "9 s to 6 s", "a range from a duration to a longer one"),
    ("settle", "soon", "WORD = 'soon'; allowed is a time with its unit"),
    ("settle", "2 h", "a settle time of 7200.0 s; allowed are 0 ns to 3600.0 s"),
    ("settle_limit", "30 s", "WORD goes with "),
    ("press", "20 ms", "a press of 20.00 ms; allowed are 50.00 ms to 1.500 s"),
    ("wake_timeout", "0 s", "a wake time-out of 0 ns; allowed are 1.000 s to 3600.0 s"),
    ("sleep_timeout", "2 h", "a sleep time-out of 7200.0 s; allowed are 1.000 s to 3600.0 s"),
    ("warm_up", "5", "a warm-up of 5 of 4 cycles; allowed are 0 to all of them"),
    ("ignore_first", "perhaps", "WORD = 'perhaps'; allowed are true and false, or yes and no"),
    ("short_dwell", "perhaps", "WORD = 'perhaps'; allowed are true and false, or yes and no"),
    ("trace", "etw", "WORD = 'etw'; allowed are none, wpr, xperf"),
    ("health", "perhaps", "WORD = 'perhaps'; allowed are true and false, or yes and no"),
    ("order", "chaos", "WORD = 'chaos'; allowed are sequence, matrix, random"),
    ("seed", "-1", "a seed of -1; allowed are 0 to 2^63-1"),
    ("stop_failures", "0", "a stop at 0 failures; allowed are 1 to 1,000,000"),
    ("stop_recoveries", "none", "WORD = 'none'; allowed is a whole number"),
    ("stop_after", "0 s", "a time to stop after of 0 ns; allowed are 1.000 s to"),
    ("stop_failure_rate_below_percent", "100", "allowed are more than 0, less than 100 %"),
    ("stop_confidence_percent", "10", "a confidence of 10 %; allowed are 50 and more, less than"),
]
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


def test_labgrid_takes_the_words_of_a_test(
    caught: list[Plan], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("labgrid")
    from labgrid import Target

    from resume_rig.labgrid_rig.driver import ResumeRigDriver
    from resume_rig.labgrid_rig.resources import RawResumeRig

    monkeypatch.chdir(tmp_path)
    target = Target("t")
    RawResumeRig(target, name=None, url="sim:clock=virtual")
    driver = ResumeRigDriver(target, name=None)
    target.activate(driver)
    for words, fields in LEGAL:
        with pytest.raises(Caught):
            driver.run_campaign(**words)
        assert caught.pop() == dataclasses.replace(default_plan(), **fields)
    target.deactivate(driver)


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
