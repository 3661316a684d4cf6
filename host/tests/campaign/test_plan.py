"""Plans: defaults, limits, files."""

import dataclasses
import json
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.plan.plan import (
    Plan,
    check_against_bench,
    check_plan,
    default_plan,
    override,
)
from resume_rig.campaign.plan.plan_file import (
    load_plan,
    parse_plan,
    plan_facts,
    plan_to_mapping,
    ready_plans,
)
from resume_rig.campaign.plan.words import Order
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind

S = 1_000_000_000
MS = 1_000_000


def test_the_default_plan_is_four_s3_cycles_by_button_with_the_first_not_judged() -> None:
    plan = default_plan()

    assert (plan.cycles, plan.state, plan.warm_up) == (4, SleepKind.S3, 1)
    assert plan.actuators == {Actuator.BUTTON}
    assert (plan.dwell_ns, plan.settle_ns, plan.press_ns) == (5 * S, 2 * S, 150 * MS)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cycles": 0}, "0 cycles; allowed are 1 to 1,000,000"),
        ({"cycles": 1_000_001}, "allowed are 1 to 1,000,000"),
        ({"state": SleepKind.S1}, "a plan for S1; allowed are S3, hybrid, S4"),
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

    plan = load_plan(str(path))

    assert plan == override(
        default_plan(),
        cycles=1000,
        wake_by=Actuator.LID,
        dwell_ns=7_500 * MS,
        press_ns=200 * MS,
        warm_up=0,
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cycles = ", "it is not TOML"),
        ("cykles = 3", "no key 'cykles'; the nearest is cycles; allowed are cycles, state"),
        ("dwel_us = 9000000", "the nearest is dwell_us; allowed"),
        ("zzz = 1", "a plan has no key 'zzz'; allowed are cycles"),
        ("zzz = 1", "the key of a time may have its unit at the end: _ns, _us, _ms, _s"),
        ("dwell = 5", "dwell = 5; allowed is a time with its unit (ns, us, ms, s, min, h)"),
        ("dwell_s = 6\ndwell_ms = 6000", "names dwell twice"),
        ('dwell_s = "6"', "dwell_s = '6'; allowed is a number"),
        ("dwell_s = true", "allowed is a number"),
        ("dwell_s = nan", "at most some years"),
        ("dwell_s = inf", "at most some years"),
        ("cycles = 1.5", "cycles = 1.5; allowed is a whole number"),
        ("cycles = true", "allowed is a whole number"),
        ("ignore_first = 1", "allowed are true and false"),
        ('wake_by = "foot"', "wake_by = 'foot'; allowed are button, lid"),
        ("state = 3", "state = 3; allowed are S3, hybrid, S4"),
        ('state = "S1"', "state = 'S1'; allowed are S3, hybrid, S4"),
        ("press_ms = 20", "a press of 20.00 ms"),
        ("press_ms = [150, 20]", "a press of 20.00 ms"),
        ("dwell_s = { from = 4, to = 60 }", "a dwell of 4.000 s"),
        ("dwell_s = { from = 60, to = 5 }", "from a duration to a longer one"),
        ("dwell_s = { from = 5 }", "a value, a list, or { from = , to = }"),
        ('wake_by = { from = "button", to = "lid" }', "allowed are a value and a list"),
        ("press_ms = []", "a list of 0; allowed are 1 to 1000"),
        ('wake_by = ["button", "foot"]', "'foot'; allowed are button, lid"),
        ('order = "chaos"', "allowed are sequence, matrix, random"),
        ("seed = -1", "a seed of -1; allowed are 0 to 2^63-1"),
        ("warm_up = 5\ncycles = 4", "a warm-up of 5 of 4 cycles"),
        ("warm_up = 1\nignore_first = true", "warm_up and ignore_first"),
        ("stop = 3", "allowed is a table [stop] of failures, recoveries, after, "),
        ("[stop]\nfailures = 0", "a stop at 0 failures"),
        ("[stop]\nfailing = 1", "no key 'stop.failing'; the nearest is stop.failures; allowed are"),
        ("[stop]\nfailure_rate_below_percent = 100", "less than 100"),
        (
            "[stop]\nconfidence_percent = 99",
            "it goes with stop.failure_rate_below",
        ),
        ("[stop]\nfailure_rate_below_percent = 1\nconfidence_percent = 10", "a confidence of 10 %"),
        ("[stop]\nafter_h = 0", "a time to stop after of 0 ns"),
    ],
)
def test_a_wrong_plan_file_is_refused_by_name(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)

    with pytest.raises(UsageError) as refused:
        load_plan(str(path))

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
        load_plan(str(path))


