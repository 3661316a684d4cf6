"""Ninety-five of a hundred wrong parts are noticed, and each that is not has its reason."""

import re
from pathlib import Path

import pytest

from frontend.circuit.facts import Facts
from frontend.mutants import LEAST_SHARE, all_mutants, known, noticed_by, written

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "hardware" / "generated" / "mutants.md"
REASONS = known(ROOT / "hardware" / "mutants-equal.txt")
Circuits = tuple[object, dict[str, Facts], object]


def test_the_page_tells_of_all_mutants_and_enough_are_noticed(front_ends: Circuits) -> None:
    text = PAGE.read_text("utf-8")
    told = re.search(r"(\d+) mutants, (\d+) noticed", text)
    assert told is not None
    made = [str(mutant) for mutant, _changed in all_mutants(front_ends[1])]
    assert int(told[1]) == len(made) == len(set(made))
    missed = re.findall(r"^- (.*?) - (.*)$", text.split("## Nobody notices")[1], re.MULTILINE)
    assert len(missed) == int(told[1]) - int(told[2])
    assert int(told[2]) / int(told[1]) >= LEAST_SHARE
    assert {mutant: REASONS.get(mutant) for mutant, _reason in missed} == dict(missed)


@pytest.mark.parametrize(
    ("tag", "what"),
    [
        ("power_button/R_LED1", "value / 10"),
        ("power_button/R_PD1", "value x 10"),
        ("photodiode/D1", "K and A swapped"),
        ("comparators/U1", "V+ and IN1- swapped"),
        ("power_button/Q1", "G and S swapped"),
        ("standby_current/R_SHUNT1", "value x 10"),
        ("SLP_S4/R_FEEDBACK", "value / 10"),
        ("SLP_S4/D_TVS1", "K and A swapped"),
        ("dead_man/D_PUMP", "K and A swapped"),
        ("lid_magnet/D_FREE", "K and A swapped"),
        ("small_start/D_HOLD", "K and A swapped"),
    ],
)
def test_a_wrong_part_is_noticed(ngspice: str, front_ends: Circuits, tag: str, what: str) -> None:
    mutant, changed = next(
        one for one in all_mutants(front_ends[1]) if (one[0].tag, one[0].what) == (tag, what)
    )
    assert noticed_by(ngspice, mutant, changed, front_ends[1]) is not None


def test_what_is_right_is_noticed_by_nobody(ngspice: str, front_ends: Circuits) -> None:
    mutant, _changed = all_mutants(front_ends[1])[0]
    sound = front_ends[1]
    assert noticed_by(ngspice, mutant, sound[mutant.variant], sound) is None


@pytest.mark.parametrize(
    ("value", "text"), [(1e6, "1M"), (47e-12, "47p"), (3900.0, "3.9k"), (0.004, "4m"), (22.0, "22")]
)
def test_a_value_is_written_as_on_a_part(value: float, text: str) -> None:
    assert written(value) == text
