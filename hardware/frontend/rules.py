"""What a circuit must not do: what keeps a DUT unharmed, and what a builder needs to know."""

import math
from collections.abc import Callable, Iterator

from frontend.circuit.carrier import FIXED, PICO_PINS, mapped_pins
from frontend.circuit.connectors import PROBED
from frontend.circuit.facts import COMPARATORS, GROUND, SUPPLIES, Facts, Placed
from frontend.purposes import (
    everything_there,
    pins_for_their_purpose,
    sense_channels_whole,
    windows_kept,
)
from frontend.simulation.elements import number

MARGIN = 0.8
"""A part bears no more than this share of its rating."""
CONNECTORS = ("J", "A", "M", "TP", "JP")
GATES = ("BSS138", "AO3422")
UPPER_GATE = "AO3401A"
COILS = ("COIL", "SOLENOID")
WORKING = ("TVS_5V", "SERVO", *COILS)
"""Kinds whose rating is what they work at, not what they break at."""
HIGHEST_12V = 12.6
LED_V = (1.1, 1.4)
LED_A = (5e-3, 20e-3)
"""A photoMOS needs 5 mA; 50 mA is what its LED bears."""
USB_A = 0.1
"""What the isolator gives."""
PICO_A = 0.035
"""The Pico itself, with USB and both cores awake: assumed."""

Rule = Callable[[Facts], Iterator[str]]


def is_dut(net: str) -> bool:
    """Whether a net is a DUT's wire; its grounds and its standby supply are none to sense."""
    return net.startswith("DUT_") and net not in ("DUT_PWRBTN_GND", "DUT_5VSB_SUPPLY", "DUT_5VSB")


def is_resistor(part: Placed) -> bool:
    """Whether a part is a resistor of the catalogue."""
    return part.kind.prefix == "R" and not part.kind.name.startswith("SHUNT")


def ohms(value: str) -> float:
    """Return the value that is written on a part, in its unit; 0 where it is none."""
    try:
        return number(value)
    except ValueError:
        return 0.0


def no_way_to_a_supply(facts: Facts) -> Iterator[str]:
    """No part leads from a DUT's wire, or from behind its series resistor, to a supply."""
    for net in filter(is_dut, facts.nets()):
        for near in (net, *behind(facts, net)):
            for part in facts.on(near):
                if part.kind.prefix in ("R", "D", "Q", "C"):
                    for supply in set(part.others(near)) & set(SUPPLIES):
                        yield f"{part.tag} leads from {near} of {net} to {supply}"


def behind(facts: Facts, net: str) -> list[str]:
    """Return the nets behind the series resistors of a DUT's wire."""
    return [
        other
        for part in facts.on(net)
        if is_resistor(part)
        for other in part.others(net)
        if other != GROUND and not other.startswith("DUT_")
    ]


def series_and_clamp(facts: Facts) -> Iterator[str]:
    """Each DUT wire goes through a resistor to a node that is clamped to ground."""
    for net in filter(is_dut, facts.nets()):
        nodes = [node for node in behind(facts, net) if not only_resistors(facts, node)]
        if not nodes:
            yield f"{net} has no series resistor"
        for node in nodes:
            if not clamped(facts, node):
                yield f"{node} behind {net} has no TVS diode to ground"
        for part in facts.on(net):
            allowed = is_resistor(part) or part.kind.prefix in CONNECTORS
            if not allowed and part.kind.name != "AQY212EH":
                yield f"{part.tag} is on {net} itself, before any series resistor"


def only_resistors(facts: Facts, node: str) -> bool:
    """Whether nothing but resistors is on a net, as between the two that load an LED's wires."""
    return all(is_resistor(part) for part in facts.on(node))


def clamped(facts: Facts, node: str) -> bool:
    """Whether TVS diodes in series, or a capacitor that swallows a discharge, lead to ground."""
    reached, clamps = {node}, [part for part in facts.parts if part.kind.name == "TVS_5V"]
    for _in_series in range(2):
        reached |= {part.nets["A"] for part in clamps if part.nets["K"] in reached}
    swallows = any(
        part.kind.prefix == "C" and GROUND in part.others(node) and ohms(part.value) >= 50e-9
        for part in facts.on(node)
    )
    return GROUND in reached or swallows


