"""The simulated panel under the photodiode: soft start, black level, noise of the converter."""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

_SOFT_START_NS = 8_000_000  # LED drivers start softly over 1 to 10 ms
_FADE_NS = 1_000_000
_NS_PER_S = 1_000_000_000
_BLACK_COUNTS = 40
_WHITE_COUNTS = 2_600  # 250 cd/m2 on a 12-bit converter
_NOISE_COUNTS = 4.0
FULL_SCALE = 4_095
"""Of the converter, in counts."""

RAMP_NS = _SOFT_START_NS
"""After so long the light stands still whichever way it was switched."""


class Panel:
    """Light as a function of time; lit when it is made, as the DUT is up.

    Samples must be asked for in time order; the noise then depends only on their number.

    Args:
        random: for the noise.
        pwm_hz: it is dimmed at this frequency; 0: not dimmed.
        pwm_duty: share of each period that it is lit.
    """

    def __init__(self, random: Generator, pwm_hz: int = 0, pwm_duty: float = 1.0) -> None:
        self._random = random
        self._period_ns = _NS_PER_S // pwm_hz if pwm_hz else 0
        self._lit_ns = round(pwm_duty * self._period_ns)
        self._since_ns = -_SOFT_START_NS
        self._lit = True
        self._from_share = 1.0

    def switch(self, t_ns: int, lit: bool) -> None:
        """Start to ramp to full or to black at `t_ns`."""
        self._from_share = self._share_at(t_ns)
        self._since_ns = t_ns
        self._lit = lit

    def counts(self, t_ns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return converter counts, 0..4095, at times [ns] that are not before the last switch."""
        noise = self._random.standard_normal(t_ns.size) * _NOISE_COUNTS
        share = self._share(t_ns)
        if self._period_ns:
            # The dimming runs on, whenever the panel is switched.
            share = share * (t_ns % self._period_ns < self._lit_ns)
        level = _BLACK_COUNTS + (_WHITE_COUNTS - _BLACK_COUNTS) * share
        return np.clip(np.rint(level + noise), 0, FULL_SCALE).astype(np.int64)

    def _share_at(self, t_ns: int) -> float:
        """The same as `_share` of one time, at a tenth of its price."""
        elapsed_ns = t_ns - self._since_ns
        ramped = elapsed_ns / _SOFT_START_NS if self._lit else -elapsed_ns / _FADE_NS
        return min(max(self._from_share + ramped, 0.0), 1.0)

    def _share(self, t_ns: NDArray[np.int64]) -> NDArray[np.float64]:
        """Share of full light at times [ns]; linear ramps."""
        elapsed_ns = t_ns - self._since_ns
        if self._lit:
            return np.clip(self._from_share + elapsed_ns / _SOFT_START_NS, 0.0, 1.0)
        return np.clip(self._from_share - elapsed_ns / _FADE_NS, 0.0, 1.0)
