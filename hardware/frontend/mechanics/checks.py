"""What a printed part must be: closed, one piece, thick enough, and right for what goes in."""

from collections.abc import Iterator

from manifold3d import Error, Manifold

from frontend.mechanics.solids import LEAST_WALL_MM, Bought, Part

SLICES = 25
SLIVER_MM2 = 0.6
"""Area that rounding takes from a slice's corners, not a wall."""
TURNS = ((0.0, 0.0, 0.0), (90.0, 0.0, 0.0), (0.0, 90.0, 0.0))


def box_of(solid: Manifold) -> tuple[float, float, float]:
    """Return its width, depth and height."""
    x0, y0, z0, x1, y1, z1 = solid.bounding_box()
    return x1 - x0, y1 - y0, z1 - z0


def thin_places(solid: Manifold, wall_mm: float = LEAST_WALL_MM) -> Iterator[str]:
    """Yield where a slice has a place that a disc of a wall's width does not fit into.

    A slice that is shrunk and grown again by half a wall lacks what was thinner. Upright slices
    leave out a wall's width at both ends, where they only graze a round side.
    """
    for axis, turn in zip("ZYX", TURNS, strict=True):
        turned = solid.rotate(turn)
        graze = 0.0 if axis == "Z" else wall_mm
        low, high = turned.bounding_box()[2] + graze, turned.bounding_box()[5] - graze
        for number in range(SLICES):
            at = low + (high - low) * (number + 0.5) / SLICES
            flat = turned.slice(at)
            kept = flat.offset(-wall_mm / 2).offset(wall_mm / 2 + 0.01)
            lost = flat - kept
            worst = max((piece.area() for piece in lost.decompose()), default=0.0)
            if worst > SLIVER_MM2:
                place = f"across {axis} at {at - low:.1f} mm"
                yield f"{place}: {worst:.1f} mm2 thinner than {wall_mm} mm"


def grown(bought: Bought) -> Manifold:
    """Return a bought part that is wider by its slack on each side, about its middle."""
    body = bought.body
    x0, y0, z0, x1, y1, z1 = body.bounding_box()
    middle = ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2)
    sizes = (x1 - x0, y1 - y0, z1 - z0)
    about = body.translate(tuple(-at for at in middle))
    more = [0.0 if axis == bought.along else 2 * bought.slack_mm for axis in "XYZ"]
    larger = about.scale(tuple((size + add) / size for size, add in zip(sizes, more, strict=True)))
    return larger.translate(middle)


def misfits(part: Part, bought: Bought) -> Iterator[str]:
    """Yield whether a bought part meets a wall, or has too much room."""
    overlap = (part.solid ^ bought.body).volume()
    if overlap > 1e-6:
        yield f"{part.name}: {bought.name} meets a wall by {overlap:.3g} mm3"
    if (part.solid ^ grown(bought)).volume() <= 1e-6:
        yield f"{part.name}: {bought.name} has {bought.slack_mm:g} mm of room on each side, or more"


def faults_of_part(part: Part) -> list[str]:
    """Return a sentence for each thing that is not as it must be."""
    solid = part.solid
    found = []
    if solid.status() != Error.NoError or solid.is_empty() or solid.volume() <= 0:
        return [f"{part.name} is not a closed solid: {solid.status()}"]
    if len(solid.decompose()) != 1:
        found.append(f"{part.name} is {len(solid.decompose())} pieces")
    if abs(solid.bounding_box()[2]) > 1e-6:
        found.append(f"{part.name} does not lie on the bed")
    found += [f"{part.name}, {thin}" for thin in thin_places(solid)]
    for bought in part.bought:
        found += misfits(part, bought)
    return found
