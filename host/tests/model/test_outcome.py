"""No list of outcomes forgets one: all are made from one table, and everybody has words for all."""

from pathlib import Path

import pytest

from resume_rig.campaign.plan.plan import StopRules, why_stop
from resume_rig.model.result.cycle import (
    AS_PLANNED,
    BROKEN,
    CAME_BACK,
    FAILED,
    MEANINGS,
    NO_ANSWER,
    NO_FAILURE,
    NOT_MATCHED,
    TRIED,
    Outcome,
)
from resume_rig.report.text.wording import outcome_words

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "host" / "src" / "resume_rig"
# Who may name single outcomes: those that find out which it was, and the table itself.
FINDS_OUT = {
    "model/result/cycle.py",
    "analysis/correlate.py",
    "analysis/cycles/building.py",
    "analysis/cycles/wire_faults.py",
    "campaign/answer/assessment.py",
    "campaign/store/measured_cycle.py",
    "campaign/run/recovery.py",
    "campaign/run/runner.py",
}


def test_every_outcome_has_a_meaning_and_falls_in_one_class() -> None:
    assert set(MEANINGS) == set(Outcome)
    assert set(Outcome) == AS_PLANNED | FAILED | NO_ANSWER
    assert len(AS_PLANNED) + len(FAILED) + len(NO_ANSWER) == len(Outcome)


def test_the_lists_agree_with_each_other() -> None:
    assert BROKEN <= FAILED
    assert NO_FAILURE.isdisjoint(FAILED)
    assert CAME_BACK.isdisjoint(NOT_MATCHED)
    assert AS_PLANNED | BROKEN <= TRIED
    assert TRIED.isdisjoint(NO_ANSWER)
    assert all(MEANINGS[each].why_not for each in NO_ANSWER)
    assert not any(MEANINGS[each].why_not for each in BROKEN | AS_PLANNED)


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_is_said_in_words_of_its_own(outcome: Outcome) -> None:
    others = {outcome_words(each) for each in Outcome if each is not outcome}
    assert outcome_words(outcome) not in others | {""}


@pytest.mark.parametrize("outcome", Outcome)
def test_every_failure_and_nothing_else_stops_at_the_first_failure(outcome: Outcome) -> None:
    why = why_stop(StopRules(failures=1), {outcome: 1}, spent_ns=0)
    assert (why is not None) == (outcome in FAILED)


def test_the_reference_tells_every_outcome_and_no_other() -> None:
    page = (ROOT / "docs" / "reference" / "outcomes.md").read_text("utf-8")
    rows = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert rows[1:] == [outcome.value for outcome in MEANINGS]


def test_nobody_keeps_a_list_of_outcomes_beside_the_table() -> None:
    lists = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if line.count("Outcome.") - line.count("Outcome.INTERRUPTED") > 1
        and "update" not in str(path)
    }
    assert lists <= FINDS_OUT
