"""Draws from the spreads of a DUT profile."""

import math

from numpy.random import Generator

from resume_rig.model.dut import DutTiming, Spread
from resume_rig.model.dut_character import DutBehaviour


def draw_ns(spread: Spread, random: Generator) -> int:
    """Return one draw in ns; takes exactly one number from `random`, whatever the spread."""
    factor = math.exp(spread.sigma * random.standard_normal())
    return min(max(round(spread.median_ns * factor), spread.min_ns), spread.max_ns)


def light_after_ns(timing: DutTiming, drawn_ns: int, firmware_ns: int, driver_ns: int) -> int:
    """Return PLTRST# rising to light for a resume whose firmware and drivers took this long.

    The picture waits for the firmware and for the graphics driver, so what they take more or less
    than usual shifts it: the firmware wholly, the drivers by the share of them that usually lies
    before the light.
    """
    usual_firmware_ns = timing.reset_to_tsc.median_ns + timing.bios_init.median_ns
    usual_driver_ns = timing.driver_init.median_ns
    before_light_ns = timing.pltrst_to_light.median_ns - usual_firmware_ns
    share = min(max(before_light_ns / max(usual_driver_ns, 1), 0.0), 1.0)
    shift_ns = firmware_ns - usual_firmware_ns + round(share * (driver_ns - usual_driver_ns))
    return max(drawn_ns + shift_ns, 0)


def late_sleep_ns(errs: DutBehaviour, random: Generator) -> int:
    """Return how long embedded controller and user mode keep a sleep request from the OS.

    It takes a number only where that is spread.
    """
    spread_ns = errs.late_sleep_spread_ns
    return errs.late_sleep_ns + (round(random.uniform(0, spread_ns)) if spread_ns else 0)
