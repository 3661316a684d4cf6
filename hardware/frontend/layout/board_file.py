"""A board file, read without KiCad: pads, tracks, vias, copper areas, and what hangs together."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from frontend.layout.geometry import Point, turned
from frontend.layout.routes import Node, child, children, parsed


@dataclass(frozen=True, slots=True)
class Pad:
    """A pad; `half` is half its size."""

    ref: str
    number: str
    net: str
    at: Point
    half: Point
    layers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Track:
    """A straight track."""

    net: str
    layer: str
    width: float
    start: Point
    end: Point


@dataclass(frozen=True, slots=True)
class Via:
    """A via through all layers."""

    net: str
    at: Point
    size: float
    drill: float


@dataclass(frozen=True, slots=True)
class Area:
    """A piece of a filled copper area."""

    net: str
    layer: str
    points: tuple[Point, ...]


Thing = Pad | Track | Via | Area


@dataclass(frozen=True, slots=True)
class CommittedBoard:
    """What a board file holds, in millimetres of its sheet."""

    pads: list[Pad]
    tracks: list[Track]
    vias: list[Via]
    areas: list[Area]
    edge: list[Point]
    places: dict[str, tuple[float, float, float]]
    values: dict[str, str]
    texts: list[tuple[str, str]]


def numbers(node: list[Node]) -> list[float]:
    """Return the numbers in a list."""
    return [float(str(value)) for value in node[1:] if not isinstance(value, list)]


def optional(node: list[Node], name: str) -> list[Node] | None:
    """Return the first list of a name, or None."""
    return next(children(node, name), None)


COPPER = frozenset(("F.Cu", "B.Cu"))


def pads_of(footprint: list[Node], ref: str, place: tuple[float, float, float]) -> Iterator[Pad]:
    """Yield the copper pads of a footprint in its place."""
    for pad in children(footprint, "pad"):
        at = numbers(child(pad, "at"))
        x, y = turned((at[0], at[1]), place[2])
        angle = at[2] if len(at) > 2 else 0.0
        width, height = numbers(child(pad, "size"))
        half = (width / 2, height / 2) if round(angle) % 180 == 0 else (height / 2, width / 2)
        net = optional(pad, "net")
        named = {str(layer) for layer in child(pad, "layers")[1:]}
        layers = COPPER if "*.Cu" in named else COPPER & named
        if layers:
            name = str(net[2]) if net else ""
            yield Pad(ref, str(pad[1]), name, (place[0] + x, place[1] + y), half, layers)


def read_board(text: str) -> CommittedBoard:
    """Return what a board file says.

    Raises:
        ValueError: it is none, or damaged.
    """
    tree = parsed(text)
    names = {str(net[1]): str(net[2]) for net in children(tree, "net")}
    board = CommittedBoard([], [], [], [], [], {}, {}, [])
    for footprint in children(tree, "footprint"):
        at = numbers(child(footprint, "at"))
        place = (at[0], at[1], at[2] if len(at) > 2 else 0.0)
        written = {str(item[1]): str(item[2]) for item in children(footprint, "fp_text")}
        board.places[written["reference"]] = place
        board.values[written["reference"]] = written["value"]
        board.pads.extend(pads_of(footprint, written["reference"], place))
    for item in children(tree, "segment"):
        start, end = (numbers(child(item, key)) for key in ("start", "end"))
        width = numbers(child(item, "width"))[0]
        net = names[str(child(item, "net")[1])]
        layer = str(child(item, "layer")[1])
        board.tracks.append(Track(net, layer, width, (start[0], start[1]), (end[0], end[1])))
    for item in children(tree, "via"):
        x, y = numbers(child(item, "at"))[:2]
        size, drill = (numbers(child(item, key))[0] for key in ("size", "drill"))
        board.vias.append(Via(names[str(child(item, "net")[1])], (x, y), size, drill))
    for zone in children(tree, "zone"):
        net = names[str(child(zone, "net")[1])]
        for filled in children(zone, "filled_polygon"):
            points = [numbers(xy) for xy in children(child(filled, "pts"), "xy")]
            corners = tuple((x, y) for x, y in points)
            board.areas.append(Area(net, str(child(filled, "layer")[1]), corners))
    for line in children(tree, "gr_line"):
        if str(child(line, "layer")[1]) == "Edge.Cuts":
            board.edge.extend(
                (n[0], n[1]) for n in (numbers(child(line, k)) for k in ("start", "end"))
            )
    for item in children(tree, "gr_text"):
        board.texts.append((str(item[1]), str(child(item, "layer")[1])))
    return board


def in_pad(point: Point, pad: Pad, slack: float = 0.01) -> bool:
    """Whether a point is in a pad."""
    return (
        abs(point[0] - pad.at[0]) <= pad.half[0] + slack
        and abs(point[1] - pad.at[1]) <= pad.half[1] + slack
    )


def in_area(point: Point, area: Area) -> bool:
    """Whether a point is in a copper area."""
    x, y = point
    inside = False
    corners = area.points
    for (x1, y1), (x2, y2) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            inside = not inside
    return inside


def off_line(point: Point, start: Point, end: Point) -> float:
    """Return how far a point is from a line."""
    (x, y), (x1, y1), (x2, y2) = point, start, end
    long = (x2 - x1) ** 2 + (y2 - y1) ** 2
    share = 0.0 if long == 0 else ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / long
    share = min(max(share, 0.0), 1.0)
    return math.hypot(x - x1 - share * (x2 - x1), y - y1 - share * (y2 - y1))


class Islands:
    """Which things of one net hang together."""

    def __init__(self, count: int) -> None:
        self.above = list(range(count))

    def root(self, index: int) -> int:
        """Return what stands for all that hangs together with one."""
        while self.above[index] != index:
            index = self.above[index]
        return index

    def join(self, first: int, second: int) -> None:
        """Join two."""
        self.above[self.root(first)] = self.root(second)


def touches_track(track: Track, thing: Thing) -> bool:
    """Whether a track and another thing of its net touch."""
    ends = (track.start, track.end)
    if isinstance(thing, Pad):
        return track.layer in thing.layers and any(in_pad(end, thing) for end in ends)
    if isinstance(thing, Via):
        return any(math.dist(end, thing.at) <= thing.size / 2 for end in ends)
    if isinstance(thing, Track):
        if thing.layer != track.layer:
            return False
        near = [off_line(end, thing.start, thing.end) <= thing.width / 2 for end in ends]
        near += [
            off_line(end, track.start, track.end) <= track.width / 2
            for end in (thing.start, thing.end)
        ]
        return any(near)
    return thing.layer == track.layer and any(in_area(end, thing) for end in ends)


def touches(first: Thing, second: Thing) -> bool:
    """Whether two things of one net touch."""
    if isinstance(first, Track):
        return touches_track(first, second)
    if isinstance(second, Track):
        return touches_track(second, first)
    if isinstance(second, Area):
        first, second = second, first
    if isinstance(first, Area):
        if isinstance(second, Pad):
            # A thermal spoke ends in the pad; a pad without relief lies in the area.
            reaches = any(in_pad(point, second) for point in first.points)
            return first.layer in second.layers and (reaches or in_area(second.at, first))
        return isinstance(second, Via) and in_area(second.at, first)
    if isinstance(second, Pad):
        first, second = second, first
    return isinstance(first, Pad) and isinstance(second, Via) and in_pad(second.at, first)


def unrouted(board: CommittedBoard) -> list[str]:
    """Return a sentence for each net whose pads do not all hang together."""
    found = []
    for net in sorted({pad.net for pad in board.pads} - {""}):
        things: list[Thing] = [pad for pad in board.pads if pad.net == net]
        pads = len(things)
        things += [track for track in board.tracks if track.net == net]
        things += [via for via in board.vias if via.net == net]
        things += [area for area in board.areas if area.net == net]
        islands = Islands(len(things))
        for index, first in enumerate(things):
            for other in range(index):
                if islands.root(index) != islands.root(other) and touches(first, things[other]):
                    islands.join(index, other)
        parts = {islands.root(index) for index in range(pads)}
        if len(parts) > 1:
            found.append(f"{net} is in {len(parts)} pieces")
    return found
