"""What solenoid, servo and magnet have left, from their makers' figures and the circuit's values.

Each figure is a range: what the worst of all tolerances leaves, and what the best does. Where a
data sheet is silent, the assumption is named beside the figure and said in the table.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, log

from frontend.circuit.facts import Facts, Placed
from frontend.simulation.elements import number

GRAVITY = 9.81
COPPER_PER_K = 0.00393
COPPER_J_PER_GK = 0.385
ROOM_C = (10.0, 40.0)
"""What a bench is expected to have."""

# Magnet Schultz Ltd, "D.C. Open Frame Solenoid, Type 312", magnetschultz.co.uk/312, no revision
# printed: table for 25 %, gross force in newtons by the stroke in millimetres that is left.
FORCE_N: Mapping[float, float] = {0.0: 12.5, 1.0: 2.8, 2.0: 1.7, 3.0: 1.3, 4.0: 0.9, 6.0: 0.3}
SPRING_R1_N: Mapping[float, float] = {0.0: 0.57, 1.0: 0.51, 2.0: 0.45, 3.0: 0.40, 4.0: 0.34}
SOLENOID_W, CONTINUOUS_W, SOLENOID_V = 9.0, 4.0, 12.0
"""At 25 degrees: of the 25 % winding, and what the size bears for good on 152 x 152 mm of steel."""
SOLENOID_G, ARMATURE_G = 36.0, 7.0
MADE_WITHIN = 0.1
"""\"Tolerance +/- 10 % (inherent and manufacture)\"; taken for force, spring and resistance."""
CLASS_B_C = 130.0
# The sheet says neither: force is taken as that of a cold coil, copper as a third of the weight,
# and a solenoid on plastic as losing a third of what it loses on that plate.
COPPER_SHARE = 1 / 3
ON_PLASTIC = 1 / 3
WARM_COIL_C = 60.0
"""The coil between presses, in the warmest room: the heat of the presses is checked below."""
LEFT_MM = 0.5
"""Stroke that is left where the key acts: the bridge is set by it."""
TIP_G = 2.0

# Mean Well GST12E12: 12 V within 5 %, 1 A. Drops of diode, fuse and FETs at 0.8 A, from the decks'
# models: unread.
SUPPLY_V = (11.4, 12.6)
SUPPLY_A = 1.0
DIODE_V = (0.2, 0.5)
PATH_OHM = (0.1, 0.7)
FUSE_HOLDS_A = 1.1
"""Bourns MF-MSMF110/16 at 23 degrees: unread."""

# U.S. NRC, NUREG-0700 rev. 3 (after ANSI/HFS 100): force to a key's snap point.
KEY_N = 0.75
"""The most for keys that are pressed often; 0.5 to 0.6 N are preferred, 1.5 N the most of all."""
# Omron, B3F and B3FS data sheets: operating force of tactile switches, most of its tolerance.
TACTILE_N: Mapping[str, float] = {"0.98 N": 1.27, "1.47 N": 1.96, "2.55 N": 3.24}
PRESS_S, PRESS_EACH_S = 0.2, 10.0
"""What the host presses, and how often at the most."""
HELD_MOST_S = 3.8
"""The hold limit as delivered: the study's limit."""

# Hitec RCD Korea, "Announced specification of HS-311 standard servo" (Jun Hee Lee, undated).
SERVO_V = (4.8, 6.0)
STALL_NM = (3.0 * GRAVITY / 100, 3.5 * GRAVITY / 100)
STALL_A = (0.7, 0.8)
NEUTRAL_US, US_PER_DEGREE = 1500.0, 10.0
# The sheet has no tolerances.
SERVO_WITHIN = 0.2
SERVO_SUPPLY_V = (5.82, 6.18)
SERVO_FUSE_OHM = 0.21
SERVO_IDLE_DIODE_V = 0.2
TRAVEL_US = (600.0, 2400.0)
"""A shop's figure (DFRobot SER0001): Hitec names 1100 to 1900 us as its test."""

# Dhit 030186, MP 20x5x5 / N38: ring, 11.04 g, up to 80 degrees.
REMANENCE_T = (1.22, 1.26)
REMANENCE_PER_K = -0.0012
RING_OUTER_MM, RING_INNER_MM, RING_HIGH_MM, RING_G = 10.0, 2.5, 5.0, 11.04
ARM_MM, ARM_G = 30.0, 10.0
NEAR_MM, AWAY_MM = 15.0, 50.0
"""From the magnet's face to the pilot: with the lid \"closed\", and \"open\"."""
PILOT_ON_MT, PILOT_OFF_MT = 6.9, 3.2
"""DRV5023AJ."""


