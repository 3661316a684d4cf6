"""Columns of a schematic: a current's way from a supply, through switches and loads, to ground.

A column stands on each transistor or photoMOS whose lower end is at ground, and goes up as long as
one part alone goes on. What leads from its nodes to ground hangs beside it; all else is joined to
it by the names of its nets.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from frontend.circuit.facts import GROUND, SUPPLIES, Placed
from frontend.drawing import colour, text, wire
from frontend.symbols import (
    CHARACTER,
    HANG,
    dot,
    ground,
    photomos,
    supply,
    switch,
    told,
    upright,
    wide,
)

WAYS = (("D", "S"), ("C", "E"), ("A", "K"))
"""Upper and lower pin of what a column's current goes through; a P-channel FET's are swapped."""
UPPER_SWITCH = "AO3401A"
NODE, TALL = 34.0, 100.0
"""Between two parts of a column; with something that hangs from the node."""
ELEMENT = {"R": HANG, "L": HANG, "Q": 60.0, "T": 60.0, "K": 76.0}
GAP = 26.0


@dataclass(slots=True)
class Column:
    """Parts from the ground up, and the nets below, between and above them."""

    nets: list[str]
    parts: list[Placed] = field(default_factory=list)


def ends(part: Placed) -> tuple[str, str] | None:
    """Return upper and lower pin of a switch; nothing for any other part."""
    if part.kind.prefix not in ("Q", "T", "K"):
        return None
    for upper, lower in WAYS:
        if upper in part.nets and lower in part.nets:
            return (lower, upper) if part.kind.name == UPPER_SWITCH else (upper, lower)
    return None


def next_part(net: str, parts: Sequence[Placed], used: set[str]) -> Placed | None:
    """Return what goes on above a net: a switch, a coil, or a resistor that nothing else is at."""
    here = [part for part in parts if net in part.nets.values()]
    free = [part for part in here if part.ref not in used]
    for part in free:
        way = ends(part)
        if way and part.nets[way[1]] == net:
            return part
    for part in free:
        if part.kind.prefix == "L" and len(part.nets) == 2:
            return part
    for part in free:
        others = part.others(net)
        if part.kind.prefix != "R" or len(part.kind.pins) != 2 or GROUND in others:
            continue
        if len(here) == 2 or set(others) & set(SUPPLIES):
            return part
    return None


def columns_of(parts: Sequence[Placed]) -> list[Column]:
    """Return the columns: each switch whose way leads to ground is in one of them."""
    used: set[str] = set()
    found = []
    for foot in parts:
        way = ends(foot)
        if not way or foot.nets[way[1]] != GROUND or foot.ref in used:
            continue
        column = Column([GROUND])
        part: Placed | None = foot
        while part:
            used.add(part.ref)
            way = ends(part)
            below = column.nets[-1]
            column.parts.append(part)
            column.nets.append(part.nets[way[0]] if way else part.others(below)[0])
            net = column.nets[-1]
            part = None if net in SUPPLIES else next_part(net, parts, used)
        found.append(column)
    return found


def shunts_of(column: Column, shunts: Sequence[Placed]) -> dict[str, list[Placed]]:
    """Return what leads from each of a column's inner nodes to ground."""
    inner = [net for net in column.nets[1:] if net not in SUPPLIES]
    return {
        net: [part for part in shunts if set(part.nets.values()) == {net, GROUND}] for net in inner
    }


def left_of(column: Column) -> float:
    """Return the room at a column's left: names of gates."""
    names = [part.nets.get("G", part.nets.get("B", "")) for part in column.parts]
    return 64 + CHARACTER * max(len(name) for name in names)


def right_of(column: Column, hanging: dict[str, list[Placed]]) -> float:
    """Return the room at its right: names of nodes and parts, what hangs, a photoMOS's contact."""
    room = [90.0]
    for part in column.parts:
        room.append(34 + CHARACTER * max(len(part.ref), len(told(part))))
        if part.kind.prefix == "K":
            contacts = [part.nets.get(pin, "") for pin in ("O1", "O2")]
            room.append(128 + CHARACTER * max(len(net) for net in contacts))
    for net, parts in hanging.items():
        room.append(34 + CHARACTER * len(net) + sum(wide(part) for part in parts))
    return max(room)


def drawn_column(
    column: Column, shunts: Sequence[Placed], x: float, y: float
) -> tuple[list[str], float, set[str]]:
    """Return a column from its upper end at (x, y) down, where it ends, and what hangs from it."""
    hanging = shunts_of(column, shunts)
    drawn: list[str] = []
    top = column.nets[-1]
    if top in SUPPLIES:
        drawn += supply(x, y, top)
    else:
        drawn.append(text(x + 8, y + 4, top, "start", colour(top)))
    at = y
    for place in range(len(column.parts) - 1, -1, -1):
        part, above = column.parts[place], column.nets[place + 1]
        if above in hanging:
            tall = TALL if hanging[above] else NODE
            drawn += node(above, hanging[above], x, at + 18, top != above)
            drawn.append(wire(x, at, x, at + tall))
            at += tall
        high = ELEMENT[part.kind.prefix]
        if part.kind.prefix in "QT":
            drawn += switch(part, x, at, upside=part.kind.name == UPPER_SWITCH)
        elif part.kind.prefix == "K":
            drawn += photomos(part, x, at)
        else:
            names = list(part.nets)
            pins = names if part.nets[names[0]] == above else names[::-1]
            drawn += upright(part, x, at, True, pins)
        at += high
    drawn += [wire(x, at, x, at + 8), *ground(x, at + 8)]
    return drawn, at + 30, {part.ref for parts in hanging.values() for part in parts}


def node(net: str, parts: Sequence[Placed], x: float, y: float, named: bool) -> list[str]:
    """Return a node's name at the right of a column, and what hangs from it to ground."""
    drawn = []
    at = x + 20
    if named:
        drawn.append(text(x + 8, y - 4, net, "start", colour(net)))
        at += CHARACTER * len(net)
    if parts:
        drawn.append(dot(x, y))
    for part in parts:
        pins = list(part.nets) if next(iter(part.nets.values())) == net else list(part.nets)[::-1]
        drawn += [wire(x, y, at, y), *upright(part, at, y, True, pins), *ground(at, y + HANG)]
        at += wide(part)
    return drawn
