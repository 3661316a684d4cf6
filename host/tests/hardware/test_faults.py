"""No single part that breaks presses the DUT's button for longer than the hold limit."""

from dataclasses import replace
from pathlib import Path

import pytest

from frontend.circuit.facts import Facts
from frontend.fault_table import unsafe
from frontend.faults import FINGER, WIRED, Effect, Fault, effect_of, faults_of, parts_of

TABLE = (Path(__file__).resolve().parents[3] / "hardware" / "generated" / "faults.md").read_text(
    "utf-8"
)


def effect(ngspice: str, facts: Facts, tag: str, what: str) -> Effect:
    part = next(part for part in facts.parts if part.tag == tag)
    fault = next(fault for fault in faults_of(part) if fault.what == what)
    found, why = effect_of(ngspice, facts, fault)
    assert found is not None, why
    return found


def test_the_sound_circuit_presses_and_both_limits_end_a_press(ngspice: str, wired: Facts) -> None:
    found, why = effect_of(ngspice, wired, None)
    assert found is not None, why
    assert unsafe([found]) == []


@pytest.mark.parametrize(
    ("tag", "what", "limits"),
    [
        ("power_button/K1", "short O1 to O2", (False, True)),
        ("power_button/K2", "short O1 to O2", (True, False)),
        ("power_button/C_HOLD", "short", (True, False)),
        ("BUTTON/D_TVS1", "short", (True, True)),
        ("BUTTON/R_BLEED", "short", (True, True)),
    ],
)
def test_a_part_that_fails_leaves_one_limit(
    ngspice: str, wired: Facts, tag: str, what: str, limits: tuple[bool, bool]
) -> None:
    found = effect(ngspice, wired, tag, what)
    assert not found.presses_by_itself
    assert (found.dead_man, found.hold_limit) == limits
    assert unsafe([found]) == []


def test_one_contact_alone_would_be_found_unsafe(ngspice: str, wired: Facts) -> None:
    parts = [part for part in wired.parts if part.tag != "power_button/K2"]
    first = next(part for part in parts if part.tag == "power_button/K1")
    nets = {**first.nets, "O2": "DUT_PWRBTN_GND"}
    one = Facts(
        tuple(
            type(part)(part.ref, part.tag, part.sheet, part.kind, part.value, nets)
            if part is first
            else part
            for part in parts
        )
    )
    found, _why = effect_of(ngspice, one, Fault("power_button/K1", "short", ("O1", "O2")))
    assert found is not None
    assert unsafe([found])[0] == "power_button/K1, short: presses though nothing is driven"


def test_the_finger_keeps_one_limit_too(
    ngspice: str, front_ends: tuple[object, dict[str, Facts], object]
) -> None:
    facts = front_ends[1]["pico-no-access"]
    sound, why = effect_of(ngspice, facts, None, FINGER)
    assert sound is not None, why
    assert unsafe([sound]) == []
    fault = Fault("finger/D_Q2", "short", ("K", "A"))
    found, why = effect_of(ngspice, facts, fault, FINGER)
    assert found is not None, why
    assert (found.presses_by_itself, found.dead_man, found.hold_limit) == (False, False, True)


@pytest.mark.parametrize(("way", "variant"), [(WIRED, "pico-wired"), (FINGER, "pico-no-access")])
def test_the_table_tells_every_fault_of_every_part(
    front_ends: tuple[object, dict[str, Facts], object], way: str, variant: str
) -> None:
    section = TABLE.split(f"## {way.capitalize()}\n")[1].split("\n## ")[0]
    told = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    rows = {(cells[0].strip("| "), cells[1]) for cells in told}
    expected = {
        (part.tag, fault.what)
        for part in parts_of(front_ends[1][variant], way)
        for fault in faults_of(part)
    }
    assert rows == expected | {("none", "none")}
    assert "**yes**" not in section
    for cells in told:
        assert {cells[-2], cells[-1].strip("| ")} != {"lost"}


def test_a_short_behind_too_small_a_resistor_would_press_at_a_weak_pull_up(
    ngspice: str, wired: Facts
) -> None:
    parts = [
        replace(part, value="10k") if part.tag == "BUTTON/R_IN" else part for part in wired.parts
    ]
    found = effect(ngspice, Facts(tuple(parts)), "BUTTON/R_BLEED", "short")
    assert found.presses_by_itself
