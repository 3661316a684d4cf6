"""What parts are made of: bars, holes that come out large enough, and the printer's tolerance."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, pi

from manifold3d import CrossSection, Manifold

PRINT_GAP_MM = 0.25
"""Room on each side between a printed wall and what goes in: a nozzle of 0.4 mm errs by 0.2 mm."""
LEAST_WALL_MM = 1.6
"""Four lines of a nozzle of 0.4 mm."""
SIDES = 48
BEYOND_MM = 1.0
"""How far a cut goes beyond the face that it opens."""

Point = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Bought:
    """A bought part where it is meant to be: it has to go in, and not to rattle."""

    name: str
    body: Manifold
    slack_mm: float = 0.6
    """Wider by this on each side it must not fit any more."""
    along: str = "Z"
    """The way it goes in, along which it may have room."""


@dataclass(frozen=True, slots=True)
class Part:
    """A printed part with what goes into it."""

    name: str
    solid: Manifold
    bought: tuple[Bought, ...]
    sizes: dict[str, float]
    """Its parameters, by name, in millimetres."""
    hint: str
    """How it lies on the bed, and of what it is printed."""


def bar(size: Point, at: Point = (0.0, 0.0, 0.0)) -> Manifold:
    """Return a bar, in the middle of `at` in X and Y, standing on it in Z."""
    x, y, z = size
    return Manifold.cube((x, y, z)).translate((at[0] - x / 2, at[1] - y / 2, at[2]))


def rod(diameter: float, height: float, at: Point = (0.0, 0.0, 0.0)) -> Manifold:
    """Return a round rod along Z."""
    return Manifold.cylinder(height, diameter / 2, circular_segments=SIDES).translate(at)


def hole(diameter: float, height: float, at: Point = (0.0, 0.0, 0.0)) -> Manifold:
    """Return what is cut for a rod of a diameter: its sides lie outside the circle, with a gap."""
    free = (diameter + 2 * PRINT_GAP_MM) / cos(pi / SIDES)
    return rod(free, height, at)


def slot(diameter: float, length: float, height: float, at: Point) -> Manifold:
    """Return what is cut for a screw that moves along X by `length`."""
    ends = [hole(diameter, height, (at[0] + way * length / 2, at[1], at[2])) for way in (-1, 1)]
    return Manifold.batch_hull(ends)


def rounded(size: Point, radius: float, at: Point = (0.0, 0.0, 0.0)) -> Manifold:
    """Return a bar whose upright edges are round."""
    x, y, z = size
    flat = CrossSection.square((x - 2 * radius, y - 2 * radius), center=True)
    return flat.offset(radius, circular_segments=SIDES).extrude(z).translate(at)


def joined(solids: Iterable[Manifold]) -> Manifold:
    """Return all of them as one."""
    whole = Manifold()
    for solid in solids:
        whole = whole + solid
    return whole


def cut(solid: Manifold, *holes: Manifold) -> Manifold:
    """Return a solid without the holes."""
    for one in holes:
        solid = solid - one
    return solid
