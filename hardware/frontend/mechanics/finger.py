"""Bridge of the finger: a beam on two legs over the keyboard, which holds the push solenoid."""

from dataclasses import asdict, dataclass

from frontend.mechanics.solids import (
    BEYOND_MM,
    PRINT_GAP_MM,
    Bought,
    Part,
    bar,
    cut,
    hole,
    joined,
    rod,
)

PETG_MPA = 1_800.0
"""Young's modulus of printed PETG, a low figure of what is told of it."""
PUSH_N = 5.0


@dataclass(frozen=True, slots=True)
class BridgeSizes:
    """In millimetres. The solenoid's have to be measured."""

    span: float = 110.0
    height: float = 55.0
    beam_width: float = 26.0
    beam_height: float = 10.0
    leg: float = 8.0
    foot: float = 18.0
    solenoid_x: float = 30.0
    solenoid_y: float = 16.0
    collar_height: float = 22.0
    wall: float = 4.0
    clamp_screw: float = 3.0

    @property
    def sag(self) -> float:
        """How far the beam bends when the solenoid pushes, both ends free to turn."""
        opening = self.solenoid_y + 2 * PRINT_GAP_MM
        inertia = (self.beam_width - opening) * self.beam_height**3 / 12
        return PUSH_N * self.span**3 / (48 * PETG_MPA * inertia)


@dataclass(frozen=True, slots=True)
class TipSizes:
    """In millimetres: a cap on the solenoid's plunger, with a silicone dot and the contact."""

    plunger_diameter: float = 6.0
    plunger_deep: float = 8.0
    wall: float = 2.4
    face: float = 3.0
    dot_diameter: float = 6.0
    dot_deep: float = 1.0
    wires_diameter: float = 2.5


def finger_bridge(sizes: BridgeSizes) -> Part:
    """Return the bridge, on its back: the beam's upper side lies on the bed."""
    opening = (sizes.solenoid_x + 2 * PRINT_GAP_MM, sizes.solenoid_y + 2 * PRINT_GAP_MM)
    collar = (opening[0] + 2 * sizes.wall, sizes.beam_width, sizes.collar_height)
    legs = []
    for way in (-1, 1):
        at = way * (sizes.span / 2 + sizes.leg / 2)
        legs.append(bar((sizes.leg, sizes.beam_width, sizes.height), (at, 0.0, 0.0)))
        foot_at = way * (sizes.span / 2 + sizes.foot / 2)
        foot = bar((sizes.foot, sizes.beam_width, 4.0), (foot_at, 0.0, sizes.height - 4.0))
        # A slope below the foot's overhang, so that it prints without support.
        knee = bar((sizes.leg, sizes.beam_width, 0.1), (at, 0.0, sizes.height - 4.0 - sizes.foot))
        legs += [foot, (foot + knee).hull()]
    beam = bar((sizes.span + 2 * sizes.leg, sizes.beam_width, sizes.beam_height))
    body = joined((beam, bar(collar), *legs))
    room = bar((*opening, sizes.collar_height + 2), (0.0, 0.0, -BEYOND_MM))
    across = hole(sizes.clamp_screw, 2 * collar[0]).rotate((0.0, 90.0, 0.0))
    level = (sizes.beam_height + sizes.collar_height) / 2
    screws = across.translate((-collar[0], 0.0, level))
    shaft = rod(sizes.clamp_screw, sizes.wall).rotate((0.0, 90.0, 0.0))
    return Part(
        "finger-bridge",
        cut(body, room, screws),
        (
            Bought(
                "solenoid",
                bar((sizes.solenoid_x, sizes.solenoid_y, 38.0), (0.0, 0.0, -5.0)),
            ),
            Bought("clamp's screw", shaft.translate((opening[0] / 2, 0.0, level)), along="X"),
        ),
        asdict(sizes),
        "PETG or PLA, 40 % full, as drawn, no support; rubber under both feet",
    )


def finger_tip(sizes: TipSizes) -> Part:
    """Return the tip, its face on the bed."""
    outer = sizes.plunger_diameter + 2 * PRINT_GAP_MM + 2 * sizes.wall
    height = sizes.face + sizes.plunger_deep
    plunger = rod(sizes.plunger_diameter, sizes.plunger_deep, (0.0, 0.0, sizes.face))
    wires = hole(sizes.wires_diameter, sizes.face + 2, (0.0, 0.0, -BEYOND_MM))
    side = bar((outer, sizes.wires_diameter, 3.0), (outer / 2, 0.0, sizes.face))
    return Part(
        "finger-tip",
        cut(
            rod(outer, height),
            hole(sizes.plunger_diameter, height, (0.0, 0.0, sizes.face)),
            hole(sizes.dot_diameter, sizes.dot_deep + BEYOND_MM, (0.0, 0.0, -BEYOND_MM)),
            wires,
            side,
        ),
        (
            Bought("plunger", plunger),
            Bought("silicone dot", rod(sizes.dot_diameter, sizes.dot_deep)),
        ),
        asdict(sizes),
        "PETG or PLA, 100 % full, face on the bed, no support; the wires leave at the side",
    )
