"""Tells a line of a capture that was taken the wrong way up, by the others. Pure.

SLP_S3, PWR_OK and PLTRST are all high while a DUT runs and all low while it sleeps. A signal such
as PS_ON#, which is low while it runs, stands for SLP_S3 only when it is inverted; without that the
capture tells of cycles that never were.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from resume_rig.model.channel import Channel
from resume_rig.rig.capture.gathering import Capture

_ALIKE: Final = (Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST)
# A sleep with the power left on is unlike as well, but in one way only.
_UNLIKE_MOST: Final = 0.8
_UNLIKE_EACH_WAY: Final = 0.001


def polarity_notes(capture: Capture) -> Iterator[str]:
    """Yield a sentence for each line that looks inverted against the others."""
    lines = [channel for channel in _ALIKE if channel in capture.initial_levels]
    unlike = {pair for pair in combinations(lines, 2) if _unlike(capture, *pair)}
    for line in lines:
        others = [pair for pair in combinations(lines, 2) if line not in pair]
        against = [pair for pair in unlike if line in pair]
        if others and len(against) == len(lines) - 1 and not unlike.intersection(others):
            yield (
                f"{line} is high while the others are low and low while they are high: is it the "
                f"wrong way up? `--channel {line}=!SIGNAL` inverts a signal."
            )
    if len(lines) == 2 and unlike:
        yield (
            f"{lines[0]} is high while {lines[1]} is low, and low while it is high: one of them is "
            "the wrong way up; `--channel NAME=!SIGNAL` inverts a signal."
        )


def _unlike(capture: Capture, one: Channel, other: Channel) -> bool:
    """Return whether two lines are unlike most of the time, and in both ways."""
    spent_ns = {(a, b): 0 for a in (0, 1) for b in (0, 1)}
    levels = {one: capture.initial_levels[one], other: capture.initial_levels[other]}
    before_ns = capture.start_ns
    for edge in capture.edges:
        if edge.channel in levels:
            spent_ns[levels[one], levels[other]] += edge.t_ns - before_ns
            before_ns = edge.t_ns
            levels[edge.channel] = edge.level
    spent_ns[levels[one], levels[other]] += capture.end_ns - before_ns
    whole_ns = sum(spent_ns.values())
    high, low = spent_ns[1, 0], spent_ns[0, 1]
    return high + low > _UNLIKE_MOST * whole_ns and min(high, low) > _UNLIKE_EACH_WAY * whole_ns
