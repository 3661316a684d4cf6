"""No single fault, wire at a wrong place or reversed supply presses, or moves a wire of the DUT."""

from dataclasses import replace
from pathlib import Path

import pytest

from frontend.circuit.facts import Facts
from frontend.fault_table import unsafe
from frontend.faults import (
    FINGER,
    LID,
    WAYS,
    WIRED,
    Effect,
    effect_of,
    faults_of,
    miswires_of,
    moved_wires,
    parts_of,
    wire_faults,
)
from frontend.simulation.elements import Fault

TABLE = (Path(__file__).resolve().parents[3] / "hardware" / "generated" / "faults.md").read_text(
    "utf-8"
)
Circuits = tuple[object, dict[str, Facts], object]


def fault(facts: Facts, tag: str, what: str) -> Fault:
    part = next(part for part in facts.parts if part.tag == tag)
    return next(fault for fault in faults_of(part) if fault.what == what)


def effect(ngspice: str, facts: Facts, one: Fault | None, way: str = WIRED) -> Effect:
    found, why = effect_of(ngspice, facts, one, way)
    assert found is not None, why
    return found


@pytest.mark.parametrize("way", list(WAYS))
def test_the_sound_circuit_presses_and_its_limits_end_a_press(
    ngspice: str, front_ends: Circuits, way: str
) -> None:
    found = effect(ngspice, front_ends[1][WAYS[way].variant], None, way)
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
    found = effect(ngspice, wired, fault(wired, tag, what))
    assert not found.presses_by_itself
    assert (found.dead_man, found.hold_limit) == limits
    assert unsafe([found]) == []


@pytest.mark.parametrize("way", [FINGER, LID])
def test_no_coil_wire_at_a_wrong_place_and_no_reversed_supply_moves_a_coil(
    ngspice: str, front_ends: Circuits, way: str
) -> None:
    facts = front_ends[1][WAYS[way].variant]
    for miswire in miswires_of(way):
        assert unsafe([effect(ngspice, facts, miswire, way)]) == [], miswire.what


def test_without_its_diode_a_reversed_supply_would_drive_the_solenoid(
    ngspice: str, no_access: Facts
) -> None:
    parts = tuple(
        replace(part, nets={**part.nets, "A": "+12V_FUSED", "K": "+12V_FUSED"})
        if part.tag == "supply_12v/D_REVERSE"
        else part
        for part in no_access.parts
        if part.tag != "supply_12v/D_SURGE"
    )
    joined = tuple(
        replace(part, nets={p: n.replace("+12V_FUSED", "+12V") for p, n in part.nets.items()})
        for part in parts
    )
    reversed_supply = next(m for m in miswires_of(FINGER) if "reversed" in m.what)
    found = effect(ngspice, Facts(joined), reversed_supply, FINGER)
    assert found.presses_by_itself


def test_with_one_switch_a_coil_wire_at_ground_would_press(ngspice: str, no_access: Facts) -> None:
    gone = ("finger/Q_HIGH", "finger/D_FREE")
    parts = tuple(
        replace(part, nets={p: "+12V" if n == "FINGER_HIGH" else n for p, n in part.nets.items()})
        for part in no_access.parts
        if part.tag not in gone
    )
    at_ground = next(m for m in miswires_of(FINGER) if m.what == "coil's lower wire at ground")
    assert effect(ngspice, Facts(parts), at_ground, FINGER).presses_by_itself


@pytest.mark.parametrize("way", list(WAYS))
def test_the_table_tells_every_fault_of_every_part(front_ends: Circuits, way: str) -> None:
    section = TABLE.split(f"## {way.capitalize()}\n")[1].split("\n## ")[0]
    told = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    rows = {(cells[0].strip("| "), cells[1]) for cells in told}
    facts = front_ends[1][WAYS[way].variant]
    expected = {
        (part.tag, fault.what) for part in parts_of(facts, way) for fault in faults_of(part)
    }
    expected |= {("cable", miswire.what) for miswire in miswires_of(way)}
    assert rows == expected | {("none", "none")}
    assert "**yes**" not in section
    for cells in told:
        assert {cells[-2], cells[-1].strip("| ")} != {"lost"}


def test_with_one_gate_for_both_switches_a_lower_fet_would_keep_the_lid_closed(
    ngspice: str, wired: Facts
) -> None:
    lower = fault(wired, "lid_magnet/Q1", "short G to D")
    assert not effect(ngspice, wired, lower, LID).presses_by_itself
    shared = changed(wired, "lid_magnet/Q2", G="LID_G1")
    assert effect(ngspice, shared, lower, LID).presses_by_itself


def test_the_table_says_that_no_fault_moves_a_wire(wired: Facts) -> None:
    section = TABLE.split("## DUT's wires\n")[1]
    assert f"{len(wire_faults(wired))} faults" in section
    assert "None does." in section


def test_no_wire_is_moved_where_nothing_is_broken(ngspice: str, wired: Facts) -> None:
    assert moved_wires(ngspice, wired, None) == ([], "")


@pytest.mark.parametrize(
    ("tag", "what"),
    [
        ("PS_ON/R_BLEED", "short"),
        ("PWR_OK/D_TVS1", "short"),
        ("PWR_OK/R_HIGH_FEEDBACK", "short"),
        ("comparators/U1", "short IN1+ to V+"),
        ("standby_current/R_SHUNT1", "open"),
        ("standby_current/C_P", "short"),
        ("level/C_RAIL", "short"),
    ],
)
def test_no_wire_is_moved_by_a_part(ngspice: str, wired: Facts, tag: str, what: str) -> None:
    assert moved_wires(ngspice, wired, fault(wired, tag, what)) == ([], "")


def changed(facts: Facts, tag: str, **nets: str) -> Facts:
    return Facts(
        tuple(
            replace(part, nets={**part.nets, **{k.removeprefix("_"): n for k, n in nets.items()}})
            if part.tag == tag
            else part
            for part in facts.parts
        )
    )


@pytest.mark.parametrize(
    ("tag", "nets", "what", "wire"),
    [
        ("PS_ON/R_BLEED", {"_1": "DUT_PS_ON"}, "short", "DUT_PS_ON"),
        ("PWR_OK/D_TVS1", {"A": "GND"}, "short", "DUT_PWR_OK"),
        ("SLP_S4/R_FEEDBACK", {"_2": "SLP_S4_NODE"}, "short", "DUT_SLP_S4"),
        ("standby_current/R_SHUNT1", {"_1": "NOWHERE"}, "none", "DUT_5VSB"),
    ],
)
def test_a_wire_that_a_part_would_move_is_found_out(
    ngspice: str, wired: Facts, *, tag: str, nets: dict[str, str], what: str, wire: str
) -> None:
    facts = changed(wired, tag, **nets)
    if what == "none":
        facts = Facts(tuple(p for p in facts.parts if p.tag != "standby_current/R_SHUNT2"))
    one = None if what == "none" else fault(facts, tag, what)
    moved, why = moved_wires(ngspice, facts, one)
    assert why == ""
    assert any(sentence.startswith(f"{wire} is to be") for sentence in moved)
