"""What one fault does: to every wire of a DUT, to its button, to a coil.

The decks are written from the circuit itself. A fault is a part that is open or short, a wire at
the wrong place, or a supply that is reversed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from frontend.circuit.facts import COMPARATORS, Facts, Placed
from frontend.simulation.elements import (
    CARDS,
    MODELS,
    Circuit,
    Fault,
    lines_of,
    name_of,
    node,
    values_of,
)
from frontend.simulation.ngspice import Measures, run_text
from frontend.simulation.protection import SENSES
from frontend.simulation.sense import CHOSEN, SUPPORT

WIRED, FINGER, LID, WIRES = "wired button", "finger", "lid's magnet", "DUT's wires"


@dataclass(frozen=True, slots=True)
class Way:
    """One thing that must not move by itself: its circuit, and what is around it."""

    variant: str
    sheets: tuple[str, ...]
    around: tuple[str, ...]
    pull_ups_ohm: tuple[float, ...]
    drive: str
    hold: str = ""
    """Parameter of the hold limit's capacitor; none where there is no hold limit."""


COIL_KEY = (
    "vs p12v_in 0 12",
    # 30 % of the current is taken for a press, or for a lid that is closed.
    "bkey dut_pwrbtn 0 v = 1.65*(1-tanh((abs(i({coil}))-0.075)/0.002))",
    "rkey dut_pwrbtn 0 {pull_up_ohm:g}",
)
WAYS: Mapping[str, Way] = {
    WIRED: Way(
        "pico-wired",
        ("power_button", "dead_man", "BUTTON", *SUPPORT),
        (
            "vpull pull 0 3.3",
            "rpull pull dut_pwrbtn {pull_up_ohm:g}",
            "cboard dut_pwrbtn 0 10n",
            "rground dut_pwrbtn_gnd 0 1m",
        ),
        (10e3, 100e3),
        "drive_button",
        "power_button_c_hold",
    ),
    FINGER: Way(
        "pico-no-access",
        ("finger", "dead_man", "supply_12v"),
        tuple(line.replace("{coil}", "vi_finger_l1") for line in COIL_KEY),
        (10e3,),
        "drive_button",
        "finger_c_hold",
    ),
    LID: Way(
        "pico-wired",
        ("lid_magnet", "dead_man", "supply_12v"),
        tuple(line.replace("{coil}", "vi_lid_magnet_l1") for line in COIL_KEY),
        (10e3,),
        "drive_lid",
    ),
}
UNDRIVEN = ("finger/J_TIP", "finger/R_PU", "finger/R_INPUT", "finger/R_FEEDBACK", "finger/S1")
PRESSED_V = 0.8
"""Highest voltage that TTL takes for low: a press has to go below it."""
RELEASED_V = 1.65
"""Half of 3.3 V: an input of any kind takes what is above it for released."""
MISWIRES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "coil's upper wire at ground": (("high", "0"),),
    "coil's lower wire at ground": (("low", "0"),),
    "coil's upper wire at +12 V": (("high", "p12v_in"),),
    "coil's lower wire at +12 V": (("low", "p12v_in"),),
    "coil's wires joined": (("high", "low"),),
}
REVERSED = "12 V reversed"


@dataclass(frozen=True, slots=True)
class Effect:
    """What the button does under a fault; voltages at the DUT's header, lowest of all pull-ups."""

    fault: Fault | None
    idle_v: float
    press_v: float
    released_v: float
    disarmed_v: float
    hung_v: float
    limited_v: float | None

    @property
    def presses_by_itself(self) -> bool:
        """Whether the button is down though nothing is driven."""
        return min(self.idle_v, self.released_v, self.disarmed_v) < RELEASED_V

    @property
    def presses(self) -> bool:
        """Whether a command still presses."""
        return self.press_v < PRESSED_V

    @property
    def dead_man(self) -> bool:
        """Whether a press ends when the heart stops."""
        return self.hung_v >= RELEASED_V

    @property
    def hold_limit(self) -> bool | None:
        """Whether a press ends though command and heart go on; None where nothing is to end it."""
        return None if self.limited_v is None else self.limited_v >= RELEASED_V


@dataclass(frozen=True, slots=True)
class Story:
    """What the MCU does, in milliseconds, and when the header is looked at."""

    released_ms: float
    silent_ms: float
    end_ms: float
    looks: Mapping[str, float]
    quick_hold: bool = False


STORIES = (
    Story(8, 15, 34, {"idle": 1.9, "press": 7.5, "released": 14.5, "disarmed": 33}),
    Story(1e3, 12, 34, {"hung": 33}),
)
LIMIT_STORY = Story(1e3, 1e3, 65, {"limited": 64}, quick_hold=True)
"""With the hold limit's capacitor a hundredth, so that two seconds take 20 ms."""


