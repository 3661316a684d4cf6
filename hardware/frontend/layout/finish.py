"""The last connections: what the autorouter left, or a change broke, by a search on a fine grid.

`python -m frontend.layout.finish BOARD EXTRA` reads a board and writes the tracks and vias that it
lacks: as wide as their net's class where there is room, else as narrow as the maker's limits allow.
Nothing that lies is moved. `kept` tells what of an older board still fits on a new one.
"""

import argparse
import heapq
import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from frontend.layout import floorplan
from frontend.layout.board_file import (
    Area,
    CommittedBoard,
    Islands,
    Pad,
    Thing,
    Track,
    Via,
    in_area,
    read_board,
    touches,
)
from frontend.layout.geometry import Point
from frontend.layout.routes import SPECK_MM

GRID_MM = 0.1
TRACK_MM, CLEAR_MM = 0.15, 0.21
VIA_MM, DRILL_MM = 0.5, 0.3
EDGE_MM = 0.35
INSIDE_MM = 0.0225
"""KiCad takes a track for joined whose end lies well within other copper."""
BROAD = (floorplan.PLANE, "+3V3")
"""Nets with so many ways that an end which just touches is none that matters."""
KEPT_CLEAR_MM = 0.199
"""A track of an older board stays where it is so far from all others: the classes' clearance."""
VIA_COST = 15.0
LAYERS = ("F.Cu", "B.Cu")
Cell = tuple[int, int, int]
Mask = NDArray[np.bool_]


class Grid:
    """The board as cells, and what is in the way of one net."""

    def __init__(self, board: CommittedBoard, net: str, width: float = TRACK_MM) -> None:
        self.width = width
        self.left = min(x for x, _y in board.edge)
        self.top = min(y for _x, y in board.edge)
        self.columns = round((max(x for x, _y in board.edge) - self.left) / GRID_MM) + 1
        self.rows = round((max(y for _x, y in board.edge) - self.top) / GRID_MM) + 1
        shape = (2, self.rows, self.columns)
        self.blocked: Mask = np.zeros(shape, dtype=bool)
        self.no_via: Mask = np.zeros(shape[1:], dtype=bool)
        rim = round(EDGE_MM / GRID_MM) + 1
        for mask in (self.blocked[0], self.blocked[1], self.no_via):
            mask[:rim], mask[-rim:], mask[:, :rim], mask[:, -rim:] = True, True, True, True
        for thing in foreign(board, net):
            for layer in layers_of(thing):
                self.block(self.blocked[layer], thing, width / 2 + CLEAR_MM)
            self.block(self.no_via, thing, VIA_MM / 2 + CLEAR_MM)
        for thing in own_holes(board, net):
            self.block(self.no_via, thing, VIA_MM / 2 + CLEAR_MM + 0.1)

    def cell(self, point: Point) -> tuple[int, int]:
        """Return row and column of a point."""
        return (
            round((point[1] - self.top) / GRID_MM),
            round((point[0] - self.left) / GRID_MM),
        )

    def point(self, row: int, column: int) -> Point:
        """Return the point of a cell."""
        return round(self.left + column * GRID_MM, 4), round(self.top + row * GRID_MM, 4)

    def block(self, mask: Mask, thing: Thing, reach: float) -> None:
        """Mark the cells that are nearer to a thing than `reach`."""
        (left, top), (right, bottom) = box_of(thing)
        row0, column0 = self.cell((left - reach, top - reach))
        row1, column1 = self.cell((right + reach, bottom + reach))
        rows = np.arange(max(row0, 0), min(row1 + 2, self.rows))
        columns = np.arange(max(column0, 0), min(column1 + 2, self.columns))
        if not len(rows) or not len(columns):
            return
        y = (self.top + rows * GRID_MM)[:, None]
        x = (self.left + columns * GRID_MM)[None, :]
        near = distance(thing, x.astype(np.float64), y.astype(np.float64)) < reach
        mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] |= near


def layers_of(thing: Thing) -> list[int]:
    """Return the layers that a thing is on."""
    if isinstance(thing, Via):
        return [0, 1]
    names = thing.layers if isinstance(thing, Pad) else [thing.layer]
    return [LAYERS.index(name) for name in names]


