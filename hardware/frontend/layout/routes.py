"""Routes: what Freerouting's session file says, as plain tracks and vias."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import dist

from frontend.layout.geometry import Point


@dataclass(frozen=True, slots=True)
class Route:
    """One straight track."""

    net: str
    layer: str
    width_mm: float
    start: Point
    end: Point


@dataclass(frozen=True, slots=True)
class Via:
    """One via through both layers."""

    net: str
    at: Point
    diameter_mm: float
    drill_mm: float


Node = str | list["Node"]
SPECK_MM = 0.01
"""What is shorter is rounding, no track."""
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([()])|([^\s()"]+)')


def parsed(text: str) -> list[Node]:
    """Return an s-expression as nested lists.

    Raises:
        ValueError: a parenthesis is missing.
    """
    stack: list[list[Node]] = [[]]
    for match in TOKEN.finditer(text):
        quoted, bracket, word = match.groups()
        if bracket == "(":
            stack.append([])
        elif bracket == ")":
            if len(stack) < 2:
                raise ValueError("a closing parenthesis too many")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word if word is not None else quoted)
    if len(stack) != 1:
        raise ValueError("a closing parenthesis is missing")
    found = stack[0][0]
    if not isinstance(found, list):
        raise ValueError("not a list")
    return found


def children(node: list[Node], name: str) -> Iterator[list[Node]]:
    """Yield the lists in a list that begin with a name."""
    for item in node:
        if isinstance(item, list) and item and item[0] == name:
            yield item


def child(node: list[Node], name: str) -> list[Node]:
    """Return the first list in a list that begins with a name.

    Raises:
        ValueError: there is none.
    """
    for found in children(node, name):
        return found
    raise ValueError(f"no {name}")


def session(text: str, origin: Point) -> tuple[list[Route], list[Via]]:
    """Return the tracks and vias of a session, counted from the board's corner.

    Raises:
        ValueError: the file is none of Freerouting's.
    """
    routes = child(parsed(text.replace('(string_quote ")', "")), "routes")
    unit, per = child(routes, "resolution")[1:3]
    if unit != "um":
        raise ValueError(f"a session in {unit}; um is expected")
    scale = 1e-3 / float(str(per))

    def point(x: Node, y: Node) -> Point:
        return float(str(x)) * scale - origin[0], -float(str(y)) * scale - origin[1]

    tracks, vias = [], []
    for net in children(child(routes, "network_out"), "net"):
        name = str(net[1])
        for wire in children(net, "wire"):
            path = child(wire, "path")
            layer, width = str(path[1]), float(str(path[2])) * scale
            points = [point(path[i], path[i + 1]) for i in range(3, len(path) - 1, 2)]
            for start, end in pairwise(points):
                if dist(start, end) > SPECK_MM:
                    tracks.append(Route(name, layer, round(width, 4), start, end))
        for via in children(net, "via"):
            sizes = re.search(r"_(\d+):(\d+)_um", str(via[1]))
            if sizes is None:
                raise ValueError(f"a via of unknown size: {via[1]}")
            diameter, drill = (int(size) / 1000 for size in sizes.groups())
            vias.append(Via(name, point(via[2], via[3]), diameter, drill))
    return tracks, vias
