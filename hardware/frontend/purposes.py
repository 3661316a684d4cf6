"""What a value is for, and what it may be for that: rules that nominal simulation misses.

By a part's name in its function. A window is where the purpose is met, not the value itself: half a
decade to each side, or what the reason says.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from frontend.circuit.facts import GROUND, Facts, Placed
from frontend.simulation.elements import number

WINDOWS: tuple[tuple[str, float, float, str], ...] = (
    ("level/R_RAIL*", 47e3, 220e3, "halves the DUT's rail and loads it with 20 uA or so"),
    ("level/R_*", 47e3, 1e6, "leads to a threshold that takes no current"),
    ("*/R_*BLEED", 2.2e6, 10e6, "an open wire reads 0; 2 % of the threshold"),
    ("PWR_OK/R_SERIES", 2.2e3, 8.2e3, "24 V for good on one side, speed on the other"),
    ("SLP_S?/R_SERIES", 2.2e3, 8.2e3, "the same"),
    ("P*/R_SERIES", 2.2e3, 8.2e3, "the same"),
    ("LED*/R_SERIES", 2.2e3, 8.2e3, "the same"),
    ("BUTTON/R_SERIES", 2.2e3, 8.2e3, "the same"),
    ("lid_pilot/R_SERIES", 220.0, 4.7e3, "keeps a hot plug from the Pico's pin"),
    ("*/C_*FAST", 33e-12, 68e-12, "many times a comparator's input, no load for the wire"),
    ("*/R_IN", 47e3, 220e3, "no fault behind it moves a wire held by 47 kOhm"),
    ("PWR_OK/R_*_IN", 47e3, 220e3, "the same"),
    ("LED_MINUS/R_LOAD?", 4.7e3, 22e3, "loads PLED- as an LED does, and does not light one"),
    ("*/R_TH", 4.7e3, 22e3, "a sixtieth of the feedback: the hysteresis"),
    ("choices/R_*", 47e3, 220e3, "a channel without its jumper reads 0"),
    ("carrier/C_3V3", 0.47e-6, 4.7e-6, "bulk beside the Pico"),
    ("standby_current/C1", 47e-9, 220e-9, "decoupling"),
    ("standby_current/C_*", 47e-9, 220e-9, "swallows a discharge; a filter of 50 us"),
    ("supply_*/C_SUPPLY", 47e-9, 220e-9, "beside the bulk capacitor"),
    ("*/C_SECOND", 470e-12, 2.2e-9, "filter of 1 us at the converter"),
    ("*/C_FIRST", 470e-12, 2.2e-9, "filter of 1 us at the converter"),
    ("photodiode/C_GAIN", 22e-12, 100e-12, "1 us with the gain's resistor"),
    ("photodiode/C_F", 15e-12, 33e-12, "stable with 200 pF of diode and cable, and 3 us"),
    ("photodiode/R_TRIM_U", 4.7e3, 22e3, "the trimmer's range is that of the light"),
    ("photodiode/R_CMP", 4.7e3, 22e3, "a two-hundredth of the feedback: the hysteresis"),
    ("photodiode/RV1", 4.7e3, 22e3, "the trimmer's range is that of the light"),
    ("*/C_SUPPLY", 47e-9, 220e-9, "decoupling: larger ones of this size are slower"),
    ("thresholds/*C*", 47e-9, 220e-9, "holds a threshold, and is charged in a millisecond"),
    ("photodiode/C_*", 47e-9, 220e-9, "the same"),
    ("level/C_*", 47e-9, 220e-9, "the same"),
    ("comparators/U?_C", 47e-9, 220e-9, "decoupling"),
    ("lid_pilot/C1", 47e-9, 220e-9, "decoupling"),
    ("lid_servo/C_U1", 47e-9, 220e-9, "decoupling"),
    ("*/R_PD*", 47e3, 220e3, "a gate is at rest within a millisecond, and no load for the MCU"),
    ("*/R_SIGNAL_PD", 47e3, 220e3, "the same"),
    ("*/R_SIGNAL", 470.0, 4.7e3, "keeps a servo's fault from the timer"),
    ("*/R_HOLD_IN", 470.0, 2.2e3, "the MCU's pin charges a capacitor through it"),
    ("*/C_HOLD", 1.5e-6, 3.3e-6, "the hold limit"),
    ("*/C_LONG", 15e-6, 33e-6, "the hold limit with its jumper"),
    ("small_start/R_HOLD", 1e6, 2.2e6, "the hold limit"),
    ("*/R_HOLD", 0.68e6, 1.5e6, "the hold limit"),
    ("finger/R_PU", 4.7e3, 22e3, "a clean contact, and a milliampere at most"),
    ("finger/R_INPUT", 4.7e3, 22e3, "a two-hundredth of the feedback: the hysteresis"),
    ("finger/R_FEEDBACK", 1e6, 4.7e6, "the hysteresis"),
    ("dead_man/R_PUMP", 150.0, 470.0, "15 mA from the MCU's pin at most"),
    ("small_start/R_BASE", 0.47e6, 2.2e6, "a microampere for the Darlington"),
    ("small_start/R_*_UP", 4.7e3, 22e3, "the transistor's collector"),
    ("small_start/R_BUTTON", 220e3, 1e6, "microamperes from a wire of the DUT"),
    ("small_start/R_LED", 220e3, 1e6, "microamperes from a wire of the DUT"),
)  # fmt: skip
"""The first that fits counts."""
PAIRED = {"DRV5023": "PILOT", "COIL": "COIL", "SOLENOID": "COIL", "SERVO": "SERVO",
          "BPW34": "HOOD", "TIP_CONTACT": "TIP"}  # fmt: skip
"""What hangs on a cable, and the name of its connector."""


def windows_kept(facts: Facts) -> Iterator[str]:
    """Each value is where its purpose wants it."""
    for part in facts.parts:
        for pattern, least, most, why in WINDOWS:
            if fnmatchcase(part.tag, pattern) and part.kind.prefix in ("R", "C", "RV"):
                try:
                    value = number(part.value)
                except ValueError as error:
                    yield f"{part.tag}: {error}"
                    break
                if not 0.999 * least <= value <= 1.001 * most:
                    yield f"{part.tag} is {part.value}; {least:g} to {most:g} is allowed ({why})"
                break


def everything_there(facts: Facts) -> Iterator[str]:
    """What hangs on a cable has its connector, and each connector what hangs on it."""
    for kind, name in PAIRED.items():
        hangs = [part for part in facts.parts if part.kind.name == kind]
        plugs = [part for part in facts.parts if part.kind.prefix == "J" and part.value == name]
        for part in hangs:
            nets = set(part.nets.values())
            if not any(nets <= set(plug.nets.values()) for plug in plugs):
                yield f"{part.tag} has no connector with all its wires"
        for plug in plugs:
            if not any(
                set(part.nets.values()) <= set(plug.nets.values())
                for part in facts.parts
                if PAIRED.get(part.kind.name) == name
            ):
                yield f"nothing hangs on {plug.tag}"
    sockets = [part for part in facts.parts if "3V3" in part.nets]
    bulk = [p for p in facts.of_sheet("carrier") if p.kind.prefix == "C"]
    if sockets and facts.of_sheet("carrier") and not bulk:
        yield "the Pico has no capacitor of its own"
    for part in facts.parts:
        if part.kind.name.startswith("SHUNT") and not any(
            set(part.nets.values()) <= set(plug.nets.values())
            for plug in facts.parts
            if plug.kind.name == "TERMINAL_2"
        ):
            yield f"{part.tag} has no terminal"


def sense_channels_whole(facts: Facts) -> Iterator[str]:
    """Each channel has its fast capacitor over its second resistor, and a bleeder behind it."""
    for part in facts.parts:
        name = part.tag.split("/")[1]
        if part.kind.prefix == "R" and name.endswith("IN") and part.nets["1"].endswith("_NODE"):
            both = set(part.nets.values())
            if not any(p.kind.prefix == "C" and set(p.nets.values()) == both for p in facts.parts):
                yield f"{part.tag} has no fast capacitor over it"
            bled = [p for p in facts.on(part.nets["2"]) if p.kind.prefix == "R"]
            if not any(GROUND in p.others(part.nets["2"]) for p in bled):
                yield f"{part.tag}: nothing bleeds {part.nets['2']}"
    for net in ("SENSE_SLP_S3", "SENSE_LED"):
        rests = [p for p in facts.on(net) if p.kind.prefix == "R" and GROUND in p.others(net)]
        if any(p.sheet == "choices" for p in facts.parts) and not rests:
            yield f"{net} floats without its jumper"
    for net in ("SENSE_LIGHT_FINE", "LIGHT_FIRST"):
        if facts.on(net) and not [p for p in facts.on(net) if p.kind.prefix == "C"]:
            yield f"{net} has no filter"
    if facts.on("LIGHT_BACK") and not [p for p in facts.on("LIGHT_BACK") if p.kind.prefix == "C"]:
        yield "the second gain has no capacitor"
    if facts.on("FINGER_TIP"):
        pulls = [p for p in facts.on("FINGER_TIP") if "+3V3" in p.others("FINGER_TIP")]
        if not pulls:
            yield "nothing pulls the tip's contact up"
        if not any("FINGER_IN" in p.others("FINGER_TIP") for p in facts.on("FINGER_TIP")):
            yield "the tip's contact does not get to its comparator"


def pins_for_their_purpose(facts: Facts) -> Iterator[str]:
    """Clamps, hold diodes, monitor and timer are joined as their data sheets want them."""
    for part in facts.parts:
        if part.kind.name == "TVS_33V":
            over = [f for f in facts.parts if f.kind.prefix == "Q"]
            ends = (part.nets["K"], part.nets["A"])
            if not any((f.nets.get("D"), f.nets.get("S")) == ends for f in over):
                yield f"{part.tag} is not over a FET, cathode at its drain"
        if part.kind.name == "AO3422":
            clamps = [p for p in facts.parts if p.kind.name == "TVS_33V"]
            if not any(p.nets["K"] == part.nets.get("D") for p in clamps):
                yield f"{part.tag} has no clamp"
        if part.tag.endswith("/C_HOLD"):
            gate = part.nets["2"]
            guards = [p for p in facts.on(gate) if p.kind.prefix == "D" and p.nets["K"] == gate]
            if not any(p.nets["A"] == GROUND for p in guards):
                yield f"{gate} has no diode that empties the hold limit's capacitor"
        if part.kind.name == "INA226":
            for pin in ("IN+", "IN-", "VBUS"):
                net = part.nets.get(pin, "")
                if not any(p.kind.prefix == "C" and GROUND in p.others(net) for p in facts.on(net)):
                    yield f"{part.tag}: nothing swallows a discharge at {pin}"
            yield from wanted(part, SDA="STANDBY_SDA", SCL="STANDBY_SCL", ALERT="STANDBY_ALERT")
        if part.kind.name == "TLC555":
            yield from wanted(part, RESET="SERVO_6V", OUT="SERVO_OUT", DISCH="SERVO_DISCH")
            yield from wanted(part, TRIG="SERVO_T", THRES="SERVO_T")
            pulse = [p for p in facts.on("SERVO_T") if p.kind.prefix == "D"]
            if not any(p.nets == {"K": "SERVO_T", "A": "SERVO_DISCH"} for p in pulse):
                yield "the timer has no diode that makes its pulse short"
        if part.kind.name == "MCP6024" and part.nets.get("IND-") != part.nets.get("OUTD"):
            yield f"{part.tag}: its spare unit does not follow its input"


def wanted(part: Placed, **nets: str) -> Iterator[str]:
    """Yield each pin of a part that is not on the net that it belongs to."""
    for pin, net in nets.items():
        if part.nets.get(pin) != net:
            yield f"{part.tag}: {pin} is on {part.nets.get(pin)}"
