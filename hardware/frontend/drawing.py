"""Schematics as SVG, one for each function, and the block diagram; drawn from the facts.

Nets are joined by name: a part is drawn with the names of the nets at its pins.
"""

from collections.abc import Sequence
from dataclasses import replace
from xml.sax.saxutils import escape

from frontend.circuit.facts import COMPARATORS, GROUND, SUPPLIES, Facts, Placed

ROW, PIN, MARGIN = 46, 20, 20
WIDTH, MIDDLE = 620, 310
COLOURS = {"DUT": "#b00020", "SUPPLY": "#0b5394", "GROUND": "#666666", "MCU": "#1b7f3a"}
CHOSEN = ("SLP_S3_TRUE", "PS_ON_INVERTED", "LED_HIGH", "LED_LOW")
"""What jumpers choose from."""
STYLE = 'font-family="monospace" font-size="12"'


def colour(net: str) -> str:
    """Return the colour of a net's name: a DUT's wire, a supply, ground, the MCU's pin, or none."""
    if net.startswith("DUT_"):
        return COLOURS["DUT"]
    if net in SUPPLIES:
        return COLOURS["SUPPLY"]
    if net == GROUND:
        return COLOURS["GROUND"]
    if net.startswith(("SENSE_", "DRIVE_", "HEARTBEAT")):
        return COLOURS["MCU"]
    return "#000000"


def text(x: float, y: float, content: str, anchor: str = "start", fill: str = "#000000") -> str:
    """Return a line of text."""
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{fill}" {STYLE}>'
        f"{escape(content)}</text>"
    )


def wire(x1: float, y1: float, x2: float, y2: float, stroke: str = "#000000") -> str:
    """Return a line."""
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}"/>'


def box(x: float, y: float, width: float, height: float, fill: str = "#ffffff") -> str:
    """Return a box."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
        f'fill="{fill}" stroke="#000000"/>'
    )


def glyph(part: Placed, y: float) -> list[str]:
    """Return the symbol of a part with two pins, in the middle of its row."""
    left, right = MIDDLE - 22, MIDDLE + 22
    if part.kind.prefix == "C":
        bars = [wire(x, y - 10, x, y + 10) for x in (MIDDLE - 4, MIDDLE + 4)]
        return [*bars, wire(left, y, MIDDLE - 4, y), wire(MIDDLE + 4, y, right, y)]
    if part.kind.prefix == "D":
        at_left = next(iter(part.nets)) == "K"
        tip, base = (MIDDLE - 9, MIDDLE + 9) if at_left else (MIDDLE + 9, MIDDLE - 9)
        triangle = f"{base},{y - 9:g} {base},{y + 9:g} {tip},{y:g}"
        return [
            f'<polygon points="{triangle}" fill="#ffffff" stroke="#000000"/>',
            wire(tip, y - 9, tip, y + 9),
            wire(left, y, MIDDLE - 9, y),
            wire(MIDDLE + 9, y, right, y),
        ]
    return [box(left, y - 8, right - left, 16)]


def two_pins(part: Placed, y: float) -> list[str]:
    """Return a part with two pins: net, symbol, net."""
    (left_pin, left), (right_pin, right) = part.nets.items()
    named = part.kind.prefix in ("D", "J")
    return [
        text(MIDDLE - 92, y + 4, left, "end", colour(left)),
        wire(MIDDLE - 88, y, MIDDLE - 22, y, colour(left)),
        *glyph(part, y),
        wire(MIDDLE + 22, y, MIDDLE + 88, y, colour(right)),
        text(MIDDLE + 92, y + 4, right, "start", colour(right)),
        text(MIDDLE, y - 15, f"{part.ref} {part.value}", "middle"),
        *([text(MIDDLE - 50, y + 15, left_pin, "middle")] if named else []),
        *([text(MIDDLE + 50, y + 15, right_pin, "middle")] if named else []),
    ]


def many_pins(part: Placed, y: float) -> list[str]:
    """Return a part with more pins: a box with the pins' names inside and the nets' outside."""
    pins = list(part.nets.items())
    half = (len(pins) + 1) // 2
    drawn = [
        box(MIDDLE - 80, y, 160, half * PIN + 8),
        text(MIDDLE, y - 5, f"{part.ref} {part.value}", "middle"),
    ]
    for place, (pin, net) in enumerate(pins):
        at = y + (place % half) * PIN + 18
        side, anchor = (-1, "end") if place < half else (1, "start")
        inner = "start" if side < 0 else "end"
        drawn += [
            wire(MIDDLE + side * 80, at - 4, MIDDLE + side * 100, at - 4, colour(net)),
            text(MIDDLE + side * 104, at, net, anchor, colour(net)),
            text(MIDDLE + side * 75, at, pin, inner),
        ]
    return drawn


def compared(facts: Facts, sheet: str) -> list[Placed]:
    """Return the comparators that listen to a function, each as a part of its own."""
    own = {net for part in facts.of_sheet(sheet) for net in part.nets.values()}
    units = []
    for part in facts.of_sheet(COMPARATORS):
        for unit in range(1, 5):
            pins = [f"IN{unit}+", f"IN{unit}-", f"OUT{unit}"]
            if part.nets.get(pins[0], GROUND) in own - {GROUND}:
                nets = {pin: part.nets[pin] for pin in pins}
                units.append(replace(part, nets=nets, value=f"{part.kind.name}, unit {unit}"))
    return units


def page(drawn: Sequence[str], height: float, title: str) -> str:
    """Return an SVG file of a schematic's width."""
    return sheet_of(drawn, WIDTH, height, title)


