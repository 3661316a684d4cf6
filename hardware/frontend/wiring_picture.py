"""A picture of a kind of DUT's wires: its connectors at the left, the front end's at the right."""

import re

from frontend.circuit.facts import GROUND, Facts, Placed
from frontend.drawing import MARGIN, box, colour, sheet_of, text, wire
from frontend.wiring import DutKind

WIDTH, PITCH, PIN = 960, 26, 12
LEFT, RIGHT = 460, 740
ATX_PLACE = re.compile(r"24-pin extension, pin (\d+)")
ATX_ROW = 12


def atx_plug(used: dict[int, str], y: float) -> list[str]:
    """Return the 24-pin plug by its numbers, with the pins in colour that are used."""
    drawn = [
        text(
            MARGIN, y, "24-pin extension, its pins by their numbers: compare them with the colours"
        )
    ]
    for pin in range(1, 2 * ATX_ROW + 1):
        column, line = (pin - 1) % ATX_ROW, (pin - 1) // ATX_ROW
        x, top = MARGIN + column * 34.0, y + 12 + line * 34.0
        fill = colour(used[pin]) if pin in used else "#ffffff"
        drawn += [
            box(x, top, 28, 28, fill),
            text(x + 14, top + 18, str(pin), "middle", "#ffffff" if pin in used else "#000000"),
        ]
    return drawn


def connectors(facts: Facts, kind: DutKind) -> list[Placed]:
    """Return the front end's connectors that take one of the wires."""
    nets = {one.net for one in kind.wires}
    return [
        part
        for part in facts.parts
        if part.kind.prefix == "J" and nets & (set(part.nets.values()) - {GROUND})
    ]


def pins_drawn(facts: Facts, kind: DutKind, y: float) -> tuple[list[str], dict[str, float], float]:
    """Return the connectors, where each net's first pin is, and where the drawing ends."""
    drawn: list[str] = []
    places: dict[str, float] = {}
    for part in connectors(facts, kind):
        drawn.append(text(RIGHT, y, f"{part.ref} {part.value}"))
        for pin, net in part.nets.items():
            y += PITCH
            drawn += [
                box(RIGHT, y - 16, 24, 22),
                text(RIGHT + 12, y, pin, "middle"),
                text(RIGHT + 34, y, net, "start", colour(net)),
            ]
            places.setdefault(net, y)
        y += PITCH + PIN
    return drawn, places, y


def wiring_picture_of(kind: DutKind, facts: Facts) -> str:
    """Return the picture of a kind of DUT that has wires."""
    y = 2.0 * MARGIN
    used = {int(found[1]): one.net for one in kind.wires if (found := ATX_PLACE.match(one.place))}
    drawn = [text(MARGIN, MARGIN + 4, f"{kind.title}: front end {kind.variant}")]
    if used:
        drawn += atx_plug(used, y + 10)
        y += 130
    pins, places, end = pins_drawn(facts, kind, y)
    drawn += pins
    for number, one in enumerate(sorted(kind.wires, key=lambda found: places[found.net])):
        at = y + PITCH + number * (end - y - 2 * PITCH) / max(len(kind.wires) - 1, 1)
        tone = colour(one.net)
        drawn += [
            text(LEFT, at, one.place, "end", tone),
            wire(LEFT + 6, at - 4, RIGHT - 4, places[one.net] - 4, tone),
        ]
    return sheet_of(drawn, WIDTH, end, kind.title)