def test_a_plan_survives_its_mapping_to_the_nanosecond() -> None:
    plan = override(default_plan(), dwell_ns=5 * S + 1, press_ns=100 * MS + 3, short_dwell=True)

    assert parse_plan(plan_to_mapping(plan)) == plan


def test_a_lid_plan_on_a_bench_without_a_lid_is_refused() -> None:
    plan = override(default_plan(), wake_by=Actuator.LID)

    with pytest.raises(UsageError, match="moves the LID, which the bench of box cannot"):
        check_against_bench(plan, "box", [Actuator.BUTTON], [Channel.PWR_OK])


def test_a_bench_that_cannot_show_sleep_is_refused() -> None:
    with pytest.raises(UsageError, match="needs SLP_S3# or PWR_OK to see it sleep"):
        check_against_bench(default_plan(), "box", [Actuator.BUTTON], [Channel.BACKLIGHT])


def test_a_press_that_the_boards_interlock_would_refuse_is_refused_before() -> None:
    plan = override(default_plan(), press_ns=1_200 * MS)

    with pytest.raises(UsageError, match=r"a press of 1\.200 s; the board's interlock allows"):
        check_against_bench(plan, "box", [Actuator.BUTTON], [Channel.PWR_OK], 1_000 * MS)


VARIED = """
cycles = 12
order = "{order}"
seed = 5
sleep_by = ["button", "lid"]
press_ms = [60, 150, 300]
dwell_s = {{ from = 5, to = 60 }}
"""


def varied(order: str) -> list[Plan]:
    plan = parse_plan(tomllib.loads(VARIED.format(order=order)))
    return [plan.of_cycle(index) for index in range(plan.cycles)]


