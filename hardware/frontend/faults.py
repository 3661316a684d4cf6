"""Fault tree of button and finger: each part open or short, and what the DUT's button does.

The deck is written from the circuit itself, not by hand. One run goes through idle, a press, its
end, and the heartbeat's end; another leaves the command on when the heart stops; a third leaves
both on for ever, with the hold limit's capacitor a thousandth, so that a second takes 1 ms.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from frontend.circuit.catalogue import Kind
from frontend.circuit.facts import GROUND, Facts, Placed
from frontend.rules import ohms
from frontend.simulation.ngspice import Measures, run_text

WIRED, FINGER = "wired button", "finger"
SHEETS = {
    WIRED: ("power_button", "dead_man", "BUTTON"),
    FINGER: ("finger", "dead_man"),
}
"""The functions of each way to press; the finger's tip and its comparator drive nothing."""
UNDRIVEN = ("finger/J_TIP", "finger/R_PU", "finger/R_IN", "finger/R_FEEDBACK", "finger/J_COIL")
SHORT, OPEN = "1m", "1e12"
PRESSED_V = 0.8
"""Highest voltage that TTL takes for low: a press has to go below it."""
RELEASED_V = 1.65
"""Half of 3.3 V: an input of any kind takes what is above it for released."""
PULL_UPS_OHM = (10e3, 100e3)
AROUND = {
    WIRED: (
        "vpull pull 0 3.3",
        "rpull pull dut_pwrbtn {pull_up_ohm:g}",
        "cboard dut_pwrbtn 0 10n",
        "rground dut_pwrbtn_gnd 0 1m",
        "routput sense_button 0 1k",
    ),
    # A solenoid of 24 Ohm and 20 mH; a fifth of its current is taken for a press.
    FINGER: (
        "vcoil +12v 0 12",
        "lcoil +12v lcoil 20m",
        "rcoil lcoil sensed 24",
        "vsensed sensed finger_low 0",
        "bkey dut_pwrbtn 0 v = 1.65*(1-tanh((i(vsensed)-0.1)/0.002))",
        "rkey dut_pwrbtn 0 {pull_up_ohm:g}",
    ),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One part, and what is wrong with it: two pins joined, or one pin off."""

    tag: str
    what: str
    pins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Effect:
    """What the button does under a fault; voltages at the DUT's header, lowest of all pull-ups."""

    fault: Fault | None
    idle_v: float
    press_v: float
    released_v: float
    disarmed_v: float
    hung_v: float
    limited_v: float

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
    def hold_limit(self) -> bool:
        """Whether a press ends though command and heart go on."""
        return self.limited_v >= RELEASED_V


@dataclass(frozen=True, slots=True)
class Story:
    """What the MCU does, in milliseconds, and when the header is looked at."""

    released_ms: float
    silent_ms: float
    end_ms: float
    looks: Mapping[str, float]
    hold: str = "10u"


STORIES = (
    Story(8, 15, 32, {"idle": 1.9, "press": 7.5, "released": 14.5, "disarmed": 31}),
    Story(1e3, 12, 32, {"hung": 31}),
    Story(1e3, 1e3, 65, {"limited": 64}, hold="10n"),
)


def faults_of(part: Placed) -> Iterator[Fault]:
    """Yield every single fault of a part."""
    pins = [pin for pin in part.nets if not pin.startswith("NC")]
    if part.kind.name == "AQY212EH":
        joined: Sequence[tuple[str, str]] = (("A", "K"), ("O1", "O2"))
    elif part.kind.prefix == "Q":
        joined = (("D", "S"), ("G", "S"), ("G", "D"))
    else:
        joined = ((pins[0], pins[1]),)
    for pair in joined:
        yield Fault(part.tag, f"short {pair[0]} to {pair[1]}" if len(pins) > 2 else "short", pair)
    for pin in pins if len(pins) > 2 else pins[:1]:
        yield Fault(part.tag, f"open {pin}" if len(pins) > 2 else "open", (pin,))


FETS = {"BSS138": "fet50", "AO3422": "fet55"}


def parts_of(facts: Facts, way: str) -> list[Placed]:
    """Return the parts that a way to press is made of."""
    return [part for part in facts.parts if part.sheet in SHEETS[way] and part.tag not in UNDRIVEN]


DIODES = {
    "BAT54": "d{number} {A} {K} schottky",
    "BAS116": "d{number} {A} {K} lowleak",
    "TVS_33V": "d{number} {A} {K} clamp",
    "TVS_5V": "x{number} {K} {A} tvs",
}


def element(part: Placed, number: int, nodes: Mapping[str, str]) -> str:
    """Return the SPICE line of a part whose pins are on `nodes`."""
    kind: Kind = part.kind
    if kind.prefix == "D":
        return DIODES[kind.name].format(number=number, **nodes)
    if kind.prefix == "R":
        return f"r{number} {nodes['1']} {nodes['2']} {ohms(part.value):g}"
    if kind.prefix == "C":
        value = "{hold}" if part.value == "10u" else part.value
        return f"c{number} {nodes['1']} {nodes['2']} {value}"
    if kind.name == "AQY212EH":
        return f"x{number} {nodes['A']} {nodes['K']} {nodes['O1']} {nodes['O2']} photomos"
    return f"x{number} {nodes['D']} {nodes['G']} {nodes['S']} {FETS[kind.name]}"


def deck_of(
    parts: Sequence[Placed], way: str, fault: Fault | None, story: Story, pull_up_ohm: float
) -> str:
    """Return the deck of a fault (None: all parts are sound) under a story."""
    lines = ["* fault of the power button", ".include models.inc", f".param hold={story.hold}"]
    for number, part in enumerate(parts):
        nodes = {pin: spice_net(net) for pin, net in part.nets.items()}
        if fault is not None and fault.tag == part.tag:
            if len(fault.pins) == 1:
                pin = fault.pins[0]
                lines.append(f"rfault {nodes[pin]} cut {OPEN}")
                nodes[pin] = "cut"
            else:
                lines.append(f"rfault {nodes[fault.pins[0]]} {nodes[fault.pins[1]]} {SHORT}")
        lines.append(element(part, number, nodes))
    lines += [
        ".model schottky d(is=1e-7 rs=2 n=1.05 cjo=10p)",
        "vcc +3v3 0 3.3",
        f"vdrive drive_button 0 pulse(0 3.3 2m 1u 1u {story.released_ms - 2}m 1000)",
        "vbeat beat 0 pulse(0 3.3 0 1u 1u 200u 400u)",
        f"vgate alive 0 pwl(0 1 {story.silent_ms}m 1 {story.silent_ms + 0.01}m 0)",
        "bheart heartbeat 0 v = v(beat)*v(alive)+3.3*(1-v(alive))",
        ".model clamp d(bv=38.6 ibv=1m rs=1.5 is=1e-12)",
        *(line.format(pull_up_ohm=pull_up_ohm) for line in AROUND[way]),
        ".options method=gear reltol=1e-3 rshunt=1e12",
        f".tran 50u {story.end_ms}m 0 50u",
        *(
            f".meas tran {name} find v(dut_pwrbtn) at={at_ms}m"
            for name, at_ms in story.looks.items()
        ),
        ".end",
    ]
    return "\n".join(lines) + "\n"


def spice_net(net: str) -> str:
    """Return a net's name in the deck."""
    return "0" if net == GROUND else net.lower()


def effect_of(
    ngspice: str, facts: Facts, fault: Fault | None, way: str = WIRED
) -> tuple[Effect | None, str]:
    """Return what a fault does, or None and why no run told it."""
    lowest: dict[str, float] = {}
    for story in STORIES:
        for pull_up_ohm in PULL_UPS_OHM:
            text = deck_of(parts_of(facts, way), way, fault, story, pull_up_ohm)
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
        lowest["limited"],
    )
    return effect, ""
