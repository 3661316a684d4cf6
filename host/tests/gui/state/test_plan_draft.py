"""Plans in fields: nothing is lost on the way there and back, and mistakes are told in place."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.campaign.plan.plan import StopRules, check_plan, default_plan
from resume_rig.campaign.plan.plan_file import load_plan, ready_plans
from resume_rig.campaign.plan.words import Time, TraceTool
from resume_rig.gui.campaign.draft import (
    WHOLE,
    History,
    default_draft,
    draft_of,
    plan_of,
    problems_of,
)
from resume_rig.model.channel import Actuator

SECOND = 1_000_000_000


@pytest.mark.parametrize("name", ready_plans())
def test_a_ready_plan_comes_back_from_its_fields(name: str) -> None:
    plan = load_plan(name)
    assert plan_of(draft_of(plan)) == plan
    assert problems_of(draft_of(plan)) == {}


def test_a_plan_that_traces_comes_back_from_its_fields_and_a_boot_in_it_is_told() -> None:
    plan = dataclasses.replace(default_plan(), trace=TraceTool.XPERF)
    assert plan_of(draft_of(plan)) == plan
    draft = draft_of(plan)
    draft = dataclasses.replace(draft, texts={**draft.texts, "state": "S5", "settle": "20 s"})
    assert "with a boot" in " ".join(problems_of(draft).values())


@given(
    cycles=st.integers(1, 1_000_000),
    warm_up=st.integers(0, 1),
    wake_by=st.sampled_from(list(Actuator)),
    dwell_ns=st.integers(5 * SECOND, 3600 * SECOND),
    press_ns=st.integers(50_000_000, 1_000_000_000),
    failures=st.none() | st.integers(1, 1000),
)
def test_any_plan_comes_back_from_its_fields(
    *,
    cycles: int,
    warm_up: int,
    wake_by: Actuator,
    dwell_ns: int,
    press_ns: int,
    failures: int | None,
) -> None:
    plan = dataclasses.replace(
        default_plan(),
        cycles=cycles,
        warm_up=warm_up,
        wake_by=wake_by,
        dwell_ns=dwell_ns,
        press_ns=press_ns,
        stop=StopRules(failures=failures),
    )
    check_plan(plan)
    assert plan_of(draft_of(plan)) == plan


@given(st.integers(0, 10**17))
def test_a_duration_is_read_as_it_was_written(duration_ns: int) -> None:
    assert Time(0, 0).read("dwell", Time(0, 0).text(duration_ns)) == duration_ns


@given(st.text(max_size=20), st.sampled_from(["cycles", "dwell", "wake_by", "seed", "order"]))
def test_whatever_is_typed_is_a_plan_or_a_sentence(text: str, key: str) -> None:
    draft = default_draft().with_text(key, text)
    problems = problems_of(draft)
    if problems:
        assert set(problems) <= {key, WHOLE}
        assert all(problems.values())
    else:
        plan_of(draft)


def test_a_mistake_is_told_once_beside_its_field() -> None:
    draft = default_draft().with_text("cycles", "none").with_text("dwell", "1 s")
    problems = problems_of(draft)
    assert set(problems) == {"cycles", "dwell"}
    short = default_draft().with_text("dwell", "1 s").with_text("short_dwell", "yes")
    assert problems_of(short) == {}


def test_letters_typed_into_one_field_are_one_step() -> None:
    history = History("a").edited("ab", "x").edited("abc", "x").edited("abcd", "y")
    assert history.undone().now == "abc"
    assert history.undone().undone().now == "a"
    assert history.undone().undone().undone().now == "a"
    assert history.undone().redone().now == "abcd"
    assert history.undone().edited("new", "z").redone().now == "new"
    assert History("a").edited("b", "x").sealed().edited("c", "x").undone().now == "b"
