"""A deck's circuit, written from the circuit itself: each part, with its value as a parameter.

Values are never typed into a deck. What a part's model has to assume (offsets, thresholds, times)
is a parameter, too, with its spread beside it here.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from frontend.circuit.facts import COMPARATORS, GROUND, Facts, Placed
from frontend.simulation.spread import Spread, about, between

PICO = 1e-12


def node(net: str) -> str:
    """Return a net's name in a deck."""
    return "0" if net == GROUND else re.sub(r"\W", "p", net.lower())


def name_of(tag: str) -> str:
    """Return the parameter that holds a part's value."""
    return re.sub(r"\W", "_", tag.lower())


def number(value: str) -> float:
    """Return the value that is written on a part.

    Raises:
        ValueError: none is.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([pnumkM]?)", value)
    if found is None:
        raise ValueError(f"{value!r} is no value; a number and one of p n u m k M is allowed")
    scale = {"p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6}
    return float(found[1]) * scale.get(found[2], 1.0)


MODELS: Mapping[str, Mapping[str, Spread]] = {
    # Offset, share of the delay, capacitance of an input, and what an input takes: estimates.
    "TLV9034": {
        "cmpvos": between(-3e-3, 0.0, 3e-3),
        "cmpslow": between(0.7, 1.0, 1.35),
        "cmpcin": between(1 * PICO, 2 * PICO, 4 * PICO),
        "cmpbias": between(-5e-9, 0.0, 5e-9),
    },
    "TVS_5V": {"ctvs": between(2.2 * PICO, 2.9 * PICO, 3.6 * PICO)},
    "BSS138": {"vth": between(0.8, 1.15, 1.5)},
    "AO3422": {"vth55": between(0.7, 1.3, 2.0)},
    "AO3401A": {"vthp": between(0.5, 0.9, 1.3)},
    "AQY212EH": {"on": between(5.0, 10.0, 20.0), "slow": between(0.5, 1.0, 3.0)},
    # Gain-bandwidth and offset of the MCP6024.
    "MCP6024": {"gbw": between(6e6, 10e6, 14e6), "opvos": between(-0.5e-3, 0.0, 0.5e-3)},
    # 0.2 %, and 15 ppm/K over 35 K.
    "REF3125": {"reference": about(2.5, 0.0026)},
    "BPW34": {"cpd": between(55 * PICO, 72 * PICO, 90 * PICO)},
    "TVS_33V": {"vclamp": between(36.7, 38.6, 40.6)},
    "COIL": {"lcoil": about(0.25, 0.2)},
    # No data sheet tells it: a third of what 48 Ohm on such a bobbin were taken for, widely.
    "SOLENOID": {"lcoil": between(0.01, 0.03, 0.06)},
    "BC547": {"npngain": between(110.0, 250.0, 450.0)},
    # Each of the two transistors; the product is the Darlington's.
    "BC517": {"gain": between(100.0, 170.0, 300.0)},
    "OPT101_MODULE": {"bandwidth": about(14e3, 0.3)},
    "INA226": {"inabias": between(5e-6, 10e-6, 15e-6)},
}
"""What the model of a kind assumes, with its spread; the bench may set the nominal value."""
CARDS = """\
.options rshunt=1e12
.model schottky d(is=1e-7 rs=2 n=1.05 cjo=10p)
.model power d(is=1e-6 rs=0.05 n=1.05 cjo=100p)
.model surge d(bv=16.7 ibv=1m rs=0.3 is=1e-12)
.model npn npn(is=1e-14 bf={npngain} cje=10p cjc=4p tf=0.4n tr=50n vaf=60)
.model clamp d(bv={vclamp} ibv=1m rs=1.5 is=1e-12)
"""
DIODES = {
    "BAT54J": "d{n} {A} {K} schottky",
    "BAS416": "d{n} {A} {K} lowleak",
    "1N4148": "d{n} {A} {K} lowleak",
    "TVS_33V": "d{n} {A} {K} clamp",
    "TVS_15V": "d{n} {A} {K} surge",
    "MBRA340": "d{n} {A} {K} power",
    "TVS_5V": "x{n} {K} {A} tvs ct={{ctvs}}",
}
FETS = {
    "BSS138": "fet50 vth={vth}",
    "AO3422": "fet55 vth={vth55}",
    "AO3401A": "pfet vth={vthp}",
}
BIPOLAR = {"BC547": "q{n} {C} {B} {E} npn", "BC517": "x{n} {C} {B} {E} darlington gain={{gain}}"}


@dataclass(frozen=True, slots=True)
class Circuit:
    """Which part of a front end a deck has."""

    variant: str
    sheets: tuple[str, ...]
    jumpers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Pins that a jumper joins, by its tag."""
    known: tuple[str, ...] = ()
    """Sheets whose values the bench has a use for, and whose parts it does not have."""

    def parts(self, facts: Facts) -> list[Placed]:
        """Return the parts, with the comparators whose inputs they have."""
        own = [part for part in facts.parts if part.sheet in self.sheets]
        if not own:
            return []
        return own + [part for part in facts.of_sheet(COMPARATORS) if part.kind.name == "TLV9034"]


