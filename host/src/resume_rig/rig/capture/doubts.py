"""What a capture cannot show, or shows so oddly that its map is to be doubted. Pure."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from resume_rig.model.channel import Channel
from resume_rig.rig.capture.channel_names import schematic_name
from resume_rig.rig.capture.gathering import Capture
from resume_rig.rig.capture.polarity import polarity_notes

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
