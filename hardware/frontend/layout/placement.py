"""Placement by simulated annealing: short wires, no overlaps, each function in its region.

Pure: outlines in, places out; the same seed gives the same board.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from frontend.circuit.facts import Facts, Placed
from frontend.layout import floorplan
from frontend.layout.geometry import Box, Outline, Spot

GRID_MM = 0.25
GAP_MM = 0.4
"""Between the courtyards of two parts."""
OVERLAP_WEIGHT = 40.0
OUTSIDE_WEIGHT = 30.0
NEAR_WEIGHT = 4.0
LABEL_MM = 1.3
"""Room for a label beside what a person has to find: jumpers, test points."""


def room_of(part: Placed, outline: Outline) -> Outline:
    """Return an outline with room for a label where one is needed."""
    by = GAP_MM / 2
    if part.kind.prefix == "TP" or part.tag.split("/")[1].startswith("JP_"):
        by = LABEL_MM
    return Outline(outline.pads, outline.room.grown(by))


@dataclass(slots=True)
class Table:
    """Everything that the annealing looks at, by index."""

    parts: list[Placed]
    outlines: list[Outline]
    spots: list[Spot]
    fixed: list[bool]
    nets: list[tuple[float, list[tuple[int, str]]]]
    of_part: list[list[int]]
    near: dict[int, list[tuple[int, str, int, str]]]
    rooms: list[Box] = field(default_factory=list)

    def length(self, net: int) -> float:
        """Return half the outline of a net's pads, times its weight."""
        weight, pins = self.nets[net]
        xs, ys = [], []
        for index, number in pins:
            x, y = self.outlines[index].pad_at(number, self.spots[index])
            xs.append(x)
            ys.append(y)
        return weight * (max(xs) - min(xs) + max(ys) - min(ys))

    def nearness(self, index: int) -> float:
        """Return what the distances of decoupling cost that a part has to do with."""
        cost = 0.0
        for first, pad, second, pin in self.near.get(index, ()):
            x, y = self.outlines[first].pad_at(pad, self.spots[first])
            u, v = self.outlines[second].pad_at(pin, self.spots[second])
            cost += NEAR_WEIGHT * math.hypot(x - u, y - v)
        return cost

    def overlaps(self, index: int) -> float:
        """Return the area that a part has in common with others and with what is kept free."""
        room = self.rooms[index]
        area = 0.0
        for other, box in enumerate(self.rooms):
            if (
                other != index
                and room.left < box.right
                and box.left < room.right
                and room.top < box.bottom
                and box.top < room.bottom
            ):
                area += room.overlap(box) + 0.2
        for x, y in floorplan.HOLES:
            head = Box(x, y, x, y).grown(floorplan.HEAD_MM / 2)
            area += room.overlap(head)
        if floorplan.is_tall(self.parts[index]) and not self.fixed[index]:
            area += room.overlap(floorplan.PICO)
        return area

    def outside(self, index: int) -> float:
        """Return by how much a part leaves its region and the board, in millimetres."""
        if self.fixed[index]:
            return 0.0
        room, gone = self.rooms[index], 0.0
        for box in (floorplan.region_of(self.parts[index]), floorplan.INSIDE):
            gone += max(box.left - room.left, 0.0) + max(room.right - box.right, 0.0)
            gone += max(box.top - room.top, 0.0) + max(room.bottom - box.bottom, 0.0)
        return gone

    def cost(self, index: int, press: float) -> float:
        """Return what a part costs where it is."""
        wires = sum(self.length(net) for net in self.of_part[index])
        return (
            wires
            + self.nearness(index)
            + press * (OVERLAP_WEIGHT * self.overlaps(index) + OUTSIDE_WEIGHT * self.outside(index))
        )

    def put(self, index: int, spot: Spot) -> None:
        """Put a part somewhere."""
        self.spots[index] = spot
        self.rooms[index] = self.outlines[index].room_at(spot)

    def trouble(self) -> list[str]:
        """Return the tags of parts that overlap or are outside."""
        return [
            part.tag
            for index, part in enumerate(self.parts)
            if (not self.fixed[index] and self.overlaps(index) > 0) or self.outside(index) > 0
        ]


def start_of(part: Placed, source: random.Random) -> Spot:
    """Return where a part is put first."""
    box = floorplan.region_of(part)
    return Spot(
        box.left + (box.right - box.left) * source.random(),
        box.top + (box.bottom - box.top) * source.random(),
        0.0,
    )


