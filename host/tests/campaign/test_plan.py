"""Plans: defaults, limits, files."""

from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.plan import check_against_bench, default_plan, override
from resume_rig.campaign.plan_file import load_plan, parse_plan, plan_to_mapping
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind

S = 1_000_000_000
MS = 1_000_000


def test_the_default_plan_is_four_s3_cycles_by_button_with_the_first_not_judged() -> None:
    plan = default_plan()

    assert (plan.cycles, plan.state, plan.ignore_first) == (4, SleepKind.S3, True)
    assert plan.actuators == {Actuator.BUTTON}
    assert (plan.dwell_ns, plan.settle_ns, plan.press_ns) == (5 * S, 2 * S, 150 * MS)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cycles": 0}, "0 cycles; allowed are 1 to 1,000,000"),
        ({"cycles": 1_000_001}, "allowed are 1 to 1,000,000"),
        ({"state": SleepKind.S4}, "a plan for S4; this version does S3"),
        ({"dwell_ns": 5 * S - 1}, "5 s or more after sleep entry"),
        ({"dwell_ns": -1, "short_dwell": True}, "a dwell of"),
        ({"settle_ns": -1}, "a settle time of"),
        ({"press_ns": 50 * MS - 1}, "allowed are 50.00 ms to 1.500 s"),
        ({"press_ns": 1500 * MS + 1}, "allowed are 50.00 ms to 1.500 s"),
        ({"wake_timeout_ns": 0}, "a wake time-out of"),
        ({"sleep_timeout_ns": 0}, "a sleep time-out of"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_a_value_outside_its_range_is_refused_in_one_sentence(
    changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(UsageError) as refused:
        override(default_plan(), **changes)

    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"cycles": 1},
        {"cycles": 1_000_000},
        {"dwell_ns": 5 * S},
        {"dwell_ns": 1 * S, "short_dwell": True},
        {"press_ns": 50 * MS},
        {"press_ns": 1500 * MS},
        {"settle_ns": 0},
    ],
    ids=str,
)
def test_the_ends_of_a_range_are_allowed(changes: dict[str, Any]) -> None:
    plan = override(default_plan(), **changes)

    assert all(getattr(plan, name) == value for name, value in changes.items())


def test_a_plan_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        'cycles = 1000\nwake_by = "lid"\ndwell_s = 7.5\npress_ms = 200\nignore_first = false\n'
    )

    plan = load_plan(path)

    assert plan == override(
        default_plan(),
        cycles=1000,
        wake_by=Actuator.LID,
        dwell_ns=7_500 * MS,
        press_ns=200 * MS,
        ignore_first=False,
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cycles = ", "it is not TOML"),
        ("cykles = 3", "a plan has no key 'cykles'; allowed are cycles"),
        ("dwell = 5", "a plan has no key 'dwell'"),
        ("dwell_s = 6\ndwell_ms = 6000", "names dwell twice"),
        ('dwell_s = "6"', "dwell_s = '6'; allowed is a number"),
        ("dwell_s = true", "allowed is a number"),
        ("dwell_s = nan", "at most some days"),
        ("dwell_s = inf", "at most some days"),
        ("cycles = 1.5", "cycles = 1.5; allowed is a whole number"),
        ("cycles = true", "allowed is a whole number"),
        ("ignore_first = 1", "allowed are true and false"),
        ('wake_by = "foot"', "wake_by = 'foot'; allowed are button, lid"),
        ("state = 3", "this version does S3"),
        ('state = "S4"', "this version does S3"),
        ("press_ms = 20", "a press of 20.00 ms"),
    ],
)
def test_a_wrong_plan_file_is_refused_by_name(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)

    with pytest.raises(UsageError) as refused:
        load_plan(path)

    assert words in str(refused.value)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("make", ["missing", "folder", "binary"])
def test_a_plan_that_cannot_be_read_is_a_usage_error(tmp_path: Path, make: str) -> None:
    path = tmp_path / "plan.toml"
    if make == "folder":
        path.mkdir()
    elif make == "binary":
        path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(UsageError, match="could not read the plan"):
        load_plan(path)


def test_a_plan_survives_its_mapping_to_the_nanosecond() -> None:
    plan = override(default_plan(), dwell_ns=5 * S + 1, press_ns=100 * MS + 3, short_dwell=True)

    assert parse_plan(plan_to_mapping(plan)) == plan


def test_a_lid_plan_on_a_bench_without_a_lid_is_refused() -> None:
    plan = override(default_plan(), wake_by=Actuator.LID)

    with pytest.raises(UsageError, match="moves the LID, which the bench of box cannot"):
        check_against_bench(plan, "box", [Actuator.BUTTON], [Channel.PWR_OK])


def test_a_bench_that_cannot_show_sleep_is_refused() -> None:
    with pytest.raises(UsageError, match="needs SLP_S3 or PWR_OK to see it sleep"):
        check_against_bench(default_plan(), "box", [Actuator.BUTTON], [Channel.BACKLIGHT])


def test_a_press_that_the_boards_interlock_would_refuse_is_refused_before() -> None:
    plan = override(default_plan(), press_ns=1_200 * MS)

    with pytest.raises(UsageError, match=r"a press of 1\.200 s; the board's interlock allows"):
        check_against_bench(plan, "box", [Actuator.BUTTON], [Channel.PWR_OK], 1_000 * MS)
