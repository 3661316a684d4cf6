"""Rules of our own beside SKiDL's: what keeps a DUT unharmed, and what a builder needs to know."""

from collections.abc import Callable, Iterator

from frontend.circuit.facts import GROUND, SUPPLIES, Facts, Placed

MARGIN = 0.8
"""A part bears no more than this share of its rating."""
CONNECTORS = ("J", "A", "M")
GATES = ("BSS138", "AO3422")
WORKING = ("TVS_5V", "SERVO")
"""Kinds whose rating is what they work at, not what they break at."""

Rule = Callable[[Facts], Iterator[str]]


def is_dut(net: str) -> bool:
    """Whether a net is a DUT's wire; its grounds and its supply's two ends are none to sense."""
    return net.startswith("DUT_") and net not in ("DUT_PWRBTN_GND", "DUT_5VSB_SUPPLY")


def is_resistor(part: Placed) -> bool:
    """Whether a part is a resistor of the catalogue."""
    return part.kind.prefix == "R" and part.kind.name != "SHUNT_20m"


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
        if is_resistor(part) or part.kind.name == "SHUNT_20m"
        for other in part.others(net)
        if other != GROUND and not other.startswith("DUT_")
    ]


def series_and_clamp(facts: Facts) -> Iterator[str]:
    """Each DUT wire goes through a resistor to a node with a TVS diode to ground."""
    for net in filter(is_dut, facts.nets()):
        nodes = behind(facts, net)
        if not nodes:
            yield f"{net} has no series resistor"
        for node in nodes:
            if not clamped(facts, node):
                yield f"{node} behind {net} has no TVS diode to ground"
        for part in facts.on(net):
            allowed = is_resistor(part) or part.kind.prefix in CONNECTORS
            if not allowed and part.kind.name not in ("AQY212EH", "SHUNT_20m"):
                yield f"{part.tag} is on {net} itself, before any series resistor"


def clamped(facts: Facts, node: str) -> bool:
    """Whether a TVS diode, or two in series, lead from a node to ground."""
    reached, clamps = {node}, [part for part in facts.parts if part.kind.name == "TVS_5V"]
    for _in_series in range(2):
        reached |= {part.nets["A"] for part in clamps if part.nets["K"] in reached}
    return GROUND in reached


def gates_pulled_down(facts: Facts) -> Iterator[str]:
    """Each gate, and each servo's signal, has a resistor to ground."""
    controls = [
        (part, part.nets[pin])
        for part in facts.parts
        for pin in ("G", "SIGNAL")
        if pin in part.nets and part.kind.name in (*GATES, "SERVO")
    ]
    for part, net in controls:
        if not any(is_resistor(p) and GROUND in p.others(net) for p in facts.on(net)):
            yield f"{part.tag}: nothing pulls {net} down"
        for holder in facts.on(net):
            if is_resistor(holder) and set(holder.others(net)) & set(SUPPLIES):
                yield f"{part.tag}: {holder.tag} pulls {net} up"


def within_ratings(facts: Facts) -> Iterator[str]:
    """Each part bears at most 80 % of its voltage and current rating."""
    for part in facts.parts:
        for what, found, rated in (
            ("V", part.volts, part.kind.rated_v),
            ("A", part.amperes, part.kind.rated_a),
        ):
            most = rated if part.kind.name in WORKING else MARGIN * rated
            if found > most and rated:
                yield f"{part.tag} bears {found:g} {what}; {most:g} {what} is allowed"
        if is_resistor(part) and part.volts:
            watts = part.volts**2 / ohms(part.value)
            if part.amperes:
                watts = min(watts, part.amperes**2 * ohms(part.value))
            most = MARGIN * part.kind.rated_w
            if watts > most:
                yield f"{part.tag} heats up by {watts:.3g} W; {most:g} W is allowed"


def ohms(value: str) -> float:
    """Return the value that is written on a resistor."""
    scale = {"k": 1e3, "M": 1e6, "m": 1e-3}.get(value[-1], 1.0)
    return float(value.rstrip("kMm")) * scale


def released_by_default(facts: Facts) -> Iterator[str]:
    """What moves something at the DUT goes through a FET, or a pulled-down signal, from the MCU.

    With the MCU in reset, unpowered or absent all its nets float. Then every gate is low (another
    rule), so every LED and coil whose other end is a FET's drain is without current.
    """
    drains = {part.nets["D"] for part in facts.parts if part.kind.name in GATES}
    for part in facts.parts:
        low = {"AQY212EH": "K"}.get(part.kind.name)
        if low is not None and part.nets.get(low) not in drains:
            yield f"{part.tag} is lit without a FET: its cathode is on {part.nets.get(low)}"
        if part.kind.prefix == "J" and "+12V" in part.nets.values() and part.value == "COIL":
            for net in part.others("+12V"):
                if net not in drains:
                    yield f"{part.tag} is driven without a FET"


def armed_by_the_heartbeat(facts: Facts) -> Iterator[str]:
    """A FET that switches something on needs the heartbeat, or goes off by itself.

    Either a FET in series below it is on the dead-man's net, or a capacitor is in series with a
    gate of that chain.
    """
    fets = [part for part in facts.parts if part.kind.name in GATES]
    for part in fets:
        chain = [part]
        while below := [fet for fet in fets if fet.nets["D"] == chain[-1].nets["S"]]:
            chain.append(below[0])
        gates = [fet.nets["G"] for fet in chain]
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
    """The button's wire and its ground are never one contact apart."""
    for part in facts.parts:
        joins = {"DUT_PWRBTN", "DUT_PWRBTN_GND"} <= set(part.nets.values())
        if joins and part.kind.prefix != "J":
            yield f"{part.tag} alone closes the button: its short presses for ever"


def nothing_alone_presses(facts: Facts) -> Iterator[str]:
    """No single part lies between the button's wire and ground, nor between a coil and ground."""
    coils = {
        net
        for part in facts.parts
        if part.value == "COIL"
        for net in part.nets.values()
        if net not in SUPPLIES
    }
    for net in sorted(coils | {"DUT_PWRBTN"}):
        for part in facts.on(net):
            if part.kind.prefix in ("R", "D", "C", "Q") and GROUND in part.others(net):
                yield f"{part.tag} alone, shorted, drives {net} for ever"


def named_and_rated(facts: Facts) -> Iterator[str]:
    """Every part has a maker, a number, a footprint, an alternative and a rating."""
    for part in facts.parts:
        kind = part.kind
        lacking = [
            what
            for what, there in (
                ("maker", kind.maker),
                ("number", kind.number),
                ("footprint", kind.footprint),
                ("alternative", kind.alternatives),
                ("rating", kind.rated_v or kind.rated_a or kind.rated_w),
            )
            if not there
        ]
        if lacking:
            yield f"{part.tag} has no {', no '.join(lacking)}"


RULES: tuple[Rule, ...] = (
    no_way_to_a_supply,
    series_and_clamp,
    gates_pulled_down,
    within_ratings,
    released_by_default,
    armed_by_the_heartbeat,
    two_contacts,
    nothing_alone_presses,
    named_and_rated,
)


def broken_rules(facts: Facts) -> list[str]:
    """Return a sentence for each place that breaks a rule, with the rule's name."""
    return [f"{rule.__name__}: {found}" for rule in RULES for found in rule(facts)]
