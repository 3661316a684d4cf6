"""What all drawings are made of, and the block diagram."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from frontend.circuit.facts import COMPARATORS, GROUND, SUPPLIES, Facts

ROW, PIN, MARGIN = 46, 20, 20
WIDTH, MIDDLE = 620, 310
COLOURS = {"DUT": "#b00020", "SUPPLY": "#0b5394", "GROUND": "#666666", "MCU": "#1b7f3a"}
UNDRAWN = ("carrier", "dut_wires", "beside", "test_points", COMPARATORS)
"""What is no block of its own."""
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


def heard(facts: Facts, sheet: str) -> list[str]:
    """Return the outputs of the comparators that listen to a function."""
    own = {net for part in facts.of_sheet(sheet) for net in part.nets.values()}
    own -= {net for net in own if net.startswith("TH_")} | {GROUND, *SUPPLIES}
    return [
        part.nets[f"OUT{unit}"]
        for part in facts.of_sheet(COMPARATORS)
        for unit in range(1, 5)
        if part.nets.get(f"OUT{unit}", "") not in {"", *own}
        and {part.nets[f"IN{unit}+"], part.nets[f"IN{unit}-"]} & own
    ]


def block_diagram_of(facts: Facts) -> str:
    """Return the block diagram: DUT's wires at the left, functions, the MCU's nets at the right."""
    sheets = list(dict.fromkeys(part.sheet for part in facts.parts))
    shown = [sheet for sheet in sheets if sheet not in UNDRAWN]
    drawn = [
        text(MARGIN, MARGIN + 4, "DUT's wires", fill=COLOURS["DUT"]),
        text(WIDTH - MARGIN, MARGIN + 4, "MCU's pins", "end", COLOURS["MCU"]),
    ]
    y = 2.0 * MARGIN
    for sheet in shown:
        nets = sorted({net for part in facts.of_sheet(sheet) for net in part.nets.values()})
        nets += heard(facts, sheet)
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
