"""What a simulated rig senses besides wires: the light of the panel, and the load of the supply.

Both are functions of time that a sensor samples: a photodiode with its converter's noise, and an
INA226 that errs within its data sheet.
"""

from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from resume_rig.model.units import NS_PER_S

_SOFT_START_NS = 8_000_000  # LED drivers start softly over 1 to 10 ms
_FADE_NS = 1_000_000
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
        self._period_ns = NS_PER_S // pwm_hz if pwm_hz else 0
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


# An INA226 that averages 4 conversions of 2.116 ms of both inputs (SBOS547A, table 7).
POWER_RING: Final = 4_096
POWER_PERIOD_NS: Final = 20_000_000
POWER_WINDOW_NS: Final = 4 * 2 * 2_116_000
SHUNT_UOHM: Final = 20_000
SHUNT_TOLERANCE_PPM: Final = 1_000
# Its errors, at most, and its steps (SBOS547A, 6.5).
_SHUNT_GAIN: Final = 0.001
_SHUNT_OFFSET_UV: Final = 10.0
_SHUNT_LSB_UV: Final = 2.5
_BUS_GAIN: Final = 0.001
_BUS_LSB_UV: Final = 1_250
_BUS_UV: Final = 19_000_000

# What is older is read by nobody: a power monitor's ring holds less.
_MOST_STEPS = 4_096


class Load:
    """Steps of a load, from the newest thousands of changes.

    Args:
        load_mw: at world time 0.
    """

    def __init__(self, load_mw: int) -> None:
        self._t_ns = [-(10**18)]
        self._mw = [load_mw]

    def change(self, t_ns: int, load_mw: int) -> None:
        """The load is another one from `t_ns` on; times ascend."""
        if load_mw == self._mw[-1]:
            return
        self._t_ns.append(t_ns)
        self._mw.append(load_mw)
        if len(self._t_ns) > _MOST_STEPS:
            del self._t_ns[: _MOST_STEPS // 2], self._mw[: _MOST_STEPS // 2]

    def mean_mw(self, ends_ns: NDArray[np.int64], window_ns: int) -> NDArray[np.float64]:
        """Return the mean [mW] over the window that ends at each time."""
        at_ns = np.array(self._t_ns, dtype=np.int64)
        mw = np.array(self._mw, dtype=np.float64)
        # Counted from the first change on, so that differences keep their digits.
        zero_ns = at_ns[1] if len(at_ns) > 1 else 0
        at_ns[0] = min(zero_ns, int(ends_ns.min()) - window_ns) - 1
        energy = np.concatenate(([0.0], np.cumsum(mw[:-1] * np.diff(at_ns))))

        def until(t_ns: NDArray[np.int64]) -> NDArray[np.float64]:
            step = np.searchsorted(at_ns, t_ns, side="right") - 1
            found: NDArray[np.float64] = energy[step] + mw[step] * (t_ns - at_ns[step])
            return found

        return (until(ends_ns) - until(ends_ns - window_ns)) / window_ns


class SimulatedMonitor:
    """An INA226 whose errors are drawn once, within its data sheet and its shunt's tolerance."""

    def __init__(self, random: Generator) -> None:
        self._shunt, self._offset, self._bus = random.uniform(-1, 1, 3)

    def read(self, load_mw: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return bus voltage [uV] and current [uA] that it reads of a load."""
        gain = 1 + self._shunt * (SHUNT_TOLERANCE_PPM / 1e6 + _SHUNT_GAIN)
        true_ua = load_mw * 1e9 / _BUS_UV
        shunt_uv = true_ua * SHUNT_UOHM / 1e6 * gain + self._offset * _SHUNT_OFFSET_UV
        steps = np.rint(shunt_uv / _SHUNT_LSB_UV)
        current_ua = np.rint(steps * _SHUNT_LSB_UV * 1e6 / SHUNT_UOHM).astype(np.int64)
        read_uv = round(_BUS_UV * (1 + self._bus * _BUS_GAIN) / _BUS_LSB_UV) * _BUS_LSB_UV
        return np.full(len(current_ua), read_uv, dtype=np.int64), current_ua
