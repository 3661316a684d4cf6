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


def swapped(facts: Facts, tag: str, first: str, second: str) -> Facts:
    nets = next(part.nets for part in facts.parts if part.tag == tag)
    return changed(facts, tag, nets={**nets, first: nets[second], second: nets[first]})


def pull_up(facts: Facts) -> Facts:
    return with_part(facts, catalogue.R1, _1="DUT_SLP_S3", _2="+3V3")


def pull_up_behind(facts: Facts) -> Facts:
    return with_part(facts, catalogue.R1, _1="SLP_S3_NODE", _2="+3V3")


def clamp_diode(facts: Facts) -> Facts:
    return with_part(facts, catalogue.SCHOTTKY, A="PWR_OK_NODE", K="+3V3")


def no_clamp(facts: Facts) -> Facts:
    return without(facts, "PLTRST/D_TVS1")


def clamp_to_supply(facts: Facts) -> Facts:
    return moved(facts, "PLTRST/D_TVS2", "A", "+3V3")


def no_series(facts: Facts) -> Facts:
    return without(facts, "SLP_S4/R_SERIES")


def half_a_clamp(facts: Facts) -> Facts:
    return moved(facts, "BUTTON/D_TVS2", "A", "BUTTON_IN")


def bleeder_at_the_wire(facts: Facts) -> Facts:
    return moved(facts, "PS_ON/R_BLEED", "1", "DUT_PS_ON")


def one_tvs_to_ground(facts: Facts) -> Facts:
    return moved(facts, "PWR_OK/D_TVS1", "A", "GND")


def feedback_before_the_second_resistor(facts: Facts) -> Facts:
    return moved(facts, "SLP_S5/R_FEEDBACK", "2", "SLP_S5_NODE")


def bare_gate(facts: Facts) -> Facts:
    return without(facts, "lid_magnet/R_PD1")


def gate_pulled_up(facts: Facts) -> Facts:
    return with_part(facts, catalogue.R1, _1="BUTTON_G1", _2="+3V3")


def weak_pull_down(facts: Facts) -> Facts:
    return changed(facts, "power_button/R_PD1", value="100M")


def floating_upper_gate(facts: Facts) -> Facts:
    return without(facts, "lid_magnet/R_PG_UP")


def low_fet(facts: Facts) -> Facts:
    return changed(facts, "lid_magnet/Q1", kind=replace(catalogue.COIL_FET, rated_v=30.0))


def hot_resistor(facts: Facts) -> Facts:
    return changed(facts, "SLP_S3/R_SERIES", value="1.8k")


def no_resistance(facts: Facts) -> Facts:
    return changed(facts, "SLP_S3/R_SERIES", value="0")


def no_value(facts: Facts) -> Facts:
    return changed(facts, "SLP_S3/R_IN", value="")


def burnt_led(facts: Facts) -> Facts:
    return changed(facts, "power_button/R_LED1", value="15")


def dim_led(facts: Facts) -> Facts:
    return changed(facts, "power_button/R_LED2", value="2.2k")


def strong_coil(facts: Facts) -> Facts:
    return changed(facts, "lid_magnet/L1", value="4.8")


def lit_for_ever(facts: Facts) -> Facts:
    return moved(facts, "power_button/K1", "K", "GND")


def coil_at_ground(facts: Facts) -> Facts:
    return moved(facts, "lid_magnet/L1", "2", "GND")


def coil_at_its_supply(facts: Facts) -> Facts:
    return moved(facts, "lid_magnet/L1", "1", "+12V")


def resistor_past_the_switch(facts: Facts) -> Facts:
    return with_part(facts, catalogue.R1, _1="LID_LOW", _2="GND")


def no_dead_man(facts: Facts) -> Facts:
    return moved(facts, "lid_magnet/Q3", "G", "LID_G1")


def button_without_dead_man(facts: Facts) -> Facts:
    return moved(facts, "power_button/Q2", "G", "BUTTON_G1")


def no_hold_limit(facts: Facts) -> Facts:
    return without(without(facts, "power_button/C_HOLD"), "power_button/C_LONG")


def one_contact(facts: Facts) -> Facts:
    return moved(facts, "power_button/K1", "O2", "DUT_PWRBTN_GND")


def supply_swapped(facts: Facts) -> Facts:
    return swapped(facts, "comparators/U1", "V+", "V-")


def no_decoupling(facts: Facts) -> Facts:
    return without(facts, "comparators/U2_C")


