"""Each rule of the front end is kept by every variant, and found broken where it is."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from frontend import rules
from frontend.circuit import catalogue
from frontend.circuit.facts import Facts, Placed


def test_every_variant_keeps_every_rule(front_ends: tuple[object, object, list[str]]) -> None:
    assert front_ends[2] == []


def with_part(facts: Facts, kind: catalogue.Kind, value: str = "10k", **nets: str) -> Facts:
    pins = {name.removeprefix("_"): net for name, net in nets.items()}
    extra = Placed("X1", "test/X1", "test", kind, value, pins)
    return Facts((*facts.parts, extra))


def without(facts: Facts, tag: str) -> Facts:
    assert any(part.tag == tag for part in facts.parts)
    return Facts(tuple(part for part in facts.parts if part.tag != tag))


def changed(facts: Facts, tag: str, **fields: object) -> Facts:
    assert any(part.tag == tag for part in facts.parts)
    return Facts(
        tuple(replace(part, **fields) if part.tag == tag else part for part in facts.parts)
    )


def moved(facts: Facts, tag: str, pin: str, net: str) -> Facts:
    nets = next(part.nets for part in facts.parts if part.tag == tag)
    return changed(facts, tag, nets={**nets, pin: net})


def pull_up(facts: Facts) -> Facts:
    return with_part(facts, catalogue.R1, _1="DUT_SLP_S3", _2="+3V3")


def pull_up_behind(facts: Facts) -> Facts:
    return with_part(facts, catalogue.R1, _1="SLP_S3_NODE", _2="+3V3")


def clamp_diode(facts: Facts) -> Facts:
    return with_part(facts, catalogue.SCHOTTKY, A="PWR_OK_NODE", K="+3V3")


def no_clamp(facts: Facts) -> Facts:
    return without(facts, "PLTRST/D_TVS")


def clamp_to_supply(facts: Facts) -> Facts:
    return moved(facts, "PLTRST/D_TVS", "A", "+3V3")


def no_series(facts: Facts) -> Facts:
    return without(without(facts, "SLP_S4/R_SERIES"), "SLP_S4/R_BLEED")


def half_a_clamp(facts: Facts) -> Facts:
    return moved(facts, "BUTTON/D_TVS2", "A", "BUTTON_IN")


def bare_gate(facts: Facts) -> Facts:
    return without(facts, "lid_magnet/R_PD")


def gate_pulled_up(facts: Facts) -> Facts:
    return with_part(facts, catalogue.R1, _1="BUTTON_G1", _2="+3V3")


def low_fet(facts: Facts) -> Facts:
    return changed(facts, "lid_magnet/Q1", kind=replace(catalogue.COIL_FET, rated_v=30.0))


def hot_led(facts: Facts) -> Facts:
    return changed(facts, "power_button/K1", amperes=0.045)


def hot_resistor(facts: Facts) -> Facts:
    return changed(facts, "SLP_S3/R_SERIES", value="1.8k")


def lit_for_ever(facts: Facts) -> Facts:
    return moved(facts, "power_button/K1", "K", "GND")


def coil_for_ever(facts: Facts) -> Facts:
    return moved(facts, "lid_magnet/J_COIL", "2", "GND")


def no_dead_man(facts: Facts) -> Facts:
    return moved(facts, "lid_magnet/Q1", "S", "GND")


def no_hold_limit(facts: Facts) -> Facts:
    return without(facts, "power_button/C_HOLD")


def one_contact(facts: Facts) -> Facts:
    return moved(facts, "power_button/K1", "O2", "DUT_PWRBTN_GND")


def bleed_at_the_wire(facts: Facts) -> Facts:
    return moved(facts, "BUTTON/R_BLEED", "1", "DUT_PWRBTN")


def one_clamp(facts: Facts) -> Facts:
    return moved(facts, "lid_magnet/D_CLAMP1", "A", "GND")


def no_footprint(facts: Facts) -> Facts:
    return changed(facts, "dead_man/C_PUMP", kind=replace(catalogue.C16, footprint=""))


def no_number(facts: Facts) -> Facts:
    return changed(facts, "dead_man/C_PUMP", kind=replace(catalogue.C16, number="", rated_v=0))


BREAKS = [
    (pull_up, rules.no_way_to_a_supply),
    (pull_up_behind, rules.no_way_to_a_supply),
    (clamp_diode, rules.no_way_to_a_supply),
    (no_clamp, rules.series_and_clamp),
    (clamp_to_supply, rules.series_and_clamp),
    (no_series, rules.series_and_clamp),
    (half_a_clamp, rules.series_and_clamp),
    (bare_gate, rules.gates_pulled_down),
    (gate_pulled_up, rules.gates_pulled_down),
    (low_fet, rules.within_ratings),
    (hot_led, rules.within_ratings),
    (hot_resistor, rules.within_ratings),
    (lit_for_ever, rules.released_by_default),
    (coil_for_ever, rules.released_by_default),
    (no_dead_man, rules.armed_by_the_heartbeat),
    (no_hold_limit, rules.armed_by_the_heartbeat),
    (one_contact, rules.two_contacts),
    (bleed_at_the_wire, rules.nothing_alone_presses),
    (one_clamp, rules.nothing_alone_presses),
    (no_footprint, rules.named_and_rated),
    (no_number, rules.named_and_rated),
]


@pytest.mark.parametrize(("spoil", "rule"), BREAKS, ids=[spoil.__name__ for spoil, _ in BREAKS])
def test_a_circuit_that_breaks_a_rule_is_found_out(
    wired: Facts, spoil: Callable[[Facts], Facts], rule: rules.Rule
) -> None:
    broken = rules.broken_rules(spoil(wired))
    assert any(sentence.startswith(f"{rule.__name__}: ") for sentence in broken)


def test_every_rule_has_a_circuit_that_breaks_it() -> None:
    assert {rule for _spoil, rule in BREAKS} == set(rules.RULES)