def test_a_sequence_takes_the_next_value_of_each_list_in_each_cycle() -> None:
    plans = varied("sequence")
    assert [plan.press_ns // MS for plan in plans[:4]] == [60, 150, 300, 60]
    assert [plan.sleep_by for plan in plans[:3]] == [Actuator.BUTTON, Actuator.LID, Actuator.BUTTON]


def test_a_matrix_has_every_combination_the_same_number_of_times() -> None:
    seen = Counter((plan.sleep_by, plan.press_ns) for plan in varied("matrix"))
    assert len(seen) == 6
    assert set(seen.values()) == {2}


def test_a_random_order_is_the_same_for_the_same_seed_and_cycle() -> None:
    assert varied("random") == varied("random")
    plan = parse_plan(tomllib.loads(VARIED.format(order="random")))
    other = dataclasses.replace(plan, seed=6)
    assert plan.of_cycle(7) == varied("random")[7]  # whatever was drawn before
    assert [plan.of_cycle(n) for n in range(12)] != [other.of_cycle(n) for n in range(12)]
    assert len({plan.of_cycle(n).press_ns for n in range(60)}) == 3


def test_what_is_drawn_lies_in_its_range_and_uses_it() -> None:
    plan = parse_plan(tomllib.loads(VARIED.format(order="matrix")))
    dwells = [plan.of_cycle(n).dwell_ns for n in range(300)]
    assert min(dwells) >= 5 * S
    assert max(dwells) <= 60 * S
    assert max(dwells) - min(dwells) > 50 * S


def test_the_plan_of_a_cycle_is_one_that_can_be_run() -> None:
    for order in Order:
        for plan in varied(order):
            assert plan.vary == ()
            check_plan(plan)


@pytest.mark.parametrize("order", list(Order))
def test_a_varied_plan_survives_the_store(order: str) -> None:
    plan = parse_plan(
        tomllib.loads(VARIED.format(order=order) + "[stop]\nfailures = 2\nafter_h = 12")
    )
    assert parse_plan(json.loads(json.dumps(plan_to_mapping(plan)))) == plan


def test_one_value_on_the_command_line_takes_the_place_of_a_list() -> None:
    plan = override(
        varied_plan := parse_plan(tomllib.loads(VARIED.format(order="matrix"))), press_ns=200 * MS
    )
    assert [each.name for each in plan.vary] == ["sleep_by", "dwell_ns"]
    assert {plan.of_cycle(n).press_ns for n in range(6)} == {200 * MS}
    assert varied_plan.vary != plan.vary

    slow = parse_plan({"cycles": 2, "wake_timeout_s": [30, 60], "warm_up": 0})
    assert override(slow, wake_timeout_ns=20 * S).of_cycle(1).wake_timeout_ns == 20 * S


def test_a_bench_has_to_be_able_to_do_all_that_a_plan_varies() -> None:
    plan = parse_plan(tomllib.loads(VARIED.format(order="matrix")))
    with pytest.raises(UsageError, match="moves the LID"):
        check_against_bench(plan, "box", [Actuator.BUTTON], [Channel.PWR_OK])
    both = [Actuator.BUTTON, Actuator.LID]
    with pytest.raises(UsageError, match=r"a press of 300\.0 ms"):
        check_against_bench(plan, "box", both, [Channel.PWR_OK], 200 * MS)


@pytest.mark.parametrize("name", ready_plans())
def test_a_ready_plan_can_be_read_and_every_cycle_of_it_run(name: str) -> None:
    plan = load_plan(name)
    for index in range(min(plan.cycles, 50)):
        check_plan(plan.of_cycle(index))
    assert plan_facts(plan)["cycles"] == plan.cycles


def test_there_are_ready_plans_and_an_unknown_name_tells_them() -> None:
    assert {"s3resume", "pwrtest", "stress-1000", "lid-against-button"} <= set(ready_plans())
    with pytest.raises(UsageError, match=r"allowed are .*s3resume.*or the path of a file"):
        load_plan("s4resume")


def test_people_read_what_varies_in_words() -> None:
    facts = plan_facts(parse_plan(tomllib.loads(VARIED.format(order="matrix"))))
    assert facts["dwell"] == "5.000 s to 60.00 s"
    assert facts["press"] == "60.00 ms, 150.0 ms, 300.0 ms"
    assert facts["sleep_by"] == "BUTTON, LID"


@pytest.mark.parametrize("tool", ["wpr", "xperf"])
def test_a_plan_that_traces_is_kept_as_it_is(tool: str) -> None:
    plan = parse_plan({"trace": tool})
    assert plan.trace == tool
    assert parse_plan(plan_to_mapping(plan)) == plan
    assert plan_facts(plan)["trace"] == tool
    assert "trace" not in plan_to_mapping(parse_plan({"trace": "none"}))


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"trace": "etw"}, "trace = 'etw'; allowed are none, wpr, xperf"),
        ({"trace": True}, "trace = True; allowed are none, wpr, xperf"),
        ({"trace": "wpr", "state": ["S3", "S5"], "settle_s": 20}, "in a plan with a boot"),
        ({"trace": "wpr", "state": "fast-startup"}, "in a plan with a boot"),
    ],
)
def test_a_trace_that_cannot_be_is_refused(document: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        parse_plan(document)