def units(part: Placed, live: Iterable[str]) -> list[int]:
    """Return the units of a comparator that listen to a deck's nets; thresholds do not count."""
    nets = {net for net in live if not net.startswith("TH_")} - {GROUND}
    return [
        unit
        for unit in range(1, 5)
        if {part.nets.get(f"IN{unit}+"), part.nets.get(f"IN{unit}-")} & nets
    ]


def comparators(part: Placed, n: int, live: Iterable[str], nodes: Mapping[str, str]) -> list[str]:
    """Return the units of a comparator that belong to a deck."""
    supply, low = nodes.get("V+", "cut"), nodes.get("V-", "cut")
    lines = []
    for unit in units(part, live):
        plus, minus, out = (nodes[pin.format(unit)] for pin in ("IN{}+", "IN{}-", "OUT{}"))
        lines.append(
            f"x{n}_{unit} {plus} {minus} {out} {supply} {low} comparator "
            "vos={cmpvos} slow={cmpslow} cin={cmpcin}"
        )
        lines += [f"ib{n}_{unit} {plus} 0 {{cmpbias}}", f"ic{n}_{unit} {minus} 0 {{cmpbias}}"]
    return lines


def element(
    part: Placed,
    n: int,
    live: Iterable[str],
    jumpers: Mapping[str, tuple[str, str]],
    nodes: Mapping[str, str],
) -> list[str]:
    """Return a part's lines; `nodes` has the node of each of its pins."""
    kind, own = part.kind, f"{{{name_of(part.tag)}}}"
    if kind.name in DIODES:
        return [DIODES[kind.name].format(n=n, **nodes)]
    if kind.prefix in ("R", "C") and len(kind.pins) == 2:
        first, second = (nodes[pin] for _number, pin, _type in kind.pins)
        return [f"{kind.prefix.lower()}{n} {first} {second} {own}"]
    if kind.prefix == "F":
        return [f"r{n} {nodes['1']} {nodes['2']} 0.2"]
    if kind.prefix == "Q":
        return [f"x{n} {nodes['D']} {nodes['G']} {nodes['S']} {FETS[kind.name]}"]
    if kind.prefix == "T":
        return [BIPOLAR[kind.name].format(n=n, **nodes)]
    if kind.prefix == "L":
        return [
            f"vi_{name_of(part.tag)} {nodes['1']} li{n} 0",
            f"l{n} li{n} lr{n} {{lcoil}}",
            f"r{n} lr{n} {nodes['2']} {own}",
        ]
    if kind.prefix == "RV":
        return [
            f"r{n}u {nodes['1']} {nodes['2']} {{{name_of(part.tag)}*(1-trim)+1}}",
            f"r{n}l {nodes['2']} {nodes['3']} {{{name_of(part.tag)}*trim+1}}",
        ]
    if part.tag in jumpers:
        first, second = (nodes[pin] for pin in jumpers[part.tag])
        return [f"r{n} {first} {second} 10m"]
    if kind.name == "TLV9034":
        return comparators(part, n, live, nodes)
    special = SPECIAL.get(kind.name)
    return special(n, nodes) if special else []


def photomos(n: int, nodes: Mapping[str, str]) -> list[str]:
    """Return a photoMOS relay."""
    pins = " ".join(nodes[pin] for pin in ("A", "K", "O1", "O2"))
    return [f"x{n} {pins} photomos on={{on}} slow={{slow}}"]


def amplifiers(n: int, nodes: Mapping[str, str]) -> list[str]:
    """Return three units of the amplifier; the fourth is spare."""
    return [
        f"x{n}{half} {nodes[f'IN{half}+']} {nodes[f'IN{half}-']} {nodes[f'OUT{half}']} "
        f"{nodes['VDD']} {nodes['VSS']} amplifier gbw={{gbw}} vos={{opvos}}"
        for half in "ABC"
    ]


