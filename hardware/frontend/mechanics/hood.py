"""Hood of the photodiode: a flange with foam on the panel, a box for the diode's board, a lid.

The diode is close to the panel, not at the end of a tube: the light that it gets grows with the
angle that it sees, and the simulations take it for all of the panel's.
"""

from dataclasses import asdict, dataclass
from math import atan, sin

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
)


@dataclass(frozen=True, slots=True)
class HoodSizes:
    """In millimetres. The diode's are those of its data sheet (BPW34, 5.4 x 4.3 x 3.2)."""

    flange_diameter: float = 44.0
    flange_height: float = 4.5
    opening_diameter: float = 14.0
    foam_height: float = 2.0
    diode_x: float = 5.4
    diode_y: float = 4.3
    diode_height: float = 3.2
    board_x: float = 20.0
    board_y: float = 18.0
    board_height: float = 1.6
    box_height: float = 10.0
    wall: float = 2.0
    cable_diameter: float = 4.0
    strap_x: float = 3.0
    strap_y: float = 16.0
    lid_height: float = 2.0
    lip_height: float = 2.5

    @property
    def distance(self) -> float:
        """From the panel to the diode's face, the foam not pressed."""
        return self.foam_height + self.flange_height - self.diode_height

    @property
    def seen_share(self) -> float:
        """Share of the panel's light that gets to the diode: sin^2 of half the angle it sees."""
        return sin(atan(self.opening_diameter / 2 / self.distance)) ** 2

    @property
    def inner(self) -> tuple[float, float]:
        """Width and depth of the box inside."""
        return self.board_x + 2 * PRINT_GAP_MM, self.board_y + 2 * PRINT_GAP_MM


MM_PER_INCH = 25.4
BAND_MM = 300.0
"""A loop of elastic band, 15 mm wide, not stretched: it goes round the lid, top to hinge."""
STRETCH = (1.1, 1.8)
"""Below it the band slips, above it it pulls more than some newtons."""
FRAME_MM = (8.0, 24.0)
"""What a lid has above and below its panel together: least, most."""
THICK_MM = (4.0, 9.0)
"""How thick a lid is: least, most."""


def lid_height(diagonal_inch: float, wide: float, high: float) -> float:
    """Return the height of a panel of so many inches and such a ratio, in millimetres."""
    return diagonal_inch * MM_PER_INCH * sin(atan(high / wide))


def stretches(diagonal_inch: float, wide: float, high: float) -> tuple[float, float]:
    """Return how much the band is stretched round the smallest and the largest such lid."""
    panel = lid_height(diagonal_inch, wide, high)
    loops = [2 * (panel + frame + thick) for frame, thick in zip(FRAME_MM, THICK_MM, strict=True)]
    return loops[0] / BAND_MM, loops[1] / BAND_MM


def hood(sizes: HoodSizes) -> Part:
    """Return the hood, the panel's side on the bed."""
    x, y = sizes.inner
    top = sizes.flange_height + sizes.box_height
    ears = bar(
        (x + 4 * sizes.wall + 2 * sizes.strap_x + 4 * sizes.wall, sizes.strap_y + 8, 4.5),
    )
    body = joined(
        (
            rod(sizes.flange_diameter, sizes.flange_height),
            rounded((x + 2 * sizes.wall, y + 2 * sizes.wall, top), 1.5),
            ears,
        )
    )
    from_middle = x / 2 + 2 * sizes.wall + sizes.strap_x / 2
    straps = [
        bar((sizes.strap_x, sizes.strap_y, 4.5 + 2), (way * from_middle, 0.0, -BEYOND_MM))
        for way in (-1, 1)
    ]
    inside = bar((x, y, sizes.box_height + BEYOND_MM), (0.0, 0.0, sizes.flange_height))
    window = rod(sizes.opening_diameter, sizes.flange_height + 2, (0.0, 0.0, -BEYOND_MM))
    cable = hole(sizes.cable_diameter, 3 * sizes.wall).rotate((90.0, 0.0, 0.0))
    cable = cable.translate((0.0, y / 2 + 2 * sizes.wall, top - sizes.lip_height - 3.0))
    board = bar((sizes.board_x, sizes.board_y, sizes.board_height), (0.0, 0.0, sizes.flange_height))
    diode = bar(
        (sizes.diode_x, sizes.diode_y, sizes.diode_height),
        (0.0, 0.0, sizes.flange_height - sizes.diode_height),
    )
    return Part(
        "hood",
        cut(body, inside, window, cable, *straps),
        # The diode has room all around: only the board has to sit tight.
        (Bought("board", board), Bought("diode", diode, 6.0)),
        asdict(sizes),
        "black PETG or PLA, 100 % full, the panel's side on the bed, no support",
    )


def hood_lid(sizes: HoodSizes) -> Part:
    """Return the lid, upside down: its lip goes into the box."""
    x, y = sizes.inner
    plate = rounded((x + 2 * sizes.wall, y + 2 * sizes.wall, sizes.lid_height), 1.5)
    ring = bar((x - 2 * PRINT_GAP_MM, y - 2 * PRINT_GAP_MM, sizes.lip_height + sizes.lid_height))
    room = bar(
        (x - 2 * PRINT_GAP_MM - 2 * sizes.wall, y - 2 * PRINT_GAP_MM - 2 * sizes.wall, 20.0),
        (0.0, 0.0, sizes.lid_height),
    )
    return Part(
        "hood-lid",
        plate + (ring - room),
        (),
        asdict(sizes),
        "black, 100 % full, flat side on the bed, no support",
    )
