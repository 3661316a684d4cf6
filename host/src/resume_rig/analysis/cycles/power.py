"""Power and energy of the parts of a cycle, with the budget of the instrument that measured them.

docs/explanation/uncertainty.md has the terms. All of them are in W or J, combined as GUM has it.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.power import CyclePower, PowerFigure, PowerMonitor, PowerSamples
from resume_rig.model.quantity import SQRT_3

# INA226 datasheet (SBOS547A), section 6.5, maxima over temperature; half-widths.
SHUNT_OFFSET_UV: Final = 10.0
SHUNT_GAIN: Final = 0.001
BUS_OFFSET_UV: Final = 7_500.0
BUS_GAIN: Final = 0.001
# Assumed: rails and their capacitors are down within it, so that it decides how short a sleep may
# be to have a power; and a DUT that is lit has done most of its resume.
SETTLE_NS: Final = 1_000_000_000
# Fewer tell no scatter.
FEWEST: Final = 5
COVERAGE: Final = 2.0


@dataclass(frozen=True, slots=True)
class CycleMoments:
    """Where the parts of a cycle begin and end, board clock; None where that is not known."""

    asleep_ns: float | None
    awake_ns: float | None
    resume_from_ns: float | None
    resume_to_ns: float | None


def cycle_power(
    samples: PowerSamples, monitor: PowerMonitor, at: CycleMoments, lost: int = 0
) -> CyclePower | None:
    """Return what a DUT drew in a cycle; None where nothing was sampled.

    Args:
        samples: of the cycle.
        monitor: that took them.
        at: where its parts are.
        lost: samples that are missing.
    """
    if not samples.t_ns:
        return None
    part = _Parts(samples, monitor)
    asleep = None
    if at.asleep_ns is not None and at.awake_ns is not None and math.isfinite(at.awake_ns):
        asleep = part.of(at.asleep_ns + SETTLE_NS, at.awake_ns)
    resume = None
    if at.resume_from_ns is not None and at.resume_to_ns is not None:
        resume = part.of(at.resume_from_ns, at.resume_to_ns)
    awake = None
    if at.resume_to_ns is not None:
        awake = part.of(at.resume_to_ns + SETTLE_NS, float(samples.t_ns[-1]))
    return CyclePower(
        asleep_w=None if asleep is None else asleep.mean_w,
        asleep_j=None if asleep is None else asleep.energy_j,
        resume_j=None if resume is None else resume.energy_j,
        resume_ns=None if resume is None else resume.lasted_ns,
        awake_w=None if awake is None else awake.mean_w,
        lost=lost,
    )


@dataclass(frozen=True, slots=True)
class _Part:
    mean_w: PowerFigure
    energy_j: PowerFigure
    lasted_ns: int


class _Parts:
    """Samples of one cycle, to be cut into its parts."""

    def __init__(self, samples: PowerSamples, monitor: PowerMonitor) -> None:
        self._monitor = monitor
        self._t_ns = np.array(samples.t_ns, dtype=np.int64)
        self._volt = np.array(samples.bus_uv, dtype=np.float64) / 1e6
        self._ampere = np.array(samples.current_ua, dtype=np.float64) / 1e6

    def of(self, from_ns: float, until_ns: float) -> _Part | None:
        """Return the part between two times; None where too few samples are all within it.

        A part that was sampled to less than nine tenths is none: nothing is filled in.
        """
        monitor = self._monitor
        # The window of a sample ended up to a window before its stamp.
        inside = (self._t_ns - 2 * monitor.window_ns >= from_ns) & (self._t_ns <= until_ns)
        count = int(inside.sum())
        lasted_ns = until_ns - from_ns
        if count < FEWEST or count * monitor.period_ns < 0.9 * lasted_ns - 3 * monitor.period_ns:
            return None
        volt, ampere = self._volt[inside], self._ampere[inside]
        power = volt * ampere
        mean = float(power.mean())
        instrument = self._instrument(float(volt.mean()), float(ampere.mean()), mean)
        scatter = self._unseen(power)
        standard = math.hypot(instrument, scatter)
        lasted_s = lasted_ns / 1e9
        # At both ends a part of a period is not sampled; what was drawn there is between its
        # neighbours.
        swing = float(power.max() - power.min())
        edges_j = math.sqrt(2) * swing * monitor.period_ns / 1e9 / 2 / SQRT_3
        energy = mean * lasted_s
        return _Part(
            PowerFigure(mean, COVERAGE * standard),
            PowerFigure(energy, COVERAGE * math.hypot(standard * lasted_s, edges_j)),
            round(lasted_ns),
        )

    def _instrument(self, volt: float, ampere: float, watt: float) -> float:
        """Return the standard uncertainty [W] by what is the same in all samples."""
        monitor = self._monitor
        offset_ampere = SHUNT_OFFSET_UV / monitor.shunt_uohm
        half_widths = (
            watt * monitor.shunt_tolerance_ppm / 1e6,
            watt * SHUNT_GAIN,
            watt * BUS_GAIN,
            volt * offset_ampere,
            ampere * BUS_OFFSET_UV / 1e6,
        )
        return math.sqrt(sum((half / SQRT_3) ** 2 for half in half_widths))

    def _unseen(self, power: NDArray[np.float64]) -> float:
        """Return the standard uncertainty [W] of the mean by what lies between the windows."""
        monitor = self._monitor
        unseen = 1 - monitor.window_ns / monitor.period_ns
        scatter = float(power.std(ddof=1)) / math.sqrt(len(power))
        return scatter * math.sqrt(max(unseen, 0.0))
