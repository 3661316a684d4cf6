"""Schematics as SVG, one sheet for each function, laid out from the circuit.

Parts with two pins make rows from left to right; what goes to ground hangs below its node, what
goes to a supply stands above. A current's way from a supply through switches to ground is a column
(`frontend.columns`). Amplifiers and connectors follow. Rows, columns and boxes are joined
by the names of their nets. Each pin has its number.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from frontend.circuit.facts import COMPARATORS, GROUND, SUPPLIES, Facts, Placed
from frontend.columns import GAP, Column, columns_of, drawn_column, left_of, right_of, shunts_of
from frontend.drawing import MARGIN, box, colour, sheet_of, text, wire
from frontend.symbols import (
    CHARACTER,
    HANG,
    STEP,
    along,
    block,
    dot,
    ground,
    small,
    supply,
    transistor,
    triangle,
    upright,
    wide,
)

LEFT = 170.0
WIDTH = 1110.0
ROW_ROOM = 560.0
"""After so much a row ends, and goes on in another one."""
AMPLIFIERS = {"MCP6024": "ABCD"}
UNIT_HEIGHT = 92.0
RAILS = (*SUPPLIES, GROUND)


@dataclass(slots=True)
class Row:
    """One way through series parts: nodes, and what is between each two of them."""

    nodes: list[str]
    links: list[list[Placed]] = field(default_factory=list)


def pair(part: Placed) -> tuple[str, str]:
    """Return the nets of a part with two pins."""
    first, second = part.nets.values()
    return first, second


def is_link(part: Placed) -> bool:
    """Whether a part has two pins that are both connected, and is drawn in a row."""
    return len(part.nets) == 2 and len(part.kind.pins) == 2 and part.kind.prefix not in ("J", "S")


def rank(net: str) -> int:
    """Return how far to the left a net belongs."""
    for place, starts in enumerate((("DUT_",), ("DRIVE_", "HEARTBEAT"), ("VREF", "TH_"))):
        if net.startswith(starts):
            return place
    ends = (("_NODE", 3), ("_HOLD", 3), ("_OUT", 6), ("_CLAMP", 7), ("_IN", 6))
    late = next((place for end, place in ends if net.endswith(end)), 5)
    return 8 if net.startswith("SENSE_") else late


def rows_of(parts: Sequence[Placed]) -> list[Row]:
    """Return the rows: each series part is in one of them."""
    links = [part for part in parts if not set(pair(part)) & set(RAILS)]
    waiting = list(links)
    rows = []
    while waiting:
        ends = sorted({net for part in waiting for net in pair(part)}, key=lambda n: (rank(n), n))
        row = Row([ends[0]])
        long = 0.0
        while long < ROW_ROOM:
            here = row.nodes[-1]
            on = [part for part in waiting if here in pair(part)]
            if not on:
                break
            there = sorted(
                {o for part in on for o in pair(part) if o != here},
                key=lambda n: (n.endswith("_CLAMP"), rank(n) == 8, n),
            )[0]
            both = [part for part in on if set(pair(part)) == {here, there}]
            row.links.append(both)
            row.nodes.append(there)
            long += STEP + 24 + CHARACTER * len(there)
            waiting = [part for part in waiting if part not in both]
        rows.append(row)
    return rows


def pins_from(part: Placed, net: str) -> list[str]:
    """Return a part's pins, that on a net first."""
    pins = list(part.nets)
    return pins if part.nets[pins[0]] == net else pins[::-1]


def branches(parts: Sequence[Placed], net: str, rails: Sequence[str]) -> list[Placed]:
    """Return the parts from a net to one of some rails."""
    return [
        part
        for part in parts
        if net in pair(part) and (set(pair(part)) - {net}) & set(rails) and net not in rails
    ]