def nothing_shorted_moves_a_wire(facts: Facts) -> Iterator[str]:
    """No single part that is short leads from a wire, or from its node, to ground or an output."""
    outputs = {net for net in facts.nets() if net.startswith(("SENSE_", "DRIVE_"))} | {GROUND}
    for net in filter(is_dut, facts.nets()):
        if net == "DUT_RAIL":
            continue
        for near in (net, *behind(facts, net)):
            for part in facts.on(near):
                if part.kind.prefix in ("R", "D", "C", "Q") and outputs & set(part.others(near)):
                    yield f"{part.tag} alone, shorted, drives {net}"


def gates_pulled_down(facts: Facts) -> Iterator[str]:
    """Each gate, and each servo's signal, has a resistor to ground; an upper gate to its supply."""
    controls = [
        (part, part.nets[pin], GROUND)
        for part in facts.parts
        for pin in ("G", "SIGNAL")
        if pin in part.nets and part.kind.name in (*GATES, "SERVO")
    ]
    controls += [
        (part, part.nets["G"], part.nets["S"])
        for part in facts.parts
        if part.kind.name == UPPER_GATE
    ]
    for part, net, rest in controls:
        pulls = [p for p in facts.on(net) if is_resistor(p) and rest in p.others(net)]
        if not any(1e3 <= ohms(pull.value) <= 1e6 for pull in pulls):
            yield f"{part.tag}: nothing of 1 kOhm to 1 MOhm pulls {net} to {rest}"
        if rest != GROUND:
            continue
        for holder in facts.on(net):
            if is_resistor(holder) and set(holder.others(net)) & set(SUPPLIES):
                yield f"{part.tag}: {holder.tag} pulls {net} up"
            drives = any(other.startswith("DRIVE_") for other in holder.others(net))
            if is_resistor(holder) and drives and not 220 <= ohms(holder.value) <= 4.7e3:
                yield f"{part.tag}: {holder.tag} is {holder.value}; 220 Ohm to 4.7 kOhm drive it"


def within_ratings(facts: Facts) -> Iterator[str]:
    """Each part bears at most 80 % of its voltage, current and power."""
    for part in facts.parts:
        for what, found, rated in (
            ("V", part.volts, part.kind.rated_v),
            ("A", part.amperes, part.kind.rated_a),
        ):
            most = rated if part.kind.name in WORKING else MARGIN * rated
            if part.kind.name.startswith("TVS") and part.kind.name != "TVS_5V":
                most = rated
            if found > most and rated:
                yield f"{part.tag} bears {found:g} {what}; {most:g} {what} is allowed"
        if is_resistor(part) and part.volts:
            resistance = ohms(part.value)
            if not resistance:
                yield f"{part.tag} has the value {part.value!r}, which is no resistance"
                continue
            watts = part.volts**2 / resistance
            if part.amperes:
                watts = min(watts, part.amperes**2 * resistance)
            most = MARGIN * part.kind.rated_w
            if watts > most:
                yield f"{part.tag} heats up by {watts:.3g} W; {most:g} W is allowed"


def currents_by_ohm(facts: Facts) -> Iterator[str]:
    """LEDs and coils: the currents that the circuit itself makes, not those that are declared."""
    for part in facts.parts:
        if part.kind.name == "AQY212EH":
            lights = [p for p in facts.on(part.nets["A"]) if is_resistor(p)]
            value = ohms(lights[0].value) if len(lights) == 1 else 0.0
            if not value:
                yield f"{part.tag}: its LED has not one resistor"
                continue
            least, most = (3.2 - LED_V[1]) / value, (3.4 - LED_V[0]) / value
            if least < LED_A[0] or most > LED_A[1]:
                yield (
                    f"{part.tag}: {lights[0].tag} of {lights[0].value} gives its LED "
                    f"{1e3 * least:.1f} to {1e3 * most:.1f} mA; 5 to 20 mA are allowed"
                )
        if part.kind.name in COILS:
            value = ohms(part.value)
            flows = HIGHEST_12V / value if value else math.inf
            chain = [p for p in facts.parts if p.sheet == part.sheet and p.kind.prefix in "QD"]
            for bears in (part, *chain):
                most = MARGIN * bears.kind.rated_a
                if flows > most and bears.kind.name not in ("BSS138", "BAS416"):
                    yield f"{bears.tag} bears {flows:.2g} A of {part.tag}; {most:g} A is allowed"


