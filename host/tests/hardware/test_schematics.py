"""Schematics: every part is there once, with its pins, and nothing is written across anything."""

import re
from collections import Counter
from itertools import combinations

import pytest

from frontend.circuit.facts import Facts
from frontend.columns import columns_of
from frontend.finding_picture import SLOTS, finding_pictures
from frontend.products import UNDRAWN
from frontend.schematic import units_of

Built = tuple[dict[str, str], dict[str, Facts], list[str]]
Box = tuple[float, float, float, float]
WIDE = {"12": 7.23, "9": 5.42}
"""Width of a character by the size of its font."""
TOUCH = 0.8
"""Two boxes that share less than this many units only touch."""


def texts_of(drawing: str) -> list[tuple[str, Box]]:
    """The texts with their boxes: left, upper, right, lower."""
    found = []
    pattern = (
        r'<text x="([\d.-]+)" y="([\d.-]+)" text-anchor="(\w+)"[^>]*font-size="(\d+)">([^<]*)<'
    )
    for x, y, anchor, size, content in re.findall(pattern, drawing):
        length = WIDE[size] * len(content)
        left = float(x) - {"start": 0, "middle": length / 2, "end": length}[anchor]
        found.append((content, (left, float(y) - 0.7 * int(size), left + length, float(y))))
    return found


def wires_of(drawing: str) -> list[Box]:
    """The lines, as boxes without width; those that slant are parts of symbols."""
    ends = r'<line x1="([\d.-]+)" y1="([\d.-]+)" x2="([\d.-]+)" y2="([\d.-]+)"'
    lines = [tuple(map(float, line)) for line in re.findall(ends, drawing)]
    return [
        (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
        for x1, y1, x2, y2 in lines
        if x1 == x2 or y1 == y2
    ]


def across(one: Box, other: Box) -> bool:
    """Whether two boxes share more than a touch."""
    return (
        min(one[2], other[2]) - max(one[0], other[0]) > (TOUCH if other[0] < other[2] else -TOUCH)
        and min(one[3], other[3]) - max(one[1], other[1])
        > (TOUCH if other[1] < other[3] else -TOUCH)
        and one[0] + TOUCH < other[2]
        and other[0] + TOUCH < one[2]
        and one[1] + TOUCH < other[3]
        and other[1] + TOUCH < one[3]
    )


def sheets_of(front_ends: Built) -> list[tuple[str, Facts, str]]:
    """Each sheet's drawing, with the facts that it was made from."""
    found: dict[str, tuple[str, Facts, str]] = {}
    for facts in front_ends[1].values():
        for sheet in dict.fromkeys(part.sheet for part in facts.parts):
            if sheet not in UNDRAWN and sheet not in found:
                found[sheet] = (sheet, facts, front_ends[0][f"schematics/{sheet}.svg"])
    return list(found.values())


def test_no_text_is_written_across_a_text_or_a_wire(front_ends: Built) -> None:
    faults = []
    for sheet, _facts, drawing in sheets_of(front_ends):
        texts = texts_of(drawing)
        faults += [
            f"{sheet}: {one} across {other}"
            for (one, box), (other, second) in combinations(texts, 2)
            if across(box, second)
        ]
        faults += [
            f"{sheet}: {content} across a wire at {wire}"
            for content, box in texts
            for wire in wires_of(drawing)
            if across(box, wire)
        ]
    assert faults == []


def test_every_part_of_a_sheet_is_drawn_once_with_the_numbers_of_its_pins(
    front_ends: Built,
) -> None:
    for sheet, facts, drawing in sheets_of(front_ends):
        texts = [content for content, _box in texts_of(drawing)]
        first_words = Counter(content.split(" ")[0] for content in texts)
        parts = [part for part in facts.of_sheet(sheet) if part.nets]
        for part in parts:
            assert first_words[part.ref] >= 1, (sheet, part.ref)
            # A net may be called as a part is; each unit of an amplifier has the part's name.
            if not units_of(part) and part.ref not in facts.nets():
                assert first_words[part.ref] == 1, (sheet, part.ref)
        pins = Counter(number for part in parts for number in part.by_number())
        with_names = Counter(re.sub(r" [GDSBCE]$", "", content) for content in texts)
        for number, times in pins.items():
            assert with_names[number] >= times, (sheet, number, times)


@pytest.mark.parametrize(
    ("sheet", "ways"),
    [
        ("power_button", [["+3V3", "BUTTON_A1", "BUTTON_K1", "BUTTON_M1", "GND"]]),
        ("lid_magnet", [["+12V", "LID_HIGH", "LID_LOW", "GND"]]),
    ],
)
def test_a_column_is_a_currents_way_to_ground(
    wired: Facts, sheet: str, ways: list[list[str]]
) -> None:
    columns = [column.nets[::-1] for column in columns_of(wired.of_sheet(sheet))]
    assert all(way in columns for way in ways)


def test_every_switch_to_ground_is_in_one_column(front_ends: Built) -> None:
    for _sheet, facts, _drawing in sheets_of(front_ends):
        for sheet in {part.sheet for part in facts.parts}:
            refs = Counter(
                part.ref for column in columns_of(facts.of_sheet(sheet)) for part in column.parts
            )
            assert all(times == 1 for times in refs.values())


def test_no_text_of_a_picture_of_signals_is_written_across_another() -> None:
    for name, drawing in finding_pictures().items():
        for (one, box), (other, second) in combinations(texts_of(drawing), 2):
            assert not across(box, second), (name, one, other)


@pytest.mark.parametrize(
    ("key", "place", "side"), [("M", 5, "lower"), ("E", 11, "higher"), ("B", 16, "higher")]
)
def test_perst_is_counted_from_the_key_on_its_own_side(key: str, place: int, side: str) -> None:
    slot = next(slot for slot in SLOTS if slot.key == key)
    assert (slot.from_key, slot.side) == (place, side)
    # The same by going along the row, one contact after the other.
    row = slot.contacts
    beside = slot.gone[0] - 1 if side == "lower" else slot.gone[-1] + 2 - slot.gone[-1] % 2
    steps = abs(row.index(slot.perst) - row.index(beside))
    assert steps + 1 == place