def table_of(
    facts: Facts,
    outlines: Mapping[str, Outline],
    source: random.Random,
    known: Mapping[str, Spot],
) -> Table:
    """Return the table with every part somewhere; outlines are by footprint, places by tag."""
    parts = facts.on_board()
    place = {part.tag: index for index, part in enumerate(parts)}
    nets = [
        (floorplan.weight_of(net), [(place[tag], number) for tag, number in pins])
        for net, pins in floorplan.nets_of(facts).items()
        if floorplan.weight_of(net) and len(pins) > 1
    ]
    of_part: list[list[int]] = [[] for _part in parts]
    for number, (_weight, pins) in enumerate(nets):
        for index in sorted({index for index, _pad in pins}):
            of_part[index].append(number)
    near: dict[int, list[tuple[int, str, int, str]]] = {}
    for tag, (owner, pin) in floorplan.NEAR.items():
        if tag not in place:
            continue
        first, second = place[tag], place[owner]
        pad = next(n for n, name, _type in parts[second].kind.pins if name == pin)
        supply = parts[second].nets[pin]
        own = next(n for n, net in parts[first].by_number().items() if net == supply)
        for index in (first, second):
            near.setdefault(index, []).append((first, own, second, pad))
    shapes = [room_of(part, outlines[part.kind.footprint]) for part in parts]
    spots = [
        floorplan.FIXED.get(part.tag) or known.get(part.tag) or start_of(part, source)
        for part in parts
    ]
    table = Table(
        parts,
        shapes,
        spots,
        [part.tag in floorplan.FIXED for part in parts],
        nets,
        of_part,
        near,
    )
    table.rooms = [shape.room_at(spot) for shape, spot in zip(shapes, spots, strict=True)]
    return table


def snapped(value: float) -> float:
    """Return a coordinate on the grid."""
    return round(value / GRID_MM) * GRID_MM


def moved(table: Table, index: int, reach: float, source: random.Random) -> Spot:
    """Return a place near that of a part, perhaps turned."""
    spot = table.spots[index]
    degrees = spot.degrees
    if source.random() < 0.25:
        degrees = source.choice((0.0, 90.0, 180.0, 270.0))
    return Spot(
        snapped(spot.x + reach * (2 * source.random() - 1)),
        snapped(spot.y + reach * (2 * source.random() - 1)),
        degrees,
    )


def anneal(table: Table, rounds: int, source: random.Random) -> None:
    """Move parts about, boldly at first."""
    free = [index for index, fixed in enumerate(table.fixed) if not fixed]
    steps = rounds * len(free)
    for step in range(steps):
        share = step / steps
        heat = 60.0 * (1.0 - share) ** 3 + 0.02
        reach = 40.0 * (1.0 - share) ** 2 + 0.6
        press = 0.1 + 1.5 * share
        index = free[int(source.random() * len(free))]
        old = table.spots[index]
        if source.random() < 0.15:
            other = free[int(source.random() * len(free))]
            if other == index:
                continue
            second = table.spots[other]
            before = table.cost(index, press) + table.cost(other, press)
            table.put(index, second)
            table.put(other, old)
            after = table.cost(index, press) + table.cost(other, press)
            if after > before and source.random() >= math.exp((before - after) / heat):
                table.put(index, old)
                table.put(other, second)
            continue
        before = table.cost(index, press)
        table.put(index, moved(table, index, reach, source))
        after = table.cost(index, press)
        if after > before and source.random() >= math.exp((before - after) / heat):
            table.put(index, old)


def nestle(table: Table, index: int, source: random.Random) -> None:
    """Move one part to where it costs least, the others being where they are."""
    for attempt in range(6_000):
        old, before = table.spots[index], table.cost(index, 20.0)
        table.put(index, moved(table, index, 40.0 * (1 - attempt / 6_000) + 0.5, source))
        if table.cost(index, 20.0) >= before:
            table.put(index, old)


def settle(table: Table, source: random.Random) -> None:
    """Take apart what still overlaps: only moves that cost less."""
    for _turn in range(400):
        bad = [index for index, part in enumerate(table.parts) if part.tag in table.trouble()]
        if not bad:
            return
        for index in bad:
            if table.fixed[index]:
                continue
            for _try in range(200):
                old, before = table.spots[index], table.cost(index, 20.0)
                reach = source.choice((1.0, 4.0, 15.0))
                table.put(index, moved(table, index, reach, source))
                if table.cost(index, 20.0) >= before:
                    table.put(index, old)


def placed(
    facts: Facts,
    outlines: Mapping[str, Outline],
    seed: int,
    rounds: int,
    known: Mapping[str, Spot],
) -> tuple[dict[str, Spot], float, list[str]]:
    """Place a circuit: anew in so many rounds, or none, where most parts have their places.

    Returns:
        Where each part is by its tag, the wires' length, and the parts that found no room.
    """
    source = random.Random(seed)
    table = table_of(facts, outlines, source, known)
    anneal(table, rounds, source)
    settle(table, source)
    for index, part in enumerate(table.parts):
        if known and not table.fixed[index] and known.get(part.tag) != table.spots[index]:
            nestle(table, index, source)
    spots = {part.tag: table.spots[index] for index, part in enumerate(table.parts)}
    length = sum(table.length(net) for net in range(len(table.nets)))
    return spots, length, table.trouble()