def below(facts: Facts, fet: Placed) -> list[Placed]:
    """Return a FET and those in series below it, down to ground."""
    fets = [part for part in facts.parts if part.kind.name in GATES]
    chain = [fet]
    while lower := [one for one in fets if one.nets.get("D") == chain[-1].nets.get("S")]:
        if lower[0] in chain:
            break
        chain.append(lower[0])
    return chain


def pulled_by(facts: Facts, net: str) -> list[str]:
    """Return the gates of the FETs that lead a net to ground; none where none do."""
    for part in facts.on(net):
        if part.kind.name in GATES and part.nets.get("D") == net:
            chain = below(facts, part)
            if chain[-1].nets.get("S") == GROUND:
                return [one.nets["G"] for one in chain if "G" in one.nets]
    return []


def released_by_default(facts: Facts) -> Iterator[str]:
    """What moves something at the DUT goes through FETs from the MCU, a coil at both its ends.

    With the MCU in reset, unpowered or absent all its nets float. Then every gate is at rest
    (another rule), so every LED and coil is without current. And a coil wire at ground, or at the
    supply, leaves the other end's switch open.
    """
    for part in facts.parts:
        if part.kind.name == "AQY212EH" and not pulled_by(facts, part.nets.get("K", "")):
            yield f"{part.tag} is lit without a FET: its cathode is on {part.nets.get('K')}"
        if part.kind.name in COILS:
            if not upper_gates(facts, part):
                yield f"{part.tag}: no switch between +12V and {part.nets['1']}"
            if not pulled_by(facts, part.nets["2"]):
                yield f"{part.tag}: no switch between {part.nets['2']} and ground"
            for net in part.nets.values():
                for other in facts.on(net):
                    ends = {GROUND, *SUPPLIES} & set(other.others(net))
                    if other.kind.prefix in ("R", "J", "TP") and ends:
                        yield f"{other.tag} leads from {net} to {ends.pop()} past the switch"


def upper_gates(facts: Facts, coil: Placed) -> list[str]:
    """Return the gates that switch a coil's upper end to its supply."""
    for part in facts.on(coil.nets["1"]):
        switches = part.kind.name == UPPER_GATE and part.nets.get("D") == coil.nets["1"]
        if switches and part.nets.get("S") == "+12V":
            gate = part.nets["G"]
            for resistor in facts.on(gate):
                for other in resistor.others(gate):
                    if is_resistor(resistor) and other not in SUPPLIES:
                        return pulled_by(facts, other)
    return []


def armed_by_the_heartbeat(facts: Facts) -> Iterator[str]:
    """What is switched on needs the heartbeat, or goes off by itself: each LED, each coil."""
    for part in facts.parts:
        if part.kind.name == "AQY212EH":
            gates = pulled_by(facts, part.nets.get("K", ""))
        elif part.kind.name in COILS:
            gates = [*upper_gates(facts, part), *pulled_by(facts, part.nets["2"])]
            if part.kind.name == "SOLENOID" and not any(in_series(facts, gate) for gate in gates):
                yield f"{part.tag} has no hold limit"
            if "ARMED" not in gates:
                yield f"{part.tag} stays on without a heartbeat"
        else:
            continue
        if "ARMED" not in gates and not any(in_series(facts, gate) for gate in gates):
            yield f"{part.tag} stays on without a heartbeat"


def in_series(facts: Facts, net: str) -> bool:
    """Whether a capacitor leads to a net from something other than a supply."""
    return any(
        other not in (GROUND, *SUPPLIES)
        for part in facts.on(net)
        if part.kind.prefix == "C"
        for other in part.others(net)
    )


