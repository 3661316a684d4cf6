"""Which cycles of several sessions are compared: the same ones of each, after the warm-up.

The first cycles of a session are often unlike the rest. Where sessions have different lengths, a
warm-up is a greater part of the shorter ones and looks like a difference; so the same cycles of
each are compared, from the end of the longest warm-up that is found to the end of the shortest
session. What a warm-up leaves behind is then on both sides alike.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from resume_rig.analysis.trend import Floats, ranks_of

VALUES_LEAST: Final = 12
"""With fewer values, a warm-up cannot be told from chance."""

_SHARE_MOST: Final = 3


def warm_up_of(values: Floats) -> int:
    """Return how many first values are best left out: at most a third.

    It is the number whose omission makes the standard error of the mean least (MSER; White, 1997),
    taken on ranks, so that one wild cycle does not decide. Without a warm-up it is 0 to 2.

    Args:
        values: float64 [n], in order of the cycles.
    """
    n = len(values)
    if n < VALUES_LEAST:
        return 0
    ranks = ranks_of(values) - (n + 1) / 2.0
    kept = np.arange(1, n + 1)
    backwards = ranks[::-1]
    sums, squares = np.cumsum(backwards), np.cumsum(backwards * backwards)
    # Of the last k values the variance over k, the square of their mean's standard error.
    errors = (squares - sums * sums / kept) / kept**2
    left_out = np.arange(n // _SHARE_MOST + 1)
    return int(left_out[np.argmin(errors[n - 1 - left_out])])


def same_cycles(sessions: Sequence[Floats]) -> tuple[int, int]:
    """Return from which value to which, it not among them, every session is compared.

    Args:
        sessions: float64 [n_i] each, in order of the cycles; one or more.
    """
    end = min(map(len, sessions))
    return min(max(map(warm_up_of, sessions)), end // 2), end
