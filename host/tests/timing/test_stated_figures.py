"""The figures of docs/explanation/uncertainty.md, of the delays that the estimates rest on."""

import pytest

from resume_rig.model.channel import Channel
from resume_rig.timing.budget import budget_of
from resume_rig.timing.edge_uncertainty import Moment, Ramp
from resume_rig.timing.light_budget import LightDefinition, LightEnd

from .conftest import RAMP_100_US, by_capture, by_interrupt

MS = 1_000_000
T4_10_MS = Ramp(10 * MS, 10 * MS, "measured")


def onset(definition: LightDefinition, ramp_ns: int, dark_ns: int = 0, duty: float = 1.0):
    return LightEnd(definition, 20_000, ramp_ns, dark_ns // 2, duty)


SLOW = onset(LightDefinition.HALF, 10 * MS)
FIRST = onset(LightDefinition.FIRST, MS)
PWM_1K = onset(LightDefinition.HALF, 10 * MS, 500_000, 0.5)
PWM_220 = onset(LightDefinition.HALF, 10 * MS, 4_090_909, 0.1)

# Interval, then twice the standard uncertainty [us] as it was estimated before this code was
# written: by an interrupt at 30 ppm, and by capture at 1 ppm. The page explains the deviations.
FIGURES = {
    "press to SLP_S3#, 0.2 s": (Channel.BUTTON, Channel.SLP_S3, 200, None, RAMP_100_US, 27, 23),
    "SLP_S3# to PWR_OK": (Channel.SLP_S3, Channel.PWR_OK, 400, None, RAMP_100_US, 18, 1.1),
    "the same, T4 10 ms": (Channel.SLP_S3, Channel.PWR_OK, 400, None, T4_10_MS, 70, 68),
    "press to PWR_OK, 0.6 s": (Channel.BUTTON, Channel.PWR_OK, 600, None, RAMP_100_US, 33, 23),
    "PWR_OK to PLTRST#": (Channel.PWR_OK, Channel.PLTRST, 150, None, RAMP_100_US, 12, 1.0),
    "logic, 2 s": (Channel.SLP_S3, Channel.PLTRST, 2_000, None, RAMP_100_US, 70, 2.5),
    "logic, 60 s": (Channel.SLP_S3, Channel.PLTRST, 60_000, None, RAMP_100_US, 2_100, 69),
    "light t_50": (Channel.PLTRST, Channel.BACKLIGHT, 2_000, SLOW, RAMP_100_US, 300, 290),
    "light t_first": (Channel.PLTRST, Channel.BACKLIGHT, 2_000, FIRST, RAMP_100_US, 72, 18),
    "PWM 1 kHz 50 %": (Channel.PLTRST, Channel.BACKLIGHT, 2_000, PWM_1K, RAMP_100_US, 450, 440),
    "PWM 220 Hz 10 %": (
        Channel.PLTRST,
        Channel.BACKLIGHT,
        2_000,
        PWM_220,
        RAMP_100_US,
        2_400,
        2_400,
    ),
}
# What is known to differ by more than a tenth, and by how much: see the page.
DEVIATIONS = {
    ("PWR_OK to PLTRST#", 1): 0.13,
    ("SLP_S3# to PWR_OK", 1): 0.11,
    ("light t_first", 1): -0.145,
    ("PWM 1 kHz 50 %", 0): 0.122,
    ("PWM 1 kHz 50 %", 1): 0.137,
}


@pytest.mark.parametrize("name", list(FIGURES))
def test_the_estimates_are_met_within_a_tenth_or_the_page_says_why(name: str) -> None:
    start, end, duration_ms, light, ramp, *expected_us = FIGURES[name]
    ends = Moment(start, 0, start is not Channel.BUTTON), Moment(end, duration_ms * MS, light=light)

    for place, make in enumerate((by_interrupt, by_capture)):
        table = budget_of(name, duration_ms * MS, make(ramp).rows(*ends))
        deviation = 2 * table.standard_ns / 1_000 / expected_us[place] - 1
        known = DEVIATIONS.get((name, place))
        if known is None:
            assert abs(deviation) <= 0.1
        else:
            assert deviation == pytest.approx(known, abs=0.02)


def test_a_panel_at_220_hz_misses_a_millisecond_and_by_no_more_than_its_dark_time() -> None:
    ends = Moment(Channel.PLTRST, 0), Moment(Channel.BACKLIGHT, 2_000 * MS, light=PWM_220)

    found = by_capture().between(*ends)

    assert MS < found.expanded_ns < 4_090_909 / 2 + 300_000