def faults_of(part: Placed) -> Iterator[Fault]:
    """Yield every single fault of a part: pins joined, a pin off."""
    pins = list(part.nets)
    if part.kind.name == "AQY212EH":
        joined: Sequence[tuple[str, str]] = (("A", "K"), ("O1", "O2"))
    elif part.kind.prefix == "Q":
        joined = (("D", "S"), ("G", "S"), ("G", "D"))
    elif part.kind.name == "TLV9034":
        joined = [
            (f"IN{unit}{sign}", other)
            for unit in range(1, 5)
            for sign in "+-"
            for other in ("V+", "V-", f"OUT{unit}")
        ]
    else:
        joined = ((pins[0], pins[1]),)
    for pair in joined:
        yield Fault(part.tag, f"short {pair[0]} to {pair[1]}" if len(pins) > 2 else "short", pair)
    if part.kind.name == "TLV9034":
        return
    for pin in pins if len(pins) > 2 else pins[:1]:
        yield Fault(part.tag, f"open {pin}" if len(pins) > 2 else "open", (pin,))


def parts_of(facts: Facts, way: str) -> list[Placed]:
    """Return the parts whose faults are looked at."""
    return [
        part
        for part in facts.parts
        if part.sheet in WAYS[way].sheets
        and part.sheet not in SUPPORT
        and part.kind.prefix not in ("J", "TP")
        and part.tag not in UNDRIVEN
    ]


def miswires_of(way: str) -> list[Fault]:
    """Return the wires at a wrong place that a coil can have, and its supply reversed."""
    if way == WIRED:
        return []
    return [Fault("cable", what, ()) for what in (*MISWIRES, REVERSED)]


def head(facts: Facts, circuit: Circuit, extra: Mapping[str, float]) -> list[str]:
    """Return the parameters of a deck."""
    parts = circuit.parts(facts)
    given = {name: value for name, (value, _share) in values_of(parts).items()}
    for part in parts:
        given |= {name: s.nominal for name, s in MODELS.get(part.kind.name, {}).items()}
    given |= {"vclamp": 38.6, "npngain": 250.0, **extra}
    return [
        "* one fault",
        ".include models.inc",
        *(f".param {name}={value:.9g}" for name, value in sorted(given.items())),
        *CARDS.splitlines(),
    ]


def miswired(fault: Fault | None, prefix: str) -> list[str]:
    """Return the lines of a wire at a wrong place."""
    if fault is None or fault.what not in MISWIRES:
        return []
    return [
        "rwrong "
        + " ".join(f"{prefix}_{end}" if end in ("high", "low") else end for end in pair)
        + " 10m"
        for pair in MISWIRES[fault.what]
    ]


def deck_of(facts: Facts, way: str, fault: Fault | None, story: Story, pull_up_ohm: float) -> str:
    """Return the deck of a fault (None: all parts are sound) under a story."""
    one = WAYS[way]
    circuit = Circuit(one.variant, one.sheets)
    extra = {}
    if story.quick_hold:
        value, _share = values_of(circuit.parts(facts))[one.hold]
        extra[one.hold] = value / 100
    around = [line.format(pull_up_ohm=pull_up_ohm) for line in one.around]
    if fault is not None and fault.what == REVERSED:
        around = [line.replace("vs p12v_in 0 12", "vs p12v_in 0 -12") for line in around]
    lines = [
        *head(facts, circuit, extra),
        *lines_of(facts, circuit, fault),
        *miswired(fault, "finger" if way == FINGER else "lid"),
        "vcc p3v3 0 3.3",
        f"vdrive {one.drive} 0 pulse(0 3.3 2m 1u 1u {story.released_ms - 2}m 1000)",
        "vbeat beat 0 pulse(0 3.3 0 1u 1u 200u 400u)",
        f"vgate alive 0 pwl(0 1 {story.silent_ms}m 1 {story.silent_ms + 0.01}m 0)",
        "bheart heartbeat 0 v = v(beat)*v(alive)+3.3*(1-v(alive))",
        *around,
        ".options method=gear reltol=1e-3",
        f".tran 50u {story.end_ms}m 0 50u",
        *(
            f".meas tran {name} find v(dut_pwrbtn) at={at_ms}m"
            for name, at_ms in story.looks.items()
        ),
        ".end",
    ]
    return "\n".join(lines) + "\n"


def effect_of(
    ngspice: str, facts: Facts, fault: Fault | None, way: str = WIRED
) -> tuple[Effect | None, str]:
    """Return what a fault does, or None and why no run told it."""
    lowest: dict[str, float] = {}
    one = WAYS[way]
    for story in (*STORIES, *([LIMIT_STORY] if one.hold else [])):
        for pull_up_ohm in one.pull_ups_ohm:
            text = deck_of(facts, way, fault, story, pull_up_ohm)
            found: Measures = run_text(ngspice, text, tuple(story.looks))
            if found.failure is not None:
                return None, found.failure
            for name, volts in found.values.items():
                # A press has to be one with every pull-up, a release too.
                worse = max if name == "press" else min
                lowest[name] = worse(lowest.get(name, volts), volts)
    effect = Effect(
        fault,
        lowest["idle"],
        lowest["press"],
        lowest["released"],
        lowest["disarmed"],
        lowest["hung"],
        lowest.get("limited"),
    )
    return effect, ""


