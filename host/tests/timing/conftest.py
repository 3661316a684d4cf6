"""Instruments whose stated errors are known, and draws of errors from what they state."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from resume_rig.model.budget import BudgetRow, Distribution
from resume_rig.model.channel import Channel
from resume_rig.rig.front_end_file import load_front_end
from resume_rig.timing.budget import StampFacts
from resume_rig.timing.edge_uncertainty import IntervalBounds, Ramp

# The figures that the estimates were made with; hardware/delays.toml may have better ones.
PRIOR_FRONT_END = load_front_end(Path(__file__).with_name("prior_delays.toml"))
RAMP_100_US = Ramp(100_000, 100_000, "measured")


def instrument(
    facts: StampFacts, rate_ppb: int, ramp: Ramp = RAMP_100_US, **more: Any
) -> IntervalBounds:
    return IntervalBounds(
        rate_ppb,
        stamps=dict.fromkeys(Channel, facts),
        front_end=PRIOR_FRONT_END,
        pwr_ok_ramp=ramp,
        **more,
    )


def by_interrupt(ramp: Ramp = RAMP_100_US, **more: Any) -> IntervalBounds:
    """A GPIO interrupt on a crystal that nobody calibrated."""
    return instrument(StampFacts(0, 7_000, "gpio-interrupt"), 30_000, ramp, **more)


def by_capture(ramp: Ramp = RAMP_100_US, **more: Any) -> IntervalBounds:
    """A timer's capture at 1 MHz, its clock calibrated to 1 ppm."""
    return instrument(StampFacts(1_000, 0, "timer-capture"), 1_000, ramp, **more)


def by_loopback(ramp: Ramp = RAMP_100_US, **more: Any) -> IntervalBounds:
    """An interrupt whose latency a loop-back measured."""
    facts = StampFacts(1_000, 3_200, "gpio-interrupt", 600, 2_000, 2_300)
    return instrument(facts, 30_000, ramp, **more)


def drawn_ns(rows: Iterable[BudgetRow], random: Generator, count: int) -> NDArray[np.float64]:
    """Draw the sum of the errors of rows [ns]; rows of one group get one and the same draw."""
    shared: dict[str, NDArray[np.float64]] = {}
    total = np.zeros(count)
    for row in rows:
        if row.group is None or row.group not in shared:
            unit = _unit_draws(row, random, count)
            if row.group is not None:
                shared[row.group] = unit
        else:
            unit = shared[row.group]
        scale = row.standard_ns if row.distribution is Distribution.NORMAL else row.half_width_ns
        total += row.sensitivity * scale * unit
    return total


def _unit_draws(row: BudgetRow, random: Generator, count: int) -> NDArray[np.float64]:
    if row.distribution is Distribution.NORMAL:
        return random.standard_normal(count)
    even = random.uniform(-1, 1, count)
    if row.distribution is Distribution.RECTANGLE:
        return even
    at_end = random.random(count) < row.at_ends
    return np.where(at_end, np.where(even < 0, -1.0, 1.0), even)


@pytest.fixture
def random() -> Generator:
    return np.random.default_rng(20_261_121)
