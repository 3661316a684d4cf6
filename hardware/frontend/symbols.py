"""Symbols of a schematic: each part with its reference, its value and the numbers of its pins."""

from collections.abc import Iterable, Sequence

from frontend.circuit.facts import Placed
from frontend.drawing import colour, text, wire

STEP, HANG, BRANCH = 120.0, 68.0, 46.0
CHARACTER = 7.3
SMALL = 'font-family="monospace" font-size="9"'


def small(x: float, y: float, content: str, anchor: str = "middle") -> str:
    """Return a small text: a pin's number."""
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="#555555" {SMALL}>{content}</text>'
    )


def dot(x: float, y: float) -> str:
    """Return a junction."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="2.5"/>'


def polygon(points: Iterable[tuple[float, float]]) -> str:
    """Return a filled outline."""
    listed = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polygon points="{listed}" fill="#ffffff" stroke="#000000"/>'


def ground(x: float, y: float) -> list[str]:
    """Return the symbol of ground below a point."""
    return [wire(x - 9 + 3 * n, y + 3 * n, x + 9 - 3 * n, y + 3 * n) for n in range(3)]


def supply(x: float, y: float, net: str) -> list[str]:
    """Return the symbol of a supply above a point."""
    return [wire(x - 9, y, x + 9, y, colour(net)), text(x, y - 5, net, "middle", colour(net))]


def along(part: Placed, x: float, y: float, pins: Sequence[str]) -> list[str]:
    """Return a symbol between x and x + STEP, first pin at the left."""
    middle, half = x + STEP / 2, 20.0
    drawn = [wire(x, y, middle - half, y), wire(middle + half, y, x + STEP, y)]
    drawn += symbol(part, middle, y, upright=False, turned=pins[0] == "A")
    numbers = {pin: number for number, pin, _type in part.kind.pins}
    drawn += [
        small(middle - half - 6, y - 4, numbers[pins[0]]),
        small(middle + half + 6, y - 4, numbers[pins[1]]),
        text(middle, y - 14, f"{part.ref} {told(part)}", "middle"),
    ]
    return drawn


def upright(part: Placed, x: float, y: float, down: bool, pins: Sequence[str]) -> list[str]:
    """Return a symbol below a node, or above it; the first pin is that at the node."""
    way = 1.0 if down else -1.0
    middle = y + way * 34
    numbers = {pin: number for number, pin, _type in part.kind.pins}
    # The symbol's upper pin: the node's where it hangs.
    upper = pins[0] if down else pins[1]
    return [
        wire(x, y, x, middle - way * 14),
        wire(x, middle + way * 14, x, y + way * HANG),
        *symbol(part, x, middle, upright=True, turned=upper == "A"),
        small(x - 7, middle - way * 19 + 3, numbers[pins[0]]),
        small(x - 7, middle + way * 19 + 3, numbers[pins[1]]),
        text(x + 15, middle - 2, part.ref),
        text(x + 15, middle + 12, told(part)),
    ]


def told(part: Placed) -> str:
    """Return a part's value, or its name, without how it is packed."""
    return (part.value or part.kind.name).split(",")[0]


def wide(part: Placed) -> float:
    """Return the room that a part takes beside its node, its name and value included."""
    return max(BRANCH, 36 + CHARACTER * max(len(part.ref), len(told(part))))


def symbol(part: Placed, x: float, y: float, upright: bool, turned: bool) -> list[str]:
    """Return a part's symbol about a point; `turned`: the anode comes first."""
    prefix = part.kind.prefix
    length, thick = (14.0, 6.0) if upright else (20.0, 7.0)

    def at(u: float, v: float) -> tuple[float, float]:
        return (x + v, y + u) if upright else (x + u, y + v)

    def line(first: tuple[float, float], second: tuple[float, float]) -> str:
        return wire(*at(*first), *at(*second))

    if prefix == "C":
        plates = [line((u, -10), (u, 10)) for u in (-3, 3)]
        return [*plates, line((-length, 0), (-3, 0)), line((3, 0), (length, 0))]
    if prefix == "D":
        tip, base = (8.0, -8.0) if turned else (-8.0, 8.0)
        drawn = [
            line((-length, 0), (length, 0)),
            polygon([at(base, -8), at(base, 8), at(tip, 0)]),
            line((tip, -8), (tip, 8)),
        ]
        if part.kind.name.startswith("TVS"):
            drawn += [line((tip, -8), (tip - 4, -8)), line((tip, 8), (tip + 4, 8))]
        return drawn
    if prefix == "L":
        return coil(at(-length, 0), at(length, 0), upright)
    corners = [at(-length, -thick), at(length, -thick), at(length, thick), at(-length, thick)]
    return [polygon(corners)]


