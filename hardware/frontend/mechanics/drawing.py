"""Drawings of printed parts as SVG: a picture, the view from above, a section, the sizes."""

from math import cos, radians, sin

import numpy as np
from manifold3d import CrossSection, Manifold
from numpy.typing import NDArray

from frontend.drawing import MARGIN, sheet_of, text, wire
from frontend.mechanics.checks import box_of
from frontend.mechanics.solids import Part
from frontend.mechanics.stl import facets_of

WIDTH, LINE = 900, 18
VIEW = 380
"""Width and height of each of the two views, of the picture too."""
GREY = "#d9d9d9"


def number(value: float) -> str:
    """Return a coordinate with one place and no minus before a zero."""
    return f"{round(value, 1) + 0.0:g}"


def path_of(flat: CrossSection, at: tuple[float, float], scale: float) -> str:
    """Return a flat figure as an SVG path; `at` is where its lower left corner goes."""
    x0, y0 = flat.bounds()[:2]
    loops = []
    for loop in flat.to_polygons():
        points = [
            f"{number(at[0] + (x - x0) * scale)} {number(at[1] - (y - y0) * scale)}"
            for x, y in loop
        ]
        loops.append("M" + "L".join(points) + "Z")
    # The same figure begins its loops anywhere: sorted they are the same bytes.
    return "".join(sorted(loops))


def measured(x1: float, y1: float, x2: float, y2: float, length_mm: float) -> list[str]:
    """Return a dimension line with its length."""
    label = f"{length_mm:.1f}"
    if y1 == y2:
        ticks = [wire(x, y1 - 4, x, y1 + 4, "#0b5394") for x in (x1, x2)]
        name = text((x1 + x2) / 2, y1 + 16, label, "middle", "#0b5394")
    else:
        ticks = [wire(x1 - 4, y, x1 + 4, y, "#0b5394") for y in (y1, y2)]
        name = text(x1 + 8, (y1 + y2) / 2 + 4, label, "start", "#0b5394")
    return [wire(x1, y1, x2, y2, "#0b5394"), *ticks, name]


def figure(
    flat: CrossSection, at: tuple[float, float], scale: float, title: str, fill: str
) -> list[str]:
    """Return a flat figure with its title and its two lengths."""
    x0, y0, x1, y1 = flat.bounds()
    width, height = (x1 - x0) * scale, (y1 - y0) * scale
    left, bottom = at
    return [
        text(left, bottom - height - 10, title),
        f'<path d="{path_of(flat, at, scale)}" fill="{fill}" fill-rule="evenodd" '
        'stroke="#000000"/>',
        *measured(left, bottom + 12, left + width, bottom + 12, x1 - x0),
        *measured(left + width + 12, bottom, left + width + 12, bottom - height, y1 - y0),
    ]


def seen_from(
    solid: Manifold, turn_deg: float = 35.0, tilt_deg: float = 30.0
) -> NDArray[np.float64]:
    """Return the triangles that face a viewer, the farthest first: [n, 3 corners, 3 axes]."""
    turn, tilt = radians(turn_deg), radians(tilt_deg)
    around = np.array([[cos(turn), -sin(turn), 0], [sin(turn), cos(turn), 0], [0, 0, 1]])
    over = np.array([[1, 0, 0], [0, sin(tilt), cos(tilt)], [0, -cos(tilt), sin(tilt)]])
    facets = facets_of(solid.refine_to_length(max(box_of(solid)) / 6)) @ (over @ around).T
    normals = np.cross(facets[:, 1] - facets[:, 0], facets[:, 2] - facets[:, 0])
    facing: NDArray[np.float64] = facets[normals[:, 2] > 0]
    return facing[np.argsort(facing[:, :, 2].mean(axis=1).round(4), kind="stable")]


def picture(solid: Manifold, at: tuple[float, float]) -> list[str]:
    """Return a shaded picture, `at` being its upper left corner."""
    facets = seen_from(solid)
    flat = facets[:, :, :2]
    low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    scale = VIEW / max(high - low)
    normals = np.cross(facets[:, 1] - facets[:, 0], facets[:, 2] - facets[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    light = np.array([0.3, 0.5, 0.81])
    shades = (70 + 175 * np.clip(normals @ light, 0, 1)).round().astype(int)
    loops: list[str] = []
    drawn = []
    for place, (corners, shade) in enumerate(zip(flat, shades, strict=True)):
        points = "L".join(
            f"{number(at[0] + (x - low[0]) * scale)} {number(at[1] + (high[1] - y) * scale)}"
            for x, y in corners
        )
        loops.append(f"M{points}Z")
        if place + 1 == len(shades) or shades[place + 1] != shade:
            tone = f"#{shade:02x}{shade:02x}{min(shade + 8, 255):02x}"
            drawn.append(f'<path d="{"".join(loops)}" fill="{tone}" stroke="{tone}"/>')
            loops = []
    return drawn


def drawing_of(part: Part) -> str:
    """Return the drawing of a part: lengths in millimetres."""
    width, depth, height = box_of(part.solid)
    scale = min(VIEW / width, VIEW / max(depth, height))
    above, section = part.solid.project(), part.solid.rotate((-90.0, 0.0, 0.0)).slice(0.0)
    top = 3.0 * MARGIN
    rows = top + depth * scale + 40
    left = MARGIN + 10.0
    drawn = [
        text(MARGIN, MARGIN + 4, f"{part.name}, millimetres; {part.hint}"),
        *figure(above, (left, top + depth * scale), scale, "outline from above", GREY),
        *figure(section, (left, rows + 20 + height * scale), scale, "section at Y = 0", "#9fc5e8"),
        *picture(part.solid, (WIDTH - VIEW - MARGIN, top)),
    ]
    views = rows + 20 + height * scale + 50
    seen = seen_from(part.solid)[:, :, :2]
    spans = seen.max(axis=(0, 1)) - seen.min(axis=(0, 1))
    below = max(views, top + spans[1] * VIEW / max(spans) + 40)
    sizes = list(part.sizes.items())
    half = (len(sizes) + 1) // 2
    for place, (name, value) in enumerate(sizes):
        x, y = left + place // half * VIEW, below + place % half * LINE
        drawn.append(text(x, y, f"{name} {value:g}"))
    return sheet_of(drawn, WIDTH, below + half * LINE + 10, part.name)
