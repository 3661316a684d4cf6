"""No single part that breaks presses the DUT's button for longer than the hold limit."""

from pathlib import Path

import pytest

from frontend.circuit.facts import Facts
from frontend.fault_table import unsafe
from frontend.faults import SHEETS, Effect, Fault, effect_of, faults_of

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
        ("BUTTON/D_TVS", "short", (True, True)),
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


def test_the_table_tells_every_fault_of_every_part(wired: Facts) -> None:
    told = [line.split(" | ") for line in TABLE.splitlines() if line.startswith("| ")][1:]
    rows = {(cells[0].strip("| "), cells[1]) for cells in told}
    expected = {
        (part.tag, fault.what)
        for part in wired.parts
        if part.sheet in SHEETS
        for fault in faults_of(part)
    }
    assert rows == expected | {("none", "none")}
    assert "**yes**" not in TABLE
    for cells in told:
        assert {cells[-2], cells[-1].strip("| ")} != {"lost"}