@dataclass(frozen=True, slots=True)
class Margin:
    """One figure against its limit."""

    what: str
    low: float
    high: float
    unit: str
    least: float | None
    """The figure's low end must not be below it."""
    most: float | None
    """Its high end must not be above it."""
    why: str

    @property
    def holds(self) -> bool:
        """Whether the whole range is inside."""
        above = self.least is None or self.low >= self.least
        return above and (self.most is None or self.high <= self.most)


def force_n(left_mm: float) -> float:
    """Return a lower bound of the gross force where so much stroke is left.

    The force falls ever less steeply (the table is convex), so that between two points it lies
    above the line through the two that follow.

    Raises:
        ValueError: the stroke is outside of the table.
    """
    strokes = sorted(FORCE_N)
    if not 0.0 <= left_mm <= strokes[-3]:
        raise ValueError(f"{left_mm:g} mm of stroke: 0 to {strokes[-3]:g} mm are in the table")
    first, second = [stroke for stroke in strokes if stroke >= left_mm][:2]
    if left_mm == first:
        return FORCE_N[first]
    slope = (FORCE_N[second] - FORCE_N[first]) / (second - first)
    return FORCE_N[first] + slope * (left_mm - first)


def spring_n(left_mm: float) -> float:
    """Return the spring's force, which is straight between the table's points."""
    below = max(stroke for stroke in SPRING_R1_N if stroke <= left_mm)
    above = min(stroke for stroke in SPRING_R1_N if stroke >= left_mm)
    share = (left_mm - below) / (above - below) if above > below else 0.0
    return SPRING_R1_N[below] + share * (SPRING_R1_N[above] - SPRING_R1_N[below])


def part_of(facts: Facts, tag: str) -> Placed:
    """Return a part by its tag."""
    return next(part for part in facts.parts if part.tag == tag)


def coil_ohms(facts: Facts) -> tuple[float, float]:
    """Return the range of the solenoid's resistance at 25 degrees, from the circuit."""
    value = number(part_of(facts, "finger/L1").value)
    return value * (1 - MADE_WITHIN), value * (1 + MADE_WITHIN)


def pushing_share(facts: Facts) -> float:
    """Return the least share of the table's force: least voltage, warm coil.

    The table is for a voltage, so the winding's tolerance is in the force's own 10 %.
    """
    value = number(part_of(facts, "finger/L1").value)
    at_coil = SUPPLY_V[0] - DIODE_V[1] - SUPPLY_V[0] / value * PATH_OHM[1]
    warm = 1 + COPPER_PER_K * (WARM_COIL_C - 25.0)
    # By the current's square, without saturation, against what 9 W at 12 V mean.
    return (at_coil / (value * warm) / (SOLENOID_W / SOLENOID_V)) ** 2


def push_n(facts: Facts, left_mm: float) -> tuple[float, float]:
    """Return the least and the most that the tip pushes with, spring taken off."""
    least = force_n(left_mm) * (1 - MADE_WITHIN) * pushing_share(facts)
    value = number(part_of(facts, "finger/L1").value)
    most_share = (SUPPLY_V[1] / value / (SOLENOID_W / SOLENOID_V)) ** 2
    # Above, the next smaller stroke of the table bounds it.
    higher = FORCE_N[max(stroke for stroke in FORCE_N if stroke <= left_mm)]
    most = higher * (1 + MADE_WITHIN) * most_share
    spring = spring_n(left_mm)
    return least - spring * (1 + MADE_WITHIN), most - spring * (1 - MADE_WITHIN)