def sheet_of(drawn: Sequence[str], width: float, height: float, title: str) -> str:
    """Return an SVG file."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img">'
    )
    background = f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", background, *drawn, "</svg>"]) + "\n"


def schematic_of(facts: Facts, sheet: str) -> str:
    """Return the schematic of one function."""
    y = 2.0 * MARGIN + 24
    drawn = [text(MARGIN, MARGIN + 4, f"{sheet}: parts are joined by the names of their nets")]
    for part in own(facts, sheet):
        if len(part.nets) == 2 and part.kind.prefix != "J":
            drawn += two_pins(part, y)
            y += ROW
        else:
            drawn += many_pins(part, y)
            y += (len(part.nets) + 1) // 2 * PIN + ROW + 4
    return page(drawn, y, sheet)


def own(facts: Facts, sheet: str) -> list[Placed]:
    """Return a function's parts with the comparators that listen to it."""
    return [*facts.of_sheet(sheet), *compared(facts, sheet)]


def block_diagram_of(facts: Facts) -> str:
    """Return the block diagram: DUT's wires at the left, functions, the MCU's nets at the right."""
    sheets = list(dict.fromkeys(part.sheet for part in facts.parts))
    shown = [sheet for sheet in sheets if sheet not in ("carrier", "dut_wires", COMPARATORS)]
    drawn = [
        text(MARGIN, MARGIN + 4, "DUT's wires", fill=COLOURS["DUT"]),
        text(WIDTH - MARGIN, MARGIN + 4, "MCU's pins", "end", COLOURS["MCU"]),
    ]
    y = 2.0 * MARGIN
    for sheet in shown:
        nets = sorted({net for part in own(facts, sheet) for net in part.nets.values()})
        wires = [net for net in nets if net.startswith("DUT_")]
        pins = [net for net in nets if colour(net) == COLOURS["MCU"]]
        chosen = [net for net in nets if net in CHOSEN]
        (wires if sheet == "choices" else pins).extend(chosen)
        height = max(len(wires), len(pins), 1) * PIN + 8
        drawn += [
            box(MIDDLE - 80, y, 160, height),
            text(MIDDLE, y + height / 2 + 4, sheet, "middle"),
        ]
        for side, anchor, found in ((-1, "end", wires), (1, "start", pins)):
            for place, net in enumerate(found):
                at = y + place * PIN + 18
                drawn += [
                    wire(MIDDLE + side * 80, at - 4, MIDDLE + side * 100, at - 4, colour(net)),
                    text(MIDDLE + side * 104, at, net, anchor, colour(net)),
                ]
        y += height + 12
    return page(drawn, y, "front end")