def coil(start: tuple[float, float], end: tuple[float, float], upright: bool) -> list[str]:
    """Return an inductor: three half circles between two points."""
    step = (end[1] - start[1] if upright else end[0] - start[0]) / 3
    move = f"0 {step:g}" if upright else f"{step:g} 0"
    arcs = f"a {step / 2:g} {step / 2:g} 0 0 1 {move} " * 3
    return [f'<path d="M {start[0]:g} {start[1]:g} {arcs.rstrip()}" fill="none" stroke="#000000"/>']


def transistor(part: Placed, x: float, y: float) -> list[str]:
    """Return a field-effect or bipolar transistor, gate or base at the left."""
    names = ("G", "D", "S") if "G" in part.nets else ("B", "C", "E")
    numbers = {pin: number for number, pin, _type in part.kind.pins}
    gate, upper, lower = (part.nets.get(name, "") for name in names)
    if "B" in part.nets:
        return bipolar(part, x, y)
    upside = part.kind.name == "AO3401A"
    if upside:
        upper, lower = lower, upper
        names = (names[0], names[2], names[1])
    return [
        text(x, y - 38, f"{part.ref} {part.value}", "middle"),
        f'<circle cx="{x:g}" cy="{y:g}" r="22" fill="#ffffff" stroke="#000000"/>',
        wire(x - 48, y, x - 9, y, colour(gate)),
        wire(x - 9, y - 12, x - 9, y + 12),
        wire(x - 4, y - 14, x - 4, y + 14),
        wire(x - 4, y - 10, x + 10, y - 10),
        wire(x + 10, y - 10, x + 10, y - 30, colour(upper)),
        wire(x - 4, y + 10, x + 10, y + 10),
        wire(x + 10, y + 10, x + 10, y + 30, colour(lower)),
        polygon([(x - 2, y + (-10 if upside else 10)), (x + 5, y + (-13 if upside else 7)),
                 (x + 5, y + (-7 if upside else 13))]),
        text(x - 52, y + 4, gate, "end", colour(gate)),
        text(x + 16, y - 22, upper, "start", colour(upper)),
        text(x + 16, y + 30, lower, "start", colour(lower)),
        small(x - 30, y - 4, f"{numbers[names[0]]} {names[0]}"),
        small(x + 26, y - 9, f"{numbers[names[1]]} {names[1]}", "start"),
        small(x + 26, y + 15, f"{numbers[names[2]]} {names[2]}", "start"),
    ]  # fmt: skip


def bipolar(part: Placed, x: float, y: float) -> list[str]:
    """Return an NPN transistor."""
    numbers = {pin: number for number, pin, _type in part.kind.pins}
    return [
        text(x, y - 38, f"{part.ref} {part.kind.name}", "middle"),
        f'<circle cx="{x:g}" cy="{y:g}" r="22" fill="#ffffff" stroke="#000000"/>',
        wire(x - 48, y, x - 7, y, colour(part.nets["B"])),
        wire(x - 7, y - 13, x - 7, y + 13),
        wire(x - 7, y - 5, x + 10, y - 15),
        wire(x + 10, y - 15, x + 10, y - 30, colour(part.nets["C"])),
        wire(x - 7, y + 5, x + 10, y + 15),
        wire(x + 10, y + 15, x + 10, y + 30, colour(part.nets["E"])),
        polygon([(x + 10, y + 15), (x + 1, y + 14), (x + 5, y + 8)]),
        text(x - 52, y + 4, part.nets["B"], "end", colour(part.nets["B"])),
        text(x + 16, y - 22, part.nets["C"], "start", colour(part.nets["C"])),
        text(x + 16, y + 30, part.nets["E"], "start", colour(part.nets["E"])),
        small(x - 30, y - 4, f"{numbers['B']} B"),
        small(x + 26, y - 9, f"{numbers['C']} C", "start"),
        small(x + 26, y + 15, f"{numbers['E']} E", "start"),
    ]


def triangle(part: Placed, unit: tuple[str, str, str], x: float, y: float) -> list[str]:
    """Return one unit of a comparator or an amplifier: plus, minus, out."""
    numbers = {pin: number for number, pin, _type in part.kind.pins}
    plus, minus, out = unit
    drawn = [
        text(x, y - 36, f"{part.ref} {part.kind.name}", "middle"),
        polygon([(x - 26, y - 28), (x - 26, y + 28), (x + 30, y)]),
        text(x - 22, y - 8, "+"),
        text(x - 22, y + 18, "-"),
    ]
    for pin, dy in ((plus, -12), (minus, 14)):
        net = part.nets[pin]
        drawn += [
            wire(x - 60, y + dy, x - 26, y + dy, colour(net)),
            text(x - 64, y + dy + 4, net, "end", colour(net)),
            small(x - 34, y + dy - 4, numbers[pin]),
        ]
    net = part.nets.get(out, "")
    return [
        *drawn,
        wire(x + 30, y, x + 56, y, colour(net)),
        text(x + 60, y + 4, net, "start", colour(net)),
        small(x + 40, y - 4, numbers[out]),
    ]


