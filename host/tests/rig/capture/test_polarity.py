"""A line that was taken the wrong way up is told by the others."""

import pytest

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge, EdgeColumns
from resume_rig.rig.capture.gathering import (
    Capture,
    doubts_of,
    polarity_notes,
    without_inverted,
)

MS = 1_000_000
POWER = (Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST)


def capture(
    lines: tuple[Channel, ...], inverted: Channel | None = None, still: Channel | None = None
) -> Capture:
    """Awake for 60 s, asleep for 5 s, awake for 10 s; `still` never moves."""
    falls = dict(zip(POWER, (60_000 * MS, 60_001 * MS, 60_000 * MS), strict=True))
    rises = dict(zip(POWER, (65_000 * MS, 65_040 * MS, 65_100 * MS), strict=True))
    moves = [(at[line], line, level) for level, at in ((0, falls), (1, rises)) for line in lines]
    edges = [
        Edge(number, t_ns, line, 1 - level if line is inverted else level)
        for number, (t_ns, line, level) in enumerate(sorted(m for m in moves if m[1] != still))
    ]
    initial = {line: 0 if line is inverted else 1 for line in lines}
    return Capture(tuple(edges), initial, 0, 75_000 * MS, 1_000)


@pytest.mark.parametrize("line", POWER)
def test_the_one_of_three_that_is_unlike_the_others_is_named(line: Channel) -> None:
    (note,) = polarity_notes(capture(POWER, inverted=line))
    assert note.startswith(f"{line} is high while the others are low")
    assert f"--channel {line}=~SIGNAL" in note


def test_of_two_nobody_knows_which_one() -> None:
    (note,) = polarity_notes(capture(POWER[:2], inverted=Channel.SLP_S3))
    assert "one of them is the wrong way up" in note


@pytest.mark.parametrize("lines", [POWER, POWER[:2], POWER[1:], POWER[:1]])
def test_lines_that_go_together_are_not_doubted(lines: tuple[Channel, ...]) -> None:
    assert list(polarity_notes(capture(lines))) == []


def test_a_sleep_with_the_power_left_on_is_not_taken_for_it() -> None:
    """A fake S3, asleep nearly all the time: unlike, but in one way only."""
    found = capture(POWER[:2], still=Channel.PWR_OK)
    asleep = Capture(found.edges, found.initial_levels, 59_990 * MS, 65_010 * MS, 1_000)
    assert list(polarity_notes(asleep)) == []


def test_a_light_that_is_on_in_the_sleep_and_off_awake_is_left_out() -> None:
    lines = (*POWER, Channel.BACKLIGHT)
    at = ((59_000 * MS, 0), (66_000 * MS, 1))

    def with_light(turned: int) -> Capture:
        plain = capture(POWER)
        light = [Edge(99, t_ns, Channel.BACKLIGHT, level ^ turned) for t_ns, level in at]
        edges = sorted([*plain.edges, *light], key=lambda edge: edge.t_ns)
        levels = {**plain.initial_levels, Channel.BACKLIGHT: 1 ^ turned}
        return Capture(EdgeColumns.of(edges), levels, 0, 75_000 * MS, 1_000)

    right, turned = with_light(0), with_light(1)
    assert set(right.initial_levels) == set(lines)
    assert without_inverted(right) is right
    assert not any("BACKLIGHT" in note for note in doubts_of(right))
    assert set(without_inverted(turned).initial_levels) == set(POWER)
    assert len(without_inverted(turned).edges) == len(turned.edges) - 2
    assert any("BACKLIGHT=~SIGNAL" in note for note in doubts_of(turned))
