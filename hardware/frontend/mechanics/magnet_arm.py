"""Arm of the magnet: holds the coil over the lid's sensor, and the pilot hall switch beside it."""

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
    rounded,
    slot,
)


@dataclass(frozen=True, slots=True)
class ArmSizes:
    """In millimetres: the coil of 20 x 15 that the bill names; the pilot is a TO-92 of 4 x 3.15."""

    coil_diameter: float = 20.0
    coil_length: float = 15.0
    coil_screw: float = 4.0
    wall: float = 3.0
    roof: float = 4.0
    pilot_x: float = 4.0
    pilot_y: float = 3.15
    pilot_deep: float = 6.0
    arm_length: float = 90.0
    arm_width: float = 16.0
    arm_height: float = 8.0
    post_screw: float = 5.0
    post_travel: float = 40.0


def magnet_arm(sizes: ArmSizes) -> Part:
    """Return the arm, upside down: the cup's roof and the arm lie on the bed."""
    cup = sizes.coil_diameter + 2 * PRINT_GAP_MM + 2 * sizes.wall
    # The cup leaves a quarter of the coil free, which is the end towards the lid.
    cup_height = sizes.roof + 0.75 * sizes.coil_length
    pilot_at = cup / 2 + sizes.pilot_y / 2
    holder = (sizes.pilot_x + 2 * PRINT_GAP_MM + 4.0, sizes.pilot_y + 2 * PRINT_GAP_MM + 4.0)
    body = joined(
        (
            rod(cup, cup_height),
            bar((holder[0], holder[1] + 2.0, cup_height), (0.0, pilot_at - 1.0, 0.0)),
            rounded(
                (sizes.arm_length, sizes.arm_width, sizes.arm_height),
                3.0,
                (cup / 2 + sizes.arm_length / 2 - sizes.wall, 0.0, 0.0),
            ),
        )
    )
    coil = rod(sizes.coil_diameter, sizes.coil_length, (0.0, 0.0, sizes.roof))
    room = hole(sizes.coil_diameter, sizes.coil_length, (0.0, 0.0, sizes.roof))
    pilot = (sizes.pilot_x, sizes.pilot_y, sizes.pilot_deep)
    low = cup_height - sizes.pilot_deep
    pocket = bar(
        (pilot[0] + 2 * PRINT_GAP_MM, pilot[1] + 2 * PRINT_GAP_MM, cup_height),
        (0.0, pilot_at, low),
    )
    wires = bar((sizes.pilot_x - 1.0, 2.0, cup_height + 2), (0.0, pilot_at, -BEYOND_MM))
    middle = cup / 2 + sizes.arm_length - sizes.wall - 8.0 - sizes.post_travel / 2
    screw = hole(sizes.coil_screw, sizes.roof + 2, (0.0, 0.0, -1.0))
    post = slot(sizes.post_screw, sizes.post_travel, sizes.arm_height + 2, (middle, 0.0, -1.0))
    return Part(
        "magnet-arm",
        cut(body, room, screw, pocket, wires, post),
        (
            Bought("coil", coil),
            Bought("pilot", bar(pilot, (0.0, pilot_at, low))),
            Bought("coil's screw", rod(sizes.coil_screw, sizes.roof + 1, (0.0, 0.0, -1.0))),
            Bought("post's screw", rod(sizes.post_screw, sizes.arm_height, (middle, 0.0, 0.0))),
        ),
        asdict(sizes),
        "PETG (the coil gets hot: no PLA), 40 % full, as drawn, no support; screws without iron",
    )