def small_decoupling(facts: Facts) -> Facts:
    return changed(facts, "thresholds/C_REF", value="1n")


def bare_self_test(facts: Facts) -> Facts:
    return changed(facts, "self_test/R_SELFTEST", value="1")


def self_test_on_a_header_of_its_own(facts: Facts) -> Facts:
    nets = {"1": "SELFTEST", "2": "DUT_SLP_S3", "3": "DUT_PLTRST"}
    extra = Placed("J99", "test/J99", "test", catalogue.header(3), "SELFTEST", nets)
    return Facts((*facts.parts, extra))


def no_fuse(facts: Facts) -> Facts:
    return without(facts, "supply_12v/F1")


def reversed_supply_gets_in(facts: Facts) -> Facts:
    return swapped(facts, "supply_12v/D_REVERSE", "A", "K")


def no_bulk(facts: Facts) -> Facts:
    return without(facts, "supply_12v/C_BULK")


def thirsty(facts: Facts) -> Facts:
    return changed(facts, "comparators/U1", amperes=0.1)


def an_open_net(facts: Facts) -> Facts:
    return moved(facts, "SLP_S3/R_IN", "2", "NOWHERE")


def two_outputs(facts: Facts) -> Facts:
    return moved(facts, "comparators/U1", "OUT1", "SENSE_SLP_S4")


def wrong_threshold(facts: Facts) -> Facts:
    return moved(facts, "comparators/U1", "IN1-", "VREF")


def unknown_value(facts: Facts) -> Facts:
    return changed(facts, "SLP_S3/R_IN", value="123.4k")


def above_ten_megohm(facts: Facts) -> Facts:
    return changed(facts, "BUTTON/R_FEEDBACK", value="22M")


def pico_turned_round(facts: Facts) -> Facts:
    return swapped(facts, "carrier/J_LEFT", "GP2", "GP3")


def no_supply_for_the_pico(facts: Facts) -> Facts:
    part = next(part for part in facts.parts if part.tag == "carrier/J_RIGHT")
    return changed(facts, part.tag, nets={p: n for p, n in part.nets.items() if p != "3V3"})


def long_servo_pulse(facts: Facts) -> Facts:
    return changed(facts, "lid_servo/C_T", value="1u")


def no_bus_pull_up(facts: Facts) -> Facts:
    return without(facts, "standby_current/R_SDA")


def no_read_back(facts: Facts) -> Facts:
    return without(facts, "level/R_READ")


def no_test_point(facts: Facts) -> Facts:
    return without(facts, "test_points/TP_VREF")


def no_footprint(facts: Facts) -> Facts:
    return changed(facts, "dead_man/C_PUMP", kind=replace(catalogue.C16, footprint=""))


def no_number(facts: Facts) -> Facts:
    return changed(facts, "dead_man/C_PUMP", kind=replace(catalogue.C16, number="", rated_v=0))


def one_small_contact(facts: Facts) -> Facts:
    return without(facts, "small_start/K2")


def small_start_without_a_limit(facts: Facts) -> Facts:
    return without(facts, "small_start/C_HOLD")


def heavy_bleeder(facts: Facts) -> Facts:
    return changed(facts, "SLP_S5/R_BLEED", value="470k")


def no_plug_for_the_hood(facts: Facts) -> Facts:
    return without(facts, "photodiode/J_HOOD")


def no_terminal(facts: Facts) -> Facts:
    return without(facts, "standby_current/J_5VSB")


def no_fast_capacitor(facts: Facts) -> Facts:
    return without(facts, "PLTRST/C_FAST")


def clamp_the_wrong_way(facts: Facts) -> Facts:
    return swapped(facts, "lid_magnet/D_Q1", "K", "A")


def bus_crossed(facts: Facts) -> Facts:
    return swapped(facts, "standby_current/U1", "SDA", "SCL")