def row_drawn(row: Row, shunts: Sequence[Placed], y: float) -> tuple[list[str], float]:
    """Return a row, and where it ends."""
    down = {net: branches(shunts, net, [GROUND]) for net in row.nodes}
    up = {net: branches(shunts, net, SUPPLIES) for net in row.nodes}
    most = max(len(both) for both in row.links) if row.links else 1
    top = y + max(34.0 * most, HANG + 34 if any(up.values()) else 30.0)
    drawn = []
    x = LEFT
    first = row.nodes[0]
    drawn.append(text(x - 10, top + 4, first, "end", colour(first)))
    for place, net in enumerate(row.nodes):
        start = x
        ends = [start]
        for hang, way in ((down[net], True), (up[net], False)):
            at = start + 12
            for part in hang:
                drawn += [dot(at, top), *upright(part, at, top, way, pins_from(part, net))]
                far = next(o for o in pair(part) if o != net)
                end = top + (HANG if way else -HANG)
                drawn += ground(at, end) if way else supply(at, end, far)
                at += wide(part)
            ends.append(at - 12 if hang else start)
        x = max(ends) + 24
        if 0 < place < len(row.nodes) - 1:
            # The name stands beside its wire where nothing stands or hangs, or else after it.
            free = not up[net]
            x = max(x, start + CHARACTER * len(net) + 8)
            drawn.append(small(start + 6, top - 5 if free else top + 13, net, "start"))
        last_branch = (
            start
            + 12
            + max(
                (sum(wide(part) for part in hang[:-1]) for hang in (down[net], up[net]) if hang),
                default=0.0,
            )
        )
        drawn.append(wire(start, top, x if row.links else last_branch, top))
        if place < len(row.links):
            for number, part in enumerate(row.links[place]):
                level = top - 34.0 * number
                drawn += along(part, x, level, pins_from(part, net))
                if number:
                    drawn += [wire(x, top, x, level), wire(x + STEP, top, x + STEP, level)]
            x += STEP
    if row.links:
        last = row.nodes[-1]
        drawn.append(wire(x, top, x + 8, top))
        drawn.append(text(x + 12, top + 4, last, "start", colour(last)))
    return drawn, top + (HANG + 26 if any(down.values()) else 34.0)


def units_of(part: Placed) -> list[tuple[str, str, str]]:
    """Return plus, minus and output of each unit of a comparator or an amplifier that is used."""
    marks: Mapping[str, str] = {**AMPLIFIERS, "TLV9034": "1234"}
    return [
        (f"IN{unit}+", f"IN{unit}-", f"OUT{unit}")
        for unit in marks.get(part.kind.name, "")
        if part.nets.get(f"IN{unit}+", GROUND) != GROUND
    ]


def listeners(facts: Facts, sheet: str) -> list[Placed]:
    """Return the comparators' units that listen to a function, each as a part of its own."""
    own = {net for part in facts.of_sheet(sheet) for net in part.nets.values()}
    own = {net for net in own if not net.startswith("TH_")} - set(RAILS)
    found = []
    for part in facts.of_sheet(COMPARATORS) if sheet != COMPARATORS else []:
        for unit in units_of(part):
            if {part.nets[unit[0]], part.nets[unit[1]]} & own:
                found.append(
                    replace(part, nets={pin: part.nets[pin] for pin in unit if pin in part.nets})
                )
    return found


@dataclass(frozen=True, slots=True)
class Thing:
    """A box, a transistor on its own or an amplifier: how it is drawn at a point, and its room."""

    draw: Callable[[float, float], list[str]]
    left: float
    right: float
    high: float


def widest(part: Placed, pins: Iterable[str]) -> float:
    """Return how long the longest name of a net at some pins is."""
    return CHARACTER * max((len(part.nets.get(pin, "open")) for pin in pins), default=0)


def unit_drawn(part: Placed, unit: tuple[str, str, str], x: float, y: float) -> list[str]:
    """Return an amplifier's unit below a point."""
    return triangle(part, unit, x, y + 42)


def things_of(part: Placed) -> Iterator[Thing]:
    """Yield what is drawn of a part: each unit of an amplifier, and the rest as a box."""
    if part.kind.prefix in ("Q", "T"):
        room = widest(part, part.nets)
        yield Thing(
            lambda x, y: transistor(part, x, y + 48), room + 56, room + 20, UNIT_HEIGHT + 14
        )
        return
    units = units_of(part)
    for unit in units:
        left, right = widest(part, unit[:2]), widest(part, unit[2:])
        yield Thing(partial(unit_drawn, part, unit), left + 68, right + 64, UNIT_HEIGHT)
    rest = {pin: net for pin, net in part.nets.items() if not any(pin in u for u in units)}
    if rest or not units:
        pins = tuple(pin for pin in part.kind.pins if not units or pin[1] in rest)
        kept = replace(part, nets=rest, kind=replace(part.kind, pins=pins))
        height = block(kept, 0, 18)[1]
        names = [pin for _number, pin, _type in pins]
        half = (len(names) + 1) // 2 if len(names) > 4 else len(names)
        title = CHARACTER * len(f"{part.ref} {part.value}") / 2
        left, right = widest(kept, names[:half]) + 92, widest(kept, names[half:]) + 92
        sides = (max(left, title), max(right if names[half:] else 66.0, title))
        yield Thing(lambda x, y: block(kept, x, y + 18)[0], *sides, height + 10)


