"""Fault plans are read strictly: whatever is not allowed is refused in a sentence that names it."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.errors import UsageError
from resume_rig.model.fault_plan import (
    AT_AN_INSTANT,
    FaultKind,
    FaultPlan,
    ScheduledFault,
    WireShares,
)
from resume_rig.rig.fault_file import MAX_FILE_BYTES, load_fault_plan, parse_fault_plan

S = 1_000_000_000
SHIPPED = Path(__file__).parents[3] / "fixtures" / "faults"


def fault(body: str) -> str:
    return f"[[fault]]\n{body}"


def test_all_that_a_plan_can_say_is_read() -> None:
    text = """
    seed = 5
    [wire]
    lost_share = 1e-4
    doubled_share = 2e-4
    flipped_share = 3e-4
    late_share = 0.01
    late_ms = 400
    [[fault]]
    kind = "unplug"
    every_s = 600
    for_s = 2.5
    [[fault]]
    kind = "clock-step"
    at_s = [90, 12.5]
    by_s = -3
    """

    plan = parse_fault_plan(text, "x.toml")

    assert plan == FaultPlan(
        WireShares(1e-4, 2e-4, 3e-4, 0.01, 400_000_000),
        (
            ScheduledFault(FaultKind.UNPLUG, (), 600 * S, 2_500_000_000),
            ScheduledFault(FaultKind.CLOCK_STEP, (12_500_000_000, 90 * S), None, 0, -3 * S),
        ),
        5,
        text,
    )


def test_nothing_is_a_plan_too() -> None:
    assert parse_fault_plan("", "x.toml") == FaultPlan()


@pytest.mark.parametrize("kind", FaultKind)
def test_every_kind_can_be_planned(kind: FaultKind) -> None:
    more = "" if kind in AT_AN_INSTANT else "for_s = 3\n"
    more += "by_s = 1\n" if kind is FaultKind.CLOCK_STEP else ""

    (planned,) = parse_fault_plan(fault(f'kind = "{kind}"\nat_s = 1\n{more}'), "x").faults

    assert (planned.kind, planned.at_ns) == (kind, (S,))
    assert planned.for_ns == (0 if kind in AT_AN_INSTANT else 3 * S)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seed = -1", 'key "seed" is -1; it takes a whole number from 0'),
        ("seed = true", 'key "seed" is True'),
        ("weather = 1", 'key "weather" is not known; allowed are seed, wire, fault'),
        ("wire = 3", 'key "wire" is 3; it takes a table'),
        ("fault = 3", 'key "fault" is no list of tables'),
        ("[wire]\nlost = 1", 'key "wire.lost" is not known; allowed are lost_share'),
        ("[wire]\nlost_share = 0.6", 'key "wire.lost_share" is 0.6; it takes a number from 0 to'),
        ("[wire]\nlost_share = nan", 'key "wire.lost_share" is nan'),
        ("[wire]\nlost_share = '1'", "key \"wire.lost_share\" is '1'"),
        ("[wire]\nlate_share = 0.1", 'key "wire.late_ms" and late_share need each other'),
        ("[wire]\nlate_ms = 5", 'key "wire.late_ms" and late_share need each other'),
        (fault("at_s = 1"), 'key "fault 1: kind" is None; allowed are unplug'),
        (fault("kind = 'gremlin'\nat_s = 1"), "key \"fault 1: kind\" is 'gremlin'; allowed are"),
        (fault("kind = 'board-reset'"), 'key "fault 1: at_s" or every_s is needed'),
        (fault("kind = 'board-reset'\nat_s = 1\nevery_s = 1"), 'at_s" or every_s is needed'),
        (fault("kind = 'board-reset'\nat_s = []"), "has 0 values; 1 to 10000 are allowed"),
        (fault("kind = 'board-reset'\nat_s = [-1]"), 'key "fault 1: at_s" is -1; it takes'),
        (fault("kind = 'board-reset'\nevery_s = 0"), 'key "fault 1: every_s" is 0; it takes'),
        (fault("kind = 'board-reset'\nevery_s = inf"), 'key "fault 1: every_s" is inf'),
        (fault("kind = 'board-reset'\nat_s = 1\nfor_s = 1"), 'for_s" does not belong here'),
        (fault("kind = 'unplug'\nat_s = 1"), 'key "fault 1: for_s" is missing; unplug lasts'),
        (fault("kind = 'unplug'\nat_s = 1\nfor_s = 0"), 'key "fault 1: for_s" is 0'),
        (fault("kind = 'unplug'\nat_s = 1\nfor_s = 1\nby_s = 1"), 'by_s" does not belong here'),
        (fault("kind = 'clock-step'\nat_s = 1"), 'key "fault 1: by_s" is missing'),
        (fault("kind = 'clock-step'\nat_s = 1\nby_s = 0"), 'key "fault 1: by_s" is 0'),
        (fault("kind = 'unplug'\nwhen = 1"), 'key "fault 1: when" is not known'),
        ("fault", "is not TOML"),
        ("a = " + "[" * 5000, "is not TOML"),
        ("[[fault]]\n" * 1001, "stands 1001 times; 1000 are allowed"),
    ],
)
def test_what_is_not_allowed_is_refused_and_named(text: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_fault_plan(text, "bad.toml")

    sentence = str(refused.value)
    assert words in sentence
    assert "bad.toml" in sentence
    assert "\n" not in sentence
    assert len(sentence) < 500


@given(st.text(max_size=200))
def test_no_text_is_answered_by_anything_but_a_plan_or_a_sentence(text: str) -> None:
    with contextlib.suppress(UsageError):
        assert parse_fault_plan(text, "any.toml").text == text


def test_a_file_that_is_none_is_refused_in_a_sentence(tmp_path: Path) -> None:
    big, binary = tmp_path / "big.toml", tmp_path / "binary.toml"
    big.write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    binary.write_bytes(b"\xff\xfe")

    for path, words in (
        (tmp_path / "none.toml", "none.toml: "),
        (tmp_path, "no file|directory|denied"),
        (big, "over 65536 bytes"),
        (binary, "not UTF-8"),
    ):
        with pytest.raises(UsageError, match=words):
            load_fault_plan(path)


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.toml")), ids=lambda path: path.stem)
def test_the_shipped_plans_are_read(path: Path) -> None:
    assert load_fault_plan(path).faults