def reference(n: int, nodes: Mapping[str, str]) -> list[str]:
    """Return the reference, which follows its supply where that is too low."""
    supply, low = nodes["IN"], nodes["GND"]
    return [
        f"b{n} r{n} {low} v = min({{reference}}, max(v({supply},{low}), 0))",
        f"r{n} r{n} {nodes['OUT']} 0.5",
    ]


def monitor(n: int, nodes: Mapping[str, str]) -> list[str]:
    """Return the inputs of the current monitor: what they take, and 830 kOhm of its bus input."""
    return [
        f"i{n}p {nodes['IN+']} 0 {{inabias}}",
        f"i{n}n {nodes['IN-']} 0 {{inabias}}",
        f"r{n}b {nodes['VBUS']} 0 830k",
        f"eshunt shunt 0 {nodes['IN+']} {nodes['IN-']} 1",
        f"ebus bus 0 {nodes['VBUS']} 0 1",
    ]


def photodiode(n: int, nodes: Mapping[str, str]) -> list[str]:
    """Return a photodiode in the light of the bench's node `photo`, an ampere for each volt."""
    anode, cathode = nodes["A"], nodes["K"]
    return [f"c{n} {cathode} {anode} {{cpd}}", f"b{n} {cathode} {anode} i = v(photo)"]


def light_module(n: int, nodes: Mapping[str, str]) -> list[str]:
    """Return the light module: a volt for each volt of the bench's node `photo`, one pole."""
    return [
        f"b{n} m{n} {nodes['GND']} v = min(v(photo)+7.5m, max(v({nodes['VCC']})-1.3, 0))",
        f"r{n} m{n} {nodes['OUT']} 1k",
        f"c{n} {nodes['OUT']} {nodes['GND']} {{1/(2*3.14159265*1k*bandwidth)}}",
    ]


SPECIAL: Mapping[str, Callable[[int, Mapping[str, str]], list[str]]] = {
    "OPT101_MODULE": light_module,
    "BPW34": photodiode,
    "AQY212EH": photomos,
    "MCP6024": amplifiers,
    "REF3125": reference,
    "INA226": monitor,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One part, and what is wrong with it: two pins joined, or one pin off."""

    tag: str
    what: str
    pins: tuple[str, ...]


SHORT, OPEN = "1m", "1e12"


def lines_of(facts: Facts, circuit: Circuit, fault: Fault | None = None) -> list[str]:
    """Return the circuit's lines, with one fault if there is one."""
    parts = circuit.parts(facts)
    live = {net for part in parts if part.sheet != COMPARATORS for net in part.nets.values()}
    lines = []
    for n, part in enumerate(parts, 1):
        nodes = {pin: node(net) for pin, net in part.nets.items()}
        nodes |= {pin: f"open{n}_{num}" for num, pin, _type in part.kind.pins if pin not in nodes}
        if fault is not None and fault.tag == part.tag:
            if len(fault.pins) == 1 and part.kind.prefix == "C":
                # With one end loose it does nothing, and ngspice looks for its voltage for minutes.
                continue
            if len(fault.pins) == 1:
                pin = fault.pins[0]
                lines.append(f"rfault {nodes[pin]} cut {OPEN}")
                nodes[pin] = "cut"
            else:
                lines.append(f"rfault {nodes[fault.pins[0]]} {nodes[fault.pins[1]]} {SHORT}")
        lines += element(part, n, live, circuit.jumpers, nodes)
    return lines


def values_of(parts: Sequence[Placed]) -> dict[str, tuple[float, float]]:
    """Return value and tolerance of each part that has a value, by its parameter."""
    found = {}
    for part in parts:
        if part.kind.prefix in ("R", "C", "RV", "L"):
            found[name_of(part.tag)] = number(part.value), part.kind.tolerance
    return found


def spreads_of(facts: Facts, circuit: Circuit) -> dict[str, Spread]:
    """Return the spread of every value and every model in a deck.

    What is known and not built has none: its tolerance is for the bench to count.
    """
    parts = circuit.parts(facts)
    spreads = {name: about(value, share) for name, (value, share) in values_of(parts).items()}
    for part in parts:
        spreads |= MODELS.get(part.kind.name, {})
    known = [part for part in facts.parts if part.sheet in circuit.known]
    return spreads | {name: about(value, 0.0) for name, (value, _share) in values_of(known).items()}
