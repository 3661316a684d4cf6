"""The rules by which the board is placed: outline, fixed parts, regions, what must be near what.

All in millimetres from the board's upper left corner.
"""

from dataclasses import dataclass

from frontend.circuit.facts import COMPARATORS, GROUND, Facts, Placed
from frontend.layout.geometry import Box, Point, Spot

WIDTH, HEIGHT = 100.0, 80.0
EDGE = Box(0.0, 0.0, WIDTH, HEIGHT)
INSIDE = EDGE.grown(-1.0)
"""Parts keep 1 mm from the edge; connectors that belong there are fixed."""
HOLES: tuple[Point, ...] = ((4.0, 4.0), (96.0, 4.0), (4.0, 76.0), (96.0, 76.0))
"""For M3; a screw's head needs 7 mm."""
HEAD_MM = 7.0

FIXED = {
    "dut_wires/J_DUT": Spot(5.5, 28.5),
    "carrier/J_LEFT": Spot(97.2, 31.42, 270.0),
    "carrier/J_RIGHT": Spot(48.94, 49.2, 90.0),
    "standby_current/J_5VSB": Spot(19.08, 6.2, 180.0),
    "standby_current/R_SHUNT1": Spot(16.54, 15.4, 180.0),
    "standby_current/R_SHUNT2": Spot(16.54, 20.2, 180.0),
    "standby_current/R_P1": Spot(17.9, 25.2, 270.0),
    "standby_current/R_P2": Spot(20.5, 25.2, 270.0),
    "standby_current/R_N1": Spot(15.2, 25.2, 270.0),
    "standby_current/R_N2": Spot(12.95, 25.2, 270.0),
    "photodiode/J_HOOD": Spot(66.0, 5.0, 180.0),
    "photodiode/C_F": Spot(66.635, 8.75),
    "photodiode/R_F": Spot(66.635, 10.4),
    "photodiode/U1": Spot(63.46, 15.0, 270.0),
    "supply_12v/J_SUPPLY": Spot(83.5, 73.9),
    "lid_magnet/J_COIL": Spot(70.5, 75.0),
    "lid_pilot/J_PILOT": Spot(56.5, 75.0),
}
"""Connectors at the edges, the Pico with its USB socket over the right edge, the shunts, and what
the light's summing node meets: its connector, its feedback, its amplifier, in one column."""
PICO = Box(47.0, 29.5, 99.0, 51.2)
BELOW_PICO_MM = 8.0
"""What is lower fits between the Pico and the board."""
TALL = ("RV", "J", "K")
TALL_KINDS = ("C_BULK",)

REGIONS = {
    "photodiode": Box(44.0, 1.0, 92.0, 29.0),
    "standby_current": Box(8.0, 1.0, 44.0, 30.0),
    "power_button": Box(1.0, 54.0, 44.0, 79.0),
    "supply_12v": Box(68.0, 52.0, 99.0, 79.0),
    "lid_magnet": Box(56.0, 52.0, 92.0, 79.0),
    "lid_pilot": Box(46.0, 52.0, 70.0, 79.0),
    "dead_man": Box(36.0, 31.0, 99.0, 66.0),
    "thresholds": Box(36.0, 8.0, 92.0, 50.0),
    "level": Box(32.0, 8.0, 92.0, 50.0),
}
"""Where a function's parts lie; the others lie anywhere."""

NEAR = {
    f"{COMPARATORS}/U1_C": (f"{COMPARATORS}/U1", "V+"),
    f"{COMPARATORS}/U2_C": (f"{COMPARATORS}/U2", "V+"),
    f"{COMPARATORS}/U3_C": (f"{COMPARATORS}/U3", "V+"),
    "photodiode/C_SUPPLY": ("photodiode/U1", "VDD"),
    "standby_current/C1": ("standby_current/U1", "VS"),
    "thresholds/C_IN": ("thresholds/REF", "IN"),
    "thresholds/C_REF": ("thresholds/REF", "OUT"),
    "carrier/C_3V3": ("carrier/J_RIGHT", "3V3"),
    "lid_pilot/C1": ("lid_pilot/J_PILOT", "1"),
}
"""Decoupling: a capacitor and the supply pin that it belongs to."""
NEAR_MM = 5.0
"""How far it may be from that pin, pad to pad."""

PLANE = GROUND
WEIGHTS = {"+3V3": 0.15, "+12V": 1.0, "LIGHT_SUM": 6.0, "ARMED": 0.7}
DEFAULT_WEIGHT = 1.0
INPUT_WEIGHT = 3.0
"""Nets from the clamped node to the comparator: each millimetre there is capacitance."""


@dataclass(frozen=True, slots=True)
class NetClass:
    """How a kind of net is routed."""

    name: str
    track_mm: float
    clearance_mm: float = 0.2
    via_mm: float = 0.6
    drill_mm: float = 0.3
    nets: tuple[str, ...] = ()