def solenoid_margins(facts: Facts) -> Iterator[Margin]:
    """Yield the finger's figures."""
    low_ohm, high_ohm = coil_ohms(facts)
    least_w, most_w = ((SUPPLY_V[0] - DIODE_V[1]) ** 2 / high_ohm, SUPPLY_V[1] ** 2 / low_ohm)
    amperes = (SUPPLY_V[0] / high_ohm, SUPPLY_V[1] / low_ohm)
    value = number(part_of(facts, "finger/L1").value)
    yield Margin(
        "power of the winding in the circuit", SOLENOID_V**2 / value, SOLENOID_V**2 / value,
        "W at 12 V", 0.95 * SOLENOID_W, 1.05 * SOLENOID_W, "the data sheet's 25 % winding",
    )  # fmt: skip
    yield Margin("current", *amperes, "A", None, SUPPLY_A, "what the wall adapter gives")
    yield Margin("current", *amperes, "A", None, FUSE_HOLDS_A, "what the fuse holds (unread)")
    bearers = {
        part.kind.name: part.kind.rated_a
        for part in facts.parts
        if part.sheet in ("finger", "supply_12v")
        and part.kind.name in ("AO3422", "AO3401A", "MBRA340", "TVS_33V", "XH_2", "TERMINAL_2")
    }
    for name, rated in sorted(bearers.items()):
        yield Margin("current", *amperes, "A", None, 0.8 * rated, f"80 % of {name}'s {rated:g} A")
    yield Margin(
        f"push, {LEFT_MM:g} mm of stroke left", *push_n(facts, LEFT_MM), "N", 1.2 * KEY_N, None,
        f"1.2 times the {KEY_N:g} N of a key that is often pressed",
    )  # fmt: skip
    for left in (3.0, 2.0, 1.0):
        yield Margin(
            f"push on its way, {left:g} mm left", *push_n(facts, left), "N", 0.0, None,
            "beats its spring",
        )  # fmt: skip
    back = (SPRING_R1_N[3.0] * (1 - MADE_WITHIN), SPRING_R1_N[0.0] * (1 + MADE_WITHIN))
    weight = (ARMATURE_G + TIP_G) / 1000 * GRAVITY
    yield Margin("spring", *back, "N", 2 * weight, None, "twice the weight of armature and tip")
    share = PRESS_S / PRESS_EACH_S
    yield Margin(
        "mean power, 0.2 s in 10 s", least_w * share, most_w * share, "W", None,
        CONTINUOUS_W * ON_PLASTIC, "a third of what it bears for good on steel (assumed)",
    )  # fmt: skip
    grams = SOLENOID_G * COPPER_SHARE
    for seconds, when in ((PRESS_S, "after a press"), (HELD_MOST_S, "held until the limit")):
        rise = most_w * seconds / (grams * COPPER_J_PER_GK)
        yield Margin(
            f"copper, {when} ({seconds:g} s)", ROOM_C[0], WARM_COIL_C + rise, "C", None,
            CLASS_B_C, "class B; no heat leaves the copper, a third of the weight (assumed)",
        )  # fmt: skip


def longest_press_s(facts: Facts) -> float:
    """Return how long a warm coil's copper bears the most power before it leaves class B."""
    most_w = SUPPLY_V[1] ** 2 / coil_ohms(facts)[0]
    grams = SOLENOID_G * COPPER_SHARE
    return (CLASS_B_C - WARM_COIL_C) * grams * COPPER_J_PER_GK / most_w


def pulse_us(facts: Facts, driven: bool) -> tuple[float, float]:
    """Return the range of the servo's pulses; the timer charges through a diode's 0.2 to 0.3 V."""
    names = ("R_SHORT",) if driven else ("R_SHORT", "R_LONG")
    resistors = [part_of(facts, f"lid_servo/{name}") for name in names]
    timing = part_of(facts, "lid_servo/C_T")
    seconds = sum(number(part.value) for part in resistors) * number(timing.value)
    within = (1 + resistors[0].kind.tolerance) * (1 + timing.kind.tolerance) - 1
    shares = [
        log((2 / 3 * volts - drop) / (1 / 3 * volts - drop))
        for volts, drop in ((SERVO_SUPPLY_V[1], 0.15), (SERVO_SUPPLY_V[0] - DIODE_V[1], 0.3))
    ]
    return 1e6 * seconds * (1 - within) * shares[0], 1e6 * seconds * (1 + within) * shares[1]


def on_axis_mt(away_mm: float, remanence_t: float) -> float:
    """Return the ring's flux density on its axis, so far from its face: two sheets of charge."""

    def disc(radius: float) -> float:
        far = away_mm + RING_HIGH_MM
        return far / hypot(far, radius) - away_mm / hypot(away_mm, radius)

    return 1000 * remanence_t / 2 * (disc(RING_OUTER_MM) - disc(RING_INNER_MM))