def things_drawn(parts: Sequence[Placed], y: float) -> tuple[list[str], float]:
    """Return boxes, transistors and amplifiers from left to right, and where they end."""
    drawn: list[str] = []
    x, end = float(MARGIN), y
    for thing in (thing for part in parts for thing in things_of(part)):
        if x > MARGIN and x + thing.left + thing.right > WIDTH - MARGIN:
            x, y = float(MARGIN), end + 8
        drawn += thing.draw(x + thing.left, y)
        x += thing.left + thing.right + GAP
        end = max(end, y + thing.high)
    return drawn, end


def columns_drawn(
    columns: Sequence[Column], shunts: Sequence[Placed], y: float
) -> tuple[list[str], float, set[str]]:
    """Return the columns side by side, where they end, and what hangs from them."""
    drawn: list[str] = []
    gone: set[str] = set()
    x, bottom, top = float(MARGIN), y, y
    for column in columns:
        hanging = shunts_of(column, [part for part in shunts if part.ref not in gone])
        left, right = left_of(column), right_of(column, hanging)
        if x > MARGIN and x + left + right > WIDTH - MARGIN:
            x, top = float(MARGIN), bottom + 16
        rest = [part for part in shunts if part.ref not in gone]
        lines, end, hung = drawn_column(column, rest, x + left, top + 30)
        drawn += lines
        gone |= hung
        bottom = max(bottom, end)
        x += left + right + GAP
    return drawn, bottom, gone


def schematic_of(facts: Facts, sheet: str) -> str:
    """Return the schematic of one function."""
    everything = facts.of_sheet(sheet)
    columns = columns_of(everything)
    upright_ones = {part.ref for column in columns for part in column.parts}
    parts = [part for part in everything if part.ref not in upright_ones]
    links = [part for part in parts if is_link(part)]
    shunts = [part for part in links if set(pair(part)) & set(RAILS)]
    y = 2.0 * MARGIN + 8
    # Rows take what hangs from their own nodes first.
    in_rows = {net for row in rows_of(links) for net in row.nodes}
    free = [part for part in shunts if not set(pair(part)) & in_rows]
    drawn, y, shown = columns_drawn(columns, free, y)
    for row in rows_of(links):
        lines, end = row_drawn(row, [part for part in shunts if part.ref not in shown], y)
        shown |= {part.ref for net in row.nodes for part in branches(shunts, net, RAILS)}
        drawn += lines
        y = end + 6
    lines, y = shunts_drawn([part for part in shunts if part.ref not in shown], y)
    others = [part for part in parts if not is_link(part) and part.nets] + listeners(facts, sheet)
    things, end = things_drawn(others, y + 10)
    height = end + 2.5 * MARGIN
    frame = [
        box(MARGIN / 2, MARGIN / 2, WIDTH - MARGIN, height - MARGIN, "none"),
        wire(MARGIN / 2, height - 1.5 * MARGIN, WIDTH - MARGIN / 2, height - 1.5 * MARGIN),
        text(MARGIN, height - MARGIN + 4, f"{sheet}   resume-rig front end, made from the circuit"),
        small(
            WIDTH - MARGIN, height - MARGIN + 3,
            "a wire has one name wherever it stands; small numbers are the parts' pins", "end",
        ),
    ]  # fmt: skip
    return sheet_of([*frame, *drawn, *lines, *things], WIDTH, height, sheet)


def shunts_drawn(left: Sequence[Placed], y: float) -> tuple[list[str], float]:
    """Return what leads to a supply or to ground from nets that no row has, in short rows."""
    rails_only = [part for part in left if set(pair(part)) <= set(RAILS)]
    left = [part for part in left if part not in rails_only]
    drawn: list[str] = []
    while left:
        net = next(net for net in pair(left[0]) if net not in RAILS)
        lines, end = row_drawn(Row([net]), left, y)
        gone = branches(left, net, RAILS)
        left = [part for part in left if part not in gone]
        drawn += lines
        y = end + 6
    if rails_only:
        lines, y = between_rails(rails_only, y)
        drawn += lines
    return drawn, y


def between_rails(parts: Sequence[Placed], y: float) -> tuple[list[str], float]:
    """Return parts from a supply to ground, side by side, and where they end."""
    drawn = []
    top = y + 34
    for number, part in enumerate(parts):
        x = LEFT + 92.0 * (number % 10)
        rail = next(net for net in pair(part) if net != GROUND)
        level = top + (number // 10) * (HANG + 60)
        drawn += [*supply(x, level, rail), *upright(part, x, level, True, pins_from(part, rail))]
        drawn += ground(x, level + HANG)
    return drawn, top + (len(parts) - 1) // 10 * (HANG + 60) + HANG + 30