def two_contacts(facts: Facts) -> Iterator[str]:
    """The button's wire and its ground are two contacts apart; one needs the heart, one tires."""
    kinds = [part for part in facts.parts if part.kind.name == "AQY212EH"]
    for part in kinds:
        if {"DUT_PWRBTN", "DUT_PWRBTN_GND"} <= set(part.nets.values()):
            yield f"{part.tag} alone closes the button: its short presses for ever"
    first = [part for part in kinds if "DUT_PWRBTN" in part.nets.values()]
    last = [part for part in kinds if "DUT_PWRBTN_GND" in part.nets.values()]
    if bool(first) != bool(last):
        yield "the button's contacts do not lead from its wire to its ground"
    if first and last:
        gates = [pulled_by(facts, part.nets.get("K", "")) for part in (first[0], last[0])]
        if not any("ARMED" in gate for gate in gates):
            yield "no contact of the button needs the heartbeat"
        if not any(in_series(facts, net) for gate in gates for net in gate):
            yield "no contact of the button has a hold limit"


POSITIVE = ("V+", "VDD", "VS", "VCC", "IN")
NEGATIVE = ("V-", "VSS", "GND")


def supplied_the_right_way(facts: Facts) -> Iterator[str]:
    """Each supply pin is on a supply, each ground pin on ground."""
    for part in facts.parts:
        for _number, pin, kind in part.kind.pins:
            if kind != "PWRIN":
                continue
            net = part.nets.get(pin)
            if pin in POSITIVE and net not in SUPPLIES:
                yield f"{part.tag}: {pin} is on {net}"
            if pin in NEGATIVE and net != GROUND:
                yield f"{part.tag}: {pin} is on {net}"


def decoupled(facts: Facts) -> Iterator[str]:
    """Each part with a supply has 47 nF to 10 uF of its own beside it, from supply to ground."""
    for sheet in dict.fromkeys(part.sheet for part in facts.on_board()):
        for supply in SUPPLIES:
            wants = [
                part
                for part in facts.of_sheet(sheet)
                if part.kind.prefix == "U"
                and any(
                    part.nets.get(pin) == supply for _n, pin, t in part.kind.pins if t == "PWRIN"
                )
            ]
            has = [
                part
                for part in facts.of_sheet(sheet)
                if part.kind.prefix == "C"
                and {supply, GROUND} == set(part.nets.values())
                and 47e-9 <= ohms(part.value) <= 10e-6
            ]
            if len(has) < len(wants):
                yield f"{sheet}: {len(wants)} parts on {supply}, {len(has)} capacitors"
    steady = [net for net in facts.nets() if net.startswith("TH_")] + ["VREF", "RAIL_HALF"]
    for net in [*steady, "LIGHT_REF", "LIGHT_THRESHOLD", "+3V3"]:
        caps = [
            part for part in facts.on(net) if part.kind.prefix == "C" and GROUND in part.others(net)
        ]
        if net.endswith("_TH") or not facts.on(net):
            continue
        if not caps or any(not 47e-9 <= ohms(cap.value) <= 10e-6 for cap in caps):
            yield f"{net} is not held by 47 nF to 10 uF"


def self_test_apart_from_duts(facts: Facts) -> Iterator[str]:
    """The self-test's wire is on the DUT's own connector, so that its plug takes the DUT's place.

    And it is driven through a resistor that a live wire bears.
    """
    homes = [part for part in facts.on("SELFTEST") if part.kind.prefix == "J"]
    if len(homes) != 1:
        yield f"the self-test's wire is on {len(homes)} connectors"
    for net in filter(is_dut, facts.nets()):
        places = [part for part in facts.on(net) if part.kind.prefix == "J"]
        if places != homes:
            yield f"{net} is not on the connector of the self-test's wire, and only there"
    for part in facts.on("SELFTEST"):
        if part.kind.prefix != "J" and not (is_resistor(part) and 680 <= ohms(part.value) <= 2.2e3):
            yield f"{part.tag} is on the self-test's wire; only 680 Ohm to 2.2 kOhm may be"
    if not [part for part in facts.on("SELFTEST") if is_resistor(part)]:
        yield "nothing drives the self-test's wire"