def box_of(thing: Thing) -> tuple[Point, Point]:
    """Return the corners of what a thing covers."""
    if isinstance(thing, Pad):
        (x, y), (u, v) = thing.at, thing.half
        return (x - u, y - v), (x + u, y + v)
    if isinstance(thing, Via):
        x, y = thing.at
        half = thing.size / 2
        return (x - half, y - half), (x + half, y + half)
    assert isinstance(thing, Track)
    xs, ys = sorted((thing.start[0], thing.end[0])), sorted((thing.start[1], thing.end[1]))
    half = thing.width / 2
    return (xs[0] - half, ys[0] - half), (xs[1] + half, ys[1] + half)


def distance(thing: Thing, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far points are from a thing's edge; 0 or less inside."""
    if isinstance(thing, Pad):
        across = np.maximum(np.abs(x - thing.at[0]) - thing.half[0], 0.0)
        down = np.maximum(np.abs(y - thing.at[1]) - thing.half[1], 0.0)
        return np.asarray(np.hypot(across, down))
    if isinstance(thing, Via):
        return np.asarray(np.hypot(x - thing.at[0], y - thing.at[1]) - thing.size / 2)
    assert isinstance(thing, Track)
    (x1, y1), (x2, y2) = thing.start, thing.end
    long = (x2 - x1) ** 2 + (y2 - y1) ** 2
    share = 0.0 if not long else ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / long
    share = np.clip(share, 0.0, 1.0)
    away = np.hypot(x - x1 - share * (x2 - x1), y - y1 - share * (y2 - y1))
    return np.asarray(away - thing.width / 2)


def foreign(board: CommittedBoard, net: str) -> Iterator[Thing]:
    """Yield the copper of all other nets; areas give way when they are filled again."""
    yield from (pad for pad in board.pads if pad.net != net)
    yield from (track for track in board.tracks if track.net != net)
    yield from (via for via in board.vias if via.net != net)


def own_holes(board: CommittedBoard, net: str) -> Iterator[Thing]:
    """Yield what has a hole of the same net: a via must not be drilled into it."""
    yield from (pad for pad in board.pads if pad.net == net)
    yield from (via for via in board.vias if via.net == net)


def pieces(board: CommittedBoard, net: str) -> list[list[Thing]]:
    """Return the things of a net by what hangs together; only pieces with a pad."""
    things: list[Thing] = [pad for pad in board.pads if pad.net == net]
    things += [track for track in board.tracks if track.net == net]
    things += [via for via in board.vias if via.net == net]
    things += [area for area in board.areas if area.net == net]
    islands = Islands(len(things))
    for index, first in enumerate(things):
        for other in range(index):
            if islands.root(index) != islands.root(other) and touches(first, things[other]):
                islands.join(index, other)
    groups: dict[int, list[Thing]] = {}
    for index, thing in enumerate(things):
        groups.setdefault(islands.root(index), []).append(thing)
    found = [group for group in groups.values() if any(isinstance(one, Pad) for one in group)]
    return sorted(found, key=len)


def ends_of(grid: Grid, group: Iterable[Thing]) -> set[Cell]:
    """Return the cells at which a track may start or end on a piece."""
    cells = set()
    for thing in group:
        if isinstance(thing, Area):
            continue
        points = [thing.at] if isinstance(thing, Pad | Via) else [thing.start, thing.end]
        for layer in layers_of(thing):
            found = ((layer, *grid.cell(point)) for point in points)
            cells |= {cell for cell in found if not grid.blocked[cell]}
    return cells


STEPS = [(r, c, math.hypot(r, c)) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]


def search(grid: Grid, starts: set[Cell], goals: set[Cell]) -> list[Cell]:
    """Return the cheapest way from some cells to others; empty where there is none."""
    rows = [row for _layer, row, _column in goals]
    columns = [column for _layer, _row, column in goals]
    box = (min(rows), max(rows), min(columns), max(columns))

    def rest(row: int, column: int) -> float:
        down = max(box[0] - row, row - box[1], 0)
        across = max(box[2] - column, column - box[3], 0)
        return math.hypot(down, across)

    queue = [(rest(row, column), 0.0, (layer, row, column)) for layer, row, column in starts]
    heapq.heapify(queue)
    best = dict.fromkeys(starts, 0.0)
    came: dict[Cell, Cell] = {}
    while queue:
        _estimate, cost, here = heapq.heappop(queue)
        if cost > best.get(here, math.inf):
            continue
        if here in goals:
            way = [here]
            while way[-1] in came:
                way.append(came[way[-1]])
            return way[::-1]
        layer, row, column = here
        nexts = [((layer, row + r, column + c), long) for r, c, long in STEPS]
        if not grid.no_via[row, column]:
            nexts.append(((1 - layer, row, column), VIA_COST))
        for there, long in nexts:
            if grid.blocked[there] and there not in goals:
                continue
            total = cost + long
            if total < best.get(there, math.inf):
                best[there] = total
                came[there] = here
                heapq.heappush(queue, (total + rest(there[1], there[2]), total, there))
    return []


def laid(grid: Grid, net: str, way: list[Cell]) -> tuple[list[Track], list[Via]]:
    """Return tracks and vias along a way, straight pieces as one track."""
    tracks, vias = [], []
    start = 0
    for index in range(1, len(way)):
        here, there = way[index - 1], way[index]
        if here[0] != there[0]:
            vias.append(Via(net, grid.point(*here[1:]), VIA_MM, DRILL_MM))
        after = way[index + 1] if index + 1 < len(way) else None
        turn = after is None or tuple(np.subtract(after, there)) != tuple(np.subtract(there, here))
        if turn:
            if way[start][0] == there[0] and way[start] != there:
                ends = grid.point(*way[start][1:]), grid.point(*there[1:])
                tracks.append(Track(net, LAYERS[there[0]], grid.width, *ends))
            start = index
    return tracks, vias


STITCH_MM = 4.0
"""How far apart the vias are that join ground above and below."""


def stitches(board: CommittedBoard) -> list[Via]:
    """Return vias between the areas of ground, wherever both are and nothing is in the way."""
    net = floorplan.PLANE
    grid = Grid(board, net)
    areas = [[area for area in board.areas if (area.net, area.layer) == (net, n)] for n in LAYERS]
    step = round(STITCH_MM / GRID_MM)
    found = []
    for row in range(step // 2, grid.rows, step):
        for column in range(step // 2, grid.columns, step):
            point = grid.point(row, column)
            both = all(any(in_area(point, area) for area in side) for side in areas)
            if both and not grid.no_via[row, column]:
                found.append(Via(net, point, VIA_MM, DRILL_MM))
    return found


def away(thing: Track | Via, other: Thing) -> float:
    """Return how far apart the copper of two things is, to a twentieth of a millimetre."""
    ends = (thing.at, thing.at) if isinstance(thing, Via) else (thing.start, thing.end)
    (x1, y1), (x2, y2) = ends
    steps = np.linspace(0.0, 1.0, 2 + int(math.dist(*ends) / 0.05))
    half = (thing.size if isinstance(thing, Via) else thing.width) / 2
    return float(np.min(distance(other, x1 + steps * (x2 - x1), y1 + steps * (y2 - y1)))) - half


def fits(thing: Track | Via, newcomers: Iterable[Thing]) -> bool:
    """Whether a track or via keeps away from pads and tracks that are new."""
    (left, top), (right, bottom) = box_of(thing)
    for other in newcomers:
        if other.net == thing.net:
            continue
        (x1, y1), (x2, y2) = box_of(other)
        near = x1 < right + 1 and left < x2 + 1 and y1 < bottom + 1 and top < y2 + 1
        shared = set(layers_of(thing)) & set(layers_of(other))
        if near and shared and away(thing, other) < KEPT_CLEAR_MM:
            return False
    return True


def rounded(point: Point) -> Point:
    """Return a point to a micrometre: what is less is arithmetic."""
    return round(point[0], 3), round(point[1], 3)


def way_of(track: Track) -> tuple[str, Point, Point]:
    """Return what makes two tracks the same one."""
    first, second = sorted((rounded(track.start), rounded(track.end)))
    return track.net, first, second


def kept(old: CommittedBoard, new: CommittedBoard) -> tuple[list[Track], list[Via]]:
    """Return the tracks and vias of an older board that fit on a new one and lead somewhere.

    The new one has its parts, and the tracks that are laid by rule, which are not returned.
    """
    laid = {way_of(track) for track in new.tracks}
    all_tracks = [track for track in old.tracks if way_of(track) not in laid]
    nets = {pad.net for pad in new.pads}
    before, after = ({(p.net, rounded(p.at)) for p in board.pads} for board in (old, new))
    comers: list[Thing] = [pad for pad in new.pads if (pad.net, rounded(pad.at)) not in before]
    ways = {way_of(track) for track in old.tracks}
    comers += [track for track in new.tracks if way_of(track) not in ways]
    tracks = [track for track in all_tracks if track.net in nets and fits(track, comers)]
    vias = [via for via in old.vias if via.net in nets and fits(via, comers)]
    changed = {net for net, _at in before ^ after}
    changed |= {t.net for t in set(all_tracks) - set(tracks)}
    changed |= {v.net for v in set(old.vias) - set(vias)}
    for net in sorted(changed & nets):
        while loose := loose_of(net, tracks, vias, new):
            tracks = [track for track in tracks if track not in loose]
            vias = [via for via in vias if via not in loose]
    return tracks, vias


def loose_of(
    net: str, tracks: list[Track], vias: list[Via], board: CommittedBoard
) -> set[Track | Via]:
    """Return the tracks and vias of a net that lead nowhere on one side."""
    own: list[Thing] = [track for track in (*tracks, *board.tracks) if track.net == net]
    own += [via for via in vias if via.net == net]
    own += [pad for pad in board.pads if pad.net == net]
    loose: set[Track | Via] = set()
    for track in tracks:
        if track.net == net:
            tips = [Via(net, end, 0.0, 0.0) for end in (track.start, track.end)]
            if not all(any(meets(track, tip, one) for one in own) for tip in tips):
                loose.add(track)
    for via in vias:
        if (
            via.net == net != floorplan.PLANE
            and sum(touches(via, one) for one in own if one != via) < 2
        ):
            loose.add(via)
    return loose


def meets(track: Track, tip: Via, other: Thing) -> bool:
    """Whether the end of a track lies in another thing of its net."""
    if other == track or not set(layers_of(track)) & set(layers_of(other)):
        return False
    inside = -SPECK_MM if tip.net in BROAD else INSIDE_MM
    return float(distance(other, np.array(tip.at[0]), np.array(tip.at[1]))) <= -inside


ATTEMPTS = 6
"""Enough for a change of a few parts; each is some ten seconds."""


def finished(board: CommittedBoard) -> tuple[list[Track], list[Via], list[str]]:
    """Return the tracks and vias that a board lacks, and the nets that stay in pieces.

    A net for which no way is left goes first in the next attempt.
    """
    nets = sorted({pad.net for pad in board.pads} - {""})
    for _attempt in range(ATTEMPTS):
        now = replace(board, tracks=[*board.tracks], vias=[*board.vias])
        tracks, vias, failed = in_order(now, nets)
        if not failed:
            break
        nets = [*failed, *(net for net in nets if net not in failed)]
    return tracks, vias, failed


def in_order(
    board: CommittedBoard, nets: Sequence[str]
) -> tuple[list[Track], list[Via], list[str]]:
    """Lay what a board lacks net by net, and return it with the nets that stay in pieces."""
    tracks: list[Track] = []
    vias: list[Via] = []
    failed = []
    if not any(via.size == VIA_MM and via.net == floorplan.PLANE for via in board.vias):
        vias += stitches(board)
        board.vias.extend(vias)
    for net in nets:
        groups = pieces(board, net)
        while len(groups) > 1:
            rest = [thing for group in groups[1:] for thing in group]
            for width in (floorplan.track_of(net), TRACK_MM):
                grid = Grid(board, net, width)
                way = search(grid, ends_of(grid, groups[0]), ends_of(grid, rest))
                if way:
                    break
            else:
                failed.append(net)
                break
            more, holes = laid(grid, net, way)
            # A way's ends are cells; what it joins lies a little beside them, in the copper.
            board.tracks.extend(more)
            board.vias.extend(holes)
            tracks += more
            vias += holes
            left = pieces(board, net)
            if len(left) >= len(groups):
                failed.append(net)
                break
            groups = left
    return tracks, vias, failed


def main() -> int:
    """Write what a board lacks."""
    parser = argparse.ArgumentParser(prog="python -m frontend.layout.finish", description=__doc__)
    parser.add_argument("board", type=Path)
    parser.add_argument("extra", type=Path)
    options = parser.parse_args()
    tracks, vias, failed = finished(read_board(options.board.read_text("utf-8")))
    before = json.loads(options.extra.read_text("utf-8")) if options.extra.is_file() else {}
    extra = {
        "tracks": before.get("tracks", [])
        + [[t.net, t.layer, t.width, *t.start, *t.end] for t in tracks],
        "vias": before.get("vias", []) + [[v.net, *v.at, v.size, v.drill] for v in vias],
    }
    options.extra.write_text(json.dumps(extra, indent=0) + "\n", "utf-8")
    for net in failed:
        print(f"make board: no way is left for {net}", file=sys.stderr)
    print(f"{len(tracks)} tracks and {len(vias)} vias for what the autorouter left")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
