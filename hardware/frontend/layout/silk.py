"""What is written on the board: name, revision, polarity, and what each pin is for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from frontend.circuit.facts import Facts, Placed
from frontend.layout import floorplan
from frontend.layout.geometry import Box, Outline, Point, Spot

REVISION = "A"
TITLE = f"resume-rig front end {REVISION}"
SMALL, NORMAL, LARGE = 0.7, 0.9, 1.5


@dataclass(frozen=True, slots=True)
class Label:
    """One text; justify -1 starts at its point, 1 ends there."""

    text: str
    at: Point
    size_mm: float = SMALL
    degrees: float = 0.0
    justify: int = 0
    back: bool = False


SHORT_NAMES = {"DUT_PWRBTN_GND": "PWRBTN-", "DUT_PWRBTN": "PWRBTN+", "DUT_PLED_MINUS": "PLED-",
               "DUT_PLED": "PLED+", "DUT_5VSB_SUPPLY": "PSU", "DUT_5VSB": "BOARD",
               "SELFTEST": "TEST (cut in cable)"}  # fmt: skip


def name_of(net: str) -> str:
    """Return what a net is called on the board."""
    return SHORT_NAMES.get(net, net.removeprefix("DUT_"))


LETTER, LINE = 0.95, 1.25
"""Width and height of a letter, by its size."""
CLEAR_MM = 0.15
REACH_MM = 12.0


def box_of(label: Label) -> Box:
    """Return what a text covers."""
    long, high = LETTER * label.size_mm * len(label.text), LINE * label.size_mm
    x, y = label.at
    if label.degrees:
        return Box(x - high / 2, y - long / 2, x + high / 2, y + long / 2)
    start = {-1: 0.0, 0: long / 2, 1: long}[label.justify]
    return Box(x - start, y - high / 2, x - start + long, y + high / 2)


def around() -> Iterator[Point]:
    """Yield offsets about a point, the nearest first."""
    steps = round(2 * REACH_MM)
    grid = [(x / 2, y / 2) for x in range(-steps, steps + 1) for y in range(-steps, steps + 1)]
    yield from sorted(grid, key=lambda at: (at[0] ** 2 + at[1] ** 2, at))


def put(label: Label, taken: list[Box]) -> Label | None:
    """Return a label at the nearest free place, and take that place; None where there is none."""
    for dx, dy in around():
        moved = replace(label, at=(label.at[0] + dx, label.at[1] + dy))
        box = box_of(moved).grown(CLEAR_MM)
        if floorplan.EDGE.grown(-0.5).holds(box) and not any(box.overlap(one) for one in taken):
            taken.append(box)
            return moved
    return None


def dut_names(part: Placed, spot: Spot, outline: Outline) -> Iterator[Label]:
    """Yield the names of the DUT plug's wires, on the back, beside their pins."""
    for number, net in part.by_number().items():
        if net != "GND":
            _x, y = outline.pad_at(number, spot)
            x = spot.x + (6.5 if int(number) % 2 == 0 else 15.0)
            yield Label(f"{number} {name_of(net)}", (x, y), SMALL, justify=1, back=True)


JUMPERS = {
    "level/JP_LEVEL": "RAIL/2",
    "level/JP_PGOOD": "PGOOD ATX|LOGIC",
    "choices/JP_SLP_S3": "SLP_S3|PS_ON",
    "choices/JP_LED": "PLED+|PLED-",
    "photodiode/JP_GAIN": "GAIN 1|22",
    "power_button/JP_FORCE": "FORCE OFF",
}
PLUGS = {
    "photodiode/J_HOOD": ("HOOD", "1 K, 2 A, 3 shield"),
    "lid_pilot/J_PILOT": ("PILOT", "1 +, 2 -, 3 S, 4 -"),
    "lid_magnet/J_COIL": ("COIL", "1 +, 2 -"),
    "supply_12v/J_SUPPLY": ("12 V", "left +, right -"),
    "standby_current/J_5VSB": ("5VSB 3 A", "left BOARD, right PSU"),
}


def weight(part: Placed) -> int:
    """Return how early a part's label is placed."""
    if part.tag in PLUGS or part.tag in JUMPERS or part.tag == "dut_wires/J_DUT":
        return 0
    return {"TP": 1, "R": 3, "C": 3}.get(part.kind.prefix, 2)


def wishes(
    facts: Facts, spots: Mapping[str, Spot], outlines: Mapping[str, Outline]
) -> Iterator[Label]:
    """Yield the labels of the upper side, where they would be best: the weightiest first."""
    yield Label(TITLE, (36.0, 3.0), NORMAL)
    yield Label("never tried on a DUT", (36.0, 5.0), NORMAL)
    yield Label("Pico: USB >", (90.0, 40.0), NORMAL)
    for part in sorted(facts.on_board(), key=weight):
        spot, outline = spots[part.tag], outlines[part.kind.footprint]
        box = outline.room_at(spot)
        middle, level = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        if part.tag == "dut_wires/J_DUT":
            yield Label(
                "DUT, pin 1 at the arrow; names on the back", (middle + 8, box.top - 1), SMALL
            )
        elif part.tag in JUMPERS:
            yield Label(f"{part.ref} {JUMPERS[part.tag]}", (middle, box.bottom + 0.6), SMALL)
        elif part.tag in PLUGS:
            name, pins = PLUGS[part.tag]
            below = box.top < floorplan.HEIGHT / 2
            y = box.bottom + 0.8 if below else box.top - 0.8
            yield Label(f"{name}: {pins}", (middle, y), SMALL)
        elif part.kind.prefix == "TP":
            yield Label(name_of(part.value), (middle, box.bottom + 0.5), SMALL)
        elif part.kind.prefix in ("U", "K", "Q", "RV", "F", "D") or part.kind.name == "C_BULK":
            yield Label(part.ref, (middle, box.top - 0.5), SMALL)
        elif part.kind.prefix in ("R", "C"):
            yield Label(part.ref, (middle, level - 1.3), 0.6)


def labels_of(
    facts: Facts, spots: Mapping[str, Spot], outlines: Mapping[str, Outline]
) -> list[Label]:
    """Return all labels: those above where there is room, those below beside the DUT's plug."""
    taken = [outlines[part.kind.footprint].room_at(spots[part.tag]) for part in facts.on_board()]
    taken += [Box(x, y, x, y).grown(floorplan.HEAD_MM / 2) for x, y in floorplan.HOLES]
    above = [put(label, taken) for label in wishes(facts, spots, outlines)]
    plug = next(part for part in facts.on_board() if part.tag == "dut_wires/J_DUT")
    back = [
        Label(f"{TITLE} - 100 x 80 mm, 2 layers", (60.0, 40.0), LARGE, back=True),
        Label("DUT ground is rig ground: isolate at USB", (60.0, 43.0), NORMAL, back=True),
        *dut_names(plug, spots[plug.tag], outlines[plug.kind.footprint]),
    ]
    return [label for label in above if label is not None] + back