def supplies_protected(facts: Facts) -> Iterator[str]:
    """A supply's terminal has a fuse, a diode in series, bulk capacitance and a clamp."""
    for terminal in facts.parts:
        if terminal.tag.split("/")[1] != "J_SUPPLY":
            continue
        raw = terminal.nets["1"]
        fuses = [part for part in facts.on(raw) if part.kind.prefix == "F"]
        fused = fuses[0].others(raw)[0] if fuses else ""
        diodes = [p for p in facts.on(fused) if p.kind.prefix == "D" and p.nets["A"] == fused]
        rail = diodes[0].nets["K"] if diodes else ""
        bulk = [p for p in facts.on(rail) if p.kind.name == "C_BULK" and p.nets["+"] == rail]
        clamps = [p for p in facts.on(rail) if p.kind.name == "TVS_15V" and p.nets["K"] == rail]
        small = [p for p in facts.on(rail) if p.kind.name == "C_X7R"]
        for what, found in (
            ("fuse", fuses),
            ("diode against a reversed supply", diodes),
            ("bulk capacitor of 47 uF to 470 uF", bulk),
            ("clamp", clamps),
            ("capacitor of 100 nF", small),
        ):
            if not found:
                yield f"{terminal.tag} has no {what}"
        for part in (*bulk, *small):
            most, least = (470e-6, 47e-6) if part in bulk else (1e-6, 47e-9)
            if not least <= ohms(part.value) <= most:
                yield f"{part.tag} is {part.value}"
        for part in facts.parts:
            if part.kind.prefix in "QUL" and {raw, fused} & set(part.nets.values()):
                yield f"{part.tag} is before the fuse or the diode"


def within_usb(facts: Facts) -> Iterator[str]:
    """Pico and front end take no more than 80 % of what the isolator gives."""
    lights = sum(
        (3.4 - LED_V[0]) / ohms(part.value)
        for part in facts.parts
        if is_resistor(part)
        and ohms(part.value)
        and any(
            p.kind.name == "AQY212EH" and p.nets.get("A") in part.nets.values() for p in facts.parts
        )
    )
    chips = sum(
        part.amperes
        for part in facts.parts
        if part.kind.prefix == "U" and "+3V3" in part.nets.values()
    )
    total = PICO_A + lights + chips
    if total > MARGIN * USB_A:
        most = 1e3 * MARGIN * USB_A
        yield f"Pico and front end take {1e3 * total:.0f} mA; {most:.0f} mA is allowed"


def joined_up(facts: Facts) -> Iterator[str]:
    """No net with one pin, no two outputs on one net, no input left open, no reference twice."""
    for net in facts.nets():
        pins = [
            (part, pin) for part in facts.on(net) for pin, own in part.nets.items() if own == net
        ]
        if len(pins) < 2 and net != "+5V":
            yield f"{net} has one pin only, of {pins[0][0].tag}"
        drives = [
            part.tag
            for part, pin in pins
            if any(name == pin and kind == "OUTPUT" for _n, name, kind in part.kind.pins)
        ]
        if len(drives) > 1:
            yield f"{net} is driven by {' and '.join(drives)}"
    for part in facts.parts:
        for _number, pin, kind in part.kind.pins:
            if kind in ("INPUT", "PWRIN") and pin not in part.nets:
                yield f"{part.tag}: {pin} is open"
    refs = [part.ref for part in facts.parts]
    for ref in sorted({ref for ref in refs if refs.count(ref) > 1}):
        yield f"{ref} stands for two parts"


def every_comparison_has_a_way_out(facts: Facts) -> Iterator[str]:
    """A comparator in use compares with a threshold, and its output goes to the MCU or a jumper."""
    for part in facts.of_sheet(COMPARATORS):
        for unit in range(1, 5):
            if part.kind.name != "TLV9034":
                break
            plus, minus = part.nets.get(f"IN{unit}+", ""), part.nets.get(f"IN{unit}-", "")
            out = part.nets.get(f"OUT{unit}")
            inverts = plus.endswith("_TH")
            level = plus if inverts else minus
            signal = minus if inverts else plus
            if plus == GROUND and out is None:
                continue
            if not (level.startswith(("TH_", "LIGHT_TH")) or level.endswith("_TH")):
                yield f"{part.tag}, unit {unit}: compares with {level}"
            if not signal.endswith(("_IN", "_CMP")):
                yield f"{part.tag}, unit {unit}: listens to {signal}"
            feeds = [p for p in facts.on(plus) if is_resistor(p) and out in p.others(plus)]
            if not feeds:
                yield f"{part.tag}, unit {unit}: no hysteresis"