@dataclass(frozen=True, slots=True)
class Wire:
    """A wire of the DUT: its high level, and how weakly the DUT may hold it high or low."""

    net: str
    level_v: float
    high_ohm: float
    low_ohm: float
    above_v: float
    """What is read as high is above this."""
    below_v: float


# Logic takes less than 35 % for low and more than 65 % for high; ATX's signals are TTL's.
# PWR_OK may hang on 47 kOhm, a button on 100 kOhm; what is driven low is held by 10 kOhm or less.
DUT_WIRES = (
    Wire("DUT_PWR_OK", 5.0, 47e3, 10e3, 2.4, 0.8),
    Wire("DUT_PS_ON", 5.0, 47e3, 10e3, 2.0, 0.8),
    *(Wire(f"DUT_SLP_S{n}", 1.8, 47e3, 10e3, 0.65 * 1.8, 0.35 * 1.8) for n in (3, 4, 5)),
    Wire("DUT_PLTRST", 1.8, 47e3, 10e3, 0.65 * 1.8, 0.35 * 1.8),
    Wire("DUT_PWRBTN", 3.3, 100e3, 1e3, RELEASED_V, 0.8),
    Wire("DUT_RAIL", 1.8, 1e3, 1e3, 0.9 * 1.8, 0.2),
    Wire("DUT_5VSB", 5.0, 1e6, 1e6, 4.75, 5.5),
)
WIRES_CIRCUIT = Circuit(
    "pico-wired",
    (*SENSES, "choices", "power_button", "self_test", "standby_current", *SUPPORT),
    {**CHOSEN, "level/JP_LEVEL": ("1", "2")},
)


def wire_faults(facts: Facts) -> list[Fault]:
    """Return every single fault of what DUT wires meet."""
    parts = [
        part
        for part in facts.parts
        if (part.sheet in WIRES_CIRCUIT.sheets and part.kind.prefix not in ("J", "TP", "U"))
        or (part.sheet == COMPARATORS and part.kind.name == "TLV9034")
    ]
    return [fault for part in parts for fault in faults_of(part)]


def wires_deck(facts: Facts, fault: Fault | None, high: bool) -> str:
    """Return the deck of all wires at once, each held as weakly as it may be."""
    lines = [*head(facts, WIRES_CIRCUIT, {}), *lines_of(facts, WIRES_CIRCUIT, fault)]
    for wire in DUT_WIRES:
        pin = node(wire.net)
        if wire.net == "DUT_5VSB":
            lines += ["vstandby dut_5vsb_supply 0 5", f"r_{pin} {pin} 0 10"]
            continue
        ohm, level = (wire.high_ohm, wire.level_v) if high else (wire.low_ohm, 0.0)
        lines += [f"v_{pin} s_{pin} 0 {level}", f"r_{pin} s_{pin} {pin} {ohm:g}"]
    lines += [
        "vcc p3v3 0 3.3",
        "vdrive drive_button 0 0",
        "varmed armed 0 2.5",
        "rground dut_pwrbtn_gnd 0 1m",
        "rled dut_pled 0 1k",
        "rledm dut_pled_minus 0 1k",
        ".tran 100u 20m 0 1m",
        *(f".meas tran {node(w.net)} find v({node(w.net)}) at=20m" for w in DUT_WIRES),
        ".end",
    ]
    return "\n".join(lines) + "\n"


def moved_wires(ngspice: str, facts: Facts, fault: Fault | None) -> tuple[list[str], str]:
    """Return a sentence for each wire that a fault moves, or why none is known."""
    moved = []
    for high in (True, False):
        names = tuple(node(wire.net) for wire in DUT_WIRES)
        found = run_text(ngspice, wires_deck(facts, fault, high), names)
        if found.failure is not None:
            return [], found.failure
        for wire in DUT_WIRES:
            volts = found.values[node(wire.net)]
            if wire.net == "DUT_5VSB":
                wrong = not wire.above_v <= volts <= wire.below_v
            else:
                wrong = volts < wire.above_v if high else volts > wire.below_v
            if wrong:
                state = "high" if high else "low"
                moved.append(f"{wire.net} is to be {state} and is at {volts:.2f} V")
    return moved, ""


def coil_name(way: str) -> str:
    """Return the parameter of a way's coil."""
    return name_of("finger/L1" if way == FINGER else "lid_magnet/L1")