WIRED, NO_ACCESS, SMALL = "pico-wired", "pico-no-access", "small-start"
BREAKS = [
    (pull_up, rules.no_way_to_a_supply, WIRED),
    (pull_up_behind, rules.no_way_to_a_supply, WIRED),
    (clamp_diode, rules.no_way_to_a_supply, WIRED),
    (no_clamp, rules.series_and_clamp, WIRED),
    (clamp_to_supply, rules.series_and_clamp, WIRED),
    (no_series, rules.series_and_clamp, WIRED),
    (half_a_clamp, rules.series_and_clamp, WIRED),
    (bleeder_at_the_wire, rules.nothing_shorted_moves_a_wire, WIRED),
    (one_tvs_to_ground, rules.nothing_shorted_moves_a_wire, WIRED),
    (feedback_before_the_second_resistor, rules.nothing_shorted_moves_a_wire, WIRED),
    (bare_gate, rules.gates_pulled_down, WIRED),
    (gate_pulled_up, rules.gates_pulled_down, WIRED),
    (weak_pull_down, rules.gates_pulled_down, WIRED),
    (floating_upper_gate, rules.gates_pulled_down, WIRED),
    (low_fet, rules.within_ratings, WIRED),
    (hot_resistor, rules.within_ratings, WIRED),
    (no_resistance, rules.within_ratings, WIRED),
    (no_value, rules.within_ratings, WIRED),
    (burnt_led, rules.currents_by_ohm, WIRED),
    (dim_led, rules.currents_by_ohm, WIRED),
    (strong_coil, rules.currents_by_ohm, WIRED),
    (lit_for_ever, rules.released_by_default, WIRED),
    (coil_at_ground, rules.released_by_default, WIRED),
    (coil_at_its_supply, rules.released_by_default, WIRED),
    (resistor_past_the_switch, rules.released_by_default, WIRED),
    (no_dead_man, rules.armed_by_the_heartbeat, WIRED),
    (no_hold_limit, rules.armed_by_the_heartbeat, WIRED),
    (one_contact, rules.two_contacts, WIRED),
    (button_without_dead_man, rules.two_contacts, WIRED),
    (supply_swapped, rules.supplied_the_right_way, WIRED),
    (no_decoupling, rules.decoupled, WIRED),
    (small_decoupling, rules.decoupled, WIRED),
    (bare_self_test, rules.self_test_apart_from_duts, WIRED),
    (self_test_on_a_header_of_its_own, rules.self_test_apart_from_duts, WIRED),
    (no_fuse, rules.supplies_protected, NO_ACCESS),
    (reversed_supply_gets_in, rules.supplies_protected, NO_ACCESS),
    (no_bulk, rules.supplies_protected, WIRED),
    (thirsty, rules.within_usb, WIRED),
    (an_open_net, rules.joined_up, WIRED),
    (two_outputs, rules.joined_up, WIRED),
    (wrong_threshold, rules.every_comparison_has_a_way_out, WIRED),
    (unknown_value, rules.values_that_are_made, WIRED),
    (above_ten_megohm, rules.values_that_are_made, WIRED),
    (pico_turned_round, rules.sampled_as_the_pin_map_says, WIRED),
    (no_supply_for_the_pico, rules.sampled_as_the_pin_map_says, WIRED),
    (long_servo_pulse, rules.servo_pulses, NO_ACCESS),
    (no_bus_pull_up, rules.bus_pulled_up, WIRED),
    (no_read_back, rules.read_back, WIRED),
    (no_test_point, rules.probed, WIRED),
    (heavy_bleeder, rules.windows_kept, WIRED),
    (no_plug_for_the_hood, rules.everything_there, WIRED),
    (no_terminal, rules.everything_there, WIRED),
    (no_fast_capacitor, rules.sense_channels_whole, WIRED),
    (clamp_the_wrong_way, rules.pins_for_their_purpose, WIRED),
    (bus_crossed, rules.pins_for_their_purpose, WIRED),
    (no_footprint, rules.named_and_rated, WIRED),
    (no_number, rules.named_and_rated, WIRED),
    (one_small_contact, rules.two_small_contacts, SMALL),
    (small_start_without_a_limit, rules.two_small_contacts, SMALL),
]


@pytest.mark.parametrize(
    ("spoil", "rule", "variant"), BREAKS, ids=[spoil.__name__ for spoil, _, _ in BREAKS]
)
def test_a_circuit_that_breaks_a_rule_is_found_out(
    front_ends: tuple[object, dict[str, Facts], object],
    spoil: Callable[[Facts], Facts],
    rule: rules.Rule,
    variant: str,
) -> None:
    used = rules.SMALL_RULES if variant == SMALL else rules.RULES
    broken = rules.broken_rules(spoil(front_ends[1][variant]), used)
    assert any(sentence.startswith(f"{rule.__name__}: ") for sentence in broken)


def test_every_rule_has_a_circuit_that_breaks_it() -> None:
    assert {rule for _spoil, rule, _variant in BREAKS} == {*rules.RULES, *rules.SMALL_RULES}
