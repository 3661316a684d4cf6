"""How many independent values a series of cycles is worth.

Cycles of one session do not repeat one another independently: the unit is warm from the cycle
before, the OS caches. The usual model of that is a first-order autoregression with the coefficient
phi, by which n values are worth n / tau, tau about (1 + phi) / (1 - phi).

The coefficient is itself estimated, from few values and too low (Marriott and Pope, 1954; Kendall,
1954). An estimate alone lets a test with 12 to 60 values and phi = 0.9 find what is not there in 10
to 22 % of cases instead of 5 % (benchmarks/compare.py, column "estimate"); its upper 95 % limit
keeps to 5 %. What a session that scatters from day to day does is not in here: no single session
shows it.
"""

import math
from collections.abc import Sequence
from typing import Final

from resume_rig.analysis.trend import Floats

_Z_UPPER: Final = 1.6448536
_PHI_MOST: Final = 0.98
"""Above it 60 values are worth one; a limit of 1 has no answer."""


def autocorrelation_limit(series: Sequence[Floats]) -> float:
    """Return the upper 95 % limit of the lag-1 autocorrelation that several series share, 0..0.98.

    Each series is centred on its own mean. The bias of the estimate is taken off by its expectation
    phi - (1 + 3 phi) / n, n being the mean length; its standard deviation is
    sqrt((1 - phi^2) / N) over all N values (Bartlett, 1946).

    Args:
        series: float64 [n] each, in order of the cycles.
    """
    centred = [each - each.mean() for each in series if len(each)]
    power = sum(float((each * each).sum()) for each in centred)
    if power <= 0.0:
        return 0.0
    total = sum(map(len, centred))
    length = total / len(centred)
    if length <= 4.0:
        return _PHI_MOST
    found = sum(float((each[1:] * each[:-1]).sum()) for each in centred) / power
    phi = max(-1.0, min(1.0, (found + 1.0 / length) / (1.0 - 3.0 / length)))
    upper = phi + _Z_UPPER * math.sqrt((1.0 - phi * phi) / total)
    return max(0.0, min(_PHI_MOST, upper))


def values_per_independent(phi: float, n: int) -> float:
    """Return tau: n values with autocorrelation `phi` have a mean as uncertain as that of n / tau.

    1 to n - 1 or so; exact for a first-order autoregression (Priestley, 1981, 5.3).

    Args:
        phi: 0 to less than 1.
        n: values, 1 or more.
    """
    if phi <= 0.0 or n < 2:
        return 1.0
    tau = (1 + phi) / (1 - phi) - 2 * phi * (1 - phi**n) / (n * (1 - phi) ** 2)
    return max(1.0, min(tau, n - 1.0))
