"""Arm of the servo: carries the ring magnet from over the lid's sensor to the side of it."""

from dataclasses import asdict, dataclass

from frontend.mechanics.actuator_margins import ARM_MM, RING_HIGH_MM, RING_INNER_MM, RING_OUTER_MM
from frontend.mechanics.solids import (
    BEYOND_MM,
    Bought,
    Part,
    bar,
    cut,
    hole,
    joined,
    rod,
    slot,
)


@dataclass(frozen=True, slots=True)
class ServoArmSizes:
    """In millimetres; ring and length are those that the margins were computed for."""

    reach: float = ARM_MM
    ring_diameter: float = 2 * RING_OUTER_MM
    ring_height: float = RING_HIGH_MM
    ring_screw: float = 2 * RING_INNER_MM
    wall: float = 2.4
    floor: float = 3.0
    width: float = 14.0
    axis_screw: float = 3.0
    horn_screw: float = 2.0
    horn_from: float = 8.0
    horn_to: float = 13.0


def servo_arm(sizes: ServoArmSizes) -> Part:
    """Return the arm, its flat side on the bed; the servo's horn goes under it."""
    cup = sizes.ring_diameter + 2 * sizes.wall
    beyond = sizes.horn_to + 4.0
    long = sizes.reach + beyond
    body = joined(
        (
            rod(cup + 0.5, sizes.floor + sizes.ring_height, (sizes.reach, 0.0, 0.0)),
            bar((long, sizes.width, sizes.floor + 2.0), (sizes.reach - long / 2, 0.0, 0.0)),
            rod(sizes.width, sizes.floor + 2.0, (-beyond, 0.0, 0.0)),
        )
    )
    ring = rod(sizes.ring_diameter, sizes.ring_height, (sizes.reach, 0.0, sizes.floor))
    through = sizes.floor + 2.0 + 2 * BEYOND_MM
    middle = (sizes.horn_from + sizes.horn_to) / 2
    travel = sizes.horn_to - sizes.horn_from
    screws = [
        slot(sizes.horn_screw, travel, through, (way * middle, 0.0, -BEYOND_MM)) for way in (-1, 1)
    ]
    return Part(
        "servo-arm",
        cut(
            body,
            hole(
                sizes.ring_diameter, sizes.ring_height + BEYOND_MM, (sizes.reach, 0.0, sizes.floor)
            ),
            hole(sizes.ring_screw, through, (sizes.reach, 0.0, -BEYOND_MM)),
            hole(sizes.axis_screw, through, (0.0, 0.0, -BEYOND_MM)),
            *screws,
        ),
        (Bought("ring magnet", ring),),
        asdict(sizes),
        "PETG or PLA, 100 % full, flat side on the bed, no support; screws without iron",
    )