def block(part: Placed, x: float, y: float) -> tuple[list[str], float]:
    """Return a part as a box with all its pins, and its height."""
    pins = [(number, pin) for number, pin, _type in part.kind.pins]
    half = (len(pins) + 1) // 2 if len(pins) > 4 else len(pins)
    height = half * 18.0 + 10
    drawn = [
        text(x, y - 5, f"{part.ref} {part.value}", "middle"),
        polygon([(x - 62, y), (x + 62, y), (x + 62, y + height), (x - 62, y + height)]),
    ]
    for place, (number, pin) in enumerate(pins):
        side, anchor, inner = (-1, "end", "start") if place < half else (1, "start", "end")
        at = y + (place % half) * 18 + 16
        net = part.nets.get(pin, "")
        drawn += [
            wire(x + side * 62, at, x + side * 84, at, colour(net)),
            text(x + side * 88, at + 4, net or "open", anchor, colour(net) if net else "#999999"),
            small(x + side * 74, at - 3, number),
            text(x + side * 57, at + 4, pin if pin != number else "", inner),
        ]
    return drawn, height + 34


def switch(part: Placed, x: float, y: float, upside: bool) -> list[str]:
    """Return a transistor whose current comes from (x, y) and leaves 60 below."""
    numbers = {pin: number for number, pin, _type in part.kind.pins}
    middle = y + 30
    bipolar = "B" in part.nets
    names = ("B", "C", "E") if bipolar else ("G", "S", "D") if upside else ("G", "D", "S")
    gate = part.nets[names[0]]
    drawn = [
        f'<circle cx="{x - 8:g}" cy="{middle:g}" r="22" fill="#ffffff" stroke="#000000"/>',
        text(x + 22, middle - 2, part.ref),
        text(x + 22, middle + 12, told(part)),
        wire(x - 56, middle, x - 19, middle, colour(gate)),
        text(x - 60, middle + 4, gate, "end", colour(gate)),
        small(x - 32, middle - 4, f"{numbers[names[0]]} {names[0]}", "end"),
        small(x + 4, y + 8, f"{numbers[names[1]]} {names[1]}", "start"),
        small(x + 4, y + 58, f"{numbers[names[2]]} {names[2]}", "start"),
    ]
    if bipolar:
        return [
            *drawn,
            wire(x - 19, middle - 13, x - 19, middle + 13),
            wire(x - 19, middle - 5, x, middle - 15),
            wire(x, middle - 15, x, y),
            wire(x - 19, middle + 5, x, middle + 15),
            wire(x, middle + 15, x, y + 60),
            polygon([(x - 1, middle + 14), (x - 10, middle + 14), (x - 6, middle + 7)]),
        ]
    # An N-channel FET's arrow points in, a P-channel's out.
    end, level = (-4, middle - 10) if upside else (-12, middle + 10)
    back = -7 if upside else 7
    tip = [(x + end, level), (x + end + back, level - 3), (x + end + back, level + 3)]
    return [
        *drawn,
        wire(x - 19, middle - 12, x - 19, middle + 12),
        wire(x - 14, middle - 14, x - 14, middle + 14),
        wire(x - 14, middle - 10, x, middle - 10),
        wire(x, middle - 10, x, y),
        wire(x - 14, middle + 10, x, middle + 10),
        wire(x, middle + 10, x, y + 60),
        polygon(tip),
    ]


def photomos(part: Placed, x: float, y: float) -> list[str]:
    """Return a photoMOS whose LED is on the way from (x, y) to 76 below."""
    numbers = {pin: number for number, pin, _type in part.kind.pins}
    middle = y + 38
    drawn = [
        text(x + 34, y + 2, f"{part.ref} {told(part)}"),
        polygon([(x - 18, y + 8), (x + 86, y + 8), (x + 86, y + 68), (x - 18, y + 68)]),
        wire(x, y, x, y + 76),
        polygon([(x - 8, middle - 8), (x + 8, middle - 8), (x, middle + 7)]),
        wire(x - 8, middle + 7, x + 8, middle + 7),
        *(
            line
            for n in (0, 8)
            for line in (
                wire(x + 14, middle - 4 + n, x + 26, middle - 8 + n),
                wire(x + 26, middle - 8 + n, x + 22, middle - 9 + n),
                wire(x + 26, middle - 8 + n, x + 23, middle - 5 + n),
            )
        ),
        small(x - 8, y + 5, numbers["A"], "end"),
        small(x - 8, y + 78, numbers["K"], "end"),
        # The contact, open as it is without current.
        wire(x + 60, middle + 12, x + 50, middle - 10),
        wire(x + 60, middle + 12, x + 60, middle + 18),
        wire(x + 60, middle - 18, x + 60, middle - 12),
    ]
    for pin, level in (("O1", middle - 18), ("O2", middle + 18)):
        net = part.nets.get(pin, "")
        drawn += [
            wire(x + 60, level, x + 112, level, colour(net)),
            text(x + 116, level + 4, net, "start", colour(net)),
            small(x + 96, level - 4, numbers[pin]),
        ]
    return drawn
