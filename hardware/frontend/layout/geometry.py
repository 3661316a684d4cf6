"""Outlines of parts and where they are, in millimetres; y points down, as on KiCad's screen."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, radians, sin

Point = tuple[float, float]


def turned(point: Point, degrees: float) -> Point:
    """Return a point of a part that is turned counter-clockwise about its anchor."""
    x, y = point
    if degrees % 90 == 0:
        quarter = round(degrees / 90) % 4
        return ((x, y), (y, -x), (-x, -y), (-y, x))[quarter]
    angle = radians(degrees)
    return x * cos(angle) + y * sin(angle), y * cos(angle) - x * sin(angle)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle along the axes."""

    left: float
    top: float
    right: float
    bottom: float

    def grown(self, by: float) -> "Box":
        """Return it with a margin on each side."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def overlap(self, other: "Box") -> float:
        """Return the area that both have."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(width, 0.0) * max(height, 0.0)

    def holds(self, other: "Box") -> bool:
        """Whether the other one is inside."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and self.right >= other.right
            and self.bottom >= other.bottom
        )


@dataclass(frozen=True, slots=True)
class Outline:
    """A footprint: its pads about its anchor, and the room that it needs."""

    pads: Mapping[str, Point]
    room: Box

    def room_at(self, at: "Spot") -> Box:
        """Return the room of a part in its place."""
        corners = [
            turned(corner, at.degrees)
            for corner in (
                (self.room.left, self.room.top),
                (self.room.right, self.room.bottom),
            )
        ]
        xs, ys = sorted(x for x, _y in corners), sorted(y for _x, y in corners)
        return Box(at.x + xs[0], at.y + ys[0], at.x + xs[1], at.y + ys[1])

    def pad_at(self, number: str, at: "Spot") -> Point:
        """Return where a pad is of a part in its place."""
        x, y = turned(self.pads[number], at.degrees)
        return at.x + x, at.y + y


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a part is: its anchor, and how far it is turned counter-clockwise."""

    x: float
    y: float
    degrees: float = 0.0
