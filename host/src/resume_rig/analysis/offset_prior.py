"""How likely an offset of the OS clock is before anything was compared."""

from dataclasses import dataclass
from math import erf

import numpy as np

from resume_rig.analysis.match_times import CycleTimes, Entries, Floats

# Two clocks that are both meant to show UTC: half of them within seconds; the others off by a time
# zone (at most 14 h) and little more, or by anything within decades.
_NEAR_S, _ZONES_S, _DECADES_S = 5.0, 15 * 3600.0, 40 * 365 * 86_400.0
_NEAR, _ZONED, _ANYWHERE = 0.5, 0.3, 0.2
_ZONE_SCALE_S = 60.0
_ZONES = 2 * float(np.log1p(_ZONES_S / _ZONE_SCALE_S))


@dataclass(frozen=True, slots=True)
class OffsetPrior:
    """Offsets of two clocks that are meant to agree, or of two that nothing ties.

    Attributes:
        expected_s: the offset of clocks that agree; None where they need not.
        span_s: how many offsets there are where nothing is expected.
    """

    expected_s: float | None
    span_s: float

    @classmethod
    def of(cls, expected_s: float | None, cycles: CycleTimes, entries: Entries) -> "OffsetPrior":
        """Return the prior of the offset between some cycles and a log."""
        return cls(expected_s, float(np.ptp(entries.at_s) + np.ptp(cycles.at_s)) + 3600.0)

    def log_density(self, offset_s: Floats) -> Floats:
        """Return how likely each offset is, log per second; NaN stays where nothing is expected."""
        if self.expected_s is None:
            return np.where(np.isnan(offset_s), np.nan, -np.log(self.span_s))
        size = np.abs(offset_s - self.expected_s)
        near = _NEAR * np.exp(-((size / _NEAR_S) ** 2)) / (_NEAR_S * np.sqrt(np.pi))
        zoned = _ZONED / (_ZONE_SCALE_S + size) / _ZONES
        zoned = np.where(size <= _ZONES_S, zoned, 0.0)
        return np.asarray(np.log(near + zoned + _ANYWHERE / _DECADES_S))

    def log_share(self, low_s: float, high_s: float) -> float:
        """Return the logarithm of how likely it is that the offset is between these."""
        if self.expected_s is None:
            return float(np.log((high_s - low_s) / self.span_s))
        low, high = self._below(low_s - self.expected_s), self._below(high_s - self.expected_s)
        return float(np.log(high - low + _ANYWHERE * (high_s - low_s) / _DECADES_S))

    @staticmethod
    def _below(away_s: float) -> float:
        """Return how likely an offset below this one is, against that of zero, near and by zone."""
        size = min(abs(away_s), _ZONES_S)
        zoned = _ZONED * float(np.log1p(size / _ZONE_SCALE_S)) / _ZONES
        return _NEAR / 2 * erf(away_s / _NEAR_S) + float(np.copysign(zoned, away_s))
