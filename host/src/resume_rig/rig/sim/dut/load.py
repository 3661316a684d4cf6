"""What a simulated DUT draws over time, and what a power monitor in its supply makes of it."""

from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

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
