"""One session a side, by its cycles: is one shifted, by how much, and what would have been shown.

The means of the middle 60 % of each session are compared (Yuen, 1974), so that slow cycles and a
long tail decide little. Cycles depend on one another: each session counts for as many independent
values as its autocorrelation leaves (analysis/dependence.py). How sessions of one build differ is
not in it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from resume_rig.analysis.beta import student_t_beyond, student_t_tails
from resume_rig.analysis.dependence import autocorrelation_limit, values_per_independent
from resume_rig.analysis.significance import errors_shown
from resume_rig.analysis.trend import Floats

_TRIMMED: Final = 0.2
"""Share of values left out at each end; the choice of Yuen (1974) and Wilcox (2012)."""


@dataclass(frozen=True, slots=True)
class CycleShift:
    """What became of one time from one session to another.

    Attributes:
        shift: candidate's trimmed mean minus base's.
        error: its standard uncertainty.
        freedom: effective degrees of freedom of that.
        p: two-sided.
        effective_n: independent values that base's and candidate's are worth.
    """

    shift: float
    error: float
    freedom: float
    effective_n: tuple[float, float]

    @property
    def p(self) -> float:
        """Two-sided chance of such a shift where there is none."""
        if self.shift == 0.0:
            return 1.0
        return student_t_tails(self.shift / self.error if self.error else math.inf, self.freedom)

    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the shift."""
        reach = student_t_beyond(0.05, self.freedom) * self.error
        return self.shift - reach, self.shift + reach

    def detectable(self, alpha: float) -> float:
        """Return the smallest shift that the test shows with a probability of POWER.

        Args:
            alpha: two-sided, of this test alone.
        """
        return errors_shown(student_t_beyond(alpha, self.freedom), self.freedom) * self.error


def cycle_shift(
    base: Floats, candidate: Floats, least: float, whole: Sequence[Floats] = ()
) -> CycleShift:
    """Return what became of a time.

    Args:
        base: float64 [n], n of 2 or more, in order of the cycles.
        candidate: float64 [m], m of 2 or more, in order of the cycles.
        least: standard deviation of a value by its rounding alone.
        whole: the sessions that both are parts of, which know their autocorrelation better.
    """
    sessions = [_Trimmed.of(base), _Trimmed.of(candidate)]
    longer = [_Trimmed.of(each) for each in whole] or sessions
    phi = autocorrelation_limit([each.winsorised for each in longer])
    taus = [values_per_independent(phi, len(each.winsorised)) for each in sessions]
    effective = tuple(len(each.winsorised) / tau for each, tau in zip(sessions, taus, strict=True))
    # Dependent values lie closer together than they scatter in the long run: their squares are
    # divided by n - tau and not by n - 1, which is exact for a first-order autoregression.
    squares = sum(each.squares for each in sessions)
    left = sum(len(each.winsorised) - tau for each, tau in zip(sessions, taus, strict=True))
    variance = max(squares / max(left, 1e-9), least * least)
    error = math.sqrt(
        sum(variance / (each.kept**2 * n) for each, n in zip(sessions, effective, strict=True))
    )
    freedom = sum(each.kept * n for each, n in zip(sessions, effective, strict=True)) - 2.0
    return CycleShift(
        sessions[1].mean - sessions[0].mean,
        error,
        max(1.0, freedom),
        (effective[0], effective[1]),
    )


@dataclass(frozen=True, slots=True)
class _Trimmed:
    """A session with its ends cut.

    Attributes:
        mean: of what is left.
        winsorised: all values, those cut set to the nearest that is left, in their order.
        squares: of the winsorised values about their mean.
        kept: share of values left.
    """

    mean: float
    winsorised: Floats
    squares: float
    kept: float

    @classmethod
    def of(cls, values: Floats) -> "_Trimmed":
        n = len(values)
        cut = math.floor(_TRIMMED * n)
        ordered = np.sort(values)
        middle = ordered[cut : n - cut]
        winsorised = np.clip(values, middle[0], middle[-1])
        squares = float(((winsorised - winsorised.mean()) ** 2).sum())
        return cls(float(middle.mean()), winsorised, squares, len(middle) / n)
