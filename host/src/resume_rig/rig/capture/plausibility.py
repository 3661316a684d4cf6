"""What a capture cannot show, or shows so oddly that its map is to be doubted. Pure.

SLP_S3, PWR_OK and PLTRST are all high while a DUT runs and all low while it sleeps. A signal such
as PS_ON#, which is low while it runs, stands for SLP_S3 only when it is inverted; without that the
capture tells of cycles that never were.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.channel import Channel
from resume_rig.model.edge import CODE_OF, EdgeColumns
from resume_rig.rig.capture.gathering import Capture
from resume_rig.rig.capture.signals import schematic_name

_POWER_SIGNALS: Final = (Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST)
# A sleep with the power left on is unlike as well, but in one way only.
_UNLIKE_MOST: Final = 0.8
_UNLIKE_EACH_WAY: Final = 0.001


def polarity_notes(capture: Capture) -> Iterator[str]:
    """Yield a sentence for each line that looks inverted against the others."""
    lines = [channel for channel in _POWER_SIGNALS if channel in capture.initial_levels]
    unlike = {pair for pair in combinations(lines, 2) if _unlike(capture, *pair)}
    for line in lines:
        others = [pair for pair in combinations(lines, 2) if line not in pair]
        against = [pair for pair in unlike if line in pair]
        if others and len(against) == len(lines) - 1 and not unlike.intersection(others):
            yield (
                f"{line} is high while the others are low and low while they are high: is it the "
                f"wrong way up? `--channel {line}=~SIGNAL` inverts a signal."
            )
    if len(lines) == 2 and unlike:
        yield (
            f"{lines[0]} is high while {lines[1]} is low, and low while it is high: one of them is "
            "the wrong way up; `--channel NAME=~SIGNAL` inverts a signal."
        )


def _unlike(capture: Capture, one: Channel, other: Channel) -> bool:
    """Return whether two lines are unlike most of the time, and in both ways."""
    edges = EdgeColumns.of(capture.edges)
    edges = edges.where(np.isin(edges.codes, (CODE_OF[one], CODE_OF[other])))
    marks = np.concatenate(([capture.start_ns], edges.t_ns, [capture.end_ns]))
    lasts = np.diff(marks)
    levels = [_levels_between(edges, each, capture.initial_levels[each]) for each in (one, other)]
    high = int(lasts[(levels[0] == 1) & (levels[1] == 0)].sum())
    low = int(lasts[(levels[0] == 0) & (levels[1] == 1)].sum())
    whole_ns = capture.end_ns - capture.start_ns
    return high + low > _UNLIKE_MOST * whole_ns and min(high, low) > _UNLIKE_EACH_WAY * whole_ns


def _levels_between(edges: EdgeColumns, channel: Channel, initial: int) -> NDArray[np.uint8]:
    """Return a line's level before each edge and after the last one, uint8 [n + 1]."""
    own = np.flatnonzero(edges.codes == CODE_OF[channel])
    known = np.concatenate((np.array([initial], np.uint8), edges.levels[own]))
    passed = np.zeros(len(edges) + 1, np.int64)
    passed[own + 1] = 1
    return known[np.cumsum(passed)]


# A button is pressed for a second in a cycle of half a minute at least.
_PRESSED_AT_MOST: Final = 0.5


def doubts_of(capture: Capture) -> tuple[str, ...]:
    """Return a sentence for each signal that is missing, or looks inverted."""
    return (*_missing(capture), *polarity_notes(capture), *_pressed(capture))


def _missing(capture: Capture) -> Iterator[str]:
    has_sleep, has_power = (
        channel in capture.initial_levels for channel in (Channel.SLP_S3, Channel.PWR_OK)
    )
    if not has_sleep and not has_power:
        yield (
            "Neither SLP_S3# nor PWR_OK is in the capture: no sleep state can be measured, and a"
            " sleep shows only where the backlight or the LED goes dark."
        )
    elif not has_sleep:
        yield (
            "SLP_S3# is not in the capture: sleeps are read off PWR_OK, and times to SLP_S3# are"
            " absent."
        )
    elif not has_power:
        yield (
            "PWR_OK is not in the capture: a sleep with the power left on looks like S3, and times"
            " to PWR_OK are absent."
        )


def _pressed(capture: Capture) -> Iterator[str]:
    initial = capture.initial_levels.get(Channel.BUTTON)
    whole_ns = capture.end_ns - capture.start_ns
    if initial is None or whole_ns <= 0:
        return
    own = capture.edges.of_channel(Channel.BUTTON)
    marks = np.concatenate(([capture.start_ns], own.t_ns, [capture.end_ns]))
    levels = np.concatenate((np.array([initial], np.uint8), own.levels))
    pressed = int(np.diff(marks)[levels == 0].sum()) / whole_ns
    if pressed > _PRESSED_AT_MOST:
        change = "invert it: --channel BUTTON=~SIGNAL"
        if Channel.BUTTON in capture.inverted:
            change = "do not invert it: --channel BUTTON=SIGNAL"
        yield (
            f"{schematic_name(Channel.BUTTON)} is pressed (low) for {pressed:.0%} of the capture:"
            f" is it the wrong way up? Then {change}."
        )