CLASSES = (
    NetClass("Default", 0.2),
    NetClass("Supply", 0.4, nets=("+3V3", "+5V")),
    NetClass(
        "Coil",
        0.8,
        via_mm=0.8,
        drill_mm=0.4,
        nets=("+12V", "+12V_IN", "+12V_FUSED", "LID_HIGH", "LID_LOW"),
    ),
)
RULES = {
    "min_clearance": 0.15,
    "min_track_width": 0.15,
    "min_via_diameter": 0.5,
    "min_via_annular_width": 0.1,
    "min_through_hole_diameter": 0.3,
    "min_hole_to_hole": 0.25,
    "min_hole_clearance": 0.2,
    "min_copper_edge_clearance": 0.3,
}
"""In millimetres; what makers of cheap boards offer without asking."""
STANDBY_MM = 2.5
"""Width for 3 A; see `amperes_of_track`."""


def amperes_of_track(width_mm: float, rise_kelvin: float = 10.0, copper_um: float = 35.0) -> float:
    """Return the current that warms an outer track so far (IPC-2221, 6.2: k = 0.048)."""
    square_mils = width_mm / 0.0254 * copper_um / 25.4
    return 0.048 * float(rise_kelvin**0.44) * float(square_mils**0.725)


def weight_of(net: str) -> float:
    """Return how much a net's length counts."""
    if net == PLANE:
        return 0.0
    if net.endswith(("_NODE", "_IN", "_CLAMP")):
        return INPUT_WEIGHT
    return WEIGHTS.get(net, DEFAULT_WEIGHT)


def track_of(net: str) -> float:
    """Return how wide a net's tracks are to be, in millimetres."""
    return next((one.track_mm for one in CLASSES if net in one.nets), CLASSES[0].track_mm)


def region_of(part: Placed) -> Box:
    """Return where a part may lie."""
    return REGIONS.get(part.sheet, INSIDE)


def is_tall(part: Placed) -> bool:
    """Whether a part does not fit below the Pico."""
    return part.kind.prefix in TALL or part.kind.name in TALL_KINDS


@dataclass(frozen=True, slots=True)
class Track:
    """A track that is laid by rule, on the upper side, before the others are routed."""

    net: str
    width_mm: float
    points: tuple[Point, ...]


SHUNT_PAD, SENSE_PAD = 2.9625, 1.4625
"""From the middle of a 2512 and of a 1206 to its pads."""
SENSE_MM = 0.25


def standby_tracks() -> list[Track]:
    """Return the standby supply's tracks.

    The wide ones carry the current from the terminal to the shunts. The thin ones leave the shunts'
    pads inwards, below their bodies, each to a sense resistor of its own: no current that is
    measured flows in them.
    """
    terminal = FIXED["standby_current/J_5VSB"]
    tracks = []
    for way, net, pin_x, side in (
        (1, "DUT_5VSB_SUPPLY", terminal.x, "P"),
        (-1, "DUT_5VSB", terminal.x - 5.08, "N"),
    ):
        shunts = [FIXED[f"standby_current/R_SHUNT{number}"] for number in (1, 2)]
        pads = [(shunt.x + way * SHUNT_PAD, shunt.y) for shunt in shunts]
        tracks.append(Track(net, STANDBY_MM, ((pin_x, terminal.y), *pads)))
        for number, inward in ((1, 2.3), (2, 1.3)):
            at = FIXED[f"standby_current/R_{side}{number}"]
            x, y = pads[number - 1]
            down, end = x - way * inward, (at.x, at.y - SENSE_PAD)
            bend = end[1] - abs(end[0] - down)
            tracks.append(Track(net, SENSE_MM, ((x, y), (down, y), (down, bend), end)))
    return tracks


SUMMING, GUARD, FEEDBACK = "LIGHT_SUM", "LIGHT_ZERO", "LIGHT_OUT"
GUARD_MM = 0.2
GUARD_RING: tuple[Point, ...] = (
    (64.73, 3.5), (67.25, 3.5), (67.25, 6.9), (66.635, 7.5), (66.635, 13.95), (64.73, 13.95),
    (64.73, 12.525), (64.73, 5.0), (64.73, 3.5),
)  # fmt: skip
"""About every pad of the summing node: right of the connector's, then below the bodies of the
feedback and between the amplifier's first two pins; its third pin is the guard's own."""


def guard_tracks() -> list[Track]:
    """Return the light's summing node, the ring about it, and the other side of its feedback.

    What leaks over the board comes from the ring, which is at the node's own voltage.
    """
    hood = FIXED["photodiode/J_HOOD"]
    stops = (FIXED["photodiode/C_F"].y, FIXED["photodiode/R_F"].y, GUARD_RING[6][1])
    return [
        Track(SUMMING, GUARD_MM, ((hood.x, hood.y), *((hood.x, y) for y in stops))),
        Track(FEEDBACK, GUARD_MM, tuple((67.3, y) for y in stops)),
        Track(GUARD, GUARD_MM, GUARD_RING),
        Track(GUARD, GUARD_MM, ((hood.x - 2.5, hood.y), (GUARD_RING[0][0], hood.y))),
    ]


def laid_tracks() -> list[Track]:
    """Return every track that is laid by rule."""
    return [*standby_tracks(), *guard_tracks()]


def nets_of(facts: Facts) -> dict[str, list[tuple[str, str]]]:
    """Return tag and pad of each pin on the board, by net."""
    found: dict[str, list[tuple[str, str]]] = {}
    for part in facts.on_board():
        for number, net in part.by_number().items():
            found.setdefault(net, []).append((part.tag, number))
    return found
