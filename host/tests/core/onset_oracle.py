"""The definitions of docs/explanation/light.md on a whole waveform at full rate, in numpy.

The reference of firmware/core/rig_onset*.c. It shares no step with it: it has the whole recording
and floats, where the core has a stream, a ring and integers.
"""

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

SIGMAS = 8
HITS = 3
CONFIRM_S = 0.010
ROUNDING_COUNTS2 = 1 / 12
AVERAGE_S = 0.001
RIPPLE = 1 / 8


@dataclass(frozen=True)
class Onset:
    """Times in seconds from the first sample, levels in counts; `pwm_hz` 0 is DC."""

    base: float
    sigma: float
    level: float
    first_s: float
    half_s: float
    ninety_s: float
    pwm_hz: float
    duty: float

    @property
    def pwm_uncertainty_s(self) -> float:
        return (1 - self.duty) / self.pwm_hz / sqrt(12) if self.pwm_hz else 0.0


def measure(
    counts: NDArray[np.uint16], rate_hz: int, *, base_s: float = 0.1, settle_s: float = 1.0
) -> Onset:
    """Measure a recording that begins dark and ends with `settle_s` of a settled level."""
    x = counts.astype(np.float64)
    dark = x[: round(base_s * rate_hz)]
    base = float(dark.mean())
    sigma = sqrt(float(dark.var()) + ROUNDING_COUNTS2)
    settled = x[-round(settle_s * rate_hz) :]
    pwm_hz, duty, level = describe(settled, rate_hz, base, sigma)
    period = rate_hz / pwm_hz if pwm_hz else 1.0
    least = AVERAGE_S * rate_hz
    width = round(ceil(least * 63 / 64 / period) * period)
    limit = base + max(SIGMAS * sigma, (float(x.max()) - base) / 10)
    return Onset(
        base,
        sigma,
        level,
        first_light(x, limit, rate_hz) / rate_hz,
        share(x, base + 0.5 * (level - base), width) / rate_hz,
        share(x, base + 0.9 * (level - base), width) / rate_hz,
        pwm_hz,
        duty,
    )


def describe(
    settled: NDArray[np.float64], rate_hz: int, base: float, sigma: float
) -> tuple[float, float, float]:
    """Return PWM frequency (0: DC), duty, and the mean over whole periods."""
    low, high = settled.min(), settled.max()
    mean = float(settled.mean())
    if high - low <= max(16 * sigma, RIPPLE * (mean - base)):
        return 0.0, 1.0, mean
    lit = settled > (low + high) / 2
    rises = np.flatnonzero(lit[1:] & ~lit[:-1]) + 1
    first, last = int(rises[0]), int(rises[-1])
    periods = rises.size - 1
    return (
        rate_hz * periods / (last - first),
        float(lit[first:last].mean()),
        float(settled[first:last].mean()),
    )


def first_light(x: NDArray[np.float64], limit: float, rate_hz: int) -> float:
    """Where the limit is passed by a sample that two others follow soon; in samples."""
    above = x > limit
    width = max(round(CONFIRM_S * rate_hz), 8)
    hits = sliding_window_view(np.pad(above, (0, width - 1)), width).sum(axis=1)
    at = int(np.flatnonzero(above & (hits >= HITS))[0])
    return at - 1 + (limit - x[at - 1]) / (x[at] - x[at - 1])


def share(x: NDArray[np.float64], level: float, width: int) -> float:
    """Where the centred moving average of `width` samples reaches `level` first; in samples."""
    means = sliding_window_view(x, width).mean(axis=1)
    at = int(np.flatnonzero(means >= level)[0])
    part = (level - means[at - 1]) / (means[at] - means[at - 1])
    return at - 1 + float(part) + (width - 1) / 2