def values_that_are_made(facts: Facts) -> Iterator[str]:
    """Resistors are of the E24 or E96 row, 1 % up to 10 MOhm; capacitors of the E6 row."""
    e24 = {
        10,
        11,
        12,
        13,
        15,
        16,
        18,
        20,
        22,
        24,
        27,
        30,
        33,
        36,
        39,
        43,
        47,
        51,
        56,
        62,
        68,
        75,
        82,
        91,
    }
    e96 = {round(100 * 10 ** (step / 96)) for step in range(96)}
    for part in facts.on_board():
        value = ohms(part.value)
        if part.kind.name.startswith("R_") and value:
            digits = round(value / 10 ** (math.floor(math.log10(value) + 1e-9) - 2))
            if digits not in e96 and not (digits % 10 == 0 and digits // 10 in e24):
                yield f"{part.tag}: nobody makes {part.value} at 1 %"
            if value > 10e6:
                yield f"{part.tag}: {part.value} is not made at 1 %; 10M is the most"


def sampled_as_the_pin_map_says(facts: Facts) -> Iterator[str]:
    """Each pin of the Pico is on the net of the pin map."""
    wanted = {pin.mcu_pin: pin.net for pin in mapped_pins("rpi_pico")} | FIXED
    wanted |= {pin: GROUND for pin in PICO_PINS if pin.startswith("GND")}
    found = {pin: net for part in facts.of_sheet("carrier") for pin, net in part.nets.items()}
    for pin, net in wanted.items():
        if found.get(pin) != net:
            yield f"the Pico's {pin} is on {found.get(pin)}; the pin map says {net}"


def servo_pulses(facts: Facts) -> Iterator[str]:
    """The timer's pulses are 0.9 to 1.7 ms short and 1.6 to 2.4 ms long, 10 to 30 ms apart."""
    parts = {part.tag: part for part in facts.of_sheet("lid_servo")}
    if not parts:
        return
    try:
        short, long, pause = (
            ohms(parts[f"lid_servo/R_{name}"].value) for name in ("SHORT", "LONG", "PAUSE")
        )
        farads = ohms(parts["lid_servo/C_T"].value)
    except KeyError as error:
        yield f"the servo's timer lacks {error}"
        return
    # Charged through the diode from a third to two thirds of 5 V, which its 0.3 V delay.
    charge = math.log((5.0 - 0.3 - 5 / 3) / (5.0 - 0.3 - 10 / 3))
    pulses = (charge * short * farads, charge * (short + long) * farads)
    gap = math.log(2) * pause * farads
    for what, seconds, least, most in (
        ("short pulse", pulses[0], 0.9e-3, 1.7e-3),
        ("long pulse", pulses[1], 1.6e-3, 2.6e-3),
        ("pause", gap, 10e-3, 30e-3),
    ):
        if not least <= seconds <= most:
            allowed = f"{1e3 * least:g} to {1e3 * most:g} is allowed"
            yield f"the servo's {what} is {1e3 * seconds:.2f} ms; {allowed}"


def bus_pulled_up(facts: Facts) -> Iterator[str]:
    """The monitor's bus has 2.2 to 10 kOhm to 3.3 V on each line, the pilot's output too."""
    for net in ("STANDBY_SDA", "STANDBY_SCL", "STANDBY_ALERT", "LID_PILOT"):
        pulls = [p for p in facts.on(net) if is_resistor(p) and "+3V3" in p.others(net)]
        if not any(2.2e3 <= ohms(pull.value) <= 10e3 for pull in pulls):
            yield f"{net} has no pull-up of 2.2 to 10 kOhm"


def read_back(facts: Facts) -> Iterator[str]:
    """The logic channels' threshold gets to the MCU through a resistor that does not load it."""
    found = [
        p
        for p in facts.on("SENSE_LEVEL")
        if is_resistor(p) and "TH_LOGIC" in p.others("SENSE_LEVEL")
    ]
    if not found or not 10e3 <= ohms(found[0].value) <= 220e3:
        yield "the logic channels' threshold cannot be read back"


def probed(facts: Facts) -> Iterator[str]:
    """The acceptance test's nets have test points."""
    have = {net for part in facts.parts if part.kind.prefix == "TP" for net in part.nets.values()}
    for net in PROBED:
        if net not in have:
            yield f"{net} has no test point"


def two_small_contacts(facts: Facts) -> Iterator[str]:
    """Two contacts in series; one lit by the command, one through a capacitor; each 5 to 20 mA."""
    contacts = [part for part in facts.parts if part.kind.name == "AQY212EH"]
    if len(contacts) != 2:
        yield f"{len(contacts)} contacts; 2 in series are needed"
        return
    ends = [set(part.nets.values()) for part in contacts]
    middle = (ends[0] & ends[1]) - {GROUND, *SUPPLIES}
    if len(middle) != 1 or not {"DUT_PWRBTN", "DUT_PWRBTN_GND"} <= ends[0] | ends[1]:
        yield "the contacts are not in series between the button's wire and its ground"
    if any({"DUT_PWRBTN", "DUT_PWRBTN_GND"} <= end for end in ends):
        yield "one contact alone closes the button"
    for part in contacts:
        if "A" not in part.nets or "K" not in part.nets:
            yield f"{part.tag}: its LED is open"
            continue
        lights = [p for p in facts.on(part.nets["A"]) if is_resistor(p)]
        value = ohms(lights[0].value) if lights else 0.0
        drop = 0.85 if part.nets["K"] != GROUND else 0.25
        least, most = (3.2 - LED_V[1] - drop) / (value or 1e9), (3.4 - LED_V[0]) / (value or 1e-9)
        if least < 4e-3 or most > LED_A[1]:
            yield f"{part.tag}: {1e3 * least:.1f} to {1e3 * most:.1f} mA; 4 to 20 mA are allowed"
    darlingtons = [part for part in facts.parts if part.kind.name == "BC517"]
    for part in darlingtons:
        if part.nets.get("E") != GROUND:
            yield f"{part.tag}: its emitter is on {part.nets.get('E')}"
        if not any(in_series(facts, net) for net in reach(facts, part.nets.get("B", ""))):
            yield f"{part.tag} has no hold limit"
    if not darlingtons:
        yield "nothing limits a press"


def reach(facts: Facts, net: str) -> list[str]:
    """Return a net and those one resistor away."""
    more = [o for part in facts.on(net) if is_resistor(part) for o in part.others(net)]
    return [net, *(other for other in more if other not in (GROUND, *SUPPLIES))]


def named_and_rated(facts: Facts) -> Iterator[str]:
    """Every part has a maker, a number, an alternative; on the board a footprint and a rating."""
    for part in facts.parts:
        kind = part.kind
        wanted: list[tuple[str, object]] = [("maker", kind.maker), ("number", kind.number)]
        if kind.pins:
            rating = kind.rated_v or kind.rated_a or kind.rated_w
            wanted += [("alternative", kind.alternatives), ("rating", rating)]
        if part.where == "board":
            wanted.append(("footprint", kind.footprint))
        lacking = [what for what, there in wanted if not there]
        if lacking:
            yield f"{part.tag} has no {', no '.join(lacking)}"


RULES: tuple[Rule, ...] = (
    no_way_to_a_supply,
    series_and_clamp,
    nothing_shorted_moves_a_wire,
    gates_pulled_down,
    within_ratings,
    currents_by_ohm,
    released_by_default,
    armed_by_the_heartbeat,
    two_contacts,
    supplied_the_right_way,
    decoupled,
    self_test_apart_from_duts,
    supplies_protected,
    within_usb,
    joined_up,
    every_comparison_has_a_way_out,
    values_that_are_made,
    sampled_as_the_pin_map_says,
    servo_pulses,
    bus_pulled_up,
    read_back,
    probed,
    windows_kept,
    everything_there,
    sense_channels_whole,
    pins_for_their_purpose,
    named_and_rated,
)


SMALL_RULES: tuple[Rule, ...] = (
    no_way_to_a_supply,
    within_ratings,
    two_small_contacts,
    joined_up,
    windows_kept,
    pins_for_their_purpose,
    named_and_rated,
)
"""For the small start, which has no clamps, no comparators and no dead-man."""


def broken_rules(facts: Facts, rules: tuple[Rule, ...] = RULES) -> list[str]:
    """Return a sentence for each place that breaks a rule, with the rule's name."""
    return [f"{rule.__name__}: {found}" for rule in rules for found in rule(facts)]