def servo_margins(facts: Facts) -> Iterator[Margin]:
    """Yield the lid's figures."""
    weight_nm = (RING_G + ARM_G) / 1000 * GRAVITY * ARM_MM / 1000
    most_a = STALL_A[1] * (1 + SERVO_WITHIN)
    at_servo = (
        SERVO_SUPPLY_V[0] - DIODE_V[1] - most_a * SERVO_FUSE_OHM,
        SERVO_SUPPLY_V[1] - SERVO_IDLE_DIODE_V,
    )
    yield Margin("voltage at the servo", *at_servo, "V", *SERVO_V, "what it works at")
    stalled = (STALL_A[0] * (1 - SERVO_WITHIN), most_a)
    yield Margin("current, stalled", *stalled, "A", None, FUSE_HOLDS_A, "what the fuse holds")
    plug = part_of(facts, "lid_servo/J_SERVO")
    yield Margin(
        "current, stalled", *stalled, "A", None, 0.8 * plug.kind.rated_a, "80 % of its plug's 3 A"
    )
    torque = (STALL_NM[0] * (1 - SERVO_WITHIN), STALL_NM[1] * (1 + SERVO_WITHIN))
    yield Margin("torque", *torque, "Nm", 3 * weight_nm, None, "three times magnet and arm, level")
    shorter, longer = pulse_us(facts, True), pulse_us(facts, False)
    yield Margin("pulse, lid driven", *shorter, "us", *TRAVEL_US, "its travel (a shop's figure)")
    yield Margin("pulse, lid at rest", *longer, "us", *TRAVEL_US, "its travel (a shop's figure)")
    # Both come from the same capacitor, so the swing is a share of it.
    swing = [(long - short) / US_PER_DEGREE for short, long in zip(shorter, longer, strict=True)]
    yield Margin("swing", min(swing), max(swing), "degrees", 70.0, None, "takes the magnet away")
    warm = 1 + REMANENCE_PER_K * (ROOM_C[1] - 20.0)
    near = (
        on_axis_mt(NEAR_MM + 1.0, REMANENCE_T[0] * warm),
        on_axis_mt(NEAR_MM - 1.0, REMANENCE_T[1]),
    )
    yield Margin(
        f"field at {NEAR_MM:g} mm, 1 mm off",
        *near,
        "mT",
        2 * PILOT_ON_MT,
        None,
        "twice the pilot's",
    )
    away = (
        on_axis_mt(AWAY_MM + 1.0, REMANENCE_T[0] * warm),
        on_axis_mt(AWAY_MM - 1.0, REMANENCE_T[1]),
    )
    yield Margin(
        f"field at {AWAY_MM:g} mm, 1 mm off", *away, "mT", None, PILOT_OFF_MT, "the pilot lets go"
    )


def margins(facts: Facts) -> tuple[Margin, ...]:
    """Return all figures of the variant that has finger and servo."""
    return (*solenoid_margins(facts), *servo_margins(facts))


def broken_margins(found: Sequence[Margin]) -> list[str]:
    """Return a sentence for each figure that leaves its limit."""
    return [
        f"{one.what} is {shown(one.low)} to {shown(one.high)} {one.unit}; allowed: {allowed(one)} "
        f"({one.why})"
        for one in found
        if not one.holds
    ]


def shown(value: float) -> str:
    """Return a figure with three digits."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def allowed(one: Margin) -> str:
    """Return a limit in words."""
    ends = ((one.least, "{} or more"), (one.most, "{} or less"))
    return ", ".join(text.format(shown(end)) for end, text in ends if end is not None)


def table_of_margins(facts: Facts) -> str:
    """Return the page: each figure with its limit, and which switches the finger can press."""
    lines = [
        "# What the actuators have left",
        "",
        "Made by `make hardware` from data sheets and circuit; nothing was measured. A line that",
        "leaves its limit stops it.",
        "",
        "| figure | worst to best | limit | of what |",
        "|---|---|---|---|",
    ]
    for one in margins(facts):
        found = f"{shown(one.low)} to {shown(one.high)} {one.unit}"
        lines.append(f"| {one.what} | {found} | {allowed(one)} | {one.why} |")
    least = push_n(facts, LEFT_MM)[0]
    end = push_n(facts, 0.0)[0]
    lines += [
        "",
        f"Tactile switches, the most that each may need, against the least push of {least:.2g} N",
        f"({LEFT_MM:g} mm left) and {end:.2g} N (end of the stroke):",
        "",
        "| switch | needs | pressed |",
        "|---|---|---|",
    ]
    for name, needed in TACTILE_N.items():
        verdict = "only at the end of the stroke" if needed <= end else "no"
        lines.append(
            f"| Omron B3F, {name} | {needed:g} N | {'yes' if needed <= least else verdict} |"
        )
    lines += [
        "",
        f"The copper bears {longest_press_s(facts):.0f} s without a pause, in the warmest room.",
    ]
    return "\n".join(lines) + "\n"
