"""One palette: text is read at AA in both themes, and no two channels look alike to anybody."""

import math
from itertools import combinations, pairwise

import pytest

from resume_rig.model.channel import Channel
from resume_rig.report.drawing.palette import DARK, LIGHT, Colours, css_variables

AA_TEXT, AA_GRAPHIC = 4.5, 3.0  # WCAG 2.1, 1.4.3 and 1.4.11
BOTH = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])

# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
SEEN_BY = {
    "trichromats": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopes": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopes": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopes": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def contrast(one: str, other: str) -> float:
    levels = [
        sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(each), strict=True))
        for each in (one, other)
    ]
    return (max(levels) + 0.05) / (min(levels) + 0.05)


def oklab(rgb: list[float]) -> tuple[float, float, float]:
    """Ottosson (2020)."""
    r, g, b = (min(max(c, 0.0), 1.0) for c in rgb)
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    medium = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def seen(colour: str, by: str) -> tuple[float, float, float]:
    rgb = linear(colour)
    return oklab([sum(w * c for w, c in zip(row, rgb, strict=True)) for row in SEEN_BY[by]])


@BOTH
def test_text_has_contrast_aa(colours: Colours) -> None:
    grounds = [colours.page, colours.paper, colours.card]
    pairs = [(ink, ground) for ink in (colours.ink, colours.soft) for ground in grounds]
    pairs += [(colours.limit, colours.paper), (colours.hidden, colours.paper)]
    filled = (colours.passed, colours.failed, colours.none, colours.amber)
    pairs += [(colours.on_colour, ground) for ground in filled]
    pairs += [(colours.on_marginal, colours.marginal), (colours.on_bios, colours.blue)]
    fills = (colours.sky, colours.orange, colours.green, colours.yellow, colours.purple)
    pairs += [(colours.on_fill, fill) for fill in (*fills, colours.hatch)]
    pairs += [(colours.paper, colours.ink)]  # what is chosen, and what stands under the pointer
    assert [pair for pair in pairs if contrast(*pair) < AA_TEXT] == []


@BOTH
def test_lines_and_marks_stand_out_from_the_paper(colours: Colours) -> None:
    lanes = [colours.lane(channel) for channel in Channel]
    marks = [colours.blue, colours.limit, colours.hidden, colours.hatch, colours.ink]
    low = [each for each in (*lanes, *marks) if contrast(each, colours.paper) < AA_GRAPHIC]
    assert low == []


@BOTH
@pytest.mark.parametrize("by", SEEN_BY)
def test_no_two_channels_look_alike(colours: Colours, by: str) -> None:
    pairs = combinations([seen(colours.lane(channel), by) for channel in Channel], 2)
    # Okabe and Ito's own eight come as near as 0.08 to deuteranopes.
    assert min(math.dist(one, other) for one, other in pairs) > 0.1


@BOTH
@pytest.mark.parametrize("by", SEEN_BY)
def test_neighbours_in_a_bar_do_not_look_alike(colours: Colours, by: str) -> None:
    bars = (("sky", "orange", "green", "yellow"), ("blue", "purple"))
    for bar in bars:
        fills = [seen(getattr(colours, phase), by) for phase in bar]
        # Okabe and Ito's own blue and purple are as near as 0.096 to protanopes.
        assert min(math.dist(one, next_) for one, next_ in pairwise(fills)) > 0.075


@BOTH
def test_no_two_phases_look_alike_to_most_people(colours: Colours) -> None:
    phases = ("sky", "orange", "green", "yellow", "blue", "purple")
    pairs = combinations([seen(getattr(colours, phase), "trichromats") for phase in phases], 2)
    assert min(math.dist(one, other) for one, other in pairs) > 0.1


@BOTH
def test_amber_is_no_verdict(colours: Colours) -> None:
    verdicts = (colours.passed, colours.failed, colours.marginal)
    amber = seen(colours.amber, "trichromats")  # to others its sign and its words tell
    assert all(math.dist(amber, seen(each, "trichromats")) > 0.05 for each in verdicts)


def test_a_style_sheet_gets_every_colour_of_both_sets() -> None:
    text = css_variables()
    for colours in (LIGHT, DARK):
        assert f"--ink: {colours.ink};" in text
        for channel in Channel:
            name = channel.value.lower().replace("_", "-")
            assert f"--lane-{name}: {colours.lane(channel)};" in text
            assert f"svg .lane-{name} {{ stroke: var(--lane-{name}); }}" in text
