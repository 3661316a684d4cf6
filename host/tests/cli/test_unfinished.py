"""A campaign that broke off is never told as one that was done."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from command_line import Command, Said

FULL = 'seed = 7\n[[fault]]\nkind = "disk-full"\nat_s = 30\nfor_s = 600\n'
RULE = "cycles = 9\nwarm_up = 0\n[stop]\nafter_s = 30\n"
CASE = "the plan was done to its end"
RIG = ("run", "--rig", "sim:clock=virtual,seed=7,light=none")


@pytest.fixture
def broken_off(command: Command) -> Said:
    Path("full.toml").write_text(FULL, encoding="utf-8")
    return command(*RIG[:2], f"{RIG[2]},faults=full.toml", "--cycles", "9", "--out", "x.rrs")


def case_of(command: Command) -> ET.Element:
    assert command("export", "x.rrs", "--to", "junit", "--out", "x.xml").status == 0
    suites = ET.parse("x.xml").getroot()
    assert suites.get("tests") == str(len(suites.findall(".//testcase")))
    assert suites.get("errors") == str(len(suites.findall(".//error")))
    return next(case for case in suites.iter("testcase") if case.get("name") == CASE)


def test_what_broke_off_is_told_by_every_report(command: Command, broken_off: Said) -> None:
    told = "The plan is not done: 4 of 9 cycles; the answer is of these alone."
    assert broken_off.status == 2
    assert f"\n{told}\n" in broken_off.out
    assert f"\n{told}\n" in command("correlate", "x.rrs").out
    assert f"<strong>{told}</strong>" in Path("x.html").read_text("utf-8")
    assert told in command("store", "info", "x.rrs").out
    campaign = command("correlate", "x.rrs", "--json").document["campaign"]
    assert isinstance(campaign, dict)
    assert (campaign["unfinished"], campaign["plan_state"]) == (True, told)
    error = case_of(command).find("error")
    assert error is not None
    assert error.get("message") == told


def test_what_a_rule_ended_is_done_and_says_so(command: Command) -> None:
    Path("plan.toml").write_text(RULE, encoding="utf-8")
    said = command(*RIG, "--plan", "plan.toml", "--out", "x.rrs")
    assert said.status == 0
    assert "\nEnded by a rule of its plan before the last cycle: " in said.out
    case = case_of(command)
    assert case.find("error") is None
    assert "Ended by a rule" in (case.findtext("system-out") or "")


def test_what_was_done_to_its_last_cycle_says_nothing(command: Command) -> None:
    said = command(*RIG, "--cycles", "2", "--out", "x.rrs", "--json")
    campaign = said.document["campaign"]
    assert isinstance(campaign, dict)
    assert (campaign["unfinished"], campaign["plan_state"]) == (False, None)
    assert len(case_of(command)) == 0
    document = command("store", "info", "x.rrs", "--json").document
    assert document["plan_state"] is None
    plan = document["plan"]
    assert isinstance(plan, dict)
    assert plan["dwell_ns"] == 5_000_000_000
    assert "dwell 5.000 s, settle 2.000 s" in command("store", "info", "x.rrs").out


@pytest.mark.parametrize(
    ("percent", "needed"), [("1", "299"), ("0.1", "2,995"), ("1e-12", "100,000,000")]
)
def test_a_rule_that_the_plan_has_too_few_cycles_for_is_told_before_and_after(
    command: Command, percent: str, needed: str
) -> None:
    rule = f"[stop]\nfailure_rate_below_percent = {percent}\n"
    Path("plan.toml").write_text(f"cycles = 2\n{rule}", encoding="utf-8")
    said = command(*RIG, "--plan", "plan.toml", "--out", "x.rrs")
    assert said.status == 0
    assert f"that takes {needed} cycles or more without a failure, and the plan has 2" in said.err
    shown = float(percent)
    assert f"\nNot shown by all of the plan's cycles: that at most {shown:g} % fail" in said.out
